/*
 * cases_test.c: the table itself: it loads, the engine satisfies it, and each of its expectations
 * can fail: perturbed in one place, the case turns red.
 */
#include "conformance/run.h"
#include "conformance/selection.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* The table, the engine, and memory that is emptied after each case. */
struct bench {
    struct cf_suite suite;
    struct cf_selection selection;
    struct cf_run run;
    struct cf_arena arena;
    size_t perturbed;
};

static bool begin(struct bench *b)
{
    *b = (struct bench){.run = {.mem = cf_libc_mem(), .seed = 1}};
    cf_suite_init(&b->suite, cf_libc_mem());
    cf_arena_init(&b->arena, cf_libc_mem());
    b->selection.arena = &b->suite.arena;
    b->run.subject = cf_subject_new_engine(b->run.mem);
    if (CHECK_INT(cf_suite_load(&b->suite, cf_cases_folder()), KP_OK) && CHECK(b->run.subject))
        return CHECK(cf_select(&b->selection, &b->suite) == NULL);
    cf_suite_complain(&b->suite);
    return false;
}

static void end(struct bench *b)
{
    cf_subject_free(b->run.subject);
    cf_arena_deinit(&b->arena);
    cf_suite_deinit(&b->suite);
}

static struct cf_outcome play(struct bench *b, const struct cf_case *item, const char *version)
{
    struct cf_outcome outcome;

    cf_run_case(&b->run, item, kp_text_of(version), &b->arena, &outcome);
    return outcome;
}

/* The perturbed case must not pass. */
static void expect_red(struct bench *b, const struct cf_case *item, const char *version,
                       const char *what)
{
    struct cf_outcome outcome = play(b, item, version);

    b->perturbed++;
    if (outcome.verdict == CF_FAIL)
        return;
    printf("\n  %.*s (%s): stays %s with %s\n", (int)item->id.len, item->id.bytes, version,
           cf_verdict_word(outcome.verdict), what);
    CHECK(outcome.verdict == CF_FAIL);
}

/* ---- stories --------------------------------------------------------------------------------- */

/* Which alternative the engine met. */
static size_t met(const struct cf_case *item, const struct cf_outcome *outcome)
{
    for (size_t i = 0; i < item->trace_count; i++)
        if (kp_text_equal(item->traces[i].name, outcome->why))
            return i;
    return 0;
}

static void perturb_story(struct bench *b, const struct cf_case *item, const char *version,
                          size_t alternative)
{
    const struct cf_trace *trace = &item->traces[alternative];
    struct cf_want *wants = cf_arena_array(&b->arena, trace->want_count + 1, sizeof *wants);
    struct cf_trace *traces = cf_arena_array(&b->arena, item->trace_count, sizeof *traces);
    struct cf_case changed = *item;

    if (!CHECK(wants && traces))
        return;
    memcpy(traces, item->traces, item->trace_count * sizeof *traces);
    traces[alternative].wants = wants;
    changed.traces = traces;
    for (size_t i = 0; i < trace->want_count; i++) {
        struct cf_word *last;

        if (trace->wants[i].optional)
            continue;
        memcpy(wants, trace->wants, trace->want_count * sizeof *wants);
        wants[i].at_ns += wants[i].until_ns > wants[i].at_ns ? 100000 * KP_NS_PER_S : KP_NS_PER_MS;
        wants[i].until_ns = wants[i].at_ns;
        expect_red(b, &changed, version, "a line at another instant");
        memcpy(wants, trace->wants, trace->want_count * sizeof *wants);
        last = &wants[i].words[wants[i].word_count - 1];
        last->text = KP_TEXT("something else");
        expect_red(b, &changed, version, "another last word");
    }
}

/* ---- plays ----------------------------------------------------------------------------------- */

static void perturb_play(struct bench *b, const struct cf_case *item, const char *version)
{
    struct cf_case changed = *item;

    for (size_t i = 0; i < item->told.len; i++) {
        struct kp_text told = cf_arena_text(&b->arena, item->told);
        char *letter = (char *)told.bytes + i;

        if (*letter == '|' || *letter == '_')
            continue;
        *letter = *letter == '+' ? '-' : '+';
        changed.told = told;
        expect_red(b, &changed, version, "another result");
    }
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Another value in place of a scalar, or a line more in a list. */
static void perturb_node(struct bench *b, struct cf_node *node)
{
    if (node->kind == CF_LIST)
        cf_node_append(node, cf_node_string(&b->arena, KP_TEXT("something else")));
    else if (node->kind == CF_MAP)
        perturb_node(b, node->first);
    else if (node->kind == CF_NUMBER)
        node->text = KP_TEXT("987654");
    else
        *node = (struct cf_node){.kind = CF_STRING,
                                 .key = node->key,
                                 .text = KP_TEXT("something else"),
                                 .next = node->next};
}

static void perturb_question(struct bench *b, const struct cf_case *item, const char *version)
{
    static const char *const answers[] = {"is",          "invalid", "errors", "warnings",
                                          "undecodable", "stored",  "does"};

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct cf_case changed = *item;
        struct cf_node *node = cf_node_copy(&b->arena, item->node);
        struct cf_node *answer = cf_node_find(node, answers[i]);

        if (!answer)
            continue;
        perturb_node(b, answer);
        changed.node = node;
        expect_red(b, &changed, version, answers[i]);
    }
}

/* ---- the tests --------------------------------------------------------------------------------
 */

static void the_engine_satisfies_the_table(void)
{
    struct bench b;

    if (begin(&b))
        for (size_t i = 0; i < b.selection.count; i++) {
            const struct cf_selected *selected = &b.selection.list[i];
            struct cf_outcome outcome;

            if (selected->item->kind == CF_SHOT)
                continue; /* fire_test.c */
            outcome = play(&b, selected->item, selected->version);
            if (!CHECK(cf_verdict_conforms(outcome.verdict)))
                printf("  %.*s (%s): %.*s\n", (int)selected->item->id.len, selected->item->id.bytes,
                       selected->version, (int)outcome.why.len, outcome.why.bytes);
        }
    end(&b);
}

static void each_expectation_can_fail(void)
{
    struct bench b;

    if (begin(&b))
        for (size_t i = 0; i < b.selection.count; i++) {
            const struct cf_case *item = b.selection.list[i].item;
            const char *version = b.selection.list[i].version;
            struct cf_outcome outcome;

            if (item->kind == CF_SHOT)
                continue;
            outcome = play(&b, item, version);
            if (outcome.verdict != CF_PASS)
                continue;
            if (item->kind == CF_PLAY)
                perturb_play(&b, item, version);
            else if (item->kind == CF_STORY)
                perturb_story(&b, item, version, met(item, &outcome));
            else
                perturb_question(&b, item, version);
            cf_arena_deinit(&b.arena);
            cf_arena_init(&b.arena, cf_libc_mem());
        }
    CHECK(b.perturbed > b.selection.count);
    end(&b);
}

const struct unit_test cases_test[] = {
    {"the engine satisfies the table", the_engine_satisfies_the_table},
    {"each expectation can fail", each_expectation_can_fail},
    {0},
};
