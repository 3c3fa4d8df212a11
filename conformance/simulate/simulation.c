#include "conformance/simulate/simulation.h"

#include "fakes/deadline.h"
#include "fakes/engine_impl.h"

#include <string.h>

#define PPB INT64_C(1000000000)

struct play {
    struct fake_engine_impl impl;
    struct fake_run run;
    const struct cf_simulation *simulation;
    const struct cf_world *world;
    struct cf_seen *seen;
    bool pending[CF_OBSERVATIONS]; /* seen, at an instant that is not known yet */
    bool call[KP_PROBE_TYPES];
    uint32_t n;        /* of the newest attempt of the type that is looked at */
    int64_t ended_ns;  /* the newest instance that did */
    int64_t window_ns; /* of the newest back-off since a start */
    bool over;         /* killed */
    int64_t now_ns;
};

/* ---- what is seen ---------------------------------------------------------------------------- */

static void see(struct play *play, enum cf_observation observation, enum kp_rule rule)
{
    if (play->pending[observation] ||
        (play->seen->at_ns[observation] != KP_NEVER && observation != CF_SEEN_READY_LAST))
        return;
    play->pending[observation] = true;
    play->seen->rule[observation] = rule;
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct play *play = ctx;

    if (effect->container != play->simulation->container)
        return;
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        play->call[effect->u.probe.type] |= effect->u.probe.attempt == 1;
        if (effect->u.probe.type != play->world->type)
            break;
        play->n = effect->u.probe.n;
        see(play, CF_SEEN_PROBE, effect->rule);
        break;
    case KP_EFFECT_RESULT:
        if (effect->u.result.type != KP_READINESS && effect->u.result.value == KP_RESULT_FAILURE)
            see(play, CF_SEEN_RESULT, effect->rule);
        break;
    case KP_EFFECT_STATE:
        if (effect->u.state.state->kind == KP_STATE_RUNNING)
            see(play, CF_SEEN_RUNNING, effect->rule);
        break;
    case KP_EFFECT_STARTED:
        if (effect->u.value)
            see(play, CF_SEEN_STARTED, effect->rule);
        break;
    case KP_EFFECT_READY:
        see(play, effect->u.value ? CF_SEEN_READY : CF_SEEN_UNREADY, effect->rule);
        if (effect->u.value)
            see(play, CF_SEEN_READY_LAST, effect->rule);
        break;
    case KP_EFFECT_KILL:
        see(play, CF_SEEN_KILLED, effect->rule);
        play->seen->grace_s = effect->u.kill.grace_s;
        play->seen->reason = effect->u.kill.reason;
        break;
    case KP_EFFECT_START:
        if (effect->u.restart > 0)
            see(play, CF_SEEN_AGAIN, effect->rule);
        break;
    case KP_EFFECT_BACKOFF:
        play->window_ns = effect->u.delay_ns;
        break;
    default:
        break;
    }
}

static void note_turn(struct play *play, int type, int64_t at_ns)
{
    struct cf_seen *seen = play->seen;

    play->call[type] = false;
    if (play->over || seen->runs_ns == KP_NEVER)
        return;
    if (seen->first_probe_ns[type] == KP_NEVER)
        seen->first_probe_ns[type] = at_ns;
    seen->last_ns[type] = at_ns;
    if (at_ns < play->world->from_ns)
        return;
    if (seen->attempt_count[type] < CF_ASKED_MAX)
        seen->attempts_ns[type][seen->attempt_count[type]++] = at_ns;
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct play *play = ctx;
    bool counts = at_ns >= play->world->from_ns;

    play->now_ns = at_ns;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (play->call[type])
            note_turn(play, type, at_ns);
    for (int observation = 0; observation < CF_OBSERVATIONS; observation++) {
        if (!play->pending[observation])
            continue;
        play->pending[observation] = false;
        play->over |= observation == CF_SEEN_KILLED;
        if (!counts)
            continue;
        play->seen->at_ns[observation] = at_ns;
        if ((enum cf_observation)observation == play->world->until &&
            observation != CF_SEEN_READY_LAST)
            play->run.end_ns = at_ns;
    }
}

