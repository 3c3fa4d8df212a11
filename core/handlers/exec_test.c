/*
 * exec_test.c: kernels that refuse: a process that may not be killed, one that does not die, no
 * descriptors of processes, reads that are interrupted.  And results of commands, to the word.
 */
#define _GNU_SOURCE /* RTLD_NEXT, syscall */
#include "fakes/rig.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    int kill_errno;  /* of all kills, which then reach nobody */
    bool undead;     /* nobody who was killed ends, as far as waitpid says */
    int pidfd_errno; /* of pidfd_open */
    size_t pidfd_calls;
    pid_t killed; /* the newest process, that is no group */
    size_t kills; /* of processes and groups */
    size_t waitid_calls;
    size_t waits;    /* for a process */
    int64_t took_ns; /* the newest attempt, with all that was done behind its answer */
    size_t turns;    /* of its loop */
    int read_errno;  /* of the next read that would find something */
} kernel;

int waitid(idtype_t kind, id_t id, siginfo_t *about, int options)
{
    static int (*real)(idtype_t, id_t, siginfo_t *, int);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "waitid");
    kernel.waitid_calls++;
    return real(kind, id, about, options);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    int waiting = 0;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    if (kernel.read_errno == 0 || ioctl(fd, FIONREAD, &waiting) != 0 || waiting == 0)
        return real(fd, bytes, size);
    errno = kernel.read_errno;
    kernel.read_errno = 0;
    return -1;
}

int kill(pid_t pid, int signal_number)
{
    static int (*real)(pid_t, int);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "kill");
    kernel.kills++;
    if (pid > 0)
        kernel.killed = pid;
    if (kernel.kill_errno != 0) {
        errno = kernel.kill_errno;
        return -1;
    }
    if (pid == 0 || pid == 1 || pid == -1) { /* no test means these */
        errno = EPERM;
        return -1;
    }
    return real(pid, signal_number);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    static pid_t (*real)(pid_t, int *, int);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "waitpid");
    kernel.waits++;
    return kernel.undead && options == WNOHANG ? 0 : real(pid, status, options);
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long words[6];
    va_list list;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_pidfd_open) {
        kernel.pidfd_calls++;
        if (kernel.pidfd_errno != 0) {
            errno = kernel.pidfd_errno;
            return -1;
        }
    }
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static const struct kp_text sleep_words[] = {{"sleep", 5}, {"30", 2}};
static const struct kp_exec_action sleep_exec = {{sleep_words, 2}};
static const struct kp_handler sleeps = {.exec = &sleep_exec};
static const struct kp_text echo_words[] = {{"sh", 2}, {"-c", 2}, {"echo a; exit 3", 14}};
static const struct kp_exec_action echo_exec = {{echo_words, 3}};
static const struct kp_handler echoes = {.exec = &echo_exec};
static const struct kp_text late_words[] = {
    {"sh", 2}, {"-c", 2}, {"sleep 0.2; echo a; exit 3", 25}};
static const struct kp_exec_action late_exec = {{late_words, 3}};
static const struct kp_handler late_echoes = {.exec = &late_exec};
static const struct kp_text silent_words[] = {
    {"sh", 2}, {"-c", 2}, {"exec >&- 2>&-; sleep 0.2; exit 3", 32}};
static const struct kp_exec_action silent_exec = {{silent_words, 3}};
static const struct kp_handler falls_silent = {.exec = &silent_exec};

