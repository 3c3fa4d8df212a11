#include "conformance/advice/findings.h"

#include <string.h>

static const struct cf_lint_row rows[] = {
#define LINT(name, id, error, kubelet, sentence, others) {id, error, kubelet, sentence, others},
#include "conformance/advice/lint.def"
#undef LINT
};

const struct cf_lint_row *cf_lint_row(enum cf_lint_rule rule)
{
    return &rows[rule];
}

enum cf_lint_rule cf_lint_find(struct kp_text id)
{
    int rule = 0;

    while (rule < CF_LINT_RULES && !kp_text_equal(id, kp_text_of(rows[rule].id)))
        rule++;
    return (enum cf_lint_rule)rule;
}

void cf_findings_add(struct cf_arena *arena, struct cf_findings *findings,
                     struct cf_finding finding)
{
    struct cf_finding *list =
        cf_arena_grow(arena, findings->list, &findings->room, findings->count, sizeof *list);

    if (!list)
        return;
    findings->list = list;
    findings->list[findings->count++] = finding;
    if (finding.ignored)
        findings->ignored++;
    else if (rows[finding.rule].error)
        findings->errors++;
    else
        findings->advice++;
}