/* A container runs: the first time, or again. */
static void note_run(struct play *play, int64_t at_ns)
{
    struct cf_loop *loop = play->world->loop;

    if (play->seen->runs_ns == KP_NEVER) {
        play->seen->runs_ns = at_ns;
        return;
    }
    if (!loop || loop->count == loop->wanted)
        return;
    loop->gap_ns[loop->count] = at_ns - play->ended_ns;
    loop->window_ns[loop->count] = play->window_ns;
    play->window_ns = 0;
    loop->at_ns[loop->count++] = at_ns;
    if (loop->count == loop->wanted)
        play->run.end_ns = at_ns;
}

static void on_event(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct play *play = ctx;
    struct cf_seen *seen = play->seen;

    if (event->kind == KP_EVENT_ANSWER && event->u.answer.n == play->n &&
        at_ns >= play->world->from_ns &&
        (play->world->until == CF_OBSERVATIONS || seen->at_ns[play->world->until] == KP_NEVER))
        seen->answers++;
    if (event->container != play->simulation->container)
        return;
    if (event->kind == KP_EVENT_EXITED) {
        play->ended_ns = at_ns;
        seen->exit_code = seen->exit_code < 0 ? event->u.exit_code : seen->exit_code;
    }
    if (event->kind == KP_EVENT_RUNNING)
        note_run(play, at_ns);
}

/* ---- what the world does --------------------------------------------------------------------- */

/* The script of one play. */
struct words {
    struct fake_step steps[KP_PROBE_TYPES][3];
    struct fake_done start;
    struct fake_exit exit;
    struct fake_stop stop;
    struct fake_script_event script_events[3];
    struct fake_jitter_row waits[KP_PROBE_TYPES];
};

static size_t put_steps(const struct cf_world *world, bool spared, int64_t refused_ns,
                        struct fake_step *steps)
{
    enum cf_health health = spared ? CF_PASSES : world->health;
    struct fake_step pass = {.attempt_count = 1};
    struct fake_step fail = {.attempts = {KP_ANSWER_FAILURE}, .attempt_count = 1};
    struct fake_step hang = {.attempt_count = 0};
    struct fake_step refuse = fail;

    refuse.takes_ns = refused_ns;
    steps[0] = health == CF_STARTS_SLOWLY ? refuse : pass;
    steps[0].until = health == CF_STARTS_SLOWLY || world->at_age ? FAKE_UNTIL_AGE : FAKE_UNTIL_TIME;
    steps[0].bound = world->at_ns;
    switch (health) {
    case CF_PASSES:
        steps[0].until = FAKE_FOREVER;
        return 1;
    case CF_HANGS:
        steps[1] = hang;
        return 2;
    case CF_FAILS:
        steps[1] = fail;
        return 2;
    case CF_REFUSES:
        steps[1] = refuse;
        return 2;
    case CF_STARTS_SLOWLY:
        steps[1] = pass;
        return 2;
    case CF_ANSWERS_SLOWLY:
        steps[1] = pass;
        steps[1].takes_ns = world->takes_ns;
        return 2;
    case CF_FAILS_A_WHILE:
        steps[1] = fail;
        steps[1].until = world->lost > 0 ? FAKE_TIMES : FAKE_UNTIL_TIME;
        steps[1].bound = world->lost > 0 ? world->lost : world->at_ns + world->for_ns;
        steps[2] = pass;
        return 3;
    }
    return 1;
}

bool cf_simulation_asks(const struct cf_simulation *simulation, enum kp_probe_type type)
{
    for (size_t i = 0; i < simulation->script.answers_count; i++)
        if (simulation->script.answers[i].call == (enum fake_call)type &&
            kp_text_equal(simulation->script.answers[i].container,
                          simulation->pod->containers[simulation->container].name))
            return false;
    return true;
}

static void put_answers(struct cf_simulation *simulation, const struct cf_world *world,
                        struct words *words, struct fake_script *script)
{
    const struct kp_container *container = &simulation->pod->containers[simulation->container];

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        struct fake_answers *answers = &simulation->answers[script->answers_count];
        struct kp_buf nowhere = {0};

        if (!container->probes[type] || !cf_simulation_asks(simulation, (enum kp_probe_type)type))
            continue;
        answers->container = container->name;
        answers->call = (enum fake_call)type;
        answers->steps = words->steps[type];
        answers->step_count = put_steps(
            world, world->spared[type],
            fake_refused(simulation->profile, container, container->probes[type], &nowhere),
            words->steps[type]);
        script->answers_count++;
    }
}

