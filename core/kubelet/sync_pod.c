#include "sync_steps.h"

#include "pleg.h"
#include "pod_workers_before_122.h"
#include "status_manager.h"

static bool find_result(void *ctx, enum kp_probe_type type, int container, struct kp_text cid,
                        enum kp_result *result)
{
    const struct kp_pod_run *run = ctx;

    return kp_results_get(run->node->probers, type, run->handle, container, cid, result);
}

static void compute_actions(struct kp_pod_run *run)
{
    struct kp_actions_input input = {
        .profile = &run->node->profile,
        .pod = run->sync->pod,
        .runtime = &run->sync->view,
        .result = find_result,
        .ctx = run,
        .restart_all = run->sync->restarting_all,
    };

    kp_pod_actions_compute(&run->sync->actions, &input);
    if (run->sync->actions.sandbox_changed)
        kp_run_say_text(run, KP_POD_ITSELF, KP_NORMAL, KP_TEXT("SandboxChanged"),
                        KP_TEXT("Pod sandbox changed, it will be killed and re-created."),
                        KP_RULE_EVENT_REASONS);
}

static struct kp_status_box *make_status(struct kp_pod_run *run, const struct kp_pod *pod,
                                         const struct kp_sync_order *order,
                                         const struct kp_runtime_view *view, bool is_terminal)
{
    const struct kp_pod_status *cached = kp_status_cached(run);
    struct kp_status_input input = {.profile = &run->node->profile,
                                    .pod = pod,
                                    .others = order->others,
                                    .old = cached ? cached : pod->status,
                                    .view = view,
                                    .address = order->address,
                                    .reasons = run->sync->reasons,
                                    .is_terminal = is_terminal,
                                    .probers = run->node->probers,
                                    .handle = run->handle,
                                    .now_ns = run->node->now_ns};
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    kp_pod_status_generate(box, &input);
    return box;
}

static struct kp_status_box *generate_status(struct kp_pod_run *run, bool is_terminal)
{
    return make_status(run, run->sync->pod, run->sync->order, &run->sync->view, is_terminal);
}

void kp_sync_look(struct kp_pod_run *run)
{
    const struct kp_sync_order order = {.others = run->others,
                                        .address = kp_pleg_address(run->pleg)};

    kp_status_box_drop(make_status(run, &run->api, &order, kp_pleg_cache(run->pleg), false));
}

static void renew_status(struct kp_pod_run *run, bool is_terminal)
{
    kp_status_set(run, run->sync->pod, generate_status(run, is_terminal), false);
}

/* The status goes out before anything is done (S-026), so what is about to be killed is still Ready
 * in it (S-332). */
static void begin_sync(struct kp_pod_run *run)
{
    struct kp_status_box *box = generate_status(run, false);
    enum kp_phase phase = box->status.phase;

    run->sync->restarting_all = kp_status_is_true(&box->status, "AllContainersRestarting");
    run->sync->result.terminal =
        kp_phase_is_terminal(phase) && run->node->profile.final_phase_waits;
    kp_status_set(run, run->sync->pod, box, false);
    if (run->sync->result.terminal)
        return;
    if (!run->node->profile.worker_phases && kp_old_sync_kills(run->sync->pod, phase)) {
        run->sync->only_kills = true;
        kp_sync_begin_pod_kill(run);
        return;
    }
    run->has_cgroup = true;
    if (run->node->profile.add_pod_each_sync)
        kp_prober_manager_add_pod(run->node->probers, run->handle, &run->api, run->node->now_ns);
    compute_actions(run);
    if (run->sync->actions.kill_pod)
        kp_sync_begin_pod_kill(run);
    else
        kp_sync_enter(run, KP_SYNC_KILL_SOME);
}

static void begin_terminating(struct kp_pod_run *run)
{
    renew_status(run, false);
    kp_prober_manager_stop_liveness_and_startup(run->node->probers, run->handle);
    kp_sync_begin_pod_kill(run);
}

static size_t count_failures(const struct kp_pod_run *run)
{
    size_t count = run->sync->sandbox_error.len > 0;

    for (size_t i = 0; i < run->container_count; i++)
        count += run->sync->containers[i].kill.state == KP_KILL_FAILED;
    return count;
}

#define NO_FAILURE SIZE_MAX

/* Failures are told in the order in which they came. */
static bool came_before(const struct kp_pod_run *run, size_t a, size_t b)
{
    return run->sync->containers[a].kill.place < run->sync->containers[b].kill.place;
}

static size_t next_failure(const struct kp_pod_run *run, size_t last)
{
    size_t next = NO_FAILURE;

    for (size_t i = 0; i < run->container_count; i++) {
        if (run->sync->containers[i].kill.state != KP_KILL_FAILED)
            continue;
        if (last != NO_FAILURE && !came_before(run, last, i))
            continue;
        if (next == NO_FAILURE || came_before(run, i, next))
            next = i;
    }
    return next;
}

static void write_failure(struct kp_buf *buf, struct kp_text action, struct kp_text target,
                          struct kp_text error, struct kp_text end)
{
    kp_buf_put(buf, KP_TEXT("failed to "));
    kp_buf_put_quoted(buf, action);
    kp_buf_put(buf, KP_TEXT(" for "));
    kp_buf_put_quoted(buf, target);
    kp_buf_put(buf, KP_TEXT(" with "));
    kp_buf_put(buf, action);
    kp_buf_put(buf, KP_TEXT("Error: "));
    kp_buf_put_quoted(buf, error);
    kp_buf_put(buf, end);
}

