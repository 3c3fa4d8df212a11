/* lookup_test.c: several names at once, and what libcurl waits for. */
#include "fakes/faults.h"

static void step_for(struct rig *rig, int64_t ms)
{
    int64_t until_ns = kp_handlers_now_ns() + ms * KP_NS_PER_MS;

    while (kp_handlers_now_ns() < until_ns)
        kp_handlers_step(rig->handlers, until_ns);
}

/* The set sleeps meanwhile, and is woken when the kernel has tried again. */
static void a_name_may_take_its_time(void)
{
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost"),
                                       .port = {.kind = KP_INTSTR_INT}};
    int waiting;
    int full = rig_listen_full(&tcp.port.number, &waiting);
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    rig_start(&rig);
    step_for(&rig, 20);
    rig_clock_set(RIG_CLOCK_RUNS);
    step_for(&rig, 200);
    CHECK(rig_clock_turns() < 100);
    CHECK_INT(rig.result.count, 0);
    close(accept(full, NULL, NULL));
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
    rig_end(&rig);
    close(waiting);
    close(full);
}

/* Where libcurl has lost something all end that wait for it, but for those that were given up. */
static void all_names_end_that_are_looked_up(void)
{
    static const char *const given_up[] = {"", "0", "1", "2", "01", "10", "12", "21", "02", "20"};
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost"),
                                       .port = {.kind = KP_INTSTR_INT}};
    int waiting;
    int full = rig_listen_full(&tcp.port.number, &waiting);

    for (size_t i = 0; i < sizeof given_up / sizeof given_up[0]; i++) {
        kp_attempt_id ids[3];
        struct rig rig;

        rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
        for (int k = 0; k < 3; k++)
            ids[k] = rig_start(&rig);
        step_for(&rig, 20);
        CHECK_INT(kp_handlers_in_flight(rig.handlers), 3);
        for (const char *at = given_up[i]; *at; at++)
            kp_handlers_cancel(rig.handlers, ids[*at - '0']);
        rig_start(&rig);
        faults.calls = 0;
        faults.fail_at = 0;
        while (rig.result.count == 0)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + RIG_PATIENCE_NS);
        faults.fail_at = FAULTS_NEVER;
        CHECK_INT(rig.result.count, 4 - strlen(given_up[i]));
        CHECK_STRING(rig.result.output, "out of memory");
        rig_drain(&rig);
        rig_end(&rig);
    }
    close(waiting);
    close(full);
}

/* What was said, of whichever address of this machine its name has first. */
static const char *said_of_localhost(struct rig *rig)
{
    static const char ipv6[] = "[::1]";
    static const char ipv4[] = "127.0.0.1";
    static char said[sizeof rig->result.output + sizeof ipv4];
    const char *at = strstr(rig->result.output, ipv6);

    if (!at)
        return rig->result.output;
    snprintf(said, sizeof said, "%.*s%s%s", (int)(at - rig->result.output), rig->result.output,
             ipv4, at + sizeof ipv6 - 1);
    return said;
}

/* Once; the n-th call fails.  Returns: whether that came. */
static bool look_up_lacking(int64_t n, const struct kp_handler *handler, const char *timeout)
{
    struct rig rig;
    int64_t until_ns;
    kp_attempt_id id;
    enum kp_err err;

    rig_init(&rig, "1.36", handler);
    faults.calls = 0;
    faults.no_socket = false;
    faults.fail_at = n;
    err = kp_handlers_start(rig.handlers, &rig.attempt, &id);
    until_ns = kp_handlers_now_ns() + KP_NS_PER_S;
    while (err == KP_OK && rig.result.count == 0 &&
           (faults.calls > n || kp_handlers_now_ns() < until_ns))
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + 10 * KP_NS_PER_MS);
    faults.fail_at = FAULTS_NEVER;
    CHECK_INT(err != KP_OK || rig.result.count == 1, faults.calls > n);
    if (rig.result.count > 0 &&
        !(faults.no_socket && strcmp(said_of_localhost(&rig), timeout) == 0)) {
        CHECK_STRING(rig.result.output, "out of memory");
        CHECK(kp_handlers_now_ns() < until_ns);
    }
    rig_end(&rig);
    return faults.calls > n;
}

