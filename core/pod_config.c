#include "pod_config.h"

#include "pod_run.h"

/* The API server lets nobody take away, rename or reorder init and regular containers. */
static bool same_containers(const struct kp_pod *a, const struct kp_pod *b)
{
    if (a->init_count != b->init_count || a->regular_count != b->regular_count)
        return false;
    for (size_t i = 0; i < a->init_count + a->regular_count; i++)
        if (!kp_text_equal(a->containers[i].name, b->containers[i].name))
            return false;
    return true;
}

static void take_update(struct kp_pod_run *run, const struct kp_pod *pod)
{
    const struct kp_pod before = run->api;

    run->api = *pod;
    if (run->has_published)
        run->api.status = &run->published.status;
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
    if (kp_pod_container_count(pod) > run->container_count || !same_containers(&run->api, pod))
        return KP_EINPUT;
    if (kp_prober_manager_reserve(run->node->probers, run->handle, pod) != KP_OK)
        return KP_ENOMEM;
    run->config.updated = pod;
    return KP_OK;
}
