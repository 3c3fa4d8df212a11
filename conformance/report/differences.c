/* differences.c: what an implementation does otherwise, by rule: a line a rule, with how many cases
 * show it, what the rule says, and where it is seen first. */
#include "conformance/judge/known.h"
#include "conformance/report/report.h"
#include "core/rules/rules.h"

enum difference { FINE, BY_DESIGN, BUG };

static bool begins(struct kp_text text, const char *with)
{
    struct kp_text prefix = kp_text_of(with);

    return text.len >= prefix.len &&
           kp_text_equal((struct kp_text){text.bytes, prefix.len}, prefix);
}

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
        return is_explained(item) && !begins(item->reason, "bug:") ? BY_DESIGN : BUG;
    return item->outcome.verdict == CF_XPASS || !cf_report_is_bad(item->outcome.verdict) ||
                   item->outcome.verdict == CF_NOISY || item->outcome.verdict == CF_NOT_RUN
               ? FINE
               : BUG;
}

/* A case stands for the first of its rules. */
static struct kp_text rule_of(const struct cf_result_case *item)
{
    return item->rules.count > 0 ? item->rules.items[0] : KP_TEXT_NONE;
}

static bool are_one(const struct cf_result_case *a, const struct cf_result_case *b)
{
    return difference_of(a) == difference_of(b) && kp_text_equal(rule_of(a), rule_of(b)) &&
           kp_text_equal(a->reason, b->reason);
}

static void put_rule(struct cf_out *out, const struct cf_result *result, size_t first)
{
    const struct cf_result_case *item = &result->cases[first];
    struct kp_text id = rule_of(item);
    struct kp_text said = is_explained(item) ? item->reason : item->outcome.why;
    enum kp_rule rule = kp_rule_find(id);
    size_t count = 0;

    for (size_t i = first; i < result->case_count; i++)
        count += are_one(item, &result->cases[i]);
    cf_out_printf(out, "  %.*s is otherwise here (%zu case%s): %s\n", (int)id.len, id.bytes, count,
                  count == 1 ? "" : "s", rule == KP_RULE_NONE ? "" : kp_rule_get(rule)->sentence);
    if (!is_explained(item))
        cf_out_printf(out, "    %.*s: ", (int)item->id.len, item->id.bytes);
    else
        cf_out_put(out, KP_TEXT("    "));
    cf_out_printf(out, "%.*s\n", (int)said.len, said.bytes);
}

static void put_differences(struct cf_out *out, const struct cf_result *result,
                            enum difference which, const char *title)
{
    bool begun = false;

    for (size_t i = 0; i < result->case_count; i++) {
        bool told = difference_of(&result->cases[i]) != which;

        for (size_t k = 0; k < i && !told; k++)
            told = are_one(&result->cases[k], &result->cases[i]);
        if (told)
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
        if (begins(line, "result: "))
            return 0;
        if (!begins(line, "output: ") && !begins(line, "error: "))
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
