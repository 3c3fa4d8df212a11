#include "dial.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct kp_profile newest = {.with_go_121 = true};

/* P-121 */
static void addresses_are_cut_as_gos_dialler_does(void)
{
    static const struct {
        const char *text;
        const char *host;
        const char *wrong; /* NULL: nothing */
    } rows[] = {
        {"127.0.0.1:80", "127.0.0.1", NULL},
        {"[::1]:80", "::1", NULL},
        {":80", "", NULL},
        {"[:80", "", "missing ']' in address"},
        {"[[::1]]:80", "", "missing port in address"},
        {"a", "", "missing port in address"},
        {"a:b:80", "", "too many colons in address"},
        {"[a]:b:80", "", "too many colons in address"},
        {"a[b:80", "", "unexpected '[' in address"},
        {"[a]:[", "", "unexpected '[' in address"},
        {"a]b:80", "", "unexpected ']' in address"},
        {"[a[b]:80", "", "unexpected '[' in address"},
        {"[a]]:80", "", "missing port in address"},
        {"[a]", "", "missing port in address"},
        {"[::1]", "", "missing port in address"},
        {"[::1]:8]", "", "unexpected ']' in address"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text host;
        struct kp_text port;
        const char *wrong = kp_split_host_port(kp_text_of(rows[i].text), &host, &port);

        CHECK_STRING(wrong ? wrong : "", rows[i].wrong ? rows[i].wrong : "");
        if (wrong)
            continue;
        CHECK_TEXT(host, kp_text_of(rows[i].host));
        CHECK_TEXT(port, KP_TEXT("80"));
    }
}

static void what_cannot_be_dialled_is_reported_before(void)
{
    static const struct {
        const char *host;
        const char *port;
        const char *why; /* empty: nothing */
        const char *url; /* of a name; NULL: it is an address */
    } rows[] = {
        {"10.0.0.1", "80", "", NULL},
        {"fe80::1%1", "80", "", NULL},
        {"::ffff:10.0.0.1", "80", "", NULL},
        {"", "80", "", NULL},
        {"web.ns.svc", "443", "", "http://web.ns.svc:443"},
        {"127.1", "80", "dial tcp: lookup 127.1: no such host", NULL},
        {"::1%[", "80", "dial tcp: address [::1%[]:80: unexpected '[' in address", NULL},
        {"127.0.0.1%1", "80", "dial tcp: lookup 127.0.0.1%1: no such host", NULL},
        {"[::1", "80", "dial tcp: address [[::1]:80: unexpected '[' in address", NULL},
        {"127.0.0.1%", "80", "dial tcp: lookup 127.0.0.1%: no such host", NULL},
        {"::1%", "80", "dial tcp: lookup ::1%: no such host", NULL},
        {"::ffff:127.0.0.1%", "80", "dial tcp: lookup ::ffff:127.0.0.1%: no such host", NULL},
        {"%1", "80", "dial tcp: lookup %1: no such host", NULL},
        {"0x7f.1", "80", "dial tcp: lookup 0x7f.1: no such host", NULL},
        {"a b", "80", "dial tcp: lookup a b: no such host", NULL},
        {"a b", "65536", "dial tcp: address 65536: invalid port", NULL}, /* it is read before */
        {"[", "65536", "dial tcp: address [:65536: missing ']' in address", NULL},
        {"azAZ09-_.\xC3\xA9", "80", "", "http://azAZ09-_.\xC3\xA9:80"},
        {"h", "65535", "", "http://h:65535"},
        {"h", "65536", "dial tcp: address 65536: invalid port", NULL},
        {"h", "655350", "dial tcp: address 655350: invalid port",
         NULL}, /* its first five are one */
        {"10.0.0.1", "65536", "dial tcp: address 65536: invalid port", NULL},
        {"h", "99999", "dial tcp: address 99999: invalid port", NULL},
        {"h", "18446744073709551617", "dial tcp: address 18446744073709551617: invalid port", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;
        bool good;

        kp_scratch_init(&scratch, &mem);
        good = kp_dial_init(&dial, &scratch, &newest, kp_text_of(rows[i].host),
                            kp_text_of(rows[i].port), &why);
        CHECK(!scratch.failed);
        CHECK_TEXT(kp_scratch_message(&scratch, &why), kp_text_of(rows[i].why));
        CHECK_INT(good, rows[i].why[0] == '\0');
        CHECK_STRING(dial.url ? dial.url : "", rows[i].url ? rows[i].url : "");
        CHECK_INT(dial.is_address, good && !rows[i].url);
        CHECK(!dial.tried);
        kp_scratch_deinit(&scratch);
    }
}

/* Where a socket goes, of which IPv4 in the clothes of IPv6 is IPv4. */
static void addresses_are_read(void)
{
    static const struct {
        const char *host;
        const char *address;
        int family;
        unsigned scope;
    } rows[] = {
        {"10.0.0.1", "10.0.0.1", AF_INET, 0},        {"", "127.0.0.1", AF_INET, 0},
        {"::ffff:10.0.0.1", "10.0.0.1", AF_INET, 0}, {"::1", "::1", AF_INET6, 0},
        {"fe80::1%77", "fe80::1", AF_INET6, 77},     {"fe80::1%lo", "fe80::1", AF_INET6, 1},
        {"fe80::1%none", "fe80::1", AF_INET6, 0},    {"fe80::1%010", "fe80::1", AF_INET6, 10},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        char text[INET6_ADDRSTRLEN] = "";
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct sockaddr_in6 v6;
        struct sockaddr_in v4;
        struct kp_dial dial;

        kp_scratch_init(&scratch, &mem);
        CHECK(
            kp_dial_init(&dial, &scratch, &newest, kp_text_of(rows[i].host), KP_TEXT("80"), &why));
        memcpy(&v4, &dial.address, sizeof v4);
        memcpy(&v6, &dial.address, sizeof v6);
        CHECK_INT(dial.address.ss_family, rows[i].family);
        if (rows[i].family == AF_INET) {
            inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
            CHECK_INT(ntohs(v4.sin_port), 80);
        } else {
            inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
            CHECK_INT(ntohs(v6.sin6_port), 80);
            CHECK_INT(v6.sin6_scope_id, rows[i].scope == 1 ? if_nametoindex("lo") : rows[i].scope);
        }
        CHECK_STRING(text, rows[i].address);
        kp_scratch_deinit(&scratch);
    }
}

static struct sockaddr_in6 dialled(const struct kp_profile *profile, struct kp_text host)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_message why = {0};
    struct sockaddr_in6 v6;
    struct kp_scratch scratch;
    struct kp_dial dial;

    kp_scratch_init(&scratch, &mem);
    CHECK(kp_dial_init(&dial, &scratch, profile, host, KP_TEXT("80"), &why));
    CHECK(dial.is_address);
    memcpy(&v6, &dial.address, sizeof v6);
    kp_scratch_deinit(&scratch);
    return v6;
}

/* Up to Go 1.20, net parseIPv6Zone. */
static void a_zone_may_be_empty_before(void)
{
    const struct kp_profile before = {0};
    struct sockaddr_in6 v6 = dialled(&before, KP_TEXT("::1%"));

    CHECK(IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr));
    CHECK_INT(v6.sin6_scope_id, 0);
}

