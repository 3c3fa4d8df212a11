/* unit.c: runs every suite on CUnit, once forwards and, but for those that play the whole table,
 * once in reverse: tests may not lean on each other.  Both rounds at once, a process each: much of
 * their time is waiting. */
#include "fakes/unit.h"

#include <CUnit/Basic.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool unit_check(bool holds, const char *what, const char *file, int line)
{
    if (!holds)
        printf("\n  %s:%d: does not hold: %s\n", file, line, what);
    CU_assertImplementation(holds, (unsigned)line, what, file, "", CU_FALSE);
    return holds;
}

bool unit_check_int(int64_t got, int64_t want, const char *what, const char *file, int line)
{
    if (got != want)
        printf("\n  %s:%d: %s\n    got   %" PRId64 "\n    want  %" PRId64 "\n", file, line, what,
               got, want);
    CU_assertImplementation(got == want, (unsigned)line, what, file, "", CU_FALSE);
    return got == want;
}

bool unit_check_text(struct kp_text got, struct kp_text want, const char *what, const char *file,
                     int line)
{
    bool equal = kp_text_equal(got, want);

    if (!equal)
        printf("\n  %s:%d: %s\n    got   %.*s\n    want  %.*s\n", file, line, what, KP_ARG(got),
               KP_ARG(want));
    CU_assertImplementation(equal, (unsigned)line, what, file, "", CU_FALSE);
    return equal;
}

/* Those play the whole table, and would only play it once more. */
static bool is_done_forwards(const char *suite)
{
    return strcmp(suite, "cases_test") == 0 || strcmp(suite, "fire_attempts_test") == 0;
}

static bool add_suite(const struct unit_suite *suite, bool reverse)
{
    CU_pSuite made = CU_add_suite(suite->name, NULL, NULL);
    size_t count = 0;

    while (suite->tests[count].run)
        count++;
    for (size_t i = 0; made && i < count; i++) {
        const struct unit_test *test = &suite->tests[reverse ? count - 1 - i : i];

        if (!CU_add_test(made, test->sentence, test->run))
            return false;
    }
    return made != NULL;
}

/* Returns the number of failures, or 1 where CUnit itself did not get going or nothing was
 * selected. */
static unsigned run_once(const char *only, bool reverse)
{
    unsigned failures = 1;
    size_t count = 0;

    while (unit_suites[count].name)
        count++;
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    for (size_t i = 0; i < count; i++) {
        const struct unit_suite *suite = &unit_suites[reverse ? count - 1 - i : i];

        if (only ? !strstr(suite->name, only) : reverse && is_done_forwards(suite->name))
            continue;
        if (!add_suite(suite, reverse))
            goto out;
    }
    CU_basic_set_mode(CU_BRM_SILENT);
    CU_basic_run_tests();
    CU_basic_show_failures(CU_get_failure_list());
    failures = CU_get_number_of_failures();
    printf("%s: %u tests, %u checks, %u failed\n", reverse ? "reverse" : "forward",
           CU_get_number_of_tests_run(), CU_get_number_of_asserts(), failures);
    if (CU_get_number_of_tests_run() == 0) {
        fprintf(stderr, "unit: no test of that name\n");
        failures = 1;
    }
out:
    CU_cleanup_registry();
    return failures;
}

/* One round in a process of its own, what it prints in a file. */
struct round {
    pid_t pid;
    FILE *printed;
};

static bool begin(struct round *round, const char *only, bool reverse)
{
    round->printed = tmpfile();
    round->pid = round->printed ? fork() : -1;
    if (round->pid != 0)
        return round->pid > 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(fileno(round->printed), STDOUT_FILENO) < 0)
        exit(1);
    exit(run_once(only, reverse) > 0);
}

/* Returns: whether nothing failed. */
static bool end(struct round *round)
{
    char bytes[4096];
    size_t got;
    int status;

    if (waitpid(round->pid, &status, 0) != round->pid)
        return false;
    rewind(round->printed);
    while ((got = fread(bytes, 1, sizeof bytes, round->printed)) > 0)
        fwrite(bytes, 1, got, stdout);
    fclose(round->printed);
    if (WIFSIGNALED(status))
        fprintf(stderr, "unit: ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* unit [--forward] [SUITE]: both rounds, or one. */
int main(int argc, char **argv)
{
    bool once = argc > 1 && strcmp(argv[1], "--forward") == 0;
    const char *only = argc > 1 + once ? argv[1 + once] : NULL;
    struct round rounds[2];
    int count = once ? 1 : 2;
    bool fine = true;

    if (argc > 2 + once) {
        fputs("usage: unit [--forward] [SUITE]\n", stderr);
        return 2;
    }
    for (int i = 0; i < count; i++)
        if (!begin(&rounds[i], only, i == 1)) {
            perror("unit");
            return 1;
        }
    for (int i = 0; i < count; i++)
        fine = end(&rounds[i]) && fine;
    return !fine;
}
