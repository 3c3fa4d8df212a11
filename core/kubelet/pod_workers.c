#include "pod_workers.h"

#include "pleg.h"
#include "pod_workers_before_122.h"
#include "status_manager.h"
#include "sync_pod.h"

/* A deletion's grace can only shrink, and is at least 1 (S-030). */
int64_t kp_pod_worker_grace_s(const struct kp_profile *profile, int64_t recorded_s,
                              const struct kp_pod *pod)
{
    int64_t grace_s = recorded_s;
    bool overridden = false;

    if (pod->has_deletion_grace && (grace_s == 0 || pod->deletion_grace_s < grace_s)) {
        grace_s = pod->deletion_grace_s;
        overridden = profile->grace_of_none_counts;
    }
    if (!overridden && grace_s == 0 && pod->has_grace)
        grace_s = pod->grace_s;
    return grace_s < 1 ? 1 : grace_s;
}

/* ---- the work queue ---------------------------------------------------------------------- */

/* Syncs the pod again after the delay and a random part of the range; an earlier request is
 * replaced (S-023). */
static void enqueue(struct kp_pod_run *run, int64_t delay_ns, int64_t jitter_range_ns)
{
    const struct kp_draws *draws = &run->node->draws;
    int64_t draw_ns = 0;

    if (draws->requeue_ns && jitter_range_ns > 0) {
        draw_ns = draws->requeue_ns(draws->ctx, jitter_range_ns);
        /* A random fraction is less than 1: the whole range is never drawn. */
        if (draw_ns >= jitter_range_ns)
            draw_ns = jitter_range_ns - 1;
    }
    run->worker.requeue_ns = run->node->now_ns + delay_ns + draw_ns;
}

int64_t kp_pod_worker_tick_ns(const struct kp_pod_run *run)
{
    int64_t due_ns = run->worker.requeue_ns;
    int64_t phase_ns;

    if (due_ns == KP_NEVER || run->gone)
        return KP_NEVER;
    /* The first tick strictly after it. */
    phase_ns = (due_ns - run->node->start_ns) % KP_NS_PER_S;
    return due_ns - phase_ns + KP_NS_PER_S;
}

/* After 10 s, or from 1.35 when the back-off ends (S-021); a refusal by back-off counts as an error
 * too (S-223). */
static void enqueue_error(struct kp_pod_run *run)
{
    int64_t delay_ns = 10 * KP_NS_PER_S;

    if (run->node->profile.backoff_drives_requeue) {
        if (run->sync.expiry_ns != KP_NEVER)
            delay_ns = run->sync.expiry_ns - run->node->now_ns;
        if (delay_ns < 0)
            delay_ns = 0;
        if (delay_ns > run->node->sync_frequency_ns) /* the plain ten seconds as well */
            delay_ns = run->node->sync_frequency_ns;
    }
    enqueue(run, delay_ns, delay_ns / 2);
}

static void take(struct kp_pod_run *run);

/* ---- updates ----------------------------------------------------------------------------- */

static bool api_is_final(const struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;

    return api && (api->phase == KP_SUCCEEDED || api->phase == KP_FAILED);
}

/* isPodStatusCacheTerminal; what runs of a pod runs in a sandbox that is ready. */
static bool nothing_left(const struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->cache.sandbox_count; i++)
        if (run->cache.sandboxes[i].ready)
            return false;
    return true;
}

/* A new kubelet finds a pod that was through already (S-342). */
static bool is_found_over(const struct kp_pod_run *run)
{
    return run->node->profile.found_over > 0 && !run->worker.synced_once && api_is_final(run) &&
           nothing_left(run);
}

static void begin_termination(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = &run->worker;

    if (worker->terminating || (!run->api.has_deletion && !api_is_final(run)) ||
        !run->node->profile.worker_phases)
        return;
    if (is_found_over(run)) {
        worker->terminated = true;
        worker->finished = run->node->profile.found_over == 1;
    }
    worker->terminating = true;
    kp_prober_manager_cancel_pod(run->node->probers, run->handle, run->node->now_ns);
}

