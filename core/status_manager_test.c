#include "core/status_manager.h"

#include "fakes/unit_node.h"

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

/* S-306, S-307: a result of an instance that is none any more. */
static void a_result_of_another_instance_changes_nothing(void)
{
    struct kp_node idle = {.mem = &mem};
    struct kp_pod_run run = {.node = &idle};
    struct kp_container_status *status;

    mem = fake_alloc_plain();
    CHECK_INT(kp_status_box_init(&run.cached, &mem, 1, 64), KP_OK);
    CHECK_INT(kp_status_box_init(&run.scratch, &mem, 1, 64), KP_OK);
    run.cached.status.status_count = 1;
    status = &run.cached.status.statuses[0];
    status->container_id = KP_TEXT("new");
    kp_status_set_ready(&run, 0, KP_TEXT("old"), true);
    kp_status_set_started(&run, 0, KP_TEXT("old"), true);
    CHECK(!status->ready && !status->started && !run.dirty_status);
    kp_status_box_deinit(&run.cached, &mem);
    kp_status_box_deinit(&run.scratch, &mem);
}

const struct unit_test status_manager_test[] = {
    {"times lose their fraction", times_lose_their_fraction},
    {"a result of another instance changes nothing", a_result_of_another_instance_changes_nothing},
    {0},
};
