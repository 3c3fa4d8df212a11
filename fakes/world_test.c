/* world_test.c: the world against an implementation that does what a list says. */
#include "fakes/alloc.h"
#include "fakes/unit.h"
#include "fakes/world.h"

#include <stdio.h>

/* What the scripted implementation does at an instant: one effect. */
struct act {
    int64_t at_s;
    enum kp_effect_kind kind;
    const char *cid;
    int number; /* n of a probe, attempt of a sandbox, grace of a kill, restart of a start */
};

/* It reports its acts when their time has come, and writes down the events that it gets. */
struct scripted {
    const struct act *acts;
    size_t count;
    size_t next;
    const struct kp_pod *pod;
    char events[1024];
    size_t used;
    bool livelocks;
    int turns;
    int requests; /* turns in which it was told something */
    int rounds_max;
};

static const char *event_name(enum kp_event_kind kind)
{
    return kind == KP_EVENT_ANSWER      ? "answer"
           : kind == KP_EVENT_RUNNING   ? "running"
           : kind == KP_EVENT_EXITED    ? "exited"
           : kind == KP_EVENT_STARTFAIL ? "startfail"
           : kind == KP_EVENT_KILLFAIL  ? "killfail"
           : kind == KP_EVENT_SANDBOX   ? "sandbox"
                                        : "other";
}

/* What an event says besides its kind and instance. */
static int event_number(const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        return (int)event->u.answer.result;
    case KP_EVENT_RUNNING:
        return (int)event->u.running.restarts;
    case KP_EVENT_EXITED:
        return event->u.exit_code;
    default:
        return 0;
    }
}

static void log_event(struct scripted *impl, int64_t now_ns, const struct kp_event *event)
{
    int wrote = snprintf(impl->events + impl->used, sizeof impl->events - impl->used,
                         "%g %s%s%.*s %d\n", (double)now_ns / 1e9, event_name(event->kind),
                         event->cid.len > 0 ? " " : "", (int)event->cid.len,
                         event->cid.len > 0 ? event->cid.bytes : "", event_number(event));

    if (wrote > 0)
        impl->used += (size_t)wrote;
}

static struct kp_effect effect_of(const struct scripted *impl, const struct act *act)
{
    struct kp_effect effect = {.kind = act->kind, .spec = impl->pod};

    effect.container = act->kind == KP_EFFECT_SANDBOX ? -1 : 0;
    effect.cid = act->cid ? kp_text_of(act->cid) : KP_TEXT_NONE;
    if (act->kind == KP_EFFECT_PROBE) {
        effect.u.probe.n = (uint32_t)act->number;
        effect.u.probe.attempt = 1;
    } else if (act->kind == KP_EFFECT_KILL) {
        effect.u.kill.grace_s = act->number;
    } else if (act->kind == KP_EFFECT_START) {
        effect.u.restart = act->number;
    } else if (act->kind == KP_EFFECT_SANDBOX) {
        effect.u.sandbox.what = KP_SANDBOX_STOP;
    }
    return effect;
}

static bool take_turn(struct scripted *impl, int64_t to_ns, struct kp_sink sink, int64_t *at_ns)
{
    int64_t when_ns = to_ns;

    *at_ns = to_ns;
    if (impl->livelocks) {
        struct kp_effect effect = {.kind = KP_EFFECT_APIDELETE, .container = -1, .spec = impl->pod};

        sink.effect(sink.ctx, &effect);
        *at_ns = 0;
        return true;
    }
    if (impl->next == impl->count || impl->acts[impl->next].at_s * KP_NS_PER_S > to_ns)
        return true;
    when_ns = impl->acts[impl->next].at_s * KP_NS_PER_S;
    while (impl->next < impl->count && impl->acts[impl->next].at_s * KP_NS_PER_S == when_ns) {
        struct kp_effect effect = effect_of(impl, &impl->acts[impl->next++]);

        sink.effect(sink.ctx, &effect);
    }
    *at_ns = when_ns;
    return true;
}

static int64_t scripted_now_ns;

static bool scripted_open(void *ctx, const struct fake_open *open, struct kp_sink sink,
                          int64_t *at_ns)
{
    struct scripted *impl = ctx;

    impl->pod = open->pods[0];
    scripted_now_ns = 0;
    return take_turn(impl, 0, sink, at_ns);
}

static bool scripted_advance(void *ctx, int64_t to_ns, const struct kp_event *events, size_t count,
                             struct kp_sink sink, int64_t *at_ns)
{
    struct scripted *impl = ctx;
    bool done;

