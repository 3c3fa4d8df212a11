#include "conformance/pod/pod_warnings.h"

#include "core/api/names.h"
#include "core/base/keyset.h"

#include <string.h>

/* Beyond so many ports the pairs are not compared: a bound on time, which upstream does not have.
 */
enum { PORTS_MAX = 2000 };

struct warner {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    const struct cf_node *source;
    struct cf_warning *warnings;
    size_t count;
    size_t room;
};

struct port_at {
    const struct kp_container_port *port;
    struct kp_text path;
};

static void warn(struct warner *warner, struct kp_text path, struct kp_text text)
{
    struct cf_warning *warnings = cf_arena_grow(warner->arena, warner->warnings, &warner->room,
                                                warner->count, sizeof *warnings);

    if (!warnings)
        return;
    warner->warnings = warnings;
    warnings[warner->count++] =
        (struct cf_warning){text, NULL, 0, cf_node_place(warner->source, path)};
}

/* Ephemeral containers come by an update, of which nobody warns. */
static struct kp_text item_path(struct warner *warner, size_t container, const char *list,
                                size_t index)
{
    const struct kp_pod *pod = warner->pod;
    bool is_init = container < pod->init_count;

    return cf_arena_format(warner->arena, "spec.%s[%zu].%s[%zu]",
                           is_init ? "initContainers" : "containers",
                           container - (is_init ? 0 : pod->init_count), list, index);
}

static struct kp_text quoted(struct warner *warner, struct kp_text text)
{
    struct kp_buf buf = {0};

    kp_buf_put_quoted(&buf, text);
    buf = cf_arena_buf(warner->arena, buf.need);
    if (!buf.bytes)
        return KP_TEXT("");
    kp_buf_put_quoted(&buf, text);
    return kp_buf_text(&buf);
}

static void warn_of_host_name(struct warner *warner)
{
    struct kp_name_faults faults = kp_name_dns_label(warner->profile, warner->pod->name);
    struct kp_text list = KP_TEXT("");

    for (size_t i = 0; i < faults.count; i++)
        list = cf_arena_format(warner->arena, "%.*s%s%s", KP_ARG(list), i > 0 ? " " : "",
                               faults.texts[i]);
    if (faults.count > 0 && warner->profile->warns_of_host_name)
        warn(warner, KP_TEXT("metadata.name"),
             cf_arena_format(warner->arena,
                             "metadata.name: this is used in the Pod's hostname, which can result "
                             "in surprising behavior; a DNS label is recommended: [%.*s]",
                             KP_ARG(list)));
}

/* A later value may build upon the one it hides: X="$(X)123". */
static bool builds_upon(struct warner *warner, const struct kp_env_var *variable)
{
    struct kp_text reference = cf_arena_format(warner->arena, "$(%.*s)", KP_ARG(variable->name));

    return !kp_text_equal(variable->value, reference) &&
           kp_text_find(variable->value, reference) < variable->value.len;
}

static void warn_of_variable(struct warner *warner, struct kp_text path,
                             const struct kp_env_var *variable)
{
    struct kp_text name = quoted(warner, variable->name);
    int form = warner->profile->warns_of_env;

    if (form == 1)
        warn(warner, path,
             cf_arena_format(warner->arena, "%s.name: duplicate name %s", path.bytes, name.bytes));
    else if (!builds_upon(warner, variable))
        warn(warner, path,
             cf_arena_format(warner->arena, "%s: hides previous definition of %s%s", path.bytes,
                             name.bytes,
                             form == 3 ? ", which may be dropped when using apply" : ""));
}

static enum kp_err warn_of_env(struct warner *warner, size_t index)
{
    const struct kp_container *container = &warner->pod->containers[index];
    struct kp_keyset names;

    if (!warner->profile->warns_of_env || container->env_count < 2)
        return KP_OK;
    if (kp_keyset_init(&names, warner->arena->mem, container->env_count) != KP_OK)
        return KP_ENOMEM;
    for (size_t i = 0; i < container->env_count; i++)
        if (kp_keyset_add(&names, (struct kp_key){.text = container->env[i].name}))
            warn_of_variable(warner, item_path(warner, index, "env", i), &container->env[i]);
    kp_keyset_deinit(&names);
    return KP_OK;
}

