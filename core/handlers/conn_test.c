/* conn_test.c: what is sent where the peer takes it bit by bit, connections that take their time,
 * and the ends of TLS. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "fakes/faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

/* ---- bit by bit ------------------------------------------------------------------------------ */

/* What one send() does: it takes some, or all but the last byte, or none, or none until something
 * is to be read, or until that is read.  Behind the last one all is taken. */
struct bit {
    enum { TAKES, TAKES_ALL_BUT_ONE, FAILS, AWAITS_BYTES, AWAITS_SILENCE } does;
    int number; /* of bytes, or errno */
};

static struct {
    const struct bit *bits;
    size_t left;
    bool watched;
    int patience;      /* so many calls more */
    size_t of_nothing; /* calls */
    bool no_delay;     /* at a call behind the first */
} peer_takes;

static void take_bits(const struct bit *bits, size_t count)
{
    peer_takes.bits = bits;
    peer_takes.left = count;
    peer_takes.watched = true;
    peer_takes.patience = 10000;
    peer_takes.of_nothing = 0;
    peer_takes.no_delay = false;
}

static bool has_bytes(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static ssize_t send_some(ssize_t (*real)(int, const void *, size_t, int), int fd,
                         struct kp_text text, int flags)
{
    ssize_t sent = -1;

    errno = EAGAIN;
    if (text.len > faults.send_room)
        text.len = faults.send_room;
    if (text.len > 0)
        sent = real(fd, text.bytes, text.len, flags);
    if (sent > 0)
        faults.send_room -= (size_t)sent;
    return sent;
}

/* The core's calls alone: the peers of these tests write. */
ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    ssize_t (*real)(int, const void *, size_t, int);
    struct bit bit = {TAKES_ALL_BUT_ONE, 0};
    int no_delay = 0;
    socklen_t size = sizeof no_delay;

    *(void **)&real = dlsym(RTLD_NEXT, "send");
    if (faults.send_is_limited)
        return send_some(real, fd, (struct kp_text){bytes, len}, flags);
    if (!peer_takes.watched)
        return real(fd, bytes, len, flags);
    peer_takes.of_nothing += len == 0;
    if (peer_takes.left == 0)
        return real(fd, bytes, len, flags);
    CHECK(flags & MSG_NOSIGNAL); /* a peer that is gone ends no program */
    bit = peer_takes.bits[0];
    if ((bit.does != AWAITS_BYTES && bit.does != AWAITS_SILENCE) ||
        has_bytes(fd) == (bit.does == AWAITS_BYTES) || --peer_takes.patience < 0) {
        peer_takes.bits++;
        peer_takes.left--;
    }
    if (peer_takes.left == 0)
        peer_takes.no_delay =
            getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size) == 0 && no_delay;
    if (bit.does == TAKES || bit.does == TAKES_ALL_BUT_ONE)
        return real(fd, bytes, bit.does == TAKES ? (size_t)bit.number : len - 1, flags);
    errno = bit.does == FAILS ? bit.number : EAGAIN;
    return -1;
}

static void step_for(struct rig *rig, int64_t ms)
{
    kp_handlers_step(rig->handlers, kp_handlers_now_ns() + ms * KP_NS_PER_MS);
}

/* All that the attempt says by itself, behind `len` bytes; returns how much there is then. */
static size_t hear(struct rig *rig, int peer, char *bytes, size_t len, size_t size)
{
    for (int quiet = 0; quiet < 3 && kp_handlers_in_flight(rig->handlers) > 0; quiet++) {
        ssize_t got;

        step_for(rig, 2);
        got = recv(peer, bytes + len, size - len, MSG_DONTWAIT);
        if (got > 0)
            len += (size_t)got;
        if (got > 0 || peer_takes.left > 0)
            quiet = 0;
    }
    return len;
}

static void say(int peer, struct kp_text bytes)
{
    CHECK_INT(write(peer, bytes.bytes, bytes.len), (ssize_t)bytes.len);
}