    for (size_t i = 0; i < count; i++)
        log_event(impl, scripted_now_ns, &events[i]);
    done = take_turn(impl, to_ns, sink, at_ns);
    impl->turns++;
    impl->requests += count > 0;
    scripted_now_ns = *at_ns;
    return done;
}

static void scripted_close(void *ctx)
{
    (void)ctx;
}

static void no_effect(void *ctx, const struct kp_effect *effect)
{
    (void)ctx;
    (void)effect;
}

static void no_instant(void *ctx, int64_t at_ns)
{
    (void)ctx;
    (void)at_ns;
}

static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod pod = {.name = {"p", 1}, .containers = &web, .regular_count = 1};
static const struct kp_pod *pods[] = {&pod};

static const struct kp_profile *profile; /* as on a node */

static enum fake_end play(struct scripted *impl, const struct fake_script *script, int64_t end_s,
                          const struct kp_mem *mem)
{
    struct fake_run run = {.impl = {impl, scripted_open, scripted_advance, scripted_close},
                           .open = {.pods = pods, .pod_count = 1, .profile = profile},
                           .script = *script,
                           .observer = {no_effect, no_instant, NULL, NULL},
                           .end_ns = end_s * KP_NS_PER_S,
                           .rounds_max = impl->rounds_max};

    return fake_world_run(&run, mem);
}

static struct scripted impl;

/* Play the acts in the script's world: what the implementation was told. */
static const char *events_of(const struct act *acts, size_t count, const struct fake_script *script)
{
    struct kp_mem mem = fake_alloc_plain();

    impl = (struct scripted){.acts = acts, .count = count};
    CHECK_INT(play(&impl, script, 100, &mem), FAKE_END_DONE);
    return impl.events;
}

#define EVENTS(acts, script) events_of(acts, sizeof(acts) / sizeof *(acts), script)

/* ---- the tests --------------------------------------------------------------------------------
 */

static void a_start_is_acknowledged_in_the_same_instant(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0}};
    static const struct fake_script script = {0};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n");
}

static void a_container_exits_by_itself_after_its_time(void)
{
    static const struct act acts[] = {{3, KP_EFFECT_START, NULL, 7}};
    static const struct fake_exit exits[] = {{.code = 2, .after_ns = 5 * KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .exits = exits, .exit_count = 1, .pull_ns = KP_NS_PER_S}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "4 running web-1 7\n9 exited web-1 2\n");
}

static void one_that_exits_at_once_exits_in_the_request_that_says_it_runs(void)
{
    static const struct act acts[] = {{3, KP_EFFECT_START, NULL, 0}};
    static const struct fake_exit exits[] = {{.code = 1}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .exits = exits, .exit_count = 1}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "3 running web-1 0\n3 exited web-1 1\n");
}

static void a_stop_takes_its_time_or_the_grace(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_KILL, "web-1", 30},
                                      {40, KP_EFFECT_START, NULL, 1},
                                      {50, KP_EFFECT_KILL, "web-2", 3}};
    static const struct fake_stop stops[] = {{.code = 143, .takes_ns = 5 * KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .stops = stops, .stop_count = 1}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n15 exited web-1 143\n"
                                        "40 running web-2 1\n53 exited web-2 137\n");
}

static void a_stop_is_heeded_at_the_end_of_a_pause(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_KILL, "web-1", 30},
                                      {40, KP_EFFECT_START, NULL, 1},
                                      {50, KP_EFFECT_KILL, "web-2", 30}};
    static const struct fake_stop stops[] = {
        {.code = 143, .takes_ns = 2 * KP_NS_PER_S, .stop_heeded_ns = 20 * KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .stops = stops, .stop_count = 1}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n22 exited web-1 143\n"
                                        "40 running web-2 1\n52 exited web-2 143\n");
}

static void one_that_could_not_be_started_is_killed_like_another(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_KILL, "web-1", 30}};
    static const struct fake_done starts[] = {
        {.fails = true, .reason = {"RunContainerError", 17}, .message = {"boom", 4}}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .starts = starts, .start_count = 1}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 startfail web-1 0\n10 exited web-1 143\n");
}

static void a_dead_instance_is_killed_without_an_event(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_KILL, "web-1", 30},
                                      {20, KP_EFFECT_KILL, "web-1", 30},
                                      {30, KP_EFFECT_START, NULL, 1},
                                      {40, KP_EFFECT_KILL, "web-2", 30}};
    static const struct fake_stop stops[] = {{.code = 143}, {.code = 1}, {.code = 2}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .stops = stops, .stop_count = 3}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n10 exited web-1 143\n"
                                        "30 running web-2 1\n40 exited web-2 1\n");
}

