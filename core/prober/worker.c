#include "worker.h"

#include "../api/restart_rules.h"

#include <assert.h>

static void set(struct kp_step *step, enum kp_result value, enum kp_rule rule)
{
    assert(step->set_count < KP_STEP_SETS);
    step->sets[step->set_count++] = (struct kp_set){value, rule};
}

static enum kp_action decide(struct kp_step *step, enum kp_action action, enum kp_rule rule)
{
    step->action = action;
    step->rule = rule;
    return action;
}

/* Success for liveness, Failure for readiness, Unknown for startup (P-012; P-002 for 1.16), until a
 * probe says otherwise (P-057). */
static enum kp_result initial_value(enum kp_probe_type type, const struct kp_profile *profile)
{
    switch (type) {
    case KP_LIVENESS:
        return KP_RESULT_SUCCESS;
    case KP_STARTUP:
        return profile->startup_begins_unknown ? KP_RESULT_UNKNOWN : KP_RESULT_FAILURE;
    default:
        return KP_RESULT_FAILURE;
    }
}

/* The pod and the probe as they are now: later changes do not reach a worker (P-013). */
void kp_worker_init(struct kp_worker *w, const struct kp_pod *spec, uint32_t container_index,
                    enum kp_probe_type type)
{
    const struct kp_probe *probe = spec->containers[container_index].probes[type];

    *w = (struct kp_worker){
        .timer = w->timer,
        .type = (uint8_t)type,
        .cached = KP_RESULT_NONE,
        .pod_deleting = spec->has_deletion,
        .sidecar = kp_container_is_sidecar(&spec->containers[container_index]),
        .started_here = w->started_here,
        .start_unseen = w->start_unseen,
        .seen_has_ref = w->seen_has_ref,
        .all_restarting = w->all_restarting,
        .pod = w->pod,
        .spec = spec,
        .container_index = container_index,
        .is_exec = probe->handler.exec,
        .view = w->view,
        .initial_delay_s = probe->initial_delay_s,
        .success_threshold = probe->success_threshold,
        .failure_threshold = probe->failure_threshold,
    };
}

/* It started more than 10 s before this kubelet (P-008). */
bool kp_prober_is_old(const struct kp_prober_env *env, int64_t started_at_ns)
{
    return started_at_ns != 0 && started_at_ns < kp_later_ns(env->start_wall_ns, -10 * KP_NS_PER_S);
}

/* A new container (P-030): forget the old one's result, set the initial value, lift the hold.  The
 * count of equal results goes on (K-01, P-032, P-053, P-054). */
static void adopt(struct kp_worker *w, const struct kp_prober_env *env, struct kp_step *step)
{
    bool keeps = kp_profile_keeps_old(&env->profile);
    bool old = keeps && w->view.state == KP_STATE_RUNNING &&
               kp_prober_is_old(env, w->view.running_since_ns);

    w->cached = KP_RESULT_NONE;
    w->cid = w->view.cid;
    w->has_ref = w->start_unseen ? w->seen_has_ref : w->started_here;
    w->on_hold = false;
    if (keeps && env->profile.sidecar_startup_seeded && w->sidecar && w->type == KP_STARTUP &&
        w->view.started)
        set(step, KP_RESULT_SUCCESS, KP_RULE_SIDECAR_STARTUP_SEEDED);
    if (!old)
        set(step, initial_value((enum kp_probe_type)w->type, &env->profile),
            KP_RULE_INITIAL_RESULT);
}

/* Most calls find the very text of the last one; this one has to compare. */
static KP_SELDOM void check_container_id(struct kp_worker *w, const struct kp_prober_env *env,
                                         struct kp_step *step)
{
    if (!kp_text_equal(w->cid, w->view.cid))
        adopt(w, env, step);
}

/* A container with restart rules comes back by them (P-037); their first release had it the other
 * way round. */
static bool returns_by_rules(const struct kp_worker *w, const struct kp_profile *profile)
{
    int container = (int)w->container_index;
    bool terminated = w->view.state == KP_STATE_TERMINATED;

    if (profile->restart_rules_inverted == 1)
        return terminated || kp_container_may_restart(w->spec, container);
    return !terminated || w->all_restarting ||
           kp_exit_restarts(profile, w->spec, container, w->view.exit_code);
}

/* A worker ends with a container that does not come back (P-035 .. P-037). */
static KP_SELDOM enum kp_action
decide_not_running(const struct kp_worker *w, const struct kp_prober_env *env, struct kp_step *step)
{
    const struct kp_profile *profile = &env->profile;

    if (profile->gates[KP_GATE_ContainerRestartRules])
        return decide(step, returns_by_rules(w, profile) ? KP_WAIT : KP_END,
                      KP_RULE_WORKER_RESTART_RULES);
    if (w->view.state != KP_STATE_TERMINATED)
        return decide(step, KP_WAIT, KP_RULE_TERMINATED_CONTAINER);
    if (!kp_text_equal(w->spec->restart_policy, KP_TEXT("Never")))
        return decide(step, KP_WAIT, KP_RULE_TERMINATED_CONTAINER);
    if (w->sidecar && profile->sidecar_outlives_never)
        return decide(step, KP_WAIT, KP_RULE_SIDECAR_WORKER_OUTLIVES);
    return decide(step, KP_END, KP_RULE_TERMINATED_CONTAINER);
}

