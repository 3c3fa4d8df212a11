/* A pod has room for four ephemeral containers that come later, and each is looked after. */
#include "core/kubelet/pod_parts.h"

#include "core/kubelet/conditions.h"
#include "core/kubelet/status_manager.h"
#include "fakes/unit_node.h"
#include "fakes/unit_run.h"

#define LAST 4

static struct kp_container containers[LAST + 2];
static struct kp_pod fuller;

static void lay_crowd(void)
{
    static const char *const names[] = {"web", "e1", "e2", "e3", "e4", "e5"};

    lay_pod();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        containers[i] = (struct kp_container){.name = kp_text_of(names[i]),
                                              .kind = i == 0 ? KP_REGULAR : KP_EPHEMERAL};
    pod.containers = containers;
    fuller = pod;
}

static enum kp_err bring(size_t count)
{
    fuller.ephemeral_count = count;
    return say((struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = &fuller});
}

static struct kp_event of_last(enum kp_event_kind kind, const char *cid)
{
    return (struct kp_event){.kind = kind,
                             .container = LAST,
                             .cid = kp_text_of(cid),
                             .message = KP_TEXT("busy"),
                             .u = {.exit_code = 3}};
}

/* Its state is of that kind, and of that instance. */
static void check_state(size_t container, enum kp_state_kind kind, const char *cid)
{
    const struct kp_pod_status *status = kp_engine_status(node.engine, 0);

    CHECK_INT(status->status_count, LAST + 1);
    CHECK_INT(status->statuses[container].state.kind, kind);
    CHECK_TEXT(status->statuses[container].container_id, kp_text_of(cid));
}

/* S-107: they start in their order, end by themselves, and end with their pod. */
static void four_come_and_a_fifth_does_not(void)
{
    static const char *const cids[] = {"c1", "c2", "c3", "c4", "c5"};

    lay_crowd();
    open_laid("1.36", false);
    run_to(S);
    CHECK_INT(bring(LAST), KP_OK);
    run_to(3 * S);
    LOGGED("create start start start start start");
    for (size_t i = 0; i <= LAST; i++)
        check_state(i, KP_STATE_RUNNING, cids[i]);
    CHECK_INT(bring(LAST + 1), KP_EINPUT);
    CHECK_INT(say(of_last(KP_EVENT_EXITED, "c5")), KP_OK);
    run_to(6 * S);
    check_state(LAST, KP_STATE_TERMINATED, "c5");
    LOGGED("create start start start start start");
    delete_pod();
    run_to(9 * S);
    LOGGED("create start start start start start kill kill kill kill stop");
    kp_engine_free(node.engine);
}

/* S-221: the kills of the last two are waited for; the last one's failure fails the pod's, and both
 * failures are a list. */
static void kill_the_last_two(bool both, struct kp_text said)
{
    lay_crowd();
    open_laid("1.36", false);
    run_to(S);
    CHECK_INT(bring(LAST), KP_OK);
    run_to(3 * S);
    node.log[0] = '\0';
    node.holds = true;
    delete_pod();
    run_to(4 * S);
    for (int i = 0; i < LAST; i++)
        CHECK_INT(say((struct kp_event){.kind = both && i == LAST - 1 ? KP_EVENT_KILLFAIL
                                                                      : KP_EVENT_EXITED,
                                        .container = i,
                                        .cid = kp_text_of(node.cids[i]),
                                        .message = KP_TEXT("no")}),
                  KP_OK);
    run_to(5 * S);
    LOGGED("kill kill kill kill kill");
    CHECK_INT(say(of_last(KP_EVENT_KILLFAIL, "c5")), KP_OK);
    run_to(5 * S);
    LOGGED("kill kill kill kill kill stop");
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(5 * S);
    CHECK_TEXT(kp_text_of(node.said), said);
    kp_engine_free(node.engine);
}

static void the_fourth_is_killed_like_any_other(void)
{
    kill_the_last_two(false,
                      KP_TEXT("error killing pod: failed to \"KillContainer\" for \"e4\" with "
                              "KillContainerError: \"busy\""));
    kill_the_last_two(true,
                      KP_TEXT("error killing pod: [failed to \"KillContainer\" for \"e3\" with "
                              "KillContainerError: \"no\", failed to \"KillContainer\" for "
                              "\"e4\" with KillContainerError: \"busy\"]"));
}

