#define _GNU_SOURCE /* pidfd_open */
#include "pairs.h"

#include "mutant.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS_MAX = 12, TIMES_AS_LONG = 10, SLACK_MS = 1000, LONG_MS = 60000 };

/* ---- processes ------------------------------------------------------------------------------- */

void kp_keep_apart(void)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* The session's number, or 0. */
static long session_of(long pid)
{
    char path[64];
    char text[512];
    size_t got;
    const char *end;
    long session = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    end = strrchr(text, ')');
    if (end && sscanf(end + 1, " %*c %*d %*d %ld", &session) != 1)
        session = 0;
    return session;
}

/* Those that are children of this process by now. */
static bool end_some_orphans(pid_t ended)
{
    char path[64];
    long pid;
    FILE *file;
    bool any = false;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &pid) == 1)
        if (session_of(pid) == ended) {
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, 0);
            any = true;
        }
    if (file)
        fclose(file);
    return any;
}

void kp_end_orphans(pid_t ended)
{
    while (end_some_orphans(ended))
        ; /* who ends leaves its own */
}

/* ---- runs -------------------------------------------------------------------------------------
 */

struct run {
    pid_t pid;
    int64_t began_ms;
};

int64_t kp_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct run begin(const struct kp_play *play, size_t i, int mutant)
{
    struct run run = {.began_ms = kp_now_ms()};

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* of what it leaves running */
    run.pid = fork();
    if (run.pid == 0) {
        kp_keep_apart();
        kp_mutant = mutant;
        _exit(!play->passes(play->ctx, i));
    }
    if (run.pid < 0) {
        perror("fork");
        exit(1);
    }
    return run;
}

static struct kp_ended end(const struct run *run, int limit_ms)
{
    struct pollfd ended = {.fd = pidfd_open(run->pid, 0), .events = POLLIN};
    int64_t left_ms = run->began_ms + limit_ms - kp_now_ms();
    int status = 1;
    bool in_time = poll(&ended, 1, left_ms > 0 ? (int)left_ms : 0) > 0;
    int took_ms = (int)(kp_now_ms() - run->began_ms);

    close(ended.fd);
    kill(-run->pid, SIGKILL); /* it may have begun others */
    kill(run->pid, SIGKILL);
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
        ;
    kp_end_orphans(run->pid);
    return (struct kp_ended){in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0, took_ms};
}

struct kp_ended kp_play_apart(const struct kp_play *play, size_t i, int mutant, int limit_ms)
{
    struct run run = begin(play, i, mutant);

    return end(&run, limit_ms);
}

int kp_limit_ms(int took_ms)
{
    return took_ms * TIMES_AS_LONG + SLACK_MS;
}

bool kp_is_guilty(const struct kp_play *play, size_t i, int mutant)
{
    int reds = 1;

    for (int pair = 0; reds < KP_REDS && pair < PAIRS_MAX; pair++) {
        struct run asleep = begin(play, i, 0);
        struct run awake = begin(play, i, mutant);
        struct kp_ended other = end(&asleep, LONG_MS);

        if (end(&awake, kp_limit_ms(other.took_ms)).passed)
            return false;
        reds += other.passed;
    }
    return reds == KP_REDS;
}
