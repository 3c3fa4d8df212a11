/* The half of a pod sync that takes away. */
#include "sync_steps.h"

static const struct kp_instance *running_instance(const struct kp_pod_run *run, size_t container)
{
    const struct kp_instances *instances = &run->work.containers[container];

    for (size_t i = 0; i < instances->count; i++)
        if (instances->list[i].state == KP_INSTANCE_RUNNING)
            return &instances->list[i];
    return NULL;
}

static bool has_sidecar(const struct kp_pod *pod)
{
    for (size_t i = 0; i < pod->init_count; i++)
        if (kp_container_is_sidecar(&pod->containers[i]))
            return true;
    return false;
}

struct kp_kill *kp_sync_prepare_kill(struct kp_pod_run *run, int container, struct kp_text cid)
{
    struct kp_kill *kill = &run->containers[container].kill;

    *kill = (struct kp_kill){
        .state = KP_KILL_TURN, .container = container, .cid = cid, .deadline_ns = KP_NEVER};
    return kill;
}

void kp_sync_begin_pod_kill(struct kp_pod_run *run)
{
    const struct kp_profile *profile = &run->node->profile;
    bool ordered = profile->termination_order && profile->gates[KP_GATE_SidecarContainers] &&
                   has_sidecar(&run->sync.pod);

    kp_sync_enter(run, KP_SYNC_KILL_POD);
    for (size_t i = 0; i < run->container_count; i++) {
        const struct kp_instance *instance = running_instance(run, i);

        run->containers[i].kill.state = KP_KILL_IDLE;
        if (!instance)
            continue;
        kp_sync_prepare_kill(run, (int)i, instance->cid);
        run->containers[i].kill.ordered = ordered;
        run->containers[i].kill.has_override = run->sync.has_override;
        run->containers[i].kill.override_s = run->sync.override_s;
        run->containers[i].kill.rule = profile->probe_grace > 0 ? KP_S220 : KP_S209;
    }
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].kill.state != KP_KILL_IDLE)
            kp_kill_begin(run, &run->containers[i].kill);
}

static bool step_kills(struct kp_pod_run *run)
{
    bool moved = false;
    bool over = true;

    for (size_t i = 0; i < run->container_count; i++) {
        struct kp_kill *kill = &run->containers[i].kill;
        enum kp_kill_state before = kill->state;

        if (kp_kill_is_over(kill))
            continue;
        kp_kill_step(run, kill);
        moved = moved || kill->state != before;
        over = over && kp_kill_is_over(kill);
    }
    if (moved)
        return step_kills(run);
    return over;
}

/* S-202, S-220. */
bool kp_step_kill_pod(struct kp_pod_run *run)
{
    if (!step_kills(run))
        return false;
    run->sync.did_something = true;
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].kill.state == KP_KILL_FAILED)
            run->sync.failed = true;
    kp_sync_enter(run, KP_SYNC_STOP_SANDBOXES);
    return true;
}

void kp_sync_emit_sandbox(struct kp_pod_run *run, enum kp_sandbox_do what, uint32_t attempt,
                          enum kp_rule rule)
{
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_SANDBOX, -1, rule);

    effect.u.sandbox.what = what;
    effect.u.sandbox.attempt = attempt;
    run->sync.waiting = true;
    kp_run_emit(run, &effect);
}

static void remove_instances(struct kp_pod_run *run, int container, bool keep_newest_dead)
{
    const struct kp_instances *known = &run->work.containers[container];
    bool kept = !keep_newest_dead;

    for (size_t i = 0; i < known->count; i++) {
        const struct kp_instance *instance = &known->list[i];
        struct kp_instance *real = kp_runtime_find(&run->truth, container, instance->cid);

        if (keep_newest_dead && instance->state != KP_INSTANCE_EXITED &&
            instance->state != KP_INSTANCE_UNKNOWN)
            continue;
        if (!kept) {
            kept = true;
            continue;
        }
        if (!real)
            continue;
        kp_runtime_remove(&run->truth, container,
                          (size_t)(real - run->truth.containers[container].list));
        run->dirty = true;
    }
}