static void a_start_that_fails_has_pulled_before(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_START, NULL, 0}};
    static const struct fake_done starts[] = {
        {.fails = true, .reason = {"CreateContainerError", 20}, .takes_ns = KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .starts = starts, .start_count = 1, .pull_ns = 3 * KP_NS_PER_S}};
    static const struct fake_script script = {.behaviours = web_does, .behaviour_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "4 startfail 0\n11 startfail 0\n");
}

static void a_sandbox_takes_what_runs_with_it(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_SANDBOX, NULL, 0}};
    static const struct fake_script script = {0};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n10 exited web-1 137\n10 sandbox 0\n");
}

static void answers_come_in_order_and_by_age(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_PROBE, "web-1", 1},
                                      {20, KP_EFFECT_PROBE, "web-1", 2},
                                      {30, KP_EFFECT_PROBE, "web-1", 3}};
    static const struct fake_step steps[] = {
        {{KP_ANSWER_SUCCESS}, 1, .until = FAKE_UNTIL_AGE, .bound = 20 * KP_NS_PER_S},
        {{KP_ANSWER_FAILURE}, 1, .takes_ns = 2 * KP_NS_PER_S, .until = FAKE_TIMES, .bound = 1},
        {.attempts = {KP_ANSWER_ERROR}, .attempt_count = 1}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 3}};
    static const struct fake_script script = {.answers = answers, .answers_count = 1};

    CHECK_STRING(EVENTS(acts, &script),
                 "0 running web-1 0\n10 answer 0\n22 answer 1\n30 answer 4\n");
}

static void a_new_instance_is_answered_from_the_beginning(void)
{
    static const struct act acts[] = {
        {0, KP_EFFECT_START, NULL, 0},    {1, KP_EFFECT_PROBE, "web-1", 1},
        {2, KP_EFFECT_PROBE, "web-1", 2}, {3, KP_EFFECT_PROBE, "web-1", 3},
        {4, KP_EFFECT_PROBE, "web-1", 4}, {5, KP_EFFECT_START, NULL, 1},
        {6, KP_EFFECT_PROBE, "web-2", 5}, {7, KP_EFFECT_PROBE, "web-2", 6},
        {8, KP_EFFECT_PROBE, "web-2", 7}};
    static const struct fake_step steps[] = {
        {{KP_ANSWER_FAILURE}, 1, .until = FAKE_TIMES, .bound = 2},
        {{KP_ANSWER_SUCCESS}, 1, .until = FAKE_UNTIL_AGE, .bound = 30 * KP_NS_PER_S},
        {.attempts = {KP_ANSWER_ERROR}, .attempt_count = 1}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 3}};
    static const struct fake_script script = {.answers = answers, .answers_count = 1};

    CHECK_STRING(EVENTS(acts, &script),
                 "0 running web-1 0\n1 answer 1\n2 answer 1\n3 answer 0\n4 answer 0\n"
                 "5 running web-2 1\n6 answer 1\n7 answer 1\n8 answer 0\n");
}

/* It ends with the instance that is bound, or at its time. */
static void what_lasts_until_a_replacement_ends_at_its_time(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {19, KP_EFFECT_PROBE, "web-1", 1},
                                      {20, KP_EFFECT_PROBE, "web-1", 2}};
    static const struct fake_step steps[] = {{{KP_ANSWER_FAILURE},
                                              1,
                                              .until = FAKE_UNTIL_REPLACED,
                                              .bound = 1,
                                              .until_ns = 20 * KP_NS_PER_S},
                                             {.attempts = {KP_ANSWER_SUCCESS}, .attempt_count = 1}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 2}};
    static const struct fake_script script = {.answers = answers, .answers_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n19 answer 1\n20 answer 0\n");
}

/* What is asked of a container that was killed at 10 s and runs again from 12 s on; it refuses for
 * 5 s. */
static const char *asked_when_dead(const struct kp_probe *probe, bool as_on_node)
{
    static const struct act acts[] = {
        {0, KP_EFFECT_START, NULL, 0},     {7, KP_EFFECT_PROBE, "web-1", 1},
        {9, KP_EFFECT_PROBE, "web-1", 2},  {10, KP_EFFECT_KILL, "web-1", 30},
        {11, KP_EFFECT_PROBE, "web-1", 3}, {12, KP_EFFECT_START, NULL, 1},
        {13, KP_EFFECT_PROBE, "web-1", 4}, {20, KP_EFFECT_PROBE, "web-1", 5}};
    static const struct fake_step steps[] = {
        {{KP_ANSWER_FAILURE}, 1, .until = FAKE_UNTIL_AGE, .bound = 5 * KP_NS_PER_S},
        {{KP_ANSWER_SUCCESS}, 1, .takes_ns = 3 * KP_NS_PER_S / 2}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 2}};
    const struct fake_script script = {
        .answers = answers, .answers_count = 1, .as_on_node = as_on_node};
    struct kp_profile newest = unit_profile("1.36");
    struct kp_container probed = {
        .name = {"web", 3}, .kind = KP_REGULAR, .probes = {[KP_LIVENESS] = probe}};
    const struct kp_pod of = {.name = {"p", 1}, .containers = &probed, .regular_count = 1};
    const char *events;

    pods[0] = &of;
    profile = &newest;
    events = EVENTS(acts, &script);
    pods[0] = &pod;
    profile = NULL;
    return events;
}

