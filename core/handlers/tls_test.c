#include "tls.h"

#include "handlers.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

/* The name in the first message; "": none. */
static struct kp_text name_sent(struct kp_flight *flight, const char *host)
{
    struct kp_text name = KP_TEXT("");
    struct kp_tls tls;

    if (!CHECK(kp_tls_begin(&tls, flight, kp_text_of(host), KP_ALPN_HTTP)))
        return name;
    if (SSL_get_servername(tls.ssl, TLSEXT_NAMETYPE_host_name))
        name = kp_scratch_copy(&flight->scratch,
                               kp_text_of(SSL_get_servername(tls.ssl, TLSEXT_NAMETYPE_host_name)));
    kp_tls_end(&tls);
    return name;
}

/* P-112.  Upstream: Go, crypto/tls hostnameInSNI. */
static void a_name_is_sent_without_its_last_dots(void)
{
    static const struct {
        const char *host;
        const char *sent;
    } rows[] = {
        {"a.b", "a.b"}, {"a.b.", "a.b"},   {"a.b..", "a.b"}, {"a", "a"}, {"127.0.0.1", ""},
        {"::1", ""},    {"fe80::1%1", ""}, {"", ""},         {".", ""},
    };
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_handlers set = {.mem = &mem};
    struct kp_profile profile;
    struct kp_flight flight = {.set = &set, .attempt.profile = &profile};

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    kp_scratch_init(&flight.scratch, &mem);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(name_sent(&flight, rows[i].host), kp_text_of(rows[i].sent));
    kp_scratch_deinit(&flight.scratch);
    SSL_CTX_free(set.tls);
    CHECK_INT(state.live, 0);
}

const struct unit_test tls_test[] = {
    {"a name is sent without its last dots", a_name_is_sent_without_its_last_dots},
    {0},
};
