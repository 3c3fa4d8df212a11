#include "conformance/judge/verdict.h"

#include "conformance/text/human.h"
#include "conformance/text/print.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define SIDE_COLUMNS 46 /* of wanted and of got */
#define BEFORE 6        /* moments shown before the first divergence, and */
#define BEHIND 8        /* behind it */

/* ---- one failure -------------------------------------------------------------------------- */

static void put_colour(struct cf_out *out, const struct cf_print *print, const char *code)
{
    struct cf_colours *colours = print->colours;

    if (!colours)
        return;
    assert(colours->count < sizeof colours->changes / sizeof colours->changes[0]);
    colours->changes[colours->count].at = out->len;
    colours->changes[colours->count++].code = code;
}

void cf_print_coloured(FILE *to, struct kp_text text, const struct cf_colours *colours)
{
    size_t from = 0;

    for (size_t i = 0; i <= colours->count; i++) {
        size_t end = i < colours->count ? colours->changes[i].at : text.len;

        cf_print_text(to, (struct kp_text){text.bytes + from, end - from});
        if (i < colours->count)
            cf_print(to, "\033[%sm", colours->changes[i].code);
        from = end;
    }
}

/* The text in that many columns, cut with `...` where it is longer. */
static void put_side(struct cf_out *out, struct kp_text text)
{
    size_t columns = cf_columns_of(text);
    size_t shown = 0;
    size_t at = 0;

    if (text.len == 0) {
        cf_out_printf(out, "%-*s", SIDE_COLUMNS, "-");
        return;
    }
    while (at < text.len) {
        bool starts = ((unsigned char)text.bytes[at] & 0xC0) != 0x80;

        if (starts && columns > SIDE_COLUMNS && shown == SIDE_COLUMNS - 3)
            break;
        shown += starts;
        cf_out_put_char(out, text.bytes[at] == '\n' ? ' ' : text.bytes[at]);
        at++;
    }
    if (at < text.len) {
        cf_out_put(out, KP_TEXT("..."));
        shown += 3;
    }
    cf_out_printf(out, "%*s", SIDE_COLUMNS - (int)shown, "");
}

/* Seconds with milliseconds, right in 13 columns. */
static void put_time(struct cf_out *out, int64_t at_ms)
{
    int64_t size = at_ms < 0 ? -at_ms : at_ms;
    char text[32];

    snprintf(text, sizeof text, "%s%lld.%03lld", at_ms < 0 ? "-" : "", (long long)(size / 1000),
             (long long)(size % 1000));
    cf_out_printf(out, "%13s", text);
}

static void trim_right(struct cf_out *out)
{
    while (out->len > 0 && out->bytes[out->len - 1] == ' ')
        out->len--;
}

static void put_moment(struct cf_out *out, const struct cf_outcome *outcome, size_t index,
                       const struct cf_print *print)
{
    const struct cf_moment *moment = &outcome->moments[index];
    bool same = kp_text_equal(moment->wanted, moment->got);

    put_colour(out, print, index == outcome->first ? "1;31" : same ? "2" : "31");
    cf_out_put_string(out, index == outcome->first ? " >" : "  ");
    put_time(out, moment->at_ms);
    cf_out_put(out, KP_TEXT("  "));
    put_side(out, moment->wanted);
    cf_out_put_string(out, same ? "   " : " | ");
    put_side(out, moment->got);
    trim_right(out);
    put_colour(out, print, "0");
    cf_out_put_char(out, '\n');
}

static void put_timeline(struct cf_out *out, const struct cf_outcome *outcome,
                         const struct cf_print *print)
{
    size_t from = outcome->first > BEFORE ? outcome->first - BEFORE : 0;
    size_t to = outcome->first + BEHIND < outcome->moment_count ? outcome->first + BEHIND
                                                                : outcome->moment_count;

    if (outcome->moment_count == 0)
        return;
    cf_out_printf(out, "        seconds  %-*sgot\n", SIDE_COLUMNS + 3, "wanted");
    if (from > 0)
        cf_out_printf(out, "            ...  %zu lines before, the same on both sides\n", from);
    for (size_t i = from; i < to; i++)
        put_moment(out, outcome, i, print);
    if (to < outcome->moment_count)
        cf_out_printf(out, "            ...  %zu more\n", outcome->moment_count - to);
}

static void put_rules(struct cf_out *out, const struct cf_result_case *item)
{
    for (size_t i = 0; i < item->rules.count; i++) {
        enum kp_rule rule = kp_rule_find(item->rules.items[i]);
        const struct kp_rule_row *row = rule == KP_RULE_NONE ? NULL : kp_rule_get(rule);

        cf_out_put(out, KP_TEXT("    rule    "));
        cf_out_put(out, item->rules.items[i]);
        if (row)
            cf_out_printf(out, "  %s  (%s)", row->sentence, row->place);
        cf_out_put_char(out, '\n');
    }
}

static void put_issues(struct cf_out *out, const struct cf_result_case *item)
{
    if (item->issues.count == 0)
        return;
    cf_out_put(out, KP_TEXT("    known upstream as"));
    for (size_t i = 0; i < item->issues.count; i++) {
        cf_out_put_string(out, i > 0 ? ", #" : " kubernetes/kubernetes#");
        cf_out_put(out, item->issues.items[i]);
    }
    cf_out_put_char(out, '\n');
}

static void put_log(struct cf_out *out, struct kp_text log)
{
    struct kp_text line;

    while (kp_text_next_line(&log, &line)) {
        cf_out_put(out, KP_TEXT("    stderr  "));
        cf_out_put(out, line);
        cf_out_put_char(out, '\n');
    }
}

void cf_print_failure(struct cf_out *out, const struct cf_result_case *item,
                      const struct cf_print *print)
{
    put_colour(out, print, "1");
    cf_out_printf(out, "%s  %.*s", cf_verdict_word(item->outcome.verdict), KP_ARG(item->id));
    put_colour(out, print, "0");
    cf_out_printf(out, "  (%.*s, %.*s)\n    %.*s\n", KP_ARG(item->k8s), KP_ARG(item->place),
                  KP_ARG(item->sentence));
    put_timeline(out, &item->outcome, print);
    if (item->outcome.why.len > 0)
        cf_out_printf(out, "    %.*s\n", KP_ARG(item->outcome.why));
    put_log(out, item->outcome.log);
    if (item->outcome.verdict == CF_FAIL || item->outcome.verdict == CF_XPASS) {
        put_rules(out, item);
        put_issues(out, item);
    }
    cf_out_printf(out, "    again   %s --k8s %.*s ", print->rerun, KP_ARG(item->k8s));
    if (item->tier != CF_TIER_EXACT)
        cf_out_printf(out, "--tier %s ", cf_tier_name(item->tier));
    cf_out_printf(out, "'^%.*s$'%s\n\n", KP_ARG(item->id), print->behind);
}
