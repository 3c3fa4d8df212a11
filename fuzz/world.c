/*
 * world.c: bytes as a pod with its world over virtual minutes; what the rules promise of every run
 * is checked at every effect.
 *
 * A promise that does not hold names its rule and ends the run.
 */
#include "core/backoff.h"
#include "core/worker.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/scene.h"
#include "fuzz/shared/show.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASKED 256 /* attempts that are remembered, by their number */

#define HOLDS(rule, condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            broken(rule, #condition);                                                              \
    } while (0)

struct worker {
    uint32_t out;         /* number of the attempt that is out; 0: none */
    int attempt;          /* of the newest one */
    bool errored;         /* the newest answer asks for another attempt */
    char cid[24];         /* of the newest result */
    enum kp_result value; /* of it */
    bool has_value;
    char held[24];      /* the instance that it is on hold for */
    char succeeded[24]; /* the newest instance of a success */
    bool failed;        /* its newest result is a failure */
};

struct container {
    bool ready;
    bool started;
    bool runs_in_status; /* the newest state that was told */
    char running[24];    /* the newest instance that was told of */
    int64_t running_since_ns;
    unsigned runs;
    unsigned exits;
    unsigned failed_exits;
    bool ended_well;
    bool start_failed;
    int64_t restart;  /* of the newest start */
    int64_t start_ns; /* of the newest start */
    int64_t delay_ns; /* of the newest refusal that is remembered; 0: none */
    unsigned starts;  /* since that refusal */
    int64_t restarts; /* as published */
    bool refused;     /* at this instant */
    unsigned killing; /* events told, kills begun */
    unsigned kills;
    bool begun; /* a start was asked for */
    bool starting;
    struct worker workers[KP_PROBE_TYPES];
};

struct watch {
    const struct scene *scene;
    struct kp_backoff_limits limits;
    int64_t at_ns;
    struct container containers[SCENE_CONTAINERS];
    struct {
        int container;
        enum kp_probe_type type;
        uint32_t n;
    } asked[ASKED];
    uint32_t last_n;
    struct {
        int container;
        enum kp_probe_type type;
    } probed[64]; /* at this instant */
    size_t probed_count;
    enum kp_phase phase;
    bool deleted;
    bool killed_for_good; /* a kill of the whole deleted pod began before this instant */
    bool killing_for_good;
    bool restarted;
    bool orphan_starts; /* the kubelet that asked for a start is no more: it may end late */
    bool cleaned;
    bool clock_moved;
    unsigned sandboxes;
    bool gone;
    bool pod_ready;
    bool containers_ready;
};

/* For whoever reads the complaint: after which instant, and which effect. */
static int64_t last_ns;
static const struct kp_effect *last_effect;

static void broken(enum kp_rule rule, const char *condition)
{
    const struct kp_rule_row *row = kp_rule_get(rule);

    fprintf(stderr, "after %g s, effect %d of container %d, %.*s\n", (double)last_ns / 1e9,
            last_effect ? (int)last_effect->kind : -1, last_effect ? last_effect->container : -1,
            last_effect ? (int)last_effect->cid.len : 0, last_effect ? last_effect->cid.bytes : "");

    fprintf(stderr, "%s: %s\n    does not hold: %s\n", row->id, row->sentence, condition);
    abort();
}

static void keep(char to[24], struct kp_text from)
{
    size_t len = from.len < 23 ? from.len : 23;

    memset(to, 0, 24);
    if (len > 0)
        memcpy(to, from.bytes, len);
}

static bool is(const char kept[24], struct kp_text text)
{
    return text.len > 0 && text.len < 24 && strlen(kept) == text.len &&
           memcmp(kept, text.bytes, text.len) == 0;
}

