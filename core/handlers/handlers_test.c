#define _GNU_SOURCE /* RTLD_NEXT, memmem */
#include "fakes/faults.h"

#include <curl/curlver.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct kp_text sleep_words[] = {{"sleep", 5}, {"30", 2}};
static const struct kp_exec_action sleep_exec = {{sleep_words, 2}};
static const struct kp_handler sleeps = {.exec = &sleep_exec};

/* ---- a slow resolver ------------------------------------------------------------------------ */

/* A resolver that takes its time with names that end so: until it is let go, or a minute. */
#define SLOW ".test.invalid"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool let_go;
    bool ran_out; /* nobody let it go in time */
} resolver = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void take_time(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&resolver.lock);
    while (!resolver.let_go && !resolver.ran_out)
        resolver.ran_out =
            pthread_cond_timedwait(&resolver.changed, &resolver.lock, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&resolver.lock);
}

#ifdef __GLIBC__
/* Names with two addresses, whose list may be made of two; of one kind, or of both. */
#define TWO "two.test.example"
#define BOTH "both.test.example"
#define FAR "far.test.example" /* at an address that a connection cannot be had to */
#define FAR_AND_NEAR "far.two.test.example"
#define NEAR_AND_FAR "near.two.test.example"
#define FAR_ADDRESS "127.255.255.255"

static _Atomic int looked_up; /* so often */
#endif

/* In libcurl's place of the C library's. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    size_t len = name ? strlen(name) : 0;

    if (len > strlen(SLOW) && strcmp(name + len - strlen(SLOW), SLOW) == 0) {
        take_time();
        return EAI_NONAME;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
#ifdef TWO
    if (name && (strcmp(name, TWO) == 0 || strcmp(name, BOTH) == 0)) {
        looked_up++;
        return real(name[0] == 't' ? "127.0.0.2" : "::1", service, hints, found) ||
               real("127.0.0.3", service, hints, &(*found)->ai_next);
    }
    if (name && strcmp(name, FAR) == 0)
        return real(FAR_ADDRESS, service, hints, found);
    if (name && (strcmp(name, FAR_AND_NEAR) == 0 || strcmp(name, NEAR_AND_FAR) == 0))
        return real(name[0] == 'f' ? FAR_ADDRESS : "127.0.0.3", service, hints, found) ||
               real(name[0] == 'f' ? "127.0.0.3" : FAR_ADDRESS, service, hints, &(*found)->ai_next);
#endif
    return real(name, service, hints, found);
}

/* So that no thread of libcurl's is left, with its descriptors, when somebody counts. */
static void let_the_resolver_go(size_t threads)
{
    const struct timespec nap = {.tv_nsec = KP_NS_PER_MS};
    pthread_mutex_lock(&resolver.lock);
    resolver.let_go = true;
    pthread_cond_broadcast(&resolver.changed);
    pthread_mutex_unlock(&resolver.lock);
    for (int i = 0; rig_count_entries("/proc/self/task") > threads && i < 60000; i++)
        nanosleep(&nap, NULL);
    CHECK(!resolver.ran_out);
    resolver.let_go = resolver.ran_out = false;
}

/* ---- timeouts -------------------------------------------------------------------------------- */

enum { PROBES = 40 };

struct one_time {
    int64_t due_ns;
    int64_t finished_ns;
};

static void note_time(void *ctx, const struct kp_attempt_result *result)
{
    struct one_time *one = ctx;

    CHECK(result->answer == KP_ANSWER_FAILURE || result->answer == KP_ANSWER_TIMEOUT);
    one->finished_ns = kp_handlers_now_ns();
}

