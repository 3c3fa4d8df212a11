#include "core/kubelet/conditions.h"

#include "core/kubelet/pod_status.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

static struct kp_mem mem;
static struct kp_profile profile;
static struct kp_runtime_view view;
static struct kp_status_boxes boxes;
static struct kp_status_box *box;
static const struct kp_container two[] = {{.name = {"setup", 5}, .kind = KP_INIT},
                                          {.name = {"web", 3}, .kind = KP_REGULAR}};
static struct kp_pod pod;
static struct kp_status_input input;

static void open_conditions(const char *k8s)
{
    mem = fake_alloc_plain();
    profile = unit_profile(k8s);
    pod = (struct kp_pod){.containers = two, .init_count = 1, .regular_count = 1};
    boxes = (struct kp_status_boxes){0};
    CHECK_INT(kp_runtime_view_init(&view, &mem, 2), KP_OK);
    CHECK_INT(kp_status_boxes_init(&boxes, &mem, 2, kp_conditions_text_max(&pod)), KP_OK);
    box = kp_status_box_take(&boxes);
    box->status.phase = KP_PENDING;
    box->status.status_count = 2;
    for (size_t i = 0; i < 2; i++)
        box->status.statuses[i] =
            (struct kp_container_status){.name = two[i].name, .state.kind = KP_STATE_WAITING};
    input = (struct kp_status_input){.profile = &profile, .pod = &pod, .view = &view};
}

static void close_conditions(void)
{
    kp_status_boxes_deinit(&boxes, &mem);
    kp_runtime_view_deinit(&view, &mem);
}

/* S-313: an init container that has ended well has done its work, whatever its own restartPolicy; a
 * sidecar has where it has started. */
static void who_has_initialized(void)
{
    static const struct {
        const char *policy;
        bool ready;
        bool started;
        bool done;
    } rows[] = {{"", true, false, true},        {"", false, true, false},
                {"Never", true, false, true},   {"OnFailure", true, false, true},
                {"Always", true, false, false}, {"Always", false, true, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_container own[2] = {two[0], two[1]};

        open_conditions("1.36");
        own[0].restart_policy = kp_text_of(rows[i].policy);
        pod.containers = own;
        box->status.statuses[0].ready = rows[i].ready;
        box->status.statuses[0].has_started = true;
        box->status.statuses[0].started = rows[i].started;
        kp_conditions_generate(box, &input);
        CHECK_INT(kp_status_is_true(&box->status, "Initialized"), rows[i].done);
        close_conditions();
    }
}

/* S-313: a sandbox that must be made anew is none to start containers in (PodSandboxChanged): one
 * that is not ready, or is in another network, or has no address. */
static void which_sandbox_containers_start_in(void)
{
    for (int row = 0; row < 4; row++) {
        open_conditions("1.36");
        kp_runtime_sandbox_add(&view, 0);
        view.sandboxes[0].ready = row != 1;
        view.sandboxes[0].other_network_mode = row == 2;
        view.sandboxes[0].has_ip = row != 3;
        kp_conditions_generate(box, &input);
        CHECK_INT(kp_status_is_true(&box->status, "PodReadyToStartContainers"), row == 0);
        close_conditions();
    }
}

/* What the kubelet writes itself (types/pod_status.go PodConditionByKubelet, and PodScheduled,
 * which it keeps). */
static void which_conditions_are_ours(void)
{
    static const char *const ours[] = {"Ready",        "ContainersReady",
                                       "Initialized",  "PodReadyToStartContainers",
                                       "PodScheduled", "AllContainersRestarting"};
    static const char *const others[] = {"",      "DisruptionTarget", "PodHasNetwork", "Read",
                                         "ready", "example.com/Ready"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        CHECK(kp_condition_is_ours(kp_text_of(ours[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!kp_condition_is_ours(kp_text_of(others[i])));
}

/* What there is not, what is false, and what is unknown.  Upstream: v1.ConditionTrue. */
static void what_is_not_true(void)
{
    struct kp_condition ready = {.type = KP_TEXT("Ready")};
    struct kp_pod_status status = {.conditions = &ready, .condition_count = 1};

    CHECK(kp_status_is_true(&status, "Ready"));
    CHECK(!kp_status_is_true(&status, "Initialized"));
    ready.status = KP_CONDITION_FALSE;
    CHECK(!kp_status_is_true(&status, "Ready"));
    ready.status = KP_CONDITION_UNKNOWN;
    CHECK(!kp_status_is_true(&status, "Ready"));
}

const struct unit_test conditions_test[] = {
    {"what is not true", what_is_not_true},
    {"which conditions are ours", which_conditions_are_ours},
    {"who has initialized", who_has_initialized},
    {"which sandbox containers start in", which_sandbox_containers_start_in},
    {0},
};
