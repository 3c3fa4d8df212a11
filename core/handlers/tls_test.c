#define _GNU_SOURCE /* memmem */
#include "tls.h"

#include "handlers.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

/* What a machine says of all programs (openssl.cnf) is read once, before any test. */
__attribute__((constructor)) static void know_no_machine(void)
{
    setenv("OPENSSL_CONF", "/dev/null", 1);
}

/* ---- a connection ---------------------------------------------------------------------------- */

struct bench {
    struct fake_alloc state;
    struct kp_mem mem;
    struct kp_handlers set;
    struct kp_profile profile;
    struct kp_flight flight;
    struct kp_tls tls;
};

static void begin_as(struct bench *bench, const char *version, const char *host)
{
    *bench = (struct bench){.state.fail_at = FAKE_ALLOC_NEVER};
    bench->mem = fake_alloc_mem(&bench->state);
    bench->set.mem = &bench->mem;
    bench->flight = (struct kp_flight){.set = &bench->set, .attempt.profile = &bench->profile};
    CHECK_INT(kp_profile_init(&bench->profile, kp_text_of(version)), KP_OK);
    kp_scratch_init(&bench->flight.scratch, &bench->mem);
    CHECK(kp_tls_begin(&bench->tls, &bench->flight, kp_text_of(host), KP_ALPN_HTTP));
}

static void begin(struct bench *bench, const char *host)
{
    begin_as(bench, "1.36", host);
}

static void end(struct bench *bench)
{
    kp_tls_end(&bench->tls);
    kp_scratch_deinit(&bench->flight.scratch);
    SSL_CTX_free(bench->set.tls);
    CHECK_INT(bench->state.live, 0);
}

/* P-112: Go 1.12 had no TLS 1.3, and Go 1.18 has nothing below 1.2. */
static void versions_are_those_of_go(void)
{
    static const struct {
        const char *version;
        int least, most; /* 0: any */
        int level;
    } rows[] = {{"1.15", TLS1_VERSION, TLS1_2_VERSION, 0},
                {"1.16.0", TLS1_VERSION, TLS1_2_VERSION, 0},
                {"1.18", TLS1_VERSION, 0, 0},
                {"1.22", TLS1_VERSION, 0, 0},
                {"1.24", TLS1_2_VERSION, 0, 1},
                {"1.36", TLS1_2_VERSION, 0, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench;

        begin_as(&bench, rows[i].version, "a.b");
        CHECK_INT(SSL_get_min_proto_version(bench.tls.ssl), rows[i].least);
        CHECK_INT(SSL_get_max_proto_version(bench.tls.ssl), rows[i].most);
        CHECK_INT(SSL_get_security_level(bench.tls.ssl) > 0, rows[i].level);
        end(&bench);
    }
}

/* No session is resumed: no extension 35.  Upstream: Go, crypto/tls handshake_client.go. */
static void no_ticket_is_requested(void)
{
    static const char session_ticket[] = {0, 35, 0, 0};
    struct bench bench;
    struct kp_text hello;

    begin(&bench, "a.b");
    CHECK_INT(kp_tls_handshake(&bench.tls), KP_TLS_MORE);
    hello = kp_tls_unsent(&bench.tls);
    CHECK(hello.len > 0);
    CHECK(!memmem(hello.bytes, hello.len, session_ticket, sizeof session_ticket));
    end(&bench);
}

/* To the last byte, in whatever pieces the peer takes it. */
static void what_was_sent_is_unsent_no_more(void)
{
    struct bench bench;
    size_t len;

    begin(&bench, "a.b");
    CHECK_INT(kp_tls_handshake(&bench.tls), KP_TLS_MORE);
    len = kp_tls_unsent(&bench.tls).len;
    kp_tls_was_sent(&bench.tls, len - 2);
    CHECK_INT(kp_tls_unsent(&bench.tls).len, 2);
    kp_tls_was_sent(&bench.tls, 1);
    CHECK_INT(kp_tls_unsent(&bench.tls).len, 1);
    kp_tls_was_sent(&bench.tls, 1);
    CHECK_INT(kp_tls_unsent(&bench.tls).len, 0);
    end(&bench);
}

/* ---- a server -------------------------------------------------------------------------------- */

/* One without a certificate, in memory; it speaks no newer version than that. */
static SSL *new_server(int version)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    SSL *ssl;

    SSL_CTX_set_max_proto_version(context, version);
    CHECK_INT(SSL_CTX_set_cipher_list(context, "aNULL:@SECLEVEL=0"), 1);
    ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl);
    return ssl;
}

