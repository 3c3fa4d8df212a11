#include "fakes/unit_manager.h"

/* ---- attempts ---------------------------------------------------------------------------------
 */

static void errors_are_tried_three_times_and_then_discarded(void)
{
    describe_live(1);
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_ERROR, 1 * S);
    answer(KP_ANSWER_ERROR, 2 * S);
    answer(KP_ANSWER_ERROR, 3 * S);
    EMITTED("probe a/liveness a 2 P-063\nprobe a/liveness a 3 P-063\n"
            "event a Unhealthy Liveness probe errored and resulted in unknown state: x P-068");
    CHECK(!kp_prober_manager_answer(manager, log_.last_n, KP_ANSWER_FAILURE, KP_TEXT("x"), 3 * S));
    CHECK(!kp_prober_manager_answer(manager, 999, KP_ANSWER_FAILURE, KP_TEXT("x"), 3 * S));
    kp_prober_manager_free(manager);
}

static void without_a_handler_nothing_goes_out(void)
{
    describe_live(1);
    pod.name = KP_TEXT("p");
    pod.namespace_ = KP_TEXT("ns");
    probe.handler.exec = NULL;
    open_with_pod("1.32");
    run(0);
    EMITTED("result a/liveness a success P-012\n"
            "event a Unhealthy Liveness probe errored: missing probe handler for p_ns(u):a P-067");
    kp_prober_manager_free(manager);
}

/* P-074: up to 1.17 an event needs the kubelet that started the container. */
static void a_new_kubelet_has_started_nothing(void)
{
    describe_live(1);
    open_manager("1.17");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    kp_prober_manager_note_start(manager, 0, 0);
    kp_prober_manager_restart(manager, S);
    CHECK(!manager->workers[0].start_unseen); /* nor does it wait for a start's status */
    give_pod(S);
    run(S);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_FAILURE, 2 * S);
    EMITTED("result a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

#define EVENT "event a Unhealthy Liveness probe failed: x P-066\n"
#define RESULT "result a/liveness a failure P-047"

/* P-074: nor has what was killed; what is stopped late is the instance before
 * (kuberuntime_container.go killContainer: the id's reference is cleared). */
static void a_reference_goes_with_its_kill(void)
{
    static const struct {
        struct kp_text killed;
        const char *emitted;
    } rows[] = {{{"a", 1}, RESULT}, {{"before", 6}, EVENT RESULT}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe_live(1);
        open_manager("1.17");
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        kp_prober_manager_note_start(manager, 0, 0);
        give_pod(S);
        run(S);
        kp_prober_manager_note_kill(manager, 0, 0, rows[i].killed);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 2 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].emitted));
        kp_prober_manager_free(manager);
    }
}

/* P-074: while the status has the instance before, that one's reference counts: it went with its
 * kill, or stayed where the instance ended by itself.  A status made anew, as for another
 * container, may still have it. */
static void what_the_status_has_yet_has_its_own_reference(void)
{
    for (int row = 0; row < 4; row++) {
        bool killed = row & 1;

        describe_live(1);
        open_manager("1.17");
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        kp_prober_manager_note_start(manager, 0, 0);
        give_pod(S);
        if (killed)
            kp_prober_manager_note_kill(manager, 0, 0, KP_TEXT("a"));
        kp_prober_manager_note_start(manager, 0, 0);
        if (row & 2)
            kp_prober_manager_store_status(manager, 0, &status);
        run(S);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 2 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), killed ? KP_TEXT(RESULT) : KP_TEXT(EVENT RESULT));
        kp_prober_manager_free(manager);
    }
}

/* P-074: of several starts that the status has not seen yet none is that of the instance it has. */
static void a_start_behind_a_start_changes_nothing_for_the_one_before(void)
{
    describe_live(1);
    open_manager("1.17");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    give_pod(S); /* a: of a kubelet before */
    kp_prober_manager_note_start(manager, 0, 0);
    kp_prober_manager_note_start(manager, 0, 0);
    run(S);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_FAILURE, 2 * S);
    EMITTED("result a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

/* P-074: what is killed before the status has seen it has no reference when it does. */
static void what_is_killed_unseen_has_no_reference(void)
{
    describe_live(1);
    open_manager("1.17");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    give_pod(S);
    kp_prober_manager_note_start(manager, 0, 0);
    kp_prober_manager_note_kill(manager, 0, 0, KP_TEXT("b"));
    statuses[0].container_id = KP_TEXT("b");
    kp_prober_manager_store_status(manager, 0, &status);
    run(S);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_FAILURE, 2 * S);
    EMITTED("result a/liveness b failure P-047");
    kp_prober_manager_free(manager);
}

