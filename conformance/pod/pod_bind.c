/*
 * pod_bind.c: where the engine keeps each field of the API that it reads.  One table fills a struct
 * kp_pod from a tree and writes what defaulting changed back into the tree.
 */
#include "conformance/pod/pod_tree.h"

#include <stddef.h>
#include <string.h>

enum how {
    TEXT,
    TEXTS,
    I32,
    I32S,
    I64,
    FLAG,
    OPT_I64,  /* a pointer: other is the offset of its presence */
    OPT_TEXT, /* a pointer: other likewise */
    PRESENT,  /* only whether it is there */
    INTSTR,
    ONE,   /* a pointer to a struct */
    MANY,  /* items and, at other, their count */
    INLINE /* a struct of the API whose fields live in the same C struct */
};

struct bind {
    enum cf_api_type type;
    const char *field;
    enum how how;
    size_t at;
    size_t other;
    size_t size; /* of a pointed-to struct */
};

#define AT(owner, member) offsetof(struct owner, member)
/* clang-format off */
static const struct bind binds[] = {
    {CF_API_ObjectMeta, "name",                           TEXT,     AT(kp_pod, name), 0, 0},
    {CF_API_ObjectMeta, "namespace",                      TEXT,     AT(kp_pod, namespace_), 0, 0},
    {CF_API_ObjectMeta, "uid",                            TEXT,     AT(kp_pod, uid), 0, 0},
    {CF_API_ObjectMeta, "deletionTimestamp",              PRESENT,  AT(kp_pod, has_deletion), 0, 0},
    {CF_API_ObjectMeta, "deletionGracePeriodSeconds",     OPT_I64,  AT(kp_pod, deletion_grace_s), AT(kp_pod, has_deletion_grace), 0},
    {CF_API_Pod, "metadata",                              INLINE,   0, 0, 0},
    {CF_API_Pod, "spec",                                  INLINE,   0, 0, 0},
    {CF_API_PodSpec, "restartPolicy",                     TEXT,     AT(kp_pod, restart_policy), 0, 0},
    {CF_API_PodSpec, "terminationGracePeriodSeconds",     OPT_I64,  AT(kp_pod, grace_s), AT(kp_pod, has_grace), 0},
    {CF_API_PodSpec, "activeDeadlineSeconds",             OPT_I64,  AT(kp_pod, deadline_s), AT(kp_pod, has_deadline), 0},
    {CF_API_PodSpec, "hostNetwork",                       FLAG,     AT(kp_pod, host_network), 0, 0},
    {CF_API_PodSpec, "readinessGates",                    MANY,     AT(kp_pod, readiness_gates), AT(kp_pod, readiness_gate_count), sizeof(struct kp_readiness_gate)},
    {CF_API_PodReadinessGate, "conditionType",            TEXT,     AT(kp_readiness_gate, condition_type), 0, 0},
    {CF_API_Container, "name",                            TEXT,     AT(kp_container, name), 0, 0},
    {CF_API_Container, "image",                           TEXT,     AT(kp_container, image), 0, 0},
    {CF_API_Container, "imagePullPolicy",                 TEXT,     AT(kp_container, image_pull_policy), 0, 0},
    {CF_API_Container, "terminationMessagePath",          TEXT,     AT(kp_container, termination_message_path), 0, 0},
    {CF_API_Container, "terminationMessagePolicy",        TEXT,     AT(kp_container, termination_message_policy), 0, 0},
    {CF_API_Container, "command",                         TEXTS,    AT(kp_container, command), 0, 0},
    {CF_API_Container, "args",                            TEXTS,    AT(kp_container, args), 0, 0},
    {CF_API_Container, "env",                             MANY,     AT(kp_container, env), AT(kp_container, env_count), sizeof(struct kp_env_var)},
    {CF_API_Container, "ports",                           MANY,     AT(kp_container, ports), AT(kp_container, port_count), sizeof(struct kp_container_port)},
    {CF_API_Container, "livenessProbe",                   ONE,      AT(kp_container, probes[KP_LIVENESS]), 0, sizeof(struct kp_probe)},
    {CF_API_Container, "readinessProbe",                  ONE,      AT(kp_container, probes[KP_READINESS]), 0, sizeof(struct kp_probe)},
    {CF_API_Container, "startupProbe",                    ONE,      AT(kp_container, probes[KP_STARTUP]), 0, sizeof(struct kp_probe)},
    {CF_API_Container, "lifecycle",                       INLINE,   AT(kp_container, has_lifecycle), 1, 0},
    {CF_API_Lifecycle, "postStart",                       ONE,      AT(kp_container, post_start), 0, sizeof(struct kp_handler)},
    {CF_API_Lifecycle, "preStop",                         ONE,      AT(kp_container, pre_stop), 0, sizeof(struct kp_handler)},
    {CF_API_Container, "restartPolicy",                   TEXT,     AT(kp_container, restart_policy), 0, 0},
    {CF_API_Container, "restartPolicyRules",              MANY,     AT(kp_container, restart_rules), AT(kp_container, restart_rule_count), sizeof(struct kp_restart_rule)},
    {CF_API_ContainerRestartRule, "action",               TEXT,     AT(kp_restart_rule, action), 0, 0},
    {CF_API_ContainerRestartRule, "exitCodes",            INLINE,   AT(kp_restart_rule, has_exit_codes), 1, 0},
    {CF_API_ContainerRestartRuleOnExitCodes, "operator",  TEXT,     AT(kp_restart_rule, op), 0, 0},
    {CF_API_ContainerRestartRuleOnExitCodes, "values",    I32S,     AT(kp_restart_rule, values), AT(kp_restart_rule, value_count), 0},
    {CF_API_EnvVar, "name",                               TEXT,     AT(kp_env_var, name), 0, 0},
    {CF_API_EnvVar, "value",                              TEXT,     AT(kp_env_var, value), 0, 0},
    {CF_API_EnvVar, "valueFrom",                          PRESENT,  AT(kp_env_var, has_value_from), 0, 0},
    {CF_API_ContainerPort, "name",                        TEXT,     AT(kp_container_port, name), 0, 0},
    {CF_API_ContainerPort, "containerPort",               I32,      AT(kp_container_port, container_port), 0, 0},
    {CF_API_ContainerPort, "hostPort",                    I32,      AT(kp_container_port, host_port), 0, 0},
    {CF_API_ContainerPort, "protocol",                    TEXT,     AT(kp_container_port, protocol), 0, 0},
    {CF_API_ContainerPort, "hostIP",                      TEXT,     AT(kp_container_port, host_ip), 0, 0},
    {CF_API_Probe, "exec",                                ONE,      AT(kp_probe, handler.exec), 0, sizeof(struct kp_exec_action)},
    {CF_API_Probe, "httpGet",                             ONE,      AT(kp_probe, handler.http_get), 0, sizeof(struct kp_http_get_action)},
    {CF_API_Probe, "tcpSocket",                           ONE,      AT(kp_probe, handler.tcp_socket), 0, sizeof(struct kp_tcp_socket_action)},
    {CF_API_Probe, "grpc",                                ONE,      AT(kp_probe, handler.grpc), 0, sizeof(struct kp_grpc_action)},
    {CF_API_Probe, "initialDelaySeconds",                 I32,      AT(kp_probe, initial_delay_s), 0, 0},
    {CF_API_Probe, "timeoutSeconds",                      I32,      AT(kp_probe, timeout_s), 0, 0},
    {CF_API_Probe, "periodSeconds",                       I32,      AT(kp_probe, period_s), 0, 0},
    {CF_API_Probe, "successThreshold",                    I32,      AT(kp_probe, success_threshold), 0, 0},
    {CF_API_Probe, "failureThreshold",                    I32,      AT(kp_probe, failure_threshold), 0, 0},
    {CF_API_Probe, "terminationGracePeriodSeconds",       OPT_I64,  AT(kp_probe, grace_s), AT(kp_probe, has_grace), 0},
    {CF_API_LifecycleHandler, "exec",                     ONE,      AT(kp_handler, exec), 0, sizeof(struct kp_exec_action)},
    {CF_API_LifecycleHandler, "httpGet",                  ONE,      AT(kp_handler, http_get), 0, sizeof(struct kp_http_get_action)},
    {CF_API_LifecycleHandler, "tcpSocket",                ONE,      AT(kp_handler, tcp_socket), 0, sizeof(struct kp_tcp_socket_action)},
    {CF_API_LifecycleHandler, "sleep",                    ONE,      AT(kp_handler, sleep), 0, sizeof(struct kp_sleep_action)},
    {CF_API_SleepAction, "seconds",                       I64,      AT(kp_sleep_action, seconds), 0, 0},
    {CF_API_ExecAction, "command",                        TEXTS,    AT(kp_exec_action, command), 0, 0},
    {CF_API_HTTPGetAction, "path",                        TEXT,     AT(kp_http_get_action, path), 0, 0},
    {CF_API_HTTPGetAction, "port",                        INTSTR,   AT(kp_http_get_action, port), 0, 0},
    {CF_API_HTTPGetAction, "host",                        TEXT,     AT(kp_http_get_action, host), 0, 0},
    {CF_API_HTTPGetAction, "scheme",                      TEXT,     AT(kp_http_get_action, scheme), 0, 0},
    {CF_API_HTTPGetAction, "protocol",                    TEXT,     AT(kp_http_get_action, protocol), 0, 0},
    {CF_API_HTTPGetAction, "httpHeaders",                 MANY,     AT(kp_http_get_action, headers), AT(kp_http_get_action, header_count), sizeof(struct kp_http_header)},
    {CF_API_HTTPHeader, "name",                           TEXT,     AT(kp_http_header, name), 0, 0},
    {CF_API_HTTPHeader, "value",                          TEXT,     AT(kp_http_header, value), 0, 0},
    {CF_API_TCPSocketAction, "port",                      INTSTR,   AT(kp_tcp_socket_action, port), 0, 0},
    {CF_API_TCPSocketAction, "host",                      TEXT,     AT(kp_tcp_socket_action, host), 0, 0},
    {CF_API_GRPCAction, "port",                           I32,      AT(kp_grpc_action, port), 0, 0},
    {CF_API_GRPCAction, "service",                        OPT_TEXT, AT(kp_grpc_action, service), AT(kp_grpc_action, has_service), 0},
    {CF_API_GRPCAction, "mode",                           TEXT,     AT(kp_grpc_action, mode), 0, 0},
};
/* clang-format on */

