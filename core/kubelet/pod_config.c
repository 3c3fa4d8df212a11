#include "pod_config.h"

#include "conditions.h"
#include "pod_run.h"
#include "status_manager.h"

/* podsDifferSemantically; an object of which nobody has given the hash does. */
static bool differ(const struct kp_pod *before, const struct kp_pod *now)
{
    return now->object_hash == 0 || before->object_hash != now->object_hash;
}

/* Whether others wrote the same into its status. */
static bool same_conditions(const struct kp_pod_status *a, const struct kp_pod_status *b)
{
    size_t count = a ? a->condition_count : 0;

    if (count != (b ? b->condition_count : 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!kp_condition_equal(&a->conditions[i], &b->conditions[i]))
            return false;
    return true;
}

/* Where nothing but the status differs it is a RECONCILE, where nothing at all does it is none. The
 * deletion is not the object's to say: the API server lets no update change it. */
static bool take_update(struct kp_pod_run *run, const struct kp_pod *pod)
{
    const struct kp_pod before = run->api;
    bool same_status = same_conditions(run->others, pod->status);

    run->api = *pod;
    run->api.status = before.status;
    run->api.has_deletion = before.has_deletion;
    run->api.has_deletion_grace = before.has_deletion_grace;
    run->api.deletion_grace_s = before.deletion_grace_s;
    run->others = pod->status;
    return differ(&before, &run->api) || (!same_status && kp_status_needs_sync(run));
}

bool kp_pod_config_take(struct kp_pod_config *config, struct kp_pod_run *run)
{
    struct kp_pod_config came = *config;
    bool updated = came.updated && take_update(run, came.updated);

    *config = (struct kp_pod_config){.updated = NULL};
    if (!came.deleted)
        return updated;
    run->api.has_deletion = true;
    run->api.has_deletion_grace = true;
    run->api.deletion_grace_s = came.grace_s;
    return true;
}

void kp_pod_config_delete(struct kp_pod_config *config, int64_t grace_s)
{
    config->deleted = true;
    config->grace_s = grace_s;
}

enum kp_err kp_pod_config_update(struct kp_pod_config *config, const struct kp_pod_run *run,
                                 const struct kp_pod *pod)
{
    enum kp_err err;

    if (kp_pod_container_count(pod) > run->container_count)
        return KP_EINPUT;
    err = kp_prober_manager_reserve(run->node->probers, run->handle, pod);
    if (err == KP_OK)
        config->updated = pod;
    return err;
}
