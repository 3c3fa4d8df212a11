#include "conformance/simulate/worlds.h"

#include "conformance/text/human.h"
#include "fakes/deadline.h"

#include <string.h>

static bool has_probe(const struct kp_container *container)
{
    return container->probes[KP_LIVENESS] || container->probes[KP_READINESS] ||
           container->probes[KP_STARTUP];
}

bool cf_world_word_ends(enum cf_world_word word)
{
    return word >= CF_STOPS_IN;
}

static bool is_meant(const struct kp_container *container, const struct cf_world_said *said)
{
    bool stays = container->kind == KP_REGULAR || kp_container_is_sidecar(container);

    return (cf_world_word_ends(said->word) ? stays : has_probe(container)) &&
           (said->container.len == 0 || kp_text_equal(said->container, container->name));
}

/* Requests go to what names its ports; where nothing does, to all. */
static bool is_served(const struct kp_pod *pod, const struct kp_container *container,
                      const struct cf_world_said *said)
{
    if (said->word != CF_TRAFFIC_FOR || said->container.len > 0 || container->port_count > 0)
        return true;
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        if (pod->containers[i].port_count > 0)
            return false;
    return true;
}

/* When the pod is deleted, by what was said: a stop that nothing else brings about is a deletion's.
 */
static int64_t deleted_ns(const struct cf_world_said *said, size_t count)
{
    bool traffic = false;
    bool ends = false;

    for (size_t i = 0; i < count; i++) {
        if (said[i].word == CF_DELETED_AT)
            return said[i].ns;
        traffic |= said[i].word == CF_TRAFFIC_FOR;
        ends |= !cf_world_word_ends(said[i].word);
    }
    return count > 0 && (traffic || !ends) ? CF_DOWN_AT_NS : KP_NEVER;
}

enum kp_err cf_worlds_make(struct cf_arena *arena, const struct kp_pod *pod,
                           const struct cf_world_said *said, size_t said_count,
                           struct cf_worlds *out, struct kp_text *unknown)
{
    *out = (struct cf_worlds){.count = kp_pod_container_count(pod), .any = said_count > 0};
    out->containers = cf_arena_array(arena, out->count + 1, sizeof *out->containers);
    if (!out->containers)
        return KP_ENOMEM;
    for (size_t i = 0; i < out->count; i++) {
        for (int word = 0; word < CF_WORLD_WORDS; word++)
            out->containers[i].ns[word] = KP_NEVER;
    }
    out->deleted_ns = deleted_ns(said, said_count);
    for (size_t k = 0; k < said_count; k++) {
        bool found = false;

        for (size_t i = 0; i < out->count; i++) {
            if (!is_meant(&pod->containers[i], &said[k]) ||
                !is_served(pod, &pod->containers[i], &said[k]))
                continue;
            out->containers[i].ns[said[k].word] = said[k].ns;
            found = true;
        }
        *unknown = said[k].container;
        out->unseen |= !found && !cf_world_word_ends(said[k].word);
        if (!found && unknown->len > 0)
            return KP_EINPUT;
    }
    return KP_OK;
}

/* ---- as a script ----------------------------------------------------------------------------- */

enum { STEPS_MAX = 4 };

/* When a hang that ends by itself does; 0: it does not. */
static int64_t pause_end_ns(const struct cf_container_world *world)
{
    return world->ns[CF_HANGS_AT] != KP_NEVER && world->ns[CF_DOWN_FOR] != KP_NEVER
               ? world->ns[CF_HANGS_AT] + world->ns[CF_DOWN_FOR]
               : 0;
}

/* For how long nothing is answered: as long as there is this instance, or it hangs; an outage is
 * every instance's. */
static void end_hang(const struct cf_container_world *world, int64_t from_ns,
                     struct fake_step *step)
{
    if (world->ns[CF_HANGS_AT] == KP_NEVER) {
        step->until = FAKE_UNTIL_TIME;
        step->bound = from_ns + world->ns[CF_DOWN_FOR];
        return;
    }
    step->until = FAKE_UNTIL_REPLACED;
    step->bound = world->hangs == 0 ? INT64_MAX : world->hangs;
    step->until_ns = pause_end_ns(world);
}

static enum kp_err put_refusal(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct kp_container *container, const struct kp_probe *probe,
                               struct fake_step *step)
{
    char bytes[1024];
    struct kp_buf text = {bytes, sizeof bytes, 0};

    step->attempts[0] = KP_ANSWER_FAILURE;
    step->attempt_count = 1;
    step->code = 1;
    step->takes_ns = fake_refused(profile, container, probe, &text);
    step->output = cf_arena_text(arena, kp_buf_text(&text));
    return arena->failed ? KP_ENOMEM : KP_OK;
}

