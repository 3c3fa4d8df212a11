#include "core/kubelet/status_manager.h"

#include "fakes/unit_node.h"
#include "fakes/unit_run.h"

/* P-040: what is stored has whole seconds, how the last instance ended as well. */
static void times_lose_their_fraction(void)
{
    const struct kp_container_status *status;

    open_node("1.36", false);
    run_to(2 * S + S / 4);
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_EXITED, .cid = kp_text_of(node.cids[0]), .u.exit_code = 1}),
              KP_OK);
    run_to(5 * S);
    status = &kp_engine_status(node.engine, 0)->statuses[0];
    CHECK_INT(status->last_state.kind, KP_STATE_TERMINATED);
    CHECK_INT(status->last_state.finished_at_ns, (1704067200 + 2) * S);
    kp_engine_free(node.engine);
}

static const struct kp_container only = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod one = {
    .containers = &only, .regular_count = 1, .restart_policy = {"Always", 6}};

/* S-306, S-307: a result of an instance that is none any more. */
static void a_result_of_another_instance_changes_nothing(void)
{
    struct unit_run own;
    struct kp_container_status *status;

    open_run(&own, "1.36", &one);
    own.run.cached.status.status_count = 1;
    status = &own.run.cached.status.statuses[0];
    status->container_id = KP_TEXT("new");
    kp_status_set_ready(&own.run, 0, KP_TEXT("old"), true);
    kp_status_set_started(&own.run, 0, KP_TEXT("old"), true);
    CHECK(!status->ready && !status->started && !own.run.dirty_status);
    close_run(&own);
}

/* isPodStatusByKubeletEqual: each part of a status makes another one of it. */
static void a_status_is_stored_where_it_is_another_one(void)
{
    static const struct {
        enum kp_phase phase;
        size_t statuses;
        size_t conditions;
        struct kp_text cid;
        uint32_t address;
        struct kp_state last;
        bool stored;
    } rows[] = {
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, false},
        {KP_PENDING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 2, 1, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 2, {"a", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"b", 1}, 1, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 2, {.kind = KP_STATE_TERMINATED}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {.kind = KP_STATE_WAITING}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .started_at_ns = S}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .finished_at_ns = S}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .container_id = {"b", 1}}, true},
        {KP_RUNNING, 1, 1, {"a", 1}, 1, {KP_STATE_TERMINATED, .beside_waiting = true}, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct unit_run own;
        struct kp_pod_run *run = &own.run;

        open_run(&own, "1.36", &one);
        run->has_cached = true;
        run->cached.status.phase = KP_RUNNING;
        run->cached.status.status_count = run->cached.status.condition_count = 1;
        run->cached.status.statuses[0].container_id = KP_TEXT("a");
        run->cached.status.statuses[0].last_state.kind = KP_STATE_TERMINATED;
        run->cached.address = 1;
        kp_status_box_copy(&run->scratch, &run->cached);
        run->scratch.address = rows[i].address;
        run->scratch.status.statuses[0].last_state = rows[i].last;
        run->scratch.status.phase = rows[i].phase;
        run->scratch.status.status_count = rows[i].statuses;
        run->scratch.status.condition_count = rows[i].conditions;
        run->scratch.status.statuses[0].container_id = rows[i].cid;
        kp_status_set(run, false);
        CHECK_INT(run->dirty_status, rows[i].stored);
        close_run(&own);
    }
}

/* Of a pod that has failed no container is looked for. */
static void a_failed_pod_misses_no_sidecar(void)
{
    static const struct kp_readiness_gate gate = {{"a/b", 3}};
    static const struct kp_container both[] = {
        {.name = {"side", 4}, .kind = KP_INIT, .restart_policy = {"Always", 6}},
        {.name = {"web", 3}, .kind = KP_REGULAR}};
    static const struct kp_pod two = {.containers = both,
                                      .init_count = 1,
                                      .regular_count = 1,
                                      .readiness_gates = &gate,
                                      .readiness_gate_count = 1};

    for (int failed = 0; failed < 2; failed++) {
        struct unit_run own;
        struct kp_pod_run *run = &own.run;

        open_run(&own, "1.36", &two);
        run->has_published = true;
        run->published.status.phase = failed ? KP_FAILED : KP_SUCCEEDED;
        kp_condition_put(&run->published, KP_TEXT("Ready"), KP_CONDITION_FALSE,
                         KP_TEXT("PodFailed"), KP_TEXT_NONE);
        CHECK_INT(kp_status_needs_sync(run), !failed);
        close_run(&own);
    }
}

const struct unit_test status_manager_test[] = {
    {"times lose their fraction", times_lose_their_fraction},
    {"a result of another instance changes nothing", a_result_of_another_instance_changes_nothing},
    {"a status is stored where it is another one", a_status_is_stored_where_it_is_another_one},
    {"a failed pod misses no sidecar", a_failed_pod_misses_no_sidecar},
    {0},
};