/* ---- AddPod and its like ----------------------------------------------------------------------
 */

static void workers_are_made_in_upstreams_order(void)
{
    describe(2);
    containers[0] = (struct kp_container){
        .name = KP_TEXT("a"), .kind = KP_INIT, .restart_policy = KP_TEXT("Always")};
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        containers[0].probes[type] = containers[1].probes[type] = &probe;
    pod.init_count = 1;
    pod.regular_count = 1;
    statuses[0].started = statuses[1].started = false;
    open_with_pod("1.36");
    run(0);
    EMITTED("result b/startup b unknown P-012\nprobe b/startup b 1 P-044\n"
            "result b/readiness b failure P-012\nresult b/liveness b success P-012\n"
            "result a/startup a unknown P-012\nprobe a/startup a 1 P-044\n"
            "result a/readiness a failure P-012\nresult a/liveness a success P-012");
    kp_prober_manager_free(manager);
}

/* P-152: container a's worker lives, b's has ended: does AddPod make it anew? */
static void add_pod_stops_at_the_first_worker_or_skips_a_container(void)
{
    static const struct {
        const char *k8s;
        const char *want;
    } rows[] = {{"1.36", ""},
                {"1.37", "result b/readiness b failure P-012\nprobe b/readiness b 1 P-044"}};

    for (size_t i = 0; i < 2; i++) {
        describe(2);
        containers[0].probes[KP_LIVENESS] = &probe;
        containers[1].probes[KP_READINESS] = &probe;
        open_with_pod(rows[i].k8s);
        run(0);
        kp_prober_manager_answer(manager, 1, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
        kp_prober_manager_answer(manager, 2, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
        run(0);
        kp_prober_stop_worker(manager, kp_prober_find_slot(manager, 0, 1, KP_READINESS));
        run(0);
        fake_effect_log_take(&log_);
        kp_prober_manager_add_pod(manager, 0, &pod, S);
        run(S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].want));
        kp_prober_manager_free(manager);
    }
}

static void stopping_leaves_readiness_and_sidecars(void)
{
    describe(2);
    containers[0].kind = KP_INIT;
    containers[0].restart_policy = KP_TEXT("Always");
    containers[0].probes[KP_LIVENESS] = &probe;
    containers[1].probes[KP_LIVENESS] = containers[1].probes[KP_READINESS] = &probe;
    pod.init_count = pod.regular_count = 1;
    open_with_pod("1.37");
    kp_prober_manager_stop_liveness_and_startup(manager, 0);
    run(0);
    for (uint32_t n = 1; n <= last_n; n++)
        kp_prober_manager_answer(manager, n, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
    run(0);
    CHECK(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->activity == KP_WAITING); /* K-17 */
    CHECK(kp_prober_find_slot(manager, 0, 1, KP_READINESS)->activity == KP_WAITING);
    CHECK(kp_prober_find_slot(manager, 0, 1, KP_LIVENESS)->activity == KP_ABSENT);
    kp_prober_manager_free(manager);
}

static void another_object_of_the_pod_brings_new_slots_along(void)
{
    struct kp_container more[2];
    struct kp_pod updated;

    describe(2);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_with_pod("1.37");
    run(0);
    more[0] = containers[0];
    more[1] = containers[1];
    more[0].probes[KP_STARTUP] = &probe;
    updated = pod;
    updated.containers = more;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_FAILURE, S); /* the attempt found its worker again */
    EMITTED("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    CHECK(!kp_prober_manager_answer(manager, log_.last_n, KP_ANSWER_FAILURE, KP_TEXT("x"), S));
    kp_prober_manager_store_status(manager, 0, &status);
    kp_prober_manager_add_pod(manager, 0, &updated, S);
    run(S);
    EMITTED("result a/startup a unknown P-012");
    more[0].name = KP_TEXT("other");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_EINPUT);
    kp_prober_manager_free(manager);
}

