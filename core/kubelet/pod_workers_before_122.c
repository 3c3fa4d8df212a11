#include "pod_workers_before_122.h"

bool kp_old_sync_sees_running(const struct kp_pod *pod, const struct kp_pod_status *status)
{
    for (size_t i = 0; i < status->status_count; i++) {
        int container = kp_pod_find_container(pod, status->statuses[i].name);

        if (container >= 0 && pod->containers[container].kind == KP_REGULAR &&
            status->statuses[i].state.kind == KP_STATE_RUNNING)
            return true;
    }
    return false;
}

/* notRunning: dead or waiting, all of them. */
static bool nothing_runs(const struct kp_pod *pod, const struct kp_pod_status *status)
{
    return !status || !kp_old_sync_sees_running(pod, status);
}

bool kp_old_worker_has_ended(const struct kp_pod *pod)
{
    return pod->has_deletion && nothing_runs(pod, pod->status);
}

bool kp_old_worker_had_ended(const struct kp_pod *pod, const struct kp_runtime_view *cache)
{
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++) {
        const struct kp_instance *newest = kp_runtime_newest(cache, (int)i);

        if (newest && newest->state == KP_INSTANCE_RUNNING)
            return false;
    }
    return pod->has_deletion;
}

bool kp_old_worker_is_over(const struct kp_pod *pod)
{
    return (pod->status && kp_phase_is_terminal(pod->status->phase)) ||
           kp_old_worker_has_ended(pod);
}

bool kp_old_worker_dispatches(const struct kp_profile *profile, const struct kp_pod *pod)
{
    bool over = kp_old_worker_is_over(pod);

    return !over || (profile->final_is_dispatched == 2 && !nothing_runs(pod, pod->status));
}

bool kp_old_worker_sets_last_status(const struct kp_profile *profile, const struct kp_pod *pod)
{
    return kp_old_worker_has_ended(pod) ||
           (profile->final_is_dispatched == 0 && pod->has_deletion && kp_old_worker_is_over(pod));
}

bool kp_old_sync_kills(const struct kp_pod *pod, enum kp_phase phase)
{
    return pod->has_deletion || phase == KP_FAILED;
}

bool kp_old_worker_left_some(const struct kp_runtime_view *truth)
{
    for (size_t i = 0; i < truth->sandbox_count; i++)
        if (truth->sandboxes[i].ready)
            return true;
    for (size_t i = 0; i < truth->container_count; i++)
        for (size_t j = 0; j < truth->containers[i].count; j++)
            if (truth->containers[i].list[j].state == KP_INSTANCE_RUNNING)
                return true;
    return false;
}

bool kp_old_worker_is_reclaimed(const struct kp_pod *pod, const struct kp_runtime_view *cache,
                                bool has_cgroup)
{
    for (size_t i = 0; i < cache->container_count; i++)
        if (cache->containers[i].count > 0)
            return false;
    return kp_old_worker_has_ended(pod) && !has_cgroup;
}
