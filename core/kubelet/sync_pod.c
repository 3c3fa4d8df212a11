#include "active_deadline.h"
#include "hook_text.h"
#include "pleg.h"
#include "pod_workers_before_122.h"
#include "restart_policy.h"
#include "start_container.h"
#include "status_manager.h"
#include "sync_state.h"

/* ---- what a sync keeps ----------------------------------------------------------------------- */

enum kp_err kp_sync_reserve_texts(struct kp_sync *sync)
{
    for (size_t i = 0; i < kp_pod_container_count(&sync->run->api); i++) {
        if (kp_start_reserve(sync, (int)i) != KP_OK)
            return KP_ENOMEM;
        if (kp_hook_text_reserve(sync, (int)i) != KP_OK)
            return KP_ENOMEM;
    }
    return KP_OK;
}

enum kp_err kp_sync_new(struct kp_pod_run *run, struct kp_sync **out)
{
    const struct kp_mem *mem = run->node->mem;
    size_t count = run->container_count;
    struct kp_sync *sync = kp_mem_array(mem, 1, sizeof *sync);

    *out = sync;
    if (sync)
        sync->run = run;
    if (!sync || kp_runtime_view_init(&sync->view, mem, count) != KP_OK ||
        kp_pod_actions_init(&sync->actions, mem, count) != KP_OK)
        return KP_ENOMEM;
    sync->containers = kp_mem_array(mem, count, sizeof *sync->containers);
    sync->reasons = kp_mem_array(mem, count, sizeof *sync->reasons);
    return sync->containers && sync->reasons ? KP_OK : KP_ENOMEM;
}

void kp_sync_free(struct kp_sync *sync, const struct kp_mem *mem)
{
    if (!sync)
        return;
    kp_pod_actions_deinit(&sync->actions, mem);
    for (size_t i = 0; sync->containers && i < sync->view.container_count; i++) {
        kp_mem_free(mem, sync->containers[i].texts[0].bytes);
        kp_mem_free(mem, sync->containers[i].hook_texts.bytes);
    }
    kp_runtime_view_deinit(&sync->view, mem);
    kp_mem_free(mem, sync->containers);
    kp_mem_free(mem, sync->reasons);
    kp_mem_free(mem, sync);
}

void kp_sync_emit_late_hooks(struct kp_sync *sync)
{
    for (size_t i = 0; sync->has_hooks && i < kp_pod_container_count(&sync->run->api); i++)
        kp_kill_emit_late(sync, (int)i);
}

/* ---- what it decides ------------------------------------------------------------------------- */

static bool find_result(void *ctx, enum kp_probe_type type, int container, struct kp_text cid,
                        enum kp_result *result)
{
    const struct kp_pod_run *run = ctx;

    return kp_results_get(run->node->probers, type, run->handle, container, cid, result);
}

static void compute_actions(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;
    struct kp_actions_input input = {
        .profile = &run->node->profile,
        .pod = sync->pod,
        .runtime = &sync->view,
        .result = find_result,
        .ctx = run,
        .restart_all = sync->restarting_all,
    };

    kp_pod_actions_compute(&sync->actions, &input);
    if (sync->actions.sandbox_changed)
        kp_run_record_text(run, KP_POD_ITSELF, KP_NORMAL, KP_TEXT("SandboxChanged"),
                           KP_TEXT("Pod sandbox changed, it will be killed and re-created."),
                           KP_RULE_EVENT_REASONS);
}

static struct kp_status_box *make_status(struct kp_pod_run *run, const struct kp_pod *pod,
                                         const struct kp_sync_order *order,
                                         const struct kp_runtime_view *view, bool is_terminal)
{
    const struct kp_pod_status *old = kp_status_cached(run) ? kp_status_cached(run) : pod->status;
    struct kp_status_input input = {
        .profile = &run->node->profile,
        .pod = pod,
        .others = order->others,
        .old = old,
        .view = view,
        .address = order->address,
        .reasons = run->sync->reasons,
        .is_terminal = is_terminal,
        .past_deadline = kp_active_deadline_left_ns(pod, old, kp_node_wall_ns(run->node)) <= 0,
        .probers = run->node->probers,
        .handle = run->handle,
        .now_ns = run->node->now_ns};
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    kp_pod_status_generate(box, &input);
    if (input.past_deadline)
        kp_run_record_text(run, KP_POD_ITSELF, KP_NORMAL, box->status.reason, box->status.message,
                           KP_RULE_ACTIVE_DEADLINE);
    return box;
}

static struct kp_status_box *generate_status(struct kp_sync *sync, bool is_terminal)
{
    return make_status(sync->run, sync->pod, sync->order, &sync->view, is_terminal);
}