static void an_object_without_new_probes_takes_the_slots_that_there_are(void)
{
    struct kp_pod updated;
    uint32_t slots;

    describe_live(1);
    open_with_pod("1.37");
    run(0);
    slots = manager->worker_count;
    updated = pod;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    CHECK_INT(manager->worker_count, slots);
    kp_prober_manager_remove_pod(manager, 0);
    answer(KP_ANSWER_SUCCESS, S);
    kp_prober_manager_add_pod(manager, 0, &updated, S);
    CHECK(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->spec == &updated);
    kp_prober_manager_free(manager);
}

static void a_slot_without_a_worker_has_no_result(void)
{
    enum kp_result result;

    describe_live(1);
    open_manager("1.36");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    CHECK(!kp_results_get(manager, KP_LIVENESS, 0, 0, KP_TEXT_NONE, &result));
    kp_prober_manager_free(manager);
}

/* P-037: a worker outlives its container where some exit restarts them all, or the pod says that
 * one does. */
static void who_outlives_a_restart_of_all(void)
{
    static const struct {
        bool gate;
        enum kp_condition_status restarting;
        bool outlives;
    } rows[] = {{true, KP_CONDITION_TRUE, true},
                {true, KP_CONDITION_FALSE, false},
                {false, KP_CONDITION_TRUE, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_condition condition = {.type = KP_TEXT("AllContainersRestarting"),
                                         .status = rows[i].restarting};
        enum kp_result result;

        describe(1);
        pod.restart_policy = KP_TEXT("Never");
        containers[0].probes[KP_LIVENESS] = &probe;
        statuses[0].state.kind = KP_STATE_TERMINATED;
        status.conditions = &condition;
        status.condition_count = 1;
        open_manager("1.36");
        profile.gates[KP_GATE_RestartAllContainersOnContainerExits] = rows[i].gate;
        manager->env.profile = profile;
        give_pod(0);
        run(0);
        CHECK_INT(kp_results_get(manager, KP_LIVENESS, 0, 0, KP_TEXT("a"), &result),
                  rows[i].outlives);
        kp_prober_manager_free(manager);
    }
}

/* That all restart is over when the status says so. */
static void a_restart_of_all_is_over_with_its_status(void)
{
    struct kp_condition condition = {.type = KP_TEXT("AllContainersRestarting")};
    enum kp_result result;

    describe_live(1);
    pod.restart_policy = KP_TEXT("Never");
    status.conditions = &condition;
    status.condition_count = 1;
    open_with_pod("1.36");
    run(0);
    statuses[0].state.kind = KP_STATE_TERMINATED;
    condition.status = KP_CONDITION_FALSE;
    kp_prober_manager_store_status(manager, 0, &status);
    answer(KP_ANSWER_SUCCESS, S);
    run(20 * S);
    CHECK(!kp_results_get(manager, KP_LIVENESS, 0, 0, KP_TEXT("a"), &result));
    kp_prober_manager_free(manager);
}

/* ShouldAllContainersRestart asks init containers, too. */
static void an_init_container_restarts_all(void)
{
    static const int32_t code;
    static const struct kp_restart_rule all = {.action = {"RestartAllContainers", 20},
                                               .has_exit_codes = true,
                                               .op = {"In", 2},
                                               .values = &code,
                                               .value_count = 1};
    enum kp_result result;

    describe(2);
    pod.restart_policy = KP_TEXT("Never");
    pod.init_count = pod.regular_count = 1;
    containers[0].kind = KP_INIT;
    containers[0].restart_rules = &all;
    containers[0].restart_rule_count = 1;
    containers[1].probes[KP_LIVENESS] = &probe;
    statuses[0].state.kind = statuses[1].state.kind = KP_STATE_TERMINATED;
    statuses[1].state.exit_code = 1;
    open_with_pod("1.36");
    run(0);
    CHECK(kp_results_get(manager, KP_LIVENESS, 0, 1, KP_TEXT("b"), &result));
    kp_prober_manager_free(manager);
}

/* prober_manager.go AddPod: a worker that has been told to stop is in the map until it has ended.
 */
static void who_is_told_to_stop_is_not_made_anew(void)
{
    describe_live(1);
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_remove_pod(manager, 0);
    kp_prober_manager_add_pod(manager, 0, &pod, S);
    run(S);
    EMITTED("");
    answer(KP_ANSWER_SUCCESS, 2 * S);
    run(30 * S);
    EMITTED("");
    kp_prober_manager_add_pod(manager, 0, &pod, 30 * S);
    run(30 * S);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

/* Nobody takes containers away, or puts init containers in the place of others. */
static void an_object_of_other_containers_is_refused(void)
{
    static const size_t counts[][3] = {{1, 2, KP_EINPUT}, {2, 1, KP_EINPUT}, {0, 2, KP_EINPUT},
                                       {1, 0, KP_EINPUT}, {2, 0, KP_EINPUT}, {1, 1, KP_OK}};

    describe_live(3);
    pod.init_count = pod.regular_count = 1;
    open_with_pod("1.36");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct kp_pod other = pod;

        other.init_count = counts[i][0];
        other.regular_count = counts[i][1];
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &other), counts[i][2]);
    }
    kp_prober_manager_free(manager);
}

