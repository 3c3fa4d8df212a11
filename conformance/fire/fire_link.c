#include "conformance/fire/fire_link.h"
#include "conformance/text/arena.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DRAIN_MS = 2000 }; /* how long a connection may stay open after the reply */

struct cf_fire_tls {
    SSL_CTX *context;
    SSL *ssl;
    struct kp_text alpn;
    struct cf_out offered;
};

static int64_t fire_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* ---- waiting ------------------------------------------------------------------------------ */

static void note_stop(struct cf_fire_stop *stop)
{
    if (stop->until_ms == 0)
        stop->until_ms = fire_now_ms() + DRAIN_MS;
}

/* poll's timeout: the sooner of two instants; 0 is none of either. */
static int left_ms(int64_t now_ms, int64_t a_ms, int64_t b_ms)
{
    int64_t at_ms = a_ms == 0 || (b_ms != 0 && b_ms < a_ms) ? b_ms : a_ms;

    if (at_ms == 0)
        return -1;
    return at_ms > now_ms ? (int)(at_ms - now_ms) : 0;
}

bool cf_fire_link_wait(struct cf_fire_link *link, short events, int wait_ms)
{
    struct cf_fire_stop *stop = link->stop;
    int64_t now_ms = fire_now_ms();
    int64_t until_ms = wait_ms < 0 ? 0 : now_ms + wait_ms;

    for (;; now_ms = fire_now_ms()) {
        bool stopping = stop->until_ms != 0;
        struct pollfd fds[2] = {{.fd = events ? link->fd : -1, .events = events},
                                {.fd = stopping ? -1 : stop->fd, .events = POLLIN}};
        int ready;

        if (stopping && events == 0)
            return false;
        ready = poll(fds, 2, left_ms(now_ms, until_ms, stop->until_ms));
        if (ready < 0 && errno == EINTR)
            continue;
        if (fds[0].revents)
            return true;
        if (fds[1].revents)
            note_stop(stop);
        else if (ready == 0)
            return false;
    }
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* What SSL wants to wait for, or 0: it has failed. */
static short wanted_events(struct cf_fire_link *link, int result)
{
    int error = SSL_get_error(link->tls->ssl, result);

    return error == SSL_ERROR_WANT_READ ? POLLIN : error == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
}

static ssize_t read_tls(struct cf_fire_link *link, void *bytes, size_t size, bool peek)
{
    for (;;) {
        int got;
        short events;

        ERR_clear_error();
        got = (peek ? SSL_peek : SSL_read)(link->tls->ssl, bytes, (int)size);
        if (got > 0)
            return got;
        if (SSL_get_error(link->tls->ssl, got) == SSL_ERROR_ZERO_RETURN)
            return 0;
        events = wanted_events(link, got);
        if (events == 0)
            return errno == ECONNRESET ? -1 : 0;
        if (!cf_fire_link_wait(link, events, -1))
            return CF_FIRE_GIVEN_UP;
    }
}

static ssize_t read_some(struct cf_fire_link *link, void *bytes, size_t size, bool peek)
{
    if (link->tls)
        return read_tls(link, bytes, size, peek);
    for (;;) {
        ssize_t got = recv(link->fd, bytes, size, peek ? MSG_PEEK : 0);

        if (got >= 0)
            return got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!cf_fire_link_wait(link, POLLIN, -1))
                return CF_FIRE_GIVEN_UP;
        } else if (errno != EINTR)
            return -1;
    }
}

ssize_t cf_fire_link_read(struct cf_fire_link *link, void *bytes, size_t size)
{
    return read_some(link, bytes, size, false);
}

ssize_t cf_fire_link_peek(struct cf_fire_link *link, void *bytes, size_t size)
{
    return read_some(link, bytes, size, true);
}

/* Bytes taken; 0: wait and try again; -1: no more. */
static ssize_t write_some(struct cf_fire_link *link, struct kp_text bytes)
{
    ssize_t done;
    short events = POLLOUT;

    if (link->tls) {
        ERR_clear_error();
        done = SSL_write(link->tls->ssl, bytes.bytes, (int)bytes.len);
        if (done > 0)
            return done;
        events = wanted_events(link, (int)done);
        if (events == 0)
            return -1;
    } else {
        done = send(link->fd, bytes.bytes, bytes.len, MSG_NOSIGNAL);
        if (done >= 0)
            return done;
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return -1;
    }
    return cf_fire_link_wait(link, events, -1) ? 0 : -1;
}

bool cf_fire_link_write(struct cf_fire_link *link, struct kp_text bytes)
{
    while (bytes.len > 0) {
        ssize_t done = write_some(link, bytes);

        if (done < 0)
            return false;
        bytes = (struct kp_text){bytes.bytes + done, bytes.len - (size_t)done};
    }
    return true;
}

/* ---- TLS ---------------------------------------------------------------------------------- */

static EVP_PKEY *key;
static X509 *certificate;

/* Long expired and of no name: nobody who verifies takes it. */
static void make_certificate(void)
{
    X509_NAME *name;

    key = EVP_EC_gen("P-256");
    certificate = X509_new();
    if (!key || !certificate)
        cf_out_of_memory();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20000101000000Z");
    ASN1_TIME_set_string(X509_getm_notAfter(certificate), "20000102000000Z");
    name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"throw-away", -1,
                               -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
}

