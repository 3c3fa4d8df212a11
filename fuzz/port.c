/* port.c: a probe's port as a string, against the rule said another way: a name, else decimal
 * digits with one sign. */
#include "core/port.h"
#include "fuzz/fuzz.h"

#include <string.h>

/* What Atoi takes, read backwards: digits, and at most one sign before them; -1: it is no small
 * number. */
static long plain_number(const uint8_t *data, size_t size)
{
    long number = 0;
    long weight = 1;
    size_t end = size > 0 && (data[0] == '+' || data[0] == '-') ? 1 : 0;

    if (size == end)
        return -1;
    for (size_t i = size; i-- > end;) {
        if (data[i] < '0' || data[i] > '9')
            return -1;
        number += (data[i] - '0') * weight;
        if (weight < 1000000)
            weight *= 10;
        else if (data[i] != '0')
            return -1;
    }
    return data[0] == '-' ? -1 : number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_int_or_string port = {.kind = KP_INTSTR_STRING,
                                          .string = {(const char *)data, size}};
    const struct kp_container_port named = {.name = {"web", 3}, .container_port = 8080};
    const struct kp_container container = {.ports = &named, .port_count = 1};
    struct kp_profile profile;
    char bytes[64];
    struct kp_buf error = {bytes, sizeof bytes, 0};
    int64_t number = 0;
    bool resolved;
    bool is_name = size == 3 && memcmp(data, "web", 3) == 0;
    long plain = plain_number(data, size);

    PROMISE(kp_profile_init(&profile, KP_TEXT("1.36")) == KP_OK);
    resolved = kp_port_resolve(&profile, &port, &container, &number, &error);
    if (is_name)
        PROMISE(resolved && number == 8080);
    else
        PROMISE(resolved == (plain >= 1 && plain <= 65535) && (!resolved || number == plain));
    PROMISE(resolved || error.need > 0);
    return 0;
}
