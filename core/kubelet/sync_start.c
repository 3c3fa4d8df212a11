/* The steps of a pod sync that start: the sandbox, containers in order, postStart.  Upstream:
 * kuberuntime_manager.go SyncPod, steps 4 to 7. */
#include "hook_text.h"
#include "pod_workers.h"
#include "pod_workers_before_122.h"
#include "start_container.h"
#include "status_manager.h"
#include "sync_state.h"

static void record_sandbox_failed(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;
    struct kp_message message = {.count = 0};

    kp_message_add(&message, run->node->profile.sandbox_error_says_to
                                 ? KP_TEXT("Failed to create pod sandbox: ")
                                 : KP_TEXT("Failed create pod sandbox: "));
    kp_message_add(&message, sync->sandbox_error);
    kp_run_record(run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("FailedCreatePodSandBox"), &message,
                  KP_RULE_EVENT_REASONS);
}

/* The pod was deleted while its sandbox was made: up to 1.21 that counts once nothing of it runs by
 * its status. */
static bool is_no_error(const struct kp_pod_run *run)
{
    const struct kp_profile *profile = &run->node->profile;

    return profile->sandbox_error_of_deleted &&
           (profile->worker_phases ? run->terminating : kp_old_worker_has_ended(&run->api));
}

static void end_create_sandbox(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;

    if (sync->sandbox_failed) {
        if (is_no_error(run))
            sync->result.failed = false;
        else
            record_sandbox_failed(sync);
        kp_sync_enter(sync, KP_SYNC_END);
        return;
    }
    if (run->node->runtime.down) { /* its address is requested, in vain */
        kp_run_record_text(
            run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("FailedPodSandBoxStatus"),
            KP_TEXT("Unable to get pod sandbox status: rpc error: code = Unavailable "
                    "desc = connection refused"),
            KP_RULE_EVENT_REASONS);
        kp_sync_fail(sync);
        return;
    }
    kp_status_sandbox_ready(run, sync->pod);
    kp_sync_enter(sync, KP_SYNC_START);
}

bool kp_step_create_sandbox(struct kp_sync *sync)
{
    if (!sync->actions.create_sandbox) {
        kp_sync_enter(sync, KP_SYNC_START);
        return true;
    }
    if (!sync->waiting)
        kp_sync_emit_sandbox(sync, KP_SANDBOX_CREATE, sync->actions.attempt,
                             KP_RULE_SYNC_POD_STEPS);
    if (!kp_sync_take_sandbox_answer(sync))
        return false;
    end_create_sandbox(sync);
    return true;
}

/* The container that comes at that place of all starts. */
static int start_at(const struct kp_pod_actions *actions, size_t at)
{
    if (at < actions->start_ephemeral_count)
        return actions->start_ephemeral[at];
    at -= actions->start_ephemeral_count;
    if (at < actions->start_init_count)
        return actions->start_init[at];
    at -= actions->start_init_count;
    return at < actions->start_count ? actions->start[at] : KP_STARTS_OVER;
}

int kp_sync_current_start(const struct kp_sync *sync)
{
    return start_at(&sync->actions, sync->at);
}

static void next_start(struct kp_sync *sync)
{
    sync->step = KP_SYNC_START;
    sync->waiting = false;
    sync->at++;
}

/* A start that came to nothing: the others go on (S-206), this one waits for the next sync
 * (S-255). An ordinary init container is the last of its list anyway. */
static void give_up_start(struct kp_sync *sync)
{
    sync->result.failed = true;
    next_start(sync);
}

static void begin_post_start(struct kp_sync *sync, const struct kp_handler *hook)
{
    sync->step = KP_SYNC_POST_START;
    sync->until_ns = KP_NEVER;
    if (hook->sleep)
        sync->until_ns = kp_timer_ns(sync->run->node->now_ns, kp_seconds_ns(hook->sleep->seconds));
}

static bool take_start_answer(struct kp_sync *sync, int container)
{
    const struct kp_event *event = &sync->start_event;

    if (!sync->start_answered)
        return false;
    sync->start_answered = false;
    if (event->kind == KP_EVENT_STARTFAIL) {
        kp_start_failed(sync, container, event);
        give_up_start(sync);
        return true;
    }
    if (kp_start_succeeded(sync, container, event))
        next_start(sync);
    else
        begin_post_start(sync, sync->pod->containers[container].post_start);
    return true;
}

static void begin_start(struct kp_sync *sync, int container)
{
    if (kp_start_is_refused(sync, container)) {
        give_up_start(sync);
        return;
    }
    sync->result.did_something = sync->waiting = true;
    kp_start_begin(sync, container);
}

/* Start after start: Pulled, Created, Started, or BackOff (S-266). */
bool kp_step_start(struct kp_sync *sync)
{
    int container = kp_sync_current_start(sync);

    if (sync->waiting)
        return take_start_answer(sync, container);
    if (container == KP_STARTS_OVER)
        kp_sync_enter(sync, KP_SYNC_END);
    else
        begin_start(sync, container);
    return true;
}

static void fail_post_start(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    bool fixed = run->node->profile.hook_texts_fixed;
    const struct kp_handler *hook = sync->pod->containers[container].post_start;
    struct kp_text text =
        kp_hook_text(sync, container, hook, sync->hook_answer, sync->hook_code, sync->hook_output);
    struct kp_text reason = kp_hook_post_start_reason(sync, container, hook, sync->hook_answer,
                                                      sync->hook_code, sync->hook_output);
    struct kp_kill *kill;

    kp_run_record_text(run, container, KP_WARNING, KP_TEXT("FailedPostStartHook"),
                       fixed ? KP_TEXT("PostStartHook failed") : text, KP_RULE_HOOK_FAILED_TEXT);
    kp_start_note_reason(sync, container, reason, text);
    kill = kp_sync_prepare_kill(sync, container, sync->started_cid);
    kill->rule = KP_RULE_KILLING_EVENT_FIRST;
    kp_message_add(&kill->message, KP_TEXT("FailedPostStartHook"));
    sync->step = KP_SYNC_POST_START_KILL;
    kp_kill_begin(sync, kill);
}

bool kp_step_post_start(struct kp_sync *sync)
{
    int container = kp_sync_current_start(sync);
    const struct kp_node *node = sync->run->node;

    /* The pod's workers are older than its sleep, which ends behind their ticks. */
    if (!sync->hook_answered && (!node->ticked || node->now_ns < sync->until_ns))
        return false;
    if (sync->hook_answered && sync->hook_answer != KP_ANSWER_SUCCESS)
        fail_post_start(sync, container);
    else
        next_start(sync);
    return true;
}

bool kp_step_post_start_kill(struct kp_sync *sync)
{
    int container = kp_sync_current_start(sync);
    struct kp_kill *kill = &sync->containers[container].kill;

    kp_kill_step(sync, kill);
    if (!kp_kill_is_over(kill))
        return false;
    give_up_start(sync);
    return true;
}