static void on_a_node_the_dead_do_not_answer(void)
{
    static const struct kp_tcp_socket_action tcp = {.port = {.number = 80}};
    static const struct kp_exec_action exec = {0};
    const struct kp_probe over_tcp = {.handler.tcp_socket = &tcp, .timeout_s = 5};
    const struct kp_probe over_exec = {.handler.exec = &exec, .timeout_s = 5};

    CHECK_STRING(asked_when_dead(&over_tcp, true),
                 "0 running web-1 0\n8.5 answer 0\n10 exited web-1 143\n10.5 answer 1\n"
                 "11 answer 1\n12 running web-2 1\n13 answer 1\n21.5 answer 0\n");
    CHECK_STRING(asked_when_dead(&over_exec, true),
                 "0 running web-1 0\n8.5 answer 0\n10 exited web-1 143\n10.5 answer 1\n"
                 "11 answer 4\n12 running web-2 1\n13 answer 4\n20 answer 4\n");
    CHECK_STRING(asked_when_dead(&over_tcp, false),
                 "0 running web-1 0\n8.5 answer 0\n10 exited web-1 143\n10.5 answer 0\n"
                 "12 running web-2 1\n12.5 answer 0\n14.5 answer 0\n21.5 answer 0\n");
}

static void a_step_that_replaces_counts_the_restart(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_PROBE, "web-1", 7}};
    static const struct fake_step steps[] = {{{KP_ANSWER_FAILURE}, 1, .replaces = true}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 1}};
    static const struct fake_script script = {.answers = answers, .answers_count = 1};

    CHECK_STRING(EVENTS(acts, &script), "0 running web-1 0\n10 answer 1\n11 running web-2 1\n");
}

/* What was asked for is a request before what happens by itself, and that before the script's. */
static void answers_are_told_before_what_happens(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {5, KP_EFFECT_PROBE, "web-1", 1}};
    static const struct fake_step steps[] = {{{KP_ANSWER_FAILURE}, 1, .takes_ns = 5 * KP_NS_PER_S}};
    static const struct fake_answers answers[] = {
        {.call = FAKE_CALL_LIVENESS, .steps = steps, .step_count = 1}};
    static const struct fake_exit exits[] = {{.code = 2, .after_ns = 10 * KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .exits = exits, .exit_count = 1}};
    static const struct fake_script_event script_events[] = {
        {.at_ns = 10 * KP_NS_PER_S, .event = {.kind = KP_EVENT_SYNC}}};
    static const struct fake_script script = {.answers = answers,
                                              .answers_count = 1,
                                              .behaviours = web_does,
                                              .behaviour_count = 1,
                                              .script_events = script_events,
                                              .script_event_count = 1};

    CHECK_STRING(EVENTS(acts, &script),
                 "0 running web-1 0\n10 answer 1\n10 exited web-1 2\n10 other 0\n");
    CHECK_INT(impl.requests, 3);
}

static void script_events_of_an_instant_are_one_request(void)
{
    static const struct fake_script_event script_events[] = {
        {.at_ns = 5 * KP_NS_PER_S, .event = {.kind = KP_EVENT_RUNNING}},
        {.at_ns = 5 * KP_NS_PER_S, .event = {.kind = KP_EVENT_EXITED, .u.exit_code = 3}},
        {.at_ns = 6 * KP_NS_PER_S, .event = {.kind = KP_EVENT_RUNNING}}};
    static const struct fake_script script = {.script_events = script_events,
                                              .script_event_count = 3};

    CHECK_STRING(events_of(NULL, 0, &script),
                 "5 running web-1 0\n5 exited web-1 3\n6 running web-2 1\n");
    CHECK_INT(impl.requests, 2);
}

