#include "conformance/simulate/worlds.h"

#include "conformance/text/human.h"
#include "fakes/deadline.h"

#include <string.h>

static bool has_probe(const struct kp_container *container)
{
    return container->probes[KP_LIVENESS] || container->probes[KP_READINESS] ||
           container->probes[KP_STARTUP];
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
    for (size_t k = 0; k < said_count; k++) {
        bool found = false;

        for (size_t i = 0; i < out->count; i++) {
            if (!has_probe(&pod->containers[i]) ||
                (said[k].container.len > 0 &&
                 !kp_text_equal(said[k].container, pod->containers[i].name)))
                continue;
            out->containers[i].ns[said[k].word] = said[k].ns;
            found = true;
        }
        *unknown = said[k].container;
        if (!found)
            return KP_EINPUT;
    }
    return KP_OK;
}

/* ---- as a script ----------------------------------------------------------------------------- */

enum { STEPS_MAX = 4 };

/* For how long it answers nothing: a span, or as long as there is this instance. */
static void end_hang(const struct cf_container_world *world, int64_t from_ns,
                     struct fake_step *step)
{
    bool passes = world->ns[CF_DOWN_FOR] != KP_NEVER;

    step->until = passes ? FAKE_UNTIL_TIME : FAKE_UNTIL_REPLACED;
    step->bound = passes             ? from_ns + world->ns[CF_DOWN_FOR]
                  : world->hangs > 0 ? world->hangs
                                     : INT64_MAX;
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
        if (script->answers[i].asked == (enum fake_asked)type &&
            script->answers[i].step_count == 1 &&
            script->answers[i].steps->attempts[0] == KP_ANSWER_ERROR &&
            kp_text_equal(script->answers[i].container, container->name))
            return true; /* it has no port, and none in any world */
    return false;
}

/* What hangs ignores SIGTERM, once. */
static enum kp_err put_stops(struct cf_arena *arena, struct fake_behaviour *behaviour)
{
    struct fake_stop *stops = cf_arena_array(arena, 2, sizeof *stops);

    if (!stops)
        return KP_ENOMEM;
    stops[0].kind = FAKE_STOP_IGNORES;
    stops[1].code = 143;
    behaviour->stops = stops;
    behaviour->stop_count = 2;
    return KP_OK;
}

enum kp_err cf_worlds_play(struct cf_arena *arena, const struct kp_profile *profile,
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
                (struct fake_answers){.container = container->name, .asked = (enum fake_asked)type};
            if (put_steps(arena, profile, container, container->probes[type],
                          &worlds->containers[i], &answers[count++]) != KP_OK)
                return KP_ENOMEM;
        }
        if (worlds->containers[i].ns[CF_HANGS_AT] != KP_NEVER && i < script->behaviour_count &&
            put_stops(arena, &behaviours[i]) != KP_OK)
            return KP_ENOMEM;
    }
    script->answers = answers;
    script->answers_count = count;
    script->behaviours = behaviours;
    return KP_OK;
}

/* ---- as words ---------------------------------------------------------------------------------
 */

static void put_word(struct cf_out *out, const char **between, const char *before, int64_t ns)
{
    cf_out_printf(out, "%s%s ", *between, before);
    cf_put_lapse(out, ns, false);
    *between = ", ";
}

void cf_world_put(struct cf_out *out, struct kp_text container,
                  const struct cf_container_world *world)
{
    char name[80];
    const char *between = name;
    struct kp_buf buf = {name, sizeof name - 2, 0};
    int64_t from_ns = world->ns[CF_HANGS_AT];

    kp_buf_put(&buf, container);
    if (container.len > 0)
        kp_buf_put_char(&buf, ' ');
    name[kp_buf_text(&buf).len] = '\0';
    if (world->ns[CF_STARTS_IN] != KP_NEVER)
        put_word(out, &between, "starts in", world->ns[CF_STARTS_IN]);
    if (world->ns[CF_ANSWERS_IN] != KP_NEVER)
        put_word(out, &between, "answers in", world->ns[CF_ANSWERS_IN]);
    if (world->ns[CF_DOWN_FOR] != KP_NEVER) {
        put_word(out, &between, "answers nothing for", world->ns[CF_DOWN_FOR]);
        put_word(out, &(const char *){""}, " from", from_ns == KP_NEVER ? CF_DOWN_AT_NS : from_ns);
        cf_out_put_string(out, " on");
    } else if (from_ns != KP_NEVER) {
        put_word(out, &between, "hangs at", from_ns);
    }
}
