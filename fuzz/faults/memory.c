/*
 * memory.c: plays each case of the table with every allocation failing, one after another: the case
 * is judged as before or said to have found no memory, and nothing is left behind.  No step
 * allocates, so a pod that was taken runs to its end. Then the same for the loading of each file of
 * cases, and for sessions of `serve`: `memory SESSION... [-- PATTERN...]`.  And for what libcurl
 * and OpenSSL allocate in some attempts (libraries.h): such an attempt ends as before, or as an
 * error.
 *
 * Attempts mostly wait: SHARES processes play them side by side.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "conformance/judge/run.h"
#include "conformance/protocol/serve.h"
#include "conformance/table/selection.h"
#include "conformance/text/file.h"
#include "fakes/alloc.h"
#include "libraries.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARES = 16 };

struct tally {
    size_t faults;
    int64_t failed;   /* allocations, in all */
    char attempt[80]; /* that is played, in a process of attempts */
    int64_t at;
};

struct sweep {
    struct cf_suite suite;
    struct cf_selection selection;
    struct tally *tally;
    pid_t pids[SHARES];
};

static enum cf_verdict play(const struct cf_selected *one, struct fake_alloc *state)
{
    const struct kp_mem mem = fake_alloc_mem(state);
    struct cf_run run = {.mem = &mem, .seed = 1, .subject = cf_subject_new_engine(&mem)};
    struct cf_outcome outcome = {.verdict = CF_FAIL};
    struct cf_arena arena;

    if (!run.subject)
        return CF_FAIL;
    arena = (struct cf_arena){.mem = &mem};
    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    cf_arena_deinit(&arena);
    cf_subject_free(run.subject);
    return outcome.verdict;
}

static void fault(struct sweep *sweep, const char *name, int64_t at, const char *what)
{
    if (sweep->tally->faults++ < 20)
        fprintf(stderr, "%s: allocation %lld: %s\n", name, (long long)at, what);
}

enum { TRIES = 3 };

/* A busy machine keeps an attempt waiting: where all memory was there it is played again, with more
 * time. */
static bool conforms(const struct cf_selected *one, enum cf_verdict verdict)
{
    for (int try = 1; try < TRIES && !cf_verdict_conforms(verdict); try++) {
        struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};

        setenv("UNDER_VALGRIND", "1", 1);
        verdict = play(one, &state);
    }
    return cf_verdict_conforms(verdict);
}

static void sweep_case(struct sweep *sweep, const struct cf_selected *one)
{
    snprintf(sweep->tally->attempt, sizeof sweep->tally->attempt, "%s", one->item->id.bytes);
    for (int64_t at = 0;; at++) {
        struct fake_alloc state = {.fail_at = at};
        enum cf_verdict verdict;

        sweep->tally->at = at;
        verdict = play(one, &state);
        if (state.live != 0)
            fault(sweep, one->item->id.bytes, at, "something is not given back");
        if (state.calls <= at) { /* none failed */
            if (!conforms(one, verdict))
                fault(sweep, one->item->id.bytes, at, "is red although there was memory");
            return;
        }
        sweep->tally->failed++;
    }
}

/* ---- loading -----------------------------------------------------------------------------------
 */

static enum kp_err load(const char *name, struct kp_text text, struct fake_alloc *state)
{
    const struct kp_mem mem = fake_alloc_mem(state);
    struct cf_suite suite;
    enum kp_err err;

    suite = (struct cf_suite){.arena.mem = &mem};
    err = cf_suite_add(&suite, name, text);
    cf_suite_deinit(&suite);
    return err;
}

static void sweep_file(struct sweep *sweep, const char *name, struct kp_text text)
{
    for (int64_t at = 0;; at++) {
        struct fake_alloc state = {.fail_at = at};
        enum kp_err err = load(name, text, &state);

        if (state.live != 0)
            fault(sweep, name, at, "something is not given back");
        if (err != (state.calls <= at ? KP_OK : KP_ENOMEM))
            fault(sweep, name, at, "loading does not say that there is no memory");
        if (state.calls <= at)
            return;
        sweep->tally->failed++;
    }
}

static void sweep_files(struct sweep *sweep)
{
    const char *file = "";

    for (size_t i = 0; i < sweep->suite.case_count; i++) {
        struct kp_text text = KP_TEXT_NONE;

        if (strcmp(file, sweep->suite.cases[i].file) == 0)
            continue;
        file = sweep->suite.cases[i].file;
        if (cf_file_read(&sweep->suite.arena, file, (size_t)1 << 24, &text) == NULL)
            sweep_file(sweep, file, text);
    }
}

