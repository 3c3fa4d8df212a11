/* grpc_test.c: the very words of calls, and how soon they are reported. */
#define _GNU_SOURCE /* accept4, memmem */
#include "fakes/faults.h"

#include <stdio.h>

#define TRAILERS(code) "\0\0\x0f\1\5\0\0\0\1\0\x0bgrpc-status\1" code
#define DATA(len, message) "\0\0" len "\0\0\0\0\0\1" message
#define CALL_FAILED "error: health rpc probe failed: rpc error: code = "

#define TIMEOUT "50s"
#define TIMEOUT_NS (50 * KP_NS_PER_S)

struct row {
    struct kp_text reply; /* behind SETTINGS */
    enum kp_answer answer;
    const char *class_word; /* NULL: none */
    const char *words;
};

#define BYTES(literal)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/* clang-format off */
static const struct row rows[] = {
    {BYTES(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS), KP_ANSWER_SUCCESS, NULL, "service healthy"},
    {BYTES(RIG_H2_HEAD DATA("\7", "\0\0\0\0\2\x08\2") TRAILERS("0")), KP_ANSWER_FAILURE, NULL, "service unhealthy (responded with \"NOT_SERVING\")"},
    {BYTES(RIG_H2_HEAD DATA("\5", "\0\0\0\0\0") TRAILERS("0")), KP_ANSWER_FAILURE, NULL, "service unhealthy (responded with \"UNKNOWN\")"},
    {BYTES(RIG_H2_HEAD DATA("\7", "\0\0\0\0\2\x08\3") TRAILERS("0")), KP_ANSWER_FAILURE, NULL, "service unhealthy (responded with \"SERVICE_UNKNOWN\")"},
    {BYTES("\0\0\4\3\0\0\0\0\1\xff\xff\xff\xff"), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "Unknown desc = stream terminated by RST_STREAM"},
    {BYTES(RIG_H2_HEAD DATA("\7", "\0\0\0\0\2\x08\4") TRAILERS("0")), KP_ANSWER_FAILURE, NULL, "service unhealthy (responded with \"4\")"},
    {BYTES(RIG_H2_HEAD DATA("\x10", "\0\0\0\0\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1") TRAILERS("0")), KP_ANSWER_FAILURE, NULL,
     "service unhealthy (responded with \"-1\")"},
    {BYTES(RIG_H2_HEAD DATA("\x10", "\0\0\0\0\x0b\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1") TRAILERS("0")), KP_ANSWER_FAILURE, NULL,
     "service unhealthy (responded with \"-2\")"},
    {BYTES(RIG_H2_HEAD DATA("\x10", "\0\0\0\0\x0b\x08\x80\x80\x80\x80\xf8\xff\xff\xff\xff\1") TRAILERS("0")), KP_ANSWER_FAILURE, NULL,
     "service unhealthy (responded with \"-2147483648\")"},
    {BYTES(RIG_H2_HEAD "\0\0\1\6\0\0\0\0\0x"), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "Unavailable desc = error reading from server: EOF"},
    {BYTES("\0\0\4\3\0\0\0\0\1\0\1\0\x08"), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "Unknown desc = stream terminated by RST_STREAM"},
    {BYTES("\0\0\x17\1\5\0\0\0\1\x88\x0f\x10\4" "a/bc" "\0\3" "xyz" "\4" "defg" "\0\1" "u" "\1" "v"), KP_ANSWER_FAILURE, "grpc",
     CALL_FAILED "Unknown desc = unexpected HTTP status code received from server: 200 (OK); transport: received unexpected content-type \"a/bc\""},
    {BYTES("\0\0\x30\1\4\0\0\0\1\x88\x0f\x10\x10" "application/grpc" "\0\x0d" "grpc-encoding" "\3" "lz4" "\0\3" "xyz" "\3" "def"
           DATA("\7", "\1\0\0\0\2\x08\1") TRAILERS("0")), KP_ANSWER_FAILURE, "grpc",
     CALL_FAILED "Internal desc = grpc: Decompressor is not installed for grpc-encoding \"lz4\""},
    {BYTES(RIG_H2_HEAD DATA("\7", "\0\0\0\0\2\x0a\x7f") TRAILERS("0")), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "Internal desc = grpc: error unmarshalling: proto"},
    {BYTES(RIG_H2_HEAD TRAILERS("4")), KP_ANSWER_FAILURE, NULL, "timeout: health rpc did not complete within " TIMEOUT},
    {BYTES(RIG_H2_HEAD TRAILERS("5")), KP_ANSWER_FAILURE, NULL, CALL_FAILED "NotFound desc = "},
    {BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\x08"), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "Canceled desc = stream terminated by RST_STREAM"},
    {BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\x0b"), KP_ANSWER_FAILURE, "grpc", CALL_FAILED "ResourceExhausted desc = stream terminated by RST_STREAM"},
    {BYTES(RIG_H2_HEAD TRAILERS("0")), KP_ANSWER_FAILURE, "grpc",
     CALL_FAILED "Internal desc = cardinality violation: received no response message from non-server-streaming RPC"},
};

/* Up to 1.35. */
static const struct row before = {BYTES(RIG_H2_HEAD TRAILERS("0")), KP_ANSWER_FAILURE, "closed", "error: health rpc probe failed: EOF"};
/* clang-format on */

static void fire(const char *version, const struct row *row, enum rig_then then)
{
    char reply[512];
    const struct kp_text settings = BYTES(RIG_H2_SETTINGS);
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    struct rig rig;
    pid_t peer;
    bool fine;

    memcpy(reply, settings.bytes, settings.len);
    memcpy(reply + settings.len, row->reply.bytes, row->reply.len);
    peer = rig_serve(listener, (struct kp_text){reply, settings.len + row->reply.len}, then);
    rig_init(&rig, version, &(struct kp_handler){.grpc = &grpc});
    rig_clock_set(RIG_CLOCK_RUNS);
    rig.attempt.timeout_ns = TIMEOUT_NS;
    rig_start(&rig);
    rig_drain(&rig);
    rig_end(&rig);
    fine = CHECK_INT(rig.result.answer, row->answer) &&
           CHECK_STRING(rig.result.output, row->words) &&
           CHECK_STRING(rig.result.class_word ? rig.result.class_word : "",
                        row->class_word ? row->class_word : "") &&
           CHECK_INT(rig.result.code, -1) && CHECK(rig_clock_longest_wait_ns() < KP_NS_PER_S / 2);
    if (!fine)
        printf("  %s, %d: %s\n", row->words, then, rig.result.output);
    rig_end_peer(peer, listener);
}

static void calls_are_reported_to_the_word(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fire("1.36", &rows[i], RIG_STAYS);
    fire("1.35", &before, RIG_STAYS);
}

/* Its end comes with the connection's. */
static void a_server_that_closes_has_answered(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fire("1.36", &rows[i], RIG_CLOSES);
    fire("1.35", &before, RIG_CLOSES);
}

/* Before the server has spoken no call is sent: 24 bytes of preface, and SETTINGS. */
static void who_has_not_spoken_is_not_called(void)
{
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    unsigned char bytes[1024];
    struct rig rig;
    ssize_t got;
    int fd;

    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig_start(&rig);
    fd = rig_accept(&rig, listener);
    CHECK_INT(write(fd, RIG_H2_SETTINGS, 5), 5); /* of nine: it has not spoken yet */
    for (int i = 0; i < 3; i++)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    rig_clock_pass(rig.attempt.timeout_ns);
    rig_drain(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK_STRING(rig.result.class_word ? rig.result.class_word : "", "");
    CHECK(strncmp(rig.result.output, "timeout: failed to connect service ", 35) == 0);
    got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (CHECK(got > 24 + 9)) {
        CHECK_INT(got, 24 + 9 + bytes[24 + 2]);
        CHECK_INT(bytes[24 + 3], 4);
    }
    close(fd);
    rig_end(&rig);
    close(listener);
}

/* Its first frame may come in pieces: the call is kept until it is whole. */
static void who_speaks_slowly_is_called(void)
{
    static const char reply[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    struct kp_grpc_action grpc = {.service = KP_TEXT("me")};
    int listener = rig_listen(&grpc.port);
    char bytes[1024];
    struct rig rig;
    ssize_t got;
    int fd;

    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig_start(&rig);
    fd = rig_accept(&rig, listener);
    for (size_t at = 0; at < 9; at += 3) {
        CHECK_INT(write(fd, reply + at, 3), 3);
        for (int i = 0; i < 3; i++)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    }
    got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    CHECK(got > 24 + 9 && memmem(bytes, (size_t)got, "\n\2me", 4) != NULL);
    CHECK_INT(write(fd, reply + 9, sizeof reply - 10), sizeof reply - 10);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "service healthy");
    close(fd);
    rig_end(&rig);
    close(listener);
}

/* Nobody speaks: it is dialled again after a second, and then ever later.  Upstream: grpc-go,
 * backoff DefaultConfig. */
static void who_does_not_speak_is_dialled_ever_later(void)
{
    static const int64_t delays_ms[] = {1000,  1600,  2560,  4096,   6554,   10486, 16777,
                                        26844, 42950, 68719, 109951, 120000, 120000};
    const int64_t timeout_ns = 1000 * KP_NS_PER_S;
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    int64_t deadline_ns;
    struct rig rig;

    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig.attempt.timeout_ns = timeout_ns;
    deadline_ns = kp_handlers_now_ns() + timeout_ns;
    rig_start(&rig);
    for (size_t i = 0; i < sizeof delays_ms / sizeof delays_ms[0]; i++) {
        int64_t left_ns;

        close(rig_accept(&rig, listener));
        for (int k = 0; k < 10000 && kp_handlers_due_ns(rig.handlers) >= deadline_ns; k++)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        left_ns = kp_handlers_due_ns(rig.handlers) - kp_handlers_now_ns();
        CHECK_INT(
            (delays_ms[i] * KP_NS_PER_MS - left_ns + 10 * KP_NS_PER_MS) / (100 * KP_NS_PER_MS), 0);
        rig_clock_pass(left_ns);
    }
    CHECK_INT(rig.result.count, 0);
    rig_clock_pass(timeout_ns);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK(strncmp(rig.result.output, "timeout: failed to connect service ", 35) == 0);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(listener);
}

/* Nor is who speaks of something else waited for, though it does not hang up. */
static void who_does_not_begin_with_settings_is_left(void)
{
    static const struct kp_text goaway = BYTES("\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\0");
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    struct rig rig;
    int fds[2];

    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig.attempt.timeout_ns = 3 * KP_NS_PER_S;
    rig_start(&rig);
    fds[0] = rig_accept(&rig, listener);
    CHECK_INT(write(fds[0], goaway.bytes, goaway.len), (ssize_t)goaway.len);
    fds[1] = rig_accept(&rig, listener);
    CHECK(fds[1] >= 0);
    close(fds[0]);
    close(fds[1]);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(listener);
}

/* P-127: without the gate there is no such mode.  And a handshake is not begun anew, however long
 * it takes. */
static void hands_are_shaken_once_and_where_the_gate_is_on(void)
{
    for (int on = 0; on < 2; on++) {
        struct kp_grpc_action grpc = {.mode = KP_TEXT("TLS")};
        int listener = rig_listen(&grpc.port);
        struct pollfd next = {.fd = listener, .events = POLLIN};
        char byte = 0;
        struct rig rig;
        int fd;

        rig_clock_set(RIG_CLOCK_STANDS);
        rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &grpc});
        rig.profile.gates[KP_GATE_GRPCContainerProbeTLS] = on;
        rig_start(&rig);
        fd = rig_accept(&rig, listener);
        for (int i = 0; i < 3; i++) {
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 10 * KP_NS_PER_MS);
            rig_clock_pass(5 * KP_NS_PER_S);
        }
        CHECK_INT(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
        CHECK_INT(byte, on ? 0x16 : 'P');
        CHECK_INT(poll(&next, 1, 0), 0);
        CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
        close(fd);
        rig_end(&rig);
        rig_clock_set(RIG_CLOCK_RUNS);
        close(listener);
    }
}

/* The next connection, once it has asked.  Returns: -1: there was none. */
static int accept_call(struct rig *rig, int listener)
{
    const struct kp_text settings = BYTES(RIG_H2_SETTINGS);
    int fd = rig_accept(rig, listener);
    char bytes[1024];
    ssize_t got = 0;

    if (fd < 0)
        return -1;
    while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    CHECK_INT(write(fd, settings.bytes, settings.len), (ssize_t)settings.len);
    for (int i = 0; i < 10000 && got < 100; i++) { /* more than what acknowledges those */
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK);
    }
    CHECK(got >= 100);
    return fd;
}

