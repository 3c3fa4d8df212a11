/*
 * handlers.c: what a real probe costs on loopback: through the handlers, beside plain sockets in a
 * loop of the same kind (or a plain spawn) that send and read the same, and the curl command.  The
 * server is a process of its own and does as little as can be.  `against ADAPTER`: beside the
 * kubelet's own handlers (make bench K8S=1.36).
 */
#define _GNU_SOURCE
#include "conformance/text/arena.h"
#include "core/handlers/handler.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 64
#define SILENT_PROBES 2000
#define PROBES 4000 /* a round of one kind */
#define ROUNDS 5

extern char **environ;

static const struct kp_mem *mem;

/* ---- the server ------------------------------------------------------------------------------ */

static const char http_reply[] =
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
/* HEADERS, DATA with SERVING, trailers with status 0. */
static const char grpc_reply[] = "\0\0\24\1\4\0\0\0\1\210\17\20\20application/grpc"
                                 "\0\0\7\0\0\0\0\0\1\0\0\0\0\2\10\1"
                                 "\0\0\17\1\5\0\0\0\1\0\13grpc-status\0010";

enum { HTTP, TCP, GRPC, EXEC, KINDS };

static int listen_somewhere(int32_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 4096) != 0 || getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        perror("bench: listen");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return fd;
}

/* Is the end of a request among these frames?  Each write of a client's begins with one. */
static bool has_asked(const unsigned char *bytes, size_t len)
{
    size_t at = len > 24 && memcmp(bytes, "PRI ", 4) == 0 ? 24 : 0;

    while (at + 9 <= len) {
        size_t payload = (size_t)bytes[at] << 16 | (size_t)bytes[at + 1] << 8 | bytes[at + 2];

        if (bytes[at + 3] == 0 && (bytes[at + 4] & 1))
            return true;
        at += 9 + payload;
    }
    return false;
}

/* A read, an answer; a client of gRPC is the one that closes. */
static void answer(int fd, int kind, bool is_first)
{
    unsigned char bytes[4096];
    ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (got > 0 && kind == GRPC) {
        if (is_first)
            send(fd, SETTINGS, sizeof SETTINGS - 1, MSG_NOSIGNAL);
        if (has_asked(bytes, (size_t)got))
            send(fd, grpc_reply, sizeof grpc_reply - 1, MSG_NOSIGNAL);
        return;
    }
    if (got > 0 && kind == HTTP)
        send(fd, http_reply, sizeof http_reply - 1, MSG_NOSIGNAL);
    close(fd);
}

static void watch(int epoll_fd, int fd, int kind)
{
    struct epoll_event event = {.events = EPOLLIN,
                                .data = {.u64 = (uint64_t)fd << 8 | (uint64_t)kind}};

    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void serve(const int *listeners)
{
    static bool is_first[65536];
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    for (int kind = 0; kind < EXEC; kind++)
        watch(epoll_fd, listeners[kind], kind | 16);
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll_fd, events, 64, -1);

        for (int i = 0; i < count; i++) {
            int fd = (int)(events[i].data.u64 >> 8);
            int kind = (int)(events[i].data.u64 & 15);

            if (events[i].data.u64 & 16) {
                int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

                if (accepted >= 0 && accepted < 65536) {
                    is_first[accepted] = true;
                    watch(epoll_fd, accepted, kind);
                }
                continue;
            }
            answer(fd, kind, is_first[fd]);
            is_first[fd] = false;
        }
    }
}

static pid_t start_server(int32_t *ports)
{
    int listeners[EXEC];
    pid_t pid;

    for (int kind = 0; kind < EXEC; kind++)
        listeners[kind] = listen_somewhere(&ports[kind]);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listeners);
    }
    for (int kind = 0; kind < EXEC; kind++)
        close(listeners[kind]);
    return pid;
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct cost {
    int64_t wall_ns;
    int64_t cpu_ns; /* of this process alone */
};

