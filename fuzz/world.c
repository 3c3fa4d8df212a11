/*
 * world.c: bytes as a pod with its world over virtual minutes; what the rules promise of every run
 * is checked at every effect.
 *
 * A promise that does not hold names its rule and ends the run.
 */
#include "fuzz/fuzz.h"
#include "fuzz/shared/show.h"
#include "fuzz/shared/watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is emitted ---------------------------------------------------------------------------
 */

/* S-345: up to 1.21 the status with which it fails has no conditions. */
static void on_deadline(struct watch *w)
{
    w->deadline_emitted = w->past_deadline = true;
    if (!w->scenario->profile.failed_status_is_whole)
        w->pod_ready = w->containers_ready = false;
}

static void on_event(struct watch *w, const struct kp_effect *effect)
{
    static const char *const normal[] = {"Killing", "Pulled",         "Pulling",         "Created",
                                         "Started", "SandboxChanged", "DeadlineExceeded"};
    static const char *const warning[] = {"Unhealthy",
                                          "ProbeWarning",
                                          "BackOff",
                                          "Failed",
                                          "FailedPreStopHook",
                                          "FailedKillPod",
                                          "FailedPostStartHook",
                                          "FailedCreatePodSandBox"};
    bool is_normal = effect->u.event.type == KP_NORMAL;
    const char *const *known = is_normal ? normal : warning;
    size_t count = is_normal ? sizeof normal / sizeof *normal : sizeof warning / sizeof *warning;
    struct kp_text reason = effect->u.event.reason;
    size_t i = 0;

    while (i < count && !watch_is_word(reason, known[i]))
        i++;
    HOLDS(KP_RULE_EVENT_REASONS, i < count);
    HOLDS(KP_RULE_EVENT_PER_EXECUTION, effect->u.event.message.count > 0);
    if (effect->container >= 0 && watch_is_word(reason, "Killing"))
        w->containers[effect->container].killing++;
    if (effect->rule == KP_RULE_ACTIVE_DEADLINE)
        on_deadline(w);
}

static void on_phase(struct watch *w, const struct kp_effect *effect)
{
    bool final = w->phase == KP_SUCCEEDED || w->phase == KP_FAILED;

    HOLDS(KP_RULE_PHASE, effect->u.phase != w->phase);
    /* But case active-deadline-behind-a-told-success. */
    HOLDS(KP_RULE_PHASE_FINAL, !final || !w->scenario->profile.phase_is_sticky ||
                                   (w->past_deadline && effect->u.phase == KP_FAILED));
    w->phase = effect->u.phase;
}

static void on_condition(struct watch *w, const struct kp_effect *effect)
{
    const struct kp_condition *condition = effect->u.condition;

    if (kp_text_equal(condition->type, KP_TEXT("Ready")))
        w->pod_ready = condition->status == KP_CONDITION_TRUE;
    if (kp_text_equal(condition->type, KP_TEXT("ContainersReady")))
        w->containers_ready = condition->status == KP_CONDITION_TRUE;
}

/* Up to 1.21 all that has died of a deleted pod is removed (pleg.c), while an older orphan may
 * still run, and what was created and did not start is left: that is the newest then. */
static bool may_fall(const struct watch *w, const struct watched_container *c, int64_t restarts)
{
    if (w->deleted && !w->scenario->profile.worker_phases && (c->orphans > 0 || c->start_failed))
        return true;
    return c->orphans > 0 && watch_may_be_next(c, restarts + 1);
}

/* purgeInitContainers: with a new sandbox all that initialized the pod is removed. */
static void purge(struct watch *w, const struct kp_effect *effect)
{
    for (size_t i = 0; i < w->scenario->pod.init_count; i++)
        w->containers[i].purged = effect->u.sandbox.what == KP_SANDBOX_CREATE;
}

static void on_state(const struct watch *w, struct watched_container *c,
                     const struct kp_effect *effect)
{
    int64_t restarts = effect->u.state.restarts;

    HOLDS(KP_RULE_STATE_AND_LAST_STATE, effect->u.state.state->kind != KP_STATE_NONE);
    HOLDS(KP_RULE_RESTART_COUNT,
          restarts >= c->restarts || may_fall(w, c, restarts) || (restarts == 0 && c->forgotten));
    c->restarts = restarts;
    c->runs_in_status = effect->u.state.state->kind == KP_STATE_RUNNING;
}
/* ---- the observer ------------------------------------------------------------------------------
 */

static int version_of(const char *text)
{
    int minor = atoi(text + 2);
    const char *dot = strchr(text + 2, '.');

    return minor * 1000 + (dot ? atoi(dot + 1) : 0);
}

/* First and last version of each rule; read off its row once. */
struct span {
    int since;
    int until;
};

static const struct span *span_of(enum kp_rule rule)
{
    static struct span spans[KP_RULES];
    const struct kp_rule_row *row = kp_rule_get(rule);

    if (spans[rule].since == 0) {
        spans[rule].since = version_of(row->since);
        spans[rule].until = INT_MAX;
        if (row->until[0] != 0)
            spans[rule].until = version_of(row->until) + (strchr(row->until + 2, '.') ? 0 : 999);
    }
    return &spans[rule];
}

