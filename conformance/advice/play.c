#include "conformance/advice/play.h"

#include "conformance/simulate/sim_script.h"
#include "fakes/engine_impl.h"

#include <string.h>

#define OLD_NS (3600 * KP_NS_PER_S) /* a kubelet older than any period that is usual */
#define SPAN_S (7 * 24 * 3600)
#define DAY_NS (24 * 3600 * KP_NS_PER_S)

struct play {
    struct fake_engine_impl impl;
    struct fake_run run;
    const struct cf_play_world *world;
    struct cf_loop *loop;
    struct cf_played *played;
    int container;
    int64_t ended_ns;
    bool killed; /* these three at an instant that is not known yet */
    bool ready;
    bool unready;
};

/* ---- what is seen ---------------------------------------------------------------------------- */

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct play *play = ctx;

    if (effect->container != play->container)
        return;
    if (effect->kind == KP_EFFECT_READY) {
        play->ready = effect->u.value;
        play->unready = !effect->u.value;
    }
    if (effect->kind != KP_EFFECT_KILL)
        return;
    if (play->played->killed_ns != KP_NEVER)
        return;
    play->killed = true;
    play->played->reason = effect->u.kill.reason;
    play->played->grace_s = effect->u.kill.grace_s;
}

static void note(int64_t *first_ns, bool seen, int64_t at_ns)
{
    if (seen && *first_ns == KP_NEVER)
        *first_ns = at_ns;
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct play *play = ctx;
    struct cf_played *played = play->played;

    note(&played->ready_again_ns, play->ready && played->unready_ns != KP_NEVER, at_ns);
    note(&played->ready_ns, play->ready, at_ns);
    note(&played->unready_ns, play->unready && played->ready_ns != KP_NEVER, at_ns);
    note(&played->killed_ns, play->killed, at_ns);
    if (play->killed && play->world->until_killed)
        play->run.end_ns = at_ns;
    play->killed = play->ready = play->unready = false;
}

static void on_told(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct play *play = ctx;
    struct cf_played *played = play->played;
    struct cf_loop *loop = play->loop;

    if (event->container != play->container)
        return;
    if (event->kind == KP_EVENT_EXITED)
        play->ended_ns = at_ns;
    if (event->kind != KP_EVENT_RUNNING)
        return;
    if (played->runs_ns == KP_NEVER) {
        played->runs_ns = at_ns;
        return;
    }
    note(&played->again_ns, true, at_ns);
    if (!loop || loop->count == loop->wanted)
        return;
    loop->gap_ns[loop->count] = at_ns - play->ended_ns;
    loop->at_ns[loop->count++] = at_ns;
    if (loop->count == loop->wanted)
        play->run.end_ns = at_ns;
}

/* ---- what the world does --------------------------------------------------------------------- */

/* The script of one play; what it leaves out is as in any other simulation. */
struct words {
    struct cf_sim_script made;
    struct fake_answers *answers;
    struct fake_behaviour *behaviours;
    struct fake_step steps[FAKE_ASKED_POST_START][3];
    struct fake_exit exit;
    struct fake_stop stop;
    struct fake_happening deletion;
    struct fake_jitter_row waits[KP_PROBE_TYPES];
};

/* The world itself ends attempts at their timeout (fake_script.deadlines). */
static size_t put_steps(const struct cf_play_world *world, bool spared, struct fake_step *steps)
{
    enum cf_manner manner = spared ? CF_PASSES : world->manner;
    struct fake_step pass = {.attempts = {KP_ANSWER_SUCCESS},
                             .attempt_count = 1,
                             .takes_ns = spared ? 0 : world->takes_ns};
    struct fake_step fail = {.attempts = {KP_ANSWER_FAILURE}, .attempt_count = 1};
    struct fake_step hang = {.attempt_count = 0};

    steps[0] = manner == CF_RISES ? fail : pass;
    steps[0].until = manner == CF_PASSES ? FAKE_FOREVER : FAKE_UNTIL_AGE;
    steps[0].bound = world->at_ns;
    steps[1] = manner == CF_RISES ? pass : manner == CF_HANGS ? hang : fail;
    if (manner != CF_LOSES)
        return manner == CF_PASSES ? 1 : 2;
    steps[1].until = world->lost > 0 ? FAKE_TIMES : FAKE_UNTIL_AGE;
    steps[1].bound = world->lost > 0 ? world->lost : world->at_ns + world->for_ns;
    steps[2] = pass;
    return 3;
}

/* A probe that cannot be asked: each attempt is an error, whatever the world (E-010). */
static bool is_unasked(const struct words *words, struct kp_text container, int asked)
{
    for (size_t i = 0; i < words->made.script.answers_count; i++) {
        const struct fake_answers *answers = &words->made.script.answers[i];

        if ((int)answers->asked == asked && kp_text_equal(answers->container, container) &&
            answers->steps[0].attempts[0] == KP_ANSWER_ERROR)
            return true;
    }
    return false;
}

static void put_answers(const struct kp_container *container, const struct cf_play_world *world,
                        struct words *words, struct fake_script *script)
{
    for (int asked = 0; asked < FAKE_ASKED_POST_START; asked++) {
        struct fake_answers *answers = &words->answers[script->answers_count];
        const struct kp_probe *probe = asked < KP_PROBE_TYPES ? container->probes[asked] : NULL;

        if ((asked < KP_PROBE_TYPES && !probe) || is_unasked(words, container->name, asked))
            continue;
        *answers = (struct fake_answers){.container = container->name,
                                         .asked = (enum fake_asked)asked,
                                         .steps = words->steps[asked],
                                         .step_count = 1};
        if (probe)
            answers->step_count = put_steps(world, world->spared[asked], words->steps[asked]);
        else
            words->steps[asked][0] = (struct fake_step){.attempts = {KP_ANSWER_SUCCESS},
                                                        .attempt_count = 1,
                                                        .takes_ns = world->pre_stop_ns};
        script->answers_count++;
    }
}