/* The same bytes, once at once and once bit by bit; while it waits for its reply it sleeps. */
static void a_request_arrives_whole(void)
{
    static const struct bit bits[] = {{FAILS, EINTR},  {FAILS, EAGAIN},        {TAKES, 10},
                                      {FAILS, EAGAIN}, {TAKES_ALL_BUT_ONE, 0}, {FAILS, EAGAIN}};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    char requests[2][1024];
    size_t lens[2];

    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        int peer;

        rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
        take_bits(bits, i * sizeof bits / sizeof bits[0]);
        rig_start(&rig);
        peer = rig_accept(&rig, server);
        lens[i] = hear(&rig, peer, requests[i], 0, sizeof requests[i]);
        CHECK_INT(peer_takes.no_delay, i); /* as Go's connections have it */
        rig_clock_set(RIG_CLOCK_RUNS);
        step_for(&rig, 20);
        CHECK(rig_clock_turns() < 10);
        say(peer, KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"));
        rig_drain(&rig);
        CHECK_STRING(rig.result.output, "fine");
        close(peer);
        rig_end(&rig);
    }
    CHECK(lens[0] > 20);
    CHECK_INT(lens[1], lens[0]);
    CHECK_INT(memcmp(requests[0], requests[1], lens[0]), 0);
    close(server);
}

/* HTTP/2: what comes while the last byte is unsent is answered behind it. */
static void nothing_is_said_into_the_middle(void)
{
    static const struct bit bits[] = {
        {TAKES_ALL_BUT_ONE, 0}, {AWAITS_BYTES, 0}, {AWAITS_SILENCE, 0}};
    struct kp_grpc_action grpc = {0};
    int server = rig_listen(&grpc.port);
    char requests[2][1024];
    size_t lens[2];

    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        int peer;

        rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
        take_bits(bits, i * sizeof bits / sizeof bits[0]);
        rig_start(&rig);
        peer = rig_accept(&rig, server);
        say(peer, KP_TEXT(RIG_H2_SETTINGS));
        lens[i] = hear(&rig, peer, requests[i], 0, sizeof requests[i]);
        CHECK(peer_takes.patience >= 0); /* what came was read */
        say(peer, KP_TEXT(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS));
        rig_drain(&rig);
        CHECK_STRING(rig.result.output, "service healthy");
        close(peer);
        rig_end(&rig);
    }
    CHECK_INT(lens[1], lens[0]);
    CHECK_INT(memcmp(requests[0], requests[1], lens[0]), 0);
    close(server);
}

/* What cannot be sent is forgotten, and what the peer said is heard all the same. */
static void who_takes_nothing_is_heard(void)
{
    static const struct bit bits[] = {{FAILS, EPIPE}};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    char request[64];
    struct rig rig;
    int peer;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    take_bits(bits, 1);
    rig_start(&rig);
    peer = rig_accept(&rig, server);
    CHECK_INT(hear(&rig, peer, request, 0, sizeof request), 0);
    say(peer, KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"));
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "fine");
    close(peer);
    rig_end(&rig);
    close(server);
}

/* ---- connections that take their time -------------------------------------------------------- */

/* The kernel tries again a second later: then there is room, or nobody any more. */
static void a_connection_may_take_its_time(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action tcp = {.port = {.kind = KP_INTSTR_INT}};
    const struct kp_probe other = {.handler = {.tcp_socket = &tcp}, .timeout_s = 1};
    int waiting[2];
    int full = rig_listen_full(&get.port.number, &waiting[0]);
    int gone = rig_listen_full(&tcp.port.number, &waiting[1]);
    char request[1024];
    char refused[80];
    struct rig rig;
    int peer;

    peer_takes.watched = false;
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    rig.attempt.probe = &other;
    rig_start(&rig);
    step_for(&rig, 20);
    CHECK_INT(rig.result.count, 0);
    shutdown(gone, SHUT_RDWR);
    close(accept(full, NULL, NULL));
    kp_handlers_step(rig.handlers, kp_handlers_now_ns() + RIG_PATIENCE_NS);
    snprintf(refused, sizeof refused, "dial tcp 127.0.0.1:%d: connect: connection refused",
             (int)tcp.port.number);
    CHECK_STRING(rig.result.output, refused);
    peer = rig_accept(&rig, full);
    CHECK(hear(&rig, peer, request, 0, sizeof request) > 20);
    say(peer, KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"));
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "fine");
    close(peer);
    rig_end(&rig);
    for (int i = 0; i < 2; i++)
        close(waiting[i]);
    close(gone);
    close(full);
}

