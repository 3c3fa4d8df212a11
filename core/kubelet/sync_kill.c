/* The steps of a pod sync that kill: the whole pod, its sandboxes, or some containers.  Upstream:
 * kuberuntime_manager.go killPodWithSyncResult; SyncPod, steps 2 and 3. */
#include "sync_state.h"

static const struct kp_instance *running_instance(const struct kp_sync *sync, size_t container)
{
    const struct kp_instances *instances = &sync->view.containers[container];

    for (size_t i = 0; i < instances->count; i++)
        if (instances->list[i].state == KP_INSTANCE_RUNNING)
            return &instances->list[i];
    return NULL;
}

struct kp_kill *kp_sync_prepare_kill(struct kp_sync *sync, int container, struct kp_text cid)
{
    struct kp_kill *kill = &sync->containers[container].kill;

    *kill = (struct kp_kill){
        .state = KP_KILL_TURN, .container = container, .cid = cid, .deadline_ns = KP_NEVER};
    return kill;
}

void kp_sync_begin_pod_kill(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;
    const struct kp_profile *profile = &run->node->profile;
    bool ordered = profile->termination_order && profile->gates[KP_GATE_SidecarContainers];

    kp_sync_enter(sync, KP_SYNC_KILL_POD);
    for (size_t i = 0; i < run->container_count; i++) {
        const struct kp_instance *instance = running_instance(sync, i);

        sync->containers[i].kill.state = KP_KILL_IDLE;
        if (!instance)
            continue;
        kp_sync_prepare_kill(sync, (int)i, instance->cid);
        sync->containers[i].kill.ordered = ordered;
        sync->containers[i].kill.has_override = sync->order->has_override;
        sync->containers[i].kill.override_s = sync->order->override_s;
        sync->containers[i].kill.rule =
            profile->probe_grace > 0 ? KP_RULE_KILL_POD_GRACE : KP_RULE_KILL_GRACE;
    }
    for (size_t i = 0; i < run->container_count; i++)
        if (sync->containers[i].kill.state != KP_KILL_IDLE)
            kp_kill_begin(sync, &sync->containers[i].kill);
}

static bool step_kills(struct kp_sync *sync)
{
    bool moved = false;
    bool over = true;

    for (size_t i = 0; i < sync->run->container_count; i++) {
        struct kp_kill *kill = &sync->containers[i].kill;
        enum kp_kill_state before = kill->state;

        kp_kill_step(sync, kill);
        moved = moved || kill->state != before;
        over = over && kp_kill_is_over(kill);
    }
    if (moved)
        return step_kills(sync);
    return over;
}

/* All containers at once with the pod's grace, never a probe's (S-220); what was planned for single
 * ones is forgotten (S-202). */
bool kp_step_kill_pod(struct kp_sync *sync)
{
    if (!step_kills(sync))
        return false;
    sync->result.did_something = true;
    for (size_t i = 0; i < sync->run->container_count; i++)
        if (sync->containers[i].kill.state == KP_KILL_FAILED)
            sync->result.failed = true;
    kp_sync_enter(sync, KP_SYNC_STOP_SANDBOXES);
    return true;
}

void kp_sync_emit_sandbox(struct kp_sync *sync, enum kp_sandbox_do what, uint32_t attempt,
                          enum kp_rule rule)
{
    struct kp_pod_run *run = sync->run;
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_SANDBOX, KP_POD_ITSELF, rule);

    effect.u.sandbox.what = what;
    effect.u.sandbox.attempt = attempt;
    sync->waiting = true;
    sync->sandbox_request = ++run->requests;
    kp_run_emit(run, &effect);
}

/* purgeInitContainers.  (pruneInitContainersBeforeStart has nothing to do here: of dead containers
 * a relist has left the newest alone.) */
static void remove_inits(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;

    for (size_t i = 0; i < sync->pod->init_count; i++)
        while (run->truth.containers[i].count > 0)
            kp_runtime_remove(&run->truth, (int)i, 0);
}

