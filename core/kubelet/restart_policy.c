#include "restart_policy.h"

#include "../api/restart_rules.h"

bool kp_pod_policy_is(const struct kp_pod *pod, const char *policy)
{
    return kp_text_equal(pod->restart_policy, kp_text_of(policy));
}

static bool policy_restarts(struct kp_text policy, int32_t exit_code)
{
    if (kp_text_equal(policy, KP_TEXT("Never")))
        return false;
    if (kp_text_equal(policy, KP_TEXT("OnFailure")))
        return exit_code != 0;
    return true; /* Always, and any value that the API does not know (S-124) */
}

bool kp_container_returns(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                          int32_t exit_code)
{
    if (profile->gates[KP_GATE_ContainerRestartRules])
        return kp_exit_restarts(profile, pod, container, exit_code);
    return policy_restarts(pod->restart_policy, exit_code);
}

bool kp_container_should_restart(const struct kp_profile *profile, const struct kp_pod *pod,
                                 const struct kp_runtime_view *runtime, int container,
                                 enum kp_rule *rule)
{
    const struct kp_instance *newest = kp_runtime_newest(runtime, container);

    *rule = KP_RULE_DELETED_POD_NO_RESTART;
    if (profile->deletion_blocks_restart && pod->has_deletion)
        return false;
    *rule = KP_RULE_START_WITHOUT_STATUS;
    if (!newest)
        return true;
    *rule = KP_RULE_START_BY_STATE;
    if (newest->state == KP_INSTANCE_RUNNING)
        return false;
    if (newest->state != KP_INSTANCE_EXITED)
        return true;
    *rule = profile->gates[KP_GATE_ContainerRestartRules] ? KP_RULE_RESTART_RULES
                                                          : KP_RULE_RESTART_POLICY;
    return kp_container_returns(profile, pod, container, newest->exit_code);
}

static bool container_restarts_all(const struct kp_pod *pod, const struct kp_runtime_view *view,
                                   const struct kp_pod_status *old, size_t container)
{
    const struct kp_container *spec = &pod->containers[container];
    const struct kp_instance *newest = kp_runtime_newest(view, (int)container);
    const struct kp_container_status *status;

    if (!newest || newest->state != KP_INSTANCE_EXITED)
        return false;
    if (kp_exit_restarts_all(spec, newest->exit_code))
        return true;
    status = old ? kp_status_find(old, spec->name) : NULL;
    return status && status->state.kind == KP_STATE_TERMINATED &&
           kp_exit_restarts_all(spec, status->state.exit_code);
}

bool kp_should_restart_all(const struct kp_profile *profile, const struct kp_pod *pod,
                           const struct kp_runtime_view *view, const struct kp_pod_status *old)
{
    if (!profile->gates[KP_GATE_RestartAllContainersOnContainerExits])
        return false;
    if (old && kp_status_is_true(old, "AllContainersRestarting"))
        return true;
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++)
        if (container_restarts_all(pod, view, old, i))
            return true;
    return false;
}
