/*
 * trial.c: tries the unit tests on the mutants that the table leaves alive: `trial MATRIX [once]`.
 *
 * Each test is run with all mutants asleep, to see on which of them it could differ (mutant.h); a
 * mutant is tried on those tests alone, in a process a test, which ends at the first check that
 * does not hold: those beside its module and those that kill often and quickly first.
 *
 * Tests of handlers wait for clocks: what counts as red is in pairs.h.  `once`: none of these tests
 * looks at a clock, and a red one counts at once, unless it took too long.
 *
 * In MATRIX (judge.c) a mutant that a test kills gets `unit:SUITE` in the place of cases.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "fakes/unit.h"
#include "fuzz/mutants/mutant.h"
#include "fuzz/mutants/pairs.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    JOBS = 32,        /* a test of handlers mostly waits */
    JOBS_AT_ONCE = 4, /* one that looks at no clock computes */
    SURVEYS = 2,
    SURVEYS_MAX = 6,
    LONG_MS = 60000,
    TESTS_MAX = 1024,
    PERTURB = 0x5a,
    OWN = 10 /* so many kills is a test beside the module ahead of others */
};

#define MEMORY ((rlim_t)1 << 33) /* stacks of many threads */

int kp_mutant;
/* In memory that a worker shares with the tests that it runs. */
_Alignas(KP_MUTANTS_MAX) unsigned char kp_mutant_reached[KP_MUTANTS_MAX];
unsigned long kp_mutant_path;

struct test {
    const struct unit_test *unit;
    const char *suite;
};

/* What has become of a test, in memory that all workers share. */
struct row {
    int greens;
    int took_ms;
    atomic_int kills;
    unsigned char met[KP_MUTANTS_MAX];
};

struct results {
    atomic_size_t next;
    struct row rows[TESTS_MAX];
    uint16_t killer[KP_MUTANTS_MAX]; /* of a line of MATRIX: 0, or a test from 1 */
};

struct line {
    int number;
    char *text;
    char *killers; /* in text */
    char *rest;
};

struct trial {
    struct test tests[TESTS_MAX];
    size_t test_count;
    struct line *lines;
    size_t line_count;
    struct results *results;
    bool once; /* red counts at once */
};

/* ---- checks: what unit.c does, but that the first red one is the last ------------------------ */

