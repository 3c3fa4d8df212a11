#include "handler.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 2000 /* a fortieth of it under valgrind */

static struct kp_profile newest(void)
{
    struct kp_profile profile;

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    return profile;
}

/* A port whose connections are taken by the kernel and by nobody else. */
static int listen_somewhere(int32_t *port)
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

static size_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

struct told {
    size_t count;
    enum kp_answer answer;
    char output[256];
    int64_t took_ns;
};

static void note(void *ctx, const struct kp_attempt_result *result)
{
    struct told *told = ctx;
    size_t len = result->output.len < 255 ? result->output.len : 255;

    told->count++;
    told->answer = result->answer;
    memcpy(told->output, result->output.bytes, len);
    told->output[len] = '\0';
    if (result->took_ns > told->took_ns)
        told->took_ns = result->took_ns;
}

static void many_are_in_flight_in_one_thread(void)
{
    struct rlimit files = {0};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_probe probe = {.handler = {.http_get = &get}, .timeout_s = 1};
    struct told told = {0};
    struct kp_attempt attempt = {.profile = &profile,
                                 .probe = &probe,
                                 .container = &container,
                                 .pod_ip = KP_TEXT("127.0.0.1"),
                                 .timeout_ns = (getenv("UNDER_VALGRIND") ? 20 : 2) * KP_NS_PER_S,
                                 .finished = note,
                                 .ctx = &told};
    size_t open_before = count_entries("/proc/self/fd");
    size_t threads = count_entries("/proc/self/task");
    struct kp_handlers *handlers;
    size_t started = 0;
    int server = listen_somewhere(&get.port.number);
    kp_attempt_id id;

    getrlimit(RLIMIT_NOFILE, &files);
    CHECK_INT(kp_handlers_new(&mem, &handlers), KP_OK);
    while (started < (getenv("UNDER_VALGRIND") ? MANY / 40 : MANY) &&
           started + 100 < files.rlim_cur && kp_handlers_start(handlers, &attempt, &id) == KP_OK)
        started++;
    CHECK_INT(kp_handlers_in_flight(handlers), started);
    kp_handlers_step(handlers, kp_handlers_now_ns() + 50 * KP_NS_PER_MS);
    CHECK_INT(told.count, 0);
    CHECK_INT(count_entries("/proc/self/task"), threads);
    while (kp_handlers_in_flight(handlers) > 0)
        kp_handlers_step(handlers, KP_NEVER);
    CHECK_INT(told.count, started);
    CHECK_INT(told.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(told.output, "(Client.Timeout exceeded while awaiting headers)") != NULL);
    CHECK(told.took_ns >= attempt.timeout_ns);
    kp_handlers_free(handlers);
    close(server);
    CHECK_INT(count_entries("/proc/self/fd"), open_before);
}

static void a_cancelled_attempt_says_nothing_and_leaves_nothing(void)
{
    static const struct kp_text words[] = {{"sleep", 5}, {"30", 2}};
    static const struct kp_exec_action exec = {{words, 2}};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_probe probe = {.handler = {.exec = &exec}, .timeout_s = 30};
    struct told told = {0};
    struct kp_attempt attempt = {.profile = &profile,
                                 .probe = &probe,
                                 .container = &container,
                                 .finished = note,
                                 .ctx = &told};
    size_t open_before = count_entries("/proc/self/fd");
    struct kp_handlers *handlers;
    kp_attempt_id id;

    CHECK_INT(kp_handlers_new(&mem, &handlers), KP_OK);
    if (!CHECK_INT(kp_handlers_start(handlers, &attempt, &id), KP_OK))
        return;
    kp_handlers_cancel(handlers, id);
    kp_handlers_cancel(handlers, id);
    CHECK_INT(kp_handlers_in_flight(handlers), 0);
    CHECK_INT(kp_handlers_step(handlers, kp_handlers_now_ns()), 0);
    CHECK_INT(told.count, 0);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
    kp_handlers_free(handlers);
    CHECK_INT(count_entries("/proc/self/fd"), open_before);
}

/* As a child does between its exec and the closing of what it does not keep. */
static void what_another_process_holds_open_is_watched_no_more(void)
{
    static const struct kp_text words[] = {{"sleep", 5}, {"30", 2}};
    static const struct kp_exec_action exec = {{words, 2}};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_probe probe = {.handler = {.exec = &exec}, .timeout_s = 30};
    struct told told = {0};
    struct kp_attempt attempt = {.profile = &profile,
                                 .probe = &probe,
                                 .container = &container,
                                 .finished = note,
                                 .ctx = &told};
    struct kp_handlers *handlers;
    struct pollfd ready = {.events = POLLIN};
    kp_attempt_id id;
    pid_t holder;

    CHECK_INT(kp_handlers_new(&mem, &handlers), KP_OK);
    CHECK_INT(kp_handlers_start(handlers, &attempt, &id), KP_OK);
    holder = fork();
    if (holder == 0) {
        pause();
        _exit(0);
    }
    CHECK(holder > 0);
    kp_handlers_cancel(handlers, id);
    ready.fd = kp_handlers_fd(handlers);
    CHECK_INT(poll(&ready, 1, 50), 0);
    CHECK_INT(kp_handlers_step(handlers, kp_handlers_now_ns()), 0);
    kp_handlers_free(handlers);
    kill(holder, SIGKILL);
    CHECK_INT(waitpid(holder, NULL, 0), holder);
}

