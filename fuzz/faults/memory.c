/*
 * memory.c: plays each case of the table with every allocation failing, one after another: the case
 * is judged as before or said to have found no memory, and nothing is left behind.  No step
 * allocates, so a pod that was taken runs to its end. Then the same for the loading of each file of
 * cases, and for sessions of `serve`: `memory SESSION... [-- PATTERN...]`.
 */
#include "conformance/judge/run.h"
#include "conformance/protocol/serve.h"
#include "conformance/table/selection.h"
#include "conformance/text/file.h"
#include "fakes/alloc.h"

#include <stdio.h>
#include <string.h>

struct sweep {
    struct cf_suite suite;
    struct cf_selection selection;
    size_t faults;
    int64_t failed; /* allocations, in all */
};

static enum cf_verdict play(const struct cf_selected *one, struct fake_alloc *state)
{
    const struct kp_mem mem = fake_alloc_mem(state);
    struct cf_run run = {.mem = &mem, .seed = 1, .subject = cf_subject_new_engine(&mem)};
    struct cf_outcome outcome = {.verdict = CF_FAIL};
    struct cf_arena arena;

    if (!run.subject)
        return CF_FAIL;
    cf_arena_init(&arena, &mem);
    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    cf_arena_deinit(&arena);
    cf_subject_free(run.subject);
    return outcome.verdict;
}

static void fault(struct sweep *sweep, const char *name, int64_t at, const char *what)
{
    if (sweep->faults++ < 20)
        fprintf(stderr, "%s: allocation %lld: %s\n", name, (long long)at, what);
}

static void sweep_case(struct sweep *sweep, const struct cf_selected *one)
{
    for (int64_t at = 0;; at++) {
        struct fake_alloc state = {.fail_at = at};
        enum cf_verdict verdict = play(one, &state);

        if (state.live != 0)
            fault(sweep, one->item->id.bytes, at, "something is not given back");
        if (state.calls <= at) { /* none failed */
            if (!cf_verdict_conforms(verdict))
                fault(sweep, one->item->id.bytes, at, "is red although there was memory");
            return;
        }
        sweep->failed++;
    }
}

/* ---- loading -----------------------------------------------------------------------------------
 */

static enum kp_err load(const char *name, struct kp_text text, struct fake_alloc *state)
{
    const struct kp_mem mem = fake_alloc_mem(state);
    struct cf_suite suite;
    enum kp_err err;

    cf_suite_init(&suite, &mem);
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
        sweep->failed++;
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
        sweep->failed++;
    }
}

int main(int argc, char **argv)
{
    struct sweep sweep = {0};
    int sessions = 1;

    while (sessions < argc && strcmp(argv[sessions], "--") != 0)
        sessions++;
    cf_suite_init(&sweep.suite, cf_libc_mem());
    sweep.selection.arena = &sweep.suite.arena;
    sweep.selection.patterns = argv + sessions + 1;
    sweep.selection.pattern_count = sessions < argc ? (size_t)(argc - sessions - 1) : 0;
    if (cf_suite_load(&sweep.suite, cf_cases_folder()) != KP_OK ||
        cf_select(&sweep.selection, &sweep.suite) != NULL)
        return 3;
    for (size_t i = 0; i < sweep.selection.count; i++)
        sweep_case(&sweep, &sweep.selection.list[i]);
    sweep_files(&sweep);
    for (int i = 1; i < sessions; i++)
        sweep_session(&sweep, argv[i]);
    printf("%zu cases, their files and %d sessions: %lld allocations failed one after another, %zu "
           "faults\n",
           sweep.selection.count, sessions - 1, (long long)sweep.failed, sweep.faults);
    cf_suite_deinit(&sweep.suite);
    return sweep.faults > 0;
}