bool unit_check(bool holds, const char *what, const char *file, int line)
{
    (void)what, (void)file, (void)line;
    if (!holds)
        _exit(1);
    return true;
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

/* ---- a run ----------------------------------------------------------------------------------- */

/* With ASan: it wants all addresses for itself, and reports what a test has not given back. */
int __lsan_do_recoverable_leak_check(void);
#pragma weak __lsan_do_recoverable_leak_check

static bool passes(void *ctx, size_t i)
{
    const struct trial *trial = ctx;
    const struct rlimit none = {0, 0};
    const struct rlimit memory = {MEMORY, MEMORY};
    int null = open("/dev/null", O_RDWR);

    mallopt(M_PERTURB, PERTURB); /* nothing is zero by luck */
    setrlimit(RLIMIT_CORE, &none);
    if (!__lsan_do_recoverable_leak_check)
        setrlimit(RLIMIT_AS, &memory);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
    trial->tests[i].unit->run();
    return !__lsan_do_recoverable_leak_check || !__lsan_do_recoverable_leak_check();
}

/* ---- which tests could differ ---------------------------------------------------------------- */

static void survey(struct trial *trial, size_t i)
{
    const struct kp_play play = {passes, trial};
    struct row *row = &trial->results->rows[i];

    for (int tried = 0; tried < SURVEYS_MAX && row->greens < SURVEYS; tried++) {
        struct kp_ended ended = kp_play_apart(&play, i, 0, LONG_MS);

        row->greens += ended.passed;
        row->took_ms = ended.took_ms > row->took_ms ? ended.took_ms : row->took_ms;
        for (size_t m = 0; m < KP_MUTANTS_MAX; m++)
            row->met[m] |= kp_mutant_reached[m];
        memset(kp_mutant_reached, 0, sizeof kp_mutant_reached);
    }
}

/* ---- a mutant -------------------------------------------------------------------------------- */

static bool is_killed_by(struct trial *trial, size_t i, int mutant)
{
    const struct kp_play play = {passes, trial};
    int limit_ms = kp_limit_ms(trial->results->rows[i].took_ms);

    struct kp_ended ended = kp_play_apart(&play, i, mutant, limit_ms);

    return !ended.passed &&
           ((trial->once && ended.took_ms < limit_ms) || kp_is_guilty(&play, i, mutant));
}

/* core/x.c and the suite x_test. */
static bool is_beside(const struct line *line, const char *suite)
{
    const char *place = strchr(line->rest, '\t') + 1;
    size_t len = strcspn(place, ".");
    size_t at = len;

    while (at > 0 && place[at - 1] != '/')
        at--;
    return strncmp(suite, place + at, len - at) == 0 && strcmp(suite + len - at, "_test") == 0;
}

static double promise_of(const struct trial *trial, const struct line *line, size_t i)
{
    struct row *row = &trial->results->rows[i];
    int kills = row->kills + (is_beside(line, trial->tests[i].suite) ? OWN : 1);

    return (double)kills / (double)(row->took_ms + 1);
}

/* The test that is to be tried next, or `count`: none. */
static size_t most_promising(const struct trial *trial, const struct line *line, const bool *tried)
{
    size_t best = trial->test_count;

    for (size_t i = 0; i < trial->test_count; i++)
        if (!tried[i] && (trial->results->rows[i].met[line->number] & KP_DIFFERED) &&
            (best == trial->test_count ||
             promise_of(trial, line, i) > promise_of(trial, line, best)))
            best = i;
    return best;
}

static void try_mutant(struct trial *trial, size_t n)
{
    const struct line *line = &trial->lines[n];
    bool tried[TESTS_MAX] = {false};
    size_t i;

    if (line->number == 0 || !strchr("-(", line->killers[0]))
        return;
    while ((i = most_promising(trial, line, tried)) < trial->test_count) {
        tried[i] = true;
        if (!is_killed_by(trial, i, line->number))
            continue;
        trial->results->rows[i].kills++;
        trial->results->killer[n] = (uint16_t)(i + 1);
        return;
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void work(struct trial *trial, size_t count, void (*take)(struct trial *trial, size_t n))
{
    size_t n;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (mmap(kp_mutant_reached, sizeof kp_mutant_reached, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(1);
    while ((n = atomic_fetch_add(&trial->results->next, 1)) < count)
        take(trial, n);
    _exit(0);
}

/* Returns: whether all workers came to their end. */
static bool share_out(struct trial *trial, int jobs, size_t count,
                      void (*take)(struct trial *trial, size_t n))
{
    bool fine = true;
    int status;

    trial->results->next = 0;
    for (int job = 0; job < jobs; job++)
        if (fork() == 0)
            work(trial, count, take);
    while (wait(&status) > 0)
        fine = fine && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return fine;
}

static void list_tests(struct trial *trial)
{
    for (size_t s = 0; unit_suites[s].name; s++)
        for (const struct unit_test *test = unit_suites[s].tests;
             test->run && trial->test_count < TESTS_MAX; test++)
            trial->tests[trial->test_count++] =
                (struct test){.unit = test, .suite = unit_suites[s].name};
}

static bool read_matrix(struct trial *trial, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t cap = 0;
    char *text = NULL;
    ssize_t len;

    while (file && (len = getline(&text, &cap, file)) > 0) {
        struct line line = {.number = atoi(text), .text = strdup(text)};

        line.text[len - 1] = '\0';
        line.killers = strchr(line.text, '\t') + 1;
        line.rest = strchr(line.killers, '\t');
        trial->lines = realloc(trial->lines, (trial->line_count + 1) * sizeof *trial->lines);
        trial->lines[trial->line_count++] = line;
    }
    free(text);
    return file && fclose(file) == 0 && trial->line_count <= KP_MUTANTS_MAX;
}

static bool write_matrix(const struct trial *trial, const char *path)
{
    FILE *file = fopen(path, "w");

    for (size_t n = 0; file && n < trial->line_count; n++) {
        uint16_t killer = trial->results->killer[n];
        const struct line *line = &trial->lines[n];

        if (killer)
            fprintf(file, "%d\tunit:%s%s\n", line->number, trial->tests[killer - 1].suite,
                    line->rest);
        else
            fprintf(file, "%s\n", line->text);
    }
    return file && fclose(file) == 0;
}

/* What counts milliseconds is red beside many others. */
static void survey_alone(struct trial *trial, size_t i)
{
    if (trial->results->rows[i].greens == 0)
        survey(trial, i);
}

/* Tests that are never green, by name. */
static bool report_tests(const struct trial *trial)
{
    bool fine = true;

    for (size_t i = 0; i < trial->test_count; i++) {
        if (trial->results->rows[i].greens > 0)
            continue;
        fine = __lsan_do_recoverable_leak_check != NULL; /* with ASan one is: it is of memory */
        fprintf(stderr, "trial: %s, %s: is red without any mutant\n", trial->tests[i].suite,
                trial->tests[i].unit->sentence);
    }
    return fine;
}

int main(int argc, char **argv)
{
    struct trial trial = {0};
    int jobs;

    trial.once = argc == 3 && strcmp(argv[2], "once") == 0;
    if (argc != 2 + trial.once || !read_matrix(&trial, argv[1])) {
        fprintf(stderr, "usage: trial MATRIX [once]\n");
        return 2;
    }
    jobs = trial.once ? JOBS_AT_ONCE : JOBS;
    list_tests(&trial);
    trial.results = mmap(NULL, sizeof *trial.results, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (trial.results == MAP_FAILED || !share_out(&trial, jobs, trial.test_count, survey) ||
        !share_out(&trial, 1, trial.test_count, survey_alone))
        return 1;
    if (!report_tests(&trial) || !share_out(&trial, jobs, trial.line_count, try_mutant))
        return 1;
    return write_matrix(&trial, argv[1]) ? 0 : 3;
}