/* The command that nobody could kill ends, and a turn of the loop reaps it. */
static void end_it_at_last(struct rig *rig)
{
    siginfo_t about = {0};
    pid_t pid = kernel.killed;

    CHECK(pid > 0);
    kill(pid, SIGKILL);
    CHECK_INT(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT), 0);
    kp_handlers_step(rig->handlers, kp_handlers_now_ns());
    CHECK_INT(waitpid(pid, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
    rig_end(rig);
}

/* With so long for it; 0: it ends by itself. */
static void fire(struct rig *rig, const struct kp_handler *handler, int64_t timeout_ms)
{
    int64_t began_ns;

    rig_clock_set(kernel.undead ? RIG_CLOCK_LEAPS : RIG_CLOCK_STANDS);
    rig_init(rig, "1.36", handler);
    if (timeout_ms > 0)
        rig->attempt.timeout_ns = timeout_ms * KP_NS_PER_MS;
    began_ns = kp_handlers_now_ns();
    rig_start(rig);
    rig_drain(rig);
    kernel.took_ns = kp_handlers_now_ns() - began_ns;
    kernel.turns = rig_clock_turns();
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK_INT(rig->result.count, 1);
}

/* As a command that has become another user: it is reported, not waited for, and reaped. */
static void what_may_not_be_killed_holds_nobody_up(void)
{
    struct rig rig;

    kernel.kill_errno = EPERM;
    fire(&rig, &sleeps, 100);
    CHECK_INT(rig.result.answer, KP_ANSWER_TIMEOUT);
    CHECK(kernel.took_ns < 200 * KP_NS_PER_MS);
    kernel.kill_errno = 0;
    end_it_at_last(&rig);
}

static void note_that_it_was_killed(void *ctx, const struct kp_attempt_result *result)
{
    struct rig_result *noted = ctx;

    (void)result;
    noted->count++;
    CHECK(kernel.kills > 0);
}

/* Before its result, once as a process and once as a group; one that has ended, the group. */
static void a_command_is_killed_once(void)
{
    struct rig rig;

    kernel.kills = 0;
    fire(&rig, &echoes, 0);
    CHECK_INT(kernel.kills, 2);
    rig_end(&rig);
    kernel.kills = 0;
    rig_init(&rig, "1.36", &sleeps);
    rig.attempt.timeout_ns = 100 * KP_NS_PER_MS;
    rig.attempt.finished = note_that_it_was_killed;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.count, 1);
    rig_end(&rig);
}

/* SIGCHLD is ignored: the kernel reaps what it can, and nobody learns what it ended with. */
static void who_is_reaped_by_others_is_reported(void)
{
    static const int errors[] = {0, EMFILE, ESRCH};

    signal(SIGCHLD, SIG_IGN);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct rig rig;

        kernel.pidfd_errno = errors[i];
        fire(&rig, &echoes, 0);
        CHECK_INT(rig.result.answer, KP_ANSWER_ERROR);
        CHECK_STRING(rig.result.class_word ? rig.result.class_word : "", "exec");
        CHECK_STRING(rig.result.output, "waitid: no child processes");
        rig_end(&rig);
    }
    kernel.pidfd_errno = 0;
    signal(SIGCHLD, SIG_DFL);
}

/* One that hangs in the kernel is waited for, but for a second alone, and asleep. */
static void what_does_not_die_is_not_waited_for_without_end(void)
{
    struct rig rig;

    kernel.undead = true;
    kernel.waits = 0;
    fire(&rig, &sleeps, 100);
    CHECK(kernel.waits < 6000); /* five in a millisecond, at most */
    CHECK_INT(rig.result.answer, KP_ANSWER_TIMEOUT);
    CHECK(rig.result.took_ns < 200 * KP_NS_PER_MS); /* it was reported before */
    CHECK(kernel.took_ns >= KP_NS_PER_S);
    CHECK(kernel.took_ns < 1200 * KP_NS_PER_MS);
    kernel.undead = false;
    end_it_at_last(&rig);
}

static void check_echo(struct rig *rig)
{
    CHECK_INT(rig->result.answer, KP_ANSWER_FAILURE);
    CHECK_STRING(rig->result.output, "a\n");
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    rig_end(rig);
}

