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

static void a_rule_stands_as_its_row_says(void)
{
    static const struct {
        const char *id;
        enum kp_standing standing;
        const char *evidence;
    } rows[] = {
        {"P-039", KP_STANDING_CONTRACT, "reference Probe.initialDelaySeconds"},
        {"P-042", KP_STANDING_QUIRK, "K-12"},
        {"P-066", KP_STANDING_WORDING, ""},
        {"P-013", KP_STANDING_KUBELET, ""}, /* it has no row */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kp_rule rule = kp_rule_find(kp_text_of(rows[i].id));

        CHECK_INT(kp_rule_standing(rule), rows[i].standing);
        CHECK_STRING(kp_rule_evidence(rule), rows[i].evidence);
    }
}

static void standings_have_names(void)
{
    CHECK_STRING(kp_standing_name(KP_STANDING_CONTRACT), "contract");
    CHECK_STRING(kp_standing_name(KP_STANDING_KUBELET), "kubelet");
    CHECK_STRING(kp_standing_name(KP_STANDING_WORDING), "wording");
    CHECK_STRING(kp_standing_name(KP_STANDING_QUIRK), "quirk");
}

static void what_no_trace_shows_says_why(void)
{
    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        CHECK_INT(kp_rule_silent((enum kp_rule)rule) != NULL,
                  kp_rule_get((enum kp_rule)rule)->level == KP_LEVEL_PROSE);
}

const struct unit_test rules_test[] = {
    {"a rule goes by its id", a_rule_goes_by_its_id},
    {"a rule stands as its row says", a_rule_stands_as_its_row_says},
    {"standings have names", standings_have_names},
    {"what no trace shows says why", what_no_trace_shows_says_why},
    {0},
};
