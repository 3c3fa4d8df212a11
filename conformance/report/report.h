/*
 * report.h: result files in the formats that other programs and people read.  Each is a pure
 * function of the results: the same bytes every time.
 */
#pragma once

#include "conformance/judge/result.h"

enum cf_report_format {
    CF_REPORT_TAP,
    CF_REPORT_JUNIT,
    CF_REPORT_MARKDOWN,
    CF_REPORT_HTML,
    CF_REPORT_JSONL,
    CF_REPORT_FORMATS
};

/* By a file's ending (.jsonl .tap .xml .md .html); -1: none. */
int cf_report_format_of_file(const char *path);
/* JSONL is not written here: it is what the others are made from. */
void cf_report_put(struct cf_out *out, enum cf_report_format format,
                   const struct cf_result *results, size_t count);

/*
 * What differs between two runs, a line each, sorted as in the second one.
 *
 * Returns: how many cases differ.
 */
size_t cf_report_diff(struct cf_out *out, const struct cf_result *before,
                      const struct cf_result *after);
/* What differs by design (known failures with a reason) and what nobody explains, a rule each. */
void cf_report_differences(struct cf_out *out, const struct cf_result *result);
/* Of attempts that differ: how many in the result, in the request alone, in words alone. */
void cf_report_parts(struct cf_out *out, const struct cf_result *result);
