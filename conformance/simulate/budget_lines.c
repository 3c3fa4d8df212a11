#include "conformance/simulate/budget_lines.h"

#include "conformance/text/human.h"

/* A range is told in one form: in seconds from below the first to up to the second. */
#define SECONDS_NS (121 * KP_NS_PER_S)
#define SECONDS_TO_NS (600 * KP_NS_PER_S)

static void put_short(struct cf_out *out, long long big, const char *unit, long long small,
                      const char *small_unit)
{
    cf_out_printf(out, "%lld%s", big, unit);
    if (small > 0)
        cf_out_printf(out, "%lld%s", small, small_unit);
}

/* minutes: from one minute on; else from two. */
static void put_time(struct cf_out *out, int64_t ns, bool up, bool minutes)
{
    long long seconds = (long long)(ns / KP_NS_PER_S + (up && ns % KP_NS_PER_S > 0));
    long long whole = seconds / 60 + (up && seconds % 60 > 0);

    if (seconds < 60 || (seconds <= 120 && !minutes))
        cf_out_printf(out, "%llds", seconds);
    else if (seconds < 3600)
        put_short(out, seconds / 60, "m", seconds % 60, "s");
    else
        put_short(out, whole / 60, "h", whole % 60, "m");
}

void cf_budget_line_put_time(struct cf_budget_lines *lines, int64_t ns, bool up)
{
    if (lines->brief)
        put_time(lines->out, ns, up, false);
    else
        cf_put_duration(lines->out, ns, up);
}

void cf_budget_line_put_times(struct cf_budget_lines *lines, const struct cf_time_range *range)
{
    if (!lines->brief) {
        cf_put_duration_range(lines->out, range->earliest_ns, range->latest_ns);
        return;
    }
    if (range->earliest_ns == range->latest_ns) {
        cf_budget_line_put_time(lines, range->latest_ns, true);
        return;
    }
    if (range->earliest_ns < SECONDS_NS && range->latest_ns <= SECONDS_TO_NS) {
        cf_out_printf(lines->out, "%llds-%llds", (long long)(range->earliest_ns / KP_NS_PER_S),
                      (long long)((range->latest_ns + KP_NS_PER_S - 1) / KP_NS_PER_S));
        return;
    }
    put_time(lines->out, range->earliest_ns, false, true);
    cf_out_put_char(lines->out, '-');
    put_time(lines->out, range->latest_ns, true, true);
}

void cf_budget_line_begin(struct cf_budget_lines *lines, const char *label)
{
    lines->begin = lines->out->len;
    cf_out_printf(lines->out, "  %-7s ", label);
}

bool cf_budget_line_is_wide(const struct cf_budget_lines *lines)
{
    return cf_columns_of((struct kp_text){lines->out->bytes + lines->begin,
                                          lines->out->len - lines->begin}) > CF_COLUMNS;
}

/* A rule in brackets where there is room, and the end of the line. */
void cf_budget_line_end(struct cf_budget_lines *lines, enum kp_rule rule)
{
    struct kp_text line = {lines->out->bytes + lines->begin, lines->out->len - lines->begin};
    const char *id = rule == KP_RULE_NONE ? "" : kp_rule_get(rule)->id;

    if (*id && cf_columns_of(line) + 4 + kp_text_of(id).len <= CF_COLUMNS)
        cf_out_printf(lines->out, "  [%s]", id);
    lines->count++;
    lines->cut |= cf_budget_line_is_wide(lines);
    cf_cut_lines(lines->out, lines->begin, CF_COLUMNS);
    cf_out_put_char(lines->out, '\n');
}