static struct cost cost_now(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (struct cost){kp_handlers_now_ns(),
                         (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * KP_NS_PER_S +
                             (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000};
}

/* Since then, of a core, each. */
static double us_since(struct cost before, int count)
{
    return (double)(cost_now().cpu_ns - before.cpu_ns) / 1e3 / count;
}

static void report(const char *what, struct cost before, int count)
{
    double wall_s = (double)(cost_now().wall_ns - before.wall_ns) / 1e9;
    double cpu_us = us_since(before, count);

    printf("  %-24s %8.0f a second", what, count / wall_s);
    if (cpu_us > 1)
        printf("   %6.1f us of this core each", cpu_us);
    putchar('\n');
}

/* ---- through the handlers -------------------------------------------------------------------- */

struct run {
    struct kp_handlers *handlers;
    struct kp_attempt attempt;
    int left;
    int failed;
};

static void begin_one(struct run *run)
{
    kp_attempt_id id;

    if (run->left-- > 0 && kp_handlers_start(run->handlers, &run->attempt, &id) != KP_OK)
        run->failed++;
}

static void on_finished(void *ctx, const struct kp_attempt_result *result)
{
    struct run *run = ctx;

    run->failed += result->answer != KP_ANSWER_SUCCESS;
    begin_one(run);
}

/* Returns: us of a core, each. */
static double run_handlers(const struct kp_profile *profile, const struct kp_probe *probe,
                           int count)
{
    static const struct kp_container container = {.kind = KP_REGULAR};
    struct run run = {.left = count};
    struct cost before;
    double us;

    run.attempt = (struct kp_attempt){.profile = profile,
                                      .probe = probe,
                                      .container = &container,
                                      .pod_ip = KP_TEXT("127.0.0.1"),
                                      .finished = on_finished,
                                      .ctx = &run};
    if (kp_handlers_new(mem, &run.handlers) != KP_OK)
        exit(1);
    before = cost_now();
    for (int i = 0; i < AT_ONCE; i++)
        begin_one(&run);
    while (kp_handlers_in_flight(run.handlers) > 0)
        kp_handlers_step(run.handlers, KP_NEVER);
    us = us_since(before, count);
    if (run.failed > 0)
        printf("  %d of them failed\n", run.failed);
    kp_handlers_free(run.handlers);
    return us;
}

/* ---- bare ------------------------------------------------------------------------------------ */

/* What is sent, one after another, each but the first once something came. */
struct script {
    struct kp_text says[2];
    int count;
};

#define BYTES(literal)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define CALL                                                                                       \
    "\0\0\200\1\4\0\0\0\1................................................................"         \
    "................................................................"
/* The requests that the handlers send, or others as long. */
static const struct script scripts[] = {
    [HTTP] = {{BYTES("GET / HTTP/1.1\r\nHost: 127.0.0.1:12345\r\nUser-Agent: kube-probe/1.36\r\n"
                     "Accept: */*\r\nConnection: close\r\n\r\n")},
              1},
    [TCP] = {.count = 0},
    [GRPC] = {{BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" SETTINGS),
               BYTES(CALL "\0\0\5\0\1\0\0\0\1\0\0\0\0\0" SETTINGS)},
              2},
};

/* The same exchange with sockets alone, as many at once, in a loop of its own. */
struct plain {
    const struct script *script;
    struct sockaddr_in to;
    int epoll_fd;
    int left;
    int in_flight;
    int said[65536]; /* by descriptor */
};

static void begin_plain(struct plain *plain)
{
    int fd;
    struct epoll_event event = {.events = EPOLLOUT};

    if (plain->left-- <= 0)
        return;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || fd >= 65536) {
        perror("bench: socket");
        exit(1);
    }
    (void)!connect(fd, (struct sockaddr *)&plain->to, sizeof plain->to);
    event.data.fd = fd;
    epoll_ctl(plain->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    plain->said[fd] = 0;
    plain->in_flight++;
}

static void turn_plain(struct plain *plain, int fd)
{
    const struct script *script = plain->script;
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    char bytes[4096];

    if (plain->said[fd] > 0 && recv(fd, bytes, sizeof bytes, 0) < 0)
        return;
    if (plain->said[fd] < script->count) {
        struct kp_text text = script->says[plain->said[fd]];

        (void)!send(fd, text.bytes, text.len, MSG_NOSIGNAL);
        if (plain->said[fd]++ == 0)
            epoll_ctl(plain->epoll_fd, EPOLL_CTL_MOD, fd, &event);
        return;
    }
    close(fd);
    plain->in_flight--;
    begin_plain(plain);
}

static double run_sockets(int32_t port, int kind, int count)
{
    static struct plain plain;
    struct cost before = cost_now();

    plain.script = &scripts[kind];
    plain.to = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    plain.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    plain.left = count;
    for (int i = 0; i < AT_ONCE; i++)
        begin_plain(&plain);
    while (plain.in_flight > 0) {
        struct epoll_event events[256];
        int ready = epoll_wait(plain.epoll_fd, events, 256, -1);

        for (int i = 0; i < ready; i++)
            turn_plain(&plain, events[i].data.fd);
    }
    close(plain.epoll_fd);
    return us_since(before, count);
}

/* By turns, so that what else the machine does meets both; the cheapest round of each counts. */
static void compare(const struct kp_profile *profile, const struct kp_probe *probe, int32_t port,
                    int kind, double bound)
{
    double ours = 1e9;
    double bare = 1e9;

    for (int i = 0; i < ROUNDS; i++) {
        double us = run_handlers(profile, probe, PROBES);

        ours = us < ours ? us : ours;
        us = run_sockets(port, kind, PROBES);
        bare = us < bare ? us : bare;
    }
    printf("  handlers %.1f us of this core each, plain sockets %.1f: %.2f times, at most %.2f\n",
           ours, bare, ours / bare, bound);
}

/* The kubelet's own handlers, in Go: `ADAPTER bench KIND PORT COUNT` (own_bench.go). */
static double run_adapter(const char *adapter, const char *kind, int32_t port)
{
    char command[4096];
    double us = 0;
    int failed = -1;
    FILE *said;

    snprintf(command, sizeof command, "%s bench %s %d %d", adapter, kind, (int)port, PROBES);
    said = popen(command, "r");
    if (!said || fscanf(said, "%lf %d", &us, &failed) != 2 || failed != 0) {
        fprintf(stderr, "bench: `%s` has failed\n", command);
        exit(1);
    }
    pclose(said);
    return us;
}

static void compare_with(const char *adapter, const struct kp_profile *profile,
                         const struct kp_probe *probes, const int32_t *ports)
{
    static const char *const kinds[] = {[HTTP] = "http", [TCP] = "tcp", [GRPC] = "grpc"};

    for (int kind = 0; kind < EXEC; kind++) {
        double ours = 1e9;
        double theirs = 1e9;

        for (int i = 0; i < ROUNDS; i++) {
            double us = run_handlers(profile, &probes[kind], PROBES);

            ours = us < ours ? us : ours;
            us = run_adapter(adapter, kinds[kind], ports[kind]);
            theirs = us < theirs ? us : theirs;
        }
        printf("%s: the kubelet's own in Go %.1f us of a core each, handlers %.1f: %.1f times, at "
               "least 2\n",
               kinds[kind], theirs, ours, theirs / ours);
    }
}

static void run_command(const char *what, const char *const *argv, int count)
{
    struct cost before = cost_now();

    for (int i = 0; i < count; i++) {
        pid_t pid;

        if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ) != 0)
            return;
        waitpid(pid, NULL, 0);
    }
    before.cpu_ns = cost_now().cpu_ns; /* what it costs here says nothing */
    report(what, before, count);
}

