/* pod_gates.c: fields that a gate which is off does not let through (V-034). */
#include "conformance/pod_tree.h"

static const struct {
    enum cf_api_type type;
    const char *field;
    enum kp_gate gate;
} gated[] = {
    {CF_API_Probe, "terminationGracePeriodSeconds", KP_GATE_ProbeTerminationGracePeriod},
    {CF_API_Probe, "grpc", KP_GATE_GRPCContainerProbe},
    {CF_API_Container, "startupProbe", KP_GATE_StartupProbe},
    {CF_API_Container, "restartPolicy", KP_GATE_SidecarContainers},
    {CF_API_Container, "restartPolicyRules", KP_GATE_ContainerRestartRules},
    {CF_API_HTTPGetAction, "protocol", KP_GATE_H2CContainerProbe},
    {CF_API_GRPCAction, "mode", KP_GATE_GRPCContainerProbeTLS},
    {CF_API_LifecycleHandler, "sleep", KP_GATE_PodLifecycleSleepAction},
    {CF_API_PodSpec, "ephemeralContainers", KP_GATE_EphemeralContainers},
};

static void drop_here(const struct kp_profile *profile, enum cf_api_type type, struct cf_node *node)
{
    for (size_t i = 0; i < sizeof gated / sizeof gated[0]; i++)
        if (gated[i].type == type && !profile->gates[gated[i].gate])
            cf_node_remove(node, kp_text_of(gated[i].field));
}

void cf_api_drop_gated(const struct kp_profile *profile, enum cf_api_type type,
                       struct cf_node *node)
{
    drop_here(profile, type, node);
    for (struct cf_node *member = node->first; member; member = member->next) {
        const struct cf_api_field *field = cf_api_find(type, member->key, profile->minor);

        if (!field || field->kind != CF_API_STRUCT)
            continue;
        if (field->shape != CF_API_LIST)
            cf_api_drop_gated(profile, field->of, member);
        for (struct cf_node *item = field->shape == CF_API_LIST ? member->first : NULL; item;
             item = item->next)
            cf_api_drop_gated(profile, field->of, item);
    }
}
