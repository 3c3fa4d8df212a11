#include "core/api/restart_rules.h"
#include "fakes/unit.h"

static const int32_t codes[] = {3, 42};
static const struct kp_restart_rule rules[] = {
    {.action = {"Restart", 7}}, /* without exit codes: matches nothing */
    {.action = {"Restart", 7},
     .has_exit_codes = true,
     .op = {"In", 2},
     .values = codes,
     .value_count = 2},
    {.action = {"RestartAllContainers", 20},
     .has_exit_codes = true,
     .op = {"In", 2},
     .values = codes,
     .value_count = 1},
    {.action = {"Restart", 7},
     .has_exit_codes = true,
     .op = {"NotIn", 5},
     .values = codes,
     .value_count = 2},
};

static void the_first_rule_that_matches_counts(void)
{
    struct kp_container c = {.restart_rules = rules, .restart_rule_count = 3};

    CHECK(kp_restart_rule_find(&c, 3) == &rules[1]);
    CHECK(!kp_restart_rule_find(&c, 4));
    c.restart_rule_count = 4;
    CHECK(kp_restart_rule_find(&c, 4) == &rules[3]);
}

/* Such pods are refused; of one that is played all the same the rule says nothing. */
static void unknown_words_restart_nothing(void)
{
    struct kp_profile profile = unit_profile("1.36");
    struct kp_restart_rule rule = rules[1];
    struct kp_container c = {
        .restart_policy = KP_TEXT("Never"), .restart_rules = &rule, .restart_rule_count = 1};
    struct kp_pod pod = {.containers = &c, .restart_policy = KP_TEXT("Always")};

    CHECK(kp_exit_restarts(&profile, &pod, 0, 3));
    c.restart_policy = KP_TEXT("x");
    pod.restart_policy = KP_TEXT("Never");
    CHECK(kp_exit_restarts(&profile, &pod, 0, 3));
    rule.action = KP_TEXT("y");
    CHECK(kp_container_may_restart(&pod, 0));
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 3));
    CHECK(!kp_exit_restarts_all(&c, 3));
    c.restart_policy = KP_TEXT("Never");
    pod.restart_policy = KP_TEXT("Always");
    rule.action = KP_TEXT("Reboot");
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 3));
    rule.op = KP_TEXT("Over");
    CHECK(!kp_restart_rule_find(&c, 3));
    CHECK(!kp_restart_rule_find(&c, 4));
}

static void rule_then_container_then_pod(void)
{
    struct kp_profile profile = unit_profile("1.36");
    struct kp_container c = {
        .restart_policy = KP_TEXT("Never"), .restart_rules = rules, .restart_rule_count = 2};
    struct kp_pod pod = {.containers = &c, .restart_policy = KP_TEXT("Always")};

    CHECK(kp_exit_restarts(&profile, &pod, 0, 42));
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 1));
    c.restart_policy = KP_TEXT("OnFailure");
    CHECK(kp_exit_restarts(&profile, &pod, 0, 1));
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 0));
    c.restart_policy = KP_TEXT_NONE; /* then the rules do not count either */
    pod.restart_policy = KP_TEXT("Never");
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 42));
    pod.restart_policy = KP_TEXT_NONE;
    CHECK(kp_exit_restarts(&profile, &pod, 0, 0));
}

static void restarting_all_needs_its_gate(void)
{
    struct kp_profile profile;
    struct kp_container c = {
        .restart_policy = KP_TEXT("Never"), .restart_rules = &rules[2], .restart_rule_count = 1};
    struct kp_pod pod = {.containers = &c, .restart_policy = KP_TEXT("Never")};

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK(kp_exit_restarts(&profile, &pod, 0, 3));
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.35")), KP_OK);
    CHECK(!kp_exit_restarts(&profile, &pod, 0, 3));
    c.restart_policy = KP_TEXT("OnFailure"); /* which then has the word */
    CHECK(kp_exit_restarts(&profile, &pod, 0, 3));
}

static void may_restart_asks_for_any_code(void)
{
    struct kp_container c = {
        .restart_policy = KP_TEXT("Never"), .restart_rules = &rules[2], .restart_rule_count = 1};
    struct kp_pod pod = {.containers = &c, .restart_policy = KP_TEXT("Always")};

    CHECK(!kp_container_may_restart(&pod, 0));
    c.restart_rules = rules;
    CHECK(kp_container_may_restart(&pod, 0));
    c.restart_policy = KP_TEXT_NONE;
    CHECK(kp_container_may_restart(&pod, 0));
    pod.restart_policy = KP_TEXT("Never");
    CHECK(!kp_container_may_restart(&pod, 0));
}

static void each_container_has_a_policy_of_its_own(void)
{
    const struct kp_container containers[] = {
        {.restart_policy = KP_TEXT("Never")},
        {.restart_policy = KP_TEXT("")},
        {.restart_policy = KP_TEXT("Never"), .restart_rules = &rules[2], .restart_rule_count = 2},
        {.restart_policy = KP_TEXT("Never"), .restart_rules = &rules[2], .restart_rule_count = 1},
    };
    struct kp_pod pod = {
        .containers = containers, .regular_count = 4, .restart_policy = KP_TEXT("Always")};

    CHECK(!kp_container_may_restart(&pod, 0));
    CHECK(kp_container_may_restart(&pod, 1));
    CHECK(kp_container_may_restart(&pod, 2));
    CHECK(!kp_container_may_restart(&pod, 3));
}

const struct unit_test restart_rules_test[] = {
    {"each container has a policy of its own", each_container_has_a_policy_of_its_own},
    {"the first rule that matches counts", the_first_rule_that_matches_counts},
    {"unknown words restart nothing", unknown_words_restart_nothing},
    {"rule, then container, then pod", rule_then_container_then_pod},
    {"restarting all containers needs its gate", restarting_all_needs_its_gate},
    {"may restart asks for any code", may_restart_asks_for_any_code},
    {0},
};
