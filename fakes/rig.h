/*
 * rig.h: what the tests of handlers share: one probe, a set that fires it, and the result.
 */
#pragma once

#include "core/handlers/handler.h"
#include "fakes/alloc.h"
#include "fakes/rig_clock.h"
#include "fakes/unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Everything takes longer, and more memory. */
static inline bool rig_is_simulated(void)
{
    return getenv("UNDER_VALGRIND") != NULL;
}

enum { RIG_FOLDER = 256 };

/* An empty folder below $TMPDIR, or /tmp; false: it cannot be made. */
static inline bool rig_make_folder(char path[RIG_FOLDER])
{
    const char *base = getenv("TMPDIR");

    snprintf(path, RIG_FOLDER, "%s/probetest.XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(path) != NULL;
}

struct rig_result {
    size_t count;
    enum kp_answer answer;
    size_t len; /* of the output; what is kept of it is ended by a zero byte */
    char output[256];
    char end[160];          /* its last bytes */
    const char *class_word; /* NULL: none */
    int32_t code;
    int64_t took_ns; /* the longest */
};

struct rig {
    struct fake_alloc memory;
    struct kp_mem mem; /* counts in memory */
    struct kp_profile profile;
    struct kp_container container;
    struct kp_probe probe;
    struct kp_attempt attempt;
    struct kp_handlers *handlers;
    struct rig_result result;
    size_t open_before;
};

static inline void rig_note(void *ctx, const struct kp_attempt_result *result)
{
    struct rig_result *noted = ctx;
    size_t len =
        result->output.len < sizeof noted->output ? result->output.len : sizeof noted->output - 1;

    noted->count++;
    noted->answer = result->answer;
    noted->class_word = result->class_word;
    noted->code = result->code;
    noted->len = result->output.len;
    if (len > 0)
        memcpy(noted->output, result->output.bytes, len);
    noted->output[len] = '\0';
    len = result->output.len < sizeof noted->end ? result->output.len : sizeof noted->end - 1;
    if (len > 0)
        memcpy(noted->end, result->output.bytes + result->output.len - len, len);
    noted->end[len] = '\0';
    if (result->took_ns > noted->took_ns)
        noted->took_ns = result->took_ns;
}

static inline size_t rig_count_entries(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

/* A probe whose attempts end by themselves, unless rig->attempt.timeout_ns is set. */
static inline void rig_init(struct rig *rig, const char *version, const struct kp_handler *handler)
{
    *rig = (struct rig){.memory = {.fail_at = FAKE_ALLOC_NEVER}, .container = {.kind = KP_REGULAR}};
    rig->mem = fake_alloc_mem(&rig->memory);
    CHECK_INT(kp_profile_init(&rig->profile, kp_text_of(version)), KP_OK);
    rig->probe = (struct kp_probe){.handler = *handler, .timeout_s = 1};
    rig->attempt = (struct kp_attempt){.profile = &rig->profile,
                                       .probe = &rig->probe,
                                       .container = &rig->container,
                                       .pod_ip = KP_TEXT("127.0.0.1"),
                                       .timeout_ns = RIG_PATIENCE_NS,
                                       .finished = rig_note,
                                       .ctx = &rig->result};
    rig->open_before = rig_count_entries("/proc/self/fd");
    CHECK_INT(kp_handlers_new(&rig->mem, &rig->handlers), KP_OK);
}

static inline kp_attempt_id rig_start(struct rig *rig)
{
    kp_attempt_id id = 0;

    CHECK_INT(kp_handlers_start(rig->handlers, &rig->attempt, &id), KP_OK);
    return id;
}

/* Until nothing is in flight; what never ends is red, and holds nobody up for ever. */
static inline void rig_drain(struct rig *rig)
{
    int64_t until_ns = kp_handlers_now_ns() + RIG_PATIENCE_NS;

    while (kp_handlers_in_flight(rig->handlers) > 0 && kp_handlers_now_ns() < until_ns)
        kp_handlers_step(rig->handlers, until_ns);
    CHECK_INT(kp_handlers_in_flight(rig->handlers), 0);
}

/*
 * Once, in a set of its own that has its memory from `state`; all of it is given back.
 *
 * Returns: KP_OK: the answer was reported; else nothing was begun.
 */
static inline enum kp_err rig_fire_with(struct rig *rig, struct fake_alloc *state)
{
    struct kp_handlers *handlers = NULL;
    kp_attempt_id id;
    enum kp_err err;

    rig->mem = fake_alloc_mem(state);
    err = kp_handlers_new(&rig->mem, &handlers);
    if (err == KP_OK)
        err = kp_handlers_start(handlers, &rig->attempt, &id);
    while (handlers && kp_handlers_in_flight(handlers) > 0)
        kp_handlers_step(handlers, KP_NEVER);
    kp_handlers_free(handlers);
    return err;
}

/* No descriptor is left, and no memory. */
static inline void rig_end(struct rig *rig)
{
    kp_handlers_free(rig->handlers);
    CHECK_INT(rig->memory.live, 0);
    CHECK_INT(rig_count_entries("/proc/self/fd"), rig->open_before);
}

/* A port whose connections are taken by the kernel and by nobody else. */
static inline int rig_listen(int32_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(listen(fd, 4096), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* The same, but its queue is full: a connection to it is under way for a second at least. *waiting:
 * who fills the queue. */
static inline int rig_listen_full(int32_t *port, int *waiting)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = rig_listen(port);

    CHECK_INT(listen(fd, 0), 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)*port);
    *waiting = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_INT(connect(*waiting, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/*
 * Who was killed is dead when the machine has come to it, and is waited for: what a test before
 * this one left is then not taken for this one's.
 */
static inline bool rig_no_child_is_left(void)
{
    const struct timespec nap = {.tv_nsec = 10 * KP_NS_PER_MS};

    for (int i = 0; i < 500; i++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0)
            return errno == ECHILD;
        if (pid == 0)
            nanosleep(&nap, NULL);
    }
    return false;
}

/* ---- a peer ---------------------------------------------------------------------------------- */

/* What a peer does behind its reply. */
enum rig_then { RIG_CLOSES, RIG_RESETS, RIG_STAYS };

/* HTTP/2's SETTINGS; a client of gRPC calls once it has them. */
#define RIG_H2_SETTINGS "\0\0\0\4\0\0\0\0\0"

static inline void rig_reply(int fd, struct kp_text reply, enum rig_then then)
{
    static char request[65536];
    const struct kp_text settings = KP_TEXT(RIG_H2_SETTINGS);
    const struct linger at_once = {.l_onoff = 1};
    const struct timespec nap = {.tv_nsec = 50 * KP_NS_PER_MS};

    recv(fd, request, sizeof request, 0);
    if (reply.len > settings.len && memcmp(reply.bytes, settings.bytes, settings.len) == 0) {
        send(fd, settings.bytes, settings.len, MSG_NOSIGNAL);
        recv(fd, request, sizeof request, 0);
        reply = (struct kp_text){reply.bytes + settings.len, reply.len - settings.len};
    }
    send(fd, reply.bytes, reply.len, MSG_NOSIGNAL);
    if (then == RIG_RESETS) {
        nanosleep(&nap, NULL); /* what was said has been read */
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    } else {
        if (then == RIG_CLOSES)
            shutdown(fd, SHUT_WR);
        while (recv(fd, request, sizeof request, 0) > 0)
            ;
    }
    close(fd);
}

/* In a process of its own: it says the same to each connection, after a request, and ends it. */
static inline pid_t rig_serve(int listener, struct kp_text reply, enum rig_then then)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        rig_reply(accept(listener, NULL, NULL), reply, then);
}

static inline void rig_end_peer(pid_t peer, int listener)
{
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    close(listener);
}

/* What a gRPC server replies to a health check: SETTINGS, a head, a message, trailers. */
#define RIG_H2_HEAD                                                                                \
    "\0\0\x14\1\4\0\0\0\1\x88\x0f\x10\x10"                                                         \
    "application/grpc"
#define RIG_H2_SERVING "\0\0\7\0\0\0\0\0\1\0\0\0\0\2\x08\1"
#define RIG_H2_TRAILERS                                                                            \
    "\0\0\x0f\1\5\0\0\0\1\0\x0bgrpc-status\1"                                                      \
    "0"

/* The next connection of an attempt under way; -1: it made none. */
static inline int rig_accept(struct rig *rig, int server)
{
    struct pollfd fd = {.fd = server, .events = POLLIN};

    while (poll(&fd, 1, 0) == 0 && kp_handlers_in_flight(rig->handlers) > 0)
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    return fd.revents ? accept(server, NULL, NULL) : -1;
}
