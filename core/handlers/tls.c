#include "tls.h"

#include "handlers.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <string.h>

/* ---- what comes ------------------------------------------------------------------------------ */

int kp_tls_record_version(const struct kp_tls *tls)
{
    int version = SSL_version(tls->ssl);

    return version > TLS1_2_VERSION ? TLS1_2_VERSION : version;
}

static void on_head(struct kp_tls *tls, const unsigned char *head)
{
    int version = head[1] << 8 | head[2];

    if (!tls->answered)
        memcpy(tls->head, head, KP_TLS_HEAD_BYTES);
    else if (version != kp_tls_record_version(tls))
        tls->odd_version = version;
    tls->record_bytes += KP_TLS_HEAD_BYTES + ((uint64_t)head[3] << 8 | head[4]);
}

/* OpenSSL shows the head of a record before it judges it. */
static void on_record(int written, int version, int type, const void *bytes, size_t len, SSL *ssl,
                      void *ctx)
{
    struct kp_tls *tls = ctx;
    const unsigned char *at = bytes;

    (void)version, (void)ssl, (void)len;
    if (written)
        return;
    if (type == SSL3_RT_HEADER)
        on_head(tls, at);
    if (type == SSL3_RT_HANDSHAKE) {
        tls->answered = true;
        tls->requested_anew |= at[0] == SSL3_MT_HELLO_REQUEST;
    }
    if (type != SSL3_RT_ALERT)
        return;
    tls->alert_level = at[0];
    tls->alert = at[1];
}