/* Probes of all four kinds that nobody answers, their times over one after another. */
static void timeouts_are_exact_to_2_ms(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action tcp = {.port = {.number = 9}, .host = KP_TEXT("slow" SLOW)};
    struct kp_grpc_action grpc = {0};
    struct kp_probe probes[] = {{.handler = {.http_get = &get}},
                                {.handler = {.tcp_socket = &tcp}},
                                {.handler = sleeps},
                                {.handler = {.grpc = &grpc}}};
    size_t threads = rig_count_entries("/proc/self/task");
    int server = rig_listen(&get.port.number);
    struct one_time all[PROBES] = {0};
    struct rig rig;

    grpc.port = get.port.number;
    rig_clock_set(RIG_CLOCK_STANDS);
    rig_init(&rig, "1.36", &probes[0].handler);
    rig.attempt.finished = note_time;
    for (size_t i = 0; i < PROBES; i++) {
        rig.attempt.probe = &probes[i % 4];
        rig.attempt.timeout_ns = (60 + (int64_t)i) * KP_NS_PER_MS;
        rig.attempt.ctx = &all[i];
        all[i].due_ns = kp_handlers_now_ns() + rig.attempt.timeout_ns;
        rig_start(&rig);
    }
    while (kp_handlers_in_flight(rig.handlers) > 0)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    for (size_t i = 0; i < PROBES; i++)
        if (!CHECK(all[i].finished_ns >= all[i].due_ns) |
            !CHECK(all[i].finished_ns <= all[i].due_ns + 2 * KP_NS_PER_MS))
            printf("  probe %d, %d us late\n", (int)i,
                   (int)((all[i].finished_ns - all[i].due_ns) / 1000));
    rig_clock_set(RIG_CLOCK_RUNS);
    let_the_resolver_go(threads);
    rig_end(&rig);
    close(server);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void a_cancelled_attempt_says_nothing_and_leaves_nothing(void)
{
    struct rig rig;
    kp_attempt_id id;

    CHECK(rig_no_child_is_left());
    rig_init(&rig, "1.36", &sleeps);
    id = rig_start(&rig);
    kp_handlers_cancel(rig.handlers, id);
    kp_handlers_cancel(rig.handlers, id);
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 0);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 0);
    CHECK_INT(rig.result.count, 0);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
    rig_end(&rig);
}

/* As a child does between its exec and the closing of what it does not keep. */
static void what_another_process_holds_open_is_watched_no_more(void)
{
    struct pollfd ready = {.events = POLLIN};
    struct rig rig;
    kp_attempt_id id;
    pid_t holder;

    rig_init(&rig, "1.36", &sleeps);
    id = rig_start(&rig);
    holder = fork();
    if (holder == 0) {
        pause();
        _exit(0);
    }
    CHECK(holder > 0);
    kp_handlers_cancel(rig.handlers, id);
    ready.fd = kp_handlers_fd(rig.handlers);
    CHECK_INT(poll(&ready, 1, 50), 0);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 0);
    rig_end(&rig);
    kill(holder, SIGKILL);
    CHECK_INT(waitpid(holder, NULL, 0), holder);
}

/* Its exit code is lost then: it must not be taken for 0. */
static void a_command_that_somebody_else_reaped_is_an_error(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"exit 3", 6}};
    static const struct kp_exec_action exec = {{words, 3}};
    struct rig rig;

    signal(SIGCHLD, SIG_IGN);
    rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
    rig_start(&rig);
    rig_drain(&rig);
    rig_end(&rig);
    signal(SIGCHLD, SIG_DFL);
    CHECK_INT(rig.result.count, 1);
    CHECK_INT(rig.result.answer, KP_ANSWER_ERROR);
    CHECK_STRING(rig.result.output, "waitid: no child processes");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* libcurl waits for its resolver's thread unless it is told not to, which it can be from 7.87. */
static void a_name_that_nobody_resolves_holds_no_other_probe_up(void)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    struct kp_tcp_socket_action named = {.port = {.number = 80}, .host = KP_TEXT("slow" SLOW)};
    struct kp_tcp_socket_action near = {.port = {.kind = KP_INTSTR_INT}};
    size_t threads = rig_count_entries("/proc/self/task");
    int server = rig_listen(&near.port.number);
    struct kp_probe other = {.handler = {.tcp_socket = &near}, .timeout_s = 1};
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &named});
    rig.attempt.timeout_ns = 100 * KP_NS_PER_MS;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK_STRING(rig.result.output, "dial tcp: lookup slow" SLOW ": i/o timeout");
    rig.attempt.probe = &other;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
    kp_handlers_free(rig.handlers);
    close(server);
    let_the_resolver_go(threads);
#endif
}

/* Upstream: Go, net dialSerial, whose first error counts. */
static void of_two_addresses_the_first_is_reported(void)
{
#ifdef TWO
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT(TWO), .port = {.kind = KP_INTSTR_INT}};
    char want[80];
    struct rig rig;

    close(rig_listen(&tcp.port.number));
    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    rig_start(&rig);
    rig_drain(&rig);
    snprintf(want, sizeof want, "dial tcp 127.0.0.2:%d: connect: connection refused",
             (int)tcp.port.number);
    CHECK_STRING(rig.result.output, want);
    rig_end(&rig);
#endif
}

#ifdef TWO
/* The address with a port of its own; -1: the machine has none such. */
static int listen_at(struct sockaddr *address, socklen_t len, int backlog)
{
    int fd = socket(address->sa_family, SOCK_STREAM, 0);

    if (bind(fd, address, len) == 0 && listen(fd, backlog) == 0 &&
        getsockname(fd, address, &len) == 0)
        return fd;
    close(fd);
    return -1;
}
#endif

/* Of a name's first address, be it one of IPv6, and with the error that it was.  Upstream: Go, net
 * dialSerial. */
