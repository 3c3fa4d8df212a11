/* budget_lines.h: a container's budget for people is a few lines of 80 columns. */
#pragma once

#include "conformance/simulate/budget.h"
#include "conformance/text/out.h"

/* What is being written: one line at a time. */
struct cf_budget_lines {
    struct cf_out *out;
    size_t begin;     /* of the line */
    bool brief;       /* short times, for want of columns */
    bool fewer_lines; /* what has a line of its own is printed beside another, for want of lines */
    int count;
    bool cut; /* one was too wide */
};

/* A line's label, or "": it goes on with the one above. */
void cf_budget_line_begin(struct cf_budget_lines *lines, const char *label);
/* A rule in brackets where there is room, and the end of the line. */
void cf_budget_line_end(struct cf_budget_lines *lines, enum kp_rule rule);
/* Is the line that was begun too wide by now? */
bool cf_budget_line_is_wide(const struct cf_budget_lines *lines);
/* up: rounded up; else down. */
void cf_budget_line_put_time(struct cf_budget_lines *lines, int64_t ns, bool up);
void cf_budget_line_put_times(struct cf_budget_lines *lines, const struct cf_time_range *range);
