#include "dial.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stddef.h>

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
        {"a]b:80", "", "unexpected ']' in address"},
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
        {"h", "99999", NULL, "dial tcp: address 99999: invalid port"},
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
        CHECK_INT(good, rows[i].url != NULL);
        if (good)
            CHECK_STRING(dial.url, rows[i].url);
        else
            CHECK_TEXT(kp_scratch_say(&scratch, &why), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test dial_test[] = {
    {"addresses are cut as Go's dialler does", addresses_are_cut_as_gos_dialler_does},
    {"what cannot be dialled is told before", what_cannot_be_dialled_is_told_before},
    {0},
};