static void without_a_runtime_every_request_fails(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_KILL, "web-1", 30},
                                      {11, KP_EFFECT_SANDBOX, NULL, 0},
                                      {12, KP_EFFECT_START, NULL, 0}};
    static const struct fake_script_event script_events[] = {
        {.at_ns = 5 * KP_NS_PER_S, .event = {.kind = KP_EVENT_RUNTIME_DOWN, .container = -1}}};
    static const struct fake_stop stops[] = {{.code = 143, .takes_ns = 5 * KP_NS_PER_S}};
    static const struct fake_behaviour web_does[] = {
        {.container = {"web", 3}, .stops = stops, .stop_count = 1}};
    static const struct fake_done slow[] = {{.takes_ns = 3 * KP_NS_PER_S}};
    static const struct fake_sandboxes sandboxes[] = {{.stops = slow, .stop_count = 1}};
    static const struct fake_script script = {.script_events = script_events,
                                              .script_event_count = 1,
                                              .behaviours = web_does,
                                              .behaviour_count = 1,
                                              .sandboxes = sandboxes,
                                              .sandboxes_count = 1};

    CHECK_STRING(EVENTS(acts, &script),
                 "0 running web-1 0\n5 other 0\n10 killfail web-1 0\n11 sandbox 0\n"
                 "12 startfail 0\n");
}

static void nonsense_ends_the_run(void)
{
    static const struct act acts[] = {{10, KP_EFFECT_KILL, "web-9", 30}};
    static const struct fake_script script = {0};
    struct scripted wrong = {.acts = acts, .count = 1};
    struct scripted restless = {.livelocks = true};
    struct kp_mem mem = fake_alloc_plain();

    CHECK_INT(play(&wrong, &script, 100, &mem), FAKE_END_PROTOCOL);
    CHECK_INT(play(&restless, &script, 100, &mem), FAKE_END_LIVELOCK);
    CHECK_INT(restless.turns, 10000);
    restless = (struct scripted){.livelocks = true, .rounds_max = 5};
    CHECK_INT(play(&restless, &script, 100, &mem), FAKE_END_LIVELOCK);
    CHECK_INT(restless.turns, 5);
}

static void nothing_is_lost_whichever_allocation_fails(void)
{
    static const struct act acts[] = {{0, KP_EFFECT_START, NULL, 0},
                                      {10, KP_EFFECT_PROBE, "web-1", 1},
                                      {20, KP_EFFECT_KILL, "web-1", 30}};
    static const struct fake_script script = {0};
    enum fake_end end = FAKE_END_NOMEM;

    for (int64_t n = 0; end == FAKE_END_NOMEM; n++) {
        struct scripted any = {.acts = acts, .count = 3};
        struct fake_alloc state = {.fail_at = n};
        struct kp_mem mem = fake_alloc_mem(&state);

        end = play(&any, &script, 100, &mem);
        CHECK_INT(state.live, 0);
        if (!CHECK(n < 1000))
            return;
    }
    CHECK_INT(end, FAKE_END_DONE);
}

const struct unit_test world_test[] = {
    {"a start is acknowledged in the same instant", a_start_is_acknowledged_in_the_same_instant},
    {"a container exits by itself after its time", a_container_exits_by_itself_after_its_time},
    {"one that exits at once exits in the request that says it runs",
     one_that_exits_at_once_exits_in_the_request_that_says_it_runs},
    {"a stop takes its time or the grace", a_stop_takes_its_time_or_the_grace},
    {"a stop is heeded at the end of a pause", a_stop_is_heeded_at_the_end_of_a_pause},
    {"one that could not be started is killed like another",
     one_that_could_not_be_started_is_killed_like_another},
    {"a dead instance is killed without an event", a_dead_instance_is_killed_without_an_event},
    {"a start that fails has pulled before", a_start_that_fails_has_pulled_before},
    {"a sandbox takes what runs with it", a_sandbox_takes_what_runs_with_it},
    {"answers come in order and by age", answers_come_in_order_and_by_age},
    {"a new instance is answered from the beginning",
     a_new_instance_is_answered_from_the_beginning},
    {"what lasts until a replacement ends at its time",
     what_lasts_until_a_replacement_ends_at_its_time},
    {"on a node the dead do not answer", on_a_node_the_dead_do_not_answer},
    {"a step that replaces counts the restart", a_step_that_replaces_counts_the_restart},
    {"answers are told before what happens", answers_are_told_before_what_happens},
    {"script_events of an instant are one request", script_events_of_an_instant_are_one_request},
    {"without a runtime every request fails", without_a_runtime_every_request_fails},
    {"nonsense ends the run", nonsense_ends_the_run},
    {"nothing is lost whichever allocation fails", nothing_is_lost_whichever_allocation_fails},
    {0},
};