/* ---- TLS ------------------------------------------------------------------------------------- */

static X509 *certificate_of(EVP_PKEY *key)
{
    X509 *certificate = X509_new();

    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    return certificate;
}

static EVP_PKEY *new_key(void)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    EVP_PKEY *key = NULL;

    EVP_PKEY_keygen_init(context);
    EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1);
    CHECK_INT(EVP_PKEY_keygen(context, &key), 1);
    EVP_PKEY_CTX_free(context);
    return key;
}

static SSL *new_server(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = new_key();
    X509 *certificate = certificate_of(key);
    SSL *server;

    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    server = SSL_new(context);
    X509_free(certificate);
    EVP_PKEY_free(key);
    SSL_CTX_free(context);
    return server;
}

struct secret {
    struct kp_http_get_action get;
    struct rig rig;
    int listener;
    int peer;
    SSL *server;
};

/* An attempt over HTTPS has been accepted. */
static void open_secret(struct secret *secret)
{
    secret->get =
        (struct kp_http_get_action){.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    secret->listener = rig_listen(&secret->get.port.number);
    take_bits(NULL, 0);
    rig_init(&secret->rig, "1.36", &(struct kp_handler){.http_get = &secret->get});
    rig_start(&secret->rig);
    secret->peer = rig_accept(&secret->rig, secret->listener);
    fcntl(secret->peer, F_SETFL, O_NONBLOCK);
    secret->server = new_server();
    SSL_set_fd(secret->server, secret->peer);
    SSL_set_accept_state(secret->server);
}

static void close_secret(struct secret *secret)
{
    SSL_free(secret->server);
    close(secret->peer);
    rig_end(&secret->rig);
    close(secret->listener);
    CHECK_INT(peer_takes.of_nothing, 0);
}

/* What the attempt says next, by itself. */
static int read_next(struct secret *secret, char *bytes, int size)
{
    int got = SSL_read(secret->server, bytes, size);

    for (int i = 0; i < 1000 && got <= 0; i++) {
        if (SSL_get_error(secret->server, got) != SSL_ERROR_WANT_READ)
            return got;
        step_for(&secret->rig, 1);
        got = SSL_read(secret->server, bytes, size);
    }
    return got;
}

static void write_all(struct secret *secret, const char *text)
{
    CHECK_INT(SSL_write(secret->server, text, (int)strlen(text)), (int)strlen(text));
}

/* Upstream: Go, crypto/tls Conn.Close. */
static void the_end_is_sent_to_a_peer(void)
{
    struct secret secret;
    char request[1024];

    open_secret(&secret);
    CHECK(read_next(&secret, request, sizeof request) > 20);
    write_all(&secret, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine");
    rig_drain(&secret.rig);
    CHECK_STRING(secret.rig.result.output, "fine");
    CHECK_INT(SSL_get_error(secret.server, SSL_read(secret.server, request, 1)),
              SSL_ERROR_ZERO_RETURN);
    close_secret(&secret);
}

static int choose_h2(SSL *server, const unsigned char **chosen, unsigned char *len,
                     const unsigned char *offered, unsigned offered_len, void *unused)
{
    (void)server, (void)unused, (void)offered_len;
    *chosen = offered + 1; /* the client's only one */
    *len = offered[0];
    return SSL_TLSEXT_ERR_OK;
}

/* All that the server has to say, in one piece. */
static void flush_server(int peer, BIO *unsent)
{
    char *bytes;
    long len = BIO_get_mem_data(unsent, &bytes);

    say(peer, (struct kp_text){bytes, (size_t)len});
    (void)BIO_reset(unsent);
}

/* Whether a HEADERS frame stands behind the preface. */
static bool has_head(const char *bytes, size_t len)
{
    for (size_t at = 24; at + 9 <= len; at += 9 + (unsigned char)bytes[at + 2])
        if (bytes[at + 3] == 1)
            return true;
    return false;
}

/* A server that does not wait for the client, as net/http's does not: its SETTINGS are written in
 * one piece with the end of its handshake. */
static SSL *greet_early(struct rig *rig, int peer)
{
    SSL *server = new_server();
    BIO *unsent = BIO_new(BIO_s_mem());

    fcntl(peer, F_SETFL, O_NONBLOCK);
    SSL_CTX_set_alpn_select_cb(SSL_get_SSL_CTX(server), choose_h2, NULL);
    SSL_set_max_proto_version(server, TLS1_2_VERSION); /* the server's Finished is the last word */
    SSL_set_fd(server, peer);
    SSL_set0_wbio(server, unsent);
    for (int i = 0; i < 1000 && SSL_accept(server) != 1; i++) {
        flush_server(peer, unsent);
        step_for(rig, 1);
    }
    CHECK_INT(SSL_write(server, RIG_H2_SETTINGS, sizeof RIG_H2_SETTINGS - 1),
              sizeof RIG_H2_SETTINGS - 1);
    flush_server(peer, unsent);
    return server;
}

/* The call goes out without anything more. */
static void what_comes_with_the_handshake_is_read(void)
{
    struct kp_grpc_action action = {.mode = KP_TEXT("TLS")};
    struct rig rig;
    int listener = rig_listen(&action.port);
    SSL *server;
    char said[1024];
    size_t len = 0;
    int peer;

    take_bits(NULL, 0);
    rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &action});
    rig.profile.gates[KP_GATE_GRPCContainerProbeTLS] = true;
    rig_start(&rig);
    peer = rig_accept(&rig, listener);
    server = greet_early(&rig, peer);
    for (int i = 0; i < 1000 && !has_head(said, len); i++) {
        int got = SSL_read(server, said + len, (int)(sizeof said - len));

        len += got > 0 ? (size_t)got : 0;
        step_for(&rig, 1);
    }
    CHECK(has_head(said, len));
    SSL_free(server);
    close(peer);
    rig_end(&rig);
    close(listener);
}

