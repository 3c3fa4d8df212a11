/*
 * http_test.c: the very words of attempts that fail, where the table is content with their class:
 * what Go 1.26 says to such a peer.
 */
#define _GNU_SOURCE /* RTLD_NEXT, memmem */
#include "fakes/rig.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>

#define BROKEN "net/http: HTTP/1.x transport connection broken: "
#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define GZIP_HEAD OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 22\r\n\r\n"
#define GZIP "\x1f\x8b\x08\0\0\0\0\0\2\3\xcb\xcf\6\0\x47\xdd\xdc\x79\2\0\0\0"
#define INFORMATIONAL "HTTP/1.1 103 x\r\n\r\n"
#define SIX_INFORMATIONAL                                                                          \
    INFORMATIONAL INFORMATIONAL INFORMATIONAL INFORMATIONAL INFORMATIONAL INFORMATIONAL

struct row {
    const char *scheme;
    bool long_path; /* its request takes more than one write */
    const char *reply;
    enum rig_then then;
    enum kp_answer answer;
    int32_t code; /* 0: any */
    const char *class_word;
    const char *words;   /* behind `Get "<url>": ` of a failure; # stands for digits */
    const char *version; /* NULL: 1.36 */
    const char *other;   /* what a second server replies, whose port stands in the reply for %d */
    size_t len;          /* of a reply with zero bytes in it; 0: as long as the text */
    int failing_recv;    /* of ours, from 1; 0: none */
    int recv_errno;      /* of that one */
    bool without_accept;
    bool hostless; /* the pod has no address */
};

/* ---- a kernel that fails --------------------------------------------------------------------- */

static struct {
    int recvs;
    int failing_recv;
    int recv_errno;
} kernel;

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    static ssize_t (*real)(int, void *, size_t, int);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "recv");
    if (kernel.failing_recv > 0 && ++kernel.recvs == kernel.failing_recv) {
        errno = kernel.recv_errno;
        return -1;
    }
    return real(fd, bytes, size, flags);
}

/* Nobody is at the two ports that a URL need not name, whatever this machine serves there. */
int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t len)
{
    static int (*real)(int, __CONST_SOCKADDR_ARG, socklen_t);
    const struct sockaddr_in *at = address.__sockaddr_in__;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "connect");
    if (at->sin_family == AF_INET && (ntohs(at->sin_port) == 80 || ntohs(at->sin_port) == 443)) {
        errno = ECONNREFUSED;
        return -1;
    }
    return real(fd, address, len);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define MOVED "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/b\r\n"
#define FINE OK_HEAD "Content-Length: 2\r\n\r\nok"
#define ODD "HTTP/9.9 200 OK\r\n"
#define HELLO_WITH(cipher)                                                                         \
    "\x16\x03\x03\0\x31\2\0\0\x2d\3\3rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr\0" cipher                    \
    "\0\0\5\xff\1\0\1\0" /* of TLS 1.2 */
#define HELLO HELLO_WITH("\xc0\x2f")
#define HELLO_OF_ANOTHER HELLO_WITH("\0\1") /* that was not offered */
#define UNREADABLE "read tcp 127.0.0.1:#->127.0.0.1:#: read: protocol error"
#define RESET "read tcp 127.0.0.1:#->127.0.0.1:#: read: connection reset by peer"