void kp_sync_ask_status(struct kp_pod_run *run)
{
    const struct kp_sync_order order = {.address = kp_pleg_address(run->pleg)};

    kp_status_box_unref(make_status(run, &run->api, &order, kp_pleg_cache(run->pleg), false));
}

static void renew_status(struct kp_sync *sync, bool is_terminal)
{
    kp_status_set(sync->run, sync->pod, generate_status(sync, is_terminal), false);
}

/* The status goes out before anything is done (S-026), so what is about to be killed is still Ready
 * in it (S-332).  Returns its phase. */
static enum kp_phase begin_with_status(struct kp_sync *sync)
{
    struct kp_status_box *box = generate_status(sync, false);
    enum kp_phase phase = box->status.phase;

    sync->restarting_all = kp_status_is_true(&box->status, "AllContainersRestarting");
    sync->result.terminal =
        kp_phase_is_terminal(phase) && sync->run->node->profile.final_phase_waits;
    sync->makes_cgroup =
        !sync->run->has_cgroup && kp_old_sync_sees_running(sync->pod, &box->status);
    kp_status_set(sync->run, sync->pod, box, false);
    return phase;
}

/* Cgroup, AddPod, then what computePodActions decides. */
static void act(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;

    run->has_cgroup = true;
    if (run->node->profile.add_pod_each_sync)
        kp_prober_manager_add_pod(run->node->probers, run->handle, sync->pod, run->node->now_ns);
    compute_actions(sync);
    if (sync->actions.kill_pod)
        kp_sync_begin_pod_kill(sync);
    else
        kp_sync_enter(sync, KP_SYNC_KILL_SOME);
}

/* Whether that kill failed is nobody's concern; who runs once gets no cgroup after it. */
static void act_after_kill(struct kp_sync *sync)
{
    bool killed = !sync->result.failed;

    sync->makes_cgroup = sync->result.failed = false;
    act(sync);
    sync->run->has_cgroup = !killed || !kp_pod_policy_is(sync->pod, "Never");
}

/* What runs without a cgroup, which up to 1.20 housekeeping may have taken away, is killed first.
 */
static void begin_sync(struct kp_sync *sync)
{
    enum kp_phase phase = begin_with_status(sync);

    if (sync->result.terminal)
        return;
    sync->only_kills =
        !sync->run->node->profile.worker_phases && kp_old_sync_kills(sync->pod, phase);
    if (sync->only_kills || sync->makes_cgroup)
        kp_sync_begin_pod_kill(sync);
    else
        act(sync);
}

static void begin_terminating(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;

    renew_status(sync, false);
    kp_prober_manager_stop_liveness_and_startup(run->node->probers, run->handle);
    kp_sync_begin_pod_kill(sync);
}

static size_t count_failures(const struct kp_sync *sync)
{
    size_t count = sync->sandbox_error.len > 0;

    for (size_t i = 0; i < kp_pod_container_count(sync->pod); i++)
        count += sync->containers[i].kill.state == KP_KILL_FAILED;
    return count;
}

#define NO_FAILURE SIZE_MAX

/* Failures are reported in the order in which they came. */
static bool came_before(const struct kp_sync *sync, size_t a, size_t b)
{
    return sync->containers[a].kill.place < sync->containers[b].kill.place;
}

