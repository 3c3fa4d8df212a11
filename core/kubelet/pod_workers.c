#include "pod_workers.h"

#include "pleg.h"
#include "pod_workers_before_122.h"
#include "status_manager.h"
#include "sync_pod.h"

#include <assert.h>

/* What the pod workers keep of a pod. */
struct kp_pod_worker {
    /* The update that waits: the object as it was when it came, and the status that we had
     * published by then. */
    bool pending;
    const char *pending_cause;
    bool pending_again; /* with the object that the worker has */
    bool pending_has_grace;
    struct kp_pod pending_pod;
    const struct kp_pod_status *pending_others;
    struct kp_status_box *pending_box; /* that holds the status, or NULL */
    /* The one that is taken. */
    bool waiting_relist; /* the cache is too old for it */
    bool syncing;
    const char *cause;
    struct kp_sync_order order;
    struct kp_status_box *box; /* that holds its status, or NULL */
    bool finished;
    int64_t grace_s; /* effective, 0: not calculated yet */
    bool synced_once;
    int64_t last_end_ns;   /* end of the last sync */
    bool removed;          /* what follows the sync under way is a new worker's */
    bool relist_requested; /* on demand, by that sync (S-018) */
    bool observed_since;   /* a relist on demand came after it */
    int64_t requeue_ns;    /* due in the work queue, or KP_NEVER */
};

enum kp_err kp_pod_worker_new(const struct kp_mem *mem, struct kp_pod_worker **out)
{
    struct kp_pod_worker *worker = kp_mem_array(mem, 1, sizeof *worker);

    *out = worker;
    if (!worker)
        return KP_ENOMEM;
    worker->requeue_ns = KP_NEVER;
    return KP_OK;
}

void kp_pod_worker_forget(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = run->worker;

    kp_status_box_unref(worker->pending_box);
    kp_status_box_unref(worker->box);
    /* What runs was started by the last order, and may still be answered. */
    *worker = (struct kp_pod_worker){.requeue_ns = KP_NEVER, .order = worker->order};
    run->terminating = run->terminated = false;
}

bool kp_pod_worker_is_syncing(const struct kp_pod_run *run)
{
    return run->worker->syncing;
}

bool kp_pod_worker_awaits_relist(const struct kp_pod_run *run)
{
    return run->worker->waiting_relist;
}

void kp_pod_worker_remove(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = run->worker;

    worker->pending = false;
    worker->removed = worker->syncing || worker->waiting_relist;
    worker->synced_once = worker->synced_once && worker->removed;
}

bool kp_pod_worker_take_relist(struct kp_pod_run *run)
{
    bool requested = run->worker->relist_requested;

    run->worker->relist_requested = false;
    return requested;
}

void kp_pod_worker_observe(struct kp_pod_run *run)
{
    run->worker->observed_since = true;
}

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
    run->worker->requeue_ns = run->node->now_ns + delay_ns + draw_ns;
}

bool kp_pod_worker_take_due(struct kp_pod_run *run)
{
    bool due = run->worker->requeue_ns < run->node->now_ns;

    if (due)
        run->worker->requeue_ns = KP_NEVER;
    return due;
}

int64_t kp_pod_worker_tick_ns(const struct kp_pod_run *run)
{
    int64_t due_ns = run->worker->requeue_ns;
    int64_t phase_ns;

    if (due_ns == KP_NEVER)
        return KP_NEVER;
    /* The first tick strictly after it. */
    phase_ns = (due_ns - run->node->start_ns) % KP_NS_PER_S;
    return due_ns - phase_ns + KP_NS_PER_S;
}

/* After 10 s, or from 1.35 when the back-off ends (S-021); a refusal by back-off counts as an error
 * too (S-223). */
static void enqueue_error(struct kp_pod_run *run, int64_t expiry_ns)
{
    int64_t delay_ns = 10 * KP_NS_PER_S;

    if (run->node->profile.backoff_drives_requeue) {
        if (expiry_ns != KP_NEVER)
            delay_ns = expiry_ns - run->node->now_ns;
        if (delay_ns < 0)
            delay_ns = 0;
        if (delay_ns > run->node->sync_frequency_ns) /* the plain ten seconds as well */
            delay_ns = run->node->sync_frequency_ns;
    }
    enqueue(run, delay_ns, delay_ns / 2);
}

static void take(struct kp_pod_run *run);

/* ---- updates ----------------------------------------------------------------------------- */

static bool api_is_terminal(const struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;

    return api && kp_phase_is_terminal(api->phase);
}

/* isPodStatusCacheTerminal; what runs of a pod runs in a sandbox that is ready. */
static bool nothing_left(const struct kp_runtime_view *cache)
{
    for (size_t i = 0; i < cache->sandbox_count; i++)
        if (cache->sandboxes[i].ready)
            return false;
    return true;
}

/* A new kubelet finds a pod that was through already (S-342). */
static bool is_found_over(const struct kp_pod_run *run)
{
    return run->node->profile.found_over > 0 && !run->worker->synced_once && api_is_terminal(run) &&
           nothing_left(kp_pleg_cache(run->pleg));
}

static void begin_termination(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = run->worker;

    if (run->terminating || (!run->api.has_deletion && !api_is_terminal(run)) ||
        !run->node->profile.worker_phases)
        return;
    if (is_found_over(run)) {
        run->terminated = true;
        worker->finished = run->node->profile.found_over == 1;
    }
    run->terminating = true;
    kp_prober_manager_cancel_pod(run->node->probers, run->handle, run->node->now_ns);
}

