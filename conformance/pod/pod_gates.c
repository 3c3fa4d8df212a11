/*
 * pod_gates.c: fields that a gate which is off does not let through (V-034).  GRPCContainerProbe is
 * not among them: the API server of 1.23 stores a grpc probe, and only the kubelet minds the gate.
 */
#include "conformance/pod/pod_tree.h"

static const struct {
    enum cf_api_type type;
    const char *field;
    enum kp_gate gate;
} gated[] = {
    {CF_API_Container, "startupProbe", KP_GATE_StartupProbe},
    {CF_API_Container, "restartPolicyRules", KP_GATE_ContainerRestartRules},
    {CF_API_EphemeralContainer, "restartPolicyRules", KP_GATE_ContainerRestartRules},
    {CF_API_HTTPGetAction, "protocol", KP_GATE_H2CContainerProbe},
    {CF_API_GRPCAction, "mode", KP_GATE_GRPCContainerProbeTLS},
    {CF_API_PodSpec, "ephemeralContainers", KP_GATE_EphemeralContainers},
};

static void drop_here(const struct kp_profile *profile, enum cf_api_type type, struct cf_node *node)
{
    for (size_t i = 0; i < sizeof gated / sizeof gated[0]; i++)
        if (gated[i].type == type && !profile->gates[gated[i].gate])
            cf_node_remove(node, kp_text_of(gated[i].field));
}

/* Readiness probes keep it, for validation to refuse. */
static void drop_probe_grace(const struct kp_profile *profile, struct cf_node *container)
{
    static const char *const probes[] = {"livenessProbe", "startupProbe"};

    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        struct cf_node *probe = cf_node_find(container, probes[i]);

        if (probe && !profile->gates[KP_GATE_ProbeTerminationGracePeriod])
            cf_node_remove(probe, KP_TEXT("terminationGracePeriodSeconds"));
    }
}

/* From 1.30 on a hook, and then a lifecycle, that has nothing left goes with it. */
static void drop_sleep(const struct kp_profile *profile, struct cf_node *container)
{
    static const char *const hooks[] = {"preStop", "postStart"};
    struct cf_node *lifecycle = cf_node_find(container, "lifecycle");
    bool any = false;

    if (!lifecycle || profile->gates[KP_GATE_PodLifecycleSleepAction])
        return;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        struct cf_node *hook = cf_node_find(lifecycle, hooks[i]);

        if (cf_node_find(hook, "sleep")) {
            cf_node_remove(hook, KP_TEXT("sleep"));
            if (hook->count == 0 && profile->empty_hooks_go)
                cf_node_remove(lifecycle, kp_text_of(hooks[i]));
        }
        any = any || cf_node_find(lifecycle, hooks[i]);
    }
    if (profile->empty_hooks_go && !any)
        cf_node_remove(container, KP_TEXT("lifecycle"));
}

/* The gate ContainerStopSignals, which no kubelet here has on. */
static void drop_stop_signal(struct cf_node *container)
{
    struct cf_node *lifecycle = cf_node_find(container, "lifecycle");

    if (!lifecycle || !cf_node_find(lifecycle, "stopSignal"))
        return;
    cf_node_remove(lifecycle, KP_TEXT("stopSignal"));
    if (!cf_node_find(lifecycle, "preStop") && !cf_node_find(lifecycle, "postStart"))
        cf_node_remove(container, KP_TEXT("lifecycle"));
}

static void drop_policies(struct cf_node *list, bool keep_always)
{
    for (struct cf_node *item = list ? list->first : NULL; item; item = item->next) {
        const struct cf_node *policy = cf_node_find(item, "restartPolicy");

        if (policy && !(keep_always && kp_text_equal(policy->text, KP_TEXT("Always"))))
            cf_node_remove(item, KP_TEXT("restartPolicy"));
    }
}

/*
 * A container's own restartPolicy came for sidecars, in init containers alone, and was opened to
 * all with the restart rules: before those, validation refuses it elsewhere.
 */
static void drop_restart_policies(const struct kp_profile *profile, struct cf_node *spec)
{
    bool rules_off = kp_gate_known(profile, KP_GATE_ContainerRestartRules) &&
                     !profile->gates[KP_GATE_ContainerRestartRules];

    if (!profile->gates[KP_GATE_SidecarContainers])
        drop_policies(cf_node_find(spec, "initContainers"), false);
    if (!rules_off)
        return;
    drop_policies(cf_node_find(spec, "initContainers"), true);
    drop_policies(cf_node_find(spec, "containers"), false);
    drop_policies(cf_node_find(spec, "ephemeralContainers"), false);
}

void cf_api_drop_gated(const struct kp_profile *profile, enum cf_api_type type,
                       struct cf_node *node)
{
    drop_here(profile, type, node);
    if (type == CF_API_Container || type == CF_API_EphemeralContainer) {
        drop_probe_grace(profile, node);
        drop_sleep(profile, node);
        drop_stop_signal(node);
    }
    if (type == CF_API_PodSpec)
        drop_restart_policies(profile, node);
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
