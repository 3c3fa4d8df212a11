/*
 * loop_test.c: the set as a loop: times in their order, attempts given up, what its owner hears
 * of the next instant, and the bytes that pass.
 */
#define _GNU_SOURCE /* memmem */
#include "fakes/rig.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>

enum { MANY = 150 };

static const struct kp_tcp_socket_action nowhere = {
    .port = {.kind = KP_INTSTR_STRING, .string = {"nowhere", 7}}};
static const struct kp_handler fails_at_once = {.tcp_socket = &nowhere};

/* ---- times ----------------------------------------------------------------------------------- */

/* One attempt of many; it is over between two instants: the test does not see when it began. */
struct one {
    struct crowd *crowd;
    kp_attempt_id id;
    int64_t not_before_ns;
    int64_t not_after_ns;
    bool given_up;
    int reported;
};

struct crowd {
    struct rig rig;
    struct one all[MANY];
    int64_t latest_ns; /* that one of those reported could be over */
};

static void note(void *ctx, const struct kp_attempt_result *result)
{
    struct one *one = ctx;
    struct crowd *crowd = one->crowd;

    CHECK_INT(result->answer, KP_ANSWER_FAILURE);
    CHECK(!one->given_up);
    CHECK(kp_handlers_now_ns() >= one->not_before_ns);
    CHECK(one->not_after_ns >= crowd->latest_ns); /* nobody reported before was due after it */
    if (one->not_before_ns > crowd->latest_ns)
        crowd->latest_ns = one->not_before_ns;
    one->reported++;
}

static int64_t timeout_ns_of(size_t i)
{
    return (100 + (int64_t)(i * 37 % MANY)) * KP_NS_PER_MS;
}

static void begin_all(struct crowd *crowd)
{
    for (size_t i = 0; i < MANY; i++) {
        struct one *one = &crowd->all[i];

        *one = (struct one){.crowd = crowd};
        crowd->rig.attempt.ctx = one;
        crowd->rig.attempt.timeout_ns = timeout_ns_of(i);
        one->not_before_ns = kp_handlers_now_ns() + timeout_ns_of(i);
        one->id = rig_start(&crowd->rig);
        one->not_after_ns = kp_handlers_now_ns() + timeout_ns_of(i);
    }
}

/* The earliest of those that are neither reported nor given up. */
static int64_t earliest_ns(const struct crowd *crowd)
{
    int64_t earliest_ns = KP_NEVER;

    for (size_t i = 0; i < MANY; i++)
        if (!crowd->all[i].reported && !crowd->all[i].given_up &&
            crowd->all[i].not_after_ns < earliest_ns)
            earliest_ns = crowd->all[i].not_after_ns;
    return earliest_ns;
}

/* Far more than the set has room for at first; every third is given up, in no order. */
static void times_run_out_in_their_order(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    static struct crowd crowd;
    size_t reported = 0;

    crowd.latest_ns = 0;
    rig_init(&crowd.rig, "1.36", &(struct kp_handler){.http_get = &get});
    crowd.rig.attempt.finished = note;
    begin_all(&crowd);
    CHECK_INT(kp_handlers_in_flight(crowd.rig.handlers), MANY);
    for (size_t i = 0; i < MANY; i += 3) {
        struct one *one = &crowd.all[i * 49 % MANY];

        one->given_up = true;
        kp_handlers_cancel(crowd.rig.handlers, one->id);
        CHECK(kp_handlers_due_ns(crowd.rig.handlers) <= earliest_ns(&crowd));
    }
    CHECK_INT(kp_handlers_in_flight(crowd.rig.handlers), MANY - MANY / 3);
    while (kp_handlers_in_flight(crowd.rig.handlers) > 0) {
        reported += kp_handlers_step(crowd.rig.handlers, KP_NEVER);
        CHECK(kp_handlers_due_ns(crowd.rig.handlers) <= earliest_ns(&crowd));
    }
    CHECK_INT(reported, MANY - MANY / 3);
    for (size_t i = 0; i < MANY; i++)
        CHECK_INT(crowd.all[i].reported, !crowd.all[i].given_up);
    CHECK_INT(kp_handlers_due_ns(crowd.rig.handlers), KP_NEVER);
    rig_end(&crowd.rig);
    close(server);
}

