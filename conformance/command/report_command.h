/* report_command.h: `probetest report`, `verify-report` and `diff`: what becomes of result files.
 */
#ifndef CF_REPORT_COMMAND_H
#define CF_REPORT_COMMAND_H

#include "conformance/report/report.h"

int cf_report_command(int argc, char **argv);
int cf_verify_command(int argc, char **argv);
int cf_diff_command(int argc, char **argv);

enum cf_report_format {
    CF_REPORT_JSONL,
    CF_REPORT_TAP,
    CF_REPORT_JUNIT,
    CF_REPORT_MARKDOWN,
    CF_REPORT_HTML,
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

#endif
