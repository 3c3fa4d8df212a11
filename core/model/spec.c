#include "spec.h"

size_t kp_pod_container_count(const struct kp_pod *pod)
{
    return pod->init_count + pod->regular_count + pod->ephemeral_count;
}

int kp_pod_find_container(const struct kp_pod *pod, struct kp_text name)
{
    size_t count = kp_pod_container_count(pod);

    for (size_t i = 0; i < count; i++)
        if (kp_text_equal(pod->containers[i].name, name))
            return (int)i;
    return -1;
}

bool kp_container_is_sidecar(const struct kp_container *container)
{
    return container->kind == KP_INIT &&
           kp_text_equal(container->restart_policy, KP_TEXT("Always"));
}

const struct kp_container_status *kp_status_find(const struct kp_pod_status *status,
                                                 struct kp_text name)
{
    for (size_t i = 0; i < status->status_count; i++)
        if (kp_text_equal(status->statuses[i].name, name))
            return &status->statuses[i];
    return NULL;
}

const struct kp_condition *kp_condition_find(const struct kp_pod_status *status,
                                             struct kp_text type)
{
    for (size_t i = 0; i < status->condition_count; i++)
        if (kp_text_equal(status->conditions[i].type, type))
            return &status->conditions[i];
    return NULL;
}

bool kp_status_is_true(const struct kp_pod_status *status, const char *type)
{
    const struct kp_condition *condition = kp_condition_find(status, kp_text_of(type));

    return condition && condition->status == KP_CONDITION_TRUE;
}

struct kp_text kp_probe_type_name(enum kp_probe_type type)
{
    static const char *const names[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "Liveness",
        [KP_READINESS] = "Readiness",
        [KP_STARTUP] = "Startup",
    };

    return kp_text_of(names[type]);
}