/* Where nothing else is said the probe's own time counts. */
static void the_time_is_the_probes_own(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    struct rig rig;

    rig_clock_set(RIG_CLOCK_LEAPS);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig.attempt.timeout_ns = 0;
    rig_start(&rig);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 999 * KP_NS_PER_MS), 0);
    CHECK_INT(rig.result.count, 0);
    rig_drain(&rig);
    CHECK_INT(rig.result.took_ns / KP_NS_PER_MS, 1000);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(server);
}

/* P-059: where a probe has several handlers the first of exec, http, tcp and grpc counts. */
static void of_several_handlers_one_counts(void)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    static const struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_STRING}};
    static const struct kp_grpc_action grpc = {.port = 1};
    const struct kp_handler handlers[] = {
        {.exec = &exec, .http_get = &get, .tcp_socket = &nowhere, .grpc = &grpc},
        {.http_get = &get, .tcp_socket = &nowhere, .grpc = &grpc},
        {.tcp_socket = &nowhere, .grpc = &grpc}};
    const char *const outputs[] = {"", "port \"\" not found", "port \"nowhere\" not found"};

    for (size_t i = 0; i < 3; i++) {
        struct rig rig;

        rig_init(&rig, "1.37", &handlers[i]);
        rig_start(&rig);
        rig_drain(&rig);
        CHECK_INT(rig.result.answer, i == 0 ? KP_ANSWER_SUCCESS : KP_ANSWER_ERROR);
        CHECK_STRING(rig.result.output, outputs[i]);
        rig_end(&rig);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int64_t cpu_ns(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * KP_NS_PER_S +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* It sleeps meanwhile, and no longer than it is told to. */
static void a_step_waits_as_long_as_it_may(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    int64_t until_ns;
    int64_t used_ns;
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 20 * KP_NS_PER_MS);
    used_ns = cpu_ns();
    until_ns = kp_handlers_now_ns() + 200 * KP_NS_PER_MS;
    CHECK_INT(kp_handlers_step(rig.handlers, until_ns), 0);
    CHECK(kp_handlers_now_ns() >= until_ns);
    CHECK(rig_is_simulated() || cpu_ns() - used_ns < 50 * KP_NS_PER_MS);
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
    rig_clock_set(RIG_CLOCK_LEAPS);
    until_ns = kp_handlers_now_ns() + 200 * KP_NS_PER_MS;
    CHECK_INT(kp_handlers_step(rig.handlers, until_ns), 0);
    kp_handlers_step(rig.handlers, until_ns); /* which looks, and does not wait */
    CHECK_INT(kp_handlers_now_ns(), until_ns);
    rig_clock_set(RIG_CLOCK_RUNS);
    rig_end(&rig);
    close(server);
}

static void ignore(int signal_number)
{
    (void)signal_number;
}

static void a_signal_ends_a_step(void)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    const struct kp_probe command = {.handler = {.exec = &exec}, .timeout_s = 10};
    const struct itimerval soon = {.it_value = {0, 50000}};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    int server = rig_listen(&get.port.number);
    struct sigaction action = {.sa_handler = ignore};
    struct sigaction before;
    struct rig rig;

    sigaction(SIGALRM, &action, &before);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 20 * KP_NS_PER_MS);
    setitimer(ITIMER_REAL, &soon, NULL);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 10 * KP_NS_PER_S), 0);
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
    CHECK_INT(rig.result.count, 0);
    sigaction(SIGALRM, &before, NULL);
    rig.attempt.probe = &command;
    rig_start(&rig);
    CHECK_INT(kp_handlers_step(rig.handlers, KP_NEVER), 1); /* the next step does not */
    rig_end(&rig);                                          /* with one in flight */
    CHECK_INT(rig.result.count, 1);
    close(server);
}

/* As an outer loop waits: for the descriptor, or until the instant at which something is due. */
static void wait_outside(const struct rig *rig)
{
    struct pollfd ready = {.fd = kp_handlers_fd(rig->handlers), .events = POLLIN};
    int64_t left_ns = kp_handlers_due_ns(rig->handlers) - kp_handlers_now_ns();

    poll(&ready, 1, left_ns <= 0 ? 0 : (int)(left_ns / KP_NS_PER_MS) + 1);
}

