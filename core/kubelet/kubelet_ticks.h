/*
 * kubelet_ticks.h: what the kubelet's tickers do for one pod, and which of their ticks it needs.
 *
 * An idle pod needs none, so time can jump over them.
 * Upstream: kubelet.go syncLoop, kubelet_pods.go HandlePodCleanups, kuberuntime_gc.go.
 */
#pragma once

#include "pod_config.h"
#include "pod_run.h"

/* A pod in the sync loop. */
struct kp_loop_pod {
    struct kp_pod_run run;
    /* What came in from the API server and the work queue. */
    struct kp_pod_config config;
    bool added;
    bool updated;
    bool requeued;
    bool batch_may_delete;
    bool probes_cleaned; /* housekeeping stopped the workers, up to 1.21 */
    bool active;         /* in the list of pods with something to do */
    struct kp_loop_pod *next_active;
    int64_t wake_ns; /* the next instant that it wants by itself */
};

/* What the ticks of the current instant do: relist first, then sync tick, housekeeping, GC. */
void kp_tick_relist(struct kp_loop_pod *pod);
/* What is due in the work queue, or past its deadline. */
void kp_tick_sync(struct kp_loop_pod *pod);
void kp_tick_pod(struct kp_loop_pod *pod);
/* The next instant that the pod wants without the world's help, or KP_NEVER. */
int64_t kp_tick_wake_ns(const struct kp_loop_pod *pod);