/* Its exit code is lost then: it must not be taken for 0. */
static void a_command_that_somebody_else_reaped_is_an_error(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"exit 3", 6}};
    static const struct kp_exec_action exec = {{words, 3}};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_probe probe = {.handler = {.exec = &exec}, .timeout_s = 30};
    struct told told = {0};
    struct kp_attempt attempt = {.profile = &profile,
                                 .probe = &probe,
                                 .container = &container,
                                 .timeout_ns = 2 * KP_NS_PER_S,
                                 .finished = note,
                                 .ctx = &told};
    struct kp_handlers *handlers;
    kp_attempt_id id;

    signal(SIGCHLD, SIG_IGN);
    CHECK_INT(kp_handlers_new(&mem, &handlers), KP_OK);
    CHECK_INT(kp_handlers_start(handlers, &attempt, &id), KP_OK);
    while (kp_handlers_in_flight(handlers) > 0)
        kp_handlers_step(handlers, KP_NEVER);
    kp_handlers_free(handlers);
    signal(SIGCHLD, SIG_DFL);
    CHECK_INT(told.count, 1);
    CHECK(told.answer != KP_ANSWER_SUCCESS && told.answer != KP_ANSWER_FAILURE);
}

/* From inside `finished` another one is begun: the third attempt of an error is such a one. */
static void begin_another(void *ctx, const struct kp_attempt_result *result);

struct chain {
    struct kp_handlers *handlers;
    struct kp_attempt attempt;
    int left;
};

static void begin_another(void *ctx, const struct kp_attempt_result *result)
{
    struct chain *chain = ctx;
    kp_attempt_id id;

    CHECK_INT(result->answer, KP_ANSWER_ERROR);
    if (chain->left-- > 0)
        CHECK_INT(kp_handlers_start(chain->handlers, &chain->attempt, &id), KP_OK);
}

static void attempts_begin_from_inside_an_answer(void)
{
    static const struct kp_tcp_socket_action tcp = {
        .port = {.kind = KP_INTSTR_STRING, .string = {"nowhere", 7}}};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR};
    struct kp_probe probe = {.handler = {.tcp_socket = &tcp}, .timeout_s = 1};
    struct chain chain = {.left = 2};
    kp_attempt_id id;

    chain.attempt = (struct kp_attempt){.profile = &profile,
                                        .probe = &probe,
                                        .container = &container,
                                        .finished = begin_another,
                                        .ctx = &chain};
    CHECK_INT(kp_handlers_new(&mem, &chain.handlers), KP_OK);
    CHECK_INT(kp_handlers_start(chain.handlers, &chain.attempt, &id), KP_OK);
    while (kp_handlers_in_flight(chain.handlers) > 0)
        kp_handlers_step(chain.handlers, KP_NEVER);
    CHECK_INT(chain.left, -1);
    kp_handlers_free(chain.handlers);
}

/* Every allocation fails once: an error, or a result, and nothing lost. */
static void memory_may_run_out(void)
{
    static const struct kp_text words[] = {{"echo", 4}, {"$(X)", 4}};
    static const struct kp_exec_action exec = {{words, 2}};
    static const struct kp_env_var env[] = {{.name = {"X", 1}, .value = {"y", 1}}};
    static const struct kp_http_get_action get = {.port = {.number = 1}};
    static const struct kp_tcp_socket_action tcp = {.port = {.number = 1}};
    static const struct kp_grpc_action grpc = {.port = 1};
    const struct kp_handler kinds[] = {
        {.exec = &exec}, {.http_get = &get}, {.tcp_socket = &tcp}, {.grpc = &grpc}};
    struct kp_profile profile = newest();
    struct kp_container container = {.kind = KP_REGULAR, .env = env, .env_count = 1};

    for (size_t kind = 0; kind < 4; kind++) {
        enum kp_err err = KP_ENOMEM;

        for (int64_t n = 0; err != KP_OK && n < 200; n++) {
            struct fake_alloc state = {.fail_at = n};
            struct kp_mem mem = fake_alloc_mem(&state);
            struct kp_probe probe = {.handler = kinds[kind], .timeout_s = 1};
            struct told told = {0};
            struct kp_attempt attempt = {.profile = &profile,
                                         .probe = &probe,
                                         .container = &container,
                                         .pod_ip = KP_TEXT("127.0.0.1"),
                                         .timeout_ns = 200 * KP_NS_PER_MS,
                                         .finished = note,
                                         .ctx = &told};
            struct kp_handlers *handlers = NULL;
            kp_attempt_id id;

            err = kp_handlers_new(&mem, &handlers);
            if (err == KP_OK)
                err = kp_handlers_start(handlers, &attempt, &id);
            while (handlers && kp_handlers_in_flight(handlers) > 0)
                kp_handlers_step(handlers, KP_NEVER);
            CHECK_INT(told.count, err == KP_OK);
            kp_handlers_free(handlers);
            CHECK_INT(state.live, 0);
        }
        CHECK_INT(err, KP_OK);
    }
}

const struct unit_test handlers_test[] = {
    {"two thousand are in flight in one thread", many_are_in_flight_in_one_thread},
    {"a cancelled attempt says nothing and leaves nothing",
     a_cancelled_attempt_says_nothing_and_leaves_nothing},
    {"what another process holds open is watched no more",
     what_another_process_holds_open_is_watched_no_more},
    {"a command that somebody else reaped is an error",
     a_command_that_somebody_else_reaped_is_an_error},
    {"attempts begin from inside an answer", attempts_begin_from_inside_an_answer},
    {"memory may run out", memory_may_run_out},
    {0},
};
