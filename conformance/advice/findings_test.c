#include "conformance/advice/findings.h"
#include "core/rules/rules.h"
#include "fakes/unit.h"

static void each_rule_stands_on_rules_of_the_kubelet(void)
{
    for (int i = 0; i < CF_LINT_RULES; i++) {
        const struct cf_lint_row *row = cf_lint_row((enum cf_lint_rule)i);
        const char *at = row->kubelet;

        CHECK_INT(cf_lint_find(kp_text_of(row->id)), i);
        CHECK(row->error || *at);
        while (*at) {
            size_t len = strcspn(at, " ");

            CHECK(kp_rule_find((struct kp_text){at, len}) != KP_RULE_NONE);
            at += len + (at[len] == ' ');
        }
    }
    CHECK_INT(cf_lint_find(KP_TEXT("no-such")), CF_LINT_RULES);
}

const struct unit_test findings_test[] = {
    {"each rule stands on rules of the kubelet", each_rule_stands_on_rules_of_the_kubelet},
    {0},
};