/* Types that differ in name only. */
static enum cf_api_type bound_type(enum cf_api_type type)
{
    return type == CF_API_Handler ? CF_API_LifecycleHandler : type;
}

static const struct bind *find_bind(enum cf_api_type type, struct kp_text name)
{
    const enum cf_api_type bound = bound_type(type);

    for (size_t i = 0; name.len > 0 && i < sizeof binds / sizeof binds[0]; i++)
        if (binds[i].type == bound && binds[i].field[0] == name.bytes[0] &&
            kp_text_equal(name, kp_text_of(binds[i].field)))
            return &binds[i];
    return NULL;
}

/* The struct behind a bound field; no row of the binds differs between minors in that. */
static enum cf_api_type type_behind(enum cf_api_type owner, const char *name)
{
    for (const struct cf_api_field *field = cf_api_fields(owner); field->owner == owner; field++)
        if (strcmp(name, field->name) == 0)
            return bound_type(field->of);
    return CF_API_NONE;
}

static void fill(struct cf_arena *arena, enum cf_api_type type, const struct cf_node *tree,
                 char *into);

static int32_t number_of(const struct cf_node *node)
{
    int64_t value = 0;

    return cf_node_int_value(node, &value) ? (int32_t)value : 0;
}

static void fill_texts(struct cf_arena *arena, const struct cf_node *list,
                       struct kp_text_list *into)
{
    struct kp_text *items = cf_arena_array(arena, list->count, sizeof *items);