/* Whose request HTTP/2 refuses when hands are shaken: it never began. */
static void who_has_ended_reads_no_more(void)
{
    static const struct kp_http_header coding = {{"Transfer-Encoding", 17}, {"gzip", 4}};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT},
                                     .scheme = KP_TEXT("HTTPS"),
                                     .headers = &coding,
                                     .header_count = 1};
    struct rig rig;
    int listener = rig_listen(&get.port.number);
    SSL *server;
    int peer;

    take_bits(NULL, 0);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    peer = rig_accept(&rig, listener);
    server = greet_early(&rig, peer);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, 1);
    CHECK(strstr(rig.result.output, "http2: invalid Transfer-Encoding request header") != NULL);
    SSL_free(server);
    close(peer);
    rig_end(&rig);
    close(listener);
}

/* The peer says close_notify and stays: that is the end of the body. */
static void an_end_that_is_announced_is_an_end(void)
{
    struct secret secret;
    char request[1024];

    open_secret(&secret);
    CHECK(read_next(&secret, request, sizeof request) > 20);
    write_all(&secret, "HTTP/1.1 200 OK\r\n\r\nfine");
    SSL_shutdown(secret.server);
    step_for(&secret.rig, 1000);
    CHECK_INT(secret.rig.result.count, 1);
    CHECK_STRING(secret.rig.result.output, "fine");
    close_secret(&secret);
}

