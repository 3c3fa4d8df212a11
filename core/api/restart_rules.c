#include "restart_rules.h"

static bool has_code(const struct kp_restart_rule *rule, int32_t exit_code)
{
    for (size_t i = 0; i < rule->value_count; i++)
        if (rule->values[i] == exit_code)
            return true;
    return false;
}

/* In wants the code in the list, NotIn wants it absent; a rule without codes matches nothing
 * (S-126). */
static bool matches(const struct kp_restart_rule *rule, int32_t exit_code)
{
    if (kp_text_equal(rule->op, KP_TEXT("In")))
        return has_code(rule, exit_code);
    return kp_text_equal(rule->op, KP_TEXT("NotIn")) && !has_code(rule, exit_code);
}

const struct kp_restart_rule *kp_restart_rule_find(const struct kp_container *container,
                                                   int32_t exit_code)
{
    for (size_t i = 0; i < container->restart_rule_count; i++)
        if (matches(&container->restart_rules[i], exit_code))
            return &container->restart_rules[i];
    return NULL;
}

enum answer { NO, YES, SILENT };

static enum answer policy_answer(struct kp_text policy, int32_t exit_code)
{
    if (kp_text_equal(policy, KP_TEXT("Always")))
        return YES;
    if (kp_text_equal(policy, KP_TEXT("OnFailure")))
        return exit_code != 0 ? YES : NO;
    return kp_text_equal(policy, KP_TEXT("Never")) ? NO : SILENT;
}

static bool restarts_by_rule(const struct kp_profile *profile, const struct kp_restart_rule *rule)
{
    if (!rule)
        return false;
    if (kp_text_equal(rule->action, KP_TEXT("Restart")))
        return true;
    return profile->gates[KP_GATE_RestartAllContainersOnContainerExits] &&
           kp_text_equal(rule->action, KP_TEXT("RestartAllContainers"));
}

bool kp_exit_restarts_all(const struct kp_container *container, int32_t exit_code)
{
    const struct kp_restart_rule *rule = kp_restart_rule_find(container, exit_code);

    return rule && kp_text_equal(rule->action, KP_TEXT("RestartAllContainers"));
}

bool kp_exit_restarts(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                      int32_t exit_code)
{
    const struct kp_container *spec = &pod->containers[container];
    enum answer answer = SILENT;

    if (spec->restart_policy.len > 0) {
        if (restarts_by_rule(profile, kp_restart_rule_find(spec, exit_code)))
            return true;
        answer = policy_answer(spec->restart_policy, exit_code);
    }
    if (answer == SILENT)
        answer = policy_answer(pod->restart_policy, exit_code);
    return answer != NO; /* no policy at all is Always */
}

static bool has_rule(const struct kp_container *container, struct kp_text action)
{
    for (size_t i = 0; i < container->restart_rule_count; i++)
        if (kp_text_equal(container->restart_rules[i].action, action))
            return true;
    return false;
}

bool kp_container_may_restart(const struct kp_pod *pod, int container)
{
    const struct kp_container *spec = &pod->containers[container];

    if (spec->restart_policy.len == 0)
        return !kp_text_equal(pod->restart_policy, KP_TEXT("Never"));
    return has_rule(spec, KP_TEXT("Restart")) ||
           !kp_text_equal(spec->restart_policy, KP_TEXT("Never"));
}

bool kp_all_containers_could_restart(const struct kp_pod *pod)
{
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++)
        if (has_rule(&pod->containers[i], KP_TEXT("RestartAllContainers")))
            return true;
    return false;
}
