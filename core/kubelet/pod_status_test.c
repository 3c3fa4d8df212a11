#include "core/kubelet/pod_status.h"
#include "core/kubelet/restart_policy.h"

#include "core/kubelet/conditions.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

/*
 * One container whose rule restarts all on code 42.  The newest instance: `-` none, `r` runs, else
 * its exit code; what the status said: `-` nothing, `r`, or a code.
 */
struct restart_row {
    const char *why;
    const char *k8s;
    int instance;
    int said;
    bool restarting; /* the condition says so */
    bool want;
};

#define NONE (-1)
#define RUNS (-2)

/* clang-format off */
static const struct restart_row rows[] = {
    {"it ended as the rule says",             "1.36", 42,   RUNS, false, true},
    {"it ended otherwise",                    "1.36", 41,   RUNS, false, false},
    {"it ended as the rule says, long known", "1.36", 42,   42,   false, true},
    {"only what was said of it is the rule's", "1.36", 41,  42,   false, true},
    {"what was said of one that runs is over", "1.36", RUNS, 42,  false, false},
    {"nothing was said of it",                "1.36", 41,   NONE, false, false},
    {"nothing is there",                      "1.36", NONE, 42,   false, false},
    {"it goes on until all are gone",         "1.36", RUNS, RUNS, true,  true},
    {"not without its gate",                  "1.35", 42,   42,   true,  false},
    {"nor before it",                         "1.34", 42,   RUNS, true,  false},
};
/* clang-format on */

static const int32_t code_42 = 42;
static const struct kp_restart_rule restart_all = {.action = {"RestartAllContainers", 20},
                                                   .has_exit_codes = true,
                                                   .op = {"In", 2},
                                                   .values = &code_42,
                                                   .value_count = 1};

static void check_row(const struct restart_row *row)
{
    struct kp_container web = {.name = KP_TEXT("web"),
                               .kind = KP_REGULAR,
                               .restart_rules = &restart_all,
                               .restart_rule_count = 1};
    struct kp_pod pod = {.containers = &web, .regular_count = 1};
    struct kp_container_status status = {.name = web.name,
                                         .state = {.kind = KP_STATE_RUNNING, .exit_code = 42}};
    struct kp_condition condition = {.type = KP_TEXT("AllContainersRestarting"),
                                     .status = KP_CONDITION_TRUE};
    struct kp_pod_status old = {.statuses = &status,
                                .status_count = row->said != NONE,
                                .conditions = &condition,
                                .condition_count = row->restarting};
    struct kp_mem mem = fake_alloc_plain();
    struct kp_runtime_view view;
    struct kp_profile profile = unit_profile(row->k8s);

    CHECK_INT(kp_runtime_view_init(&view, &mem, 1), KP_OK);
    if (row->instance != NONE)
        kp_runtime_create(&view, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    if (row->instance >= 0)
        kp_runtime_exit(&view.containers[0].list[0], row->instance, KP_TEXT_NONE, 0);
    if (row->said >= 0)
        status.state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = row->said};
    unit_check_int(kp_should_restart_all(&profile, &pod, &view, &old), row->want, row->why,
                   __FILE__, __LINE__);
    kp_runtime_view_deinit(&view, &mem);
}

