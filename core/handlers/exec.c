/*
 * exec.c: the exec handler: the command as it stands, on this machine, in a process group of its
 * own.  What a container runtime does is done here: ExecSync.
 *
 * Upstream: pkg/probe/exec/exec.go Probe, kuberuntime_container.go RunInContainer.
 */
#define _GNU_SOURCE
#include "core/prober/prober.h"
#include "flight.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS (10 * KP_NS_PER_MS)
#define NAP_NS 200000 /* between two looks at a process that was killed */
#define DYING_NS_MAX KP_NS_PER_S
#define OUTPUT_BYTES_MAX 10240                       /* of a probe from 1.16 */
#define RUNTIME_BYTES_MAX ((size_t)16 * 1024 * 1024) /* of any exec: a runtime's own limit */

extern char **environ;

struct stream {
    struct kp_watch watch;
    char *bytes; /* from the set's allocator */
    size_t len;
    size_t cap;
};

struct exec {
    struct kp_text_list *expanded; /* NULL: the command as it is */
    pid_t pid;                     /* 0: none, or reaped */
    struct kp_watch process;
    bool exited;
    struct stream out[2]; /* stdout, stderr */
    int open;             /* of the two */
};

static size_t bytes_max(const struct kp_flight *flight)
{
    return flight->attempt.profile->exec_output_limited ? OUTPUT_BYTES_MAX : RUNTIME_BYTES_MAX;
}

/* ---- output ---------------------------------------------------------------------------------- */

static bool grow(struct kp_flight *flight, struct stream *stream, size_t needed)
{
    size_t need = needed > 512 ? needed : 512;
    char *grown = kp_grow(flight->scratch.mem, stream->bytes, &stream->cap, need, 1);

    if (grown)
        stream->bytes = grown;
    return grown != NULL;
}

/* What does not fit is read all the same: the command must not wait for us. */
static void keep(struct kp_flight *flight, struct stream *stream, const char *bytes, size_t len)
{
    size_t room = bytes_max(flight) - stream->len;

    if (len > room)
        len = room;
    if (!grow(flight, stream, stream->len + len)) {
        flight->scratch.failed = true;
        return;
    }
    memcpy(stream->bytes + stream->len, bytes, len);
    stream->len += len;
}

/* P-078: all of stdout, then all of stderr. */
static struct kp_text output(struct kp_flight *flight)
{
    struct exec *exec = flight->state;
    size_t len = exec->out[0].len + exec->out[1].len;
    size_t room = len < bytes_max(flight) ? len : bytes_max(flight);
    struct kp_buf buf = kp_scratch_buf(&flight->scratch, room);

    for (int i = 0; i < 2; i++)
        kp_buf_put(&buf, (struct kp_text){exec->out[i].bytes, exec->out[i].len});
    return buf.bytes ? kp_buf_text(&buf) : KP_TEXT("");
}

/* ---- ends ------------------------------------------------------------------------------------ */

#define REAPED (-1)

/* Waits for a process that was killed, but not for ever for one that hangs in the kernel. */
static pid_t wait_for(pid_t pid, int *status)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    int64_t until_ns = kp_handlers_now_ns() + DYING_NS_MAX;
    pid_t got = waitpid(pid, status, WNOHANG);

    while (got == 0 && kp_handlers_now_ns() < until_ns) {
        nanosleep(&nap, NULL);
        got = waitpid(pid, status, WNOHANG);
    }
    return got;
}

/* false: it may not be killed, or is there no more. */
static bool kill_group(const struct exec *exec)
{
    assert(exec->pid > 0); /* 0 is everybody */
    kill(-exec->pid, SIGKILL);
    return kill(exec->pid, SIGKILL) == 0;
}

/*
 * Nothing of the group is left running; whoever made a group of its own is not ours.
 *
 * Returns: the exit code, or REAPED: somebody else took it (SIGCHLD is ignored, or waits for all).
 */