    if (!items)
        return;
    into->items = items;
    for (const struct cf_node *item = list->first; item; item = item->next)
        items[into->count++] = item->text;
}

static void fill_numbers(struct cf_arena *arena, const struct cf_node *list, const int32_t **items,
                         size_t *count)
{
    int32_t *numbers = cf_arena_array(arena, list->count, sizeof *numbers);

    *items = numbers;
    for (const struct cf_node *item = list->first; numbers && item; item = item->next)
        numbers[(*count)++] = number_of(item);
}

static void fill_many(struct cf_arena *arena, enum cf_api_type type, const struct cf_node *list,
                      const struct bind *bind, char *into)
{
    char *items = cf_arena_array(arena, list->count, bind->size);
    size_t *count = (size_t *)(void *)(into + bind->other);

    if (!items)
        return;
    *(void **)(void *)(into + bind->at) = items;
    for (const struct cf_node *item = list->first; item; item = item->next)
        fill(arena, type, item, items + bind->size * (*count)++);
}

static struct kp_int_or_string intstr_of(const struct cf_node *node)
{
    if (node->kind == CF_STRING)
        return (struct kp_int_or_string){.kind = KP_INTSTR_STRING, .string = node->text};
    return (struct kp_int_or_string){.kind = KP_INTSTR_INT, .number = number_of(node)};
}