/* Valgrind and kernels before 5.3 have none. */
static bool has_descriptors_of_processes(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Short of descriptors for a moment: this process is polled instead, and the next one is not. */
static void descriptors_of_processes_may_be_short(void)
{
    const bool is_old = !has_descriptors_of_processes();
    struct rig rig;

    kernel.waitid_calls = 0;
    fire(&rig, &echoes, 0); /* which finds it out */
    CHECK(is_old || kernel.waitid_calls == 0);
    check_echo(&rig);
    kernel.pidfd_errno = EMFILE;
    kernel.pidfd_calls = 0;
    fire(&rig, &late_echoes, 0);
    CHECK(kernel.waitid_calls > 0);
    check_echo(&rig);
    kernel.waitid_calls = 0;
    fire(&rig, &sleeps, 100);
    CHECK_INT(rig.result.answer, KP_ANSWER_TIMEOUT);
    CHECK(kernel.waitid_calls < 15); /* now and then */
    rig_end(&rig);
    fire(&rig, &falls_silent, 0); /* its end is the last that is heard of it */
    CHECK_INT(rig.result.answer, KP_ANSWER_FAILURE);
    CHECK_INT(rig.result.code, 3);
    rig_end(&rig);
    CHECK_INT(kernel.pidfd_calls, is_old ? 0 : 3);
    kernel.pidfd_errno = 0;
    fire(&rig, &echoes, 0);
    check_echo(&rig);
    CHECK_INT(kernel.pidfd_calls, is_old ? 0 : 4);
}

/* In a process of its own, which remembers it: a kernel does not learn it later. */
static void an_old_kernel_has_no_descriptors_of_processes(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        struct rig rig;

        kernel.pidfd_errno = ENOSYS;
        kernel.pidfd_calls = 0;
        for (int i = 0; i < 2; i++) {
            fire(&rig, &echoes, 0);
            check_echo(&rig);
        }
        _exit(kernel.pidfd_calls <= 1 && rig.result.answer == KP_ANSWER_FAILURE &&
                      strcmp(rig.result.output, "a\n") == 0
                  ? 0
                  : 1);
    }
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
}

/* ---- what is reported ------------------------------------------------------------------------ */

#define WORD(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define SH(script)                                                                                 \
    {                                                                                              \
        WORD("sh"), WORD("-c"), WORD(script)                                                       \
    }

struct command_row {
    struct kp_text words[3];
    size_t count;
    enum kp_answer answer;
    int32_t code;
    const char *class_word; /* NULL: none */
    const char *output;
};

static void check_command(const struct command_row *row)
{
    const struct kp_exec_action exec = {{row->words, row->count}};
    struct rig rig;

    fire(&rig, &(struct kp_handler){.exec = &exec}, 0);
    CHECK(kernel.turns < 100); /* it sleeps, and does not poll */
    CHECK_INT(rig.result.answer, row->answer);
    CHECK_INT(rig.result.code, row->code);
    CHECK_STRING(rig.result.class_word ? rig.result.class_word : "",
                 row->class_word ? row->class_word : "");
    CHECK_STRING(rig.result.output, row->output);
    rig_end(&rig);
}

#define CANNOT_START(words, count, output)                                                         \
    {                                                                                              \
        words, count, KP_ANSWER_ERROR, -1, "exec", output                                          \
    }

static void commands_that_cannot_be_started_are_reported(void)
{
    static const struct command_row rows[] = {
        CANNOT_START({WORD("/nothing/of/that/name")}, 1,
                     "exec: \"/nothing/of/that/name\": no such file or directory"),
        CANNOT_START({WORD("no-such-command-anywhere")}, 1,
                     "exec: \"no-such-command-anywhere\": executable file not found in $PATH"),
        CANNOT_START({WORD("/")}, 1, "exec: \"/\": permission denied"),
        CANNOT_START({WORD("")}, 1, "exec: \"\": executable file not found in $PATH"),
    };

    if (rig_is_simulated())
        return; /* under valgrind posix_spawn does not report it */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_command(&rows[i]);
}

/* A file that may not be started is none that was found; one that may be is, and holds nothing.
 * Upstream: Go, os/exec LookPath. */
static void what_is_found_may_be_no_command(void)
{
    static const struct command_row rows[] = {
        CANNOT_START({WORD("plain")}, 1, "exec: \"plain\": executable file not found in $PATH"),
        CANNOT_START({WORD("plain")}, 1, "exec: \"plain\": exec format error")};
    char *before = strdup(getenv("PATH"));
    char folder[RIG_FOLDER];
    char path[RIG_FOLDER + 16];

    if (rig_is_simulated() || !CHECK(rig_make_folder(folder))) {
        free(before);
        return;
    }
    snprintf(path, sizeof path, "%s/plain", folder);
    fclose(fopen(path, "w"));
    setenv("PATH", folder, 1);
    for (size_t i = 0; i < 2; i++) {
        chmod(path, i == 0 ? 0644 : 0755);
        check_command(&rows[i]);
    }
    setenv("PATH", before, 1);
    free(before);
    unlink(path);
    rmdir(folder);
}