/* clang-format off */
static const struct row rows[] = {
    {"HTTP", false, OK_HEAD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.36"},
    {"HTTP", true, OK_HEAD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.36"},
    {"HTTP", true, "hello\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, BROKEN "malformed HTTP response \"hello\"", .version = "1.36"},
    {"HTTP", false, "", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "closed", "EOF", .version = "1.36"},
    {"HTTP", false, OK_HEAD "Content-Length: 9\r\n\r\nok", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, "unexpected EOF", .version = "1.36"},
    {"HTTP", false, OK_HEAD "Content-Length: 9\r\n\r\nok", RIG_RESETS, KP_ANSWER_BROKEN, 200, NULL, "read tcp 127.0.0.1:#->127.0.0.1:#: read: connection reset by peer", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 000 x\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "closed", BROKEN "unexpected EOF", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 100 x\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "closed", BROKEN "unexpected EOF", .version = "1.36"},
    {"HTTPS", false, "HTTPx", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "tls: first record does not look like a TLS handshake", .version = "1.36"},
    {"HTTPS", false, "HTTP/", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "http: server gave HTTP response to HTTPS client", .version = "1.36"},
    {"HTTPS", false, "", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "EOF", .version = "1.36"},
    {"HTTPS", false, "", RIG_RESETS, KP_ANSWER_FAILURE, -1, NULL, RESET, .version = "1.36"},
    {"HTTP", false, "", RIG_RESETS, KP_ANSWER_FAILURE, -1, NULL, RESET, .version = "1.36"},
    {"HTTPS", false, "\x15\x03\x01\0\2\2\x28", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "remote error: tls: handshake failure", .len = 7},
    {"HTTPS", false, "\x16\x10\0\0\1x", RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, "tls: first record does not look like a TLS handshake", .len = 6},
    {"HTTPS", false, HELLO "\x17\x03\x03\0\1x", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "tls", "remote error: tls: handshake failure",
     .len = sizeof HELLO + 5},
    {"HTTPS", false, HELLO_OF_ANOTHER, RIG_CLOSES, KP_ANSWER_FAILURE, -1, "tls", "remote error: tls: handshake failure",
     .len = sizeof HELLO_OF_ANOTHER - 1},
    {"HTTPS", false, "\x16\x03\x03\0\4\x63\0\0\0", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "tls", "remote error: tls: handshake failure", .len = 9},
    {"HTTP", false, OK_HEAD "X-A: b", RIG_CLOSES, KP_ANSWER_FAILURE, -1, "closed", BROKEN "unexpected EOF", .version = "1.36"},
    {"HTTP", false, ODD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.36"},
    {"HTTP", false, ODD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .without_accept = true},
    {"HTTP", false, MOVED "\r\n", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .other = FINE},
    {"HTTP", false, MOVED "Content-Length: 10\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .other = FINE},
    {"HTTP", false, MOVED "Content-Length: 2049\r\n\r\n", RIG_STAYS, KP_ANSWER_SUCCESS, 200, NULL, "ok", .other = FINE},
    {"HTTP", false, MOVED "Transfer-Encoding: chunked\r\n\r\nzz\r\n", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, "unexpected EOF",
     .other = OK_HEAD "Content-Length: 9\r\n\r\nok"},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nLocation: /%zz\r\nContent-Length: 9\r\n\r\n", RIG_STAYS, KP_ANSWER_FAILURE, 0, NULL,
     "failed to parse Location header \"/%zz\": parse \"/%zz\": invalid URL escape \"%zz\"", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/b\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, 0, NULL,
     "dial tcp: address 99999: invalid port", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/b\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, 0, NULL,
     "dial tcp 127.0.0.1:80: connect: connection refused", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/b\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, 0, NULL,
     "dial tcp 127.0.0.1:443: connect: connection refused", .version = "1.36"},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nLocation: http://:/b\r\n\r\n", RIG_CLOSES, KP_ANSWER_FAILURE, 0, NULL,
     "dial tcp :80: connect: connection refused", .hostless = true},
    {"HTTP", false, MOVED "\r\n", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.22", .other = FINE},
    {"HTTP", false, "HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\n", RIG_STAYS, KP_ANSWER_FAILURE, 0, NULL,
     "302 response missing Location header", .version = "1.22"},
    {"HTTP", false, "HTTP/1.1 307 x\r\nContent-Length: 1\r\n\r\nx", RIG_CLOSES, KP_ANSWER_WARNING, 307, NULL, "x", .version = "1.22"},
    {"HTTP", false, OK_HEAD "Content-Length: \r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.29"},
    {"HTTP", false, GZIP_HEAD GZIP, RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.19", .len = sizeof(GZIP_HEAD GZIP) - 1},
    {"HTTP", false, SIX_INFORMATIONAL FINE, RIG_CLOSES, KP_ANSWER_FAILURE, 0, NULL, BROKEN "net/http: too many 1xx informational responses",
     .version = "1.32.9"},
    {"HTTP", false, SIX_INFORMATIONAL FINE, RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .version = "1.31.14"},
    {"HTTP", false, FINE, RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .failing_recv = 1, .recv_errno = EAGAIN},
    {"HTTP", false, ODD "Content-Length: 2\r\n\r\nok", RIG_CLOSES, KP_ANSWER_SUCCESS, 200, NULL, "ok", .failing_recv = 1, .recv_errno = EAGAIN},
    {"HTTP", false, FINE, RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, RESET, .failing_recv = 1, .recv_errno = ECONNRESET},
    {"HTTP", false, FINE, RIG_CLOSES, KP_ANSWER_FAILURE, -1, NULL, UNREADABLE, .failing_recv = 1, .recv_errno = EPROTO},
    {"HTTP", false, FINE, RIG_CLOSES, KP_ANSWER_ERROR, 0, NULL, "out of memory", .failing_recv = 1, .recv_errno = ENOMEM},
    {"HTTP", false, ODD "Content-Length: 9\r\n\r\nok", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, RESET, .failing_recv = 2, .recv_errno = ECONNRESET},
    {"HTTP", false, ODD "Content-Length: 9\r\n\r\nok", RIG_CLOSES, KP_ANSWER_BROKEN, 200, NULL, UNREADABLE, .failing_recv = 2, .recv_errno = EPROTO},
};
/* clang-format on */

static bool matches(const char *words, const char *got)
{
    for (; *words; words++) {
        if (*words != '#' && *words != *got++)
            return false;
        if (*words == '#' && !isdigit((unsigned char)*got))
            return false;
        while (*words == '#' && isdigit((unsigned char)*got))
            got++;
    }
    return *got == '\0';
}

/* Behind the URL, which may be long. */
static const char *behind_url(const struct rig_result *result)
{
    const char *at = result->answer == KP_ANSWER_FAILURE ? strstr(result->end, "\": ") : NULL;

    return at ? at + strlen("\": ") : result->end;
}

/* The reply, with the port of the other server in it. */
static struct kp_text reply_of(const struct row *row, int32_t other)
{
    static char reply[512];
    const char *at = strstr(row->reply, "%d");
    int before = at ? (int)(at - row->reply) : 0;

    if (!at)
        return row->len > 0 ? (struct kp_text){row->reply, row->len} : kp_text_of(row->reply);
    snprintf(reply, sizeof reply, "%.*s%d%s", before, row->reply, (int)other, at + strlen("%d"));
    return kp_text_of(reply);
}

static void fire(const struct row *row)
{
    static char path[9000];
    static const struct kp_http_header none = {{"Accept", 6}, {"", 0}};
    struct kp_http_get_action get = {.scheme = kp_text_of(row->scheme),
                                     .port = {.kind = KP_INTSTR_INT},
                                     .headers = &none,
                                     .header_count = row->without_accept};
    int32_t other_port;
    int listener = rig_listen(&get.port.number);
    int other_listener = rig_listen(&other_port);
    const struct kp_handler handler = {.http_get = &get};
    pid_t peer = rig_serve(listener, reply_of(row, other_port), row->then);
    pid_t other = row->other ? rig_serve(other_listener, kp_text_of(row->other), RIG_CLOSES) : 0;
    struct rig rig;
    bool fine;

    memset(path, 'a', sizeof path);
    get.path = row->long_path ? (struct kp_text){path, sizeof path} : KP_TEXT("/");
    rig_init(&rig, row->version ? row->version : "1.36", &handler);
    if (row->hostless)
        rig.attempt.pod_ip = KP_TEXT("");
    kernel.recvs = 0;
    kernel.failing_recv = row->failing_recv;
    kernel.recv_errno = row->recv_errno;
    rig_start(&rig);
    rig_drain(&rig);
    rig_end(&rig);
    kernel.failing_recv = 0;
    fine = CHECK_INT(rig.result.answer, row->answer) &&
           CHECK(row->code == 0 || rig.result.code == row->code);
    fine = CHECK_STRING(rig.result.class_word ? rig.result.class_word : "",
                        row->class_word ? row->class_word : "") &&
           fine;
    fine = CHECK(matches(row->words, behind_url(&rig.result))) && fine;
    if (!fine)
        printf("  %s, %s: %s\n", row->scheme, row->reply, rig.result.output);
    rig_end_peer(peer, listener);
    if (other)
        rig_end_peer(other, other_listener);
    else
        close(other_listener);
}

static void what_fails_is_reported_in_gos_words(void)
{
    setenv("http_proxy", "http://127.0.0.1:1", 1); /* which nobody uses */
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fire(&rows[i]);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

/* Only a request for WebSocket must not become one of HTTP/2.  Upstream: net/http requiresHTTP1. */
static void an_upgrade_offers_no_protocol(void)
{
    static const struct {
        struct kp_http_header headers[2];
        size_t count;
        bool offers;
    } requests[] = {
        {{{{"Upgrade", 7}, {"websocket", 9}}}, 0, true},
        {{{{"Upgrade", 7}, {"websocket", 9}}}, 1, true},
        {{{{"Connection", 10}, {"Upgrade", 7}}}, 1, true},
        {{{{"Upgrade", 7}, {"websocket", 9}}, {{"Connection", 10}, {"Upgrade", 7}}}, 2, false},
    };

    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT},
                                         .scheme = KP_TEXT("HTTPS"),
                                         .headers = requests[i].headers,
                                         .header_count = requests[i].count};
        int server = rig_listen(&get.port.number);
        char hello[4096];
        ssize_t len;
        struct rig rig;
        int fd;

        rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
        rig_start(&rig);
        fd = rig_accept(&rig, server);
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        len = recv(fd, hello, sizeof hello, 0);
        CHECK(len > 0);
        CHECK_INT(memmem(hello, (size_t)len, "\2h2\10http/1.1", 12) != NULL, requests[i].offers);
        close(fd);
        rig_drain(&rig);
        rig_end(&rig);
        close(server);
    }
}

/* P-119: the field and the gate, either of which alone leaves it at HTTP/1.1. */
static void http2_without_tls_is_requested(void)
{
    static const struct {
        const char *protocol;
        bool gate;
        const char *first;
    } requests[] = {
        {"HTTP2", true, "PRI "},
        {"HTTP2", false, "GET "},
        {"HTTP1", true, "GET "},
        {"", true, "GET "},
    };

    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT},
                                         .scheme = KP_TEXT("HTTP"),
                                         .protocol = kp_text_of(requests[i].protocol)};
        int server = rig_listen(&get.port.number);
        char first[5] = "";
        struct rig rig;
        int fd;

        rig_init(&rig, "1.37", &(struct kp_handler){.http_get = &get});
        rig.profile.gates[KP_GATE_H2CContainerProbe] = requests[i].gate;
        rig_start(&rig);
        fd = rig_accept(&rig, server);
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        CHECK_INT(recv(fd, first, 4, 0), 4);
        CHECK_STRING(first, requests[i].first);
        close(fd);
        rig_drain(&rig);
        rig_end(&rig);
        close(server);
    }
}

