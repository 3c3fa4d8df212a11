#include "core/model/spec.h"
#include "fakes/unit.h"

/* A container's own restartPolicy makes an init container a sidecar, and no other. */
static void a_sidecar_is_an_init_container(void)
{
    static const struct kp_container rows[] = {
        {.kind = KP_INIT, .restart_policy = {"Always", 6}},
        {.kind = KP_REGULAR, .restart_policy = {"Always", 6}},
        {.kind = KP_EPHEMERAL, .restart_policy = {"Always", 6}},
        {.kind = KP_INIT, .restart_policy = {"OnFailure", 9}},
        {.kind = KP_INIT},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(kp_container_is_sidecar(&rows[i]), i == 0);
}

static void what_is_unknown_is_not_true(void)
{
    struct kp_condition conditions[] = {
        {.type = KP_TEXT("Unknown"), .status = KP_CONDITION_UNKNOWN},
        {.type = KP_TEXT("False"), .status = KP_CONDITION_FALSE},
        {.type = KP_TEXT("True"), .status = KP_CONDITION_TRUE},
    };
    const struct kp_pod_status status = {.conditions = conditions, .condition_count = 3};

    CHECK(!kp_status_is_true(&status, "Unknown"));
    CHECK(!kp_status_is_true(&status, "False"));
    CHECK(kp_status_is_true(&status, "True"));
    CHECK(!kp_status_is_true(&status, "Absent"));
}

const struct unit_test spec_test[] = {
    {"a sidecar is an init container", a_sidecar_is_an_init_container},
    {"what is unknown is not true", what_is_unknown_is_not_true},
    {0},
};
