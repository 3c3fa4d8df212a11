/* shortage_test.c: attempts that go on while another one lacks something, or libcurl does; and one
 * that lacks time. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "handlers.h"

#include "fakes/faults.h"

#include <dlfcn.h>

/* ---- who lacks nothing ----------------------------------------------------------------------- */

static void step_for(struct rig *rig, int64_t ms)
{
    int64_t until_ns = kp_handlers_now_ns() + ms * KP_NS_PER_MS;

    for (int turns = 0; turns < 20 || kp_handlers_now_ns() < until_ns; turns++)
        kp_handlers_step(rig->handlers, until_ns);
}

/* The next call fails that may, and none behind it. */
static void fail_next(void)
{
    faults.calls = 0;
    faults.fail_at = 0;
}

/* One waits for a reply; of a name libcurl finds no memory. */
static void who_waits_goes_on_where_another_lacks_memory(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost")};
    const struct kp_probe named = {.handler = {.tcp_socket = &tcp}, .timeout_s = 1};
    int silent = rig_listen(&get.port.number);
    int peer;
    struct rig rig;

    tcp.port = get.port;
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    peer = rig_accept(&rig, silent);
    step_for(&rig, 50); /* it has asked */
    rig.attempt.probe = &named;
    rig_start(&rig);
    fail_next();
    step_for(&rig, 50);
    faults.fail_at = FAULTS_NEVER;
    CHECK_INT(rig.result.count, 1);
    CHECK_INT(rig.result.answer, KP_ANSWER_ERROR);
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
    close(peer);
    rig_end(&rig);
    close(silent);
}

static void a_connection_that_libcurl_has_lost_is_none(void)
{
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost"),
                                       .port = {.kind = KP_INTSTR_INT}};
    int listener = rig_listen(&tcp.port.number);
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    faults.connections = 1;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(faults.connections, 0);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(rig.result.output, ": connect: connection refused") != NULL);
    rig_end(&rig);
    close(listener);
}

static void note_sent(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    (void)ctx, (void)bytes;
    faults.sent |= direction == KP_WIRE_SENT;
}

/* Until its request is out; the peer is not that quick. */
static kp_attempt_id start_and_send(struct rig *rig)
{
    kp_attempt_id id;

    rig->attempt.wire = note_sent;
    faults.sent = false;
    id = rig_start(rig);
    while (!faults.sent && kp_handlers_in_flight(rig->handlers) > 0)
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    return id;
}

/* A redirect to where hands are shaken, at last. */
static void lead_on(struct rig *rig, int listener, int32_t port)
{
    char reply[128];
    int fd = rig_accept(rig, listener);
    int len = snprintf(reply, sizeof reply,
                       "HTTP/1.1 302 x\r\nLocation: https://127.0.0.1:%d/\r\n"
                       "Content-Length: 0\r\n\r\n",
                       (int)port);

    step_for(rig, 50);
    rig_clock_pass(5 * KP_NS_PER_S);
    CHECK_INT(write(fd, reply, (size_t)len), len);
    close(fd);
}

/* P-107: net/http gives it ten, whatever the probe has, and whatever went before. */
static void a_handshake_has_ten_seconds(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    struct kp_http_get_action moved = {.port = {.kind = KP_INTSTR_INT}};
    int listener = rig_listen(&get.port.number);
    int first = rig_listen(&moved.port.number);

    for (int i = 0; i < 2; i++) {
        struct rig rig;
        int fd;

        rig_clock_set(RIG_CLOCK_STANDS);
        rig_init(&rig, "1.36", &(struct kp_handler){.http_get = i == 0 ? &get : &moved});
        rig.attempt.timeout_ns = 60 * KP_NS_PER_S;
        rig_start(&rig);
        if (i == 1)
            lead_on(&rig, first, get.port.number);
        fd = rig_accept(&rig, listener);
        step_for(&rig, 50);
        rig_clock_pass(9500 * KP_NS_PER_MS);
        step_for(&rig, 1);
        CHECK_INT(rig.result.count, 0);
        rig_clock_pass(500 * KP_NS_PER_MS);
        step_for(&rig, 1);
        CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
        CHECK(strstr(rig.result.output, "\": net/http: TLS handshake timeout") != NULL);
        rig_clock_set(RIG_CLOCK_RUNS);
        if (fd >= 0)
            close(fd);
        rig_end(&rig);
    }
    close(first);
    close(listener);
}

static void what_comes_behind_a_handshake_has_the_time_of_the_probe(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    int listener = rig_listen(&get.port.number);
    pid_t peer = faults_serve_tls(listener, KP_TEXT("HTTP/1.1 200 OK\r\n\r\nfine"), 300, "");
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    start_and_send(&rig);
    rig_clock_pass(12 * KP_NS_PER_S);
    rig_drain(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
    rig_end(&rig);
    rig_end_peer(peer, listener);
}

const struct unit_test shortage_test[] = {
    {"who waits goes on where another lacks memory", who_waits_goes_on_where_another_lacks_memory},
    {"a connection that libcurl has lost is none", a_connection_that_libcurl_has_lost_is_none},
    {"a handshake has ten seconds", a_handshake_has_ten_seconds},
    {"what comes behind a handshake has the time of the probe",
     what_comes_behind_a_handshake_has_the_time_of_the_probe},
    {0},
};