/* What runs of it the status manager knows (podAndContainersAreTerminal). */
static struct kp_pod as_stored(const struct kp_pod_run *run)
{
    struct kp_pod pod = run->api;

    if (kp_status_cached(run))
        pod.status = kp_status_cached(run);
    return pod;
}

bool kp_pod_worker_listens(const struct kp_pod_run *run)
{
    const struct kp_profile *profile = &run->node->profile;
    struct kp_pod pod = as_stored(run);

    if (profile->worker_phases)
        return !run->worker->finished;
    return kp_old_worker_sets_last_status(profile, &pod) || kp_old_worker_dispatches(profile, &pod);
}

/* Up to 1.21 a deleted pod of which nothing runs gets its last status in place of a sync. */
static bool dispatches(struct kp_pod_run *run)
{
    const struct kp_profile *profile = &run->node->profile;
    struct kp_pod pod = as_stored(run);

    if (profile->worker_phases)
        return true;
    if (!kp_old_worker_sets_last_status(profile, &pod))
        return kp_old_worker_dispatches(profile, &pod);
    kp_status_terminate(run, &run->api);
    return false;
}

/* S-019, S-331.  again: with the object of the sync that requests it. */
static void update(struct kp_pod_run *run, const char *cause, bool again)
{
    struct kp_pod_worker *worker = run->worker;

    /* Of a pod that the API has no more a new kubelet finds what is left by itself. */
    if (run->gone || !dispatches(run))
        return;
    begin_termination(run);
    if (worker->finished)
        return;
    worker->pending_others = run->others;
    worker->pending_pod = run->api;
    kp_status_box_put(&worker->pending_box, kp_status_box_ref(kp_status_published(run)));
    worker->pending_has_grace = run->terminating;
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
    struct kp_pod_worker *worker = run->worker;

    if (worker->order.type == KP_WORK_TERMINATED) {
        worker->finished = true;
        return;
    }
    if (worker->order.type == KP_WORK_TERMINATING) {
        run->terminated = true;
    } else {
        run->terminating = true;
    }
    if (!run->node->profile.update_outlives_phase) {
        worker->pending_again = true;
        worker->pending_has_grace = false;
    }
    worker->pending = true; /* requeueLastPodUpdate: the next phase begins as soon as possible */
    enqueue(run, 0, 0);     /* and, should that fail, once more at the next tick */
}

static void complete(struct kp_pod_run *run)
{
    const struct kp_sync_result *result = kp_sync_result(run->sync);
    struct kp_pod_worker *worker = run->worker;
    bool is_plain = worker->order.type == KP_WORK_SYNC;

    worker->syncing = false;
    worker->synced_once = !worker->removed;
    worker->removed = false;
    worker->last_end_ns = run->node->now_ns;
    worker->observed_since = false;
    if (result->failed) {
        enqueue_error(run, result->expiry_ns);
        return;
    }
    worker->relist_requested =
        is_plain && result->did_something && run->node->profile.gates[KP_GATE_PLEGOnDemandRelist];
    if (!is_plain || result->terminal)
        complete_phase(run);
    else
        enqueue(run, run->node->sync_frequency_ns, run->node->sync_frequency_ns / 2);
    if (result->removed_some)
        update(run, "restart all", true); /* in place of one that waits (S-224) */
}

static void take(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = run->worker;
    struct kp_sync_order *order = &worker->order;

    worker->pending = false;
    worker->waiting_relist = true;
    worker->cause = worker->pending_cause;
    order->type = run->terminated    ? KP_WORK_TERMINATED
                  : run->terminating ? KP_WORK_TERMINATING
                                     : KP_WORK_SYNC;
    order->has_override = worker->pending_has_grace;
    order->override_s = worker->grace_s;
    if (worker->pending_again)
        return;
    /* The status manager's writes do not reach a worker by themselves, nor up to 1.21 a deletion
     * that needs no sync. */
    order->pod = worker->pending_pod;
    order->others = worker->pending_others;
    kp_status_box_put(&worker->box, kp_status_box_ref(worker->pending_box));
    assert(!worker->box || order->pod.status == &worker->box->status);
}

/* Has a good relist come after the pod's last sync (S-020)? */
static bool cache_is_newer(const struct kp_pod_run *run)
{
    const struct kp_pod_worker *worker = run->worker;

    return !worker->synced_once || worker->observed_since ||
           kp_runtime_last_relist_ns(run->node) > worker->last_end_ns;
}

static void begin(struct kp_pod_run *run)
{
    struct kp_effect effect =
        kp_run_effect(run, KP_EFFECT_SYNC, KP_POD_ITSELF, KP_RULE_SYNC_LOOP_ITERATION);
    struct kp_pod_worker *worker = run->worker;

    worker->waiting_relist = false;
    worker->syncing = true;
    worker->order.view = kp_pleg_cache(run->pleg);
    worker->order.address = kp_pleg_address(run->pleg);
    effect.u.cause = kp_text_of(worker->cause);
    if (worker->order.type == KP_WORK_SYNC)
        kp_run_emit(run, &effect);
    kp_sync_begin(run->sync, &worker->order);
}

void kp_pod_worker_poll(struct kp_pod_run *run)
{
    struct kp_pod_worker *worker = run->worker;

    if (worker->syncing) {
        kp_sync_continue(run->sync);
        if (!kp_sync_is_over(run->sync))
            return;
        complete(run);
    }
    while (!worker->finished && (worker->waiting_relist || worker->pending)) {
        if (!worker->waiting_relist)
            take(run);
        if (!cache_is_newer(run))
            return;
        begin(run);
        if (!kp_sync_is_over(run->sync))
            return;
        complete(run);
    }
}
