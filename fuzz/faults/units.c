/*
 * units.c: runs each unit test with one allocation failing, one after another, each time in a
 * process of its own: `units-memory [-v] [SUITE]`.  The linker leads malloc, calloc, realloc and
 * free of the project's code and of its tests through here (--wrap); those of libraries are theirs.
 *
 * A test that found no memory passes as before, or one of its checks fails, or its process ends
 * as the command's does, with "out of memory".  It does not hang; it does not crash, unless a check
 * has failed before, which a test need not outlive; and where it comes to its end it has given back
 * as much as it does otherwise.  A test that waits for clocks,
 * or that plays the whole table, would take hours: of its allocations every k-th fails, so many
 * that it takes no longer than its share, and the last line says how many of how many did.
 */
#define _GNU_SOURCE
#include "fakes/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SHARE_MS = 5000, /* of a test */
    PATIENCE_S = 60, /* with a run; with the one where nothing fails ten times as much */
    SWEEPERS = 8     /* side by side: many tests wait for clocks */
};

/* What a process says of the test that it ran; shared with the one that waits for it. */
struct account {
    long calls; /* of the allocator */
    long live;  /* blocks not given back */
    long failed_checks;
    bool ended; /* the test returned */
    char check[120];
};

static struct account *account;
static FILE *said;   /* on stderr, by the process of a test */
static long fail_at; /* from 1; 0: none fails */

/* ---- the allocator --------------------------------------------------------------------------- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
int __real_posix_memalign(void **out, size_t align, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
int __wrap_posix_memalign(void **out, size_t align, size_t bytes);
void __wrap_free(void *block);

static pid_t tested; /* the process that runs the test */

/* Of the test, and not of a peer that it has forked: that one is ended in the midst of what it
 * does. */
static bool is_counted(void)
{
    return getpid() == tested;
}

static bool is_none(void)
{
    return is_counted() && __atomic_add_fetch(&account->calls, 1, __ATOMIC_RELAXED) == fail_at;
}

static void *counted(void *block)
{
    if (block && is_counted())
        __atomic_add_fetch(&account->live, 1, __ATOMIC_RELAXED);
    else
        errno = ENOMEM;
    return block;
}