/* "h2,http/1.1" from the protocols' wire form. */
static void list_protocols(struct cf_out *out, const unsigned char *in, unsigned int len)
{
    for (unsigned int i = 0; i < len; i += 1 + in[i]) {
        if (i > 0)
            cf_out_put_char(out, ',');
        cf_out_put(out, (struct kp_text){(const char *)in + i + 1, in[i]});
    }
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *in, unsigned int in_len, void *ctx)
{
    struct cf_fire_tls *tls = ctx;
    struct kp_text wanted = tls->alpn.len > 0 ? tls->alpn : KP_TEXT("http/1.1");

    (void)ssl;
    cf_out_clear(&tls->offered);
    list_protocols(&tls->offered, in, in_len);
    if (kp_text_equal(wanted, KP_TEXT("-")))
        return SSL_TLSEXT_ERR_NOACK;
    for (unsigned int i = 0; i < in_len; i += 1 + in[i])
        if (kp_text_equal((struct kp_text){(const char *)in + i + 1, in[i]}, wanted)) {
            *out = in + i + 1;
            *out_len = in[i];
            return SSL_TLSEXT_ERR_OK;
        }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int take_any(int verified, X509_STORE_CTX *store)
{
    (void)verified;
    (void)store;
    return 1;
}

static struct cf_fire_tls *new_tls(int fd, const struct cf_fire_tls_options *options)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct cf_fire_tls *tls = calloc(1, sizeof *tls);

    pthread_once(&once, make_certificate);
    if (!tls || !(tls->context = SSL_CTX_new(TLS_server_method())))
        cf_out_of_memory();
    tls->alpn = options->alpn;
    SSL_CTX_use_certificate(tls->context, certificate);
    SSL_CTX_use_PrivateKey(tls->context, key);
    SSL_CTX_set_alpn_select_cb(tls->context, choose_protocol, tls);
    SSL_CTX_set_mode(tls->context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_num_tickets(tls->context, 0);
    if (kp_text_equal(options->version, KP_TEXT("1.1"))) {
        SSL_CTX_set_security_level(tls->context, 0);
        SSL_CTX_set_max_proto_version(tls->context, TLS1_1_VERSION);
    } else if (options->version.len > 0) {
        SSL_CTX_set_max_proto_version(tls->context, TLS1_2_VERSION);
    }
    if (options->requests_certificate)
        SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                           take_any);
    tls->ssl = SSL_new(tls->context);
    if (!tls->ssl)
        cf_out_of_memory();
    SSL_set_fd(tls->ssl, fd);
    return tls;
}

bool cf_fire_link_tls(struct cf_fire_link *link, const struct cf_fire_tls_options *options,
                      struct cf_out *saw)
{
    const char *name;
    int done;
    short events;

    link->tls = new_tls(link->fd, options);
    ERR_clear_error();
    while ((done = SSL_accept(link->tls->ssl)) != 1) {
        events = wanted_events(link, done);
        if (events == 0 || !cf_fire_link_wait(link, events, -1))
            break;
        ERR_clear_error();
    }
    name = SSL_get_servername(link->tls->ssl, TLSEXT_NAMETYPE_host_name);
    cf_out_printf(saw, "tls sni %s alpn ", name ? name : "-");
    cf_out_put(saw, link->tls->offered.len > 0 ? cf_out_text(&link->tls->offered) : KP_TEXT("-"));
    cf_out_put_char(saw, '\n');
    return done == 1;
}

void cf_fire_link_renegotiate(struct cf_fire_link *link)
{
    if (link->tls && SSL_renegotiate(link->tls->ssl))
        SSL_do_handshake(link->tls->ssl);
}

/* ---- the end ------------------------------------------------------------------------------ */

void cf_fire_link_shut(struct cf_fire_link *link)
{
    if (link->tls && SSL_is_init_finished(link->tls->ssl))
        SSL_shutdown(link->tls->ssl);
    shutdown(link->fd, SHUT_WR);
}

/* Is there a new connection? */
static bool is_called(const struct cf_fire_link *link)
{
    for (size_t i = 0; i < link->listener_count; i++) {
        struct pollfd fd = {.fd = link->listeners[i], .events = POLLIN};

        if (fd.fd >= 0 && poll(&fd, 1, 0) > 0)
            return true;
    }
    return false;
}

const char *cf_fire_link_await_close(struct cf_fire_link *link, struct cf_out *extra)
{
    enum { LOOK_MS = 20 }; /* how often for new connections */
    char bytes[4096];

    for (;;) {
        bool ready = cf_fire_link_wait(link, POLLIN, LOOK_MS);
        ssize_t got = ready ? recv(link->fd, bytes, sizeof bytes, 0) : 0;

        if (ready && got == 0)
            return "fin";
        if (ready && got < 0 && errno != EAGAIN && errno != EINTR)
            return "reset";
        if (got > 0 && !link->tls && extra->len < 65536)
            cf_out_put(extra, (struct kp_text){bytes, (size_t)got});
        if (!ready && is_called(link))
            return "";
        if (link->stop->until_ms != 0 && fire_now_ms() >= link->stop->until_ms)
            return "open";
    }
}

void cf_fire_link_close(struct cf_fire_link *link)
{
    close(link->fd);
    if (!link->tls)
        return;
    SSL_free(link->tls->ssl);
    SSL_CTX_free(link->tls->context);
    cf_out_deinit(&link->tls->offered);
    free(link->tls);
}
