#include "conformance/protocol/process.h"

#include "conformance/protocol/scratch.h"
#include "conformance/protocol/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How often a silent child is looked after: it may have died while a child of its own holds the
 * pipe. */
#define SLICE_MS 50

/* ---- the whole program -------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static bool sweeps; /* cf_process_setup was called, so cf_process_sweep will be */

static void interrupt(void)
{
    interrupted = 1;
}

bool cf_interrupted(void)
{
    return interrupted != 0;
}

static void on_signal(int number)
{
    (void)number;
    interrupt();
}

void cf_process_setup(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sweeps = true;
}

/* One descendant of ours, or 0. */
static pid_t any_child(void)
{
    char path[64];
    char pids[32] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fgets(pids, sizeof pids, file) == NULL)
        pids[0] = '\0';
    fclose(file);
    return (pid_t)strtol(pids, NULL, 10);
}

void cf_process_sweep(void)
{
    pid_t child;

    while ((child = any_child()) > 0) {
        kill(child, SIGKILL);
        if (waitpid(child, NULL, 0) < 0 && errno != EINTR)
            break;
    }
    cf_scratch_end();
}

/* ---- starting ----------------------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pairs(int pairs[3][2])
{
    for (int i = 0; i < 3; i++) {
        close_fd(&pairs[i][0]);
        close_fd(&pairs[i][1]);
    }
}

/* Pipes for stdin, stdout, stderr, none of which another child may inherit. */
static int make_pipes(int pairs[3][2])
{
    for (int i = 0; i < 3; i++) {
        if (pipe(pairs[i]) != 0)
            return errno;
        for (int end = 0; end < 2; end++)
            fcntl(pairs[i][end], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

/* The child's ends become its stdin, stdout and stderr.  Adding an action takes memory. */
static int redirect(posix_spawn_file_actions_t *actions, int pairs[3][2])
{
    int err = 0;

    for (int fd = STDIN_FILENO; err == 0 && fd <= STDERR_FILENO; fd++)
        err = posix_spawn_file_actions_adddup2(actions, pairs[fd][fd != STDIN_FILENO], fd);
    return err;
}

static int spawn(pid_t *pid, char *const *argv, int pairs[3][2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t defaults;
    int err;

    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGHUP); /* nohup ignores it */
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    err = redirect(&actions, pairs);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    if (err == 0)
        err = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

int cf_process_start(struct cf_process *process, char *const *argv)
{
    /* Between pipe and FD_CLOEXEC no other thread may fork. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    int pairs[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int err;

    *process = (struct cf_process){.to = -1, .from = -1, .err = -1, .sched = -1};
    signal(SIGPIPE, SIG_IGN);
    pthread_mutex_lock(&one_at_a_time);
    if (sweeps)
        cf_scratch_begin();
    err = make_pipes(pairs);
    if (err == 0)
        err = spawn(&process->pid, argv, pairs);
    pthread_mutex_unlock(&one_at_a_time);
    if (err != 0) {
        process->pid = 0;
        close_pairs(pairs);
        return err;
    }
    process->to = pairs[0][1];
    process->from = pairs[1][0];
    process->err = pairs[2][0];
    pairs[0][1] = pairs[1][0] = pairs[2][0] = -1;
    close_pairs(pairs);
    fcntl(process->to, F_SETFL, O_NONBLOCK);
    fcntl(process->from, F_SETFL, O_NONBLOCK);
    fcntl(process->err, F_SETFL, O_NONBLOCK);
    return 0;
}

/* ---- talking ------------------------------------------------------------------------------ */

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t monotonic_ms(void)
{
    return monotonic_ns() / 1000000;
}

static void keep_tail(struct cf_process *process, const char *bytes, size_t len)
{
    size_t drop;

    if (len > CF_STDERR_TAIL) {
        bytes += len - CF_STDERR_TAIL;
        len = CF_STDERR_TAIL;
    }
    drop = process->tail_len + len > CF_STDERR_TAIL ? process->tail_len + len - CF_STDERR_TAIL : 0;
    memmove(process->tail, process->tail + drop, process->tail_len - drop);
    process->tail_len -= drop;
    memcpy(process->tail + process->tail_len, bytes, len);
    process->tail_len += len;
}

/* One helping: whoever floods must not keep us from looking at the clock. */
static void drain_stderr(struct cf_process *process)
{
    char bytes[65536];
    ssize_t got;

    if (process->err < 0)
        return;
    got = read(process->err, bytes, sizeof bytes);
    if (got > 0)
        keep_tail(process, bytes, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        close_fd(&process->err);
}

/* A whole line that is held, or false. */
static bool take_line(struct cf_process *process, size_t scanned, struct kp_text *line)
{
    const char *start = process->held.bytes + process->taken;
    const char *end = memchr(start + scanned, '\n', process->held.len - process->taken - scanned);

    if (end == NULL)
        return false;
    *line = (struct kp_text){start, (size_t)(end - start)};
    process->taken += line->len + 1;
    return true;
}

/* CF_TALK_TIMEOUT: nothing whole yet. */
static enum cf_talk read_some(struct cf_process *process, struct kp_text *line)
{
    size_t scanned = process->held.len - process->taken;
    ssize_t got;

    cf_out_reserve(&process->held, 65536);
    got = read(process->from, process->held.bytes + process->held.len, 65536);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return CF_TALK_TIMEOUT;
    if (got <= 0)
        return CF_TALK_ENDED;
    process->held.len += (size_t)got;
    if (take_line(process, scanned, line))
        return line->len > CF_LINE_BYTES_MAX ? CF_TALK_TOO_LONG : CF_TALK_OK;
    return process->held.len - process->taken > CF_LINE_BYTES_MAX ? CF_TALK_TOO_LONG
                                                                  : CF_TALK_TIMEOUT;
}

/* What can be written now.  A child that closed its stdin will be seen to end, or to say nothing.
 */
static void write_some(struct cf_process *process, struct kp_text *request)
{
    ssize_t done = write(process->to, request->bytes, request->len);

    if (done > 0) {
        request->bytes += done;
        request->len -= (size_t)done;
    } else if (done < 0 && errno != EAGAIN && errno != EINTR) {
        request->len = 0;
    }
}

/* Dead, though not reaped: its group can still be killed by its number. */
static bool is_dead(const struct cf_process *process)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process->pid;
}

/* How long it was ready to run, and no processor was free, since the last call. */
static int64_t queued_since_ns(struct cf_process *process)
{
    char text[96];
    ssize_t len;
    char *second;
    int64_t before_ns = process->queued_ns;

    if (process->sched < 0) {
        snprintf(text, sizeof text, "/proc/%ld/schedstat", (long)process->pid);
        process->sched = open(text, O_RDONLY | O_CLOEXEC);
    }
    len = pread(process->sched, text, sizeof text - 1, 0);
    if (len <= 0)
        return 0;
    text[len] = '\0';
    second = strchr(text, ' '); /* behind what it has run */
    process->queued_ns = second ? strtoll(second, NULL, 10) : 0;
    return process->queued_ns - before_ns;
}

static void note_delay(struct cf_process *process, int64_t delay_ns)
{
    if (delay_ns > process->late_ns)
        process->late_ns = delay_ns;
}

/* Wait for something to happen, a slice at most.  since_ns: the end of the slice before, so that a
 * delay between two of them counts.  false: nothing did. */
static bool wait_slice(struct cf_process *process, bool writing, int64_t left_ms, int64_t *since_ns)
{
    struct pollfd fds[] = {{.fd = process->from, .events = POLLIN},
                           {.fd = process->err, .events = POLLIN},
                           {.fd = writing ? process->to : -1, .events = POLLOUT}};
    int slice_ms = process->slice_ms > 0 ? process->slice_ms : SLICE_MS;
    int64_t until_ns;
    int ready;

    if (left_ms < slice_ms)
        slice_ms = (int)left_ms;
    until_ns = *since_ns + (int64_t)slice_ms * 1000000;
    ready = poll(fds, 3, slice_ms);
    *since_ns = monotonic_ns();
    if (process->slice_ms > 0) {
        note_delay(process, *since_ns - until_ns);
        note_delay(process, queued_since_ns(process));
    }
    if (ready > 0 && fds[1].revents)
        drain_stderr(process);
    return ready > 0;
}

/* since_ns: before the request was written; the adapter may run while the runner waits to go on. */
static enum cf_talk wait_line(struct cf_process *process, struct kp_text request, int64_t since_ns,
                              int timeout_ms, struct kp_text *line)
{
    int64_t deadline_ms = monotonic_ms() + timeout_ms;

    for (;;) {
        int64_t left_ms = deadline_ms - monotonic_ms();
        enum cf_talk talk;
        bool dead;

        if (cf_interrupted())
            return CF_TALK_INTERRUPTED;
        if (left_ms < 0)
            return CF_TALK_TIMEOUT;
        dead = !wait_slice(process, request.len > 0, left_ms, &since_ns) && is_dead(process);
        if (request.len > 0)
            write_some(process, &request);
        talk = read_some(process, line);
        if (talk != CF_TALK_TIMEOUT)
            return talk;
        if (dead)
            return CF_TALK_ENDED;
    }
}

/* Forget what was taken, so that the storage does not grow from line to line. */
static void forget_taken(struct cf_process *process)
{
    size_t left = process->held.len - process->taken;

    if (left > 0)
        memmove(process->held.bytes, process->held.bytes + process->taken, left);
    process->held.len = left;
    process->taken = 0;
}

enum cf_talk cf_process_ask(struct cf_process *process, struct kp_text request, int timeout_ms,
                            struct kp_text *line)
{
    int64_t since_ns;

    if (process->slice_ms > 0)
        queued_since_ns(process);
    process->late_ns = 0;
    forget_taken(process);
    if (process->held.len > 0)
        return CF_TALK_STRAY;
    since_ns = monotonic_ns();
    write_some(process, &request);
    return wait_line(process, request, since_ns, timeout_ms, line);
}

size_t cf_process_begun(const struct cf_process *process)
{
    return process->held.len - process->taken;
}

struct kp_text cf_process_stray(struct cf_process *process)
{
    struct kp_text line;

    forget_taken(process);
    read_some(process, &line);
    process->taken = 0;
    return cf_out_text(&process->held);
}

/* ---- ending ------------------------------------------------------------------------------- */

/* Let it talk on for a while, unheard, until it dies.  Returns: it did. */
static bool await_death(struct cf_process *process, int patience_ms)
{
    int64_t deadline_ms = monotonic_ms() + patience_ms;
    char unheard[65536];

    while (!is_dead(process)) {
        struct pollfd fds[] = {{.fd = process->from, .events = POLLIN},
                               {.fd = process->err, .events = POLLIN}};

        if (monotonic_ms() >= deadline_ms || cf_interrupted())
            return false;
        if (poll(fds, 2, 5) <= 0)
            continue;
        if (process->from >= 0 && fds[0].revents &&
            read(process->from, unheard, sizeof unheard) == 0)
            close_fd(&process->from);
        if (fds[1].revents)
            drain_stderr(process);
    }
    return true;
}

int cf_process_stop(struct cf_process *process, int patience_ms)
{
    int status = -1;

    if (process->pid == 0)
        return -1;
    close_fd(&process->to);
    process->forced = !(patience_ms > 0 && await_death(process, patience_ms));
    if (process->forced) {
        if (patience_ms > 0) {
            kill(-process->pid, SIGTERM);
            await_death(process, patience_ms);
        }
    }
    drain_stderr(process);
    kill(-process->pid, SIGKILL); /* it and what it left behind; not reaped yet, so still its id */
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close_fd(&process->from);
    close_fd(&process->err);
    close_fd(&process->sched);
    cf_out_deinit(&process->held);
    process->pid = 0;
    return status;
}

const char *cf_process_describe(int wait_status, char *buf, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(buf, size, "was killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(buf, size, "exited with code %d", WEXITSTATUS(wait_status));
    return buf;
}
