#include "pod_killer.h"

#include "pleg.h"
#include "pod_workers_before_122.h"
#include "sync_pod.h"
#include "sync_state.h"

/* A kill has the steps of a sync that kills, and its own place to keep where it stands. */
struct kp_pod_killer {
    struct kp_sync_order order;
    /* runtime_cache.go: what ran when housekeeping looked last, and when that was. */
    struct kp_runtime_view listed;
    int64_t listed_ns;
    bool saw_removal; /* HandlePodRemoves */
};

#define LIST_LASTS_NS (2 * KP_NS_PER_S)
#define NEVER_LISTED (INT64_MIN / 2)

enum kp_err kp_pod_killer_new(struct kp_pod_run *run, struct kp_pod_killer **out)
{
    const struct kp_mem *mem = run->node->mem;
    struct kp_pod_killer *killer;

    *out = NULL;
    if (run->node->profile.worker_phases)
        return KP_OK;
    killer = kp_mem_array(mem, 1, sizeof *killer);
    *out = killer;
    if (!killer || kp_runtime_view_init(&killer->listed, mem, run->container_count) != KP_OK)
        return KP_ENOMEM;
    killer->listed_ns = NEVER_LISTED;
    return kp_sync_new(run, &run->kill_sync);
}

void kp_pod_killer_free(struct kp_pod_run *run)
{
    const struct kp_mem *mem = run->node->mem;

    kp_sync_free(run->kill_sync, mem);
    if (run->killer)
        kp_runtime_view_deinit(&run->killer->listed, mem);
    kp_mem_free(mem, run->killer);
}

void kp_pod_killer_forget(struct kp_pod_run *run)
{
    if (!run->killer)
        return;
    kp_sync_forget(run->kill_sync);
    run->kill_sync->step = KP_SYNC_END;
    run->killer->listed_ns = NEVER_LISTED;
}

void kp_pod_killer_list(struct kp_pod_run *run)
{
    struct kp_runtime_view *listed;
    size_t kept = 0;

    if (!run->killer || run->node->runtime.down ||
        run->node->now_ns - run->killer->listed_ns < LIST_LASTS_NS)
        return;
    listed = &run->killer->listed;
    kp_runtime_view_copy(listed, &run->truth);
    for (size_t i = 0; i < listed->sandbox_count; i++)
        if (listed->sandboxes[i].ready)
            listed->sandboxes[kept++] = listed->sandboxes[i];
    listed->sandbox_count = kept;
    run->killer->listed_ns = run->node->now_ns;
    (void)kp_pleg_take_started(run->pleg);
}

/* One kill of a pod at a time. */
static void begin(struct kp_pod_run *run, enum kp_work_type type)
{
    struct kp_sync_order *order = &run->killer->order;

    if (kp_pod_killer_is_busy(run))
        return;
    *order = (struct kp_sync_order){.type = type, .pod = run->api, .view = &run->killer->listed};
    order->pod.status = NULL; /* a kill needs none */
    if (type == KP_WORK_UNWANTED)
        order->pod.has_deletion_grace = false;
    kp_sync_begin(run->kill_sync, order);
}

/* With the grace that the runtime wrote down when the containers began: that of the spec. */
void kp_pod_killer_kill(struct kp_pod_run *run)
{
    begin(run, KP_WORK_UNWANTED);
}

/* HandlePodRemoves: of a pod of which something has started since, the list is too old (from 1.19
 * on). */
static void kill_removed(struct kp_pod_run *run)
{
    struct kp_pod_killer *killer = run->killer;

    killer->saw_removal = true;
    if (run->node->profile.start_renews_list && kp_pleg_take_started(run->pleg))
        killer->listed_ns = NEVER_LISTED;
    kp_pod_killer_list(run);
    if (!run->node->runtime.down || run->node->now_ns - killer->listed_ns < LIST_LASTS_NS)
        begin(run, KP_WORK_REMOVED);
}

bool kp_pod_killer_lists_some(const struct kp_pod_run *run)
{
    return run->killer && kp_old_worker_left_some(&run->killer->listed);
}

bool kp_pod_killer_is_busy(const struct kp_pod_run *run)
{
    return run->killer && run->kill_sync->step != KP_SYNC_END;
}

void kp_pod_killer_poll(struct kp_pod_run *run)
{
    if (run->killer && run->gone && !run->killer->saw_removal)
        kill_removed(run);
    if (kp_pod_killer_is_busy(run))
        kp_sync_continue(run->kill_sync);
}

int64_t kp_pod_killer_next_ns(const struct kp_pod_run *run)
{
    return kp_pod_killer_is_busy(run) ? kp_sync_wakes_ns(run->kill_sync) : KP_NEVER;
}