bool kp_sync_take_sandbox_answer(struct kp_sync *sync)
{
    if (!sync->sandbox_answered)
        return false;
    sync->sandbox_answered = sync->waiting = false;
    sync->at++;
    if (sync->sandbox_failed)
        sync->result.failed = true;
    return true;
}

/* A kill of the pod that failed lets nothing start (S-205). */
static void end_stop_sandboxes(struct kp_sync *sync)
{
    if (sync->order->type != KP_WORK_SYNC || sync->only_kills || sync->makes_cgroup) {
        kp_sync_enter(sync, KP_SYNC_KILLED);
        return;
    }
    if (sync->result.failed) {
        kp_sync_fail(sync);
        return;
    }
    if (sync->actions.create_sandbox)
        remove_inits(sync);
    kp_sync_enter(sync, KP_SYNC_CREATE_SANDBOX);
}

bool kp_step_stop_sandboxes(struct kp_sync *sync)
{
    if (!sync->waiting && sync->at < sync->view.sandbox_count)
        kp_sync_emit_sandbox(sync, KP_SANDBOX_STOP, sync->view.sandboxes[sync->at].attempt,
                             KP_RULE_SYNC_POD_STEPS);
    if (sync->waiting)
        return kp_sync_take_sandbox_answer(sync);
    end_stop_sandboxes(sync);
    return true;
}

/* One kill after another, each to its end (S-201). */
bool kp_step_kill_some(struct kp_sync *sync)
{
    const struct kp_kill_plan *plan = &sync->actions.kills[sync->at];
    struct kp_kill *kill;

    if (sync->at >= sync->actions.kill_count) {
        kp_sync_enter(sync, KP_SYNC_RESET);
        return true;
    }
    kill = &sync->containers[plan->container].kill;
    if (!sync->waiting) {
        kill = kp_sync_prepare_kill(sync, plan->container, plan->cid);
        kill->reason = plan->reason;
        kill->message = plan->message;
        kill->rule = plan->rule;
        sync->waiting = sync->result.did_something = true;
        kp_kill_begin(sync, kill);
    }
    kp_kill_step(sync, kill);
    if (!kp_kill_is_over(kill))
        return false;
    sync->waiting = false;
    sync->at++;
    if (kill->state == KP_KILL_FAILED)
        kp_sync_fail(sync); /* S-203: nothing else is killed, nothing is started */
    return true;
}

static void begin_reset_kill(struct kp_sync *sync, const struct kp_reset_plan *plan)
{
    struct kp_kill *kill = kp_sync_prepare_kill(sync, plan->container, plan->cid);

    kill->rule = KP_RULE_RESTART_ALL_CONTAINERS;
    kill->has_override = true;
    kp_message_add(&kill->message, KP_TEXT("killing"));
    sync->waiting = true;
    kp_kill_begin(sync, kill);
}

static void remove_reset(struct kp_sync *sync, const struct kp_reset_plan *plan)
{
    struct kp_pod_run *run = sync->run;
    struct kp_instance *real = kp_runtime_find(&run->truth, plan->container, plan->cid);

    if (real)
        kp_runtime_remove(&run->truth, plan->container,
                          (size_t)(real - run->truth.containers[plan->container].list));
    run->truth.changed = true;
    sync->result.removed_some = true;
    sync->at++;
}

bool kp_step_reset(struct kp_sync *sync)
{
    const struct kp_reset_plan *plan = &sync->actions.resets[sync->at];
    struct kp_kill *kill;

    if (sync->at >= sync->actions.reset_count) {
        kp_sync_enter(sync, KP_SYNC_CREATE_SANDBOX);
        return true;
    }
    sync->result.did_something = true;
    kill = &sync->containers[plan->container].kill;
    if (plan->kill && !sync->waiting)
        begin_reset_kill(sync, plan);
    if (plan->kill)
        kp_kill_step(sync, kill);
    if (plan->kill && !kp_kill_is_over(kill))
        return false;
    sync->waiting = false;
    if (plan->kill && kill->state == KP_KILL_FAILED)
        kp_sync_fail(sync);
    else
        remove_reset(sync, plan);
    return true;
}