static void fill_struct(struct cf_arena *arena, enum cf_api_type type, const struct cf_node *node,
                        const struct bind *bind, char *into)
{
    char *made = into;

    if (bind->how == ONE) {
        made = cf_arena_alloc(arena, bind->size);
        *(void **)(void *)(into + bind->at) = made;
    } else if (bind->other) {
        *(bool *)(into + bind->at) = true;
    }
    if (made)
        fill(arena, type, node, made);
}

static void fill_one(struct cf_arena *arena, const struct bind *bind, const struct cf_node *node,
                     char *into)
{
    void *at = into + bind->at;
    int64_t value = 0;

    switch (bind->how) {
    case OPT_TEXT:
        *(bool *)(into + bind->other) = true;
        *(struct kp_text *)at = node->text;
        break;
    case TEXT:
        *(struct kp_text *)at = node->text;
        break;
    case TEXTS:
        fill_texts(arena, node, at);
        break;
    case I32:
        *(int32_t *)at = number_of(node);
        break;
    case I32S:
        fill_numbers(arena, node, at, (size_t *)(void *)(into + bind->other));
        break;
    case OPT_I64:
        *(bool *)(into + bind->other) = true;
        *(int64_t *)at = cf_node_int_value(node, &value) ? value : 0;
        break;
    case I64:
        *(int64_t *)at = cf_node_int_value(node, &value) ? value : 0;
        break;
    case FLAG:
        *(bool *)at = node->truth;
        break;
    case PRESENT:
        *(bool *)at = true;
        break;
    case INTSTR:
        *(struct kp_int_or_string *)at = intstr_of(node);
        break;
    case MANY:
        fill_many(arena, type_behind(bind->type, bind->field), node, bind, into);
        break;
    case ONE:
    case INLINE:
        fill_struct(arena, type_behind(bind->type, bind->field), node, bind, into);
        break;
    }
}

static void fill(struct cf_arena *arena, enum cf_api_type type, const struct cf_node *tree,
                 char *into)
{
    for (const struct cf_node *member = tree->first; member; member = member->next) {
        const struct bind *bind = find_bind(type, member->key);

        if (bind)
            fill_one(arena, bind, member, into);
    }
}

static const struct cf_node *spec_list(const struct cf_node *tree, const char *name)
{
    return cf_node_find(cf_node_find(tree, "spec"), name);
}

static size_t length(const struct cf_node *list)
{
    return list ? list->count : 0;
}

static bool has_members(const struct cf_node *map)
{
    return map && map->count > 0;
}

static struct kp_container *fill_containers(struct cf_arena *arena, const struct cf_node *list,
                                            enum kp_container_kind kind,
                                            struct kp_container *containers)
{
    for (const struct cf_node *item = list ? list->first : NULL; item; item = item->next) {
        containers->kind = kind;
        containers->raw = item;
        fill(arena, CF_API_Container, item, (char *)containers);
        containers->has_resources = has_members(cf_node_find(item, "resources"));
        containers++;
    }
    return containers;
}

struct kp_pod *cf_pod_bind(struct cf_arena *arena, const struct cf_node *tree)
{
    struct kp_pod *pod = cf_arena_alloc(arena, sizeof *pod);
    const struct cf_node *init = spec_list(tree, "initContainers");
    const struct cf_node *regular = spec_list(tree, "containers");
    const struct cf_node *ephemeral = spec_list(tree, "ephemeralContainers");
    const struct cf_node *metadata = cf_node_find(tree, "metadata");
    struct kp_container *containers = cf_arena_array(
        arena, length(init) + length(regular) + length(ephemeral), sizeof *containers);

