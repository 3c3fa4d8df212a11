#include "conformance/simulate/budget_lines.h"

#include "conformance/text/human.h"

static void put_short(struct cf_out *out, long long big, const char *unit, long long small,
                      const char *small_unit)
{
    cf_out_printf(out, "%lld%s", big, unit);
    if (small > 0)
        cf_out_printf(out, "%lld%s", small, small_unit);
}

void cf_budget_line_put_time(struct cf_budget_lines *lines, int64_t ns, bool up)
{
    long long seconds = (long long)(ns / KP_NS_PER_S + (up && ns % KP_NS_PER_S > 0));
    long long minutes = seconds / 60 + (up && seconds % 60 > 0);

    if (!lines->brief)
        cf_put_duration(lines->out, ns, up);
    else if (seconds <= 120)
        cf_out_printf(lines->out, "%llds", seconds);
    else if (seconds < 3600)
        put_short(lines->out, seconds / 60, "m", seconds % 60, "s");
    else
        put_short(lines->out, minutes / 60, "h", minutes % 60, "m");
}

void cf_budget_line_put_times(struct cf_budget_lines *lines, const struct cf_time_range *range)
{
    if (!lines->brief) {
        cf_put_duration_range(lines->out, range->earliest_ns, range->latest_ns);
        return;
    }
    if (range->earliest_ns < range->latest_ns) {
        cf_budget_line_put_time(lines, range->earliest_ns, false);
        cf_out_put_char(lines->out, '-');
    }
    cf_budget_line_put_time(lines, range->latest_ns, true);
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