/* ---- serving -----------------------------------------------------------------------------------
 */

/* Each line is answered with a line, whatever there is of memory. */
static bool serve(struct kp_text session, struct fake_alloc *state)
{
    const struct kp_mem mem = fake_alloc_mem(state);
    struct cf_serve *server = cf_serve_new(&mem);
    bool answered = true;

    while (server && session.len > 0) {
        const char *newline = memchr(session.bytes, '\n', session.len);
        size_t len = newline ? (size_t)(newline - session.bytes) : session.len;
        struct kp_text reply = cf_serve_line(server, (struct kp_text){session.bytes, len});

        answered = answered && reply.len > 0 && reply.bytes[reply.len - 1] == '\n';
        len += newline != NULL;
        session = (struct kp_text){session.bytes + len, session.len - len};
    }
    cf_serve_free(server);
    return answered;
}

static void sweep_session(struct sweep *sweep, const char *name)
{
    struct kp_text session = KP_TEXT_NONE;

    if (cf_file_read(&sweep->suite.arena, name, (size_t)1 << 24, &session) != NULL)
        fault(sweep, name, -1, "cannot be read");
    for (int64_t at = 0;; at++) {
        struct fake_alloc state = {.fail_at = at};

        if (!serve(session, &state))
            fault(sweep, name, at, "a line without an answer");
        if (state.live != 0)
            fault(sweep, name, at, "something is not given back");
        if (state.calls <= at)
            return;
        sweep->tally->failed++;
    }
}

/* ---- libraries --------------------------------------------------------------------------------
 */

/* An attempt that found no memory is an error, which is discarded; it is nobody's failure. */
static bool is_error(const struct cf_outcome *outcome)
{
    for (size_t i = 0; i < outcome->moment_count; i++)
        if (kp_text_equal(outcome->moments[i].got, KP_TEXT("error: out of memory")))
            return true;
    return strstr(outcome->why.bytes, "memory") != NULL;
}

static bool stands(const struct cf_selected *one, struct cf_subject *subject)
{
    struct cf_run run = {.mem = cf_libc_mem(), .seed = 1, .subject = subject};
    struct cf_outcome outcome = {.verdict = CF_FAIL};
    struct cf_arena arena;
    bool fine;

    arena = (struct cf_arena){.mem = run.mem};
    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    fine = cf_verdict_conforms(outcome.verdict) || is_error(&outcome);
    cf_arena_deinit(&arena);
    return fine;
}

/*
 * OpenSSL (3.0) itself often gives another reason than memory, such as "decode error", and that is
 * what an attempt then says: with its memory only crashes, hangs and leaks of libcurl's are looked
 * for.
 */
static void sweep_library(struct sweep *sweep, const struct cf_selected *one, enum library library)
{
    struct cf_subject *subject = cf_subject_new_engine(cf_libc_mem());
    const char *id = one->item->id.bytes;

    snprintf(sweep->tally->attempt, sizeof sweep->tally->attempt, "a library's, %s", id);
    for (int64_t at = 0; subject; at++) {
        struct fake_alloc of_curl;
        struct fake_alloc of_ssl;
        bool fine;
        int try = 1;

        sweep->tally->at = at;
        do { /* as conforms() does */
            of_curl = (struct fake_alloc){.fail_at = library == LIBCURL ? at : FAKE_ALLOC_NEVER};
            of_ssl = (struct fake_alloc){.fail_at = library == OPENSSL ? at : FAKE_ALLOC_NEVER};
            libraries_watch(LIBCURL, &of_curl);
            libraries_watch(OPENSSL, &of_ssl);
            fine = stands(one, subject) || library == OPENSSL;
            libraries_watch(LIBCURL, NULL);
            libraries_watch(OPENSSL, NULL);
        } while (!fine && try++ < TRIES && setenv("UNDER_VALGRIND", "1", 1) == 0);
        if (!fine)
            fault(sweep, id, at, "libcurl found no memory, and that was taken for another failure");
        if (of_curl.live != 0)
            fault(sweep, id, at, "libcurl has not given everything back");
        if ((library == LIBCURL ? of_curl.calls : of_ssl.calls) <= at)
            break;
        sweep->tally->failed++;
    }
    cf_subject_free(subject);
}

