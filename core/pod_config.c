#include "pod_config.h"

#include "pod_run.h"

static void take_update(struct kp_pod_run *run, const struct kp_pod *pod)
{
    const struct kp_pod before = run->api;

    run->api = *pod;
    run->api.status = before.status;
    if (before.has_deletion && !pod->has_deletion) {
        run->api.has_deletion = run->api.has_deletion_grace = true;
        run->api.deletion_grace_s = before.deletion_grace_s;
    }
    run->updated = true;
    run->given = pod;
}

static void take_deletion(struct kp_pod_run *run)
{
    run->api.has_deletion = true;
    run->api.has_deletion_grace = true;
    run->api.deletion_grace_s = run->config.grace_s;
    run->updated = true;
}

void kp_pod_config_take(struct kp_pod_run *run)
{
    if (run->config.updated)
        take_update(run, run->config.updated);
    if (run->config.deleted)
        take_deletion(run);
    run->config = (struct kp_pod_config){.updated = NULL};
}

void kp_pod_config_delete(struct kp_pod_run *run, int64_t grace_s)
{
    run->config.deleted = true;
    run->config.grace_s = grace_s;
}

enum kp_err kp_pod_config_update(struct kp_pod_run *run, const struct kp_pod *pod)
{
    enum kp_err err;

    if (kp_pod_container_count(pod) > run->container_count)
        return KP_EINPUT;
    err = kp_prober_manager_reserve(run->node->probers, run->handle, pod);
    if (err == KP_OK)
        run->config.updated = pod;
    return err;
}
