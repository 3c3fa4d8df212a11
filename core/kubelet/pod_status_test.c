#include "core/kubelet/pod_status.h"
#include "core/kubelet/restart_policy.h"

#include "core/kubelet/conditions.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

/*
 * One letter a container: r running, R running after an exit with 1, w waiting, c d waiting after
 * an exit with 1, with 0, 0 1 ended with that code, . in no known state.  Init containers stand
 * before the bar; S begins a sidecar: Sr (started), Su (not yet), Sw; N one whose own restartPolicy
 * is Never.
 */
struct phase_row {
    const char *why;
    const char *k8s;
    const char *policy;
    const char *containers;
    bool terminal;
    bool initialized;
    enum kp_phase want;
};

/* clang-format off */
static const struct phase_row phase_rows[] = {
    {"waiting",                         "1.36", "Always",    "|w",     false, false, KP_PENDING},
    {"running",                         "1.36", "Always",    "|r",     false, true,  KP_RUNNING},
    {"running beside one that ended",   "1.36", "Never",     "|r1",    false, true,  KP_RUNNING},
    {"running beside one that waits",   "1.36", "Always",    "|rw",    false, true,  KP_PENDING},
    {"unknown",                         "1.36", "Always",    "|r.",    false, true,  KP_PENDING},
    {"an end with Always",              "1.36", "Always",    "|0",     false, true,  KP_RUNNING},
    {"crash loop",                      "1.36", "Always",    "|c",     false, true,  KP_RUNNING},
    {"all ended with 0, OnFailure",     "1.36", "OnFailure", "|00",    false, true,  KP_SUCCEEDED},
    {"one with 1, OnFailure",           "1.36", "OnFailure", "|01",    false, true,  KP_RUNNING},
    {"all ended with 0, Never",         "1.36", "Never",     "|00",    false, true,  KP_SUCCEEDED},
    {"one with 1, Never",               "1.36", "Never",     "|01",    false, true,  KP_FAILED},
    {"terminal with Always",            "1.36", "Always",    "|0",     true,  true,  KP_SUCCEEDED},
    {"terminal with Always and 1",      "1.36", "Always",    "|1",     true,  true,  KP_FAILED},
    {"waits after an end with 0, terminal", "1.36", "Always", "|d",    true,  true,  KP_FAILED},
    {"terminal before 1.27",            "1.26", "Always",    "|0",     true,  true,  KP_RUNNING},
    {"init runs",                       "1.36", "Always",    "r|w",    false, false, KP_PENDING},
    {"init failed, Never",              "1.36", "Never",     "1|w",    false, false, KP_FAILED},
    {"init failed, Always",             "1.36", "Always",    "1|w",    false, false, KP_PENDING},
    {"init done",                       "1.36", "Always",    "0|r",    false, true,  KP_RUNNING},
    {"sidecar not started",             "1.36", "Always",    "Su|w",   false, false, KP_PENDING},
    {"sidecar not started, but before", "1.36", "Always",    "Su|r",   false, true,  KP_RUNNING},
    {"sidecar in no known state",       "1.36", "Always",    "S.|w",   false, false, KP_PENDING},
    {"sidecar runs on",                 "1.36", "Never",     "Sr|0",   false, true,  KP_RUNNING},
    {"init again, before sidecars",     "1.27", "Always",    "r|0",    false, true,  KP_PENDING},
    {"init again beside one that ran",  "1.28", "Always",    "r|0",    false, true,  KP_RUNNING},
    {"the last that overlooks it",      "1.31", "Always",    "r|0",    false, true,  KP_RUNNING},
    {"the first that does not",         "1.32", "Always",    "r|0",    false, true,  KP_PENDING},
    {"nor later ones",                  "1.36", "Always",    "r|0",    false, true,  KP_PENDING},
    {"sidecar again, one that waits",   "1.32", "Always",    "Su|c",   false, true,  KP_PENDING},
    {"sidecar again, one that ran",     "1.32", "Always",    "Su|0",   false, false, KP_RUNNING},
    {"sidecar again, the runtime knows","1.33", "Always",    "Su|c",   false, true,  KP_RUNNING},
    {"init waits after an end with 1, Never", "1.36", "Never", "c|w",  false, false, KP_FAILED},
    {"and Always",                      "1.36", "Always",    "c|r",    false, true,  KP_RUNNING},
    {"init waits after an end with 0",  "1.36", "Always",    "d|r",    false, true,  KP_RUNNING},
    {"init waits",                      "1.36", "Always",    "w|r",    false, true,  KP_PENDING},
    {"init runs after an end",          "1.36", "Always",    "R|r",    false, true,  KP_PENDING},
    {"waits after an end, Never",       "1.36", "Never",     "|c",     false, true,  KP_FAILED},
    {"sidecar waits",                   "1.36", "Always",    "Sw|r",   false, true,  KP_PENDING},
    {"sidecar waits after an end",      "1.36", "Always",    "Sc|r",   false, false, KP_RUNNING},
    {"sidecar unknown beside one that runs", "1.36", "Always", "S.|r", false, true,  KP_PENDING},
    {"sidecar started",                 "1.36", "Always",    "Sr|r",   false, false, KP_RUNNING},
    {"sidecar behind an init container","1.36", "Always",    "0Su|r",  false, false, KP_PENDING},
    {"the same, started before",        "1.36", "Always",    "0Su|r",  false, true,  KP_RUNNING},
    {"an end beside an unknown one",    "1.36", "Always",    "|0.",    false, true,  KP_PENDING},
    {"one init container's own Never",  "1.36", "Always",    "0N1|w",  false, false, KP_FAILED},
    {"the same, waiting after its end", "1.36", "Always",    "0Nc|w",  false, false, KP_FAILED},
    {"own Never, the other one waits",  "1.36", "Always",    "|N1c",   false, true,  KP_RUNNING},
    {"init failed, Never, without rules",  "1.33", "Never",  "1|w",    false, false, KP_FAILED},
    {"init failed, Always, without rules", "1.33", "Always", "1|w",    false, false, KP_PENDING},
    {"nothing at all",                  "1.36", "Never",     "|",      false, true,  KP_PENDING},
    {"without restart rules",           "1.33", "OnFailure", "|01",    false, true,  KP_RUNNING},
    {"without restart rules, Never",    "1.33", "Never",     "|01",    false, true,  KP_FAILED},
};
/* clang-format on */

