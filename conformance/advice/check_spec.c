/* check_spec.c: what needs no play: what is written, and what a version makes of it. */
#include "conformance/advice/lint_check.h"

#include "core/api/port.h"

#include <string.h>

static const struct kp_int_or_string *port_of(const struct kp_handler *handler, const char **field)
{
    *field = handler->http_get ? "httpGet.port" : "tcpSocket.port";
    if (handler->http_get)
        return &handler->http_get->port;
    return handler->tcp_socket ? &handler->tcp_socket->port : NULL;
}

/* The only name that it can be meant to be: the container's one named port. */
static struct kp_text only_port(const struct kp_container *container)
{
    struct kp_text name = KP_TEXT_NONE;

    for (size_t i = 0; i < container->port_count; i++) {
        if (container->ports[i].name.len == 0)
            continue;
        if (name.len > 0)
            return KP_TEXT_NONE;
        name = container->ports[i].name;
    }
    return name;
}

static struct kp_text port_fix(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    struct kp_text name = only_port(container);
    struct cf_out out = {0};
    struct kp_text text;

    if (name.len == 0)
        return KP_TEXT_NONE;
    cf_fix_put_container(&out, container);
    cf_out_printf(&out, "  %s:\n    %s:\n      port: ", cf_probe_field(type),
                  container->probes[type]->handler.http_get ? "httpGet" : "tcpSocket");
    cf_out_put_json(&out, name);
    cf_out_put_char(&out, '\n');
    text = cf_arena_text(check->pod_check->arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

static const char *const then[] = {
    [KP_LIVENESS] = "so a container that hangs is never killed",
    [KP_READINESS] = "so the container is never ready",
    [KP_STARTUP] = "so the container never counts as started, nor is it killed"};

static void check_grpc(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct cf_pod_check *pod = check->pod_check;

    if (!kp_handler_is_known(pod->profile, &check->container->probes[type]->handler))
        cf_advise_of(check, CF_LINT_GRPC_OFF, cf_field_of(check, type, "grpc"),
                     cf_arena_format(pod->arena,
                                     "gate GRPCContainerProbe is off by default before 1.24, %s",
                                     then[type]),
                     KP_TEXT_NONE);
}

static void check_port(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    const char *field;
    const struct kp_int_or_string *port = port_of(&container->probes[type]->handler, &field);

    if (!port || port->kind != KP_INTSTR_STRING || container->probes[type]->handler.exec)
        return;
    for (size_t i = 0; i < container->port_count; i++)
        if (kp_text_equal(container->ports[i].name, port->string))
            return;
    cf_advise_of(check, CF_LINT_PORT_NAME, cf_field_of(check, type, field),
                 cf_arena_format(check->pod_check->arena,
                                 "no port of this container is called \"%.*s\": every attempt is "
                                 "an error that is discarded, %s",
                                 KP_ARG(port->string), then[type]),
                 port_fix(check, type));
}

/* With the node's network the kubelet's own address is the pod's. */
static bool is_own(const struct cf_container_check *check, struct kp_text host)
{
    return check->pod_check->pod->pod->host_network &&
           (kp_text_equal(host, KP_TEXT("127.0.0.1")) ||
            kp_text_equal(host, KP_TEXT("localhost")) || kp_text_equal(host, KP_TEXT("::1")));
}

static void check_host(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_handler *handler = &check->container->probes[type]->handler;
    struct kp_text host = handler->http_get     ? handler->http_get->host
                          : handler->tcp_socket ? handler->tcp_socket->host
                                                : KP_TEXT_NONE;

    if (host.len == 0 || is_own(check, host))
        return;
    if (handler->http_get)
        cf_advise_of(check, CF_LINT_HOST, cf_field_of(check, type, "httpGet.host"),
                     KP_TEXT("a virtual host belongs in the Host header (httpHeaders)"),
                     KP_TEXT_NONE);
    else
        cf_advise_of(check, CF_LINT_HOST, cf_field_of(check, type, "tcpSocket.host"),
                     KP_TEXT("the pod may be dead and its probe succeed"), KP_TEXT_NONE);
}

static void check_success(const struct cf_container_check *check, enum kp_probe_type type)
{
    const struct kp_container *container = check->container;
    struct cf_fix fix = {0};

    if (container->probes[type]->success_threshold <= 1)
        return;
    cf_fix_change(&fix, container, type, CF_FIX_SUCCESS)->success_threshold = 1;
    cf_advise_fix(check, CF_LINT_SUCCESS_RUN, cf_field_of(check, type, "successThreshold"),
                  KP_TEXT("its run of successes goes on over a restart, so one success makes it "
                          "ready"),
                  &fix);
}

/* ---- what a gate that is off takes away ------------------------------------------------------ */

static void find_dropped(const struct cf_container_check *check, const struct cf_node *source,
                         const struct cf_node *stored, struct kp_text path)
{
    struct cf_arena *arena = check->pod_check->arena;

    for (const struct cf_node *member = source->first; member; member = member->next) {
        struct kp_text key = cf_arena_text(arena, member->key);
        const struct cf_node *kept = cf_node_find(stored, key.bytes ? key.bytes : "");
        struct kp_text field =
            cf_arena_format(arena, "%.*s%s%s", KP_ARG(path), path.len > 0 ? "." : "", key.bytes);

        if (member->kind == CF_NULL)
            continue;
        if (!kept)
            cf_advise_of(check, CF_LINT_DROPPED, field,
                         KP_TEXT("its feature gate is off by default in this version"),
                         KP_TEXT_NONE);
        else if (member->kind == CF_MAP && kept->kind == CF_MAP)
            find_dropped(check, member, kept, field);
    }
}

/* The container's own node, and its probes' and hooks'. */
static void check_dropped(const struct cf_container_check *check)
{
    const struct cf_node *source = cf_node_follow(check->pod_check->pod->source, check->path);
    const struct cf_node *stored = check->container->raw;

    if (source && source->kind == CF_MAP && stored)
        find_dropped(check, source, stored, KP_TEXT(""));
}

void cf_check_spec(const struct cf_container_check *check)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        if (!check->container->probes[type])
            continue;
        check_grpc(check, (enum kp_probe_type)type);
        check_port(check, (enum kp_probe_type)type);
        check_host(check, (enum kp_probe_type)type);
        check_success(check, (enum kp_probe_type)type);
    }
    check_dropped(check);
}