static void what_is_wrong_with_an_address_is_reported(void)
{
#ifdef TWO
    static const struct {
        const char *host;
        const char *words;
    } rows[] = {{BOTH, "dial tcp [::1]:%d: connect: connection refused"},
                {FAR, "dial tcp " FAR_ADDRESS ":%d: connect: network is unreachable"},
                {FAR_AND_NEAR, "dial tcp " FAR_ADDRESS ":%d: connect: network is unreachable"},
                {NEAR_AND_FAR, "dial tcp 127.0.0.3:%d: connect: connection refused"}};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int listener = listen_at((struct sockaddr *)&address, sizeof address, 0);

    for (size_t i = listener < 0; i < sizeof rows / sizeof rows[0]; i++) { /* without IPv6 */
        struct kp_tcp_socket_action tcp = {.host = kp_text_of(rows[i].host),
                                           .port = {.kind = KP_INTSTR_INT}};
        char want[80];
        struct rig rig;

        close(rig_listen(&tcp.port.number));
        rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
        rig_start(&rig);
        rig_drain(&rig);
        snprintf(want, sizeof want, rows[i].words, (int)tcp.port.number);
        CHECK_STRING(rig.result.output, want);
        rig_end(&rig);
    }
    close(listener);
#endif
}

/* And each time the name is looked up anew.  Upstream: Go, net dialSerial. */
static void of_two_addresses_one_is_enough(void)
{
#ifdef TWO
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT(TWO), .port = {.kind = KP_INTSTR_INT}};
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct rig rig;
    int listener;

    inet_pton(AF_INET, "127.0.0.3", &address.sin_addr);
    listener = listen_at((struct sockaddr *)&address, sizeof address, 8);
    CHECK(listener >= 0);
    tcp.port.number = ntohs(address.sin_port);
    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    looked_up = 0;
    for (int i = 0; i < 2; i++) {
        faults.lost_sockets = i; /* the first one's */
        rig_start(&rig);
        rig_drain(&rig);
        CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
        CHECK_INT(faults.lost_sockets, 0);
        CHECK_INT(looked_up, i + 1);
    }
    rig_end(&rig);
    close(listener);
#endif
}

/* Upstream: Go, net conn.RemoteAddr. */
static void the_other_end_is_the_address_that_answered(void)
{
#ifdef TWO
    struct kp_http_get_action get = {.host = KP_TEXT(TWO), .port = {.kind = KP_INTSTR_INT}};
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct rig rig;
    char want[80];
    int listener;
    pid_t peer;

    inet_pton(AF_INET, "127.0.0.3", &address.sin_addr);
    listener = listen_at((struct sockaddr *)&address, sizeof address, 8);
    CHECK(listener >= 0);
    get.port.number = ntohs(address.sin_port);
    peer =
        rig_serve(listener, KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), RIG_RESETS);
    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig_start(&rig);
    rig_drain(&rig);
    snprintf(want, sizeof want, "->127.0.0.3:%d: read: connection reset by peer",
             (int)get.port.number);
    CHECK(strstr(rig.result.output, want) != NULL);
    rig_end(&rig);
    rig_end_peer(peer, listener);
#endif
}

