/*
 * cases_test.c: the table itself: it loads, the engine satisfies it, and each of its expectations
 * can fail: perturbed in one place, the case turns red.
 */
#include "conformance/judge/run.h"
#include "conformance/table/selection.h"
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
    b->suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    b->arena = (struct cf_arena){.mem = cf_libc_mem()};
    b->selection.arena = &b->suite.arena;
    b->run.subject = cf_subject_new_engine(b->run.mem);
    if (CHECK_INT(cf_suite_load(&b->suite, cf_cases_folder()), KP_OK) && CHECK(b->run.subject))
        return CHECK(cf_select(&b->selection, &b->suite) == NULL);
    cf_suite_print_faults(&b->suite);
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
    printf("\n  %.*s (%s): stays %s with %s\n", KP_ARG(item->id), version,
           cf_verdict_word(outcome.verdict), what);
    CHECK(outcome.verdict == CF_FAIL);
}

/* ---- scenarios ---------------------------------------------------------------------------------
 */

/* Which alternative the engine met. */
static size_t met(const struct cf_case *item, const struct cf_outcome *outcome)
{
    for (size_t i = 0; i < item->trace_count; i++)
        if (kp_text_equal(item->traces[i].name, outcome->why))
            return i;
    return 0;
}

/* A scenario with the trace that the engine met, ready to be changed. */
struct changing {
    struct bench *b;
    const struct cf_case *item;
    const struct cf_trace *trace; /* as it stands in the table */
    const char *version;
    struct cf_case changed;
    struct cf_trace *traces;
    struct cf_want *wants; /* a copy of the trace's */
    size_t alternative;
};

static bool begin_change(struct changing *c)
{
    c->trace = &c->item->traces[c->alternative];
    c->changed = *c->item;
    c->wants = cf_arena_array(&c->b->arena, c->trace->want_count + 1, sizeof *c->wants);
    c->traces = cf_arena_array(&c->b->arena, c->item->trace_count, sizeof *c->traces);
    if (!CHECK(c->wants && c->traces))
        return false;
    memcpy(c->traces, c->item->traces, c->item->trace_count * sizeof *c->traces);
    c->traces[c->alternative].wants = c->wants;
    c->changed.traces = c->traces;
    return true;
}

static struct cf_want *restore(struct changing *c, size_t want)
{
    memcpy(c->wants, c->trace->wants, c->trace->want_count * sizeof *c->wants);
    c->traces[c->alternative].want_count = c->trace->want_count;
    return &c->wants[want];
}

static void change_last_word(struct changing *c, size_t i)
{
    struct cf_want *want = restore(c, i);
    struct cf_word *words = cf_arena_array(&c->b->arena, want->word_count, sizeof *words);

    if (!CHECK(words))
        return;
    memcpy(words, want->words, want->word_count * sizeof *words);
    words[want->word_count - 1].text = KP_TEXT("something else");
    want->words = words;
}

static void perturb_line(struct changing *c, size_t i)
{
    struct cf_want *want = restore(c, i);

    want->at_ns += want->until_ns > want->at_ns ? 100000 * KP_NS_PER_S : KP_NS_PER_MS;
    want->until_ns = want->at_ns;
    expect_red(c->b, &c->changed, c->version, "a line at another instant");
    change_last_word(c, i);
    expect_red(c->b, &c->changed, c->version, "another last word");
    want = restore(c, i);
    memmove(want, want + 1, (c->trace->want_count - i - 1) * sizeof *want);
    c->traces[c->alternative].want_count--;
    expect_red(c->b, &c->changed, c->version, "a line left out");
}

/* A line that may be missing: it came, and no other may, or it did not, and would be missed. */
static void perturb_optional(struct changing *c, size_t i)
{
    change_last_word(c, i);
    if (play(c->b, &c->changed, c->version).verdict == CF_FAIL)
        return;
    restore(c, i)->optional = false;
    expect_red(c->b, &c->changed, c->version, "what may be missing, demanded");
}

/* Two lines of one instant whose order counts, the other way round. */
static void perturb_order(struct changing *c, size_t i)
{
    struct cf_want *want = restore(c, i);
    struct cf_want first = want[0];

    if (c->item->unordered || c->item->pod_count > 1 || want[0].optional || want[1].optional ||
        want[0].at_ns != want[1].at_ns || want[0].until_ns != want[1].until_ns ||
        !cf_match_keeps_order(&want[0], &want[1]))
        return;
    want[0] = want[1];
    want[1] = first;
    expect_red(c->b, &c->changed, c->version, "two lines in the other order");
}

/* What happened may never be. */
static void perturb_never(struct changing *c)
{
    struct cf_want *nevers = cf_arena_array(&c->b->arena, c->item->never_count + 1, sizeof *nevers);
    size_t happened = 0;

    while (happened < c->trace->want_count && c->trace->wants[happened].optional)
        happened++;
    if (!nevers || happened == c->trace->want_count)
        return;
    for (size_t i = 0; i < c->item->never_count; i++) {
        restore(c, 0);
        memcpy(nevers, c->item->nevers, c->item->never_count * sizeof *nevers);
        nevers[i] = c->trace->wants[happened];
        c->changed.nevers = nevers;
        expect_red(c->b, &c->changed, c->version, "what happened in place of what never may");
    }
    c->changed.nevers = c->item->nevers;
}

