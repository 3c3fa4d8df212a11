/* why_loop_test.c: histories that the engine plays, of containers that end again and again in one
 * way, read at each change of their status: each wait and each count agrees. */
#include "conformance/pod/pod_tree.h"
#include "conformance/simulate/sim_script.h"
#include "conformance/text/out.h"
#include "conformance/why/why_restarts.h"
#include "fakes/engine_impl.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S KP_NS_PER_S
#define MS KP_NS_PER_MS
#define BEGAN_NS (INT64_C(1704067200) * S) /* 2024-01-01, where virtual time begins */

enum { EVENTS_MAX = 400, STATES_MAX = 60, LINE = 300, RESTARTS_MAX = 14 };

enum way { EXITS, LIVENESS_FAILS, LIVENESS_HANGS, STARTUP_FAILS, WAYS };

/* What is drawn. */
struct drawn {
    enum way way;
    int minor;
    bool sidecar;
    bool on_failure;
    int period_s;
    int timeout_s;
    int threshold;
    int delay_s;
    int grace_s;
    int probe_grace_s; /* 0: the pod's */
    int hook_s;
    int32_t code;    /* of the end */
    int64_t age_ns;  /* of an exit; of a liveness probe's first failure */
    int64_t stop_ns; /* from SIGTERM to the end */
    bool ignores_term;
    int64_t start_ns;
    int64_t relist_ns;
    int64_t wall_ns;
    bool late;
};

struct recorded_event {
    int64_t at_ns;
    char text[LINE]; /* an Event's reason, a bar, its message */
};

struct seen_state {
    int64_t at_ns;
    struct kp_state state;
    struct kp_state last;
    char reason[40];
    char message[LINE];
    int64_t restarts;
};

/* What a play shows of one container. */
struct record {
    int container;
    struct recorded_event events[EVENTS_MAX];
    size_t event_count;
    struct seen_state states[STATES_MAX];
    size_t state_count;
    struct fake_run *run;
};

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int upto(uint64_t *state, int most)
{
    return (int)(next(state) % (uint64_t)(most + 1));
}

static struct drawn draw(uint64_t *state)
{
    struct drawn drawn = {
        .way = (enum way)upto(state, WAYS - 1),
        .minor = 18 + upto(state, KP_MINOR_MAX - 18),
        .on_failure = upto(state, 3) == 0,
        .period_s = 1 + upto(state, 14),
        .timeout_s = 1 + upto(state, 5),
        .threshold = 1 + upto(state, 5),
        .delay_s = upto(state, 1) * upto(state, 30),
        .grace_s = 2 + upto(state, 40),
        .probe_grace_s = upto(state, 2) == 0 ? 2 + upto(state, 20) : 0,
        .hook_s = upto(state, 2) == 0 ? 1 + upto(state, 5) : 0,
        .age_ns = upto(state, 1) * upto(state, 400000) * MS,
        .ignores_term = upto(state, 2) == 0,
        .start_ns = upto(state, 2000) * MS,
        .relist_ns = upto(state, 999) * MS,
        .wall_ns = upto(state, 999) * MS,
        .late = upto(state, 1),
    };

    drawn.sidecar = drawn.minor >= 29 && upto(state, 3) == 0;
    drawn.on_failure &= !drawn.sidecar;
    drawn.code = drawn.way == EXITS ? 1 + upto(state, 2) * 69 : drawn.ignores_term ? 137 : 143;
    drawn.stop_ns = upto(state, 1) * upto(state, 1500) * MS;
    if (drawn.minor < 25)
        drawn.probe_grace_s = 0;
    return drawn;
}

/* ---- the pod --------------------------------------------------------------------------------- */

static void put_probe(struct cf_out *out, const char *name, const struct drawn *drawn)
{
    cf_out_printf(out,
                  ",\"%s\":{\"httpGet\":{\"path\":\"/h\",\"port\":80},\"periodSeconds\":%d,"
                  "\"timeoutSeconds\":%d,\"failureThreshold\":%d,\"initialDelaySeconds\":%d",
                  name, drawn->period_s, drawn->timeout_s, drawn->threshold, drawn->delay_s);
    if (drawn->probe_grace_s > 0)
        cf_out_printf(out, ",\"terminationGracePeriodSeconds\":%d", drawn->probe_grace_s);
    cf_out_put_char(out, '}');
}

