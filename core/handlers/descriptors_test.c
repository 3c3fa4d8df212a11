/* descriptors_test.c: what the descriptors of attempts in flight are like. */
#include "fakes/rig.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { FDS = 256 };

static void note_open(bool open[FDS])
{
    for (int fd = 0; fd < FDS; fd++)
        open[fd] = fcntl(fd, F_GETFD) >= 0;
}

/* Returns: how many there are besides those. */
static int check_new(const char *name, const bool before[FDS])
{
    int count = 0;

    for (int fd = 0; fd < FDS; fd++) {
        struct stat about;

        if (before[fd] || fstat(fd, &about) != 0)
            continue;
        count++;
        if (!CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC) ||
            (!CHECK(fcntl(fd, F_GETFL) & O_NONBLOCK ||
                    !(S_ISSOCK(about.st_mode) || S_ISFIFO(about.st_mode)))))
            printf("  %s: descriptor %d\n", name, fd);
    }
    return count;
}

/* A command of another attempt, or one of the program's own, would hold them open; and a set that
 * waits for one of them is deaf to all others. */
static void no_child_inherits_them_and_none_blocks(void)
{
    static const struct kp_text words[] = {{"sleep", 5}, {"30", 2}};
    static const struct kp_exec_action exec = {{words, 2}};
    struct kp_tcp_socket_action tcp = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action named = {.host = KP_TEXT("localhost")};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_http_get_action tls = {.scheme = KP_TEXT("HTTPS")};
    struct kp_grpc_action grpc = {0};
    const struct {
        const char *name;
        struct kp_handler handler;
        int descriptors;
    } rows[] = {{"tcp", {.tcp_socket = &tcp}, 1}, {"a name", {.tcp_socket = &named}, 1},
                {"http", {.http_get = &get}, 1},  {"https", {.http_get = &tls}, 1},
                {"grpc", {.grpc = &grpc}, 1},     {"exec", {.exec = &exec}, 2}};
    int waiting;
    int full = rig_listen_full(&tcp.port.number, &waiting);
    int silent = rig_listen(&get.port.number);

    named.port = tcp.port;
    tls.port = get.port;
    grpc.port = get.port.number;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool open[FDS];
        struct rig rig;

        rig_init(&rig, "1.36", &rows[i].handler);
        note_open(open);
        rig_clock_set(RIG_CLOCK_LEAPS);
        rig_start(&rig);
        for (int k = 0; k < 20; k++)
            kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
        CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
        CHECK(check_new(rows[i].name, open) >= rows[i].descriptors);
        rig_clock_set(RIG_CLOCK_RUNS);
        rig_end(&rig);
    }
    close(waiting);
    close(full);
    close(silent);
}

static void nor_does_it_inherit_a_sets_own(void)
{
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){0});
    CHECK(fcntl(kp_handlers_fd(rig.handlers), F_GETFD) & FD_CLOEXEC);
    rig_end(&rig);
}

const struct unit_test descriptors_test[] = {
    {"no child inherits them and none blocks", no_child_inherits_them_and_none_blocks},
    {"nor does it inherit a set's own", nor_does_it_inherit_a_sets_own},
    {0},
};
