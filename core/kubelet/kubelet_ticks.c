#include "kubelet_ticks.h"

#include "admission.h"
#include "pleg.h"
#include "pod_killer.h"
#include "pod_workers.h"
#include "pod_workers_before_122.h"
#include "status_manager.h"
#include "sync_pod.h"

#define RELIST_NS KP_NS_PER_S
#define SYNC_NS KP_NS_PER_S
#define HOUSEKEEPING_NS (2 * KP_NS_PER_S)
#define STATUS_NS (10 * KP_NS_PER_S)
#define GC_NS (60 * KP_NS_PER_S)

/* Every so often since the kubelet began: sync and relist 1 s, housekeeping 2 s (S-002). */
static bool is_tick(const struct kp_node *node, int64_t period_ns)
{
    return kp_node_last_tick(node, period_ns) == node->now_ns;
}

static bool wants_relist(const struct kp_pod_run *run)
{
    return !run->node->runtime.down && (run->truth.changed || kp_pod_worker_awaits_relist(run));
}

/* Up to 1.21 housekeeping stops the workers of a pod that is over, and kills what is left of it
 * (S-031). */
static bool wants_housekeeping(const struct kp_loop_pod *pod)
{
    const struct kp_pod_run *run = &pod->run;

    return !run->node->profile.worker_phases && kp_old_worker_is_over(&run->api) &&
           (!pod->probes_cleaned || run->has_cgroup || kp_old_worker_left_some(&run->truth) ||
            kp_pod_killer_lists_some(run));
}

static void keep_house(struct kp_loop_pod *pod)
{
    struct kp_pod_run *run = &pod->run;

    kp_pod_worker_remove(run);
    kp_prober_manager_remove_pod(run->node->probers, run->handle);
    /* They end before a status of this instant is made, by which a container without one is ready.
     */
    kp_prober_manager_run_ready(run->node->probers, run->node->now_ns);
    if (run->node->runtime.down)
        return; /* what runs cannot be listed */
    pod->probes_cleaned = true;
    kp_pod_killer_kill(run);
    /* cleanupOrphanedPodCgroups, IsPodPendingTerminationByUID. */
    if (!run->node->profile.cgroup_outlives_kill || !kp_pod_killer_is_busy(run))
        run->has_cgroup = false;
}

void kp_tick_relist(struct kp_loop_pod *pod)
{
    const struct kp_node *node = pod->run.node;

    /* Up to 1.16 the batch of this instant asks now whether the pod has containers, and for its
     * cgroup behind the housekeeping. */
    pod->batch_may_delete =
        !node->profile.batch_before_relist ||
        kp_old_worker_is_reclaimed(&pod->run.api, kp_pleg_cache(pod->run.pleg), false);
    if (!node->runtime.down && is_tick(node, RELIST_NS))
        kp_pleg_relist(pod->run.pleg, &pod->run.truth);
}

/* A tick hands out what was due before it; one that came while the loop slept counts when the loop
 * wakes. */
void kp_tick_sync(struct kp_loop_pod *pod)
{
    if (!kp_sync_loop_ticks(pod->run.node, SYNC_NS))
        return;
    if (kp_pod_worker_take_due(&pod->run) ||
        (!pod->added && kp_status_deadline_left_ns(&pod->run) <= 0))
        pod->requeued = true;
}

void kp_tick_pod(struct kp_loop_pod *pod)
{
    struct kp_pod_run *run = &pod->run;
    const struct kp_node *node = run->node;

    if (kp_sync_loop_ticks(node, HOUSEKEEPING_NS)) {
        kp_pod_killer_list(run);
        if (wants_housekeeping(pod))
            keep_house(pod);
        pod->updated |= kp_admission_terminal_to_delete(run);
    }
    if (!node->runtime.down && is_tick(node, GC_NS))
        kp_pleg_collect(run, true);
    if (!is_tick(node, STATUS_NS))
        return;
    kp_status_reconcile(run); /* syncBatch, which knows what the sync loop has heard */
    if (pod->batch_may_delete && run->api.has_deletion)
        kp_status_delete(run);
}

static void want(int64_t *wake_ns, int64_t at_ns)
{
    if (at_ns < *wake_ns)
        *wake_ns = at_ns;
}

/* From its deadline on a pod is synced with each tick, for as long as there is something to do. */
static void want_deadline(int64_t *wake_ns, const struct kp_pod_run *run)
{
    int64_t left_ns = kp_status_deadline_left_ns(run);
    int64_t past_ns = kp_timer_ns(run->node->now_ns, left_ns > 0 ? left_ns : 1);

    if (past_ns > KP_NEVER - SYNC_NS || !kp_pod_worker_listens(run))
        return;
    want(wake_ns, past_ns + SYNC_NS - 1 - (past_ns - 1 - run->node->start_ns) % SYNC_NS);
}

static void want_tick(int64_t *wake_ns, const struct kp_pod_run *run, int64_t period_ns)
{
    want(wake_ns, kp_node_last_tick(run->node, period_ns) + period_ns);
}

/* Up to 1.21 housekeeping kills what is left of a pod that has gone from the API. */
static int64_t gone_wake_ns(const struct kp_loop_pod *pod)
{
    int64_t wake_ns = kp_pod_killer_next_ns(&pod->run);

    if (!pod->run.node->runtime.asleep && wants_housekeeping(pod))
        want_tick(&wake_ns, &pod->run, HOUSEKEEPING_NS);
    return wake_ns;
}

int64_t kp_tick_wake_ns(const struct kp_loop_pod *pod)
{
    const struct kp_pod_run *run = &pod->run;
    bool asleep = run->node->runtime.asleep;
    int64_t wake_ns = asleep ? KP_NEVER : kp_pod_worker_tick_ns(run);

    if (run->gone)
        return gone_wake_ns(pod);
    if (kp_pod_worker_is_syncing(run))
        want(&wake_ns, kp_sync_wakes_ns(run->sync));
    want(&wake_ns, kp_pod_killer_next_ns(run));
    if (!asleep)
        want_deadline(&wake_ns, run);
    if (wants_relist(run))
        want_tick(&wake_ns, run, RELIST_NS);
    if (!asleep && (wants_housekeeping(pod) || kp_admission_terminal_to_delete(run)))
        want_tick(&wake_ns, run, HOUSEKEEPING_NS);
    if (run->api.has_deletion || kp_status_is_held_back(run))
        want_tick(&wake_ns, run, STATUS_NS);
    want_tick(&wake_ns, run, GC_NS);
    return wake_ns;
}