/* The rule that an effect names is one that this version has. */
static void check_rule(const struct watch *w, const struct kp_effect *effect)
{
    int now = w->scenario->profile.minor * 1000 + w->scenario->profile.patch;
    const struct span *span = span_of(effect->rule);

    HOLDS(effect->rule, span->since <= now);
    HOLDS(effect->rule, span->until >= now);
}

static bool is_of_the_status(const struct kp_effect *effect)
{
    return effect->kind == KP_EFFECT_STATE || effect->kind == KP_EFFECT_STARTED ||
           effect->kind == KP_EFFECT_READY || effect->kind == KP_EFFECT_CONDITION ||
           effect->kind == KP_EFFECT_PHASE;
}

/* P-025: an execution that is out goes on, whatever became of its pod.  Up to 1.21 so does a sync:
 * of a pod whose containers have not begun the object goes with its cgroup (S-027 is of 1.22). */
static bool may_still_come(const struct watch *w, const struct kp_effect *effect)
{
    return effect->kind == KP_EFFECT_EVENT || effect->kind == KP_EFFECT_RESULT ||
           (effect->kind == KP_EFFECT_PROBE && effect->u.probe.attempt > 1) ||
           (!w->scenario->profile.worker_phases && !is_of_the_status(effect));
}

static void observe(void *ctx, const struct kp_effect *effect)
{
    struct watch *w = ctx;
    struct watched_container *c = effect->container >= 0 ? &w->containers[effect->container] : NULL;

    watch_last_effect = effect;
    w->has_begun = w->has_begun || is_of_the_status(effect);
    show_effect(effect);
    HOLDS(KP_RULE_SYNC_TERMINATING_POD, !w->gone || may_still_come(w, effect));
    check_rule(w, effect);
    if (effect->kind == KP_EFFECT_PROBE)
        watch_probe(w, effect);
    else if (effect->kind == KP_EFFECT_RESULT)
        watch_result(w, effect);
    else if (effect->kind == KP_EFFECT_KILL)
        watch_kill(w, effect);
    else if (effect->kind == KP_EFFECT_START)
        watch_start(w, effect);
    else if (effect->kind == KP_EFFECT_BACKOFF)
        watch_backoff(w, effect, c);
    else if (effect->kind == KP_EFFECT_EVENT)
        on_event(w, effect);
    else if (effect->kind == KP_EFFECT_PHASE)
        on_phase(w, effect);
    else if (effect->kind == KP_EFFECT_CONDITION)
        on_condition(w, effect);
    else if (effect->kind == KP_EFFECT_STATE)
        on_state(w, c, effect);
    else if (effect->kind == KP_EFFECT_READY)
        c->ready = effect->u.value;
    else if (effect->kind == KP_EFFECT_STARTED)
        c->started = effect->u.value;
    else if (effect->kind == KP_EFFECT_SANDBOX)
        purge(w, effect);
    else if (effect->kind == KP_EFFECT_APIDELETE)
        w->gone = true;
    else if (effect->kind == KP_EFFECT_HOOK)
        HOLDS(KP_RULE_PRE_STOP_TIME, effect->u.hook.type == KP_PRE_STOP
                                         ? watch_spec(w, effect->container)->pre_stop
                                         : watch_spec(w, effect->container)->post_start);
}

/* P-039, P-040: the start is cut to the second, which is up to one earlier. */
static void check_delays(const struct watch *w)
{
    for (size_t i = 0; i < w->probed_count; i++) {
        int container = w->probed[i].container;
        const struct kp_probe *probe = watch_spec(w, container)->probes[w->probed[i].type];
        int64_t age_ns = w->at_ns - w->containers[container].running_since_ns;

        HOLDS(KP_RULE_INITIAL_DELAY,
              age_ns >= (probe->initial_delay_s - 1) * KP_NS_PER_S || w->clock_moved);
    }
}

static void check_status(const struct watch *w)
{
    const struct kp_profile *profile = &w->scenario->profile;
    const struct kp_pod *pod = &w->scenario->pod;

    HOLDS(KP_RULE_CONDITION_READY, !w->pod_ready || w->containers_ready);
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++) {
        HOLDS(KP_RULE_CONDITION_CONTAINERS_READY, !w->containers_ready || w->containers[i].ready);
        if (w->scenario->run.open.layer == FAKE_LAYER_POD && profile->ready_needs_started &&
            profile->startup_probe_exists && !watch_started_is_inherited(w))
            /* S-306: a late answer makes ready what the status says has ended: it goes by the id
             * there. P-055, S-307: up to 1.31 a success may be taken back, which emits started
             * alone.  S-345: nor is it shown in the status of a pod that failed by its deadline. */
            HOLDS(KP_RULE_STATUS_READY,
                  !w->containers[i].ready || w->containers[i].started ||
                      !w->containers[i].runs_in_status ||
                      (w->past_deadline && !profile->failed_status_is_whole) ||
                      (w->containers[i].workers[KP_STARTUP].failed &&
                       !profile->startup_success_holds));
    }
}

