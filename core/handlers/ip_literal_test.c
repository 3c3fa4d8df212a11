#include "ip_literal.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"
#include "scratch.h"

#include <string.h>

/* As net/netip of Go 1.26.8 has it. */
static void an_ipv6_address_may_be_written_in_many_ways(void)
{
    static const char *const rows[] = {
        "::",
        "::1",
        "1::",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "aF09::ffff%x",
        "::%%",
        "1:2:3:4:5:6:1.2.3.4",
        "::255.255.255.255",
        "::1.2.3.9",
        "::10.99.100.0",
        "1::2:0.0.0.0",
        "::1:2:3:4:5:1.2.3.4%1.2",
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_message why = {0};

        CHECK(kp_ip_literal_check(kp_text_of(rows[i]), &why));
        CHECK_INT(why.count, 0);
    }
}

static void of_two_faults_one_is_reported(void)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"%:", "ParseAddr(\"%:\"): missing IPv6 address"},
        {"1.00.3.4", "ParseAddr(\"1.00.3.4\"): IPv4 field has octet with leading zero"},
        {"1.2.3.4%x", "ParseAddr(\"1.2.3.4%x\"): unexpected character (at \"%x\")"},
        {"1.2.3.4.", "ParseAddr(\"1.2.3.4.\"): IPv4 field must have at least one digit (at \".\")"},
        {"1:1.2.3",
         "ParseAddr(\"1:1.2.3\"): embedded IPv4 address must replace the final 2 fields of "
         "the address (at \"1.2.3\")"},
        {"1:2:3:4:5:6:7:1.2.3.4",
         "ParseAddr(\"1:2:3:4:5:6:7:1.2.3.4\"): embedded IPv4 address must replace the final 2 "
         "fields of the address (at \"1.2.3.4\")"},
        {"::1:2:3:4:5:6:7:1.2.3",
         "ParseAddr(\"::1:2:3:4:5:6:7:1.2.3\"): too many hex fields to fit an "
         "embedded IPv4 at the end of the address (at \"1.2.3\")"},
        {"::1:2:3:4:5:6:1.2.3.4", "ParseAddr(\"::1:2:3:4:5:6:1.2.3.4\"): the :: must expand to at "
                                  "least one field of zeros"},
        {"::1:2:3:4:5:6:7:8:9",
         "ParseAddr(\"::1:2:3:4:5:6:7:8:9\"): trailing garbage after address (at \"9\")"},
        {"::.1", "ParseAddr(\"::.1\"): each colon-separated field must have at least one digit (at "
                 "\".1\")"},
    };
    const size_t begun = strlen("invalid host: ");
    struct kp_mem mem = fake_alloc_plain();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_message why = {0};
        struct kp_scratch scratch;
        struct kp_text text;

        kp_scratch_init(&scratch, &mem);
        kp_message_add(&why, KP_TEXT(""));
        CHECK(!kp_ip_literal_check(kp_text_of(rows[i].text), &why));
        text = kp_scratch_message(&scratch, &why);
        CHECK_TEXT((kp_text_from(text, begun)), kp_text_of(rows[i].why));
        kp_scratch_deinit(&scratch);
    }
}

/* What stands behind a text in memory is none of it. */
static void a_text_ends_where_it_ends(void)
{
    static const char *const rows[] = {"::1.2", "::1:", "::12345"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_message why = {0};

        CHECK(kp_ip_literal_check((struct kp_text){rows[i], 3}, &why));
    }
}

const struct unit_test ip_literal_test[] = {
    {"an IPv6 address may be written in many ways", an_ipv6_address_may_be_written_in_many_ways},
    {"of two faults one is reported", of_two_faults_one_is_reported},
    {"a text ends where it ends", a_text_ends_where_it_ends},
    {0},
};
