/* differences.c: what an implementation does otherwise, by rule: a line a rule and way, with how
 * many cases show it, what the rule says, and where it is seen first. */
#include "conformance/judge/known.h"
#include "conformance/report/report.h"
#include "core/rules/rules.h"

#include <string.h>

enum difference { FINE, BY_DESIGN, BUG };

/* Has somebody said why? */
static bool is_explained(const struct cf_result_case *item)
{
    return item->outcome.verdict == CF_XFAIL &&
           !kp_text_equal(item->reason, KP_TEXT(CF_KNOWN_UNEXPLAINED));
}

/* A known failure is by design where its reason does not say that it is a bug. */
static enum difference difference_of(const struct cf_result_case *item)
{
    if (item->outcome.verdict == CF_XFAIL)
        return is_explained(item) && !kp_text_begins(item->reason, "bug:") ? BY_DESIGN : BUG;
    return item->outcome.verdict == CF_XPASS || cf_verdict_conforms(item->outcome.verdict) ||
                   item->outcome.verdict == CF_NOISY || item->outcome.verdict == CF_NOT_RUN
               ? FINE
               : BUG;
}

/* ---- what happens instead ---------------------------------------------------------------------
 */

/* The second word of a line of a trace, and how it reads: too early or late, missing, unwanted. */
static const struct {
    const char *word;
    const char *done;    /* "killed too early" */
    const char *missing; /* where it never comes */
} kinds[] = {
    {" kill ", "killed", "not killed"},
    {" start ", "started again", "not started again"},
    {" start 0", "started", "not started"},
    {" probe ", "probed", "not probed"},
    {" not ready", "not ready any more", "still ready"},
    {" ready", "ready", "not ready"},
    {" not started", "not started up any more", "still started up"},
    {" started", "started up", "not started up"},
    {"", "something comes", "something is missing"}, /* any other */
};

enum sort { BROKEN, TOLD, RESULT, ANSWER, EARLY, LATE, OTHERWISE, MISSING, UNWANTED };

/* In what a case differs first. */
struct way {
    enum sort sort;
    size_t kind; /* of `kinds` */
    struct kp_text wanted;
    struct kp_text got;
};

/* Behind the name of whom it is of. */
static struct kp_text behind_name(struct kp_text line)
{
    while (line.len > 0 && line.bytes[0] != ' ')
        line.bytes++, line.len--;
    return line;
}

static size_t kind_of(struct kp_text line)
{
    size_t any = sizeof kinds / sizeof *kinds - 1;
    size_t best = any;

    line = behind_name(line);
    for (size_t i = 0; i < any; i++)
        if (kp_text_begins(line, kinds[i].word) &&
            (best == any || strlen(kinds[i].word) > strlen(kinds[best].word)))
            best = i;
    return best;
}

/* The first column in which two plays differ. */
static void cut_column(struct way *way)
{
    size_t i = 0;

    while (i + 1 < way->wanted.len && i + 1 < way->got.len &&
           way->wanted.bytes[i] == way->got.bytes[i])
        i++;
    way->wanted = (struct kp_text){way->wanted.bytes + i, 1};
    way->got = (struct kp_text){way->got.bytes + i, 1};
}

/* The same effect on the other side of the timeline: when it came, or how. */
static enum sort sort_of(const struct cf_outcome *outcome, struct kp_text line, bool wanted)
{
    const struct cf_moment *first = &outcome->moments[outcome->first];
    enum sort found = wanted ? MISSING : UNWANTED;

    for (size_t i = 0; i < outcome->moment_count; i++) {
        const struct cf_moment *moment = &outcome->moments[i];
        struct kp_text other = wanted ? moment->got : moment->wanted;

        if ((wanted ? moment->wanted : moment->got).len > 0 || other.len == 0)
            continue;
        if (kp_text_equal(other, line))
            return (moment->at_ms >= first->at_ms) == wanted ? LATE : EARLY;
        if (moment->at_ms == first->at_ms && kind_of(other) == kind_of(line) &&
            kind_of(line) + 1 < sizeof kinds / sizeof *kinds)
            found = OTHERWISE;
    }
    return found;
}

static struct way way_of(const struct cf_result_case *item)
{
    const struct cf_outcome *outcome = &item->outcome;
    struct way way = {.sort = BROKEN};
    const struct cf_moment *first;

    if (outcome->first >= outcome->moment_count)
        return way;
    first = &outcome->moments[outcome->first];
    way.wanted = first->wanted;
    way.got = first->got;
    way.kind = kind_of(way.wanted.len > 0 ? way.wanted : way.got);
    if (way.wanted.len == 0 || way.got.len == 0) {
        way.sort = sort_of(outcome, way.wanted.len > 0 ? way.wanted : way.got, way.wanted.len > 0);
    } else if (kp_text_begins(way.wanted, "told ")) {
        way.sort = TOLD;
        cut_column(&way);
    } else {
        way.sort = kp_text_begins(way.wanted, "result: ") ? RESULT : ANSWER;
    }
    return way;
}

static bool is_same_way(const struct way *a, const struct way *b)
{
    return a->sort == b->sort && a->kind == b->kind &&
           ((a->sort != TOLD && a->sort != RESULT) ||
            (kp_text_equal(a->wanted, b->wanted) && kp_text_equal(a->got, b->got)));
}

static const char *letter_word(char letter)
{
    return letter == '+' ? "success" : letter == '-' ? "failure" : "unknown";
}

/* It broke off: no rule is to blame. */
static bool is_broken(const struct cf_result_case *item)
{
    return item->outcome.verdict == CF_CRASH || item->outcome.verdict == CF_TIMEOUT ||
           item->outcome.verdict == CF_PROTOCOL || item->outcome.verdict == CF_LIVELOCK;
}