/* What the first connection came to is not said of the second, which nobody takes.  Upstream:
 * grpc-go, clientconn.go, whose errors begin so. */
static void a_second_connection_speaks_for_itself(void)
{
    static const struct kp_text refused = BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\7");
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    struct rig rig;
    int fd;

    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig_start(&rig);
    fd = accept_call(&rig, listener);
    shutdown(listener, SHUT_RDWR); /* it listens no more */
    CHECK_INT(write(fd, refused.bytes, refused.len), (ssize_t)refused.len);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, CALL_FAILED "Unavailable desc = connection error");
    close(fd);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(listener);
}

/* What it said before, in one read with it, does not count, not even where it had ended the call.
 * Upstream: grpc-go, stream.go shouldRetry; asked of 1.40 to 1.82. */
static void who_did_not_look_is_called_once_more(void)
{
    static const struct kp_text health = BYTES(RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS);
    static const struct {
        struct kp_text reply;
        bool again;
        const char *words;
    } calls[] = {
        {BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\7"), true, "service healthy"},
        {BYTES("\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\0"), true, "service healthy"},
        {BYTES("\0\0\x23\1\4\0\0\0\1\x88\x0f\x10\x10"
               "application/grpc\0\x0bgrpc-status\1"
               "5\0\0\4\3\0\0\0\0\1\0\0\0\7"),
         true, "service healthy"},
        {BYTES("\0\0\x11\1\4\0\0\0\1\x88\0\x0bgrpc-status\2"
               "5x\0\0\4\3\0\0\0\0\1\0\0\0\7"),
         true, "service healthy"},
        {BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\x08"), false,
         CALL_FAILED "Canceled desc = stream terminated by RST_STREAM"},
        {BYTES("\0\0\4\3\0\0\0\0\1\0\0\0\2"), false,
         CALL_FAILED "Internal desc = stream terminated by RST_STREAM"},
    };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct kp_grpc_action grpc = {0};
        int listener = rig_listen(&grpc.port);
        int fds[2] = {-1, -1};
        struct rig rig;

        rig_clock_set(RIG_CLOCK_STANDS);
        rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
        rig_start(&rig);
        fds[0] = accept_call(&rig, listener);
        CHECK_INT(write(fds[0], calls[i].reply.bytes, calls[i].reply.len),
                  (ssize_t)calls[i].reply.len);
        fds[1] = accept_call(&rig, listener);
        CHECK_INT(fds[1] >= 0, calls[i].again);
        if (fds[1] >= 0)
            CHECK_INT(write(fds[1], health.bytes, health.len), (ssize_t)health.len);
        rig_drain(&rig);
        CHECK_STRING(rig.result.output, calls[i].words);
        for (int k = 0; k < 2; k++)
            if (fds[k] >= 0)
                close(fds[k]);
        rig_end(&rig);
        rig_clock_set(RIG_CLOCK_RUNS);
        close(listener);
    }
}