/* No call that fails is waited for: what it was for would come a second later, or never.  But where
 * there is no socket for one of two addresses the other is still awaited.  Upstream: Go, net
 * dialParallel. */
static void a_name_that_lacks_something_ends(void)
{
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost"),
                                       .port = {.kind = KP_INTSTR_INT}};
    int waiting;
    int full = rig_listen_full(&tcp.port.number, &waiting);
    char timeout[80];
    int64_t n = 0;

    snprintf(timeout, sizeof timeout, "dial tcp 127.0.0.1:%d: i/o timeout", (int)tcp.port.number);
    rig_clock_set(RIG_CLOCK_LEAPS);
    while (n < 50 && look_up_lacking(n, &(struct kp_handler){.tcp_socket = &tcp}, timeout))
        n++;
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK(n > 4);
    CHECK(n < 50);
    close(waiting);
    close(full);
}

/* P-111: who did not answer is named by its address. */
static void a_refusal_names_the_address(void)
{
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT("localhost"),
                                       .port = {.kind = KP_INTSTR_INT}};
    char want[80];
    struct rig rig;

    close(rig_listen(&tcp.port.number));
    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    rig_start(&rig);
    rig_drain(&rig);
    snprintf(want, sizeof want, "dial tcp 127.0.0.1:%d: connect: connection refused",
             (int)tcp.port.number);
    CHECK_STRING(said_of_localhost(&rig), want);
    rig_end(&rig);
}

/* What is short is no answer; all else is, as of a kernel without such addresses.  Upstream: Go,
 * net sysSocket. */
static void what_is_no_socket_is_reported(void)
{
    static const struct {
        int error;
        const char *words; /* NULL: it is short */
    } rows[] = {{EAFNOSUPPORT, "address family not supported by protocol"},
                {EPROTONOSUPPORT, "protocol not supported"},
                {EPERM, "operation not permitted"},
                {EACCES, "permission denied"},
                {EMFILE, NULL},
                {ENFILE, NULL},
                {ENOBUFS, NULL},
                {ENOMEM, NULL}};
    struct kp_tcp_socket_action tcp = {.port = {.kind = KP_INTSTR_INT}};
    char want[120];

    close(rig_listen(&tcp.port.number));
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const char *words = rows[i / 2].words;
        kp_attempt_id id;
        struct rig rig;

        tcp.host = i % 2 == 0 ? KP_TEXT("") : KP_TEXT("localhost");
        snprintf(want, sizeof want, "dial tcp %s:%d: socket: %s", i % 2 == 0 ? "" : "127.0.0.1",
                 (int)tcp.port.number, words);
        rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
        rig.attempt.pod_ip = KP_TEXT("");
        faults.socket_errno = rows[i / 2].error;
        if (kp_handlers_start(rig.handlers, &rig.attempt, &id) == KP_OK) {
            rig_drain(&rig);
            CHECK_INT(rig.result.answer, words ? KP_ANSWER_FAILURE : KP_ANSWER_ERROR);
            CHECK_STRING(said_of_localhost(&rig), words ? want : "out of memory");
        } else {
            CHECK(!words && i % 2 == 0);
        }
        faults.socket_errno = 0;
        rig_end(&rig);
    }
}

const struct unit_test lookup_test[] = {
    {"a name may take its time", a_name_may_take_its_time},
    {"all names end that are looked up", all_names_end_that_are_looked_up},
    {"a name that lacks something ends", a_name_that_lacks_something_ends},
    {"a refusal names the address", a_refusal_names_the_address},
    {"what is no socket is reported", what_is_no_socket_is_reported},
    {0},
};