static int end_process(struct kp_flight *flight)
{
    struct exec *exec = flight->state;
    int status = 0;
    bool killed;
    pid_t got;

    if (exec->pid == 0)
        return REAPED;
    killed = kill_group(exec);
    got = killed ? wait_for(exec->pid, &status) : waitpid(exec->pid, &status, WNOHANG);
    if (got == 0)
        kp_reap_later(flight->set, exec->pid);
    exec->pid = 0;
    if (got <= 0)
        return REAPED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Both streams ended and the process did: as a runtime, that waits for what holds them open. */
static void look_for_end(struct kp_flight *flight)
{
    struct exec *exec = flight->state;
    int code;

    if (!exec->exited || exec->open > 0)
        return;
    code = end_process(flight);
    flight->result.code = code;
    if (code == REAPED) {
        flight->result.class_word = "exec";
        kp_flight_finish_text(flight, KP_ANSWER_ERROR, KP_TEXT("waitid: no child processes"));
        return;
    }
    kp_flight_finish_text(flight, code == 0 ? KP_ANSWER_SUCCESS : KP_ANSWER_FAILURE,
                          output(flight));
}

static void on_output(struct kp_watch *watch, uint32_t epoll_events)
{
    struct stream *stream = (struct stream *)watch; /* its first member */
    struct exec *exec = watch->flight->state;
    char bytes[65536];
    ssize_t got = read(watch->fd, bytes, sizeof bytes);

    (void)epoll_events;
    if (got > 0) {
        keep(watch->flight, stream, bytes, (size_t)got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        kp_watch_close(watch);
        exec->open--;
    }
    look_for_end(watch->flight);
}

static void on_exit_(struct kp_watch *watch, uint32_t epoll_events)
{
    struct exec *exec = watch->flight->state;

    (void)epoll_events;
    exec->exited = true;
    kp_watch_close(watch);
    look_for_end(watch->flight);
}

/* ---- starting -------------------------------------------------------------------------------- */

static void refuse(struct kp_flight *flight, struct kp_message *why)
{
    flight->result.class_word = "exec";
    kp_flight_finish(flight, KP_ANSWER_ERROR, why);
}

/* What has no slash is searched for, and of what is found there but not to be started nothing is
 * told. Upstream: Go, os/exec LookPath, and what a runtime makes of it. */
static void refuse_to_start(struct kp_flight *flight, struct kp_text name, int error)
{
    bool is_path = name.len > 0 && memchr(name.bytes, '/', name.len);
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("exec: "));
    kp_message_add_quoted(&message, name);
    kp_message_add(&message, KP_TEXT(": "));
    kp_message_add(&message, !is_path && (error == ENOENT || error == EACCES)
                                 ? KP_TEXT("executable file not found in $PATH")
                                 : kp_scratch_errno(&flight->scratch, error));
    refuse(flight, &message);
}

/* Upstream: Go, os forkExec: no word of a command may hold a zero byte. */
static bool has_zero_byte(const struct kp_text_list *command)
{
    for (size_t i = 0; i < command->count; i++)
        if (command->items[i].len > 0 &&
            memchr(command->items[i].bytes, '\0', command->items[i].len))
            return true;
    return false;
}

static void refuse_zero_byte(struct kp_flight *flight, struct kp_text name)
{
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("fork/exec "));
    kp_message_add(&message, name);
    kp_message_add(&message, KP_TEXT(": "));
    kp_message_add(&message, kp_scratch_errno(&flight->scratch, EINVAL));
    refuse(flight, &message);
}

static char **make_argv(struct kp_flight *flight, const struct kp_text_list *command)
{
    char **argv = kp_scratch_alloc(&flight->scratch, (command->count + 1) * sizeof *argv);

    for (size_t i = 0; argv && i < command->count; i++)
        argv[i] = (char *)kp_scratch_copy(&flight->scratch, command->items[i]).bytes;
    return argv;
}

static int prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes,
                   const int ends[2])
{
    sigset_t signals;

    sigfillset(&signals);
    posix_spawnattr_setsigdefault(attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(attributes, &signals);
    /* Its group is one of its own: that is 0, which it is from the start. */
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) |
           posix_spawn_file_actions_adddup2(files, ends[0], 1) |
           posix_spawn_file_actions_adddup2(files, ends[1], 2);
}

/* Returns: an errno, or 0. */
static int spawn(struct exec *exec, char **argv, const int ends[2])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    int error;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    error = prepare(&files, &attributes, ends) ? ENOMEM : 0;
    if (error == 0)
        error = posix_spawnp(&pid, argv[0], &files, &attributes, argv, environ);
    exec->pid = error == 0 ? pid : 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Pipes for both streams; the ends of the command are in `ends`. */