/* What an outer loop goes by: readable, or an instant that has come. */
static void an_outer_loop_sees_when_there_is_something_to_do(void)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    int64_t give_up_ns = kp_handlers_now_ns() + RIG_PATIENCE_NS / 2;
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
    CHECK_INT(kp_handlers_due_ns(rig.handlers), KP_NEVER);
    rig_start(&rig);
    while (kp_handlers_in_flight(rig.handlers) > 0 && kp_handlers_now_ns() < give_up_ns) {
        wait_outside(&rig);
        kp_handlers_step(rig.handlers, kp_handlers_now_ns());
    }
    CHECK_INT(rig.result.count, 1);
    CHECK_INT(rig.result.code, 0);
    rig_drain(&rig);
    rig.attempt.probe = &(struct kp_probe){.handler = fails_at_once, .timeout_s = 1};
    rig_start(&rig);
    CHECK_INT(kp_handlers_due_ns(rig.handlers), 0); /* it is to be reported */
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 1);
    rig_drain(&rig);
    rig_end(&rig);
}

/* ---- giving up ------------------------------------------------------------------------------- */

enum { FEW = 6 };

struct quitter {
    struct rig rig;
    kp_attempt_id ids[FEW];
    size_t reported;
    size_t first;
};

/* From inside the first answer: those that are due in the same turn are not, and another one is
 * begun. */
static void give_others_up(void *ctx, const struct kp_attempt_result *result)
{
    struct quitter *quitter = ctx;

    CHECK_INT(result->answer, KP_ANSWER_ERROR);
    if (quitter->reported++ > 0)
        return;
    for (size_t i = 0; i < FEW; i++) /* of its own nothing comes */
        if (i != 2)
            kp_handlers_cancel(quitter->rig.handlers, quitter->ids[i]);
    rig_start(&quitter->rig);
}

static void attempts_are_given_up_from_inside_an_answer(void)
{
    struct quitter quitter = {.reported = 0};

    rig_init(&quitter.rig, "1.36", &fails_at_once);
    quitter.rig.attempt.finished = give_others_up;
    quitter.rig.attempt.ctx = &quitter;
    for (size_t i = 0; i < FEW; i++)
        quitter.ids[i] = rig_start(&quitter.rig);
    CHECK_INT(kp_handlers_step(quitter.rig.handlers, kp_handlers_now_ns()), 3);
    CHECK_INT(quitter.reported, 3); /* the first, the third, and the one that was begun */
    rig_drain(&quitter.rig);
    rig_end(&quitter.rig);
}

/* The last of those that are to be reported goes, and then another one comes. */
static void what_was_given_up_is_not_reported(void)
{
    kp_attempt_id ids[3];
    kp_attempt_id old;
    struct rig rig;

    rig_init(&rig, "1.36", &fails_at_once);
    for (size_t i = 0; i < 3; i++)
        ids[i] = rig_start(&rig);
    kp_handlers_cancel(rig.handlers, ids[2]);
    kp_handlers_cancel(rig.handlers, ids[0]);
    old = ids[0];
    ids[0] = rig_start(&rig);
    CHECK(ids[0] != ids[1] && ids[0] != ids[2] && ids[0] != old && ids[0] != 0);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 2);
    kp_handlers_cancel(rig.handlers, ids[1]); /* it is reported already */
    kp_handlers_cancel(rig.handlers, 0);
    kp_handlers_cancel(rig.handlers, UINT32_MAX);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, 2);
    rig_start(&rig);
    kp_handlers_cancel(rig.handlers, old); /* others have their places now */
    for (size_t i = 0; i < 3; i++)
        kp_handlers_cancel(rig.handlers, ids[i]);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, 3);
    rig_end(&rig);
}

/* However many come one after another, no more room is taken. */
static void a_place_is_used_again(void)
{
    int64_t calls = 0;
    struct rig rig;

    rig_init(&rig, "1.36", &fails_at_once);
    for (int i = 0; i < 300; i++) {
        kp_attempt_id id = rig_start(&rig);

        CHECK((uint32_t)id < 64); /* its place */
        if (i % 2)
            kp_handlers_cancel(rig.handlers, id);
        rig_drain(&rig);
        CHECK(i < 2 || rig.memory.live <= calls);
        calls = rig.memory.live;
    }
    CHECK_INT(rig.result.count, 150);
    rig_end(&rig);
}