/* In HTTP/2 a stream that is reset and a connection that ends, both there at once. */
static void a_reset_together_with_the_end_is_the_streams(void)
{
    static const char settings[] = "\0\0\0\4\0\0\0\0";
    static const char reset[] = "\0\0\4\3\0\0\0\0\1\0\0\0";
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .protocol = KP_TEXT("HTTP2")};
    int server = rig_listen(&get.port.number);
    char request[4096];
    struct rig rig;
    int fd;

    rig_init(&rig, "1.37", &(struct kp_handler){.http_get = &get});
    rig.profile.gates[KP_GATE_H2CContainerProbe] = true;
    rig_start(&rig);
    fd = rig_accept(&rig, server);
    CHECK_INT(send(fd, settings, sizeof settings, 0), sizeof settings);
    for (int i = 0; i < 20; i++)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    CHECK(recv(fd, request, sizeof request, 0) > 0);
    CHECK_INT(send(fd, reset, sizeof reset, 0), sizeof reset);
    close(fd);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(rig.result.end, ": stream error: stream ID 1; NO_ERROR; received from peer"));
    rig_end(&rig);
    close(server);
}

const struct unit_test http_test[] = {
    {"what fails is reported in Go's words", what_fails_is_reported_in_gos_words},
    {"HTTP/2 without TLS is requested", http2_without_tls_is_requested},
    {"an upgrade offers no protocol", an_upgrade_offers_no_protocol},
    {"a reset together with the end is the stream's", a_reset_together_with_the_end_is_the_streams},
    {0},
};
