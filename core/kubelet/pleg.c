#include "pleg.h"

#include "pod_workers_before_122.h"

static void see_instance(struct kp_pod_run *run, size_t container, struct kp_instance *instance)
{
    if (instance->seen == instance->state)
        return;
    instance->seen = instance->state;
    if (instance->state == KP_INSTANCE_EXITED)
        run->died[container] = run->any_died = true;
    /* Created and Unknown change the cache, but no event is delivered (S-016). */
    if (instance->state == KP_INSTANCE_RUNNING || instance->state == KP_INSTANCE_EXITED)
        run->pleg_events++;
}

static void see_sandbox(struct kp_pod_run *run, struct kp_sandbox *sandbox)
{
    if (sandbox->seen && sandbox->seen_ready == sandbox->ready)
        return;
    sandbox->seen = true;
    sandbox->seen_ready = sandbox->ready;
    run->any_died = run->any_died || !sandbox->ready;
    run->pleg_events++;
}

/* getPodIPs: a pod without a sandbox that is ready, or without any, keeps the address that it had.
 */
static void see_address(struct kp_pod_run *run)
{
    const struct kp_sandbox *newest = &run->truth.sandboxes[0];

    if (newest->ready)
        run->cache_address = newest->attempt + 1;
}

/* Compares the runtime with the last look.  What lived in between is only seen dead (S-017); all
 * but a removal syncs (S-015). */
void kp_pleg_relist(struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++) {
        struct kp_instances *instances = &run->truth.containers[i];

        for (size_t j = 0; j < instances->count; j++)
            see_instance(run, i, &instances->list[j]);
    }
    for (size_t i = 0; i < run->truth.sandbox_count; i++)
        see_sandbox(run, &run->truth.sandboxes[i]);
    run->pleg_events += run->truth.gone_unseen;
    run->truth.gone_unseen = 0;
    if (run->dirty) {
        kp_runtime_view_copy(&run->cache, &run->truth);
        see_address(run);
    }
    run->dirty = false;
}

/* ShouldPodContentBeRemoved.  From 1.22 on nobody asks any more for what is left of a pod by then.
 */
static bool is_disposable(const struct kp_pod_run *run, bool old_has_ended)
{
    return !run->node->profile.worker_phases && old_has_ended;
}

static void remove_dead(struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++) {
        struct kp_instances *instances = &run->truth.containers[i];

        for (size_t j = instances->count; j-- > 0;)
            if (instances->list[j].state != KP_INSTANCE_RUNNING) {
                kp_runtime_remove(&run->truth, (int)i, j);
                run->dirty = true;
            }
    }
}

void kp_pleg_clean_up(struct kp_pod_run *run)
{
    if (run->any_died && is_disposable(run, kp_old_worker_seems_ended(run)))
        remove_dead(run);
    run->any_died = false;
    for (size_t i = 0; i < run->container_count; i++) {
        size_t before = run->truth.containers[i].count;

        if (!run->died[i])
            continue;
        run->died[i] = false;
        kp_runtime_collect_dead(&run->truth, (int)i, false);
        run->dirty = run->dirty || run->truth.containers[i].count != before;
    }
}

void kp_pleg_collect(struct kp_pod_run *run)
{
    if (is_disposable(run, kp_old_worker_has_ended(run)))
        remove_dead(run);
    for (size_t i = 0; i < run->container_count; i++)
        kp_runtime_collect_dead(&run->truth, (int)i, true);
    kp_runtime_collect_forgotten(&run->truth);
    kp_runtime_collect_sandboxes(&run->truth);
    run->dirty = true;
}

/* ---- when the last relist was ------------------------------------------------------------ */

bool kp_pleg_is_newer(const struct kp_pod_run *run)
{
    const struct kp_pod_worker *worker = &run->worker;

    return !worker->synced_once || worker->observed_since ||
           kp_runtime_last_relist_ns(run->node) > worker->last_end_ns;
}