    if (!pod || !containers)
        return NULL;
    fill(arena, CF_API_Pod, tree, (char *)pod);
    pod->init_count = length(init);
    pod->regular_count = length(regular);
    pod->ephemeral_count = length(ephemeral);
    pod->containers = containers;
    containers = fill_containers(arena, init, KP_INIT, containers);
    containers = fill_containers(arena, regular, KP_REGULAR, containers);
    fill_containers(arena, ephemeral, KP_EPHEMERAL, containers);
    pod->creation_ns = cf_time_ns(cf_node_text(metadata, "creationTimestamp"));
    pod->raw = tree;
    pod->status = cf_pod_bind_status(arena, pod, cf_node_find(tree, "status"));
    cf_pod_hash(pod);
    return arena->failed ? NULL : pod;
}

/* ---- and back ---------------------------------------------------------------------------------
 */

static void write_fields(struct cf_arena *arena, enum cf_api_type type, const char *from,
                         struct cf_node *tree);

static void write_struct(struct cf_arena *arena, const struct bind *bind, const char *from,
                         struct cf_node *node)
{
    enum cf_api_type type = type_behind(bind->type, bind->field);
    const char *behind =
        bind->how == INLINE ? from : *(const char *const *)(const void *)(from + bind->at);

    if (bind->how != MANY) {
        if (node)
            write_fields(arena, type, behind, node);
        return;
    }
    for (struct cf_node *item = node ? node->first : NULL; item; item = item->next) {
        write_fields(arena, type, behind, item);
        behind += bind->size;
    }
}

/* What the struct holds, or NULL where it holds nothing that defaulting could have put there. */
static struct cf_node *value_of(struct cf_arena *arena, const struct bind *bind, const char *from)
{
    const void *at = from + bind->at;
    const struct kp_text *text = at;
    const bool *is_set = (const bool *)(from + bind->other);

    switch (bind->how) {
    case TEXT:
        return text->len > 0 ? cf_node_string(arena, *text) : NULL;
    case OPT_TEXT:
        return *is_set ? cf_node_string(arena, *text) : NULL;
    case I32:
        return *(const int32_t *)at != 0 ? cf_node_int(arena, *(const int32_t *)at) : NULL;
    case OPT_I64:
        return *is_set ? cf_node_int(arena, *(const int64_t *)at) : NULL;
    default:
        return NULL;
    }
}

static void write_fields(struct cf_arena *arena, enum cf_api_type type, const char *from,
                         struct cf_node *tree)
{
    for (size_t i = 0; i < sizeof binds / sizeof binds[0]; i++) {
        const struct bind *bind = &binds[i];
        struct cf_node *old;
        struct cf_node *value;

        if (bind->type != bound_type(type))
            continue;
        old = cf_node_find(tree, bind->field);
        if (bind->how == ONE || bind->how == MANY || bind->how == INLINE) {
            write_struct(arena, bind, from, old);
            continue;
        }
        value = value_of(arena, bind, from);
        if (value && (!old || !kp_text_equal(old->text, value->text)))
            cf_node_set(tree, kp_text_of(bind->field), value);
    }
}

void cf_pod_write_back(struct cf_arena *arena, const struct kp_pod *pod, struct cf_node *tree)
{
    write_fields(arena, CF_API_Pod, (const char *)pod, tree);
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        write_fields(arena, CF_API_Container, (const char *)&pod->containers[i],
                     (struct cf_node *)pod->containers[i].raw);
}

#define MIX UINT64_C(1099511628211)

static uint64_t hash_of(const struct cf_node *node)
{
    return node ? cf_node_hash(node) : 0;
}

/* Of what makes an update of the object one for the kubelet: its spec, labels and annotations. */
static uint64_t object_hash(const struct kp_pod *pod)
{
    const struct cf_node *metadata = cf_node_find(pod->raw, "metadata");
    uint64_t hash = hash_of(cf_node_find(pod->raw, "spec"));

    hash = hash * MIX ^ hash_of(cf_node_find(metadata, "labels"));
    return hash * MIX ^ hash_of(cf_node_find(metadata, "annotations"));
}

void cf_pod_hash(struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        struct kp_container *container = (struct kp_container *)&pod->containers[i];
        const struct cf_node *resources = cf_node_find(container->raw, "resources");

        container->spec_hash = hash_of(container->raw);
        container->resource_hash = hash_of(resources);
    }
    pod->object_hash = object_hash(pod);
}
