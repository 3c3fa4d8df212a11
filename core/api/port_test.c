#include "core/api/port.h"
#include "fakes/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct kp_profile profile_of(const char *version)
{
    struct kp_profile profile = unit_profile(version);

    return profile;
}

static struct kp_int_or_string name(const char *text)
{
    return (struct kp_int_or_string){.kind = KP_INTSTR_STRING, .string = kp_text_of(text)};
}

static struct kp_int_or_string number(int32_t value)
{
    return (struct kp_int_or_string){.kind = KP_INTSTR_INT, .number = value};
}

static const struct kp_container_port ports[] = {
    {.name = {"http", 4}, .container_port = 8080}, {.name = {"big", 3}, .container_port = 70000},
    {.name = {"big", 3}, .container_port = 7},     {.name = {"9", 1}, .container_port = 99},
    {.name = {NULL, 0}, .container_port = 5},
};
static const struct kp_container container = {
    .name = {"app", 3}, .ports = ports, .port_count = sizeof ports / sizeof ports[0]};
static const struct kp_container bare = {.name = {"app", 3}};

/* The number, or the text, as a row of the table says it. */
static void check_resolved(const char *version, struct kp_int_or_string param,
                           const struct kp_container *of, bool hook, int64_t want,
                           const char *want_text)
{
    struct kp_profile profile = profile_of(version);
    char text[200];
    struct kp_buf error = {text, sizeof text, 0};
    int64_t port = 0;
    bool found = hook ? kp_port_resolve_hook(&profile, &param, of, &port, &error)
                      : kp_port_resolve(&profile, &param, of, &port, &error);

    CHECK(found == (want_text == NULL));
    CHECK_INT(port, want);
    CHECK_TEXT(kp_buf_text(&error), kp_text_of(want_text ? want_text : ""));
}

/* E-003 .. E-009, P-132 .. P-137; the strings were given to the real function. */
static void a_port_is_a_number_a_name_or_a_number_in_a_string(void)
{
    static const struct {
        const char *param;
        int64_t port;
        const char *text;
    } rows[] = {
        {"http", 8080, NULL},
        {"big", 70000, "invalid port number: 70000"},
        {"9", 99, NULL},
        {"", 5, NULL},
        {"80", 80, NULL},
        {"+80", 80, NULL},
        {"080", 80, NULL},
        {"0000000000000000000080", 80, NULL},
        {"0", 0, "invalid port number: 0"},
        {"-0", 0, "invalid port number: 0"},
        {"-80", -80, "invalid port number: -80"},
        {"65536", 65536, "invalid port number: 65536"},
        {"9223372036854775807", INT64_MAX, "invalid port number: 9223372036854775807"},
        {"9223372036854775808", INT64_MAX,
         "strconv.Atoi: parsing \"9223372036854775808\": value out of range"},
        {"-9223372036854775809", INT64_MIN,
         "strconv.Atoi: parsing \"-9223372036854775809\": value out of range"},
        {"99999999999999999999x", INT64_MAX,
         "strconv.Atoi: parsing \"99999999999999999999x\": value out of range"},
        {"9223372036854775808x", 0,
         "strconv.Atoi: parsing \"9223372036854775808x\": invalid syntax"},
        {" 80", 0, "strconv.Atoi: parsing \" 80\": invalid syntax"},
        {"0x50", 0, "strconv.Atoi: parsing \"0x50\": invalid syntax"},
        {"+", 0, "strconv.Atoi: parsing \"+\": invalid syntax"},
        {"a\"\t", 0, "strconv.Atoi: parsing \"a\\\"\\t\": invalid syntax"},
    };
    static const char *const behind[] = {"-80", "+80"}; /* an empty text, in memory */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_resolved("1.36", name(rows[i].param), &container, false, rows[i].port, rows[i].text);
    check_resolved("1.36", name(""), &bare, false, 0, "strconv.Atoi: parsing \"\": invalid syntax");
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        struct kp_int_or_string empty = {.kind = KP_INTSTR_STRING, .string = {behind[i], 0}};

        check_resolved("1.36", empty, &bare, false, 0,
                       "strconv.Atoi: parsing \"\": invalid syntax");
    }
    check_resolved("1.36", number(65535), &bare, false, 65535, NULL);
    check_resolved("1.36", number(0), &bare, false, 0, "invalid port number: 0");
    check_resolved("1.36", number(-1), &bare, false, -1, "invalid port number: -1");
}

static void versions_differ(void)
{
    struct kp_int_or_string bad = {.kind = KP_INTSTR_BAD, .string = KP_TEXT("x")};

    check_resolved("1.37", name("80"), &bare, false, 0, "port \"80\" not found");
    check_resolved("1.37", name("big"), &container, false, 70000, "invalid port number: 70000");
    check_resolved("1.15", bad, &bare, false, -1,
                   "IntOrString had no kind: {Type:2 IntVal:0 StrVal:x}");
    bad.number = 7;
    check_resolved("1.16", bad, &bare, false, -1,
                   "intOrString had no kind: {Type:2 IntVal:7 StrVal:x}");
}

/* E-011 */
static void hooks_took_numbers_first(void)
{
    check_resolved("1.25", name("9"), &container, true, 9, NULL);
    check_resolved("1.26", name("9"), &container, true, 99, NULL);
    check_resolved("1.25", name(""), &container, true, 5, NULL); /* the unnamed one */
    check_resolved("1.25", number(70000), &container, true, 70000, NULL);
    check_resolved("1.26", number(70000), &container, true, 70000, "invalid port number: 70000");
    check_resolved("1.25", name("nope"), &container, true, -1,
                   "couldn't find port: {1 0 nope} in &Container{Name:app,");
}

/* The rule said another way: cut off what cannot matter, then let the C library read the number. */
static bool expected(const char *text, int64_t *port)
{
    const char *digits = text + (text[0] == '+' || text[0] == '-');
    char *end;

    if (strcmp(text, "http") == 0) {
        *port = 8080;
        return true;
    }
    if (digits[0] == 0 || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    *port = strtoll(text, &end, 10);
    return errno == 0 && *port >= 1 && *port <= 65535;
}

static void every_short_string_resolves_as_expected(void)
{
    static const char alphabet[] = "+-0169h ";
    struct kp_profile profile = profile_of("1.36");
    const struct kp_container one = {.ports = ports, .port_count = 1};
    size_t wrong = 0;

    for (unsigned code = 0; code < 8u * 8 * 8 * 8 * 8 * 8; code++) {
        char text[8] = {0};
        char message[100];
        struct kp_buf error = {message, sizeof message, 0};
        struct kp_int_or_string param;
        int64_t got = 0;
        int64_t want = 0;
        bool found;

        for (unsigned i = 0; i <= code % 6; i++)
            text[i] = alphabet[code >> (3 * i) & 7];
        param = name(text);
        found = kp_port_resolve(&profile, &param, &one, &got, &error);
        if (found != expected(text, &want) || (found && got != want) || found == (error.need > 0)) {
            wrong++;
            CHECK_STRING(text, "");
        }
    }
    CHECK_INT(wrong, 0);
}

const struct unit_test port_test[] = {
    {"a port is a number, a name or a number in a string",
     a_port_is_a_number_a_name_or_a_number_in_a_string},
    {"versions differ", versions_differ},
    {"hooks took numbers first", hooks_took_numbers_first},
    {"every short string resolves as expected", every_short_string_resolves_as_expected},
    {0},
};
