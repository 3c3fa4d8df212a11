#include "conformance/pod/kubectl.h"
#include "core/model/trace.h"
#include "fakes/unit.h"

#include <string.h>

/* One pod with one init container or none, and one or two regular ones. */
struct shown {
    struct kp_container containers[3];
    struct kp_container_status statuses[3];
    struct kp_condition conditions[2];
    struct kp_pod pod;
    struct kp_pod_status status;
};

static void shown_init(struct shown *shown, size_t inits, size_t regulars)
{
    static const char *const names[] = {"a", "b", "c"};

    *shown = (struct shown){0};
    for (size_t i = 0; i < inits + regulars; i++) {
        shown->containers[i].name = kp_text_of(names[i]);
        shown->containers[i].kind = i < inits ? KP_INIT : KP_REGULAR;
        shown->statuses[i].name = shown->containers[i].name;
    }
    shown->pod = (struct kp_pod){
        .containers = shown->containers, .init_count = inits, .regular_count = regulars};
    shown->status = (struct kp_pod_status){.phase = KP_RUNNING,
                                           .statuses = shown->statuses,
                                           .status_count = inits + regulars,
                                           .conditions = shown->conditions};
}

static void check_columns(const struct shown *shown, const char *version, const char *ready,
                          const char *status, const char *restarts)
{
    struct kp_profile profile = unit_profile(version);
    struct cf_columns columns;

    cf_kubectl_columns(&profile, &shown->pod, &shown->status, 1000 * KP_NS_PER_S, &columns);
    CHECK_STRING(columns.ready, ready);
    CHECK_STRING(columns.status, status);
    CHECK_STRING(columns.restarts, restarts);
}

/* Each column ends in its room, however long what it shows is: up to its last byte and beyond. */
static void columns_are_filled_to_the_last_byte(void)
{
    char long_reason[200];
    struct {
        struct cf_columns columns;
        char guard[16];
    } room;

    memset(long_reason, 'A', sizeof long_reason);
    for (size_t len = 1; len < sizeof long_reason; len++) {
        struct kp_profile profile = unit_profile("1.36");
        struct shown shown;

        shown_init(&shown, 0, 1);
        shown.statuses[0].state.kind = KP_STATE_WAITING;
        shown.statuses[0].state.reason = (struct kp_text){long_reason, len};
        memset(&room, '#', sizeof room);
        cf_kubectl_columns(&profile, &shown.pod, &shown.status, 1000 * KP_NS_PER_S, &room.columns);
        CHECK_INT(strlen(room.columns.status),
                  len < sizeof room.columns.status ? len : sizeof room.columns.status - 1);
        CHECK_STRING(room.columns.restarts, "0");
        CHECK_INT(room.guard[0], '#');
    }
}

/* S-335. */
static void running_but_unready_is_running_zero_of_one(void)
{
    struct shown shown;

    shown_init(&shown, 0, 1);
    shown.statuses[0].state.kind = KP_STATE_RUNNING;
    check_columns(&shown, "1.36", "0/1", "Running", "0");
}

/* S-336: the age of the last restart is shown from 1.22 on. */
static void a_restart_has_an_age(void)
{
    struct shown shown;

    shown_init(&shown, 0, 1);
    shown.statuses[0].state =
        (struct kp_state){.kind = KP_STATE_WAITING, .reason = KP_TEXT("CrashLoopBackOff")};
    shown.statuses[0].last_state =
        (struct kp_state){.kind = KP_STATE_TERMINATED, .finished_at_ns = 988 * KP_NS_PER_S};
    shown.statuses[0].restart_count = 3;
    check_columns(&shown, "1.36", "0/1", "CrashLoopBackOff", "3 (12s ago)");
    check_columns(&shown, "1.21", "0/1", "CrashLoopBackOff", "3");
}

static void initialization_is_shown_until_it_is_over(void)
{
    struct shown shown;

    shown_init(&shown, 1, 1);
    shown.statuses[0].state.kind = KP_STATE_RUNNING;
    check_columns(&shown, "1.36", "0/1", "Init:0/1", "0");
    shown.statuses[0].state = (struct kp_state){.kind = KP_STATE_TERMINATED, .exit_code = 7};
    check_columns(&shown, "1.36", "0/1", "Init:ExitCode:7", "0");
    shown.statuses[0].state =
        (struct kp_state){.kind = KP_STATE_TERMINATED, .reason = KP_TEXT("Completed")};
    shown.statuses[1].state.kind = KP_STATE_RUNNING;
    shown.statuses[1].ready = true;
    check_columns(&shown, "1.36", "1/1", "Running", "0");
    shown.statuses[0].state.signal = 9; /* the code alone shows it */
    check_columns(&shown, "1.36", "1/1", "Running", "0");
}