/* S-345: startTime is that of the first status, cut to the second. */
static void check_deadline(struct watch *w)
{
    int64_t active_ns = w->at_ns - w->begun_ns + KP_NS_PER_S;

    if (!w->has_begun)
        w->begun_ns = w->at_ns;
    HOLDS(KP_RULE_ACTIVE_DEADLINE, !w->deadline_emitted || w->clock_moved ||
                                       active_ns >= w->scenario->pod.deadline_s * KP_NS_PER_S);
    w->deadline_emitted = false;
}

static void end_instant(void *ctx, int64_t at_ns)
{
    struct watch *w = ctx;

    watch_last_effect = NULL;
    watch_last_ns = at_ns;
    HOLDS(KP_RULE_TICKER_START, at_ns >= w->at_ns); /* time never goes back */
    w->at_ns = at_ns;
    check_delays(w);
    check_deadline(w);
    if (w->scenario->run.open.layer == FAKE_LAYER_POD)
        check_status(w);
    w->probed_count = 0;
    w->killed_for_good = w->killing_for_good;
    for (size_t i = 0; i < SCENARIO_CONTAINERS; i++)
        w->containers[i].refused = false;
}

static void on_answer(struct watch *w, const struct kp_event *event)
{
    uint32_t n = event->u.answer.n;
    struct watched_worker *worker;

    if (n == 0 || w->attempts[n % ATTEMPTS].n != n)
        return; /* a hook's */
    worker =
        &w->containers[w->attempts[n % ATTEMPTS].container].workers[w->attempts[n % ATTEMPTS].type];
    if (worker->out == n)
        worker->out = 0;
    worker->errored = event->u.answer.result == KP_ANSWER_ERROR ||
                      event->u.answer.result == KP_ANSWER_TIMEOUT ||
                      event->u.answer.result == KP_ANSWER_BROKEN;
}

static void on_restart(struct watch *w)
{
    w->restarted = true;
    for (size_t i = 0; i < SCENARIO_CONTAINERS; i++) {
        if (w->containers[i].out > w->containers[i].orphans)
            w->containers[i].orphans = w->containers[i].out;
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            w->containers[i].workers[type].out = 0;
            memset(w->containers[i].workers[type].held, 0, 24);
        }
    }
}

static void add_instance(struct watched_container *c, int64_t restarts)
{
    c->before = c->next;
    c->next = restarts + 1;
}

static void on_start_answered(struct watched_container *c, const struct kp_event *event,
                              int64_t at_ns)
{
    c->out -= c->out > 0;
    if (event->kind == KP_EVENT_STARTFAIL) {
        c->start_failed = true;
        if (event->cid.len > 0)
            add_instance(c, c->next);
        return;
    }
    add_instance(c, event->u.running.restarts);
    watch_keep(c->running, event->cid);
    c->running_since_ns = event->u.running.has_started_at ? event->u.running.started_at_ns : at_ns;
    c->runs++;
}

static void observe_event(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct watch *w = ctx;
    struct watched_container *c = event->container >= 0 ? &w->containers[event->container] : NULL;

    show_event(w->scenario, at_ns, event);
    if (event->kind == KP_EVENT_ANSWER)
        on_answer(w, event);
    else if (event->kind == KP_EVENT_KUBELET_RESTART)
        on_restart(w);
    else if (event->kind == KP_EVENT_DELETE)
        w->deleted = true;
    else if (event->kind == KP_EVENT_CLEANUP)
        w->cleaned = true;
    else if (event->kind == KP_EVENT_CLOCK)
        w->clock_moved = true;
    else if (event->kind == KP_EVENT_SANDBOX && event->u.sandbox.what == KP_SANDBOX_CREATE &&
             !event->u.sandbox.failed)
        w->sandboxes++;
    else if (event->kind == KP_EVENT_STARTFAIL || event->kind == KP_EVENT_RUNNING)
        on_start_answered(c, event, at_ns);
    else if (event->kind == KP_EVENT_EXITED) {
        c->exits++;
        c->failed_exits += event->u.exit_code != 0;
        c->ended_well = c->ended_well || event->u.exit_code == 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    static struct watch watch;
    struct fuzz_bytes bytes = {data, size};
    enum fake_end end;

    scenario_read(&scenario, &bytes);
    show_scenario(&scenario);
    watch = (struct watch){
        .scenario = &scenario, .limits = kp_backoff_limits(&scenario.profile), .phase = KP_PENDING};
    end = scenario_play(&scenario, NULL,
                        (struct fake_observer){observe, end_instant, observe_event, &watch});
    /* As a kubelet's, where a sidecar keeps a pod from being over (loop-of-an-ended-worker). */
    if (end == FAKE_END_LIVELOCK && scenario.profile.gates[KP_GATE_PLEGOnDemandRelist] &&
        scenario.pod.init_count > 0 && !watch_policy_is(&watch, "Always"))
        return 0;
    if (end != FAKE_END_DONE)
        fprintf(stderr, "%s: %s\n", fake_end_name(end),
                scenario.run.error ? scenario.run.error : "");
    PROMISE(end == FAKE_END_DONE);
    return 0;
}