static const struct kp_container *spec_of(const struct watch *w, int container)
{
    return &w->scene->pod.containers[container];
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* K-14: an exec that was cut off was not answered. */
static bool may_be_cut_off(const struct watch *w, int container, enum kp_probe_type type)
{
    return w->scene->profile.worker_context_cancelled % 2 == 1 && w->deleted &&
           spec_of(w, container)->probes[type]->handler.exec;
}

/* What the status of the kubelet before, or of the instance before, may stand for. */
static bool started_is_inherited(const struct watch *w)
{
    return w->restarted || w->deleted || w->cleaned || kp_prober_keeps_old(&w->scene->profile) ||
           !w->scene->profile.startup_probe_exists;
}

static bool policy_is(const struct watch *w, const char *policy)
{
    return kp_text_equal(w->scene->pod.restart_policy, kp_text_of(policy));
}

/* P-035, P-037: a worker ends with an instance that is not to come back; should the container run
 * again all the same, nobody asks whether it has started, and another worker begins anew. */
static bool may_have_ended(const struct watch *w, const struct container *c)
{
    return c->exits > 0 &&
           (policy_is(w, "Never") || (w->scene->profile.gates[KP_GATE_ContainerRestartRules] &&
                                      policy_is(w, "OnFailure") && c->ended_well));
}

static void check_started(const struct watch *w, const struct kp_effect *effect)
{
    const struct container *c = &w->containers[effect->container];

    /* An execution that has begun is tried to its end (P-063). */
    if (effect->u.probe.type == KP_STARTUP || effect->u.probe.attempt > 1 ||
        !spec_of(w, effect->container)->probes[KP_STARTUP] || started_is_inherited(w) ||
        may_have_ended(w, c))
        return;
    HOLDS(KP_P041, is(c->workers[KP_STARTUP].succeeded, effect->cid));
}

/* P-016: a turn follows the first sleep, which P-015 allows, before stop is looked at. */
static bool may_come_of_the_first_sleep(const struct watch *w, const struct worker *worker,
                                        const struct kp_probe *probe)
{
    return worker->attempt == 0 && w->scene->run.open.uptime_ns < probe->period_s * KP_NS_PER_S;
}

static void on_probe(struct watch *w, const struct kp_effect *effect)
{
    enum kp_probe_type type = effect->u.probe.type;
    const struct kp_container *spec = spec_of(w, effect->container);
    struct container *c = &w->containers[effect->container];
    struct worker *worker = &c->workers[type];

    HOLDS(KP_P150, spec->probes[type]);
    HOLDS(KP_P151, spec->kind == KP_REGULAR || kp_container_is_sidecar(spec));
    HOLDS(KP_P029, effect->cid.len > 0);
    HOLDS(KP_P027, c->runs > 0 || w->cleaned);
    HOLDS(KP_P063, effect->u.probe.n > w->last_n);
    HOLDS(KP_P004, effect->u.probe.attempt >= 1 && effect->u.probe.attempt <= 3);
    if (!may_be_cut_off(w, effect->container, type) && !w->restarted) {
        HOLDS(KP_P019, worker->out == 0);
        HOLDS(KP_P063, effect->u.probe.attempt == 1 ||
                           (worker->errored && worker->attempt == effect->u.probe.attempt - 1));
    }
    HOLDS(KP_P033, !is(worker->held, effect->cid) || w->cleaned || w->deleted);
    HOLDS(KP_P155, type == KP_READINESS || spec->kind != KP_REGULAR ||
                       effect->u.probe.attempt > 1 || !w->killed_for_good ||
                       w->scene->profile.termination_stops_probes == 0 || w->restarted ||
                       may_come_of_the_first_sleep(w, worker, spec->probes[type]));
    check_started(w, effect);
    w->last_n = effect->u.probe.n;
    worker->out = effect->u.probe.n;
    worker->attempt = effect->u.probe.attempt;
    w->asked[w->last_n % ASKED].container = effect->container;
    w->asked[w->last_n % ASKED].type = type;
    w->asked[w->last_n % ASKED].n = w->last_n;
    if (w->probed_count < 64 && is(c->running, effect->cid)) {
        w->probed[w->probed_count].container = effect->container;
        w->probed[w->probed_count++].type = type;
    }
}

static void on_result(struct watch *w, const struct kp_effect *effect)
{
    const struct container *c = &w->containers[effect->container];
    struct worker *worker = &w->containers[effect->container].workers[effect->u.result.type];
    enum kp_result value = effect->u.result.value;
    bool again = worker->has_value && is(worker->cid, effect->cid) && worker->value == value;

    HOLDS(KP_P002, value >= KP_RESULT_UNKNOWN && value <= KP_RESULT_FAILURE);
    HOLDS(KP_P056, value != KP_RESULT_UNKNOWN || effect->u.result.type == KP_STARTUP);
    HOLDS(KP_P139,
          !again || w->restarted || w->deleted || w->cleaned ||
              (effect->rule != KP_P047 && (w->phase > KP_RUNNING || may_have_ended(w, c))));
    keep(worker->cid, effect->cid);
    worker->value = value;
    worker->has_value = true;
    worker->failed = value == KP_RESULT_FAILURE;
    if (value == KP_RESULT_SUCCESS)
        keep(worker->succeeded, effect->cid);
    if (value == KP_RESULT_FAILURE && effect->rule == KP_P047 &&
        effect->u.result.type != KP_READINESS)
        keep(worker->held, effect->cid);
}

/* ---- kills and starts ------------------------------------------------------------------------ */

static int64_t own_grace_s(const struct kp_pod *pod)
{
    return pod->has_grace && pod->grace_s > 2 ? pod->grace_s : 2;
}

static void on_kill(struct watch *w, const struct kp_effect *effect)
{
    struct container *c = &w->containers[effect->container];
    const struct worker *of_liveness = &c->workers[KP_LIVENESS];
    const struct worker *of_startup = &c->workers[KP_STARTUP];

    HOLDS(KP_S217, effect->u.kill.grace_s >= (w->deleted ? 0 : 2));
    HOLDS(KP_S213, c->killing > c->kills);
    HOLDS(KP_S130, effect->u.kill.reason != KP_KILL_LIVENESS ||
                       (is(of_liveness->cid, effect->cid) && of_liveness->failed));
    HOLDS(KP_S127, effect->u.kill.reason != KP_KILL_STARTUP ||
                       (is(of_startup->cid, effect->cid) && of_startup->failed));
    HOLDS(KP_S210, effect->u.kill.reason == KP_KILL_LIVENESS ||
                       effect->u.kill.reason == KP_KILL_STARTUP || w->deleted ||
                       effect->u.kill.grace_s <= own_grace_s(&w->scene->pod));
    c->kills++;
    w->killing_for_good = w->killing_for_good || (w->deleted && effect->rule == KP_S220);
}

/* Nothing but how it ended decides whether it may come back. */
static bool is_plain(const struct watch *w, const struct container *c)
{
    return !w->restarted && w->sandboxes <= 1 && !c->start_failed;
}

static void on_start(struct watch *w, const struct kp_effect *effect)
{
    const struct kp_pod *pod = &w->scene->pod;
    struct container *c = &w->containers[effect->container];
    bool regular = spec_of(w, effect->container)->kind == KP_REGULAR;

    HOLDS(KP_S200, w->sandboxes > 0);
    HOLDS(KP_S241, !c->refused);
    HOLDS(KP_S231, effect->u.restart >= c->restart || w->orphan_starts);
    HOLDS(KP_S231, effect->u.restart >= 0 && effect->u.restart <= c->restart + 1);
    if (regular && is_plain(w, c) && policy_is(w, "Never"))
        HOLDS(KP_S124, effect->u.restart == 0);
    if (regular && is_plain(w, c) && c->kills == 0 && policy_is(w, "OnFailure"))
        HOLDS(KP_S124, c->exits == 0 || c->failed_exits > 0);
    for (size_t i = 0; regular && !c->begun && i < pod->init_count; i++)
        HOLDS(KP_S107, kp_container_is_sidecar(&pod->containers[i]) || w->containers[i].ended_well);
    /* S-243, S-245: an entry untouched for long is forgotten. */
    if (c->begun && w->at_ns - c->start_ns > w->limits.forget_ns)
        c->delay_ns = 0;
    c->begun = c->starting = true;
    c->restart = effect->u.restart;
    c->start_ns = w->at_ns;
    c->starts++;
}

static bool is_doubled(int64_t delay_ns, int64_t initial_ns)
{
    int64_t times = delay_ns / initial_ns;

    return delay_ns % initial_ns == 0 && (times & (times - 1)) == 0;
}

static void on_backoff(const struct watch *w, const struct kp_effect *effect, struct container *c)
{
    int64_t delay_ns = effect->u.delay_ns;

    HOLDS(KP_S251, c->exits > 0 || c->start_failed);
    HOLDS(KP_S244, delay_ns >= w->limits.initial_ns && delay_ns <= w->limits.max_ns);
    HOLDS(KP_S242, delay_ns == w->limits.max_ns || is_doubled(delay_ns, w->limits.initial_ns));
    /* Not each start doubles: one after a container that never ran does not. */
    if (c->delay_ns > 0 && !w->restarted && !w->clock_moved)
        HOLDS(KP_S242,
              delay_ns >= c->delay_ns && (c->starts > 5 || delay_ns <= c->delay_ns << c->starts));
    c->delay_ns = delay_ns;
    c->starts = 0;
    c->refused = true;
}

/* ---- what is told ------------------------------------------------------------------------------
 */

static void on_event(struct watch *w, const struct kp_effect *effect)
{
    static const char *const normal[] = {"Killing", "Pulled",  "Pulling",
                                         "Created", "Started", "SandboxChanged"};
    static const char *const warning[] = {"Unhealthy",
                                          "ProbeWarning",
                                          "BackOff",
                                          "Failed",
                                          "FailedPreStopHook",
                                          "FailedKillPod",
                                          "FailedPostStartHook",
                                          "FailedCreatePodSandBox"};
    struct kp_text reason = effect->u.event.reason;
    bool known = false;

    for (size_t i = 0; effect->u.event.type == KP_NORMAL && i < sizeof normal / sizeof *normal; i++)
        known = known || kp_text_equal(reason, kp_text_of(normal[i]));
    for (size_t i = 0; effect->u.event.type == KP_WARNING && i < sizeof warning / sizeof *warning;
         i++)
        known = known || kp_text_equal(reason, kp_text_of(warning[i]));
    HOLDS(KP_S260, known);
    HOLDS(KP_P072, effect->u.event.message.count > 0);
    if (effect->container >= 0 && kp_text_equal(reason, KP_TEXT("Killing")))
        w->containers[effect->container].killing++;
}

static void on_phase(struct watch *w, const struct kp_effect *effect)
{
    bool final = w->phase == KP_SUCCEEDED || w->phase == KP_FAILED;

    HOLDS(KP_S308, effect->u.phase != w->phase);
    HOLDS(KP_S312, !final || !w->scene->profile.phase_is_sticky);
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

static void on_state(const struct watch *w, struct container *c, const struct kp_effect *effect)
{
    HOLDS(KP_S318, effect->u.state.state->kind != KP_STATE_NONE);
    HOLDS(KP_S231, effect->u.state.restarts >= c->restarts || w->orphan_starts);
    c->restarts = effect->u.state.restarts;
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
    int now = w->scene->profile.minor * 1000 + w->scene->profile.patch;

    HOLDS(effect->rule, span_of(effect->rule)->since <= now);
    HOLDS(effect->rule, span_of(effect->rule)->until >= now);
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
           (!w->scene->profile.worker_phases && !is_of_the_status(effect));
}

static void observe(void *ctx, const struct kp_effect *effect)
{
    struct watch *w = ctx;
    struct container *c = effect->container >= 0 ? &w->containers[effect->container] : NULL;

    last_effect = effect;
    show_effect(effect);
    HOLDS(KP_S027, !w->gone || may_still_come(w, effect));
    check_rule(w, effect);
    if (effect->kind == KP_EFFECT_PROBE)
        on_probe(w, effect);
    else if (effect->kind == KP_EFFECT_RESULT)
        on_result(w, effect);
    else if (effect->kind == KP_EFFECT_KILL)
        on_kill(w, effect);
    else if (effect->kind == KP_EFFECT_START)
        on_start(w, effect);
    else if (effect->kind == KP_EFFECT_BACKOFF)
        on_backoff(w, effect, c);
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
    else if (effect->kind == KP_EFFECT_APIDELETE)
        w->gone = true;
    else if (effect->kind == KP_EFFECT_HOOK)
        HOLDS(KP_S214, effect->u.hook.type == KP_PRE_STOP
                           ? spec_of(w, effect->container)->pre_stop
                           : spec_of(w, effect->container)->post_start);
}

/* P-039, P-040: the start is cut to the second, which is up to one earlier. */
static void check_delays(const struct watch *w)
{
    for (size_t i = 0; i < w->probed_count; i++) {
        int container = w->probed[i].container;
        const struct kp_probe *probe = spec_of(w, container)->probes[w->probed[i].type];
        int64_t age_ns = w->at_ns - w->containers[container].running_since_ns;

        HOLDS(KP_P039, age_ns >= (probe->initial_delay_s - 1) * KP_NS_PER_S || w->clock_moved);
    }
}

static void check_status(const struct watch *w)
{
    const struct kp_profile *profile = &w->scene->profile;
    const struct kp_pod *pod = &w->scene->pod;

    HOLDS(KP_S314, !w->pod_ready || w->containers_ready);
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++) {
        HOLDS(KP_S313, !w->containers_ready || w->containers[i].ready);
        if (w->scene->run.open.layer == KP_LAYER_POD && profile->ready_needs_started &&
            profile->startup_probe_exists && !started_is_inherited(w))
            /* S-306: a late answer makes ready what the status says has ended: it goes by the id
             * there. P-055, S-307: up to 1.31 a success may be taken back, which tells of started
             * alone.
             */
            HOLDS(KP_S301, !w->containers[i].ready || w->containers[i].started ||
                               !w->containers[i].runs_in_status ||
                               (w->containers[i].workers[KP_STARTUP].failed &&
                                !profile->startup_success_holds));
    }
}

static void end_instant(void *ctx, int64_t at_ns)
{
    struct watch *w = ctx;

    last_effect = NULL;
    last_ns = at_ns;
    HOLDS(KP_P017, at_ns >= w->at_ns); /* time never goes back */
    w->at_ns = at_ns;
    check_delays(w);
    if (w->scene->run.open.layer == KP_LAYER_POD)
        check_status(w);
    w->probed_count = 0;
    w->killed_for_good = w->killing_for_good;
    for (size_t i = 0; i < SCENE_CONTAINERS; i++)
        w->containers[i].refused = false;
}

static void on_answer(struct watch *w, const struct kp_event *event)
{
    uint32_t n = event->u.answer.n;
    struct worker *worker;

    if (n == 0 || w->asked[n % ASKED].n != n)
        return; /* a hook's */
    worker = &w->containers[w->asked[n % ASKED].container].workers[w->asked[n % ASKED].type];
    if (worker->out == n)
        worker->out = 0;
    worker->errored = event->u.answer.result == KP_ANSWER_ERROR ||
                      event->u.answer.result == KP_ANSWER_TIMEOUT ||
                      event->u.answer.result == KP_ANSWER_BROKEN;
}

static void on_restart(struct watch *w)
{
    w->restarted = true;
    for (size_t i = 0; i < SCENE_CONTAINERS; i++) {
        w->orphan_starts = w->orphan_starts || w->containers[i].starting;
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            w->containers[i].workers[type].out = 0;
            memset(w->containers[i].workers[type].held, 0, 24);
        }
    }
}

