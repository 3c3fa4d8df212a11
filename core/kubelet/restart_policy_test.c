#include "core/kubelet/restart_policy.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>

/* One container, its newest instance in that state, which ended with that code; and by which rule
 * it is started again or not. */
struct row {
    const char *why;
    const char *k8s;
    const char *policy;
    enum kp_instance_state newest;
    int32_t code;
    bool deleted;
    bool restarts;
    enum kp_rule rule;
};

/* clang-format off */
static const struct row rows[] = {
    {"nothing of a deleted pod",            "1.36", "Always",    KP_INSTANCE_EXITED,  1, true,  false, KP_RULE_DELETED_POD_NO_RESTART},
    {"up to 1.17.10 that was nothing to it", "1.16", "Always",   KP_INSTANCE_EXITED,  1, true,  true,  KP_RULE_RESTART_POLICY},
    {"there is none yet",                   "1.36", "Never",     KP_INSTANCE_NONE,    0, false, true,  KP_RULE_START_WITHOUT_STATUS},
    {"it runs",                             "1.36", "Always",    KP_INSTANCE_RUNNING, 0, false, false, KP_RULE_START_BY_STATE},
    {"it was made and did not run",         "1.36", "Never",     KP_INSTANCE_CREATED, 0, false, true,  KP_RULE_START_BY_STATE},
    {"the policy, without rules of exits",  "1.33", "OnFailure", KP_INSTANCE_EXITED,  1, false, true,  KP_RULE_RESTART_POLICY},
    {"an end with 0 is none",               "1.33", "OnFailure", KP_INSTANCE_EXITED,  0, false, false, KP_RULE_RESTART_POLICY},
    {"Never",                               "1.33", "Never",     KP_INSTANCE_EXITED,  1, false, false, KP_RULE_RESTART_POLICY},
    {"the policy, behind rules of exits",   "1.36", "OnFailure", KP_INSTANCE_EXITED,  1, false, true,  KP_RULE_RESTART_RULES},
};
/* clang-format on */

static void each_decision_names_its_rule(void)
{
    struct kp_container web = {.name = KP_TEXT("web"), .kind = KP_REGULAR};
    const struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;
    struct kp_profile profile;

    for (const struct row *row = rows; row < rows + sizeof rows / sizeof rows[0]; row++) {
        const struct kp_pod pod = {.containers = &web,
                                   .regular_count = 1,
                                   .restart_policy = kp_text_of(row->policy),
                                   .has_deletion = row->deleted};
        enum kp_rule rule = KP_RULE_NONE;

        CHECK_INT(kp_profile_init(&profile, kp_text_of(row->k8s)), KP_OK);
        CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
        if (row->newest != KP_INSTANCE_NONE) {
            struct kp_instance *made = kp_runtime_create(&view, 0, KP_TEXT("c1"));

            made->state = row->newest;
            made->exit_code = row->code;
        }
        if (!CHECK(kp_container_should_restart(&profile, &pod, &view, 0, &rule) == row->restarts) ||
            !CHECK_INT(rule, row->rule))
            printf("  %s\n", row->why);
        kp_runtime_view_deinit(&view, &mem);
    }
}

/* S-139: an exit requires it, not the code that what never ran happens to have. */
static void what_has_not_ended_restarts_nothing(void)
{
    static const int32_t code = 0;
    const struct kp_restart_rule all = {.action = KP_TEXT("RestartAllContainers"),
                                        .has_exit_codes = true,
                                        .op = KP_TEXT("In"),
                                        .values = &code,
                                        .value_count = 1};
    const struct kp_container web = {
        .name = KP_TEXT("web"), .restart_rules = &all, .restart_rule_count = 1};
    const struct kp_pod pod = {.containers = &web, .regular_count = 1};
    const struct kp_profile profile = unit_profile("1.36");
    const struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;

    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
    for (int state = KP_INSTANCE_CREATED; state <= KP_INSTANCE_UNKNOWN; state++) {
        kp_runtime_create(&view, 0, KP_TEXT("c1"))->state = (enum kp_instance_state)state;
        CHECK_INT(kp_should_restart_all(&profile, &pod, &view, NULL), state == KP_INSTANCE_EXITED);
    }
    kp_runtime_view_deinit(&view, &mem);
}

const struct unit_test restart_policy_test[] = {
    {"what has not ended restarts nothing", what_has_not_ended_restarts_nothing},
    {"each decision names its rule", each_decision_names_its_rule},
    {0},
};