bool kp_tls_is_cut(const struct kp_tls *tls)
{
    return tls->bytes != tls->record_bytes;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* P-112.  One for the whole set: to make one for each attempt costs more than the rest of it. */
static SSL_CTX *context_of(struct kp_handlers *set)
{
    if (set->tls)
        return set->tls;
    set->tls = SSL_CTX_new(TLS_client_method());
    if (!set->tls)
        return NULL;
    SSL_CTX_set_verify(set->tls, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_session_cache_mode(set->tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(set->tls, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(set->tls,
                        SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    return set->tls;
}

/* From TLS 1.2 on, with Go before 1.18 from 1.0 on (P-112). */
static bool set_versions(SSL *ssl, const struct kp_profile *profile)
{
    int least = profile->with_go_118 ? TLS1_2_VERSION : TLS1_VERSION;
    int most = profile->with_go_113 ? 0 : TLS1_2_VERSION; /* 0: any */

    if (!profile->with_go_118)
        SSL_set_security_level(ssl, 0); /* OpenSSL has no TLS 1.0 above it */
    return SSL_set_min_proto_version(ssl, least) && SSL_set_max_proto_version(ssl, most);
}

static bool set_alpn(SSL *ssl, enum kp_alpn alpn)
{
    static const unsigned char protocols[] = {2,   'h', '2', 8,   'h', 't',
                                              't', 'p', '/', '1', '.', '1'};

    return alpn == KP_ALPN_NONE ||
           SSL_set_alpn_protos(ssl, protocols, alpn == KP_ALPN_HTTP ? sizeof protocols : 3) ==
               0; /* h2 */
}

/* Without the dots at its end.  Upstream: Go, crypto/tls hostnameInSNI. */
static bool set_name(SSL *ssl, struct kp_scratch *scratch, struct kp_text host)
{
    unsigned char binary[16];

    while (host.len > 0 && host.bytes[host.len - 1] == '.')
        host.len--;
    host = kp_scratch_copy(scratch, host);
    if (host.len == 0 || memchr(host.bytes, ':', host.len) ||
        inet_pton(AF_INET, host.bytes, binary) == 1)
        return !scratch->failed;
    return SSL_set_tlsext_host_name(ssl, host.bytes) == 1;
}

static bool set_buffers(SSL *ssl)
{
    BIO *in = BIO_new(BIO_s_mem());
    BIO *out = BIO_new(BIO_s_mem());

    if (!in || !out) {
        BIO_free(in);
        BIO_free(out);
        return false;
    }
    SSL_set_bio(ssl, in, out);
    return true;
}

bool kp_tls_begin(struct kp_tls *tls, struct kp_flight *flight, struct kp_text host,
                  enum kp_alpn alpn)
{
    SSL_CTX *context = context_of(flight->set);

    *tls = (struct kp_tls){.ssl = context ? SSL_new(context) : NULL, .odd_version = -1};
    if (!tls->ssl)
        return false;
    SSL_set_msg_callback(tls->ssl, on_record);
    SSL_set_msg_callback_arg(tls->ssl, tls);
    SSL_set_connect_state(tls->ssl);
    return set_buffers(tls->ssl) && set_versions(tls->ssl, flight->attempt.profile) &&
           set_alpn(tls->ssl, alpn) && set_name(tls->ssl, &flight->scratch, host);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Is it memory that is short?  Whoever noticed stands somewhere in OpenSSL's queue. */
static bool lacks_memory(void)
{
    bool lacks = false;
    unsigned long error;

    while ((error = ERR_get_error()) != 0)
        lacks |= ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
    return lacks;
}

static enum kp_tls_end end_of(const struct kp_tls *tls, int result)
{
    switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_NONE:
        return KP_TLS_FINE;
    case SSL_ERROR_WANT_READ:
        return KP_TLS_MORE;
    case SSL_ERROR_ZERO_RETURN:
        return KP_TLS_CLOSE_NOTIFY;
    default:
        return lacks_memory() ? KP_TLS_NO_MEMORY : KP_TLS_BROKEN;
    }
}

static bool hello_is_whole(const struct kp_tls *tls)
{
    return tls->wire.got == 4 + tls->wire.hello_bytes;
}

static void count_hello(struct kp_tls *tls, unsigned char byte)
{
    if (tls->wire.got > 0 && tls->wire.got < 4)
        tls->wire.hello_bytes = tls->wire.hello_bytes << 8 | byte;
    tls->wire.got++;
}

/*
 * A byte as OpenSSL is to see it.  Before the server's hello Go takes records of each version below
 * 16.0, OpenSSL only those of 3.
 */
static char mended(struct kp_tls *tls, char byte)
{
    unsigned char value = (unsigned char)byte;
    uint32_t at = tls->wire.at++;

    if (at == 0)
        tls->wire.is_hello = value == SSL3_RT_HANDSHAKE;
    else if (at == 1 && value < 0x10)
        byte = SSL3_VERSION_MAJOR;
    else if (at == 3 || at == 4)
        tls->wire.bytes = tls->wire.bytes << 8 | value;
    else if (at >= KP_TLS_HEAD_BYTES && tls->wire.is_hello)
        count_hello(tls, value);
    if (tls->wire.at == KP_TLS_HEAD_BYTES + tls->wire.bytes)
        tls->wire.at = tls->wire.bytes = 0;
    return byte;
}

bool kp_tls_take(struct kp_tls *tls, struct kp_text bytes)
{
    BIO *in = SSL_get_rbio(tls->ssl);

    tls->bytes += bytes.len;
    for (; bytes.len > 0 && !hello_is_whole(tls); bytes.bytes++, bytes.len--) {
        char byte = mended(tls, bytes.bytes[0]);

        if (BIO_write(in, &byte, 1) != 1)
            return false;
    }
    return bytes.len == 0 || BIO_write(in, bytes.bytes, (int)bytes.len) == (int)bytes.len;
}

enum kp_tls_end kp_tls_handshake(struct kp_tls *tls)
{
    ERR_clear_error();
    return end_of(tls, SSL_do_handshake(tls->ssl));
}

enum kp_tls_end kp_tls_read(struct kp_tls *tls, char *bytes, size_t size, size_t *len)
{
    enum kp_tls_end end;

    ERR_clear_error();
    end = end_of(tls, SSL_read_ex(tls->ssl, bytes, size, len));
    return tls->requested_anew ? KP_TLS_BROKEN : end;
}

bool kp_tls_write(struct kp_tls *tls, struct kp_text bytes)
{
    size_t len = 0;

    return SSL_write_ex(tls->ssl, bytes.bytes, bytes.len, &len) == 1;
}

struct kp_text kp_tls_unsent(const struct kp_tls *tls)
{
    char *bytes = NULL;
    long len = BIO_get_mem_data(SSL_get_wbio(tls->ssl), &bytes);

    return (struct kp_text){bytes, (size_t)len};
}

void kp_tls_was_sent(struct kp_tls *tls, size_t len)
{
    char sent[4096];

    while (len > 0) {
        int some = len < sizeof sent ? (int)len : (int)sizeof sent;

        len -= (size_t)BIO_read(SSL_get_wbio(tls->ssl), sent, some);
    }
}

bool kp_tls_is_http2(const struct kp_tls *tls)
{
    const unsigned char *name = NULL;
    unsigned int len = 0;

    SSL_get0_alpn_selected(tls->ssl, &name, &len);
    return len == 2; /* h2, of those that were offered */
}

void kp_tls_send_close_notify(struct kp_tls *tls)
{
    SSL_shutdown(tls->ssl); /* which does nothing before hands are shaken */
}

void kp_tls_end(struct kp_tls *tls)
{
    SSL_free(tls->ssl);
}