/* Upstream: Go, crypto/tls handleRenegotiation. */
static void another_handshake_is_refused(void)
{
    struct secret secret;
    char request[1024];

    open_secret(&secret);
    SSL_set_max_proto_version(secret.server, TLS1_2_VERSION);
    CHECK(read_next(&secret, request, sizeof request) > 20);
    CHECK_INT(SSL_renegotiate(secret.server), 1);
    CHECK_INT(SSL_do_handshake(secret.server), 1);
    write_all(&secret, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"); /* unheard */
    rig_drain(&secret.rig);
    CHECK_INT(secret.rig.result.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(secret.rig.result.output, ": local error: tls: no renegotiation") != NULL);
    CHECK_INT(SSL_read(secret.server, request, 1), -1);
    CHECK_INT(ERR_GET_REASON(ERR_peek_last_error()), SSL_R_NO_RENEGOTIATION);
    ERR_clear_error();
    close_secret(&secret);
}

/* Amid a record, which is no end to TLS; of the head a line was begun, or none.  Upstream: Go,
 * crypto/tls readRecordOrCCS. */
static void a_record_may_break_off(void)
{
#define BROKEN "net/http: HTTP/1.x transport connection broken: "
    static const struct {
        const char *head;
        const char *words;
    } rows[] = {
        {"", "\": unexpected EOF"},
        {"HTTP/1.1 200 OK\r\nX-A: b", BROKEN "unexpected EOF"},
        {"HTTP/1.1 2", BROKEN "malformed HTTP status code \"2\""},
        {"HTTP/1.1 100 x\r\n\r\n", BROKEN "unexpected EOF"},
        {"HTTP/1.1 200 OK\r\n\r\nok", "unexpected EOF"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct secret secret;
        char request[1024];

        open_secret(&secret);
        CHECK(read_next(&secret, request, sizeof request) > 20);
        if (rows[i].head[0])
            write_all(&secret, rows[i].head);
        say(secret.peer, KP_TEXT("\x17\3\3\0\x20half"));
        shutdown(secret.peer, SHUT_WR);
        rig_drain(&secret.rig);
        CHECK_INT(secret.rig.result.answer, i < 4 ? KP_ANSWER_FAILURE : KP_ANSWER_BROKEN);
        CHECK(strstr(secret.rig.result.output, rows[i].words) != NULL);
        close_secret(&secret);
    }
}

/* In place of its hello a peer says close_notify, and stays. */
static void a_greeting_may_be_an_end(void)
{
    struct secret secret;
    char hello[1024];

    open_secret(&secret);
    CHECK(hear(&secret.rig, secret.peer, hello, 0, sizeof hello) > 20);
    say(secret.peer, KP_TEXT("\x15\3\3\0\2\1\0"));
    step_for(&secret.rig, 1000);
    CHECK_INT(secret.rig.result.count, 1);
    CHECK(strstr(secret.rig.result.output, ": EOF") != NULL);
    close_secret(&secret);
}

/* RFC 8446, 6.2: for a message of no kind it gets an alert, fatal, unexpected_message. */
static void who_makes_no_sense_gets_an_alert(void)
{
    struct secret secret;
    unsigned char alert[8];
    char hello[1024];

    open_secret(&secret);
    CHECK(hear(&secret.rig, secret.peer, hello, 0, sizeof hello) > 20);
    say(secret.peer, KP_TEXT("\x16\3\3\0\4\x63\0\0\0"));
    step_for(&secret.rig, 1000);
    CHECK_INT(secret.rig.result.answer, KP_ANSWER_FAILURE);
    CHECK_INT(recv(secret.peer, alert, sizeof alert, 0), 7);
    CHECK_INT(alert[0], 0x15);
    CHECK_INT(alert[5], 2);
    CHECK_INT(alert[6], 10);
    close_secret(&secret);
}

const struct unit_test conn_test[] = {
    {"a request arrives whole", a_request_arrives_whole},
    {"nothing is said into the middle", nothing_is_said_into_the_middle},
    {"who takes nothing is heard", who_takes_nothing_is_heard},
    {"a connection may take its time", a_connection_may_take_its_time},
    {"the end is sent to a peer", the_end_is_sent_to_a_peer},
    {"what comes with the handshake is read", what_comes_with_the_handshake_is_read},
    {"who has ended reads no more", who_has_ended_reads_no_more},
    {"an end that is announced is an end", an_end_that_is_announced_is_an_end},
    {"another handshake is refused", another_handshake_is_refused},
    {"a record may break off", a_record_may_break_off},
    {"a greeting may be an end", a_greeting_may_be_an_end},
    {"who makes no sense gets an alert", who_makes_no_sense_gets_an_alert},
    {0},
};
