/*
 * handlers.c: what a real probe costs on loopback: through the handlers, with plain sockets (or a
 * plain spawn), and with the curl command.  The server is a process of its own and does as little
 * as can be.
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
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 64
#define SILENT_PROBES 2000

extern char **environ;

static const struct kp_mem *mem;

/* ---- the server ------------------------------------------------------------------------------ */

static const char http_reply[] =
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
/* SETTINGS, its acknowledgement, HEADERS, DATA with SERVING, trailers with status 0. */
static const char grpc_reply[] = "\0\0\0\4\0\0\0\0\0"
                                 "\0\0\0\4\1\0\0\0\0"
                                 "\0\0\24\1\4\0\0\0\1\210\17\20\20application/grpc"
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

/* One read, one answer; a gRPC client is the one that closes. */
static void answer(int fd, int kind, bool answered)
{
    char bytes[4096];
    ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (got > 0 && kind == GRPC) {
        if (!answered)
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
    static bool answered[65536];
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
                    answered[accepted] = false;
                    watch(epoll_fd, accepted, kind);
                }
                continue;
            }
            answer(fd, kind, answered[fd]);
            answered[fd] = true;
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

static void report(const char *what, struct cost before, int count)
{
    struct cost now = cost_now();
    double wall_s = (double)(now.wall_ns - before.wall_ns) / 1e9;
    double cpu_us = (double)(now.cpu_ns - before.cpu_ns) / 1e3 / count;

    printf("  %-24s %8.0f a second", what, count / wall_s);
    if (cpu_us > 1)
        printf("   %6.1f us of this core each, %7.0f a second of it", cpu_us, 1e6 / cpu_us);
    putchar('\n');
}

/* ---- through the handlers -------------------------------------------------------------------- */

struct run {
    struct kp_handlers *handlers;
    struct kp_attempt attempt;
    int left;
    int failed;
    int64_t due_ns;  /* when the timeouts are */
    int64_t late_ns; /* how late the latest was told */
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
    if (run->due_ns > 0 && kp_handlers_now_ns() - run->due_ns > run->late_ns)
        run->late_ns = kp_handlers_now_ns() - run->due_ns;
    begin_one(run);
}

static void run_handlers(const struct kp_profile *profile, const struct kp_probe *probe, int count)
{
    static const struct kp_container container = {.kind = KP_REGULAR};
    struct run run = {.left = count};
    struct cost before;

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
    report("handlers, 64 at once", before, count);
    if (run.failed > 0)
        printf("  %d of them failed\n", run.failed);
    kp_handlers_free(run.handlers);
}

/* ---- bare ------------------------------------------------------------------------------------ */

static int dial(int32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_port = htons((uint16_t)port);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("bench: connect");
        exit(1);
    }
    return fd;
}

static void run_sockets(int32_t port, int kind, int count)
{
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: kube-probe/1.36\r\n"
        "Accept: */*\r\nConnection: close\r\n\r\n";
    struct cost before = cost_now();
    char bytes[4096];

    for (int i = 0; i < count; i++) {
        int fd = dial(port);

        if (kind != TCP && send(fd, request, sizeof request - 1, MSG_NOSIGNAL) > 0)
            while (recv(fd, bytes, sizeof bytes, 0) > 0 && kind == HTTP)
                ;
        close(fd);
    }
    report("plain sockets, by turns", before, count);
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

static void measure_memory(const struct kp_profile *profile, int32_t port)
{
    static const struct kp_container container = {.kind = KP_REGULAR};
    struct kp_http_get_action get = {.port = {.number = port}};
    struct kp_probe probe = {.handler = {.http_get = &get}, .timeout_s = 2};
    struct run run = {.left = 0};
    struct mallinfo2 before = mallinfo2();
    kp_attempt_id id;

    run.attempt = (struct kp_attempt){.profile = profile,
                                      .probe = &probe,
                                      .container = &container,
                                      .pod_ip = KP_TEXT("127.0.0.1"),
                                      .finished = on_finished,
                                      .ctx = &run};
    if (kp_handlers_new(mem, &run.handlers) != KP_OK)
        exit(1);
    for (int i = 0; i < SILENT_PROBES; i++)
        if (kp_handlers_start(run.handlers, &run.attempt, &id) != KP_OK)
            exit(1);
    kp_handlers_step(run.handlers, kp_handlers_now_ns() + 500 * KP_NS_PER_MS);
    printf("  %d http probes that nobody answers: %.1f KiB each\n", SILENT_PROBES,
           (double)(mallinfo2().uordblks - before.uordblks) / SILENT_PROBES / 1024);
    while (kp_handlers_in_flight(run.handlers) > 0) {
        if (kp_handlers_due_ns(run.handlers) > 0)
            run.due_ns = kp_handlers_due_ns(run.handlers);
        kp_handlers_step(run.handlers, KP_NEVER);
    }
    printf("  their timeouts were told at most %.1f ms late\n", (double)run.late_ns / 1e6);
    kp_handlers_free(run.handlers);
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
    int32_t silent;
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
    if (section(argc, argv, "http")) {
        run_handlers(&profile, &probes[HTTP], 20000);
        run_sockets(ports[HTTP], HTTP, 20000);
        run_curl(ports[HTTP]);
    }
    if (section(argc, argv, "tcp")) {
        run_handlers(&profile, &probes[TCP], 20000);
        run_sockets(ports[TCP], TCP, 20000);
    }
    if (section(argc, argv, "grpc")) {
        run_handlers(&profile, &probes[GRPC], 5000);
        run_sockets(ports[GRPC], GRPC, 5000);
    }
    if (section(argc, argv, "exec")) {
        run_handlers(&profile, &probes[EXEC], 500);
        run_command("plain spawn, by turns", true_command, 500);
    }
    listen_somewhere(&silent);
    if (section(argc, argv, "in flight"))
        measure_memory(&profile, silent);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}