static void when_all_containers_restart(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* What a status of a pod with at most four containers is made of. */
struct unit_status {
    struct kp_mem mem;
    struct kp_profile profile;
    struct kp_runtime_view view;
    struct kp_reason reasons[4];
    struct kp_status_boxes boxes;
    struct kp_status_box *box;
    struct kp_status_input input;
};

static void open_status(struct unit_status *own, const struct kp_pod *pod)
{
    struct kp_prober_config config = {.profile = &own->profile};

    *own = (struct unit_status){.mem = fake_alloc_plain()};
    CHECK_INT(kp_profile_init(&own->profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(kp_runtime_view_init(&own->view, &own->mem, 4), KP_OK);
    CHECK_INT(kp_status_boxes_init(&own->boxes, &own->mem, 4, kp_conditions_text_max(pod)), KP_OK);
    own->box = kp_status_box_take(&own->boxes);
    own->input = (struct kp_status_input){
        .profile = &own->profile, .pod = pod, .view = &own->view, .reasons = own->reasons};
    CHECK_INT(kp_prober_manager_new(&own->mem, &config, &own->input.probers), KP_OK);
    CHECK_INT(kp_prober_manager_reserve(own->input.probers, 0, pod), KP_OK);
}

static void close_status(struct unit_status *own)
{
    kp_prober_manager_free(own->input.probers);
    kp_status_boxes_deinit(&own->boxes, &own->mem);
    kp_runtime_view_deinit(&own->view, &own->mem);
}

/* S-319: the runtime has lost an init container, and a regular one is there: it must have ended
 * well, unless it is known how it ended. */
static void a_lost_init_container(void)
{
    static const struct kp_container both[] = {{.name = {"setup", 5}, .kind = KP_INIT},
                                               {.name = {"web", 3}, .kind = KP_REGULAR}};
    static const struct kp_pod spec = {.containers = both, .init_count = 1, .regular_count = 1};
    static const int32_t known[] = {NONE, 3};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct kp_container_status was = {
            .name = both[0].name, .state = {.kind = KP_STATE_TERMINATED, .exit_code = known[i]}};
        struct kp_pod_status api = {.statuses = &was, .status_count = known[i] != NONE};
        const struct kp_container_status *status;
        struct unit_status own;

        open_status(&own, &spec);
        own.input.old = &api;
        kp_runtime_create(&own.view, 1, KP_TEXT("w1"))->state = KP_INSTANCE_RUNNING;
        kp_pod_status_generate(own.box, &own.input);
        status = &own.box->status.statuses[0];
        CHECK_INT(status->state.kind, KP_STATE_TERMINATED);
        CHECK_INT(status->state.exit_code, known[i] == NONE ? 0 : known[i]);
        CHECK_INT(kp_text_equal(status->state.reason, KP_TEXT("Completed")), known[i] == NONE);
        close_status(&own);
    }
}

/* A node's is there with the first status. */
static void the_address_of_a_sandbox_unless_it_is_the_nodes(void)
{
    static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};

    for (int host = 0; host < 2; host++) {
        struct kp_pod pod = {.containers = &web, .regular_count = 1, .host_network = host};
        struct unit_status own;

        open_status(&own, &pod);
        own.input.address = 3;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->address, host ? 0 : 3);
        close_status(&own);
    }
}

static const struct kp_container three[] = {{.name = {"setup", 5}, .kind = KP_INIT},
                                            {.name = {"web", 3}, .kind = KP_REGULAR},
                                            {.name = {"db", 2}, .kind = KP_REGULAR}};
static const struct kp_pod of_three = {
    .containers = three, .init_count = 1, .regular_count = 2, .restart_policy = {"Always", 6}};

/* S-316, S-319: a regular container that is not there yet waits, and one that ended with 0 waits
 * for its back-off: only an init container is over by that. */
static void only_an_init_container_is_over_by_its_end(void)
{
    struct unit_status own;

    open_status(&own, &of_three);
    kp_runtime_exit(kp_runtime_create(&own.view, 0, KP_TEXT("s1")), 0, KP_TEXT_NONE, 0);
    kp_runtime_exit(kp_runtime_create(&own.view, 1, KP_TEXT("w1")), 0, KP_TEXT_NONE, 0);
    own.reasons[1] = (struct kp_reason){.known = true, .reason = KP_TEXT("CrashLoopBackOff")};
    kp_pod_status_generate(own.box, &own.input);
    CHECK_INT(own.box->status.statuses[0].state.kind, KP_STATE_TERMINATED);
    CHECK_TEXT(own.box->status.statuses[1].state.reason, KP_TEXT("CrashLoopBackOff"));
    CHECK_INT(own.box->status.statuses[2].state.kind, KP_STATE_WAITING);
    close_status(&own);
}

/* S-316: of two ends the newer one is the last, and one that runs has the older one's words. */
static void the_last_state_is_the_newest_end(void)
{
    for (int runs = 0; runs < 2; runs++) {
        const struct kp_container_status *status;
        struct kp_instance *older;
        struct unit_status own;

        open_status(&own, &of_three);
        kp_runtime_sandbox_add(&own.view, 0);
        older = kp_runtime_create(&own.view, 1, KP_TEXT("w1"));
        older->message = KP_TEXT("why");
        kp_runtime_exit(older, 4, KP_TEXT_NONE, 0);
        kp_runtime_exit(kp_runtime_create(&own.view, 1, KP_TEXT("w2")), 5, KP_TEXT_NONE, 0);
        if (runs)
            own.view.containers[1].list[0].state = KP_INSTANCE_RUNNING;
        own.reasons[1] = (struct kp_reason){.known = true, .reason = KP_TEXT("CrashLoopBackOff")};
        kp_pod_status_generate(own.box, &own.input);
        status = &own.box->status.statuses[1];
        CHECK_INT(status->last_state.exit_code, runs ? 4 : 5);
        CHECK_TEXT(status->last_state.message, runs ? KP_TEXT("why") : KP_TEXT(""));
        close_status(&own);
    }
}

/* S-321: how it ended before is not forgotten for one whose end nobody saw, nor what was said of
 * one that had ended. */