/* What stands in memory behind a host is none of it. */
static void a_zone_ends_where_it_ends(void)
{
    static const char bytes[] = "fe80::1%lox";

    CHECK_INT(dialled(&newest, (struct kp_text){bytes, 10}).sin6_scope_id, if_nametoindex("lo"));
}

static void what_a_machine_may_be_short_of(void)
{
    static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        CHECK(kp_dial_is_short(errors[i]));
    CHECK(!kp_dial_is_short(ECONNREFUSED));
    CHECK(!kp_dial_is_short(0));
}

/* The longest address with a zone as long as many an interface's name, and a longer one. */
static void a_zone_may_be_long(void)
{
#define FULL "2001:db8:1111:2222:3333:4444:5555:6666"
    static const char *const zones[] = {
        "%01234567890123456789",
        "%0123456789012345678901234567890123456789012345678901234567890123456789"};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(65535)};

    inet_pton(AF_INET6, FULL, &v6.sin6_addr);
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;
        char host[128];
        char want[160];

        snprintf(host, sizeof host, FULL "%s", zones[i]);
        snprintf(want, sizeof want, "dial tcp [%s]:65535: i/o timeout", host);
        dial = (struct kp_dial){.host = kp_text_of(host), .tried = true};
        memcpy(&dial.address, &v6, sizeof v6);
        kp_scratch_init(&scratch, &mem);
        kp_dial_add_timeout(&why, &scratch, &dial);
        CHECK_TEXT(kp_scratch_message(&scratch, &why), kp_text_of(want));
        kp_scratch_deinit(&scratch);
    }
}