void kp_sync_remove_inits(struct kp_pod_run *run, bool keep_newest_dead)
{
    for (size_t i = 0; i < run->sync.pod.init_count; i++)
        remove_instances(run, (int)i, keep_newest_dead);
}

bool kp_sync_take_sandbox_answer(struct kp_pod_run *run)
{
    if (!run->sync.sandbox_answered)
        return false;
    run->sync.sandbox_answered = run->sync.waiting = false;
    run->sync.at++;
    if (run->sync.sandbox_failed)
        run->sync.failed = true;
    return true;
}

/* S-205. */
bool kp_step_stop_sandboxes(struct kp_pod_run *run)
{
    if (run->sync.waiting)
        return kp_sync_take_sandbox_answer(run);
    if (run->sync.at < run->work.sandbox_count) {
        kp_sync_emit_sandbox(run, KP_SANDBOX_STOP, run->work.sandboxes[run->sync.at].attempt,
                             KP_S200);
        return true;
    }
    if (run->sync.type == KP_WORK_TERMINATING || run->sync.only_kills) {
        kp_sync_end_terminating(run);
        return true;
    }
    if (run->sync.failed) {
        kp_sync_fail(run);
        return true;
    }
    if (run->actions.create_sandbox)
        kp_sync_remove_inits(run, false);
    kp_sync_enter(run, KP_SYNC_CREATE_SANDBOX);
    return true;
}

/* S-201. */
bool kp_step_kill_some(struct kp_pod_run *run)
{
    const struct kp_kill_plan *plan = &run->actions.kills[run->sync.at];
    struct kp_kill *kill;

    if (run->sync.at >= run->actions.kill_count) {
        kp_sync_enter(run, KP_SYNC_RESET);
        return true;
    }
    kill = &run->containers[plan->container].kill;
    if (!run->sync.waiting) {
        kill = kp_sync_prepare_kill(run, plan->container, plan->cid);
        kill->reason = plan->reason;
        kill->message = plan->message;
        kill->rule = plan->rule;
        run->sync.waiting = run->sync.did_something = true;
        kp_kill_begin(run, kill);
    }
    kp_kill_step(run, kill);
    if (!kp_kill_is_over(kill))
        return false;
    run->sync.waiting = false;
    run->sync.at++;
    if (kill->state == KP_KILL_FAILED)
        kp_sync_fail(run); /* S-203: nothing else is killed, nothing is started */
    return true;
}

static void begin_reset_kill(struct kp_pod_run *run, const struct kp_reset_plan *plan)
{
    struct kp_kill *kill = kp_sync_prepare_kill(run, plan->container, plan->cid);

    kill->rule = KP_S224;
    kill->has_override = true;
    kp_message_add(&kill->message, KP_TEXT("killing"));
    run->sync.waiting = true;
    kp_kill_begin(run, kill);
}

static void remove_reset(struct kp_pod_run *run, const struct kp_reset_plan *plan)
{
    struct kp_instance *real = kp_runtime_find(&run->truth, plan->container, plan->cid);

    if (real)
        kp_runtime_remove(&run->truth, plan->container,
                          (size_t)(real - run->truth.containers[plan->container].list));
    run->dirty = true;
    run->sync.removed_some = true;
    run->sync.at++;
}

bool kp_step_reset(struct kp_pod_run *run)
{
    const struct kp_reset_plan *plan = &run->actions.resets[run->sync.at];
    struct kp_kill *kill;

    if (run->sync.at >= run->actions.reset_count) {
        kp_sync_enter(run, KP_SYNC_CREATE_SANDBOX);
        return true;
    }
    run->sync.did_something = true;
    if (plan->kill) {
        if (!run->sync.waiting)
            begin_reset_kill(run, plan);
        kill = &run->containers[plan->container].kill;
        kp_kill_step(run, kill);
        if (!kp_kill_is_over(kill))
            return false;
        run->sync.waiting = false;
        if (kill->state == KP_KILL_FAILED) {
            kp_sync_fail(run);
            return true;
        }
    }
    remove_reset(run, plan);
    return true;
}
