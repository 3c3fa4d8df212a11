/*
 * port.c: a probe's or a hook's port, number or string, against the rules said another way: a table
 * of names, and digits read backwards.
 *
 * The first byte: bits 0 and 1 the version, bit 2 a number, bit 3 a hook.  What follows is the
 * string, or four bytes of the number.
 */
#include "core/api/port.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"

#include <string.h>

/* "80" is a name too; the first port has none (E-006). */
static const struct kp_container_port ports[] = {
    {.name = {"", 0}, .container_port = 7070},
    {.name = {"web", 3}, .container_port = 8080},
    {.name = {"80", 2}, .container_port = 9090},
    {.name = {"big", 3}, .container_port = 70000},
};
static const struct kp_container container = {.name = {"c", 1}, .ports = ports, .port_count = 4};

static const char *const versions[] = {"1.36", "1.37", "1.25", "1.15"};

struct answer {
    bool is_one;
    int64_t number;
};

#ifndef __SIZEOF_INT128__
#error "the fuzz target port counts in 128 bits, which this machine's compiler does not have"
#endif

/* What Atoi takes, read backwards: digits, and at most one sign before them (E-008). */
static struct answer plain_number(struct kp_text text)
{
    const struct answer none = {false, 0};
    __extension__ __int128 number = 0;
    __extension__ __int128 weight = 1;
    size_t end = text.len > 0 && (text.bytes[0] == '+' || text.bytes[0] == '-') ? 1 : 0;

    if (text.len == end)
        return none;
    for (size_t i = text.len; i-- > end;) {
        char digit = text.bytes[i];

        if (digit < '0' || digit > '9' || (digit > '0' && weight > INT64_MAX))
            return none;
        number += (digit - '0') * weight;
        weight *= weight > INT64_MAX ? 1 : 10;
    }
    if (end == 1 && text.bytes[0] == '-')
        number = -number;
    return (struct answer){number >= INT64_MIN && number <= INT64_MAX, (int64_t)number};
}

static struct answer named(struct kp_text name)
{
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (kp_text_equal(ports[i].name, name))
            return (struct answer){true, ports[i].container_port};
    return (struct answer){false, 0};
}

/* E-003, E-005; E-011 is the hook's own way up to 1.25. */
static struct answer foretell(int minor, bool own_way, const struct kp_int_or_string *port)
{
    struct answer by_number = {true, port->number};
    struct answer by_name = {false, 0};
    struct answer found;

    if (port->kind == KP_INTSTR_STRING) {
        by_number = plain_number(port->string);
        by_name = named(port->string);
    }
    if (own_way)
        return by_number.is_one ? by_number : by_name;
    if (port->kind == KP_INTSTR_STRING && minor >= 37)
        by_number.is_one = false;
    found = by_name.is_one ? by_name : by_number;
    found.is_one = found.is_one && found.number >= 1 && found.number <= 65535;
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned how = size > 0 ? *data : 0;
    struct kp_int_or_string port = {.kind = how & 4 ? KP_INTSTR_INT : KP_INTSTR_STRING};
    const struct kp_profile *profile = fuzz_profile(versions[how & 3]);
    char bytes[64];
    struct kp_buf error = {bytes, sizeof bytes, 0};
    int64_t number = 0;
    struct answer wanted;
    bool resolved;

    if (how & 4)
        memcpy(&port.number, data + 1, size - 1 < 4 ? size - 1 : 4);
    else
        port.string = (struct kp_text){(const char *)data + (size > 0), size - (size > 0)};
    wanted = foretell(profile->minor, how & 8 && profile->minor <= 25, &port);
    resolved = (how & 8 ? kp_port_resolve_hook : kp_port_resolve)(profile, &port, &container,
                                                                  &number, &error);
    PROMISE(resolved == wanted.is_one && (!resolved || number == wanted.number));
    PROMISE(resolved == (error.need == 0));
    return 0;
}