/* Of one attempt the next one knows nothing. */
static void attempts_of_two_kinds_follow_each_other(void)
{
    static const char health[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    struct kp_http_get_action get = {.path = {"/p", 2}, .port = {.kind = KP_INTSTR_INT}};
    struct kp_grpc_action grpc = {0};
    int listeners[] = {rig_listen(&get.port.number), rig_listen(&grpc.port)};
    pid_t peers[] = {
        rig_serve(listeners[0], KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"),
                  RIG_STAYS),
        rig_serve(listeners[1], (struct kp_text){health, sizeof health - 1}, RIG_STAYS)};
    const struct kp_probe second = {.handler = {.http_get = &get}, .timeout_s = 5};
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "service healthy");
    rig.attempt.probe = &second;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_STRING(rig.result.output, "fine");
    CHECK_INT(rig.result.count, 2);
    rig_end(&rig);
    for (size_t i = 0; i < 2; i++)
        rig_end_peer(peers[i], listeners[i]);
}

/* ---- the wire -------------------------------------------------------------------------------- */

struct tape {
    char bytes[2][4096]; /* sent, received */
    size_t len[2];
};

static void record(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    struct tape *tape = ctx;
    size_t room = sizeof tape->bytes[0] - 1 - tape->len[direction];

    CHECK(bytes.len > 0 && bytes.len <= room);
    memcpy(tape->bytes[direction] + tape->len[direction], bytes.bytes, bytes.len);
    tape->len[direction] += bytes.len;
    tape->bytes[direction][tape->len[direction]] = '\0';
}

static void forget(void *ctx, const struct kp_attempt_result *result)
{
    (void)ctx;
    CHECK_INT(result->answer, KP_ANSWER_SUCCESS);
}

static void listen_in(const struct kp_handler *handler, struct tape *tape)
{
    struct rig rig;

    *tape = (struct tape){.len = {0}};
    rig_init(&rig, "1.36", handler);
    rig.attempt.wire = record;
    rig.attempt.finished = forget;
    rig.attempt.ctx = tape;
    rig_start(&rig);
    rig_drain(&rig);
    rig_end(&rig);
}

/* As they were sent, byte by byte, also of an odd head. */
static void the_bytes_that_pass_can_be_seen(void)
{
    static const char *const replies[] = {
        "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 4\r\n\r\nfine",
        "HTTP/9.9 200 OK\r\nContent-Length: 4\r\nX-A: b\r\nContent-Encoding: gzip\r\n\r\nfine",
        "HTTP/9.9 204 fine\r\n\r\n",
        "HTTP/9.9 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n"};
    struct tape tape;

    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        struct kp_http_get_action get = {.path = {"/p", 2}, .port = {.kind = KP_INTSTR_INT}};
        int listener = rig_listen(&get.port.number);
        pid_t peer = rig_serve(listener, kp_text_of(replies[i]), RIG_STAYS);
        char request[256];

        snprintf(request, sizeof request,
                 "GET /p HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: kube-probe/1.36\r\n"
                 "Accept: */*\r\nConnection: close\r\n\r\n",
                 (int)get.port.number);
        listen_in(&(struct kp_handler){.http_get = &get}, &tape);
        CHECK_STRING(tape.bytes[KP_WIRE_SENT], request);
        CHECK(strncmp(tape.bytes[KP_WIRE_RECEIVED], replies[i], 50) == 0);
        CHECK(strstr(tape.bytes[KP_WIRE_RECEIVED], "fine") != NULL);
        rig_end_peer(peer, listener);
    }
}