static void who_vanishes_keeps_its_last_end(void)
{
    static const struct {
        enum kp_state_kind state;
        int32_t restarts;
    } ways[] = {{KP_STATE_RUNNING, 4}, {KP_STATE_RUNNING, 0}, {KP_STATE_TERMINATED, 4}};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct kp_container_status was = {
            .name = three[1].name,
            .container_id = KP_TEXT("w1"),
            .state = {.kind = ways[i].state},
            .last_state = {.kind = KP_STATE_TERMINATED, .exit_code = 3},
            .restart_count = ways[i].restarts};
        struct kp_pod_status old = {.statuses = &was, .status_count = 1};
        struct unit_status own;

        open_status(&own, &of_three);
        own.input.old = &old;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.statuses[1].last_state.exit_code, 3);
        CHECK_INT(own.box->status.statuses[1].restart_count, ways[i].restarts);
        CHECK(!own.box->status.statuses[1].ready);
        CHECK_INT(own.box->status.statuses[1].container_id.len,
                  ways[i].state == KP_STATE_TERMINATED ? 2 : 0);
        close_status(&own);
    }
}

/* With RestartAllContainersOnContainerExits the greater count is the container's: the status has
 * counted instances that are gone. */
static void the_greater_of_two_counts_goes_on(void)
{
    static const int32_t counts[][3] = {{5, 2, 5}, {2, 5, 5}, {2, 2, 2}};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct kp_container_status was = {.name = three[1].name,
                                          .container_id = KP_TEXT("w1"),
                                          .state = {.kind = KP_STATE_RUNNING},
                                          .restart_count = counts[i][0]};
        struct kp_pod_status old = {.statuses = &was, .status_count = 1};
        struct unit_status own;
        struct kp_instance *instance;

        open_status(&own, &of_three);
        own.input.old = &old;
        kp_runtime_sandbox_add(&own.view, 0);
        instance = kp_runtime_create(&own.view, 1, KP_TEXT("w1"));
        instance->restarts = (uint32_t)counts[i][1];
        kp_runtime_exit(instance, 1, KP_TEXT_NONE, 0);
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.statuses[1].restart_count, counts[i][2]);
        close_status(&own);
    }
}

/* What this kubelet has said counts, not what stands at the API besides. */
static void what_was_said_last_goes_on(void)
{
    struct kp_container web = {.name = KP_TEXT("web"),
                               .kind = KP_REGULAR,
                               .restart_rules = &restart_all,
                               .restart_rule_count = 1};
    struct kp_pod pod = {
        .containers = &web, .regular_count = 1, .restart_policy = KP_TEXT("Always")};
    struct kp_condition restarting = {.type = KP_TEXT("AllContainersRestarting"),
                                      .status = KP_CONDITION_TRUE};
    struct kp_pod_status said = {
        .phase = KP_RUNNING, .conditions = &restarting, .condition_count = 1};
    struct kp_pod_status others = {.phase = KP_FAILED};
    struct unit_status own;

    for (int failed = 0; failed < 2; failed++) {
        open_status(&own, &pod);
        own.input.old = &said;
        own.input.others = &others;
        kp_runtime_sandbox_add(&own.view, 0);
        kp_runtime_create(&own.view, 0, KP_TEXT("w1"))->state = KP_INSTANCE_RUNNING;
        said.phase = failed ? KP_FAILED : KP_RUNNING;
        others.phase = failed ? KP_RUNNING : KP_FAILED;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.phase, said.phase);
        CHECK_INT(kp_status_is_true(&own.box->status, "AllContainersRestarting"), !failed);
        close_status(&own);
    }
}

/* S-311: of init containers a sidecar alone must be ready, wherever it stands. */
static void a_sidecar_behind_an_init_container_must_be_ready(void)
{
    static const struct kp_container both[] = {
        {.name = {"setup", 5}, .kind = KP_INIT},
        {.name = {"side", 4}, .kind = KP_INIT, .restart_policy = {"Always", 6}}};
    static const struct kp_pod spec = {.containers = both, .init_count = 2};
    const struct kp_condition *ready;
    struct unit_status own;

    open_status(&own, &spec);
    own.box->status.status_count = 2;
    own.box->status.statuses[0].name = both[0].name;
    own.box->status.statuses[1].name = both[1].name;
    kp_conditions_update_ready(own.box, &own.profile, &spec);
    ready = kp_condition_find(&own.box->status, KP_TEXT("ContainersReady"));
    CHECK_INT(ready->status, KP_CONDITION_FALSE);
    CHECK_TEXT(ready->message, KP_TEXT("containers with unready status: [side]"));
    close_status(&own);
}

static const struct kp_exec_action action;
static const struct kp_probe probe = {.handler.exec = &action, .period_s = 10};