static enum kp_err put_steps(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct kp_container *container, const struct kp_probe *probe,
                             const struct cf_container_world *world, struct fake_answers *answers)
{
    struct fake_step *steps = cf_arena_array(arena, STEPS_MAX, sizeof *steps);
    struct fake_step answer = {.attempt_count = 1};
    int64_t from_ns = world->ns[CF_HANGS_AT];
    size_t count = 0;

    if (!steps)
        return KP_ENOMEM;
    if (world->ns[CF_ANSWERS_IN] != KP_NEVER)
        answer.takes_ns = world->ns[CF_ANSWERS_IN];
    if (world->ns[CF_STARTS_IN] != KP_NEVER) {
        if (put_refusal(arena, profile, container, probe, &steps[count]) != KP_OK)
            return KP_ENOMEM;
        steps[count].until = FAKE_UNTIL_AGE;
        steps[count++].bound = world->ns[CF_STARTS_IN];
    }
    if (from_ns == KP_NEVER && world->ns[CF_DOWN_FOR] != KP_NEVER)
        from_ns = CF_DOWN_AT_NS;
    if (from_ns != KP_NEVER) {
        steps[count] = answer;
        steps[count].until = FAKE_UNTIL_TIME;
        steps[count++].bound = from_ns;
        end_hang(world, from_ns, &steps[count++]);
    }
    steps[count++] = answer;
    answers->steps = steps;
    answers->step_count = count;
    return KP_OK;
}

static bool is_answered(const struct fake_script *script, const struct kp_container *container,
                        int type)
{
    for (size_t i = 0; i < script->answers_count; i++)
        if (script->answers[i].call == (enum fake_call)type && script->answers[i].step_count == 1 &&
            script->answers[i].steps->attempts[0] == KP_ANSWER_ERROR &&
            kp_text_equal(script->answers[i].container, container->name))
            return true; /* it has no port, and none in any world */
    return false;
}

/* What hangs ignores SIGTERM, as long as it hangs; else it takes its time. */
static enum kp_err put_stops(struct cf_arena *arena, const struct cf_container_world *world,
                             struct fake_behaviour *behaviour)
{
    int count = world->ignored_kill + 1;
    int64_t takes_ns = world->ns[CF_STOPS_IN];
    struct fake_stop *stops;

    if (count == 1 && takes_ns == KP_NEVER)
        return KP_OK;
    stops = cf_arena_array(arena, (size_t)count, sizeof *stops);
    if (!stops)
        return KP_ENOMEM;
    for (int i = 0; i < count; i++) {
        stops[i].code = 143;
        stops[i].takes_ns = takes_ns == KP_NEVER ? 0 : takes_ns;
    }
    if (count > 1 && pause_end_ns(world) > 0)
        stops[count - 2].stop_heeded_ns = pause_end_ns(world);
    else if (count > 1)
        stops[count - 2].kind = FAKE_STOP_IGNORES;
    behaviour->stops = stops;
    behaviour->stop_count = (size_t)count;
    return KP_OK;
}

/* The deletion, behind all that the script has. */
static enum kp_err put_deletion(struct cf_arena *arena, const struct kp_pod *pod, int64_t at_ns,
                                struct fake_script *script)
{
    size_t count = script->script_event_count;
    struct fake_script_event *script_events =
        cf_arena_array(arena, count + 1, sizeof *script_events);
    struct fake_script_event *deletion = script_events ? &script_events[count] : NULL;

    if (!script_events)
        return KP_ENOMEM;
    if (count > 0)
        memcpy(script_events, script->script_events, count * sizeof *script_events);
    deletion->at_ns = at_ns;
    deletion->event.kind = KP_EVENT_DELETE;
    deletion->event.container = -1;
    deletion->event.u.grace_s = pod->grace_s;
    script->script_events = script_events;
    script->script_event_count = count + 1;
    return KP_OK;
}

enum kp_err cf_worlds_apply(struct cf_arena *arena, const struct kp_profile *profile,
                            const struct kp_pod *pod, const struct cf_worlds *worlds,
                            struct fake_script *script)
{
    size_t room = script->answers_count + worlds->count * KP_PROBE_TYPES;
    struct fake_answers *answers = cf_arena_array(arena, room + 1, sizeof *answers);
    struct fake_behaviour *behaviours =
        cf_arena_array(arena, script->behaviour_count + 1, sizeof *behaviours);
    size_t count = script->answers_count;

    if (!answers || !behaviours)
        return KP_ENOMEM;
    if (count > 0)
        memcpy(answers, script->answers, count * sizeof *answers);
    if (script->behaviour_count > 0)
        memcpy(behaviours, script->behaviours, script->behaviour_count * sizeof *behaviours);
    for (size_t i = 0; i < worlds->count; i++) {
        const struct kp_container *container = &pod->containers[i];

        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            if (!container->probes[type] || is_answered(script, container, type))
                continue;
            answers[count] =
                (struct fake_answers){.container = container->name, .call = (enum fake_call)type};
            if (put_steps(arena, profile, container, container->probes[type],
                          &worlds->containers[i], &answers[count++]) != KP_OK)
                return KP_ENOMEM;
        }
        if (i < script->behaviour_count &&
            put_stops(arena, &worlds->containers[i], &behaviours[i]) != KP_OK)
            return KP_ENOMEM;
    }
    script->answers = answers;
    script->answers_count = count;
    script->behaviours = behaviours;
    return worlds->deleted_ns == KP_NEVER ? KP_OK
                                          : put_deletion(arena, pod, worlds->deleted_ns, script);
}