static void told(void *ctx, int64_t at_ns, const struct kp_event *event)
{
    struct watch *w = ctx;
    struct container *c = event->container >= 0 ? &w->containers[event->container] : NULL;

    show_event(w->scene, at_ns, event);
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
    else if (event->kind == KP_EVENT_STARTFAIL) {
        c->start_failed = true;
        c->starting = false;
    } else if (event->kind == KP_EVENT_RUNNING) {
        c->starting = false;
        keep(c->running, event->cid);
        c->running_since_ns =
            event->u.running.has_started_at ? event->u.running.started_at_ns : at_ns;
        c->runs++;
    } else if (event->kind == KP_EVENT_EXITED) {
        c->exits++;
        c->failed_exits += event->u.exit_code != 0;
        c->ended_well = c->ended_well || event->u.exit_code == 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scene scene;
    static struct watch watch;
    struct fuzz_bytes bytes = {data, size};
    enum fake_end end;

    scene_read(&scene, &bytes);
    show_scene(&scene);
    watch = (struct watch){
        .scene = &scene, .limits = kp_backoff_limits(&scene.profile), .phase = KP_PENDING};
    end = scene_play(&scene, NULL, (struct fake_observer){observe, end_instant, told, &watch});
    /* As a kubelet's, where a sidecar keeps a pod from being over (loop-of-an-ended-worker). */
    if (end == FAKE_END_LIVELOCK && scene.profile.gates[KP_GATE_PLEGOnDemandRelist] &&
        scene.pod.init_count > 0 && !policy_is(&watch, "Always"))
        return 0;
    if (end != FAKE_END_DONE)
        fprintf(stderr, "%s: %s\n", fake_end_name(end),
                scene.run.complaint ? scene.run.complaint : "");
    PROMISE(end == FAKE_END_DONE);
    return 0;
}
