/* What the rules promise of attempts and results. */
#include "core/prober/worker.h"
#include "fuzz/shared/watch.h"

#include <string.h>

/* K-14: an exec that was cut off was not answered. */
static bool may_be_cut_off(const struct watch *w, int container, enum kp_probe_type type)
{
    return w->scenario->profile.worker_context_cancelled && w->deleted &&
           watch_spec(w, container)->probes[type]->handler.exec;
}

bool watch_started_is_inherited(const struct watch *w)
{
    return w->restarted || w->deleted || w->cleaned ||
           kp_profile_keeps_old(&w->scenario->profile) ||
           !w->scenario->profile.startup_probe_exists;
}

/* P-035, P-037: a worker ends with an instance that is not to come back; should the container run
 * again all the same, nobody probes whether it has started, and another worker begins anew. */
static bool may_have_ended(const struct watch *w, const struct watched_container *c)
{
    return c->exits > 0 && (watch_policy_is(w, "Never") ||
                            (w->scenario->profile.gates[KP_GATE_ContainerRestartRules] &&
                             watch_policy_is(w, "OnFailure") && c->ended_well));
}

static void check_started(const struct watch *w, const struct kp_effect *effect)
{
    const struct watched_container *c = &w->containers[effect->container];

    /* An execution that has begun is tried to its end (P-063). */
    if (effect->u.probe.type == KP_STARTUP || effect->u.probe.attempt > 1 ||
        !watch_spec(w, effect->container)->probes[KP_STARTUP] || watch_started_is_inherited(w) ||
        may_have_ended(w, c))
        return;
    HOLDS(KP_RULE_STARTUP_FIRST, watch_is(c->workers[KP_STARTUP].succeeded, effect->cid));
}

/* P-016: doProbe follows the first sleep, which P-015 allows, before stop is looked at. */
static bool may_come_of_the_first_sleep(const struct watch *w, const struct watched_worker *worker,
                                        const struct kp_probe *probe)
{
    return worker->attempt == 0 && w->scenario->run.open.uptime_ns < probe->period_s * KP_NS_PER_S;
}

void watch_probe(struct watch *w, const struct kp_effect *effect)
{
    enum kp_probe_type type = effect->u.probe.type;
    const struct kp_container *spec = watch_spec(w, effect->container);
    struct watched_container *c = &w->containers[effect->container];
    struct watched_worker *worker = &c->workers[type];

    HOLDS(KP_RULE_ADD_POD_WORKERS, spec->probes[type]);
    HOLDS(KP_RULE_NO_INIT_WORKERS, spec->kind == KP_REGULAR || kp_container_is_sidecar(spec));
    HOLDS(KP_RULE_CONTAINER_UNKNOWN, effect->cid.len > 0);
    HOLDS(KP_RULE_POD_STATUS_UNKNOWN, c->runs > 0 || w->cleaned);
    HOLDS(KP_RULE_RETRY_ON_ERROR, effect->u.probe.n > w->last_n);
    HOLDS(KP_RULE_MAX_ATTEMPTS, effect->u.probe.attempt >= 1 && effect->u.probe.attempt <= 3);
    if (!may_be_cut_off(w, effect->container, type) && !w->restarted) {
        HOLDS(KP_RULE_NO_OVERLAP, worker->out == 0);
        HOLDS(KP_RULE_RETRY_ON_ERROR,
              effect->u.probe.attempt == 1 ||
                  (worker->errored && worker->attempt == effect->u.probe.attempt - 1));
    }
    HOLDS(KP_RULE_ON_HOLD, !watch_is(worker->held, effect->cid) || w->cleaned || w->deleted);
    HOLDS(KP_RULE_STOP_LIVENESS_AND_STARTUP,
          type == KP_READINESS || spec->kind != KP_REGULAR || effect->u.probe.attempt > 1 ||
              !w->killed_for_good || !w->scenario->profile.termination_stops_probes ||
              w->restarted || may_come_of_the_first_sleep(w, worker, spec->probes[type]));
    check_started(w, effect);
    w->last_n = effect->u.probe.n;
    worker->out = effect->u.probe.n;
    worker->attempt = effect->u.probe.attempt;
    w->attempts[w->last_n % ATTEMPTS].container = effect->container;
    w->attempts[w->last_n % ATTEMPTS].type = type;
    w->attempts[w->last_n % ATTEMPTS].n = w->last_n;
    if (w->probed_count < 64 && watch_is(c->running, effect->cid)) {
        w->probed[w->probed_count].container = effect->container;
        w->probed[w->probed_count++].type = type;
    }
}

void watch_result(struct watch *w, const struct kp_effect *effect)
{
    const struct watched_container *c = &w->containers[effect->container];
    struct watched_worker *worker =
        &w->containers[effect->container].workers[effect->u.result.type];
    enum kp_result value = effect->u.result.value;
    bool again = worker->has_value && watch_is(worker->cid, effect->cid) && worker->value == value;

    HOLDS(KP_RULE_CACHED_RESULTS, value >= KP_RESULT_UNKNOWN && value <= KP_RESULT_FAILURE);
    HOLDS(KP_RULE_STARTUP_UNKNOWN,
          value != KP_RESULT_UNKNOWN || effect->u.result.type == KP_STARTUP);
    HOLDS(KP_RULE_RESULT_CHANGED, !again || w->restarted || w->deleted || w->cleaned ||
                                      (effect->rule != KP_RULE_THRESHOLD_REACHED &&
                                       (w->phase > KP_RUNNING || may_have_ended(w, c))));
    watch_keep(worker->cid, effect->cid);
    worker->value = value;
    worker->has_value = true;
    worker->failed = value == KP_RESULT_FAILURE;
    if (value == KP_RESULT_SUCCESS)
        watch_keep(worker->succeeded, effect->cid);
    if (value == KP_RESULT_FAILURE && effect->rule == KP_RULE_THRESHOLD_REACHED &&
        effect->u.result.type != KP_READINESS)
        watch_keep(worker->held, effect->cid);
}