static void put_spec(struct cf_out *out, const struct drawn *drawn)
{
    static const char plain[] = "{\"name\":\"other\",\"image\":\"i:1\"}";

    cf_out_put_string(out, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\","
                           "\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":{");
    if (drawn->on_failure)
        cf_out_put_string(out, "\"restartPolicy\":\"OnFailure\",");
    cf_out_printf(out,
                  "\"terminationGracePeriodSeconds\":%d,\"%s\":[{\"name\":\"c\","
                  "\"image\":\"i:1\",\"imagePullPolicy\":\"IfNotPresent\"",
                  drawn->grace_s, drawn->sidecar ? "initContainers" : "containers");
    if (drawn->sidecar)
        cf_out_put_string(out, ",\"restartPolicy\":\"Always\"");
    if (drawn->way == STARTUP_FAILS)
        put_probe(out, "startupProbe", drawn);
    else
        put_probe(out, "livenessProbe", drawn);
    if (drawn->hook_s > 0)
        cf_out_printf(out,
                      ",\"lifecycle\":{\"preStop\":{\"exec\":{\"command\":[\"sleep\",\"%d\"]}}}",
                      drawn->hook_s);
    cf_out_put_string(out, "}]");
    if (drawn->sidecar)
        cf_out_printf(out, ",\"containers\":[%s]", plain);
    cf_out_put_char(out, '}');
}

/* ---- the play -------------------------------------------------------------------------------- */

static void copy_message(char *bytes, size_t size, struct kp_text text)
{
    snprintf(bytes, size, "%.*s", KP_ARG(text));
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct record *record = ctx;

    if (effect->container != record->container)
        return;
    if (effect->kind == KP_EFFECT_EVENT && record->event_count < EVENTS_MAX) {
        struct recorded_event *event = &record->events[record->event_count++];
        struct kp_buf buf = {event->text, sizeof event->text - 1, 0};

        kp_buf_put(&buf, effect->u.event.reason);
        kp_buf_put_char(&buf, '|');
        kp_message_put(&buf, &effect->u.event.message);
        event->text[kp_buf_text(&buf).len] = '\0';
        event->at_ns = KP_NEVER;
    }
    if (effect->kind == KP_EFFECT_STATE && record->state_count < STATES_MAX) {
        struct seen_state *seen = &record->states[record->state_count++];

        *seen = (struct seen_state){.at_ns = KP_NEVER,
                                    .state = *effect->u.state.state,
                                    .restarts = effect->u.state.restarts};
        if (effect->u.state.last)
            seen->last = *effect->u.state.last;
        copy_message(seen->reason, sizeof seen->reason, effect->u.state.state->reason);
        copy_message(seen->message, sizeof seen->message, effect->u.state.state->message);
    }
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct record *record = ctx;

    for (size_t i = record->event_count; i > 0 && record->events[i - 1].at_ns == KP_NEVER; i--)
        record->events[i - 1].at_ns = at_ns;
    for (size_t i = record->state_count; i > 0 && record->states[i - 1].at_ns == KP_NEVER; i--)
        record->states[i - 1].at_ns = at_ns;
    if (record->state_count > 0 && record->states[record->state_count - 1].restarts >= RESTARTS_MAX)
        record->run->end_ns = at_ns;
}

static void play(struct cf_arena *arena, const struct kp_profile *profile, const struct kp_pod *pod,
                 const struct drawn *drawn, struct record *record)
{
    const struct kp_pod *const pods[] = {pod};
    struct fake_step steps[2] = {
        {.attempt_count = 1, .until = FAKE_UNTIL_AGE, .bound = drawn->age_ns},
        {.attempts = {KP_ANSWER_FAILURE},
         .attempt_count = drawn->way == LIVENESS_HANGS ? 0 : 1,
         .output = KP_TEXT("connection refused")}};
    struct fake_done start = {.takes_ns = drawn->start_ns};
    struct fake_exit exit = {
        .never = drawn->way != EXITS, .code = drawn->code, .after_ns = drawn->age_ns};
    struct fake_stop stop = {.kind = drawn->ignores_term ? FAKE_STOP_IGNORES : FAKE_STOP_EXITS,
                             .code = 143,
                             .takes_ns = drawn->stop_ns};
    struct fake_engine_impl impl = {.mem = arena->mem};
    struct fake_answers answers[8];
    struct fake_behaviour behaviours[4];
    struct fake_run run = {.impl = fake_engine_impl_interface(&impl),
                           .open = {.layer = FAKE_LAYER_POD,
                                    .profile = profile,
                                    .pods = pods,
                                    .pod_count = 1,
                                    .uptime_ns = (S - drawn->relist_ns) % S,
                                    .wall_ns = drawn->wall_ns,
                                    .sync_frequency_ns = 60 * S,
                                    .requeue_ppb = drawn->late ? 999999999 : 0,
                                    .jitter = FAKE_JITTER_FREE,
                                    .seed = (uint64_t)drawn->relist_ns},
                           .observer = {on_effect, on_instant, NULL, record},
                           .end_ns = INT64_C(10000) * S};
    struct cf_sim_script made;

    CHECK_INT(cf_sim_script_make_plain(arena, profile, pod, &made), KP_OK);
    memcpy(answers, made.script.answers, made.script.answers_count * sizeof answers[0]);
    memcpy(behaviours, made.script.behaviours, made.script.behaviour_count * sizeof behaviours[0]);
    answers[made.script.answers_count++] = (struct fake_answers){
        .container = pod->containers[0].name,
        .call = drawn->way == STARTUP_FAILS ? FAKE_CALL_STARTUP : FAKE_CALL_LIVENESS,
        .steps = drawn->way == EXITS           ? steps
                 : drawn->way == STARTUP_FAILS ? steps + 1
                                               : steps,
        .step_count = drawn->way == EXITS || drawn->way == STARTUP_FAILS ? 1 : 2};
    if (drawn->way == EXITS)
        steps[0].until = FAKE_FOREVER;
    behaviours[0].starts = &start;
    behaviours[0].exits = &exit;
    behaviours[0].stops = &stop;
    behaviours[0].start_count = behaviours[0].exit_count = behaviours[0].stop_count = 1;
    run.script = made.script;
    run.script.answers = answers;
    run.script.behaviours = behaviours;
    record->run = &run;
    CHECK_INT(fake_world_run(&run, arena->mem), FAKE_END_DONE);
}

/* ---- its history ----------------------------------------------------------------------------- */

static struct kp_text wall_text(struct cf_arena *arena, int64_t wall_ns)
{
    struct cf_time time = {.seconds = wall_ns / S};

    return cf_time_format(arena, &time);
}

static void put_state(struct cf_arena *arena, struct cf_out *out, const char *name,
                      const struct kp_state *state, const struct seen_state *seen)
{
    cf_out_printf(out, "\"%s\":{", name);
    if (state->kind == KP_STATE_WAITING)
        cf_out_printf(out, "\"waiting\":{\"reason\":\"%s\",\"message\":\"%s\"}", seen->reason,
                      seen->message);
    if (state->kind == KP_STATE_RUNNING)
        cf_out_printf(out, "\"running\":{\"startedAt\":\"%s\"}",
                      wall_text(arena, state->started_at_ns).bytes);
    if (state->kind == KP_STATE_TERMINATED)
        cf_out_printf(out,
                      "\"terminated\":{\"exitCode\":%d,\"reason\":\"Error\",\"startedAt\":\"%s\","
                      "\"finishedAt\":\"%s\"}",
                      (int)state->exit_code, wall_text(arena, state->started_at_ns).bytes,
                      wall_text(arena, state->finished_at_ns).bytes);
    cf_out_put_char(out, '}');
}

/* Those of one reason and message are one, as the API counts them. */
static void put_events(struct cf_arena *arena, struct cf_out *out, const struct drawn *drawn,
                       const struct record *record, int64_t until_ns)
{
    for (size_t i = 0; i < record->event_count && record->events[i].at_ns <= until_ns; i++) {
        const struct recorded_event *event = &record->events[i];
        const char *bar = strchr(event->text, '|');
        int count = 0;
        bool is_last = true;

        for (size_t k = 0; k < record->event_count && record->events[k].at_ns <= until_ns; k++)
            if (strcmp(record->events[k].text, event->text) == 0) {
                count++;
                is_last &= k <= i;
            }
        if (!is_last)
            continue;
        cf_out_printf(out,
                      "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"involvedObject\":{\"kind\":"
                      "\"Pod\",\"name\":\"p\",\"namespace\":\"n\",\"fieldPath\":\"spec.containers{"
                      "c}\"},\"reason\":\"%.*s\",\"count\":%d,\"lastTimestamp\":\"%s\"",
                      (int)(bar - event->text), event->text, count,
                      wall_text(arena, BEGAN_NS + drawn->wall_ns + event->at_ns).bytes);
        cf_json_text(out, "message", kp_text_of(bar + 1));
        cf_out_put_string(out, "}\n");
    }
}

static void put_history(struct cf_arena *arena, struct cf_out *out, const struct drawn *drawn,
                        const struct record *record, const struct seen_state *seen)
{
    put_spec(out, drawn);
    cf_out_printf(out,
                  ",\"status\":{\"phase\":\"Running\",\"startTime\":\"%s\",\"%s\":[{\"name\":\"c\","
                  "\"ready\":false,\"restartCount\":%d,\"image\":\"i:1\",\"imageID\":\"\",",
                  wall_text(arena, BEGAN_NS + drawn->wall_ns).bytes,
                  drawn->sidecar ? "initContainerStatuses" : "containerStatuses",
                  (int)seen->restarts);
    put_state(arena, out, "state", &seen->state, seen);
    cf_out_put_char(out, ',');
    put_state(arena, out, "lastState", &seen->last, seen);
    cf_out_put_string(out, "}]}}\n");
    put_events(arena, out, drawn, record, seen->at_ns);
}

static bool agrees(struct kp_text text)
{
    return text.len == 0 || kp_text_has(text, "agrees");
}

/* Whether a back-off is forgotten while it lasts is up to chance (S-245). */
static bool may_begin_anew(const struct drawn *drawn, struct kp_text wait)
{
    return drawn->way == EXITS && drawn->age_ns > 100 * S && kp_text_has(wait, "began anew");
}

/* Before 1.21 a failed startup probe syncs no pod: its kill comes with another sync (P-143). */
static bool differs_by_chance(const struct drawn *drawn)
{
    return drawn->way == STARTUP_FAILS && drawn->minor < 21;
}

/* One state of it, read and judged as the command does. */
static bool judge(const struct kp_profile *profile, const struct drawn *drawn,
                  const struct record *record, const struct seen_state *seen,
                  const struct cf_kill_age *kills, size_t *judged)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_histories all = {0};
    struct cf_why why = {.all = &all};
    struct cf_out out = {0};
    struct cf_fault fault;
    struct kp_text wait;
    struct kp_text count;
    bool good;

    put_history(&arena, &out, drawn, record, seen);
    CHECK_INT(cf_history_read(&arena, profile, cf_out_text(&out), &all, &fault), KP_OK);
    CHECK_INT(cf_history_join(&arena, &all), KP_OK);
    why.history = &all.list[0];
    why.verdict = cf_judge(why.history, 0, *kills);
    if (why.verdict.end)
        CHECK_INT(cf_why_loop(&arena, profile, &why.history->fresh, 0, &why.verdict,
                              (size_t)seen->restarts + 1, &why.loop),
                  KP_OK);
    wait = cf_why_of_restarts(&arena, &why);
    count = cf_why_of_count(&arena, &why);
    *judged += wait.len > 0;
    good = CHECK((agrees(wait) || may_begin_anew(drawn, wait)) &&
                 (agrees(count) || differs_by_chance(drawn)));
    if (!good)
        printf("  1.%d, %s: %.*s; %.*s\n%.*s\n", drawn->minor, cf_cause_row(why.verdict.cause)->id,
               KP_ARG(wait), KP_ARG(count), KP_ARG(cf_out_text(&out)));
    cf_out_deinit(&out);
    cf_arena_deinit(&arena);
    return good;
}

static struct cf_history *read_pod(struct cf_arena *arena, const struct kp_profile *profile,
                                   const struct drawn *drawn, struct cf_histories *all)
{
    struct cf_out out = {0};
    struct cf_fault fault = {0};

    put_spec(&out, drawn);
    cf_out_put_char(&out, '}');
    if (!CHECK_INT(
            cf_history_read(arena, profile, cf_arena_text(arena, cf_out_text(&out)), all, &fault),
            KP_OK))
        printf("%.*s\n", KP_ARG(fault.message));
    cf_out_deinit(&out);
    return &all->list[0];
}

static size_t play_one(uint64_t *state)
{
    static struct record record;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_histories all = {0};
    struct drawn drawn = draw(state);
    struct kp_profile profile;
    struct cf_history *history;
    struct cf_kill_age kills;
    char version[8];
    size_t judged = 0;

    snprintf(version, sizeof version, "1.%d", drawn.minor);
    CHECK_INT(kp_profile_init(&profile, kp_text_of(version)), KP_OK);
    history = read_pod(&arena, &profile, &drawn, &all);
    CHECK_TEXT(history->refused, KP_TEXT_NONE);
    record = (struct record){.container = 0};
    play(&arena, &profile, &history->fresh, &drawn, &record);
    CHECK_INT(cf_why_kill_age(&arena, &profile, &history->fresh, 0, &kills), KP_OK);
    for (size_t i = 0; i < record.state_count; i++)
        if (!judge(&profile, &drawn, &record, &record.states[i], &kills, &judged))
            break;
    cf_arena_deinit(&arena);
    return judged;
}

static void what_is_played_agrees(void)
{
    uint64_t state = 88172645463325252u;
    int plays = getenv("UNDER_VALGRIND") ? 5 : 120;
    size_t judged = 0;

    for (int i = 0; i < plays; i++)
        judged += play_one(&state);
    CHECK(judged > (size_t)plays * 10);
}

/* Housekeeping drops a back-off 600 s after the last start (S-245): of one that ran 350 s, 250 s
 * after its end, though 300 s are to be waited; up to 2 s are times in whole seconds. */
static void a_back_off_may_be_forgotten_while_it_lasts(void)
{
    static const struct {
        int64_t ran_s;
        int64_t waited_s;
        const char *says;
    } rows[] = {
        {350, 248, "4m8s after end 7; expected 4m8s to 7m45s: agrees"},
        {350, 247, "4m7s after end 7; expected 4m8s to 7m45s: too soon"},
        {250, 298, "4m58s after end 7; expected 4m58s to 7m45s: agrees"},
        {250, 297, "4m57s after end 7; expected 4m58s to 7m45s: too soon"},
    };
    struct drawn drawn = {
        .minor = 36, .period_s = 10, .threshold = 3, .timeout_s = 1, .grace_s = 30};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_histories all = {0};
        struct cf_history *history = read_pod(&arena, &profile, &drawn, &all);
        int64_t end_ns = BEGAN_NS + 5000 * S;
        struct kp_container_status status = {
            .restart_count = 7,
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = end_ns + rows[i].waited_s * S},
            .last_state = {.kind = KP_STATE_TERMINATED,
                           .started_at_ns = end_ns - rows[i].ran_s * S,
                           .finished_at_ns = end_ns}};
        struct cf_why why = {.history = history,
                             .verdict = {.cause = CF_CAUSE_EXITED,
                                         .status = &status,
                                         .end = &status.last_state,
                                         .ran_ns = rows[i].ran_s * S}};

        history->started_ns = end_ns - (rows[i].ran_s + 400) * S;
        CHECK_INT(cf_why_loop(&arena, &profile, &history->fresh, 0, &why.verdict, 10, &why.loop),
                  KP_OK);
        CHECK_TEXT(cf_why_of_restarts(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test why_loop_test[] = {
    {"a back-off may be forgotten while it lasts", a_back_off_may_be_forgotten_while_it_lasts},
    {"what is played agrees", what_is_played_agrees},
    {0},
};