static const struct kp_container four[] = {{.name = {"side", 4},
                                            .kind = KP_INIT,
                                            .restart_policy = {"Always", 6},
                                            .probes[KP_STARTUP] = &probe},
                                           {.name = {"a", 1}, .kind = KP_REGULAR},
                                           {.name = {"b", 1}, .kind = KP_REGULAR},
                                           {.name = {"c", 1}, .kind = KP_REGULAR}};
static const struct kp_pod of_four = {
    .containers = four, .init_count = 1, .regular_count = 3, .restart_policy = {"Always", 6}};

/* In its second sandbox the sidecar alone runs; the regular containers ended in the first. */
static void open_second_sandbox(struct unit_status *own)
{
    open_status(own, &of_four);
    kp_prober_manager_add_pod(own->input.probers, 0, &of_four, 0);
    kp_runtime_sandbox_add(&own->view, 0);
    for (int c = 1; c <= 3; c++)
        kp_runtime_exit(kp_runtime_create(&own->view, c, KP_TEXT("old")), 1, KP_TEXT_NONE, 0);
    own->view.sandboxes[0].ready = false;
    kp_runtime_sandbox_add(&own->view, 1);
    kp_runtime_create(&own->view, 0, KP_TEXT("s1"))->state = KP_INSTANCE_RUNNING;
}

/* S-310: whichever regular container stands in the sandbox shows that it is initialized; who stands
 * in an earlier one does not. */
static void each_regular_container_shows_an_initialized_pod(void)
{
    for (int only = 0; only <= 3; only++) {
        struct unit_status own;

        open_second_sandbox(&own);
        if (only > 0)
            kp_runtime_create(&own.view, only, KP_TEXT("new"))->state = KP_INSTANCE_RUNNING;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.phase, only > 0 ? KP_RUNNING : KP_PENDING);
        close_status(&own);
    }
}

/* S-304: what started before the kubelet did initializes the pod still. */
static void a_sidecar_that_had_started_initializes_the_pod(void)
{
    for (int started = 0; started < 2; started++) {
        struct kp_container_status was = {.name = four[0].name,
                                          .container_id = KP_TEXT("s1"),
                                          .state = {.kind = KP_STATE_RUNNING},
                                          .has_started = true,
                                          .started = started};
        struct kp_pod_status old = {.statuses = &was, .status_count = 1};
        struct unit_status own;

        open_second_sandbox(&own);
        own.input.old = &old;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.phase, started ? KP_RUNNING : KP_PENDING);
        close_status(&own);
    }
}

/* S-304: a container from before the kubelet has started, ready or not, though its startup worker
 * knows nothing yet. */
static void what_had_started_has_started(void)
{
    struct kp_container web = {
        .name = KP_TEXT("web"), .kind = KP_REGULAR, .probes[KP_STARTUP] = &probe};
    struct kp_pod pod = {
        .containers = &web, .regular_count = 1, .restart_policy = KP_TEXT("Always")};

    for (int started = 0; started < 2; started++) {
        struct kp_container_status was = {.name = web.name,
                                          .container_id = KP_TEXT("w1"),
                                          .state = {.kind = KP_STATE_RUNNING},
                                          .has_started = true,
                                          .started = started,
                                          .ready = !started};
        struct kp_pod_status old = {.statuses = &was, .status_count = 1};
        struct unit_status own;

        open_status(&own, &pod);
        own.input.old = &old;
        kp_prober_manager_add_pod(own.input.probers, 0, &pod, 0);
        kp_runtime_sandbox_add(&own.view, 0);
        kp_runtime_create(&own.view, 0, KP_TEXT("w1"))->state = KP_INSTANCE_RUNNING;
        kp_pod_status_generate(own.box, &own.input);
        CHECK_INT(own.box->status.statuses[0].started, started);
        close_status(&own);
    }
}

const struct unit_test pod_status_test[] = {
    {"each regular container shows an initialized pod",
     each_regular_container_shows_an_initialized_pod},
    {"what had started has started", what_had_started_has_started},
    {"a sidecar that had started initializes the pod",
     a_sidecar_that_had_started_initializes_the_pod},
    {"only an init container is over by its end", only_an_init_container_is_over_by_its_end},
    {"the last state is the newest end", the_last_state_is_the_newest_end},
    {"who vanishes keeps its last end", who_vanishes_keeps_its_last_end},
    {"the greater of two counts goes on", the_greater_of_two_counts_goes_on},
    {"what was said last goes on", what_was_said_last_goes_on},
    {"a sidecar behind an init container must be ready",
     a_sidecar_behind_an_init_container_must_be_ready},
    {"when all containers restart", when_all_containers_restart},
    {"a lost init container", a_lost_init_container},
    {"the address of a sandbox unless it is the node's",
     the_address_of_a_sandbox_unless_it_is_the_nodes},
    {0},
};
