/* lint_put.h: findings as text for people, JSON lines, SARIF 2.1.0 or annotations of a GitHub
 * workflow. */
#pragma once

#include "conformance/advice/findings.h"
#include "conformance/text/out.h"

enum cf_lint_format { CF_LINT_TEXT, CF_LINT_JSON, CF_LINT_SARIF, CF_LINT_GITHUB };

/* What is printed of one file. */
struct cf_linted {
    const char *file;
    const struct cf_manifest_fault *faults; /* why it cannot be read, and warnings */
    size_t fault_count;
    struct cf_findings findings;
    size_t pod_count;
};

/* One format, many files: begin, put each, end. */
struct cf_lint_sheet {
    enum cf_lint_format format;
    struct cf_out *out;
    struct cf_out blocks; /* text: each finding */
    struct cf_out lines;  /* text: a line a container, printed in their place of many pods */
    bool all;             /* text: each finding, of however many pods */
    size_t found[CF_LINT_RULES];
    struct cf_out notes; /* SARIF: what could not be read */
    bool failed;         /* something could not be read */
    size_t files, pods, errors, advice, ignored, unread;
};

/* all: each finding as text, also of more than eight pods. */
void cf_lint_begin(struct cf_lint_sheet *sheet, enum cf_lint_format format, bool all,
                   struct cf_out *out);
void cf_lint_put(struct cf_lint_sheet *sheet, const struct cf_linted *linted);
void cf_lint_end(struct cf_lint_sheet *sheet);

/* Every rule: id, sentence and the kubelet's rules behind it. */
void cf_lint_put_rules(struct cf_out *out);
/* One, with the sentences of those, and the linters that find it, too. */
void cf_lint_put_rule(struct cf_out *out, enum cf_lint_rule rule);