static void warn_of_pair(struct warner *warner, const struct port_at *this,
                         const struct port_at *other)
{
    const struct kp_container_port *a = this->port;
    const struct kp_container_port *b = other->port;
    bool same_ip = kp_text_equal(a->host_ip, b->host_ip);
    const char *how = NULL;

    if (a->container_port != b->container_port || !kp_text_equal(a->protocol, b->protocol))
        return;
    if (same_ip && a->host_port == b->host_port)
        how = "duplicate";
    else if (a->host_port == 0 || b->host_port == 0)
        how = "overlapping";
    else if (a->host_port == b->host_port && (a->host_ip.len == 0 || b->host_ip.len == 0))
        how = "dangerously ambiguous";
    if (how)
        warn(warner, this->path,
             cf_arena_format(warner->arena, "%s: %s port definition with %s", this->path.bytes, how,
                             other->path.bytes));
}

static void warn_of_host_ip(struct warner *warner, const struct port_at *at)
{
    const struct kp_container_port *port = at->port;

    if (port->host_ip.len > 0 && port->host_port == 0)
        warn(warner, at->path,
             cf_arena_format(warner->arena,
                             "%s: hostIP set without hostPort: {Name:%.*s HostPort:0 "
                             "ContainerPort:%d Protocol:%.*s HostIP:%.*s}",
                             at->path.bytes, KP_ARG(port->name), (int)port->container_port,
                             KP_ARG(port->protocol), KP_ARG(port->host_ip)));
}

static void warn_of_names(struct warner *warner, const struct port_at *ports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (ports[i].port->name.len == 0 ||
                !kp_text_equal(ports[i].port->name, ports[k].port->name))
                continue;
            warn(warner, ports[i].path,
                 cf_arena_format(warner->arena,
                                 "%s: duplicate port name %s with %s, services and probes that "
                                 "select ports by name will use %s",
                                 ports[i].path.bytes, quoted(warner, ports[i].port->name).bytes,
                                 ports[k].path.bytes, ports[k].path.bytes));
            break;
        }
}

static void warn_of_ports(struct warner *warner)
{
    const struct kp_pod *pod = warner->pod;
    struct port_at *ports;
    size_t total = 0;
    size_t count = 0;

    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        total += pod->containers[i].port_count;
    if (total > PORTS_MAX || !warner->profile->warns_of_ports)
        return;
    ports = cf_arena_array(warner->arena, total, sizeof *ports);
    for (size_t i = 0; ports && i < kp_pod_container_count(pod); i++)
        for (size_t k = 0; k < pod->containers[i].port_count; k++) {
            ports[count] =
                (struct port_at){&pod->containers[i].ports[k], item_path(warner, i, "ports", k)};
            warn_of_host_ip(warner, &ports[count]);
            for (size_t other = 0; other < count; other++)
                warn_of_pair(warner, &ports[count], &ports[other]);
            count++;
        }
    if (warner->profile->warns_of_port_names)
        warn_of_names(warner, ports, count);
}

enum kp_err cf_pod_warn(struct cf_arena *arena, const struct kp_profile *profile,
                        struct cf_pod *pod)
{
    struct warner warner = {
        .arena = arena,
        .profile = profile,
        .pod = pod->pod,
        .source = pod->source,
        .warnings = pod->warnings,
        .count = pod->warning_count,
        .room = pod->warning_count,
    };

    warn_of_host_name(&warner);
    for (size_t i = 0; i < kp_pod_container_count(pod->pod); i++)
        if (warn_of_env(&warner, i) != KP_OK)
            return KP_ENOMEM;
    warn_of_ports(&warner);
    pod->warnings = warner.warnings;
    pod->warning_count = warner.count;
    return arena->failed ? KP_ENOMEM : KP_OK;
}