/* S-019, S-331.  again: with the object of the sync that asks for it. */
static void update(struct kp_pod_run *run, const char *cause, bool again)
{
    struct kp_pod_worker *worker = &run->worker;

    /* Of a pod that the API has no more a new kubelet finds what is left, and asks nobody. */
    if (run->gone || (!run->node->profile.worker_phases && !kp_old_worker_dispatches(run)))
        return;
    begin_termination(run);
    if (worker->finished)
        return;
    worker->pending_given = run->given;
    worker->pending_status = run->api.status;
    kp_status_box_put(&worker->pending_box, kp_status_box_hold(kp_status_published(run)));
    worker->pending_has_grace = worker->terminating && !worker->terminated;
    if (worker->pending_has_grace)
        worker->grace_s = kp_pod_worker_grace_s(&run->node->profile, worker->grace_s, &run->api);
    worker->pending = true;
    worker->pending_cause = cause;
    worker->pending_again = again;
    if (!worker->syncing && !worker->waiting_relist)
        take(run);
}

void kp_pod_worker_update(struct kp_pod_run *run, const char *cause)
{
    update(run, cause, false);
}

/* ---- the worker's loop ------------------------------------------------------------------- */

/* From syncing to terminating to terminated to finished, each next step at once (S-024). */
static void complete_phase(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = &run->worker;

    if (run->sync.type == KP_WORK_TERMINATED) {
        worker->finished = true;
        return;
    }
    if (run->sync.type == KP_WORK_TERMINATING) {
        worker->terminated = true;
    } else {
        worker->terminating = true;
    }
    worker->pending = true; /* requeueLastPodUpdate: the next phase begins as soon as possible */
    enqueue(run, 0, 0);     /* and, should that fail, once more at the next tick */
}

static void complete(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = &run->worker;

    worker->syncing = false;
    if (run->sync.type == KP_WORK_UNWANTED)
        return;
    worker->synced_once = true;
    worker->last_end_ns = run->node->now_ns;
    worker->observed_since = false;
    if (run->sync.failed) {
        enqueue_error(run);
        return;
    }
    run->relist_asked = run->sync.type == KP_WORK_SYNC && run->sync.did_something &&
                        run->node->profile.gates[KP_GATE_PLEGOnDemandRelist];
    if (run->sync.type != KP_WORK_SYNC || run->sync.terminal)
        complete_phase(run);
    else
        enqueue(run, run->node->sync_frequency_ns, run->node->sync_frequency_ns / 2);
    if (run->sync.removed_some)
        update(run, "restart all", true); /* in place of one that waits (S-224) */
}

static void take(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = &run->worker;

    worker->pending = false;
    worker->waiting_relist = true;
    worker->cause = worker->pending_cause;
    worker->has_grace = worker->pending_has_grace;
    run->sync.type = worker->terminated    ? KP_WORK_TERMINATED
                     : worker->terminating ? KP_WORK_TERMINATING
                                           : KP_WORK_SYNC;
    run->sync.has_override = worker->has_grace;
    run->sync.override_s = worker->grace_s;
    if (worker->pending_again)
        return;
    /* The status manager's writes do not reach a worker by themselves. */
    run->sync.pod = run->api;
    run->sync.pod.status = worker->pending_status;
    worker->given = worker->pending_given;
    kp_status_box_put(&worker->box, kp_status_box_hold(worker->pending_box));
}

static void begin(struct kp_pod_run *run)
{
    struct kp_effect effect =
        kp_run_effect(run, KP_EFFECT_SYNC, KP_POD_ITSELF, KP_RULE_SYNC_LOOP_ITERATION);

    run->worker.waiting_relist = false;
    run->worker.syncing = true;
    kp_runtime_view_copy(&run->work, &run->cache);
    run->work_address = run->cache_address;
    effect.u.cause = kp_text_of(run->worker.cause);
    if (run->sync.type == KP_WORK_SYNC)
        kp_run_emit(run, &effect);
    kp_sync_begin(run);
}

/* With the grace that the runtime wrote down when the containers began: that of the spec. */
void kp_pod_worker_kill_unwanted(struct kp_pod_run *run)
{
    if (run->worker.syncing || run->worker.waiting_relist)
        return;
    run->worker.syncing = true;
    run->sync.type = KP_WORK_UNWANTED;
    run->sync.pod = run->api;
    run->sync.pod.status = NULL; /* a kill asks for none */
    run->sync.pod.has_deletion_grace = false;
    kp_runtime_view_copy(&run->work, &run->truth);
    kp_sync_begin(run);
}

void kp_pod_worker_poll(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = &run->worker;

    if (worker->syncing) {
        kp_sync_continue(run);
        if (!kp_sync_is_over(run))
            return;
        complete(run);
    }
    while (!worker->finished && (worker->waiting_relist || worker->pending)) {
        if (!worker->waiting_relist)
            take(run);
        if (!kp_pleg_is_newer(run))
            return;
        begin(run);
        if (!kp_sync_is_over(run))
            return;
        complete(run);
    }
}