static void put_behaviour(const struct cf_play_world *world, struct words *words, size_t index)
{
    struct fake_behaviour *own = &words->behaviours[index];

    words->exit = (struct fake_exit){
        .never = !world->exits, .code = world->exit_code, .after_ns = world->exit_ns};
    words->stop.kind = world->ignores_term ? FAKE_STOP_IGNORES : FAKE_STOP_EXITS;
    words->stop.code = 143;
    own->exits = &words->exit;
    own->exit_count = 1;
    own->stops = &words->stop;
    own->stop_count = 1;
    own->starts = NULL;
    own->start_count = 0;
}

static enum kp_err put_script(struct cf_arena *arena, const struct kp_profile *profile,
                              const struct kp_pod *pod, size_t index,
                              const struct cf_play_world *world, struct words *words,
                              struct fake_script *script)
{
    const struct fake_script *made = &words->made.script;

    if (cf_sim_script_make(arena, profile, pod, 0, 0, &words->made) != KP_OK)
        return KP_ENOMEM;
    words->answers =
        cf_arena_array(arena, made->answers_count + FAKE_ASKED_POST_START, sizeof *words->answers);
    words->behaviours = cf_arena_array(arena, made->behaviour_count + 1, sizeof *words->behaviours);
    if (!words->answers || !words->behaviours)
        return KP_ENOMEM;
    if (made->answers_count > 0)
        memcpy(words->answers, made->answers, made->answers_count * sizeof *words->answers);
    memcpy(words->behaviours, made->behaviours, made->behaviour_count * sizeof *words->behaviours);
    *script = *made;
    script->answers = words->answers;
    script->behaviours = words->behaviours;
    put_answers(&pod->containers[index], world, words, script);
    put_behaviour(world, words, index);
    if (world->deleted_ns > 0) {
        words->deletion.at_ns = world->deleted_ns;
        words->deletion.event.kind = KP_EVENT_DELETE;
        words->deletion.event.container = -1;
        words->deletion.event.u.grace_s = pod->grace_s;
        script->happenings = &words->deletion;
        script->happening_count = 1;
    }
    return KP_OK;
}

static struct fake_open open_of(const struct kp_profile *profile, const struct kp_pod *const *pods,
                                size_t index, const struct cf_play_world *world,
                                struct words *words)
{
    bool young = world->wait_ppb > 0 && profile->jitter_only_when_young;

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        words->waits[type] = (struct fake_jitter_row){.container = pods[0]->containers[index].name,
                                                      .type = (enum kp_probe_type)type,
                                                      .delay_ppb = world->wait_ppb};
    return (struct fake_open){.layer = FAKE_LAYER_POD,
                              .profile = profile,
                              .pods = pods,
                              .pod_count = 1,
                              .uptime_ns = young ? world->phase_ns : OLD_NS + world->phase_ns,
                              .sync_frequency_ns = 60 * KP_NS_PER_S,
                              .jitter = FAKE_JITTER_MAP,
                              .jitter_rows = words->waits,
                              .jitter_row_count = KP_PROBE_TYPES};
}

enum kp_err cf_play(struct cf_arena *arena, const struct kp_profile *profile,
                    const struct kp_pod *pod, size_t index, const struct cf_play_world *world,
                    struct cf_loop *loop, struct cf_played *played)
{
    struct play play = {.impl = {.mem = arena->mem},
                        .world = world,
                        .loop = loop,
                        .played = played,
                        .container = (int)index};
    const struct kp_pod *const pods[] = {pod};
    struct words words = {0};
    struct fake_script script;

    *played = (struct cf_played){.runs_ns = KP_NEVER,
                                 .ready_ns = KP_NEVER,
                                 .unready_ns = KP_NEVER,
                                 .ready_again_ns = KP_NEVER,
                                 .killed_ns = KP_NEVER,
                                 .again_ns = KP_NEVER};
    if (put_script(arena, profile, pod, index, world, &words, &script) != KP_OK)
        return KP_ENOMEM;
    play.run = (struct fake_run){.impl = fake_engine_impl_interface(&play.impl),
                                 .open = open_of(profile, pods, index, world, &words),
                                 .script = script,
                                 .observer = {on_effect, on_instant, on_told, &play},
                                 .end_ns = world->end_ns < DAY_NS || loop ? world->end_ns : DAY_NS};
    return fake_world_run(&play.run, arena->mem) == FAKE_END_NOMEM ? KP_ENOMEM : KP_OK;
}

/* ---- how long it needs ----------------------------------------------------------------------- */

int64_t cf_play_span_ns(int64_t seconds)
{
    return kp_seconds_ns(seconds < SPAN_S ? seconds : SPAN_S);
}

/* A threshold and two turns more, of those that a play has room for. */
static int64_t turns(int32_t threshold)
{
    return threshold < SPAN_S ? threshold + INT64_C(2) : SPAN_S;
}

int64_t cf_play_settled_ns(const struct kp_container *container)
{
    int64_t seconds = 60;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (probe)
            seconds += probe->initial_delay_s + turns(probe->success_threshold) * probe->period_s;
    }
    return cf_play_span_ns(seconds) + 700 * KP_NS_PER_MS;
}

int64_t cf_play_patience_ns(const struct kp_container *container)
{
    int64_t seconds = 60;

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (probe)
            seconds += probe->initial_delay_s + turns(probe->failure_threshold) *
                                                    ((int64_t)probe->period_s + probe->timeout_s);
    }
    return cf_play_span_ns(seconds);
}
