/* What the world answers to the calls of a pod sync. */
#include "start_container.h"
#include "sync_state.h"

#include <string.h>

static bool awaits_start(const struct kp_sync *sync, int container)
{
    return sync->step == KP_SYNC_START && sync->waiting && !sync->start_answered &&
           kp_sync_current_start(sync) == container;
}

/* A start that is waited for is an orphan from now on. */
static void orphan_start(struct kp_sync *sync)
{
    for (size_t i = 0; i < sync->run->container_count; i++)
        sync->containers[i].orphan_starts += awaits_start(sync, (int)i);
}

void kp_sync_forget(struct kp_sync *sync)
{
    orphan_start(sync);
    for (size_t i = 0; i < sync->run->container_count; i++) {
        sync->reasons[i].known = false;
        memset(sync->containers[i].backoffs, 0, sizeof sync->containers[i].backoffs);
        sync->containers[i].kill.state = KP_KILL_IDLE; /* nobody waits for its hook any more */
        memset(sync->containers[i].late_hooks, 0, sizeof sync->containers[i].late_hooks);
    }
    sync->waiting = sync->start_answered = sync->sandbox_answered = false;
}

/* Whoever waits has the first answer; an orphan's is the one that nobody waits for. */
static bool take_start(struct kp_sync *sync, const struct kp_event *event)
{
    unsigned *orphans = &sync->containers[event->container].orphan_starts;

    if (awaits_start(sync, event->container)) {
        sync->start_event = *event;
        sync->start_answered = true;
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

static bool take_running(struct kp_pod_run *run, const struct kp_event *event)
{
    const struct kp_node *node = run->node;
    struct kp_instance *instance;

    if (!take_start(run->sync, event))
        return false;
    instance = add_instance(run, event);
    instance->state = KP_INSTANCE_RUNNING;
    instance->restarts = event->u.running.restarts;
    instance->started_wall_ns =
        event->u.running.has_started_at
            ? kp_later_ns(event->u.running.started_at_ns, node->wall_minus_now_ns)
            : kp_node_wall_ns(node);
    return true;
}

static bool take_start_failure(struct kp_pod_run *run, const struct kp_event *event)
{
    if (!take_start(run->sync, event))
        return false;
    if (kp_text_equal(event->reason, KP_TEXT("RunContainerError")))
        add_instance(run, event)->restarts = kp_start_restart_count(run->sync, event->container);
    return true;
}

#define ASKERS 2

/* Who requests something of the runtime: the worker's sync and, up to 1.21, the killer; or NULL. */
static struct kp_sync *asker(const struct kp_pod_run *run, size_t i)
{
    return i == 0 ? run->sync : run->kill_sync;
}

static bool awaits_kill(const struct kp_sync *sync, const struct kp_event *event)
{
    const struct kp_kill *kill = sync ? &sync->containers[event->container].kill : NULL;

    return kill && kill->state == KP_KILL_STOPPING && kp_text_equal(kill->cid, event->cid);
}

static void acknowledge(struct kp_pod_run *run, struct kp_sync *sync, const struct kp_event *event,
                        bool failed)
{
    kp_prober_manager_note_kill(run->node->probers, run->handle, event->container, event->cid);
    kp_kill_acknowledge(&sync->containers[event->container].kill, event->message, failed,
                        ++sync->kills_over);
}

/* An end is everybody's who waits for it. */
static bool acknowledge_end(struct kp_pod_run *run, const struct kp_event *event)
{
    bool any = false;

    for (size_t i = 0; i < ASKERS; i++) {
        struct kp_sync *sync = asker(run, i);

        if (!awaits_kill(sync, event))
            continue;
        acknowledge(run, sync, event, false);
        any = true;
    }
    return any;
}

/* A failure is that of the request that came first. */
static bool acknowledge_failure(struct kp_pod_run *run, const struct kp_event *event, bool failed)
{
    struct kp_sync *first = NULL;

    for (size_t i = 0; i < ASKERS; i++) {
        struct kp_sync *sync = asker(run, i);

        if (awaits_kill(sync, event) &&
            (!first || sync->containers[event->container].kill.request <
                           first->containers[event->container].kill.request))
            first = sync;
    }
    if (first)
        acknowledge(run, first, event, failed);
    return first;
}

static bool take_end(struct kp_pod_run *run, const struct kp_event *event,
                     struct kp_instance *instance)
{
    if (instance && instance->state != KP_INSTANCE_EXITED) {
        kp_runtime_exit(instance, event->u.exit_code, event->reason, kp_node_wall_ns(run->node));
        instance->message = event->message;
        run->truth.changed = true;
    }
    return acknowledge_end(run, event) || instance;
}

static bool says_not_found(struct kp_text error)
{
    static const struct kp_text code = {"code = NotFound", 15};

    for (size_t i = 0; i + code.len <= error.len; i++)
        if (kp_text_equal((struct kp_text){error.bytes + i, code.len}, code))
            return true;
    return false;
}

/* That the runtime has lost it is as good as stopped (S-204), and it is not listed any more.  A
 * kill whose container ended meanwhile is complete: that it failed as well changes nothing. */
static bool take_kill_failure(struct kp_pod_run *run, const struct kp_event *event,
                              const struct kp_instance *instance)
{
    bool lost = says_not_found(event->message);
    bool failed = !lost || !run->node->profile.not_found_is_stopped;

    if (!acknowledge_failure(run, event, failed))
        return instance && instance->state == KP_INSTANCE_EXITED;
    if (!lost)
        return true;
    if (instance)
        kp_runtime_remove(&run->truth, event->container,
                          (size_t)(instance - run->truth.containers[event->container].list));
    run->truth.changed = true;
    return true;
}

static bool awaits_sandbox(const struct kp_sync *sync, const struct kp_event *event)
{
    enum kp_sync_step step = event->u.sandbox.what == KP_SANDBOX_CREATE ? KP_SYNC_CREATE_SANDBOX
                                                                        : KP_SYNC_STOP_SANDBOXES;
    uint32_t attempt;

    if (!sync || sync->step != step || !sync->waiting || sync->sandbox_answered)
        return false;
    attempt = step == KP_SYNC_STOP_SANDBOXES ? sync->view.sandboxes[sync->at].attempt
                                             : sync->actions.attempt;
    return attempt == event->u.sandbox.attempt;
}

/* The one that requested it first; NULL: nobody has. */
static struct kp_sync *who_awaits_sandbox(const struct kp_pod_run *run,
                                          const struct kp_event *event)
{
    struct kp_sync *first = NULL;

    for (size_t i = 0; i < ASKERS; i++) {
        struct kp_sync *sync = asker(run, i);

        if (awaits_sandbox(sync, event) &&
            (!first || sync->sandbox_request < first->sandbox_request))
            first = sync;
    }
    return first;
}

static void book_sandbox(struct kp_runtime_view *truth, const struct kp_event *event)
{
    struct kp_sandbox *sandbox = kp_runtime_sandbox_find(truth, event->u.sandbox.attempt);

    truth->changed = true;
    if (event->u.sandbox.what == KP_SANDBOX_STOP && sandbox)
        sandbox->ready = false;
    if (event->u.sandbox.what == KP_SANDBOX_CREATE && !sandbox)
        kp_runtime_sandbox_add(truth, event->u.sandbox.attempt);
}

/* What a kubelet that died has requested, the runtime did all the same. */
static bool take_sandbox(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_sync *sync = who_awaits_sandbox(run, event);
    bool failed = event->u.sandbox.failed;

    if (sync) {
        failed =
            failed && !(run->node->profile.not_found_is_stopped && says_not_found(event->message));
        sync->sandbox_answered = true;
        sync->sandbox_failed = failed;
        if (failed)
            sync->sandbox_error = event->message;
    }
    if (!failed && (sync || run->orphaned))
        book_sandbox(&run->truth, event);
    return sync;
}

static bool take_container_event(struct kp_pod_run *run, const struct kp_event *event)
{
    struct kp_instance *instance = kp_runtime_find(&run->truth, event->container, event->cid);

    switch (event->kind) {
    case KP_EVENT_RUNNING:
        return take_running(run, event);
    case KP_EVENT_STARTFAIL:
        return take_start_failure(run, event);
    case KP_EVENT_EXITED:
        return take_end(run, event, instance);
    default:
        return take_kill_failure(run, event, instance);
    }
}

enum kp_err kp_sync_take_event(struct kp_pod_run *run, const struct kp_event *event)
{
    size_t count = kp_pod_container_count(&run->api);
    bool expected;

    if (event->kind == KP_EVENT_SANDBOX)
        expected = take_sandbox(run, event);
    else if (event->container < 0 || (size_t)event->container >= count)
        return KP_EINPUT;
    else
        expected = take_container_event(run, event);
    return expected || run->orphaned ? KP_OK : KP_EINPUT;
}

static bool is_late_answer(struct kp_sync *sync, const struct kp_event *event)
{
    for (size_t i = 0; i < sync->view.container_count * KP_LATE_HOOKS; i++) {
        struct kp_late_hook *late =
            &sync->containers[i / KP_LATE_HOOKS].late_hooks[i % KP_LATE_HOOKS];

        if (late->n != event->u.answer.n)
            continue;
        *late = (struct kp_late_hook){.answer = event->u.answer.result,
                                      .code = event->u.answer.code,
                                      .output = event->message};
        return true;
    }
    return false;
}

static bool pre_stop_answered(struct kp_sync *sync, const struct kp_event *event)
{
    if (is_late_answer(sync, event))
        return true;
    for (size_t i = 0; i < sync->view.container_count; i++)
        if (kp_kill_hook_answered(&sync->containers[i].kill, event))
            return true;
    return false;
}

bool kp_sync_hook_answered(struct kp_pod_run *run, const struct kp_event *event)
{
    /* No hook has the number 0: it stands for none. */
    if (!run->sync->has_hooks || event->u.answer.n == 0)
        return false;
    for (size_t i = 0; i < ASKERS; i++)
        if (asker(run, i) && pre_stop_answered(asker(run, i), event))
            return true;
    if (run->sync->step != KP_SYNC_POST_START || run->sync->hook_n != event->u.answer.n)
        return false;
    run->sync->hook_answered = true;
    run->sync->hook_answer = event->u.answer.result;
    run->sync->hook_code = event->u.answer.code;
    run->sync->hook_output = event->message;
    return true;
}