static void put_way(struct cf_out *out, const struct way *way, const struct cf_result_case *item)
{
    static const char *const when[] = {[EARLY] = "too early",
                                       [LATE] = "too late",
                                       [OTHERWISE] = "otherwise than wanted",
                                       [UNWANTED] = "where it should not be"};

    switch (way->sort) {
    case BROKEN:
        cf_out_put_string(out, cf_verdict_sentence(item->outcome.verdict));
        return;
    case TOLD:
        if (way->got.bytes[0] == '!')
            cf_out_put_string(out, "probed where it should rest");
        else if (way->got.bytes[0] == ' ' || way->wanted.bytes[0] == '_')
            cf_out_put_string(out, "not probed as often as it should be");
        else
            cf_out_printf(out, "the result is %s here, and should be %s",
                          letter_word(way->got.bytes[0]), letter_word(way->wanted.bytes[0]));
        return;
    case RESULT:
        cf_out_printf(out, "an attempt is a %.*s here, and should be a %.*s", (int)way->got.len - 8,
                      way->got.bytes + 8, (int)way->wanted.len - 8, way->wanted.bytes + 8);
        return;
    case ANSWER:
        cf_out_put_string(out, "another answer than wanted");
        return;
    case MISSING:
        cf_out_put_string(out, kinds[way->kind].missing);
        return;
    default:
        cf_out_printf(out, "%s %s", kinds[way->kind].done, when[way->sort]);
    }
}

/* ---- by rule --------------------------------------------------------------------------------
 */

/* A case stands for the first of its rules. */
static struct kp_text rule_of(const struct cf_result_case *item)
{
    return item->rules.count > 0 ? item->rules.items[0] : KP_TEXT_NONE;
}

static bool are_one(const struct cf_result_case *a, const struct cf_result_case *b)
{
    struct way way_a;
    struct way way_b;

    if (is_broken(a) || is_broken(b))
        return a->outcome.verdict == b->outcome.verdict;
    if (difference_of(a) != difference_of(b) || !kp_text_equal(rule_of(a), rule_of(b)) ||
        !kp_text_equal(a->reason, b->reason))
        return false;
    way_a = way_of(a);
    way_b = way_of(b);
    return is_same_way(&way_a, &way_b);
}

static void put_rule(struct cf_out *out, const struct cf_result *result, size_t first)
{
    const struct cf_result_case *item = &result->cases[first];
    struct kp_text id = rule_of(item);
    struct kp_text said = is_explained(item) ? item->reason : item->outcome.why;
    enum kp_rule rule = kp_rule_find(id);
    struct way way = way_of(item);
    size_t count = 0;

    for (size_t i = first; i < result->case_count; i++)
        count += are_one(item, &result->cases[i]);
    if (is_broken(item))
        id = kp_text_of(cf_verdict_word(item->outcome.verdict));
    cf_out_printf(out, "  %.*s: ", KP_ARG(id));
    put_way(out, &way, item);
    cf_out_printf(out, " (%zu case%s)\n", count, count == 1 ? "" : "s");
    if (is_broken(item))
        cf_out_put(out, KP_TEXT("    `probetest doctor -- ADAPTER` looks at it step by step\n"));
    else
        cf_out_printf(out, "    rule: %s\n",
                      rule == KP_RULE_NONE ? "" : kp_rule_get(rule)->sentence);
    if (!is_explained(item))
        cf_out_printf(out, "    %.*s: ", KP_ARG(item->id));
    else
        cf_out_put(out, KP_TEXT("    "));
    cf_out_printf(out, "%.*s\n", KP_ARG(said));
}

static void put_differences(struct cf_out *out, const struct cf_result *result,
                            enum difference which, const char *title)
{
    bool begun = false;

    for (size_t i = 0; i < result->case_count; i++) {
        bool listed = difference_of(&result->cases[i]) != which;

        for (size_t k = 0; k < i && !listed; k++)
            listed = are_one(&result->cases[k], &result->cases[i]);
        if (listed)
            continue;
        if (!begun)
            cf_out_printf(out, "%s\n", title);
        begun = true;
        put_rule(out, result, i);
    }
}

void cf_report_differences(struct cf_out *out, const struct cf_result *result)
{
    put_differences(out, result, BY_DESIGN, "differs by design:");
    put_differences(out, result, BUG, "bugs, known (bug: in their reason) or not explained:");
}

/* ---- attempts in parts ------------------------------------------------------------------------
 */

/* 0: in its result; 1: not there, but in the request; 2: in words alone. */
static int part_of(const struct cf_outcome *outcome)
{
    int part = 2;

    for (size_t i = 0; i < outcome->moment_count; i++) {
        const struct cf_moment *moment = &outcome->moments[i];
        struct kp_text line = moment->wanted.len > 0 ? moment->wanted : moment->got;

        if (kp_text_equal(moment->wanted, moment->got))
            continue;
        if (kp_text_begins(line, "result: "))
            return 0;
        if (!kp_text_begins(line, "output: ") && !kp_text_begins(line, "error: "))
            part = 1;
    }
    return part;
}

void cf_report_parts(struct cf_out *out, const struct cf_result *result)
{
    size_t counts[3] = {0};

    for (size_t i = 0; i < result->case_count; i++)
        if (kp_text_equal(result->cases[i].layer, KP_TEXT("fire")) &&
            (result->cases[i].outcome.verdict == CF_FAIL ||
             result->cases[i].outcome.verdict == CF_XFAIL))
            counts[part_of(&result->cases[i].outcome)]++;
    if (counts[0] + counts[1] + counts[2] > 0)
        cf_out_printf(out,
                      "attempts that differ: %zu in the result, %zu in the request alone, "
                      "%zu in words alone\n",
                      counts[0], counts[1], counts[2]);
}