static struct kp_container_status status_of(char letter)
{
    struct kp_container_status status = {.has_started = true};

    switch (letter) {
    case 'r':
        status.started = true;
        status.state.kind = KP_STATE_RUNNING;
        break;
    case 'R':
        status.state.kind = KP_STATE_RUNNING;
        status.last_state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = 1};
        break;
    case 'u':
        status.state.kind = KP_STATE_RUNNING;
        break;
    case 'w':
        status.state.kind = KP_STATE_WAITING;
        break;
    case 'c':
    case 'd':
        status.state.kind = KP_STATE_WAITING;
        status.last_state =
            (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = letter == 'c'};
        break;
    case '0':
    case '1':
        status.state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = letter - '0'};
        break;
    default:
        break;
    }
    return status;
}

static void check_phase(const struct phase_row *row)
{
    struct kp_container containers[4] = {{.kind = KP_INIT}};
    struct kp_container_status statuses[4];
    struct kp_pod pod = {.restart_policy = kp_text_of(row->policy), .containers = containers};
    size_t count = 0;
    bool init = true;
    struct kp_profile profile = unit_profile(row->k8s);

    for (const char *at = row->containers; *at; at++) {
        if (*at == '|') {
            init = false;
            continue;
        }
        containers[count] = (struct kp_container){.kind = init ? KP_INIT : KP_REGULAR};
        if (*at == 'S' || *at == 'N') {
            containers[count].restart_policy = *at == 'S' ? KP_TEXT("Always") : KP_TEXT("Never");
            at++;
        }
        statuses[count++] = status_of(*at);
        if (init)
            pod.init_count++;
        else
            pod.regular_count++;
    }
    unit_check_int(kp_phase_of(&profile, &pod, statuses, row->terminal, row->initialized),
                   row->want, row->why, __FILE__, __LINE__);
}

static void the_phase_follows_from_the_containers(void)
{
    for (size_t i = 0; i < sizeof phase_rows / sizeof phase_rows[0]; i++)
        check_phase(&phase_rows[i]);
}

/* P pending, R running, F failed, S succeeded, - nothing is known. */
struct stays_row {
    const char *why;
    const char *k8s;
    char api;
    char old;
    char phase;
    char want;
};

