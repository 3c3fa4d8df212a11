#include "pod_workers_before_122.h"

#include "status_manager.h"

static bool is_final(enum kp_phase phase)
{
    return phase == KP_SUCCEEDED || phase == KP_FAILED;
}

/* notRunning: dead or waiting, all of them. */
static bool nothing_runs(const struct kp_pod *pod, const struct kp_pod_status *status)
{
    for (size_t i = 0; status && i < status->status_count; i++) {
        int container = kp_pod_find_container(pod, status->statuses[i].name);

        if (container >= 0 && pod->containers[container].kind == KP_REGULAR &&
            status->statuses[i].state.kind == KP_STATE_RUNNING)
            return false;
    }
    return true;
}

bool kp_old_worker_has_ended(const struct kp_pod_run *run)
{
    return run->api.has_deletion && nothing_runs(&run->api, run->api.status);
}

bool kp_old_worker_seems_ended(const struct kp_pod_run *run)
{
    const struct kp_pod *pod = &run->api;

    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++) {
        const struct kp_instance *newest = kp_runtime_newest(&run->cache, (int)i);

        if (newest && newest->state == KP_INSTANCE_RUNNING)
            return false;
    }
    return pod->has_deletion;
}

bool kp_old_worker_is_over(const struct kp_pod_run *run)
{
    const struct kp_pod_status *status = run->api.status;

    return (status && is_final(status->phase)) || kp_old_worker_has_ended(run);
}

bool kp_old_worker_dispatches(struct kp_pod_run *run)
{
    int level = run->node->profile.final_is_dispatched;
    bool over = kp_old_worker_is_over(run);

    if (kp_old_worker_has_ended(run) || (level == 0 && over && run->api.has_deletion)) {
        kp_status_terminate(run, &run->api);
        return false;
    }
    return !over || (level == 2 && !nothing_runs(&run->api, run->api.status));
}

bool kp_old_sync_kills(const struct kp_pod *pod, enum kp_phase phase)
{
    return pod->has_deletion || phase == KP_FAILED;
}

bool kp_old_worker_left_some(const struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->truth.sandbox_count; i++)
        if (run->truth.sandboxes[i].ready)
            return true;
    return false;
}

bool kp_old_worker_is_reclaimed(const struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++)
        if (run->cache.containers[i].count > 0)
            return false;
    return kp_old_worker_has_ended(run) && !run->has_cgroup;
}