static void run_curl(int32_t port)
{
    char url[64];
    const char *const argv[] = {"curl", "-s", "-o", "/dev/null", url, NULL};

    snprintf(url, sizeof url, "http://127.0.0.1:%d/", (int)port);
    run_command("the curl command", argv, 50);
}

/* ---- in flight ------------------------------------------------------------------------------- */

/* How late things were reported: all of them, in the order of their lateness. */
struct lateness {
    int64_t due_ns[SILENT_PROBES];
    int64_t late_ns[SILENT_PROBES];
    int count;
};

static void note_lateness(struct lateness *lateness, int64_t due_ns)
{
    lateness->late_ns[lateness->count++] = kp_handlers_now_ns() - due_ns;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void report_lateness(const char *what, struct lateness *lateness)
{
    qsort(lateness->late_ns, (size_t)lateness->count, sizeof *lateness->late_ns, compare_ns);
    printf("  %-24s median %.2f ms late, 99 %% within %.2f, all within %.2f\n", what,
           (double)lateness->late_ns[lateness->count / 2] / 1e6,
           (double)lateness->late_ns[lateness->count * 99 / 100] / 1e6,
           (double)lateness->late_ns[lateness->count - 1] / 1e6);
}

struct silent {
    struct lateness lateness;
    struct kp_handlers *handlers;
};

static struct silent silent;

static void on_timeout(void *ctx, const struct kp_attempt_result *result)
{
    (void)result;
    note_lateness(&silent.lateness, *(int64_t *)ctx);
}

static void measure_silence(const char *what, const struct kp_profile *profile,
                            const struct kp_probe *probe)
{
    static const struct kp_container container = {.kind = KP_REGULAR};
    struct kp_attempt attempt = {.profile = profile,
                                 .probe = probe,
                                 .container = &container,
                                 .pod_ip = KP_TEXT("127.0.0.1"),
                                 .finished = on_timeout};
    struct mallinfo2 before = mallinfo2();
    kp_attempt_id id;

    silent.lateness.count = 0;
    if (kp_handlers_new(mem, &silent.handlers) != KP_OK)
        exit(1);
    for (int i = 0; i < SILENT_PROBES; i++) {
        attempt.ctx = &silent.lateness.due_ns[i];
        silent.lateness.due_ns[i] = kp_handlers_now_ns() + probe->timeout_s * KP_NS_PER_S;
        if (kp_handlers_start(silent.handlers, &attempt, &id) != KP_OK)
            exit(1);
    }
    kp_handlers_step(silent.handlers, kp_handlers_now_ns() + 500 * KP_NS_PER_MS);
    printf("  %d %s probes that nobody answers: %.1f KiB each, at most 8\n", SILENT_PROBES, what,
           (double)(mallinfo2().uordblks - before.uordblks) / SILENT_PROBES / 1024);
    while (kp_handlers_in_flight(silent.handlers) > 0)
        kp_handlers_step(silent.handlers, KP_NEVER);
    report_lateness("their timeouts", &silent.lateness);
    kp_handlers_free(silent.handlers);
}

/* What the machine does with a bare timer at each of the same intervals. */
static void measure_timers(void)
{
    static struct lateness timers;
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int64_t shift_ns = kp_handlers_now_ns() + KP_NS_PER_S - silent.lateness.due_ns[0];

    timers.count = 0;
    for (int i = 0; i < SILENT_PROBES; i++) {
        struct itimerspec at = {{0, 0}, {0, 0}};
        struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = (uint64_t)i}};
        int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

        timers.due_ns[i] = silent.lateness.due_ns[i] + shift_ns;
        at.it_value.tv_sec = timers.due_ns[i] / KP_NS_PER_S;
        at.it_value.tv_nsec = timers.due_ns[i] % KP_NS_PER_S;
        timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
        event.events |= EPOLLONESHOT;
        epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
    }
    while (timers.count < SILENT_PROBES) {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll_fd, events, 256, -1);

        for (int i = 0; i < ready; i++)
            note_lateness(&timers, timers.due_ns[events[i].data.u64]);
    }
    report_lateness("bare timerfds", &timers);
}