static bool open_streams(struct kp_flight *flight, int ends[2])
{
    enum { OURS, ITS };
    struct exec *exec = flight->state;

    for (int i = 0; i < 2; i++) {
        struct kp_watch *watch = &exec->out[i].watch;
        int pair[2];

        if (pipe2(pair, O_CLOEXEC) != 0)
            return false;
        ends[i] = pair[ITS];
        *watch = (struct kp_watch){.flight = flight, .ready = on_output, .fd = pair[OURS]};
        exec->open++;
        fcntl(pair[OURS], F_SETFL, O_NONBLOCK);
        if (!kp_watch_begin(watch, EPOLLIN))
            return false;
    }
    return true;
}

/* Of processes: Linux before 5.3, valgrind before 3.20. */
static atomic_bool no_descriptors;

/* Without reaping it: its group's id must not be another's yet. */
static void ask(struct kp_flight *flight, int64_t now_ns)
{
    struct exec *exec = flight->state;
    siginfo_t about = {0};
    int got = waitid(P_PID, (id_t)exec->pid, &about, WEXITED | WNOHANG | WNOWAIT);

    exec->exited = got != 0 || about.si_pid == exec->pid; /* or somebody else took it */
    if (exec->exited)
        look_for_end(flight);
    else
        kp_flight_wake_at(flight, now_ns + POLL_NS);
}

/* Where no descriptor of the process can be had it is polled: it runs already. */
static void watch_process(struct kp_flight *flight)
{
    struct exec *exec = flight->state;

    if (!atomic_load(&no_descriptors)) {
        exec->process.fd = (int)syscall(SYS_pidfd_open, exec->pid, 0);
        if (exec->process.fd == -1 && errno == ENOSYS)
            atomic_store(&no_descriptors, true);
    }
    if (!kp_watch_begin(&exec->process, EPOLLIN))
        ask(flight, kp_handlers_now_ns());
}

static bool start(struct kp_flight *flight, const struct kp_text_list *command)
{
    struct exec *exec = flight->state;
    char **argv = make_argv(flight, command);
    int ends[2] = {-1, -1};
    bool opened = argv && !flight->scratch.failed && open_streams(flight, ends);
    int error = opened ? spawn(exec, argv, ends) : 0;

    close(ends[0]); /* -1 is nothing to close */
    close(ends[1]);
    if (!opened)
        return false;
    if (error == ENOMEM || error == EAGAIN)
        return false;
    if (error != 0)
        refuse_to_start(flight, command->items[0], error);
    else
        watch_process(flight);
    return true;
}

static bool begin(struct kp_flight *flight)
{
    const struct kp_exec_action *action = flight->attempt.probe->handler.exec;
    struct exec *exec = kp_scratch_alloc(&flight->scratch, sizeof *exec);
    const struct kp_text_list *command;

    if (!exec)
        return false;
    flight->state = exec;
    exec->process = (struct kp_watch){.flight = flight, .ready = on_exit_, .fd = -1};
    exec->out[0].watch.fd = exec->out[1].watch.fd = -1;
    if (kp_command_expand(flight->scratch.mem, flight->attempt.container, &action->command,
                          &exec->expanded) != KP_OK)
        return false;
    command = exec->expanded ? exec->expanded : &action->command;
    if (command->count == 0) {
        refuse_to_start(flight, KP_TEXT(""), ENOENT);
        return true;
    }
    if (has_zero_byte(command)) {
        refuse_zero_byte(flight, command->items[0]);
        return true;
    }
    return start(flight, command);
}

/* P-084, P-083: what the kubelet makes of it is not the runtime's affair. */
static void wake(struct kp_flight *flight, int64_t now_ns)
{
    const struct exec *exec = flight->state;

    if (now_ns < flight->deadline_ns) { /* who has a descriptor is not woken before */
        ask(flight, now_ns);
        return;
    }
    kill_group(exec); /* it is waited for once the answer is reported */
    kp_flight_finish_text(
        flight, KP_ANSWER_TIMEOUT,
        KP_TEXT("rpc error: code = DeadlineExceeded desc = context deadline exceeded"));
}

static void end(struct kp_flight *flight)
{
    struct exec *exec = flight->state;

    if (!exec)
        return;
    end_process(flight);
    kp_watch_close(&exec->process);
    for (int i = 0; i < 2; i++) {
        kp_watch_close(&exec->out[i].watch);
        kp_mem_free(flight->scratch.mem, exec->out[i].bytes);
    }
    kp_mem_free(flight->scratch.mem, exec->expanded);
}

const struct kp_transport kp_transport_exec = {begin, wake, end};