static size_t next_failure(const struct kp_sync *sync, size_t last)
{
    size_t next = NO_FAILURE;

    for (size_t i = 0; i < kp_pod_container_count(sync->pod); i++) {
        if (sync->containers[i].kill.state != KP_KILL_FAILED)
            continue;
        if (last != NO_FAILURE && !came_before(sync, last, i))
            continue;
        if (next == NO_FAILURE || came_before(sync, i, next))
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
    const struct kp_sync *sync = of;
    struct kp_text end =
        sync->run->node->profile.sync_errors_are_bare ? KP_TEXT_NONE : KP_TEXT("\n");
    const char *between = "";

    for (size_t i = next_failure(sync, NO_FAILURE); i != NO_FAILURE; i = next_failure(sync, i)) {
        kp_buf_put(buf, kp_text_of(between));
        write_failure(buf, KP_TEXT("KillContainer"), sync->pod->containers[i].name,
                      sync->containers[i].kill.error, end);
        between = ", ";
    }
    if (sync->sandbox_error.len > 0) {
        kp_buf_put(buf, kp_text_of(between));
        write_failure(buf, KP_TEXT("KillPodSandbox"), sync->pod->uid, sync->sandbox_error, end);
    }
}

/* The error of killPod: one failure as it is, several as a Go aggregate (S-221). */
static void record_kill_failed(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;
    bool several = count_failures(sync) > 1;
    struct kp_message message = {.count = 0};

    kp_message_add(&message, KP_TEXT("error killing pod: "));
    if (several)
        kp_message_add(&message, KP_TEXT("["));
    kp_message_add_written(&message, write_failures, sync);
    if (several)
        kp_message_add(&message, KP_TEXT("]"));
    kp_run_record(run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("FailedKillPod"), &message,
                  KP_RULE_SYNC_ERROR_NAMES);
}

/* PerformPodKillingWork, whose errors are logged alone. */
static bool is_killers(const struct kp_sync_order *order)
{
    return order->type == KP_WORK_UNWANTED || order->type == KP_WORK_REMOVED;
}

static void end_terminating(struct kp_sync *sync)
{
    struct kp_pod_run *run = sync->run;

    if (sync->result.failed) {
        record_kill_failed(sync);
        kp_sync_fail(sync);
        return;
    }
    kp_sync_enter(sync, KP_SYNC_END);
    if (sync->only_kills)
        return;
    kp_prober_manager_remove_pod(run->node->probers, run->handle);
    if (run->node->runtime.down) { /* whether something of it still runs cannot be read */
        kp_sync_fail(sync);
        return;
    }
    if (run->node->profile.status_after_kill) {
        kp_runtime_view_copy(&sync->view, &run->truth);
        renew_status(sync, true);
    }
}

static void begin_terminated(struct kp_sync *sync)
{
    const struct kp_profile *profile = &sync->run->node->profile;
    /* Up to 1.26 the object of a pod without a cgroup goes before its last status (S-344). */
    bool goes = profile->worker_phases && !profile->status_after_kill && sync->pod->has_deletion &&
                !sync->run->has_cgroup;

    kp_status_set(sync->run, sync->pod, generate_status(sync, true), goes);
    if (!goes)
        kp_status_terminate(sync->run, sync->pod);
}

static bool step(struct kp_sync *sync)
{
    switch (sync->step) {
    case KP_SYNC_KILL_POD:
        return kp_step_kill_pod(sync);
    case KP_SYNC_STOP_SANDBOXES:
        return kp_step_stop_sandboxes(sync);
    case KP_SYNC_KILL_SOME:
        return kp_step_kill_some(sync);
    case KP_SYNC_RESET:
        return kp_step_reset(sync);
    case KP_SYNC_CREATE_SANDBOX:
        return kp_step_create_sandbox(sync);
    case KP_SYNC_START:
        return kp_step_start(sync);
    case KP_SYNC_POST_START:
        return kp_step_post_start(sync);
    case KP_SYNC_POST_START_KILL:
        return kp_step_post_start_kill(sync);
    case KP_SYNC_KILLED:
        if (is_killers(sync->order))
            kp_sync_enter(sync, KP_SYNC_END);
        else if (sync->makes_cgroup && !sync->only_kills)
            act_after_kill(sync);
        else
            end_terminating(sync);
        return true;
    case KP_SYNC_END:
        break;
    }
    return false;
}

void kp_sync_continue(struct kp_sync *sync)
{
    while (step(sync))
        ;
}

void kp_sync_begin(struct kp_sync *sync, const struct kp_sync_order *order)
{
    sync->order = order;
    sync->pod = &order->pod;
    kp_runtime_view_copy(&sync->view, order->view);
    sync->result = (struct kp_sync_result){.expiry_ns = KP_NEVER};
    sync->sandbox_error = KP_TEXT_NONE;
    kp_sync_enter(sync, KP_SYNC_END); /* unless one of them knows better */
    if (order->type == KP_WORK_SYNC)
        begin_sync(sync);
    else if (order->type == KP_WORK_TERMINATING)
        begin_terminating(sync);
    else if (is_killers(order))
        kp_sync_begin_pod_kill(sync);
    else
        begin_terminated(sync);
    kp_sync_continue(sync);
}

bool kp_sync_is_over(const struct kp_sync *sync)
{
    return sync->step == KP_SYNC_END;
}

const struct kp_sync_result *kp_sync_result(const struct kp_sync *sync)
{
    return &sync->result;
}

int64_t kp_sync_wakes_ns(const struct kp_sync *sync)
{
    int64_t next_ns = KP_NEVER;

    if (sync->step == KP_SYNC_POST_START)
        return sync->until_ns;
    for (size_t i = 0; i < kp_pod_container_count(sync->pod); i++) {
        const struct kp_kill *kill = &sync->containers[i].kill;

        if (!kp_kill_is_over(kill) && kill->deadline_ns < next_ns)
            next_ns = kill->deadline_ns;
    }
    return next_ns;
}
