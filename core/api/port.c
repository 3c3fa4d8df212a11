#include "port.h"

enum number { NUMBER, SYNTAX, RANGE };

/* As strconv.ParseUint of digits, from *value on: too large is noticed before a bad character
 * behind. */
static enum number parse_digits(struct kp_text digits, uint64_t *value)
{
    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)(digits.bytes[i] - '0');

        if (digits.bytes[i] < '0' || digits.bytes[i] > '9')
            return SYNTAX;
        if (*value > (UINT64_MAX - digit) / 10)
            return RANGE;
        *value = *value * 10 + digit;
    }
    return digits.len > 0 ? NUMBER : SYNTAX;
}

/* As strconv.Atoi with 64 bits (E-008); out of range, the nearest bound (E-007). */
static enum number go_atoi(struct kp_text text, int64_t *value)
{
    bool negative = text.len > 0 && text.bytes[0] == '-';
    size_t sign = negative || (text.len > 0 && text.bytes[0] == '+') ? 1 : 0;
    struct kp_text digits = {text.bytes + sign, text.len - sign};
    uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t magnitude = 0;
    enum number found = parse_digits(digits, &magnitude);

    *value = 0;
    if (found == SYNTAX)
        return SYNTAX;
    if (found == RANGE || magnitude > most) {
        *value = negative ? INT64_MIN : INT64_MAX;
        return RANGE;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return NUMBER;
}

/* As Go's Atoi words it, with the text quoted as Go quotes (E-004, E-009, P-134). */
static void put_atoi_error(struct kp_buf *error, struct kp_text text, enum number found)
{
    kp_buf_put(error, KP_TEXT("strconv.Atoi: parsing "));
    kp_buf_put_quoted(error, text);
    kp_buf_put(error,
               found == RANGE ? KP_TEXT(": value out of range") : KP_TEXT(": invalid syntax"));
}

/* This container's first port of that name (P-132); of "" the first unnamed one (E-006). */
static bool find_by_name(const struct kp_container *container, struct kp_text name, int64_t *port)
{
    for (size_t i = 0; i < container->port_count; i++) {
        if (!kp_text_equal(container->ports[i].name, name))
            continue;
        *port = container->ports[i].container_port;
        return true;
    }
    return false;
}

static bool resolve_name(const struct kp_profile *profile, struct kp_text name,
                         const struct kp_container *container, int64_t *port, struct kp_buf *error)
{
    enum number found;

    if (find_by_name(container, name, port))
        return true;
    if (profile->named_port_atoi_gone) {
        *port = 0;
        kp_buf_put(error, KP_TEXT("port "));
        kp_buf_put_quoted(error, name);
        kp_buf_put(error, KP_TEXT(" not found"));
        return false;
    }
    found = go_atoi(name, port);
    if (found != NUMBER)
        put_atoi_error(error, name, found);
    return found == NUMBER;
}

/* Neither kind (P-135): no API decodes to it; Go prints the struct. */
static void put_no_kind(const struct kp_profile *profile, const struct kp_int_or_string *param,
                        struct kp_buf *error)
{
    kp_buf_put(error,
               profile->port_error_lower_case ? KP_TEXT("intOrString") : KP_TEXT("IntOrString"));
    kp_buf_put(error, KP_TEXT(" had no kind: {Type:"));
    kp_buf_put_int(error, param->kind);
    kp_buf_put(error, KP_TEXT(" IntVal:"));
    kp_buf_put_int(error, param->number);
    kp_buf_put(error, KP_TEXT(" StrVal:"));
    kp_buf_put(error, param->string);
    kp_buf_put(error, KP_TEXT("}"));
}

/* A number, or a name looked up in this container (E-003), either of them in 1..65535 (E-005,
 * P-133). */
bool kp_port_resolve(const struct kp_profile *profile, const struct kp_int_or_string *param,
                     const struct kp_container *container, int64_t *port, struct kp_buf *error)
{
    *port = -1;
    if (param->kind == KP_INTSTR_BAD) {
        put_no_kind(profile, param, error);
        return false;
    }
    if (param->kind == KP_INTSTR_INT)
        *port = param->number;
    else if (!resolve_name(profile, param->string, container, port, error))
        return false;
    if (*port > 0 && *port < 65536)
        return true;
    kp_buf_put(error, KP_TEXT("invalid port number: "));
    kp_buf_put_int(error, *port);
    return false;
}

bool kp_port_resolve_hook(const struct kp_profile *profile, const struct kp_int_or_string *param,
                          const struct kp_container *container, int64_t *port, struct kp_buf *error)
{
    if (profile->hook_port_as_probe)
        return kp_port_resolve(profile, param, container, port, error);
    if (param->kind == KP_INTSTR_INT) {
        *port = param->number;
        return true;
    }
    if (go_atoi(param->string, port) == NUMBER || find_by_name(container, param->string, port))
        return true;
    *port = -1;
    kp_buf_put(error, KP_TEXT("couldn't find port: {1 0 "));
    kp_buf_put(error, param->string);
    kp_buf_put(error, KP_TEXT("} in &Container{Name:"));
    kp_buf_put(error, container->name);
    kp_buf_put_char(error, ',');
    return false;
}

bool kp_handler_is_known(const struct kp_profile *profile, const struct kp_handler *handler)
{
    return handler->exec || handler->http_get || handler->tcp_socket ||
           (handler->grpc && profile->gates[KP_GATE_GRPCContainerProbe]);
}