/* S-333: one container done, the other runs. */
static void completed_beside_a_running_one(void)
{
    struct shown shown;

    shown_init(&shown, 0, 2);
    shown.statuses[0].state =
        (struct kp_state){.kind = KP_STATE_TERMINATED, .reason = KP_TEXT("Completed")};
    shown.statuses[1].state.kind = KP_STATE_RUNNING;
    shown.statuses[1].ready = true;
    check_columns(&shown, "1.36", "1/2", "NotReady", "0");
    shown.conditions[0] =
        (struct kp_condition){.type = KP_TEXT("Ready"), .status = KP_CONDITION_TRUE};
    shown.status.condition_count = 1;
    check_columns(&shown, "1.36", "1/2", "Running", "0");
    shown.conditions[0].status = KP_CONDITION_UNKNOWN; /* the node is lost, say */
    check_columns(&shown, "1.36", "1/2", "NotReady", "0");
}

/* kubectl goes through the statuses that there are. */
static void an_init_container_without_a_status_is_passed_over(void)
{
    struct shown shown;

    shown_init(&shown, 2, 1);
    shown.statuses[0] = (struct kp_container_status){
        .name = KP_TEXT("b"), .state = {.kind = KP_STATE_TERMINATED, .exit_code = 7}};
    shown.status.status_count = 1;
    check_columns(&shown, "1.36", "0/1", "Init:ExitCode:7", "0");
}

/* S-334: from 1.31 a terminal pod keeps its word. */
static void a_deleted_pod_is_terminating(void)
{
    struct shown shown;

    shown_init(&shown, 0, 1);
    shown.pod.has_deletion = true;
    shown.statuses[0].state.kind = KP_STATE_RUNNING;
    check_columns(&shown, "1.36", "0/1", "Terminating", "0");
    shown.status.phase = KP_FAILED;
    shown.statuses[0].state =
        (struct kp_state){.kind = KP_STATE_TERMINATED, .reason = KP_TEXT("Error")};
    check_columns(&shown, "1.36", "0/1", "Error", "0");
    check_columns(&shown, "1.30", "0/1", "Terminating", "0");
}

/* One without a status is as one of which nothing is known yet. */
static void each_phase_has_its_word(void)
{
    static const char *const words[] = {"Pending",   "Pending", "Running",
                                        "Succeeded", "Failed",  "Unknown"};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_columns columns;
    struct shown shown;

    shown_init(&shown, 0, 1);
    for (int phase = KP_PHASE_NONE; phase <= KP_PHASE_UNKNOWN; phase++) {
        shown.status.phase = (enum kp_phase)phase;
        check_columns(&shown, "1.36", "0/1", words[phase], "0");
    }
    cf_kubectl_columns(&profile, &shown.pod, NULL, 0, &columns);
    CHECK_STRING(columns.status, "Pending");
    CHECK_STRING(columns.ready, "0/1");
}

/* A reason may be as short as it likes. */
static void a_reason_of_one_letter_is_one(void)
{
    struct shown shown;

    shown_init(&shown, 1, 1);
    shown.statuses[0].state = (struct kp_state){.kind = KP_STATE_WAITING, .reason = KP_TEXT("X")};
    check_columns(&shown, "1.36", "0/1", "Init:X", "0");
    shown.statuses[0].state.kind = KP_STATE_TERMINATED;
    shown.statuses[0].state.exit_code = 1;
    check_columns(&shown, "1.36", "0/1", "Init:X", "0");
    shown_init(&shown, 0, 1);
    shown.statuses[0].state = (struct kp_state){.kind = KP_STATE_WAITING, .reason = KP_TEXT("X")};
    check_columns(&shown, "1.36", "0/1", "X", "0");
}

const struct unit_test kubectl_test[] = {
    {"each phase has its word", each_phase_has_its_word},
    {"a reason of one letter is one", a_reason_of_one_letter_is_one},
    {"columns are filled to the last byte", columns_are_filled_to_the_last_byte},
    {"running but unready is Running 0/1", running_but_unready_is_running_zero_of_one},
    {"a restart has an age", a_restart_has_an_age},
    {"initialization is shown until it is over", initialization_is_shown_until_it_is_over},
    {"an init container without a status is passed over",
     an_init_container_without_a_status_is_passed_over},
    {"Completed beside a running one", completed_beside_a_running_one},
    {"a deleted pod is Terminating", a_deleted_pod_is_terminating},
    {0},
};
