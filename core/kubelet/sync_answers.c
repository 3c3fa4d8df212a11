/* What the world answers to the calls of a pod sync. */
#include "start_container.h"
#include "sync_steps.h"

static bool awaits_start(const struct kp_pod_run *run, int container)
{
    return run->sync->step == KP_SYNC_START && run->sync->waiting && !run->sync->start_answered &&
           kp_sync_current_start(run) == container;
}

void kp_sync_orphan_start(struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++)
        run->sync->containers[i].orphan_starts += awaits_start(run, (int)i);
}

/* Whoever waits has the first answer; an orphan's is the one that nobody waits for. */
static bool take_start(struct kp_pod_run *run, const struct kp_event *event)
{
    unsigned *orphans = &run->sync->containers[event->container].orphan_starts;

    if (awaits_start(run, event->container)) {
        run->sync->start_event = *event;
        run->sync->start_answered = true;
        return true;
    }
    if (*orphans == 0)
        return false;
    --*orphans;
    return true;
}

static struct kp_instance *add_instance(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_instance *instance = kp_runtime_create(&run->truth, event->container, event->cid);

    instance->hash =
        kp_container_hash(&run->node->profile, &run->sync->pod->containers[event->container]);
    run->truth.changed = true;
    return instance;
}

bool kp_sync_running(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_instance *instance;

    if (!take_start(run, event))
        return false;
    instance = add_instance(run, event);
    instance->state = KP_INSTANCE_RUNNING;
    instance->restarts = event->u.running.restarts;
    instance->started_wall_ns = kp_node_wall_ns(run->node);
    if (event->u.running.has_started_at)
        instance->started_wall_ns =
            kp_later_ns(event->u.running.started_at_ns, run->node->wall_minus_now_ns);
    return true;
}

bool kp_sync_start_failed(struct kp_pod_run *run, const struct kp_event *event)
{
    if (!take_start(run, event))
        return false;
    if (kp_text_equal(event->reason, KP_TEXT("RunContainerError")))
        add_instance(run, event)->restarts = kp_start_restart_count(run, event->container);
    return true;
}

static bool acknowledge_kill(struct kp_pod_run *run, const struct kp_event *event, bool failed)
{
    struct kp_kill *kill = &run->sync->containers[event->container].kill;

    if (kill->state != KP_KILL_STOPPING || !kp_text_equal(kill->cid, event->cid))
        return false;
    kp_kill_acknowledge(kill, event->message, failed, ++run->sync->kills_over);
    return true;
}

bool kp_sync_exited(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_instance *instance = kp_runtime_find(&run->truth, event->container, event->cid);

    if (!instance)
        return acknowledge_kill(run, event, false);
    if (instance->state != KP_INSTANCE_EXITED) {
        kp_runtime_exit(instance, event->u.exit_code, event->reason, kp_node_wall_ns(run->node));
        instance->message = event->message;
        run->truth.changed = true;
    }
    (void)acknowledge_kill(run, event, false);
    return true;
}

static bool says_not_found(struct kp_text error)
{
    static const struct kp_text code = {"code = NotFound", 15};

    for (size_t i = 0; i + code.len <= error.len; i++)
        if (kp_text_equal((struct kp_text){error.bytes + i, code.len}, code))
            return true;
    return false;
}

bool kp_sync_kill_failed(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_instances *instances = &run->truth.containers[event->container];
    struct kp_instance *instance;

    if (!says_not_found(event->message))
        return acknowledge_kill(run, event, true);
    /* The runtime has lost it: as good as stopped (S-204), and not listed any more. */
    if (!acknowledge_kill(run, event, !run->node->profile.not_found_is_stopped))
        return false;
    instance = kp_runtime_find(&run->truth, event->container, event->cid);
    if (instance)
        kp_runtime_remove(&run->truth, event->container, (size_t)(instance - instances->list));
    run->truth.changed = true;
    return true;
}

static bool awaits_sandbox(const struct kp_pod_run *run, const struct kp_event *event)
{
    enum kp_sync_step step = event->u.sandbox.what == KP_SANDBOX_CREATE ? KP_SYNC_CREATE_SANDBOX
                                                                        : KP_SYNC_STOP_SANDBOXES;
    uint32_t attempt = run->sync->actions.attempt;

    if (run->sync->step != step || !run->sync->waiting || run->sync->sandbox_answered)
        return false;
    if (step == KP_SYNC_STOP_SANDBOXES)
        attempt = run->sync->view.sandboxes[run->sync->at].attempt;
    return attempt == event->u.sandbox.attempt;
}

/* Asked by a kubelet that died: the runtime did it all the same. */
static void note_orphaned_sandbox(struct kp_pod_run *run, const struct kp_event *event)
{
    uint32_t attempt = event->u.sandbox.attempt;
    struct kp_sandbox *sandbox = kp_runtime_sandbox_find(&run->truth, attempt);

    if (!run->orphaned || event->u.sandbox.failed)
        return;
    run->truth.changed = true;
    if (event->u.sandbox.what == KP_SANDBOX_STOP && sandbox)
        sandbox->ready = false;
    if (event->u.sandbox.what == KP_SANDBOX_CREATE && !sandbox)
        kp_runtime_sandbox_add(&run->truth, attempt);
}

bool kp_sync_sandbox(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_sandbox *sandbox;

    if (!awaits_sandbox(run, event)) {
        note_orphaned_sandbox(run, event);
        return false;
    }
    run->sync->sandbox_answered = true;
    run->sync->sandbox_failed =
        event->u.sandbox.failed &&
        !(run->node->profile.not_found_is_stopped && says_not_found(event->message));
    if (run->sync->sandbox_failed) {
        run->sync->sandbox_error = event->message;
        return true;
    }
    run->truth.changed = true;
    if (event->u.sandbox.what == KP_SANDBOX_CREATE) {
        kp_runtime_sandbox_add(&run->truth, event->u.sandbox.attempt);
        return true;
    }
    sandbox = kp_runtime_sandbox_find(&run->truth, event->u.sandbox.attempt);
    if (sandbox)
        sandbox->ready = false;
    return true;
}

static bool is_late_answer(struct kp_pod_run *run, const struct kp_event *event)
{
    for (size_t i = 0; i < run->container_count * KP_LATE_HOOKS; i++) {
        struct kp_late_hook *late =
            &run->sync->containers[i / KP_LATE_HOOKS].late_hooks[i % KP_LATE_HOOKS];

        if (late->n != event->u.answer.n)
            continue;
        *late = (struct kp_late_hook){.answer = event->u.answer.result,
                                      .code = event->u.answer.code,
                                      .output = event->message};
        return true;
    }
    return false;
}

bool kp_sync_hook_answered(struct kp_pod_run *run, const struct kp_event *event)
{
    /* No hook has the number 0: it stands for none. */
    if (!run->sync->has_hooks || event->u.answer.n == 0)
        return false;
    if (is_late_answer(run, event))
        return true;
    for (size_t i = 0; i < run->container_count; i++)
        if (kp_kill_hook_answered(&run->sync->containers[i].kill, event))
            return true;
    if (run->sync->step != KP_SYNC_POST_START || run->sync->hook_n != event->u.answer.n)
        return false;
    run->sync->hook_answered = true;
    run->sync->hook_answer = event->u.answer.result;
    run->sync->hook_code = event->u.answer.code;
    run->sync->hook_output = event->message;
    return true;
}