/* A name has at most 255 bytes; what stands in memory behind a text is none of it. */
static void a_name_ends(void)
{
    char name[257];
    struct kp_mem mem = fake_alloc_plain();
    struct kp_message why = {0};
    struct kp_scratch scratch;
    struct kp_dial dial;
    struct kp_text host;
    struct kp_text port;

    memset(name, 'a', sizeof name);
    kp_scratch_init(&scratch, &mem);
    CHECK(kp_dial_init(&dial, &scratch, &newest, (struct kp_text){name, 255}, KP_TEXT("80"), &why));
    CHECK(
        !kp_dial_init(&dial, &scratch, &newest, (struct kp_text){name, 256}, KP_TEXT("80"), &why));
    CHECK_STRING(kp_split_host_port((struct kp_text){"[::1]:80", 5}, &host, &port),
                 "missing port in address");
    CHECK(kp_split_host_port((struct kp_text){"[::1]:80[", 8}, &host, &port) == NULL);
    kp_scratch_deinit(&scratch);
}

static void what_was_dialled_is_reported(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_dial name = {.host = KP_TEXT("h"), .port = 80, .tried = true};
    struct kp_dial node = {.host = KP_TEXT(""), .port = 80, .tried = true};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    struct kp_message texts[6] = {0};
    struct kp_scratch scratch;

    inet_pton(AF_INET, "10.0.0.1", &to.sin_addr);
    memcpy(&name.address, &to, sizeof to);
    kp_scratch_init(&scratch, &mem);
    kp_dial_add_timeout(&texts[0], &scratch, &name);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[0]),
               KP_TEXT("dial tcp 10.0.0.1:80: i/o timeout"));
    kp_dial_add_timeout(&texts[1], &scratch, &node);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[1]), KP_TEXT("dial tcp :80: i/o timeout"));
    kp_dial_add_error(&texts[2], &scratch, &name, 0);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[2]),
               KP_TEXT("dial tcp 10.0.0.1:80: connect: connection refused"));
    kp_dial_add_error(&texts[3], &scratch, &name, EHOSTUNREACH);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[3]),
               KP_TEXT("dial tcp 10.0.0.1:80: connect: no route to host"));
    kp_dial_add_read_error(&texts[5], &scratch, &name, -1, ECONNRESET);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[5]),
               KP_TEXT("read tcp :0->10.0.0.1:80: read: connection reset by peer"));
    name.tried = false;
    kp_dial_add_timeout(&texts[4], &scratch, &name);
    CHECK_TEXT(kp_scratch_message(&scratch, &texts[4]), KP_TEXT("dial tcp: lookup h: i/o timeout"));
    kp_scratch_deinit(&scratch);
}

/* Upstream: Go, net sockaddrToTCP; Linux keeps the zone of a link-local address alone. */
static void an_end_is_told_with_its_interface(void)
{
    static const struct {
        const char *host;
        const char *told;
    } rows[] = {
        {"fe80::1%lo", "[fe80::1%lo]"},
        {"fe80::1%1999", "[fe80::1%1999]"},
        {"::1%lo", "[::1]"},
        {"fe80::1", "[fe80::1]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message texts[2] = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;
        char want[80];

        snprintf(want, sizeof want, "read tcp :0->%s:80: read: connection reset by peer",
                 rows[i].told);
        kp_scratch_init(&scratch, &mem);
        CHECK(kp_dial_init(&dial, &scratch, &newest, kp_text_of(rows[i].host), KP_TEXT("80"),
                           &texts[0]));
        kp_dial_add_read_error(&texts[1], &scratch, &dial, -1, ECONNRESET);
        CHECK_TEXT(kp_scratch_message(&scratch, &texts[1]), kp_text_of(want));
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test dial_test[] = {
    {"a zone may be empty, before", a_zone_may_be_empty_before},
    {"a zone ends where it ends", a_zone_ends_where_it_ends},
    {"what a machine may be short of", what_a_machine_may_be_short_of},
    {"addresses are cut as Go's dialler does", addresses_are_cut_as_gos_dialler_does},
    {"what cannot be dialled is reported before", what_cannot_be_dialled_is_reported_before},
    {"addresses are read", addresses_are_read},
    {"a zone may be long", a_zone_may_be_long},
    {"a name ends", a_name_ends},
    {"what was dialled is reported", what_was_dialled_is_reported},
    {"an end is told with its interface", an_end_is_told_with_its_interface},
    {0},
};