/* Of HTTP/2 as lines, and each message as it is. */
static void heads_and_messages_of_http_2_can_be_seen(void)
{
    struct kp_grpc_action grpc = {.service = {"a", 1}};
    int listener = rig_listen(&grpc.port);
    pid_t peer = rig_serve(
        listener,
        (struct kp_text){RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS,
                         sizeof(RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS) - 1},
        RIG_STAYS);
    static const char message[] = "\r\n\r\n\0\0\0\0\3\n\1a";
    struct tape tape;
    const char *sent = tape.bytes[KP_WIRE_SENT];
    const char *received = tape.bytes[KP_WIRE_RECEIVED];

    listen_in(&(struct kp_handler){.grpc = &grpc}, &tape);
    CHECK(strncmp(sent, ":method: POST\r\n", 15) == 0);
    CHECK(tape.len[KP_WIRE_SENT] > sizeof message);
    CHECK(memcmp(sent + tape.len[KP_WIRE_SENT] - (sizeof message - 1), message,
                 sizeof message - 1) == 0);
    CHECK(strncmp(received, ":status: 200\r\n", 14) == 0);
    CHECK(memmem(received, tape.len[KP_WIRE_RECEIVED], "\r\n\r\n\0\0\0\0\2\10\1", 11) != NULL);
    CHECK(tape.len[KP_WIRE_RECEIVED] > 20);
    CHECK_STRING(received + tape.len[KP_WIRE_RECEIVED] - 18, "grpc-status: 0\r\n\r\n");
    rig_end_peer(peer, listener);
}

/* A call's time is sent to the server, in the largest unit that eight digits need. */
static void a_call_says_how_long_it_may_take(void)
{
    static const char reply[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    static const struct {
        int64_t timeout_s;
        int64_t unit_ns;
        char unit;
    } rows[] = {{30, 1000, 'u'},
                {3000, KP_NS_PER_MS, 'm'},
                {300000, KP_NS_PER_S, 'S'},
                {7000000000, 3600 * KP_NS_PER_S, 'H'}};
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    pid_t peer = rig_serve(listener, (struct kp_text){reply, sizeof reply - 1}, RIG_STAYS);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tape tape = {.len = {0}};
        struct rig rig;
        long long number = 0;
        const char *at;
        char unit = 0;

        rig_clock_set(RIG_CLOCK_STANDS);
        rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
        rig.attempt.wire = record;
        rig.attempt.finished = forget;
        rig.attempt.ctx = &tape;
        rig.attempt.timeout_ns = rows[i].timeout_s * KP_NS_PER_S;
        rig_start(&rig);
        rig_drain(&rig);
        rig_end(&rig);
        rig_clock_set(RIG_CLOCK_RUNS);
        at = strstr(tape.bytes[KP_WIRE_SENT], "grpc-timeout: ");
        CHECK(at != NULL && sscanf(at, "grpc-timeout: %lld%c", &number, &unit) == 2);
        CHECK_INT(unit, rows[i].unit);
        CHECK_INT(number, (rows[i].timeout_s * KP_NS_PER_S - 1) / rows[i].unit_ns + 1);
        CHECK(strstr(tape.bytes[KP_WIRE_SENT], "te: trailers\r\ngrpc-timeout: ") != NULL);
        CHECK(strstr(tape.bytes[KP_WIRE_SENT], "kube-probe/1.36 grpc-go/1.") != NULL);
    }
    rig_end_peer(peer, listener);
}

const struct unit_test loop_test[] = {
    {"times run out in their order", times_run_out_in_their_order},
    {"the time is the probe's own", the_time_is_the_probes_own},
    {"of several handlers one counts", of_several_handlers_one_counts},
    {"a step waits as long as it may", a_step_waits_as_long_as_it_may},
    {"a signal ends a step", a_signal_ends_a_step},
    {"an outer loop sees when there is something to do",
     an_outer_loop_sees_when_there_is_something_to_do},
    {"attempts are given up from inside an answer", attempts_are_given_up_from_inside_an_answer},
    {"what was given up is not reported", what_was_given_up_is_not_reported},
    {"a place is used again", a_place_is_used_again},
    {"attempts of two kinds follow each other", attempts_of_two_kinds_follow_each_other},
    {"the bytes that pass can be seen", the_bytes_that_pass_can_be_seen},
    {"heads and messages of HTTP/2 can be seen", heads_and_messages_of_http_2_can_be_seen},
    {"a call says how long it may take", a_call_says_how_long_it_may_take},
    {0},
};
