#include "core/kubelet/pod_workers.h"

#include "fakes/unit_run.h"

static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod pod = {.containers = &web, .regular_count = 1};

/* S-023. */
static void a_pod_without_a_sync_is_due_in_no_queue(void)
{
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    CHECK_INT(kp_pod_worker_tick_ns(&own.run), KP_NEVER);
    kp_pod_run_forget(&own.run);
    CHECK_INT(kp_pod_worker_tick_ns(&own.run), KP_NEVER);
    close_run(&own);
}

static void count_kills(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_KILL;
}

/* S-031: housekeeping lists what runs by itself. */
static void what_no_relist_has_seen_is_killed_all_the_same(void)
{
    struct unit_run own;
    int kills = 0;

    open_run(&own, "1.21", &pod);
    own.node.sink = (struct kp_sink){count_kills, &kills};
    kp_runtime_sandbox_add(&own.run.truth, 0);
    kp_runtime_create(&own.run.truth, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    kp_pod_worker_kill_unwanted(&own.run);
    CHECK_INT(kills, 1);
    close_run(&own);
}

const struct unit_test pod_workers_test[] = {
    {"a pod without a sync is due in no queue", a_pod_without_a_sync_is_due_in_no_queue},
    {"what no relist has seen is killed all the same",
     what_no_relist_has_seen_is_killed_all_the_same},
    {0},
};