/* Upstream: Go, net Dialer.fallbackDelay. */
static void the_other_kind_of_address_comes_300_ms_later(void)
{
#ifdef TWO
    struct kp_tcp_socket_action tcp = {.host = KP_TEXT(BOTH), .port = {.kind = KP_INTSTR_INT}};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int full = listen_at((struct sockaddr *)&address, sizeof address, 0);
    int waiting = socket(AF_INET6, SOCK_STREAM, 0);
    int64_t begun_ns;
    struct rig rig;

    if (full < 0) /* a machine without IPv6 */
        return;
    CHECK_INT(connect(waiting, (struct sockaddr *)&address, sizeof address), 0);
    tcp.port.number = ntohs(address.sin6_port);
    rig_init(&rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    faults.sockets = 0;
    rig_clock_set(RIG_CLOCK_STANDS);
    rig_start(&rig);
    while (faults.sockets == 0 && rig.result.count == 0)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    rig_clock_set(RIG_CLOCK_LEAPS);
    begun_ns = faults.socket_ns;
    while (faults.sockets == 1 && rig.result.count == 0)
        kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    CHECK_INT(faults.sockets, 2);
    CHECK_INT((faults.socket_ns - begun_ns) / (50 * KP_NS_PER_MS), 6);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    close(waiting);
    close(full);
#endif
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* From inside `finished` another one is begun: the third attempt of an error is such a one. */
struct chain {
    struct rig rig;
    int left;
};

static void begin_another(void *ctx, const struct kp_attempt_result *result)
{
    struct chain *chain = ctx;

    CHECK_INT(result->answer, KP_ANSWER_ERROR);
    if (chain->left-- > 0)
        rig_start(&chain->rig);
}

static void attempts_begin_from_inside_an_answer(void)
{
    static const struct kp_tcp_socket_action tcp = {
        .port = {.kind = KP_INTSTR_STRING, .string = {"nowhere", 7}}};
    struct chain chain;

    rig_init(&chain.rig, "1.36", &(struct kp_handler){.tcp_socket = &tcp});
    chain.rig.attempt.finished = begin_another;
    chain.rig.attempt.ctx = &chain;
    chain.left = 2;
    rig_start(&chain.rig);
    rig_drain(&chain.rig);
    CHECK_INT(chain.left, -1);
    rig_end(&chain.rig);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A server that says the same to each connection, in a process of its own. */
static pid_t serve(int listener, const char *reply)
{
    pid_t pid = fork();
    char bytes[4096];

    while (pid == 0) {
        int fd = accept(listener, NULL, NULL);

        if (fd < 0 || recv(fd, bytes, sizeof bytes, 0) <= 0)
            continue;
        send(fd, reply, strlen(reply), MSG_NOSIGNAL);
        close(fd);
    }
    return pid;
}

/* Once with the n-th allocation failing.  Returns: KP_OK: there were no more than n. */
static enum kp_err fire_with(int64_t n, const struct kp_handler *handler, struct rig_result *result)
{
    static const struct kp_env_var env[] = {{.name = {"X", 1}, .value = {"y", 1}}};
    struct fake_alloc state = {.fail_at = n};
    enum kp_err err;
    struct rig rig;

    rig_init(&rig, "1.36", handler);
    rig_end(&rig);
    if (handler->grpc) /* it dials until then */
        rig.attempt.timeout_ns = KP_NS_PER_S / 5;
    rig.container.env = env;
    rig.container.env_count = 1;
    err = rig_fire_with(&rig, &state);
    CHECK_INT(state.live, 0);
    CHECK_INT(rig.result.count, err == KP_OK);
    *result = rig.result;
    return state.calls > n ? KP_ENOMEM : err;
}

/* Every allocation fails once: an error, or the right result; nothing lost, nothing cut short. */
static void memory_may_run_out(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"echo $(X); echo z >&2", 21}};
    static const struct kp_exec_action exec = {{words, 3}};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action tcp = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_grpc_action grpc = {0};
    const struct kp_handler kinds[] = {
        {.exec = &exec}, {.http_get = &get}, {.tcp_socket = &tcp}, {.grpc = &grpc}};
    const char *const outputs[] = {"y\nz\n", "fine", "", "timeout: failed to connect service "};
    int listener = rig_listen(&get.port.number);
    pid_t server = serve(listener, "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 4\r\n\r\nfine");

    tcp.port.number = grpc.port = get.port.number;
    for (size_t kind = 0; kind < 4; kind++) {
        struct rig_result result = {0};
        enum kp_err err = KP_ENOMEM;

        for (int64_t n = 0; err != KP_OK && n < 200; n++) {
            err = fire_with(n, &kinds[kind], &result);
            if (result.count > 0 && result.answer == KP_ANSWER_ERROR)
                CHECK_STRING(result.output, "out of memory");
            else if (result.count > 0)
                CHECK(strncmp(result.output, outputs[kind], strlen(outputs[kind])) == 0);
        }
        CHECK_INT(err, KP_OK);
        CHECK_INT(result.answer, kinds[kind].grpc ? KP_ANSWER_FAILURE : KP_ANSWER_SUCCESS);
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    close(listener);
}

const struct unit_test handlers_test[] = {
    {"of two addresses the first is reported", of_two_addresses_the_first_is_reported},
    {"what is wrong with an address is reported", what_is_wrong_with_an_address_is_reported},
    {"of two addresses one is enough", of_two_addresses_one_is_enough},
    {"the other end is the address that answered", the_other_end_is_the_address_that_answered},
    {"the other kind of address comes 300 ms later", the_other_kind_of_address_comes_300_ms_later},
    {"timeouts are exact to 2 ms", timeouts_are_exact_to_2_ms},
    {"a cancelled attempt says nothing and leaves nothing",
     a_cancelled_attempt_says_nothing_and_leaves_nothing},
    {"what another process holds open is watched no more",
     what_another_process_holds_open_is_watched_no_more},
    {"a command that somebody else reaped is an error",
     a_command_that_somebody_else_reaped_is_an_error},
    {"a name that nobody resolves holds no other probe up",
     a_name_that_nobody_resolves_holds_no_other_probe_up},
    {"attempts begin from inside an answer", attempts_begin_from_inside_an_answer},
    {"memory may run out", memory_may_run_out},
    {0},
};