/* Without the alternative that was met none of the others is. */
static void perturb_choice(struct changing *c)
{
    if (c->item->trace_count < 2)
        return;
    restore(c, 0);
    c->traces[c->alternative] = c->traces[c->item->trace_count - 1];
    c->changed.trace_count--;
    expect_red(c->b, &c->changed, c->version, "the alternatives that were not met");
    c->changed.trace_count++;
}

static void perturb_scenario(struct bench *b, const struct cf_case *item, const char *version,
                             size_t alternative)
{
    struct changing c = {.b = b, .item = item, .version = version, .alternative = alternative};

    if (!begin_change(&c))
        return;
    for (size_t i = 0; i < c.trace->want_count; i++) {
        if (c.trace->wants[i].optional)
            perturb_optional(&c, i);
        else
            perturb_line(&c, i);
        if (i + 1 < c.trace->want_count)
            perturb_order(&c, i);
    }
    perturb_never(&c);
    perturb_choice(&c);
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
    else if (node->kind == CF_NUMBER)
        node->text = KP_TEXT("987654");
    else
        *node = (struct cf_node){.kind = CF_STRING,
                                 .key = node->key,
                                 .text = KP_TEXT("something else"),
                                 .next = node->next};
}

/* The answer itself (part 0), or its part-th member or line; false: it has not so many. */
static bool perturb_part(struct bench *b, struct cf_node *answer, size_t part)
{
    struct cf_node *one = answer;

    if (part > 0 || answer->kind == CF_MAP)
        one = cf_node_at(answer, answer->kind == CF_MAP ? part : part - 1);
    if (one && (part == 0 || answer->kind == CF_LIST || answer->kind == CF_MAP))
        perturb_node(b, one);
    return one != NULL;
}

/* Where a text's next line begins; its length: nowhere. */
static size_t next_line(struct kp_text text, size_t at)
{
    while (at < text.len && text.bytes[at] != '\n')
        at++;
    return at + (at < text.len);
}

/* Each line of `kept` left out, and with a letter more in its message. */
static void perturb_kept(struct bench *b, const struct cf_case *item, const char *version)
{
    struct kp_text kept = cf_node_find(item->node, "kept")->text;

    for (size_t at = 0, end; at < kept.len; at = end) {
        struct cf_case changed = *item;
        struct cf_node *node = cf_node_copy(&b->arena, item->node);

        end = next_line(kept, at);
        changed.node = node;
        cf_node_find(node, "kept")->text = cf_arena_format(
            &b->arena, "%.*s%.*s", (int)at, kept.bytes, (int)(kept.len - end), kept.bytes + end);
        expect_red(b, &changed, version, "a line of kept left out");
        cf_node_find(node, "kept")->text =
            cf_arena_format(&b->arena, "%.*s%.*sx%.*s", (int)at, kept.bytes, (int)(end - at - 2),
                            kept.bytes + at, (int)(kept.len - end + 2), kept.bytes + end - 2);
        expect_red(b, &changed, version, "another message in kept");
    }
}

static void perturb_question(struct bench *b, const struct cf_case *item, const char *version)
{
    static const char *const answers[] = {"is",     "invalid", "errors",  "warnings", "undecodable",
                                          "stored", "does",    "columns", "describe"};

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        for (size_t part = 0;; part++) {
            struct cf_case changed = *item;
            struct cf_node *node = cf_node_copy(&b->arena, item->node);
            struct cf_node *answer = cf_node_find(node, answers[i]);

            if (!answer || !perturb_part(b, answer, part))
                break;
            changed.node = node;
            expect_red(b, &changed, version, answers[i]);
        }
    if (item->layer == CF_LAYER_EVENTS)
        perturb_kept(b, item, version);
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

            if (selected->item->kind == CF_ATTEMPT)
                continue; /* fire_test.c */
            outcome = play(&b, selected->item, selected->version);
            if (!CHECK(cf_verdict_conforms(outcome.verdict)))
                printf("  %.*s (%s): %.*s\n", KP_ARG(selected->item->id), selected->version,
                       KP_ARG(outcome.why));
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

            if (item->kind == CF_ATTEMPT)
                continue;
            outcome = play(&b, item, version);
            if (outcome.verdict != CF_PASS)
                continue;
            if (item->kind == CF_PLAY)
                perturb_play(&b, item, version);
            else if (item->kind == CF_SCENARIO)
                perturb_scenario(&b, item, version, met(item, &outcome));
            else
                perturb_question(&b, item, version);
            cf_arena_deinit(&b.arena);
            b.arena = (struct cf_arena){.mem = cf_libc_mem()};
        }
    CHECK(b.perturbed > b.selection.count);
    end(&b);
}

const struct unit_test cases_test[] = {
    {"the engine satisfies the table", the_engine_satisfies_the_table},
    {"each expectation can fail", each_expectation_can_fail},
    {0},
};