/* clang-format off */
static const struct stays_row stays_rows[] = {
    {"a phase is what it is",               "1.36", 'R', 'R', 'F', 'F'},
    {"also without any before",             "1.36", '-', '-', 'R', 'R'},
    {"what the API has as final stays",     "1.36", 'F', 'R', 'R', 'F'},
    {"even for another one that is final",  "1.36", 'F', 'F', 'S', 'F'},
    {"also where it fails later",           "1.36", 'S', 'R', 'F', 'S'},
    {"in 1.15 too",                         "1.15", 'S', 'R', 'R', 'S'},
    {"what was computed as final stays",    "1.36", 'R', 'S', 'R', 'S'},
    {"but for another one that is final",   "1.36", 'R', 'S', 'F', 'F'},
    {"the other way round as well",         "1.36", 'R', 'F', 'S', 'S'},
    {"the first that kept it",              "1.22", 'R', 'F', 'P', 'F'},
    {"up to 1.21 it could come back",       "1.21", 'R', 'F', 'R', 'R'},
    {"with nothing in the API",             "1.36", '-', 'F', 'P', 'F'},
};
/* clang-format on */

static enum kp_phase phase_named(char letter)
{
    static const enum kp_phase phases[] = {KP_PENDING, KP_RUNNING, KP_FAILED, KP_SUCCEEDED};
    static const char letters[] = "PRFS";

    return phases[strchr(letters, letter) - letters];
}

static void a_final_phase_stays(void)
{
    for (size_t i = 0; i < sizeof stays_rows / sizeof stays_rows[0]; i++) {
        const struct stays_row *row = &stays_rows[i];
        struct kp_pod_status api = {.status_count = 0};
        struct kp_pod_status old = {.status_count = 0};
        struct kp_profile profile = unit_profile(row->k8s);

        if (row->api != '-')
            api.phase = phase_named(row->api);
        if (row->old != '-')
            old.phase = phase_named(row->old);
        unit_check_int(kp_phase_stays(&profile, row->api == '-' ? NULL : &api,
                                      row->old == '-' ? NULL : &old, phase_named(row->phase)),
                       phase_named(row->want), row->why, __FILE__, __LINE__);
    }
}

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

/* What a status of a pod with at most three containers is made of. */
struct unit_status {
    struct kp_mem mem;
    struct kp_profile profile;
    struct kp_runtime_view view;
    struct kp_reason reasons[3];
    struct kp_status_boxes boxes;
    struct kp_status_box *box;
    struct kp_status_input input;
};

static void open_status(struct unit_status *own, const struct kp_pod *pod)
{
    struct kp_prober_config config = {.profile = &own->profile};

    *own = (struct unit_status){.mem = fake_alloc_plain()};
    CHECK_INT(kp_profile_init(&own->profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(kp_runtime_view_init(&own->view, &own->mem, 3), KP_OK);
    CHECK_INT(kp_status_boxes_init(&own->boxes, &own->mem, 3, kp_conditions_text_max(pod)), KP_OK);
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

/* S-310: who stands in an earlier sandbox does not show that this one is initialized. */
static void an_earlier_sandbox_initializes_no_pod(void)
{
    static const struct kp_container both[] = {{.name = {"side", 4},
                                                .kind = KP_INIT,
                                                .restart_policy = {"Always", 6},
                                                .probes[KP_STARTUP] = &probe},
                                               {.name = {"web", 3}, .kind = KP_REGULAR}};
    static const struct kp_pod spec = {.containers = both, .init_count = 1, .regular_count = 1};
    struct unit_status own;

    open_status(&own, &spec);
    kp_prober_manager_add_pod(own.input.probers, 0, &spec, 0);
    kp_runtime_sandbox_add(&own.view, 0);
    kp_runtime_exit(kp_runtime_create(&own.view, 1, KP_TEXT("w1")), 1, KP_TEXT_NONE, 0);
    own.view.sandboxes[0].ready = false;
    kp_runtime_sandbox_add(&own.view, 1);
    kp_runtime_create(&own.view, 0, KP_TEXT("s1"))->state = KP_INSTANCE_RUNNING;
    kp_pod_status_generate(own.box, &own.input);
    CHECK_INT(own.box->status.phase, KP_PENDING);
    close_status(&own);
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
    {"an earlier sandbox initializes no pod", an_earlier_sandbox_initializes_no_pod},
    {"what had started has started", what_had_started_has_started},
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
    {"a final phase stays", a_final_phase_stays},
    {"the phase follows from the containers", the_phase_follows_from_the_containers},
    {0},
};
