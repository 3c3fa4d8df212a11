#include "core/kubelet/pod_config.h"

#include "core/kubelet/status_manager.h"
#include "fakes/unit_run.h"

/* A pod with a sidecar and a readiness gate is looked at again whenever a condition of others'
 * comes that is not the one it had. */
static void a_status_of_others_is_compared(void)
{
    static const struct {
        size_t before;
        size_t now;
        const char *type;
        enum kp_condition_status status;
        const char *reason;
        const char *message;
        bool updated;
    } rows[] = {
        {0, 0, "a/b", KP_CONDITION_TRUE, "", "", false},
        {0, 1, "a/b", KP_CONDITION_TRUE, "", "", true},
        {1, 0, "a/b", KP_CONDITION_TRUE, "", "", true},
        {1, 1, "a/b", KP_CONDITION_TRUE, "", "", false},
        {1, 1, "a/b", KP_CONDITION_FALSE, "", "", true},
        {1, 1, "a/c", KP_CONDITION_TRUE, "", "", true},
        {1, 1, "a/b", KP_CONDITION_TRUE, "r", "", true},
        {1, 1, "a/b", KP_CONDITION_TRUE, "", "m", true},
    };
    static const struct kp_readiness_gate gate = {{"a/b", 3}};
    static const struct kp_container both[] = {
        {.name = {"side", 4}, .kind = KP_INIT, .restart_policy = {"Always", 6}},
        {.name = {"web", 3}, .kind = KP_REGULAR}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_condition old = {.type = KP_TEXT("a/b"), .status = KP_CONDITION_TRUE};
        struct kp_condition fresh = {.type = kp_text_of(rows[i].type),
                                     .status = rows[i].status,
                                     .reason = kp_text_of(rows[i].reason),
                                     .message = kp_text_of(rows[i].message)};
        struct kp_pod_status was = {.conditions = &old, .condition_count = rows[i].before};
        struct kp_pod_status is = {.conditions = &fresh, .condition_count = rows[i].now};
        struct kp_pod pod = {.containers = both,
                             .init_count = 1,
                             .regular_count = 1,
                             .object_hash = 1,
                             .readiness_gates = &gate,
                             .readiness_gate_count = 1,
                             .status = &was};
        struct kp_pod same = pod;
        struct kp_pod_config config = {.updated = NULL};
        struct unit_run own;
        struct kp_status_box *box;

        same.status = &is;
        open_run(&own, "1.36", &pod);
        box = kp_status_box_take(&own.run.boxes);
        kp_status_set(&own.run, &pod, box, false);
        CHECK(kp_status_send(&own.run));
        CHECK_INT(kp_pod_config_update(&config, &own.run, &same), KP_OK);
        CHECK_INT(kp_pod_config_take(&config, &own.run), rows[i].updated);
        CHECK(own.run.others == &is && own.run.api.status == &box->status);
        close_run(&own);
    }
}

/* Who embeds the engine and gives no hash gets a sync for each update. */
static void an_update_is_a_sync_unless_the_object_is_known_to_be_the_same(void)
{
    static const struct {
        uint64_t before;
        uint64_t now;
        bool updated;
    } rows[] = {{7, 7, false}, {7, 8, true}, {0, 0, true}, {7, 0, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_pod pod = {.object_hash = rows[i].before};
        struct kp_pod now = {.object_hash = rows[i].now};
        struct kp_pod_config config = {.updated = NULL};
        struct unit_run own;

        open_run(&own, "1.36", &pod);
        CHECK_INT(kp_pod_config_update(&config, &own.run, &now), KP_OK);
        CHECK_INT(kp_pod_config_take(&config, &own.run), rows[i].updated);
        CHECK(!kp_pod_config_take(&config, &own.run));
        close_run(&own);
    }
}

/* An object that was read before it was deleted brings nobody back; the deletion's grace stays,
 * also one of nothing. */
static void an_older_object_takes_no_deletion_back(void)
{
    for (int64_t grace_s = 0; grace_s <= 7; grace_s += 7) {
        struct kp_pod pod = {.object_hash = 1,
                             .has_deletion = true,
                             .has_deletion_grace = true,
                             .deletion_grace_s = grace_s,
                             .has_grace = true,
                             .grace_s = 30};
        struct kp_pod older = {.object_hash = 2, .has_grace = true, .grace_s = 30};
        struct kp_pod_config config = {.updated = NULL};
        struct unit_run own;

        open_run(&own, "1.36", &pod);
        CHECK_INT(kp_pod_config_update(&config, &own.run, &older), KP_OK);
        (void)kp_pod_config_take(&config, &own.run);
        CHECK(own.run.api.has_deletion && own.run.api.has_deletion_grace);
        CHECK_INT(own.run.api.deletion_grace_s, grace_s);
        close_run(&own);
    }
}

/* An object without a status takes back what others wrote. */
static void an_object_without_a_status_has_no_conditions(void)
{
    struct kp_condition old = {.type = KP_TEXT("a/b")};
    struct kp_pod_status was = {.conditions = &old, .condition_count = 1};
    struct kp_pod before = {.object_hash = 1, .status = &was};
    struct kp_pod now = {.object_hash = 1};
    struct kp_pod_config config = {.updated = NULL};
    struct unit_run own;

    open_run(&own, "1.36", &before);
    CHECK(own.run.others == &was);
    CHECK_INT(kp_pod_config_update(&config, &own.run, &now), KP_OK);
    (void)kp_pod_config_take(&config, &own.run);
    CHECK(own.run.others == NULL);
    close_run(&own);
}

const struct unit_test pod_config_test[] = {
    {"an object without a status has no conditions", an_object_without_a_status_has_no_conditions},
    {"an older object takes no deletion back", an_older_object_takes_no_deletion_back},
    {"a status of others is compared", a_status_of_others_is_compared},
    {"an update is a sync unless the object is known to be the same",
     an_update_is_a_sync_unless_the_object_is_known_to_be_the_same},
    {0},
};
