/*
 * pod_killer.h: up to 1.21 housekeeping kills what runs of a pod that is over, beside the pod's
 * worker (S-031).
 *
 * Upstream: kubelet_pods.go HandlePodCleanups, PodKiller.
 */
#pragma once

#include "pod_run.h"

/* *out: NULL from 1.22 on, where there is none.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_pod_killer_new(struct kp_pod_run *run, struct kp_pod_killer **out);
void kp_pod_killer_free(struct kp_pod_run *run);
/* The kubelet process dies. */
void kp_pod_killer_forget(struct kp_pod_run *run);

/* The runtime cache lists what runs, containers, and sandboxes that are ready, once its list is 2 s
 * old.  While the runtime does not answer it has the list that it had. */
void kp_pod_killer_list(struct kp_pod_run *run);
bool kp_pod_killer_lists_some(const struct kp_pod_run *run);
/* It kills what is listed, unless that is under way. */
void kp_pod_killer_kill(struct kp_pod_run *run);
bool kp_pod_killer_is_busy(const struct kp_pod_run *run);
/* Kill what is left of a pod that has gone from the API; go on as far as the instant allows. */
void kp_pod_killer_poll(struct kp_pod_run *run);
/* When it wants to go on without the world's help, or KP_NEVER. */
int64_t kp_pod_killer_next_ns(const struct kp_pod_run *run);