/* Is this section wanted?  Its name as the only argument chooses one. */
static bool section(int argc, char **argv, const char *name)
{
    if (argc > 1 && strcmp(argv[1], name) != 0)
        return false;
    puts(name);
    return true;
}

int main(int argc, char **argv)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    int32_t ports[EXEC];
    int silence;
    pid_t server = start_server(ports);
    struct kp_http_get_action get = {.port = {.number = ports[HTTP]}};
    struct kp_tcp_socket_action tcp = {.port = {.number = ports[TCP]}};
    struct kp_grpc_action grpc = {.port = ports[GRPC]};
    struct kp_probe probes[KINDS] = {
        [HTTP] = {.handler = {.http_get = &get}, .timeout_s = 5},
        [TCP] = {.handler = {.tcp_socket = &tcp}, .timeout_s = 5},
        [GRPC] = {.handler = {.grpc = &grpc}, .timeout_s = 5},
        [EXEC] = {.handler = {.exec = &exec}, .timeout_s = 5},
    };
    const char *const true_command[] = {"true", NULL};
    struct kp_profile profile;

    mem = cf_libc_mem();
    if (kp_profile_init(&profile, KP_TEXT("1.36")) != KP_OK)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 2 && strcmp(argv[1], "against") == 0)
        compare_with(argv[2], &profile, probes, ports);
    if (section(argc, argv, "http")) {
        compare(&profile, &probes[HTTP], ports[HTTP], HTTP, 1.15);
        run_curl(ports[HTTP]);
    }
    if (section(argc, argv, "tcp"))
        compare(&profile, &probes[TCP], ports[TCP], TCP, 1.15);
    if (section(argc, argv, "grpc"))
        compare(&profile, &probes[GRPC], ports[GRPC], GRPC, 1.40);
    if (section(argc, argv, "exec")) {
        struct cost before = cost_now();

        run_handlers(&profile, &probes[EXEC], 500);
        report("handlers, 64 at once", before, 500);
        run_command("plain spawn, by turns", true_command, 500);
    }
    silence = listen_somewhere(&get.port.number);
    grpc.port = get.port.number;
    if (section(argc, argv, "in flight")) {
        probes[HTTP].timeout_s = probes[GRPC].timeout_s = 2;
        measure_silence("http", &profile, &probes[HTTP]);
        measure_silence("grpc", &profile, &probes[GRPC]);
        measure_timers();
    }
    close(silence);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}
