/* validate_port.c: container ports, one by one and against each other. */
#include "validate_part.h"

struct kp_keyset kp_keys_for(struct kp_validator *validator, size_t count)
{
    struct kp_keyset keys;

    if (kp_keyset_init(&keys, validator->mem, count) != KP_OK)
        validator->no_memory = true;
    return keys;
}

void kp_field_duplicate(struct kp_validator *validator, const struct kp_path *up, const char *field,
                        struct kp_text value)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = &path,
                                                           .type = KP_FIELD_ERROR_DUPLICATE,
                                                           .value = KP_VALUE_STRING,
                                                           .text = value});
}

static void validate_port(struct kp_validator *validator, const struct kp_path *path,
                          const struct kp_container_port *port, struct kp_keyset *names)
{
    static const char *const protocols[] = {"SCTP", "TCP", "UDP", NULL};
    struct kp_name_faults faults = kp_name_port(validator->profile, port->name);

    if (port->name.len > 0) {
        kp_field_invalid_each(validator, path, "name", port->name, &faults);
        if (faults.count == 0 && kp_keyset_add(names, (struct kp_key){.text = port->name}))
            kp_field_duplicate(validator, path, "name", port->name);
    }
    if (port->container_port == 0)
        kp_field_required(validator, path, "containerPort", "");
    else
        kp_validate_port_number(validator, path, "containerPort", port->container_port);
    if (port->host_port != 0)
        kp_validate_port_number(validator, path, "hostPort", port->host_port);
    if (port->protocol.len == 0)
        kp_field_required(validator, path, "protocol", "");
    else if (!kp_is_supported(port->protocol, protocols))
        kp_field_not_supported(validator, path, "protocol", port->protocol, protocols);
}

void kp_validate_ports(struct kp_validator *validator, const struct kp_path *container_path,
                       const struct kp_container *container)
{
    struct kp_path list = {container_path, "ports", 0};
    struct kp_keyset names = kp_keys_for(validator, container->port_count);

    for (size_t i = 0; i < container->port_count; i++) {
        struct kp_path path = {&list, NULL, i};

        validate_port(validator, &path, &container->ports[i], &names);
    }
    kp_keyset_deinit(&names);
}

/* As long as they are: nobody looks at a hostIP. */
static void put_host_port(struct kp_buf *buf, const struct kp_container_port *port)
{
    kp_buf_put(buf, port->protocol);
    kp_buf_put_char(buf, '/');
    kp_buf_put(buf, port->host_ip);
    kp_buf_put_char(buf, '/');
    kp_buf_put_int(buf, port->host_port);
}

static void refuse_host_port(struct kp_validator *validator, const struct kp_path *ports,
                             size_t index, const struct kp_container_port *port)
{
    struct kp_path path = {ports, NULL, index};
    struct kp_buf buf = {0};
    char *bytes;

    put_host_port(&buf, port);
    bytes = kp_mem_array(validator->mem, buf.need, 1);
    if (!bytes) {
        validator->no_memory = true;
        return;
    }
    buf = (struct kp_buf){bytes, buf.need, 0};
    put_host_port(&buf, port);
    kp_field_duplicate(validator, &path, "hostPort", kp_buf_text(&buf));
    kp_mem_free(validator->mem, bytes);
}

static void add_host_ports(struct kp_validator *validator, const struct kp_path *list, size_t index,
                           const struct kp_container *container, struct kp_keyset *seen)
{
    struct kp_path path = {list, NULL, index};
    struct kp_path ports = {&path, "ports", 0};

    for (size_t i = 0; i < container->port_count; i++) {
        const struct kp_container_port *port = &container->ports[i];
        struct kp_key key = {
            .text = port->protocol, .more = port->host_ip, .number = port->host_port};

        if (port->host_port != 0 && kp_keyset_add(seen, key))
            refuse_host_port(validator, &ports, i, port);
    }
}

void kp_check_host_ports(struct kp_validator *validator, const struct kp_path *list,
                         const struct kp_container *containers, size_t count)
{
    size_t ports = 0;
    struct kp_keyset seen;

    for (size_t i = 0; i < count; i++)
        ports += containers[i].port_count;
    seen = kp_keys_for(validator, ports);
    for (size_t i = 0; i < count; i++)
        add_host_ports(validator, list, i, &containers[i], &seen);
    kp_keyset_deinit(&seen);
}

/* With hostNetwork both ports are one; the wording was turned round in 1.28 (D-008). */
void kp_check_host_network(struct kp_validator *validator, const struct kp_path *list,
                           const struct kp_container *containers, size_t count)
{
    bool blames_host = validator->profile->validate_host_network_early;

    for (size_t i = 0; validator->pod->host_network && i < count; i++) {
        struct kp_path path = {list, NULL, i};
        struct kp_path ports = {&path, "ports", 0};

        for (size_t k = 0; k < containers[i].port_count; k++) {
            const struct kp_container_port *port = &containers[i].ports[k];
            struct kp_path at = {&ports, NULL, k};

            if (port->host_port == port->container_port)
                continue;
            kp_field_invalid_number(validator, &at, blames_host ? "hostPort" : "containerPort",
                                    blames_host ? port->host_port : port->container_port,
                                    blames_host
                                        ? "must match `containerPort` when `hostNetwork` is true"
                                        : "must match `hostPort` when `hostNetwork` is true");
        }
    }
}

/* Up to 1.18 SCTP is behind a gate, which looks at the whole pod last, at a path of its own. */
void kp_check_sctp(struct kp_validator *validator)
{
    static const char *const protocols[] = {"TCP", "UDP", NULL};
    const struct kp_path root = {NULL, "[]", 0};
    const struct kp_path spec = {&root, "spec", 0};
    const struct kp_path lists[] = {{&spec, "initContainers", 0}, {&spec, "containers", 0}};
    const struct kp_pod *pod = validator->pod;

    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++) {
        bool init = i < pod->init_count;
        struct kp_path path = {&lists[init ? 0 : 1], NULL, init ? i : i - pod->init_count};
        struct kp_path ports = {&path, "ports", 0};

        for (size_t k = 0; k < pod->containers[i].port_count; k++) {
            struct kp_path at = {&ports, NULL, k};

            if (kp_text_equal(pod->containers[i].ports[k].protocol, KP_TEXT("SCTP")))
                kp_field_not_supported(validator, &at, "protocol", KP_TEXT("SCTP"), protocols);
        }
    }
}