static void bring_to_server(struct bench *bench, SSL *server)
{
    struct kp_text bytes = kp_tls_unsent(&bench->tls);

    if (bytes.len > 0)
        BIO_write(SSL_get_rbio(server), bytes.bytes, (int)bytes.len);
    kp_tls_was_sent(&bench->tls, bytes.len);
}

static void handshake(struct bench *bench, SSL *server)
{
    enum kp_tls_end end;

    CHECK_INT(SSL_set_cipher_list(bench->tls.ssl, "aNULL:@SECLEVEL=0"), 1);
    while ((end = kp_tls_handshake(&bench->tls)) == KP_TLS_MORE) {
        char *bytes = NULL;
        long len;

        bring_to_server(bench, server);
        SSL_do_handshake(server);
        len = BIO_get_mem_data(SSL_get_wbio(server), &bytes);
        if (!CHECK(len > 0))
            return;
        CHECK(kp_tls_take(&bench->tls, (struct kp_text){bytes, (size_t)len}));
        BIO_reset(SSL_get_wbio(server));
    }
    CHECK_INT(end, KP_TLS_FINE);
}

/* OpenSSL's queue is the thread's: of whoever uses it there. */
static void errors_of_others_are_nobodys(void)
{
    struct bench bench;
    SSL *server = new_server(TLS1_2_VERSION);
    char bytes[1];
    size_t len;

    begin(&bench, "a.b");
    handshake(&bench, server);
    ERR_put_error(ERR_LIB_USER, 0, 1, __FILE__, __LINE__);
    CHECK_INT(kp_tls_read(&bench.tls, bytes, sizeof bytes, &len), KP_TLS_MORE);
    SSL_free(server);
    end(&bench);
}

/* Upstream: Go, crypto/tls conn.go Close. */
static void a_peer_is_sent_the_end(void)
{
    struct bench bench;
    SSL *server = new_server(TLS1_2_VERSION);
    char bytes[1];

    begin(&bench, "a.b");
    handshake(&bench, server);
    bring_to_server(&bench, server);
    CHECK_INT(SSL_do_handshake(server), 1);
    CHECK_INT(SSL_get_error(server, SSL_read(server, bytes, 1)), SSL_ERROR_WANT_READ);
    kp_tls_send_close_notify(&bench.tls);
    bring_to_server(&bench, server);
    CHECK_INT(SSL_get_error(server, SSL_read(server, bytes, 1)), SSL_ERROR_ZERO_RETURN);
    SSL_free(server);
    end(&bench);
}

/* A record of another version than was agreed on is told with both.  Upstream: Go, crypto/tls
 * conn.go readRecordOrCCS. */
static void records_are_of_the_version_that_was_agreed_on(void)
{
    static const struct {
        int agreed;
        const char *record;
        int odd;
    } rows[] = {{TLS1_VERSION, "\x17\3\2\0\1x", TLS1_1_VERSION},
                {TLS1_1_VERSION, "\x17\3\2\0\1x", -1},
                {TLS1_1_VERSION, "\x17\3\3\0\1x", TLS1_2_VERSION},
                {TLS1_2_VERSION, "\x17\3\3\0\1x", -1},
                {TLS1_2_VERSION, "\x17\3\2\0\1x", TLS1_1_VERSION}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SSL *server = new_server(rows[i].agreed);
        struct bench bench;
        char bytes[1];
        size_t len;

        begin_as(&bench, "1.22", "a.b");
        handshake(&bench, server);
        CHECK_INT(kp_tls_record_version(&bench.tls), rows[i].agreed);
        CHECK(kp_tls_take(&bench.tls, (struct kp_text){rows[i].record, 6}));
        CHECK_INT(kp_tls_read(&bench.tls, bytes, sizeof bytes, &len), KP_TLS_BROKEN);
        CHECK_INT(bench.tls.odd_version, rows[i].odd);
        SSL_free(server);
        end(&bench);
    }
}