static void write_failures(struct kp_buf *buf, const void *of)
{
    const struct kp_pod_run *run = of;
    struct kp_text end = run->node->profile.sync_errors_are_bare ? KP_TEXT_NONE : KP_TEXT("\n");
    const char *between = "";

    for (size_t i = next_failure(run, NO_FAILURE); i != NO_FAILURE; i = next_failure(run, i)) {
        kp_buf_put(buf, kp_text_of(between));
        write_failure(buf, KP_TEXT("KillContainer"), run->sync->pod->containers[i].name,
                      run->sync->containers[i].kill.error, end);
        between = ", ";
    }
    if (run->sync->sandbox_error.len > 0) {
        kp_buf_put(buf, kp_text_of(between));
        write_failure(buf, KP_TEXT("KillPodSandbox"), run->sync->pod->uid, run->sync->sandbox_error,
                      end);
    }
}

/* The error of killPod: one failure as it is, several as a Go aggregate (S-221). */
static void say_kill_failed(struct kp_pod_run *run)
{
    bool several = count_failures(run) > 1;
    struct kp_message message = {.count = 0};

    kp_message_add(&message, KP_TEXT("error killing pod: "));
    if (several)
        kp_message_add(&message, KP_TEXT("["));
    kp_message_add_written(&message, write_failures, run);
    if (several)
        kp_message_add(&message, KP_TEXT("]"));
    kp_run_say(run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("FailedKillPod"), &message,
               KP_RULE_SYNC_ERROR_NAMES);
}

/* PerformPodKillingWork, whose errors are logged alone. */
static bool is_killers(const struct kp_sync_order *order)
{
    return order->type == KP_WORK_UNWANTED || order->type == KP_WORK_REMOVED;
}

static void end_terminating(struct kp_pod_run *run)
{
    if (run->sync->result.failed && !is_killers(run->sync->order)) {
        say_kill_failed(run);
        kp_sync_fail(run);
        return;
    }
    kp_sync_enter(run, KP_SYNC_END);
    if (run->sync->only_kills)
        return;
    kp_prober_manager_remove_pod(run->node->probers, run->handle);
    if (run->node->runtime.down) { /* whether something of it still runs cannot be read */
        kp_sync_fail(run);
        return;
    }
    if (run->node->profile.status_after_kill) {
        kp_runtime_view_copy(&run->sync->view, &run->truth);
        renew_status(run, true);
    }
}

static void begin_unwanted(struct kp_pod_run *run)
{
    run->sync->only_kills = true;
    kp_sync_begin_pod_kill(run);
}

static void begin_terminated(struct kp_pod_run *run)
{
    renew_status(run, true);
    kp_status_terminate(run, run->sync->pod);
}

static bool step(struct kp_pod_run *run)
{
    switch (run->sync->step) {
    case KP_SYNC_KILL_POD:
        return kp_step_kill_pod(run);
    case KP_SYNC_STOP_SANDBOXES:
        return kp_step_stop_sandboxes(run);
    case KP_SYNC_KILL_SOME:
        return kp_step_kill_some(run);
    case KP_SYNC_RESET:
        return kp_step_reset(run);
    case KP_SYNC_CREATE_SANDBOX:
        return kp_step_create_sandbox(run);
    case KP_SYNC_START:
        return kp_step_start(run);
    case KP_SYNC_POST_START:
        return kp_step_post_start(run);
    case KP_SYNC_POST_START_KILL:
        return kp_step_post_start_kill(run);
    case KP_SYNC_KILLED:
        end_terminating(run);
        return true;
    case KP_SYNC_END:
        break;
    }
    return false;
}

void kp_sync_continue(struct kp_pod_run *run)
{
    while (step(run))
        ;
}

void kp_sync_begin(struct kp_pod_run *run, const struct kp_sync_order *order)
{
    struct kp_sync *sync = run->sync;

    sync->order = order;
    sync->pod = &order->pod;
    kp_runtime_view_copy(&sync->view, order->view);
    sync->result = (struct kp_sync_result){.expiry_ns = KP_NEVER};
    sync->sandbox_error = KP_TEXT_NONE;
    kp_sync_enter(run, KP_SYNC_END); /* unless one of them knows better */
    if (order->type == KP_WORK_SYNC)
        begin_sync(run);
    else if (order->type == KP_WORK_TERMINATING)
        begin_terminating(run);
    else if (is_killers(order))
        begin_unwanted(run);
    else
        begin_terminated(run);
    kp_sync_continue(run);
}

bool kp_sync_is_over(const struct kp_pod_run *run)
{
    return run->sync->step == KP_SYNC_END;
}

const struct kp_sync_result *kp_sync_result(const struct kp_pod_run *run)
{
    return &run->sync->result;
}

int64_t kp_sync_wakes_ns(const struct kp_pod_run *run, const struct kp_sync *sync)
{
    int64_t next_ns = KP_NEVER;

    if (sync->step == KP_SYNC_POST_START)
        return sync->until_ns;
    for (size_t i = 0; i < run->container_count; i++) {
        const struct kp_kill *kill = &sync->containers[i].kill;

        if (!kp_kill_is_over(kill) && kill->deadline_ns < next_ns)
            next_ns = kill->deadline_ns;
    }
    return next_ns;
}