static void put_behaviour(struct cf_simulation *simulation, const struct cf_world *world,
                          struct words *words)
{
    size_t bytes = simulation->script.behaviour_count * sizeof *simulation->behaviours;
    struct fake_behaviour *own = &simulation->behaviours[simulation->container];

    memcpy(simulation->behaviours, simulation->script.behaviours, bytes);
    words->start.takes_ns = world->draws.start_ns;
    words->exit.never = !world->exits;
    words->exit.after_ns = world->exit_ns;
    words->exit.code = world->exit_code;
    words->stop.kind = world->ignores_term ? FAKE_STOP_IGNORES : FAKE_STOP_EXITS;
    words->stop.code = world->stop_code ? *world->stop_code : 143;
    words->stop.takes_ns = world->stops_ns;
    own->starts = &words->start;
    own->start_count = 1;
    own->exits = &words->exit;
    own->exit_count = 1;
    own->stops = &words->stop;
    own->stop_count = 1;
}

static size_t put_script_events(const struct cf_simulation *simulation,
                                const struct cf_world *world, struct words *words)
{
    size_t count = 0;

    if (world->restarts_ns > 0) {
        words->script_events[count].at_ns = world->restarts_ns;
        words->script_events[count].event.kind = KP_EVENT_KUBELET_RESTART;
        words->script_events[count].event.container = -1;
        words->script_events[count++].event.u.down_ns = CF_KUBELET_DOWN_NS;
    }
    if (world->touched_ns > 0) {
        words->script_events[count].at_ns = world->touched_ns;
        words->script_events[count].event.kind = KP_EVENT_UPDATE;
        words->script_events[count].event.container = -1;
        words->script_events[count++].event.u.update = &simulation->touched;
    }
    if (world->deleted_ns > 0) {
        words->script_events[count].at_ns = world->deleted_ns;
        words->script_events[count].event.kind = KP_EVENT_DELETE;
        words->script_events[count].event.container = -1;
        words->script_events[count++].event.u.grace_s = simulation->pod->grace_s;
    }
    return count;
}

/* Their parts of the period, rounded up: the engine's interface rounds down to whole milliseconds.
 */
static void put_waits(const struct cf_simulation *simulation, const struct cf_draws *draws,
                      struct words *words)
{
    const struct kp_container *container = &simulation->pod->containers[simulation->container];

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];
        struct fake_jitter_row *row = &words->waits[type];

        row->container = container->name;
        row->type = (enum kp_probe_type)type;
        if (probe)
            row->delay_ppb = (draws->wait_ns[type] + probe->period_s - 1) /
                             (probe->period_s > 0 ? probe->period_s : 1);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { BLOCK_BYTES = 256 * 1024, ALIGN = 16 };

static void *scratch_alloc(void *ctx, size_t bytes)
{
    struct cf_scratch *scratch = ctx;
    size_t room = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    char *piece = scratch->block + scratch->used;
    void **link;

    if (room >= bytes && room <= BLOCK_BYTES - scratch->used) {
        scratch->used += room;
        return piece;
    }
    if (room < bytes || room > SIZE_MAX - ALIGN)
        return NULL;
    link = kp_mem_array(scratch->below, room + ALIGN, 1);
    if (!link)
        return NULL;
    *link = scratch->more;
    scratch->more = link;
    return (char *)link + ALIGN;
}

static void scratch_free(void *ctx, void *block)
{
    (void)ctx;
    (void)block; /* with all others */
}

static void scratch_reset(struct cf_scratch *scratch)
{
    while (scratch->more) {
        void **link = scratch->more;

        scratch->more = *link;
        kp_mem_free(scratch->below, link);
    }
    scratch->used = 0;
}

void cf_simulation_deinit(struct cf_simulation *simulation)
{
    scratch_reset(&simulation->scratch);
    if (simulation->scratch.block)
        kp_mem_free(simulation->scratch.below, simulation->scratch.block);
    simulation->scratch.block = NULL;
}

/* ---- one play -------------------------------------------------------------------------------- */

