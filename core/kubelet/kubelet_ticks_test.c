#include "core/kubelet/kubelet_ticks.h"

#include "core/kubelet/status_manager.h"
#include "core/kubelet/sync_state.h"
#include "core/prober/prober_state.h"
#include "fakes/unit_run.h"

/* HandlePodCleanups (kubelet_pods.go), up to 1.21: the probes' workers go first, and then the
 * runtime is called for what runs, in vain where it is down. */
static void housekeeping_ends_the_workers_though_the_runtime_is_down(void)
{
    static const struct kp_exec_action action;
    static const struct kp_probe probe = {
        .handler.exec = &action, .period_s = 10, .timeout_s = 1, .failure_threshold = 3};
    static const struct kp_container web = {
        .name = {"web", 3}, .kind = KP_REGULAR, .probes[KP_LIVENESS] = &probe};
    static const struct kp_pod pod = {.containers = &web, .regular_count = 1, .has_deletion = true};

    for (int down = 0; down < 2; down++) {
        struct unit_run own;
        struct kp_loop_pod loop = {0};
        struct kp_worker *worker;

        open_run(&own, "1.21", &pod);
        loop.run = own.run;
        kp_prober_manager_add_pod(own.node.probers, 0, &pod, 0);
        own.node.runtime.down = down;
        kp_tick_pod(&loop);
        worker = kp_prober_find_slot(own.node.probers, 0, 0, KP_LIVENESS);
        CHECK(worker->stop_sent);
        CHECK_INT(loop.probes_cleaned, !down);
        close_run(&own);
    }
}

static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};

static int64_t wake_s(const char *k8s, bool deleted, enum kp_phase cached, bool asleep, bool gone)
{
    struct kp_pod pod = {.containers = &web, .regular_count = 1, .has_deletion = deleted};
    struct unit_run own;
    struct kp_loop_pod loop = {0};
    struct kp_status_box *box;
    int64_t wake_ns;

    open_run(&own, k8s, &pod);
    box = kp_status_box_take(&own.run.boxes);
    box->status.phase = cached;
    kp_status_set(&own.run, &pod, box, false);
    own.node.runtime.asleep = asleep;
    own.run.gone = gone;
    loop.run = own.run;
    wake_ns = kp_tick_wake_ns(&loop);
    close_run(&own);
    return wake_ns == KP_NEVER ? -1 : wake_ns / KP_NS_PER_S;
}

/* The next tick that finds something to do: the collection each minute, syncBatch each 10 s for
 * what waits to be published or deleted, up to 1.21 housekeeping, while the loop turns. */
static void it_wakes_for_the_next_tick_with_something_to_do(void)
{
    CHECK_INT(wake_s("1.36", false, KP_RUNNING, false, false), 60);
    CHECK_INT(wake_s("1.36", false, KP_FAILED, false, false), 10);
    CHECK_INT(wake_s("1.36", true, KP_RUNNING, false, false), 10);
    CHECK_INT(wake_s("1.21", true, KP_RUNNING, false, false), 2);
    CHECK_INT(wake_s("1.21", true, KP_RUNNING, true, false), 10);
    CHECK_INT(wake_s("1.21", true, KP_RUNNING, false, true), 2);
    CHECK_INT(wake_s("1.21", true, KP_RUNNING, true, true), -1);
}

/* What housekeeping kills goes on when it wants to, on no tick's instant. */
static void it_wakes_for_a_kill_of_the_housekeeping(void)
{
    struct kp_pod pod = {.containers = &web, .regular_count = 1};
    struct unit_run own;
    struct kp_loop_pod loop = {0};

    open_run(&own, "1.21", &pod);
    own.run.kill_sync->step = KP_SYNC_POST_START; /* stands for any that waits for its time */
    own.run.kill_sync->until_ns = 7;
    loop.run = own.run;
    CHECK_INT(kp_tick_wake_ns(&loop), 7);
    close_run(&own);
}

/* S-345: from its deadline on a pod is synced with each tick of the sync loop, and with no other;
 * one that the loop has not heard of yet is not (getPodsToSync). */
static void a_pod_past_its_deadline_is_synced_at_ticks(void)
{
    static const struct {
        int64_t now_ns;
        int64_t wake_ns;
        bool requeued;
        bool added;
    } rows[] = {{5 * KP_NS_PER_S, 6 * KP_NS_PER_S, true, false},
                {5 * KP_NS_PER_S, 6 * KP_NS_PER_S, false, true},
                {5 * KP_NS_PER_S + 1, 6 * KP_NS_PER_S, false, false},
                {6 * KP_NS_PER_S - 1, 6 * KP_NS_PER_S, false, false}};
    struct kp_pod_status begun = {.phase = KP_RUNNING, .has_start = true};
    struct kp_pod pod = {.containers = &web,
                         .regular_count = 1,
                         .has_deadline = true,
                         .deadline_s = 2,
                         .status = &begun};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct unit_run own;
        struct kp_loop_pod loop = {0};

        open_run(&own, "1.36", &pod);
        own.node.now_ns = rows[i].now_ns;
        loop.run = own.run;
        loop.added = rows[i].added;
        kp_tick_sync(&loop);
        CHECK_INT(loop.requeued, rows[i].requeued);
        CHECK_INT(kp_tick_wake_ns(&loop), rows[i].wake_ns);
        close_run(&own);
    }
}

const struct unit_test kubelet_ticks_test[] = {
    {"it wakes for a kill of the housekeeping", it_wakes_for_a_kill_of_the_housekeeping},
    {"a pod past its deadline is synced at ticks", a_pod_past_its_deadline_is_synced_at_ticks},
    {"it wakes for the next tick with something to do",
     it_wakes_for_the_next_tick_with_something_to_do},
    {"housekeeping ends the workers though the runtime is down",
     housekeeping_ends_the_workers_though_the_runtime_is_down},
    {0},
};
