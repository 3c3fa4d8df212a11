#include "dial.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

static void what_cannot_be_dialled_is_told_before(void)
{
    static const struct {
        const char *host;
        const char *port;
        const char *url; /* NULL: see why */
        const char *why;
    } rows[] = {
        {"10.0.0.1", "80", "http://10.0.0.1:80", ""},
        {"fe80::1%eth0", "80", "http://[fe80::1%25eth0]:80", ""},
        {"", "80", "http://127.0.0.1:80", ""},
        {"web.ns.svc", "443", "http://web.ns.svc:443", ""},
        {"127.1", "80", NULL, "dial tcp: lookup 127.1: no such host"},
        {"a b", "80", NULL, "dial tcp: lookup a b: no such host"},
        {"azAZ09-_.\xC3\xA9", "80", "http://azAZ09-_.\xC3\xA9:80", ""},
        {"h", "65535", "http://h:65535", ""},
        {"h", "65536", NULL, "dial tcp: address 65536: invalid port"},
        {"h", "99999", NULL, "dial tcp: address 99999: invalid port"},
        {"h", "18446744073709551617", NULL, "dial tcp: address 18446744073709551617: invalid port"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;
        bool good;

        kp_scratch_init(&scratch, &mem);
        good = kp_dial_init(&dial, &scratch, "http", kp_text_of(rows[i].host),
                            kp_text_of(rows[i].port), &why);
        CHECK(!scratch.failed);
        CHECK_INT(good, rows[i].url != NULL);
        if (good)
            CHECK_STRING(dial.url, rows[i].url);
        else
            CHECK_TEXT(kp_scratch_say(&scratch, &why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

/* The longest address with a zone as long as many an interface's name, and a longer one. */
static void a_zone_may_be_long(void)
{
#define FULL "2001:db8:1111:2222:3333:4444:5555:6666"
    static const char *const zones[] = {
        "%01234567890123456789",
        "%0123456789012345678901234567890123456789012345678901234567890123456789"};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(65535)};
    struct kp_transfer transfer = {.dialled = true};

    inet_pton(AF_INET6, FULL, &v6.sin6_addr);
    memcpy(&transfer.address, &v6, sizeof v6);
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;
        char host[128];
        char want[160];

        snprintf(host, sizeof host, FULL "%s", zones[i]);
        snprintf(want, sizeof want, "dial tcp [%s]:65535: i/o timeout", host);
        dial = (struct kp_dial){.host = kp_text_of(host)};
        kp_scratch_init(&scratch, &mem);
        kp_dial_add_timeout(&why, &scratch, &dial, &transfer);
        CHECK_TEXT(kp_scratch_say(&scratch, &why), kp_text_of(want));
        kp_scratch_deinit(&scratch);
    }
}

/* An address needs nobody to resolve it: where libcurl says that it cannot be, memory is short. */
static void what_is_an_address_is_known(void)
{
    static const struct {
        const char *host;
        bool is_address;
    } rows[] = {
        {"", true}, {"10.0.0.1", true}, {"::1", true}, {"fe80::1%eth0", true}, {"h", false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_dial dial;

        kp_scratch_init(&scratch, &mem);
        CHECK(kp_dial_init(&dial, &scratch, "http", kp_text_of(rows[i].host), KP_TEXT("80"), &why));
        CHECK_INT(dial.is_address, rows[i].is_address);
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
    CHECK(kp_dial_init(&dial, &scratch, "http", (struct kp_text){name, 255}, KP_TEXT("80"), &why));
    CHECK(!kp_dial_init(&dial, &scratch, "http", (struct kp_text){name, 256}, KP_TEXT("80"), &why));
    CHECK_STRING(kp_split_host_port((struct kp_text){"[::1]:80", 5}, &host, &port),
                 "missing port in address");
    CHECK(kp_split_host_port((struct kp_text){"[::1]:80[", 8}, &host, &port) == NULL);
    kp_scratch_deinit(&scratch);
}

/* The words of libcurl and of its libraries that mean it, and the codes. */
static void who_lacked_memory_says_so(void)
{
    static const struct {
        CURLcode code;
        const char *words;
        bool is_address;
        bool lacked;
    } rows[] = {
        {CURLE_OUT_OF_MEMORY, "", false, true},
        {CURLE_COULDNT_RESOLVE_HOST, "", true, true},
        {CURLE_COULDNT_RESOLVE_HOST, "Could not resolve host: h", false, false},
        {CURLE_COULDNT_CONNECT, "", true, false},
        {CURLE_HTTP2, "nghttp2 returned -901", true, true},
        {CURLE_HTTP2, "nghttp2 returned -902", false, true},
        {CURLE_SEND_ERROR, "Failed to add data to output buffer", false, true},
        {CURLE_SSL_CONNECT_ERROR, "error:0:lib:malloc failure", false, true},
        {CURLE_SSL_CONNECT_ERROR, "error:0:lib:wrong version", false, false},
        {CURLE_OK, "nghttp2 returned -901", false, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_flight flight = {.done = true}; /* nobody is told */
        struct kp_transfer transfer = {.flight = &flight};
        const struct kp_dial dial = {.is_address = rows[i].is_address};

        snprintf(transfer.words, sizeof transfer.words, "%s", rows[i].words);
        CHECK_INT(kp_dial_lacked_memory(&dial, &transfer, rows[i].code), rows[i].lacked);
    }
}

static void what_was_dialled_is_told(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_transfer transfer = {.dialled = true, .easy = curl_easy_init()};
    const struct kp_dial name = {.host = KP_TEXT("h"), .port = 80};
    const struct kp_dial node = {.host = KP_TEXT(""), .port = 80};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    struct kp_message texts[5] = {0};
    struct kp_scratch scratch;

    inet_pton(AF_INET, "10.0.0.1", &to.sin_addr);
    memcpy(&transfer.address, &to, sizeof to);
    kp_scratch_init(&scratch, &mem);
    kp_dial_add_timeout(&texts[0], &scratch, &name, &transfer);
    CHECK_TEXT(kp_scratch_say(&scratch, &texts[0]), KP_TEXT("dial tcp 10.0.0.1:80: i/o timeout"));
    kp_dial_add_timeout(&texts[1], &scratch, &node, &transfer);
    CHECK_TEXT(kp_scratch_say(&scratch, &texts[1]), KP_TEXT("dial tcp :80: i/o timeout"));
    kp_dial_add_error(&texts[2], &scratch, &name, &transfer); /* where libcurl has no errno */
    CHECK_TEXT(kp_scratch_say(&scratch, &texts[2]),
               KP_TEXT("dial tcp 10.0.0.1:80: connect: connection refused"));
    transfer.dialled = false;
    kp_dial_add_timeout(&texts[3], &scratch, &name, &transfer);
    CHECK_TEXT(kp_scratch_say(&scratch, &texts[3]), KP_TEXT("dial tcp: lookup h: i/o timeout"));
    kp_dial_add_read_error(&texts[4], &scratch, &transfer);
    CHECK_TEXT(kp_scratch_say(&scratch, &texts[4]),
               KP_TEXT("read tcp :0->10.0.0.1:80: read: connection reset by peer"));
    curl_easy_cleanup(transfer.easy);
    kp_scratch_deinit(&scratch);
}

const struct unit_test dial_test[] = {
    {"addresses are cut as Go's dialler does", addresses_are_cut_as_gos_dialler_does},
    {"what cannot be dialled is told before", what_cannot_be_dialled_is_told_before},
    {"a zone may be long", a_zone_may_be_long},
    {"what is an address is known", what_is_an_address_is_known},
    {"a name ends", a_name_ends},
    {"who lacked memory says so", who_lacked_memory_says_so},
    {"what was dialled is told", what_was_dialled_is_told},
    {0},
};