/* One of each way that an attempt takes through libcurl. */
static void sweep_libraries(struct sweep *sweep, size_t share)
{
    static const struct {
        const char *id;
        enum library library;
    } rows[] = {
        {"fire-status-success.200", LIBCURL},   {"fire-status-odd.099", LIBCURL},
        {"fire-chunked.two", LIBCURL},          {"fire-redirect-followed.302", LIBCURL},
        {"fire-dial.refused", LIBCURL},         {"fire-tcp-open.listening", LIBCURL},
        {"fire-grpc-request.service", LIBCURL}, {"fire-grpc-tls.serving", LIBCURL},
        {"fire-grpc-refused-stream", LIBCURL},  {"fire-https.http-1.1", LIBCURL},
        {"fire-https-h2.request", LIBCURL},     {"fire-h2c.request", LIBCURL},
        {"fire-https.http-1.1", OPENSSL},       {"fire-https-odd-heads.3.0", LIBCURL},
        {"fire-https-odd-heads.3.0", OPENSSL},
    };
    const struct cf_selection *selection = &sweep->selection;

    for (size_t i = share; i < sizeof rows / sizeof *rows; i += SHARES)
        for (size_t k = 0; k < selection->count; k++)
            if (kp_text_equal(selection->list[k].item->id, kp_text_of(rows[i].id)))
                sweep_library(sweep, &selection->list[k], rows[i].library);
}

/* ---- attempts
 * -------------------------------------------------------------------------------------
 */

static bool is_attempt(const struct cf_selected *one)
{
    return one->item->kind == CF_ATTEMPT;
}

static void sweep_share(struct sweep *sweep, size_t share)
{
    size_t attempts = 0;

    for (size_t i = 0; i < sweep->selection.count; i++)
        if (is_attempt(&sweep->selection.list[i]) && attempts++ % SHARES == share)
            sweep_case(sweep, &sweep->selection.list[i]);
    sweep_libraries(sweep, share);
}

static bool begin_attempts(struct sweep *sweep)
{
    fflush(NULL);
    for (size_t i = 0; i < SHARES; i++) {
        sweep->pids[i] = fork();
        if (sweep->pids[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            sweep->tally += 1 + i;
            sweep_share(sweep, i);
            cf_suite_deinit(&sweep->suite);
            exit(0);
        }
        if (sweep->pids[i] < 0)
            return false;
    }
    return true;
}

static void end_attempts(struct sweep *sweep)
{
    for (size_t i = 0; i < SHARES; i++) {
        int status = -1;

        if (waitpid(sweep->pids[i], &status, 0) != sweep->pids[i] || status != 0)
            fault(sweep, sweep->tally[1 + i].attempt, sweep->tally[1 + i].at,
                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "its process ended");
        sweep->tally->faults += sweep->tally[1 + i].faults;
        sweep->tally->failed += sweep->tally[1 + i].failed;
    }
}

int main(int argc, char **argv)
{
    struct sweep sweep = {0};
    int sessions = 1;

    sweep.tally = mmap(NULL, (1 + SHARES) * sizeof *sweep.tally, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sweep.tally == MAP_FAILED || !libraries_begin())
        return 3;
    while (sessions < argc && strcmp(argv[sessions], "--") != 0)
        sessions++;
    sweep.suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    sweep.selection.arena = &sweep.suite.arena;
    sweep.selection.patterns = argv + sessions + 1;
    sweep.selection.pattern_count = sessions < argc ? (size_t)(argc - sessions - 1) : 0;
    if (cf_suite_load(&sweep.suite, cf_cases_folder()) != KP_OK ||
        cf_select(&sweep.selection, &sweep.suite) != NULL)
        return 3;
    if (!begin_attempts(&sweep))
        return 3;
    for (size_t i = 0; i < sweep.selection.count; i++)
        if (!is_attempt(&sweep.selection.list[i]))
            sweep_case(&sweep, &sweep.selection.list[i]);
    sweep_files(&sweep);
    for (int i = 1; i < sessions; i++)
        sweep_session(&sweep, argv[i]);
    end_attempts(&sweep);
    printf("%zu cases, their files and %d sessions: %lld allocations failed one after another, %zu "
           "faults\n",
           sweep.selection.count, sessions - 1, (long long)sweep.tally->failed,
           sweep.tally->faults);
    cf_suite_deinit(&sweep.suite);
    return sweep.tally->faults > 0;
}
