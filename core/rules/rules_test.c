#include "core/rules/rules.h"
#include "fakes/unit.h"

static void a_rule_goes_by_its_id(void)
{
    static const char *const none[] = {"", "P", "P-", "P-04", "P-0466", "p-046", "Q-046"};

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        CHECK_INT(kp_rule_find(kp_text_of(kp_rule_get((enum kp_rule)rule)->id)), rule);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        CHECK_INT(kp_rule_find(kp_text_of(none[i])), KP_RULE_NONE);
    CHECK_INT(kp_rule_find(KP_TEXT("P-046")), KP_RULE_BELOW_THRESHOLD);
}

const struct unit_test rules_test[] = {
    {"a rule goes by its id", a_rule_goes_by_its_id},
    {0},
};
