#include "core/kubelet/kubelet_ticks.h"

#include "core/prober/prober_state.h"
#include "fakes/unit_run.h"

/* HandlePodCleanups (kubelet_pods.go), up to 1.21: the probes' workers go first, and then the
 * runtime is asked for what runs, in vain where it is down. */
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

const struct unit_test kubelet_ticks_test[] = {
    {"housekeeping ends the workers though the runtime is down",
     housekeeping_ends_the_workers_though_the_runtime_is_down},
    {0},
};