static char sent_bytes[512];

static void note_request(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    size_t len = strlen(sent_bytes);

    (void)ctx;
    for (size_t i = 0; direction == KP_WIRE_SENT && i < bytes.len && len < sizeof sent_bytes - 1;
         i++)
        sent_bytes[len++] = bytes.bytes[i];
}

/* Of a call behind a second dial, which began a second later. */
static void a_call_has_the_time_that_is_left(void)
{
    static const char reply[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    long left_us = 0;
    const char *at;
    struct rig rig;
    int fd;

    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig.attempt.timeout_ns = 2500 * KP_NS_PER_MS;
    rig.attempt.wire = note_request;
    memset(sent_bytes, 0, sizeof sent_bytes);
    rig_start(&rig);
    close(rig_accept(&rig, listener));
    fd = rig_accept(&rig, listener);
    CHECK_INT(write(fd, reply, 9), 9);
    for (int i = 0; i < 3; i++)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    CHECK_INT(write(fd, reply + 9, sizeof reply - 10), sizeof reply - 10);
    rig_drain(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK_STRING(rig.result.output, "service healthy");
    at = strstr(sent_bytes, "grpc-timeout: ");
    CHECK(at && sscanf(at, "grpc-timeout: %ldu", &left_us) == 1);
    CHECK(left_us > 1000000 && left_us <= 1500000);
    close(fd);
    rig_end(&rig);
    close(listener);
}

/* Nor is it what a handshake has: ten seconds of five minutes. */
static void a_call_over_tls_has_it_too(void)
{
    struct kp_grpc_action grpc = {.mode = KP_TEXT("TLS")};
    int listener = rig_listen(&grpc.port);
    pid_t peer = faults_serve_tls(listener, (struct kp_text)BYTES(RIG_H2_SETTINGS), 0, "h2");
    long left_ms = 0;
    char unit = '\0';
    const char *at = NULL;
    struct rig rig;

    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.37", &(struct kp_handler){.grpc = &grpc});
    rig.profile.gates[KP_GATE_GRPCContainerProbeTLS] = true;
    rig.attempt.timeout_ns = 300 * KP_NS_PER_S;
    rig.attempt.wire = note_request;
    memset(sent_bytes, 0, sizeof sent_bytes);
    rig_start(&rig);
    for (int i = 0; i < 60000 && !(at = strstr(sent_bytes, "grpc-timeout: ")); i++)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    CHECK(at && sscanf(at, "grpc-timeout: %ld%c", &left_ms, &unit) == 2);
    CHECK_INT(unit, 'm');
    CHECK(left_ms > 200000 && left_ms <= 300000);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    rig_end_peer(peer, listener);
}

const struct unit_test grpc_test[] = {
    {"calls are reported to the word", calls_are_reported_to_the_word},
    {"a server that closes has answered", a_server_that_closes_has_answered},
    {"who has not spoken is not called", who_has_not_spoken_is_not_called},
    {"who speaks slowly is called", who_speaks_slowly_is_called},
    {"who does not begin with SETTINGS is left", who_does_not_begin_with_settings_is_left},
    {"hands are shaken once, and where the gate is on",
     hands_are_shaken_once_and_where_the_gate_is_on},
    {"a second connection speaks for itself", a_second_connection_speaks_for_itself},
    {"who did not look is called once more", who_did_not_look_is_called_once_more},
    {"who does not speak is dialled ever later", who_does_not_speak_is_dialled_ever_later},
    {"a call has the time that is left", a_call_has_the_time_that_is_left},
    {"a call over TLS has it, too", a_call_over_tls_has_it_too},
    {0},
};