/* ---- the server's hello ---------------------------------------------------------------------- */

/* An alert of another version; a hello of so many bytes, in three records; a record behind it. */
#define HELLO_BYTES 0x50a
#define RECORD(version, bytes) 0x16, version, 0, (char)((bytes) >> 8), (char)(bytes)

static size_t put(char *to, size_t at, const char *bytes, size_t len)
{
    memcpy(to + at, bytes, len);
    return at + len;
}

static size_t make_records(char *records, char major)
{
    static const char hello[HELLO_BYTES + 4] = {2, 0, HELLO_BYTES >> 8, (char)HELLO_BYTES};
    const char heads[3][5] = {
        {RECORD(major, 3)}, {RECORD(major, 0x203)}, {RECORD(major, HELLO_BYTES + 4 - 3 - 0x203)}};
    const char alert[] = {0x15, major, 0, 0, 2, 1, 90};
    size_t at = put(records, 0, alert, sizeof alert);

    at = put(records, put(records, at, heads[0], 5), hello, 3);
    at = put(records, put(records, at, heads[1], 5), hello + 3, 0x203);
    at =
        put(records, put(records, at, heads[2], 5), hello + 3 + 0x203, HELLO_BYTES + 4 - 3 - 0x203);
    return at;
}

/* P-115: up to its end each version below 16 is taken; behind it none but that which was agreed on.
 * Upstream: Go, crypto/tls conn.go readRecordOrCCS. */
static void up_to_a_whole_hello_versions_are_nothing(void)
{
    static const char behind[] = {0x16, 2, 0, 0, 1, 0};
    static char records[2 * HELLO_BYTES];
    static char wanted[2 * HELLO_BYTES];
    static const size_t pieces[] = {1, 2, 7, sizeof records};
    size_t len = make_records(records, 2);

    make_records(wanted, SSL3_VERSION_MAJOR);
    put(wanted, len, behind, sizeof behind);
    len = put(records, len, behind, sizeof behind);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct bench bench;
        char *got = NULL;

        begin(&bench, "a.b");
        for (size_t at = 0; at < len; at += pieces[i]) {
            size_t piece = len - at < pieces[i] ? len - at : pieces[i];

            CHECK(kp_tls_take(&bench.tls, (struct kp_text){records + at, piece}));
        }
        CHECK_INT(BIO_get_mem_data(SSL_get_rbio(bench.tls.ssl), &got), len);
        CHECK(memcmp(got, wanted, len) == 0);
        end(&bench);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

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
    struct kp_profile profile = unit_profile("1.36");
    struct kp_flight flight = {.set = &set, .attempt.profile = &profile};

    kp_scratch_init(&flight.scratch, &mem);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(name_sent(&flight, rows[i].host), kp_text_of(rows[i].sent));
    kp_scratch_deinit(&flight.scratch);
    SSL_CTX_free(set.tls);
    CHECK_INT(state.live, 0);
}

const struct unit_test tls_test[] = {
    {"versions are those of Go", versions_are_those_of_go},
    {"no ticket is requested", no_ticket_is_requested},
    {"what was sent is unsent no more", what_was_sent_is_unsent_no_more},
    {"errors of others are nobody's", errors_of_others_are_nobodys},
    {"records are of the version that was agreed on",
     records_are_of_the_version_that_was_agreed_on},
    {"a peer is sent the end", a_peer_is_sent_the_end},
    {"up to a whole hello versions are nothing", up_to_a_whole_hello_versions_are_nothing},
    {"a name is sent without its last dots", a_name_is_sent_without_its_last_dots},
    {0},
};
