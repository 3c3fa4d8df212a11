#include "defaults.h"

#include "image.h"

enum { GRACE_S = 30 };

static void text_or(struct kp_text *text, struct kp_text otherwise)
{
    if (text->len == 0)
        *text = otherwise;
}

static void number_or(int32_t *number, int32_t otherwise)
{
    if (*number == 0)
        *number = otherwise;
}

/* An empty path becomes "/", an empty scheme HTTP (D-003). */
static void default_http_get(const struct kp_profile *profile, struct kp_http_get_action *action)
{
    text_or(&action->path, KP_TEXT("/"));
    text_or(&action->scheme, KP_TEXT("HTTP"));
    if (profile->gates[KP_GATE_H2CContainerProbe] && !action->protocol.bytes)
        action->protocol = KP_TEXT("HTTP1");
}

/* An absent service becomes the empty string (D-004). */
static void default_grpc(struct kp_grpc_action *action)
{
    action->has_service = true; /* one that is not there is empty */
}

/* Numbers that are 0, written or not, become 1, 10, 1 and 3 (D-001, D-002); a grace stays absent
 * (D-006). */
void kp_probe_default(const struct kp_profile *profile, struct kp_probe *probe)
{
    struct kp_http_get_action *http_get = (struct kp_http_get_action *)probe->handler.http_get;

    number_or(&probe->timeout_s, 1);
    number_or(&probe->period_s, 10);
    number_or(&probe->success_threshold, 1);
    number_or(&probe->failure_threshold, 3);
    if (http_get)
        default_http_get(profile, http_get);
    if (probe->handler.grpc)
        default_grpc((struct kp_grpc_action *)probe->handler.grpc);
}

static void default_hook(const struct kp_profile *profile, const struct kp_handler *hook)
{
    if (hook && hook->http_get)
        default_http_get(profile, (struct kp_http_get_action *)hook->http_get);
}

static void default_ports(struct kp_container *container, bool host_network)
{
    struct kp_container_port *ports = (struct kp_container_port *)container->ports;

    for (size_t i = 0; i < container->port_count; i++) {
        text_or(&ports[i].protocol, KP_TEXT("TCP"));
        if (host_network)
            number_or(&ports[i].host_port, ports[i].container_port);
    }
}

static void default_policies(const struct kp_profile *profile, struct kp_container *container)
{
    text_or(&container->image_pull_policy, kp_image_is_latest(profile, container->image)
                                               ? KP_TEXT("Always")
                                               : KP_TEXT("IfNotPresent"));
    text_or(&container->termination_message_path, KP_TEXT("/dev/termination-log"));
    text_or(&container->termination_message_policy, KP_TEXT("File"));
}

static void default_container(const struct kp_profile *profile, struct kp_container *container,
                              bool host_network)
{
    if (container->kind != KP_EPHEMERAL || profile->ephemeral_defaulted)
        default_policies(profile, container);
    default_ports(container, host_network && container->kind != KP_EPHEMERAL);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (container->probes[type])
            kp_probe_default(profile, (struct kp_probe *)container->probes[type]);
    default_hook(profile, container->post_start);
    default_hook(profile, container->pre_stop);
}

/* The pod's own fields (D-005), a negative grace (D-007), host ports (D-008), then each container's
 * probes and hooks. */
void kp_pod_default(const struct kp_profile *profile, struct kp_pod *pod)
{
    text_or(&pod->restart_policy, KP_TEXT("Always"));
    if (!pod->has_grace) {
        pod->has_grace = true;
        pod->grace_s = GRACE_S;
    }
    if (profile->negative_grace_is_one && pod->grace_s < 0)
        pod->grace_s = 1;
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        default_container(profile, (struct kp_container *)&pod->containers[i], pod->host_network);
}