static struct fake_run run_of(struct play *play, struct words *words,
                              const struct kp_pod *const *pods)
{
    const struct cf_world *world = play->world;

    return (struct fake_run){
        .impl = fake_engine_impl_interface(&play->impl),
        .open = {.layer = FAKE_LAYER_POD,
                 .profile = play->simulation->profile,
                 .pods = pods,
                 .pod_count = 1,
                 .uptime_ns = (KP_NS_PER_S - world->draws.relist_ns) % KP_NS_PER_S,
                 .wall_ns = world->draws.wall_ns,
                 .sync_frequency_ns = 60 * KP_NS_PER_S,
                 .requeue_ppb = world->draws.late_ns > 0 ? PPB - 1 : 0,
                 .jitter = FAKE_JITTER_MAP,
                 .jitter_rows = words->waits,
                 .jitter_row_count = KP_PROBE_TYPES,
                 .jitter_again = true},
        .observer = {on_effect, on_instant, on_event, play},
        .end_ns =
            world->loop || world->end_ns < CF_BUDGET_MAX_NS ? world->end_ns : CF_BUDGET_MAX_NS,
    };
}

static void clear(struct cf_seen *seen)
{
    memset(seen, 0, sizeof *seen);
    seen->runs_ns = KP_NEVER;
    seen->exit_code = -1;
    for (int observation = 0; observation < CF_OBSERVATIONS; observation++)
        seen->at_ns[observation] = KP_NEVER;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        seen->first_probe_ns[type] = seen->last_ns[type] = KP_NEVER;
}

enum kp_err cf_simulation_play(struct cf_simulation *simulation, const struct cf_world *world,
                               struct cf_seen *seen)
{
    struct play play = {.impl = {.mem = &simulation->scratch.mem},
                        .simulation = simulation,
                        .world = world,
                        .seen = seen};
    const struct kp_pod *const pods[] = {simulation->pod};
    struct words words = {0};
    enum fake_end end;

    clear(seen);
    put_behaviour(simulation, world, &words);
    put_waits(simulation, &world->draws, &words);
    play.run = run_of(&play, &words, pods);
    play.run.script = simulation->script;
    play.run.script.answers = simulation->answers;
    play.run.script.behaviours = simulation->behaviours;
    put_answers(simulation, world, &words, &play.run.script);
    play.run.script.script_events = words.script_events;
    play.run.script.script_event_count = put_script_events(simulation, world, &words);
    simulation->plays++;
    scratch_reset(&simulation->scratch);
    simulation->scratch.mem = (struct kp_mem){scratch_alloc, scratch_free, &simulation->scratch};
    end = fake_world_run(&play.run, &simulation->scratch.mem);
    if (end == FAKE_END_DONE)
        return KP_OK;
    simulation->why = play.run.error && play.run.error[0]     ? play.run.error
                      : play.impl.error && play.impl.error[0] ? play.impl.error
                                                              : fake_end_name(end);
    return end == FAKE_END_NOMEM ? KP_ENOMEM : KP_EINPUT;
}

enum kp_err cf_simulation_init(struct cf_simulation *simulation, struct cf_arena *arena,
                               const struct kp_profile *profile, const struct kp_pod *pod)
{
    struct cf_sim_script made;
    size_t bytes;

    *simulation = (struct cf_simulation){.arena = arena, .profile = profile, .probed = *pod};
    simulation->probed.has_deadline = false;
    simulation->pod = &simulation->probed;
    if (cf_sim_script_make_plain(arena, profile, pod, &made) != KP_OK)
        return KP_ENOMEM;
    simulation->script = made.script;
    simulation->touched = simulation->probed;
    simulation->touched.object_hash = pod->object_hash + 1;
    bytes = made.script.answers_count * sizeof *simulation->answers;
    simulation->answers = cf_arena_array(arena, made.script.answers_count + KP_PROBE_TYPES,
                                         sizeof *simulation->answers);
    simulation->behaviours =
        cf_arena_array(arena, made.script.behaviour_count + 1, sizeof *simulation->behaviours);
    simulation->scratch.below = arena->mem;
    simulation->scratch.block = kp_mem_array(arena->mem, BLOCK_BYTES, 1);
    if (!simulation->answers || !simulation->behaviours || !simulation->scratch.block)
        return KP_ENOMEM;
    if (bytes > 0)
        memcpy(simulation->answers, made.script.answers, bytes);
    return KP_OK;
}