static void commands_are_reported_to_the_word(void)
{
    static const struct command_row rows[] = {
        {{WORD("")},
         0,
         KP_ANSWER_ERROR,
         -1,
         "exec",
         "exec: \"\": executable file not found in $PATH"},
        {{WORD("a"), WORD("b\0c")},
         2,
         KP_ANSWER_ERROR,
         -1,
         "exec",
         "fork/exec a: invalid argument"},
        {SH("echo a; exit 3"), 3, KP_ANSWER_FAILURE, 3, NULL, "a\n"},
        {SH("kill -KILL $$$$"), 3, KP_ANSWER_FAILURE, 128 + SIGKILL, NULL, ""},
        {SH("exec >&-; echo b >&2"), 3, KP_ANSWER_SUCCESS, 0, NULL, "b\n"},
        {SH("exec 2>&-; echo a; sleep 0.1; echo b"), 3, KP_ANSWER_SUCCESS, 0, NULL, "a\nb\n"},
        {SH("exec 2>&-; (sleep 0.2; echo b) & echo a"), 3, KP_ANSWER_SUCCESS, 0, NULL, "a\nb\n"},
        {SH("exec >&-; (sleep 0.2; echo b >&2) & echo a >&2"), 3, KP_ANSWER_SUCCESS, 0, NULL,
         "a\nb\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_command(&rows[i]);
}

/* What this process ignores or holds back is none of the command's business, nor is its group. */
static void a_command_begins_with_signals_as_they_are(void)
{
    static const struct kp_text words[][3] = {SH("kill -TERM $$$$; echo alive"),
                                              SH("kill -USR1 $$$$; echo alive"),
                                              SH("kill -KILL 0; echo alive")};
    static const int32_t signals[] = {SIGTERM, SIGUSR1, SIGKILL};
    sigset_t held;
    sigset_t before;

    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &before);
    signal(SIGUSR1, SIG_IGN);
    for (size_t i = 0; i < 3; i++) {
        const struct kp_exec_action exec = {{words[i], 3}};
        struct rig rig;

        fire(&rig, &(struct kp_handler){.exec = &exec}, 0);
        CHECK_INT(rig.result.code, 128 + signals[i]);
        CHECK_STRING(rig.result.output, "");
        rig_end(&rig);
    }
    signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* It reads from nowhere: what waits for this process is not its to take. */
static void a_command_has_no_input(void)
{
    static const struct kp_text words[] = SH("cat; echo end");
    const struct kp_exec_action exec = {{words, 3}};
    int before = dup(STDIN_FILENO);
    int pair[2];
    struct rig rig;

    CHECK_INT(pipe(pair), 0);
    CHECK_INT(write(pair[1], "ours\n", 5), 5);
    CHECK_INT(dup2(pair[0], STDIN_FILENO), STDIN_FILENO);
    close(pair[1]);
    fire(&rig, &(struct kp_handler){.exec = &exec}, 0);
    CHECK_STRING(rig.result.output, "end\n");
    rig_end(&rig);
    dup2(before, STDIN_FILENO);
    close(before);
    close(pair[0]);
}

/* A read that is interrupted, or was too early, is tried again; one that fails ends the stream. */
static void reads_may_fail(void)
{
    static const struct {
        int error;
        const char *output;
    } rows[] = {{EINTR, "a\n"}, {EAGAIN, "a\n"}, {EIO, ""}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static const struct kp_text words[] = SH("echo a; exit 3");
        const struct kp_exec_action exec = {{words, 3}};
        struct rig rig;

        kernel.read_errno = rows[i].error;
        fire(&rig, &(struct kp_handler){.exec = &exec}, 0);
        CHECK_INT(kernel.read_errno, 0); /* there was such a read */
        CHECK_STRING(rig.result.output, rows[i].output);
        rig_end(&rig);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct meter {
    struct kp_mem mem;
    size_t most; /* at once */
};

static void *metered_alloc(void *ctx, size_t bytes)
{
    struct meter *meter = ctx;

    if (bytes > meter->most)
        meter->most = bytes;
    return meter->mem.alloc(meter->mem.ctx, bytes);
}

static void metered_free(void *ctx, void *block)
{
    const struct meter *meter = ctx;

    meter->mem.free(meter->mem.ctx, block);
}

/* 200,000 bytes, of which 10,240 are wanted; what came first is there when more has come. */
static void of_a_flood_no_more_is_kept_than_is_wanted(void)
{
    static const struct kp_text words[] =
        SH("exec 2>&-; echo first; sleep 0.1; head -c 200000 /dev/zero | tr '\\0' b");
    const struct kp_exec_action exec = {{words, 3}};
    struct meter meter = {.mem = fake_alloc_plain()};
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.exec = &exec});
    kp_handlers_free(rig.handlers);
    rig.mem = (struct kp_mem){metered_alloc, metered_free, &meter};
    CHECK_INT(kp_handlers_new(&rig.mem, &rig.handlers), KP_OK);
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
    CHECK_INT(rig.result.len, 10240);
    CHECK(strncmp(rig.result.output, "first\nbbbb", 10) == 0);
    CHECK_INT(meter.most, 16384);
    rig_end(&rig);
}

/* P-080: up to 1.15 the kubelet has no limit, and what a runtime has is far above it. */
static void all_of_a_flood_is_kept_before_1_16(void)
{
    static const struct kp_text words[] = SH("head -c 3000000 /dev/zero | tr '\\0' b");
    const struct kp_exec_action exec = {{words, 3}};
    struct rig rig;

    rig_init(&rig, "1.15", &(struct kp_handler){.exec = &exec});
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
    CHECK_INT(rig.result.len, 3000000);
    rig_end(&rig);
}

/* Around the sizes at which what is kept grows, and the one at which no more is. */
static void output_of_any_size_is_kept(void)
{
    static const size_t sizes[] = {1,    511,  512,  513,   1023,  1024,
                                   1025, 8191, 8193, 10239, 10240, 10241};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char script[64];
        struct kp_text words[] = {WORD("sh"), WORD("-c"), {script, 0}};
        const struct kp_exec_action exec = {{words, 3}};
        struct rig rig;

        words[2].len =
            (size_t)snprintf(script, sizeof script, "head -c %zu /dev/zero | tr '\\0' b", sizes[i]);
        fire(&rig, &(struct kp_handler){.exec = &exec}, 0);
        CHECK_INT(rig.result.answer, KP_ANSWER_SUCCESS);
        CHECK_INT(rig.result.len, sizes[i] < 10240 ? sizes[i] : 10240);
        CHECK_INT(rig.result.end[0], 'b');
        rig_end(&rig);
    }
}

const struct unit_test exec_test[] = {
    {"output of any size is kept", output_of_any_size_is_kept},
    {"of a flood no more is kept than is wanted", of_a_flood_no_more_is_kept_than_is_wanted},
    {"all of a flood is kept before 1.16", all_of_a_flood_is_kept_before_1_16},
    {"a command is killed once", a_command_is_killed_once},
    {"who is reaped by others is reported", who_is_reaped_by_others_is_reported},
    {"what may not be killed holds nobody up", what_may_not_be_killed_holds_nobody_up},
    {"what does not die is not waited for without end",
     what_does_not_die_is_not_waited_for_without_end},
    {"descriptors of processes may be short", descriptors_of_processes_may_be_short},
    {"an old kernel has no descriptors of processes",
     an_old_kernel_has_no_descriptors_of_processes},
    {"commands that cannot be started are reported", commands_that_cannot_be_started_are_reported},
    {"what is found may be no command", what_is_found_may_be_no_command},
    {"commands are reported to the word", commands_are_reported_to_the_word},
    {"a command begins with signals as they are", a_command_begins_with_signals_as_they_are},
    {"a command has no input", a_command_has_no_input},
    {"reads may fail", reads_may_fail},
    {0},
};
