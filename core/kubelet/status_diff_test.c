#include "core/kubelet/status_diff.h"

#include "fakes/unit_run.h"

#include <stdio.h>

static const struct kp_container both[] = {{.name = {"web", 3}, .kind = KP_REGULAR},
                                           {.name = {"db", 2}, .kind = KP_REGULAR},
                                           {.name = {"debug", 5}, .kind = KP_EPHEMERAL}};
static const struct kp_pod spec = {.containers = both, .regular_count = 2, .ephemeral_count = 1};
static int emitted; /* how many effects */

static void fill(struct kp_status_box *box)
{
    struct kp_state end = {.kind = KP_STATE_TERMINATED,
                           .reason = KP_TEXT("Error"),
                           .message = KP_TEXT("m"),
                           .exit_code = 1,
                           .container_id = KP_TEXT("c1")};

    box->address = 0;
    box->status.phase = KP_RUNNING;
    box->status.reason = KP_TEXT_NONE;
    box->status.status_count = 3;
    for (size_t i = 0; i < 3; i++)
        box->status.statuses[i] =
            (struct kp_container_status){.name = both[i].name, .state = end, .last_state = end};
    box->status.condition_count = 2;
    for (size_t i = 0; i < 2; i++)
        box->status.conditions[i] = (struct kp_condition){
            .type = KP_TEXT("Ready"), .reason = KP_TEXT("r"), .message = KP_TEXT("m")};
}

static bool change_state(int part, struct kp_state *state)
{
    switch (part) {
    case 0:
        state->kind = KP_STATE_WAITING;
        return true;
    case 1:
        state->reason = KP_TEXT("Other");
        return true;
    case 2:
        state->message = KP_TEXT("n");
        return true;
    case 3:
        state->exit_code = 2;
        return true;
    case 4:
        state->beside_waiting = true;
        return true;
    case 5:
        state->started_at_ns = 1;
        return true;
    case 6:
        state->finished_at_ns = 1;
        return true;
    case 7:
        state->container_id = KP_TEXT("c2");
        return true;
    default:
        return false;
    }
}

#define STATE_PARTS 8

/* The second container, the second condition: none is left out.  false: there is no such part. */
static bool change(int part, struct kp_status_box *box)
{
    struct kp_container_status *status = &box->status.statuses[1];
    struct kp_condition *condition = &box->status.conditions[1];

    if (part < 2 * STATE_PARTS)
        return change_state(part / 2, part % 2 ? &status->last_state : &status->state);
    switch (part - 2 * STATE_PARTS) {
    case 0:
        status->container_id = KP_TEXT("c2");
        return true;
    case 1:
        status->restart_count = 1;
        return true;
    case 2:
        status->ready = true;
        return true;
    case 3:
        status->has_started = status->started = true;
        return true;
    case 4:
        status->image = KP_TEXT("i");
        return true;
    case 5:
        condition->type = KP_TEXT("Initialized");
        return true;
    case 6:
        condition->status = KP_CONDITION_FALSE;
        return true;
    case 7:
        condition->reason = KP_TEXT("s");
        return true;
    case 8:
        condition->message = KP_TEXT("n");
        return true;
    case 9:
        box->address = 1;
        return true;
    case 10:
        box->status.phase = KP_FAILED;
        return true;
    case 11:
        box->status.reason = KP_TEXT("Evicted");
        return true;
    case 12:
        box->status.status_count--;
        return true;
    case 13:
        box->status.condition_count--;
        return true;
    default:
        return false;
    }
}

static void each_part_makes_another_status(void)
{
    struct unit_run own;
    struct kp_status_box *was;
    struct kp_status_box *is;
    int part;

    open_run(&own, "1.36", &spec);
    was = kp_status_box_take(&own.run.boxes);
    is = kp_status_box_take(&own.run.boxes);
    fill(was);
    for (part = 0; fill(is), CHECK(kp_status_same(was, is)), change(part, is); part++)
        if (!CHECK(!kp_status_same(was, is)) || !CHECK(!kp_status_same(is, was)))
            printf("    part %d\n", part);
    CHECK_INT(part, 2 * STATE_PARTS + 14);
    close_run(&own);
}

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    (void)ctx;
    CHECK_INT(effect->kind, KP_EFFECT_STATE);
    emitted++;
}

/* What an effect says of a container: not which instance it is of, nor when. */
static void an_instance_and_its_times_are_not_reported(void)
{
    struct unit_run own;
    struct kp_status_box *was;
    struct kp_status_box *is;

    open_run(&own, "1.36", &spec);
    own.node.sink = (struct kp_sink){count_effect, NULL};
    was = kp_status_box_take(&own.run.boxes);
    is = kp_status_box_take(&own.run.boxes);
    fill(was);
    for (int part = 0; part <= 2 * STATE_PARTS; part++) {
        fill(is);
        (void)change(part, is);
        emitted = 0;
        kp_status_emit(&own.run, &was->status, &is->status);
        CHECK_INT(emitted, part / 2 < 5);
    }
    fill(is);
    is->status.statuses[2].ready = true; /* nor is an ephemeral container emitted */
    emitted = 0;
    kp_status_emit(&own.run, &was->status, &is->status);
    CHECK_INT(emitted, 0);
    close_run(&own);
}

const struct unit_test status_diff_test[] = {
    {"each part makes another status", each_part_makes_another_status},
    {"an instance and its times are not reported", an_instance_and_its_times_are_not_reported},
    {0},
};