/* Fewer whole seconds than the delay have passed since the container's start (P-043), cut off
 * toward zero (P-039). */
static bool is_delayed(const struct kp_worker *w, const struct kp_prober_env *env, int64_t now_ns)
{
    int64_t age_ns =
        kp_elapsed_ns(w->view.running_since_ns, kp_later_ns(now_ns, env->wall_minus_now_ns));
    int64_t delay_ns = kp_seconds_ns(w->initial_delay_s);

    return w->initial_delay_s > 0 ? age_ns < delay_ns : age_ns <= delay_ns - KP_NS_PER_S;
}

/* Startup is probed until the container has started, the others from then on (P-041, P-042). */
static enum kp_action decide_by_started(const struct kp_worker *w, const struct kp_prober_env *env,
                                        struct kp_step *step)
{
    if (env->profile.startup_probe_exists && w->view.started && w->type == KP_STARTUP)
        return env->profile.startup_ends_when_started
                   ? decide(step, KP_END, KP_RULE_STARTUP_WORKER_ENDS)
                   : decide(step, KP_WAIT, KP_RULE_STARTUP_FIRST);
    if (env->profile.startup_probe_exists && !w->view.started && w->type != KP_STARTUP)
        return decide(step, KP_WAIT, KP_RULE_STARTUP_FIRST);
    return decide(step, KP_PROBE, KP_RULE_DO_PROBE);
}

/* Guard after guard, as doProbe has them.  What was seen here serves all attempts (P-050); a dead
 * instance sets Failure (P-058). */
enum kp_action kp_worker_do_probe(struct kp_worker *w, const struct kp_prober_env *env,
                                  int64_t now_ns, struct kp_step *step)
{
    step->set_count = 0;
    if (!w->view.pod_known)
        return decide(step, KP_WAIT, KP_RULE_POD_STATUS_UNKNOWN);
    if (w->view.pod_terminal)
        return decide(step, KP_END, KP_RULE_POD_TERMINAL);
    if (w->view.cid.len == 0)
        return decide(step, KP_WAIT, KP_RULE_CONTAINER_UNKNOWN);

    if (w->cid.bytes != w->view.cid.bytes || w->cid.len != w->view.cid.len)
        check_container_id(w, env, step);

    if (w->on_hold)
        return decide(step, KP_WAIT, KP_RULE_ON_HOLD);
    if (w->view.state != KP_STATE_RUNNING) {
        set(step, KP_RESULT_FAILURE, KP_RULE_NOT_RUNNING_IS_FAILURE);
        return decide_not_running(w, env, step);
    }
    if (w->pod_deleting && env->profile.deletion_ends_probes && w->type != KP_READINESS) {
        set(step, KP_RESULT_SUCCESS, KP_RULE_DELETION_ENDS_PROBES);
        return decide(step, KP_END, KP_RULE_DELETION_ENDS_PROBES);
    }
    if (is_delayed(w, env, now_ns))
        return decide(step, KP_WAIT, KP_RULE_INITIAL_DELAY);
    return decide_by_started(w, env, step);
}

/* Which result at its threshold puts a worker on hold: Failure of liveness and startup (P-048),
 * and Success of startup, which up to 1.31 goes on (P-055).  Readiness never is (P-049). */
static bool holds(const struct kp_worker *w, const struct kp_prober_env *env, enum kp_result result)
{
    if (w->type == KP_STARTUP && env->profile.startup_success_holds)
        return true;
    return w->type != KP_READINESS && result == KP_RESULT_FAILURE;
}

/* Equal results in a row, up to the threshold (P-045, P-052); until then the cached one stays,
 * startup's Unknown too (P-056). */
enum kp_action kp_worker_count(struct kp_worker *w, const struct kp_prober_env *env,
                               enum kp_result result, struct kp_step *step)
{
    int32_t threshold = result == KP_RESULT_FAILURE ? w->failure_threshold : w->success_threshold;

    step->set_count = 0;
    if (w->last_result != (int8_t)result)
        w->result_run = 0;
    w->last_result = (int8_t)result;
    if (w->result_run < INT32_MAX)
        w->result_run++;

    if (w->result_run < threshold)
        return decide(step, KP_WAIT, KP_RULE_BELOW_THRESHOLD);
    set(step, result, KP_RULE_THRESHOLD_REACHED);
    if (!holds(w, env, result))
        return decide(step, KP_WAIT, KP_RULE_THRESHOLD_REACHED);
    w->on_hold = true;
    w->result_run = 0;
    w->cached_action = KP_CACHED_NONE;
    return decide(step, KP_WAIT, KP_RULE_HOLD_AFTER_RESULT);
}
