#include "pod_config.h"

#include "pod_run.h"

static bool same_spec(const struct kp_pod *a, const struct kp_pod *b)
{
    if (kp_pod_container_count(a) != kp_pod_container_count(b) || a->has_grace != b->has_grace ||
        a->grace_s != b->grace_s || a->has_deletion != b->has_deletion ||
        a->deletion_grace_s != b->deletion_grace_s)
        return false;
    for (size_t i = 0; i < kp_pod_container_count(a); i++)
        if (a->containers[i].spec_hash != b->containers[i].spec_hash ||
            !kp_text_equal(a->containers[i].image, b->containers[i].image))
            return false;
    return true;
}

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
    struct kp_pod now = *pod;

    if (run->has_published)
        now.status = &run->published.status;
    if (run->api.has_deletion && !now.has_deletion) {
        now.has_deletion = now.has_deletion_grace = true;
        now.deletion_grace_s = run->api.deletion_grace_s;
        now.deletion_ns = run->api.deletion_ns;
    }
    run->updated = run->updated || !same_spec(&run->api, &now);
    run->reconciled = true;
    run->api = now;
    run->given = pod;
}

static void take_deletion(struct kp_pod_run *run)
{
    run->api.has_deletion = true;
    run->api.has_deletion_grace = true;
    run->api.deletion_grace_s = run->config.grace_s;
    run->api.deletion_ns = run->config.deletion_ns;
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
    run->config.deletion_ns = kp_node_wall_ns(run->node) + grace_s * KP_NS_PER_S;
    if (!run->node->runtime.asleep)
        kp_pod_config_take(run);
}

enum kp_err kp_pod_config_update(struct kp_pod_run *run, const struct kp_pod *pod)
{
    if (kp_pod_container_count(pod) > run->container_count || !same_containers(&run->api, pod))
        return KP_EINPUT;
    if (kp_prober_manager_reserve(run->node->probers, run->handle, pod) != KP_OK)
        return KP_ENOMEM;
    run->config.updated = pod;
    if (!run->node->runtime.asleep)
        kp_pod_config_take(run);
    return KP_OK;
}
