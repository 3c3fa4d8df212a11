/*
 * kubelet_ticks.h: what the kubelet's tickers do for one pod, and which of their ticks it needs.
 *
 * An idle pod needs none, so time can jump over them.
 * Upstream: kubelet.go syncLoop, kubelet_pods.go HandlePodCleanups, kuberuntime_gc.go.
 */
#ifndef KP_KUBELET_TICKS_H
#define KP_KUBELET_TICKS_H

#include "pod_run.h"

/* Do what the ticks of the current instant do: relist first, then sync tick, housekeeping, GC. */
void kp_tick_pod(struct kp_pod_run *run);
/* The next instant that the pod wants without the world's help, or KP_NEVER. */
int64_t kp_tick_wake_ns(const struct kp_pod_run *run);

#endif