/* ---- as words ---------------------------------------------------------------------------------
 */

static void put_word(struct cf_out *out, const char **between, const char *before, int64_t ns)
{
    cf_out_printf(out, "%s%s ", *between, before);
    cf_put_duration(out, ns, false);
    *between = ", ";
}

/* "api starts in 90 s, hangs at 10 min" */
static void put_world(struct cf_out *out, struct kp_text container,
                      const struct cf_container_world *world)
{
    char name[80];
    const char *between = name;
    struct kp_buf buf = {name, sizeof name - 2, 0};
    int64_t from_ns = world->ns[CF_HANGS_AT];
    bool outage = from_ns == KP_NEVER;

    kp_buf_put(&buf, container);
    if (container.len > 0)
        kp_buf_put_char(&buf, ' ');
    name[kp_buf_text(&buf).len] = '\0';
    if (world->ns[CF_STARTS_IN] != KP_NEVER)
        put_word(out, &between, "starts in", world->ns[CF_STARTS_IN]);
    if (world->ns[CF_ANSWERS_IN] != KP_NEVER)
        put_word(out, &between, "answers in", world->ns[CF_ANSWERS_IN]);
    if (world->ns[CF_DOWN_FOR] != KP_NEVER) {
        from_ns = outage ? CF_DOWN_AT_NS : from_ns;
        put_word(out, &between, outage ? "answers no probe from" : "hangs from", from_ns);
        cf_out_put_string(out, " to ");
        cf_put_duration(out, from_ns + world->ns[CF_DOWN_FOR], true);
    } else if (from_ns != KP_NEVER) {
        put_word(out, &between, "hangs at", from_ns);
    }
    if (world->ns[CF_STOPS_IN] != KP_NEVER)
        put_word(out, &between, "stops in", world->ns[CF_STOPS_IN]);
    if (world->ns[CF_TRAFFIC_FOR] != KP_NEVER) {
        put_word(out, &between, "gets requests until", world->ns[CF_TRAFFIC_FOR]);
        cf_out_put_string(out, " after the deletion");
    }
}

/* Of several containers the same was said, but of those that end by themselves before. */
static bool are_alike(const struct kp_pod *pod, const struct cf_worlds *worlds)
{
    const int64_t *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < worlds->count; i++) {
        const int64_t *ns = worlds->containers[i].ns;

        if (pod->containers[i].kind != KP_REGULAR && !kp_container_is_sidecar(&pod->containers[i]))
            continue;
        first = first ? first : ns;
        if (memcmp(ns, first, sizeof worlds->containers[i].ns) != 0)
            return false;
        count++;
    }
    return count > 1;
}

static void put_all(struct cf_out *out, const struct kp_pod *pod, const struct cf_worlds *worlds)
{
    const char *between = "";
    bool alike = are_alike(pod, worlds);

    for (size_t i = 0; i < worlds->count && !(alike && *between); i++) {
        struct cf_out world = {0};

        put_world(&world,
                  alike               ? KP_TEXT("each")
                  : worlds->count > 1 ? pod->containers[i].name
                                      : KP_TEXT_NONE,
                  &worlds->containers[i]);
        if (world.len > 0)
            cf_out_printf(out, "%s%.*s", between, KP_ARG(world));
        between = world.len > 0 ? "; " : between;
        cf_out_deinit(&world);
    }
    if (worlds->deleted_ns != KP_NEVER) {
        cf_out_printf(out, "%sdeleted at ", between);
        cf_put_duration(out, worlds->deleted_ns, false);
    }
}

void cf_worlds_put(struct cf_out *out, const struct kp_pod *pod, const struct cf_worlds *worlds,
                   size_t columns)
{
    struct cf_out words = {0};
    size_t begin = out->len;

    while (begin > 0 && out->bytes[begin - 1] != '\n')
        begin--;
    put_all(&words, pod, worlds);
    if (words.len > 0)
        cf_out_printf(out, "%s%.*s", out->len - begin + 2 + words.len > columns ? ":\n  " : ": ",
                      KP_ARG(words));
    cf_out_deinit(&words);
}

bool cf_worlds_is_late(const struct cf_worlds *worlds, int64_t end_ns, const char **option)
{
    *option =
        worlds->deleted_ns != KP_NEVER && worlds->deleted_ns >= end_ns ? "the deletion" : NULL;
    for (size_t i = 0; i < worlds->count && !*option; i++) {
        const int64_t *ns = worlds->containers[i].ns;

        if (ns[CF_HANGS_AT] != KP_NEVER && ns[CF_HANGS_AT] >= end_ns)
            *option = "--hangs-at";
        else if (ns[CF_DOWN_FOR] != KP_NEVER && ns[CF_HANGS_AT] == KP_NEVER &&
                 CF_DOWN_AT_NS >= end_ns)
            *option = "--down-for, at 5 min,";
    }
    return *option != NULL;
}
