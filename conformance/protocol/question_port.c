/* question_port.c: layer port. */
#include "conformance/protocol/questions.h"
#include "core/api/port.h"

static bool read_port(struct cf_reader *reader, const struct cf_node *request,
                      struct kp_int_or_string *port)
{
    const struct cf_node *node = cf_node_find(request, "port");
    int64_t number;

    if (node && node->kind == CF_STRING) {
        *port = (struct kp_int_or_string){.kind = KP_INTSTR_STRING, .string = node->text};
        return true;
    }
    if (node == NULL || node->kind != CF_NUMBER)
        return cf_reader_fail(reader, "`port` must be an integer or a string");
    if (!cf_number_int(node, &number) || number < INT32_MIN || number > INT32_MAX)
        return cf_reader_fail(reader, "`port` must be a 32-bit integer");
    *port = (struct kp_int_or_string){.kind = KP_INTSTR_INT, .number = (int32_t)number};
    return true;
}

static bool read_ports(struct cf_reader *reader, const struct cf_node *request,
                       struct kp_container *container)
{
    const struct cf_node *list;
    struct kp_container_port *ports;

    if (!cf_member_node(reader, request, "ports", CF_LIST, &list))
        return false;
    if (list == NULL)
        return true;
    ports = cf_arena_array(reader->arena, list->count, sizeof *ports);
    container->ports = ports;
    for (const struct cf_node *node = list->first; node; node = node->next) {
        struct kp_container_port *port = &ports[container->port_count++];
        int64_t number = 0;

        if (node->kind != CF_MAP)
            return cf_reader_fail(reader, "`ports` must be a list of objects");
        if (!cf_member_text(reader, node, "name", &port->name) ||
            !cf_member_int(reader, node, "containerPort", INT32_MIN, INT32_MAX, &number) ||
            !cf_member_text(reader, node, "protocol", &port->protocol))
            return false;
        port->container_port = (int32_t)number;
    }
    return true;
}

bool cf_question_port(struct cf_reader *reader, const struct kp_profile *profile,
                      const struct cf_node *request, struct cf_out *ok)
{
    bool (*resolve)(const struct kp_profile *profile, const struct kp_int_or_string *param,
                    const struct kp_container *container, int64_t *port, struct kp_buf *error);
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_int_or_string param;
    struct kp_buf error = {NULL, 0, 0};
    bool hook = false;
    int64_t port;

    if (!read_port(reader, request, &param) || !read_ports(reader, request, &container) ||
        !cf_member_bool(reader, request, "hook", &hook))
        return false;
    resolve = hook ? kp_port_resolve_hook : kp_port_resolve;
    if (resolve(profile, &param, &container, &port, &error)) {
        cf_out_put_char(ok, '{');
        cf_json_int(ok, "port", port);
        cf_out_put_char(ok, '}');
        return true;
    }
    error = cf_arena_buf(reader->arena, error.need);
    resolve(profile, &param, &container, &port, &error);
    cf_out_put_char(ok, '{');
    cf_json_text(ok, "invalid", kp_buf_text(&error));
    cf_out_put_char(ok, '}');
    return true;
}
