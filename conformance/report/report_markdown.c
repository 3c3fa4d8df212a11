/* report_markdown.c: for pull requests and wikis. */
#include "conformance/report/format.h"

#include "conformance/text/print.h"

#include <string.h>

/* All in one line, and nothing of it markup: < begins a tag, a bar a cell, @ calls somebody. */
static void put_inline(struct cf_out *out, struct kp_text text)
{
    struct cf_out shown = {0};

    cf_out_put_shown(&shown, text);
    for (size_t i = 0; i < shown.len; i++) {
        char c = shown.bytes[i];

        if (c == '@' || c == '&')
            cf_out_printf(out, "&#%d;", c);
        else if (strchr("|\\<>`*_[]#~!", c))
            cf_out_printf(out, "\\%c", c);
        else
            cf_out_put_char(out, c);
    }
    cf_out_deinit(&shown);
}

/* "12/14" passed of judged; a dash where nothing was judged. */
static void put_share(struct cf_out *out, const size_t totals[CF_VERDICTS])
{
    size_t judged = cf_result_judged(totals);

    if (judged == 0)
        cf_out_put_char(out, '-');
    else
        cf_out_printf(out, "%s%zu/%zu", totals[CF_PASS] == judged ? "" : "**", totals[CF_PASS],
                      judged);
    if (judged > 0 && totals[CF_PASS] != judged)
        cf_out_put(out, KP_TEXT("**"));
}

static void put_table(struct cf_out *out, struct cf_arena *arena, const struct cf_result *results,
                      size_t count)
{
    struct kp_text_list topics = cf_report_topics(arena, results, count);
    size_t totals[CF_VERDICTS];

    cf_out_put(out, KP_TEXT("| topic |"));
    for (size_t i = 0; i < count; i++) {
        cf_out_put_char(out, ' ');
        put_inline(out, cf_report_title(arena, &results[i]));
        cf_out_put(out, KP_TEXT(" |"));
    }
    cf_out_put(out, KP_TEXT("\n|---|"));
    for (size_t i = 0; i < count; i++)
        cf_out_put(out, KP_TEXT("---:|"));
    for (size_t t = 0; t <= topics.count; t++) {
        struct kp_text topic = t < topics.count ? topics.items[t] : KP_TEXT_NONE;

        cf_out_put(out, KP_TEXT("\n| "));
        put_inline(out, topic.len > 0 ? topic : KP_TEXT("all"));
        cf_out_put(out, KP_TEXT(" |"));
        for (size_t i = 0; i < count; i++) {
            cf_report_count(&results[i], topic, totals);
            cf_out_put_char(out, ' ');
            put_share(out, totals);
            cf_out_put(out, KP_TEXT(" |"));
        }
    }
    cf_out_put_char(out, '\n');
}

/* Four spaces make a block in which nothing is markup. */
static void put_timeline(struct cf_out *out, const struct cf_outcome *outcome)
{
    if (outcome->moment_count == 0)
        return;
    cf_out_put_char(out, '\n');
    for (size_t i = 0; i < outcome->moment_count; i++) {
        const struct cf_moment *moment = &outcome->moments[i];

        cf_out_put_string(out, i == outcome->first ? "    > " : "      ");
        cf_out_put_seconds(out, moment->at_ms);
        cf_out_put(out, KP_TEXT("  wanted: "));
        cf_out_put_shown(out, moment->wanted);
        cf_out_put(out, KP_TEXT("  got: "));
        cf_out_put_shown(out, moment->got);
        cf_out_put_char(out, '\n');
    }
}

static void put_bad(struct cf_out *out, const struct cf_result_case *item)
{
    cf_out_printf(out, "\n### %s: ", cf_verdict_word(item->outcome.verdict));
    put_inline(out, item->id);
    cf_out_put(out, KP_TEXT(" @"));
    put_inline(out, item->k8s);
    cf_out_put(out, KP_TEXT("\n\n"));
    put_inline(out, item->sentence);
    cf_out_put(out, KP_TEXT("\n\n"));
    put_inline(out, item->outcome.why);
    cf_out_put_char(out, '\n');
    put_timeline(out, &item->outcome);
}

static void put_known(struct cf_out *out, const struct cf_result *result)
{
    bool first = true;

    for (size_t i = 0; i < result->case_count; i++) {
        const struct cf_result_case *item = &result->cases[i];

        if (item->outcome.verdict != CF_XFAIL)
            continue;
        if (first)
            cf_out_put(out, KP_TEXT("\n### Known failures\n\n"));
        first = false;
        cf_out_put(out, KP_TEXT("- "));
        put_inline(out, item->id);
        cf_out_put(out, KP_TEXT(" @"));
        put_inline(out, item->k8s);
        cf_out_put(out, KP_TEXT(": "));
        put_inline(out, item->reason);
        cf_out_put_char(out, '\n');
    }
}

void cf_report_markdown(struct cf_out *out, const struct cf_result *results, size_t count)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};

    cf_out_put(out, KP_TEXT("# Kubernetes container probes: conformance\n\n"));
    put_table(out, &arena, results, count);
    for (size_t i = 0; i < count; i++) {
        size_t totals[CF_VERDICTS];

        cf_report_count(&results[i], KP_TEXT_NONE, totals);
        cf_out_put(out, KP_TEXT("\n## "));
        put_inline(out, cf_report_title(&arena, &results[i]));
        cf_out_put(out, KP_TEXT("\n\n"));
        for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
            if (totals[verdict] > 0)
                cf_out_printf(out, "- %zu %s: %s\n", totals[verdict],
                              cf_verdict_word((enum cf_verdict)verdict),
                              cf_verdict_sentence((enum cf_verdict)verdict));
        if (results[i].interrupted)
            cf_out_put(out, KP_TEXT("\nThe run was interrupted.\n"));
        for (size_t k = 0; k < results[i].case_count; k++)
            if (!cf_verdict_conforms(results[i].cases[k].outcome.verdict))
                put_bad(out, &results[i].cases[k]);
        put_known(out, &results[i]);
    }
    cf_arena_deinit(&arena);
}