void *__wrap_malloc(size_t bytes)
{
    return counted(is_none() ? NULL : __real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return counted(is_none() ? NULL : __real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *block = is_none() ? NULL : __real_realloc(old, bytes);

    if (!old || !block)
        return counted(block);
    return block;
}

int __wrap_posix_memalign(void **out, size_t align, size_t bytes)
{
    void *block = NULL;

    if (is_none() || __real_posix_memalign(&block, align, bytes) != 0)
        return ENOMEM;
    *out = counted(block);
    return 0;
}

void __wrap_free(void *block)
{
    if (block && is_counted())
        __atomic_sub_fetch(&account->live, 1, __ATOMIC_RELAXED);
    __real_free(block);
}

/* ---- checks: what unit.c does, without CUnit ------------------------------------------------- */

bool unit_check(bool holds, const char *what, const char *file, int line)
{
    if (!holds && account->failed_checks++ == 0)
        snprintf(account->check, sizeof account->check, "%s:%d: %s", file, line, what);
    return holds;
}

bool unit_check_int(int64_t got, int64_t want, const char *what, const char *file, int line)
{
    return unit_check(got == want, what, file, line);
}

bool unit_check_text(struct kp_text got, struct kp_text want, const char *what, const char *file,
                     int line)
{
    return unit_check(kp_text_equal(got, want), what, file, line);
}

/* ---- one run --------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* At the end of a process whose test has led standard error elsewhere (fakes/stderr.h): what was
 * last written there counts as said. */
static void copy_stderr(void)
{
    char text[100];
    off_t end = lseek(STDERR_FILENO, 0, SEEK_END);
    off_t start = end > (off_t)sizeof text ? end - (off_t)sizeof text : 0;
    ssize_t len = pread(STDERR_FILENO, text, sizeof text, start);

    if (len > 0 && pwrite(fileno(said), text, (size_t)len, 0) != len)
        account->ended = false;
}

/* Returns: how the process ended, as waitpid says it. */
static int run(const struct unit_test *test, long at)
{
    int status = 0;
    pid_t pid;

    *account = (struct account){0};
    fflush(NULL);
    if (ftruncate(fileno(said), 0) != 0 || lseek(fileno(said), 0, SEEK_SET) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        dup2(fileno(said), STDERR_FILENO);
        tested = getpid();
        atexit(copy_stderr);
        alarm(at > 0 ? PATIENCE_S : 10 * PATIENCE_S);
        fail_at = at;
        test->run();
        account->ended = true;
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0)
        kill(-pid, SIGKILL); /* what a test that was cut short has left running */
    return status;
}

/* As cf_out_of_memory does. */
static bool ended_with_a_word(int status)
{
    char text[200] = "";
    ssize_t len = pread(fileno(said), text, sizeof text - 1, 0);

    return len > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 2 &&
           strstr(text, "probetest: out of memory\n") != NULL;
}

/* ---- all of a test's ------------------------------------------------------------------------- */

struct sweep {
    bool verbose;
    pid_t pid;
    char sentence[100]; /* of the test */
    long tests, calls, failed, passed, noticed, cut, word, faults;
};

static void fault(struct sweep *sweep, const char *suite, const struct unit_test *test, long at,
                  const char *what)
{
    if (sweep->faults++ < 40 || sweep->verbose)
        fprintf(stderr, "%s: %s: allocation %ld: %s%s%s\n", suite, test->sentence, at, what,
                account->failed_checks > 0 ? "; the first check that failed: " : "",
                account->check);
}

static void judge(struct sweep *sweep, const char *suite, const struct unit_test *test, long at,
                  int status, long live)
{
    sweep->failed++;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fault(sweep, suite, test, at, "hangs");
    else if (ended_with_a_word(status))
        sweep->word++;
    else if (!account->ended && account->failed_checks == 0)
        fault(sweep, suite, test, at, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ends");
    else if (account->ended && account->live > live)
        fault(sweep, suite, test, at, "not everything is given back");
    else if (!account->ended)
        sweep->cut++;
    else if (account->failed_checks > 0)
        sweep->noticed++;
    else
        sweep->passed++;
}

static void sweep_test(struct sweep *sweep, const char *suite, const struct unit_test *test)
{
    int64_t began = now_ms(), took_ms;
    long calls, live, step;
    int status = -1;

    snprintf(sweep->sentence, sizeof sweep->sentence, "%s", test->sentence);
    sweep->tests++;
    for (int try = 0; try < 3 && (status != 0 || account->failed_checks > 0); try++) {
        began = now_ms();
        status = run(test, 0);
        if (status != 0 || account->failed_checks > 0)
            setenv("UNDER_VALGRIND", "1", 1); /* a busy machine kept it waiting: more time */
    }
    took_ms = now_ms() - began;
    calls = account->calls;
    live = account->live;
    if (status != 0 || !account->ended || account->failed_checks > 0) {
        fault(sweep, suite, test, 0, "is red although there was memory");
        unsetenv("UNDER_VALGRIND");
        return;
    }
    step = 1 + calls * took_ms / SHARE_MS;
    sweep->calls += calls;
    for (long at = 1; at <= calls; at += step) {
        status = run(test, at);
        judge(sweep, suite, test, at, status, live);
    }
    unsetenv("UNDER_VALGRIND");
    if (sweep->verbose)
        printf("%s: %s: %ld allocations, each %ld-th, %lld ms\n", suite, test->sentence, calls,
               step, (long long)(now_ms() - began));
}

static void sweep_tests(struct sweep *sweep, const char *only, size_t sweeper)
{
    size_t count = 0;

    for (const struct unit_suite *suite = unit_suites; suite->name; suite++)
        for (const struct unit_test *test = suite->tests;
             test->run && (!only || strstr(suite->name, only)); test++)
            if (count++ % SWEEPERS == sweeper)
                sweep_test(sweep, suite->name, test);
}

static bool begin(struct sweep *sweep, const char *only, size_t sweeper)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0) {
        sweep->pid = pid;
        return pid > 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    account += sweeper;
    said = tmpfile();
    if (!said)
        _exit(3);
    sweep_tests(sweep, only, sweeper);
    fflush(stdout);
    _exit(0);
}

static void end(struct sweep *sweep, struct sweep *sum)
{
    int status = -1;

    if (waitpid(sweep->pid, &status, 0) != sweep->pid || status != 0) {
        fprintf(stderr, "a sweeper ended with status %d in: %s\n", status, sweep->sentence);
        sum->faults++;
    }
    sum->tests += sweep->tests;
    sum->calls += sweep->calls;
    sum->failed += sweep->failed;
    sum->passed += sweep->passed;
    sum->noticed += sweep->noticed;
    sum->cut += sweep->cut;
    sum->word += sweep->word;
    sum->faults += sweep->faults;
}

static void *shared(size_t count, size_t size)
{
    void *at = mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) {
        perror("units-memory");
        exit(3);
    }
    return at;
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    const char *only = argc > 1 + verbose ? argv[1 + verbose] : NULL;
    struct sweep *sweeps = shared(SWEEPERS, sizeof *sweeps);
    struct sweep sum = {.verbose = verbose};

    account = shared(SWEEPERS, sizeof *account);
    for (size_t i = 0; i < SWEEPERS; i++) {
        sweeps[i].verbose = verbose;
        if (!begin(&sweeps[i], only, i))
            return 3;
    }
    for (size_t i = 0; i < SWEEPERS; i++)
        end(&sweeps[i], &sum);
    printf("%ld unit tests: %ld of %ld allocations failed one after another; %ld times all checks "
           "passed, %ld times one failed and %ld times the test ended there, %ld times the process "
           "ended with out of memory; %ld faults\n",
           sum.tests, sum.failed, sum.calls, sum.passed, sum.noticed, sum.cut, sum.word,
           sum.faults);
    return sum.faults > 0 || sum.tests == 0;
}