/* P-074: a worker that is made behind a start knows whose references there are. */
static void a_worker_is_made_behind_a_start(void)
{
    for (int ours = 0; ours < 2; ours++) {
        describe_live(1);
        open_manager("1.17");
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        if (ours)
            kp_prober_manager_note_start(manager, 0, 0);
        kp_prober_manager_store_status(manager, 0, &status);
        kp_prober_manager_note_start(manager, 0, 0); /* another one, which no status has yet */
        kp_prober_manager_add_pod(manager, 0, &pod, 0);
        run(S);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 2 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(ours ? EVENT RESULT : RESULT));
        kp_prober_manager_free(manager);
    }
}

/* ---- a new kubelet ------------------------------------------------------------------------- */

static void a_new_kubelet_knows_no_attempt_of_the_old_one(void)
{
    describe_live(8);
    open_with_pod("1.36");
    run(0);
    CHECK_INT(last_n, 8);
    kp_prober_manager_restart(manager, S);
    fake_effect_log_take(&log_);
    for (uint32_t n = 1; n <= 8; n++)
        CHECK(!kp_prober_manager_answer(manager, n, KP_ANSWER_FAILURE, KP_TEXT("x"), S));
    EMITTED("");
    kp_prober_manager_free(manager);
}

/* P-015. */
static void a_new_kubelet_is_young(void)
{
    describe_live(1);
    open_manager("1.36");
    kp_prober_manager_restart(manager, 20 * S);
    jitter_ns = 4 * S;
    give_pod(25 * S);
    CHECK_INT(kp_prober_manager_next_ns(manager), 29 * S);
    kp_prober_manager_free(manager);
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum kp_err live_once(struct kp_mem *failing)
{
    struct kp_prober_config config = {
        .profile = &profile, .last_n = &last_n, .sink = fake_effect_log_sink(&log_)};
    struct kp_prober_manager *m;
    enum kp_err err = kp_prober_manager_new(failing, &config, &m);

    if (err != KP_OK)
        return err;
    for (uint32_t handle = 0; handle < 40 && err == KP_OK; handle++)
        err = kp_prober_manager_reserve(m, handle, &pod);
    kp_prober_manager_free(m);
    return err;
}

static void nothing_is_lost_whichever_allocation_fails(void)
{
    static const struct kp_text words[] = {{"echo", 4}, {"$(X)", 4}};
    enum kp_err err = KP_ENOMEM;

    describe(2);
    command = (struct kp_exec_action){{words, 2}};
    containers[0].probes[KP_LIVENESS] = containers[1].probes[KP_READINESS] = &probe;
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    for (int64_t n = 0; err == KP_ENOMEM && n < 1000; n++) {
        struct fake_alloc state = {.fail_at = n};
        struct kp_mem failing = fake_alloc_mem(&state);

        err = live_once(&failing);
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, KP_OK);
    command = (struct kp_exec_action){0};
}

static void a_step_allocates_nothing(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    int64_t before;

    describe(25);
    for (size_t i = 0; i < 25; i++)
        containers[i].probes[KP_READINESS] = &probe;
    open_manager("1.36");
    kp_prober_manager_free(manager);
    mem = fake_alloc_mem(&state);
    {
        struct kp_prober_config config = {
            .profile = &profile, .last_n = &last_n, .sink = fake_effect_log_sink(&log_)};
        CHECK_INT(kp_prober_manager_new(&mem, &config, &manager), KP_OK);
    }
    give_pod(0);
    before = state.calls;
    for (int64_t now_s = 0; now_s < 200; now_s++) {
        struct kp_results_update update;

        run(now_s * S);
        while (kp_results_take(manager, KP_READINESS, &update))
            run(now_s * S);
        for (uint32_t n = 1; n <= last_n; n++)
            kp_prober_manager_answer(manager, n, n % 3 == 0 ? KP_ANSWER_FAILURE : KP_ANSWER_SUCCESS,
                                     KP_TEXT_NONE, now_s * S);
        log_.len = 0;
    }
    CHECK_INT(state.calls, before);
    kp_prober_manager_free(manager);
    CHECK_INT(state.live, 0);
}

/* A new kubelet knows nothing of whom the one before let sleep, and begins when it begins. */
static void a_restart_wakes_nobody(void)
{
    describe_live(1);
    open_manager("1.17");
    jitter_ns = 3 * S;
    give_pod(0);
    run(0);
    CHECK_INT(kp_prober_manager_next_ns(manager), 3 * S);
    kp_prober_manager_restart(manager, S);
    CHECK_INT(kp_prober_manager_next_ns(manager), KP_NEVER);
    jitter_ns = 0;
    give_pod(S);
    CHECK_INT(kp_prober_manager_next_ns(manager), S);
    kp_prober_manager_free(manager);
}

/* However much room there is behind the last one. */
static void a_pod_has_its_own_workers_alone(void)
{
    static const struct kp_container web = {
        .name = {"web", 3}, .kind = KP_REGULAR, .probes = {[KP_LIVENESS] = &probe}};
    static const struct kp_pod small = {.containers = &web, .regular_count = 1};

    describe_live(30);
    for (size_t i = 0; i < 30; i++)
        containers[i].probes[KP_READINESS] = &probe;
    open_manager("1.36");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    CHECK_INT(kp_prober_manager_reserve(manager, 1, &small), KP_OK);
    CHECK(manager->worker_cap > manager->worker_count);
    CHECK_INT(manager->pods[0].count, 60);
    CHECK_INT(manager->pods[1].count, 1);
    kp_prober_manager_free(manager);
}

const struct unit_test prober_manager_test[] = {
    {"a pod has its own workers alone", a_pod_has_its_own_workers_alone},
    {"a restart wakes nobody", a_restart_wakes_nobody},
    {"errors are tried three times and then discarded",
     errors_are_tried_three_times_and_then_discarded},
    {"without a handler nothing goes out", without_a_handler_nothing_goes_out},
    {"workers are made in upstream's order", workers_are_made_in_upstreams_order},
    {"AddPod stops at the first worker, or skips a container",
     add_pod_stops_at_the_first_worker_or_skips_a_container},
    {"stopping leaves readiness and sidecars", stopping_leaves_readiness_and_sidecars},
    {"another object of the pod brings new slots along",
     another_object_of_the_pod_brings_new_slots_along},
    {"an object without new probes takes the slots that there are",
     an_object_without_new_probes_takes_the_slots_that_there_are},
    {"a slot without a worker has no result", a_slot_without_a_worker_has_no_result},
    {"a restart of all is over with its status", a_restart_of_all_is_over_with_its_status},
    {"an init container restarts all", an_init_container_restarts_all},
    {"who is told to stop is not made anew", who_is_told_to_stop_is_not_made_anew},
    {"an object of other containers is refused", an_object_of_other_containers_is_refused},
    {"a worker is made behind a start", a_worker_is_made_behind_a_start},
    {"who outlives a restart of all", who_outlives_a_restart_of_all},
    {"a new kubelet knows no attempt of the old one",
     a_new_kubelet_knows_no_attempt_of_the_old_one},
    {"a new kubelet is young", a_new_kubelet_is_young},
    {"a new kubelet has started nothing", a_new_kubelet_has_started_nothing},
    {"a reference goes with its kill", a_reference_goes_with_its_kill},
    {"what the status has yet has its own reference",
     what_the_status_has_yet_has_its_own_reference},
    {"a start behind a start changes nothing for the one before",
     a_start_behind_a_start_changes_nothing_for_the_one_before},
    {"what is killed unseen has no reference", what_is_killed_unseen_has_no_reference},
    {"nothing is lost, whichever allocation fails", nothing_is_lost_whichever_allocation_fails},
    {"a step allocates nothing", a_step_allocates_nothing},
    {0},
};