/* S-233: one that a dead kubelet was starting is there when the next one looks. */
static void the_fourth_of_a_dead_kubelet_is_found(void)
{
    lay_crowd();
    open_laid("1.36", false);
    run_to(S);
    CHECK_INT(bring(LAST - 1), KP_OK);
    run_to(3 * S);
    node.holds = true;
    CHECK_INT(bring(LAST), KP_OK);
    run_to(4 * S);
    LOGGED("create start start start start start");
    restart_kubelet(2 * S);
    CHECK_INT(say(of_last(KP_EVENT_RUNNING, "late")), KP_OK);
    run_to(9 * S);
    LOGGED("create start start start start start");
    check_state(LAST, KP_STATE_RUNNING, "late");
    kp_engine_free(node.engine);
}

/* ---- room for words -------------------------------------------------------------------------- */

#define CROWD 30

/* A first status of that pod, with all of its containers ready or none. */
static void begin_status(struct unit_run *own, const struct kp_pod *of, bool ready)
{
    const struct kp_status_input input = {
        .profile = &own->node.profile, .pod = of, .view = &own->run.truth};
    struct kp_status_box *box;

    open_run(own, "1.36", of);
    box = kp_status_box_take(&own->run.boxes);
    box->status.status_count = of->init_count + of->regular_count;
    for (size_t i = 0; i < box->status.status_count; i++)
        box->status.statuses[i] =
            (struct kp_container_status){.name = of->containers[i].name, .ready = ready};
    kp_conditions_generate(box, &input);
    kp_status_set(&own->run, of, box, false);
}

/* S-306: what is said anew stands beside what was said, both times of each container but one. */
static void the_names_of_all_containers_have_room(void)
{
    static char name[200];
    static struct kp_container sidecars[CROWD];
    const struct kp_pod of = {.containers = sidecars, .init_count = CROWD};
    struct unit_run own;
    struct kp_text said;

    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < CROWD; i++)
        sidecars[i] = (struct kp_container){
            .name = {name, sizeof name}, .kind = KP_INIT, .restart_policy = KP_TEXT("Always")};
    begin_status(&own, &of, false);
    kp_status_set_ready(&own.run, 0, KP_TEXT_NONE, true);
    said = kp_condition_find(kp_status_cached(&own.run), KP_TEXT("Ready"))->message;
    CHECK_INT(said.len, 33 + (CROWD - 1) * (sizeof name + 1));
    close_run(&own);
}

/* S-314: the same of readiness gates whose names are written in four bytes each. */
static void the_names_of_all_gates_have_room(void)
{
    static char name[60];
    static struct kp_readiness_gate gates[CROWD];
    const struct kp_container one = {.name = KP_TEXT("w"), .kind = KP_REGULAR};
    const struct kp_pod of = {.containers = &one,
                              .regular_count = 1,
                              .readiness_gates = gates,
                              .readiness_gate_count = CROWD};
    struct unit_run own;

    memset(name, 1, sizeof name);
    for (size_t i = 0; i < CROWD; i++)
        gates[i].condition_type = (struct kp_text){name, sizeof name};
    begin_status(&own, &of, true);
    CHECK(!kp_status_send(&own.run));
    CHECK_INT(kp_condition_find(kp_status_cached(&own.run), KP_TEXT("Ready"))->message.len,
              CROWD * (64 + 4 * sizeof name + 2) - 2);
    CHECK(!kp_status_needs_sync(&own.run));
    close_run(&own);
}

const struct unit_test pod_parts_test[] = {
    {"the names of all containers have room", the_names_of_all_containers_have_room},
    {"the names of all gates have room", the_names_of_all_gates_have_room},
    {"four come and a fifth does not", four_come_and_a_fifth_does_not},
    {"the fourth is killed like any other", the_fourth_is_killed_like_any_other},
    {"the fourth of a dead kubelet is found", the_fourth_of_a_dead_kubelet_is_found},
    {0},
};
