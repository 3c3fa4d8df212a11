/*
 * pod_parts.h: the memory of a pod that a kubelet runs: each module's part of it, made and freed
 * together.
 */
#pragma once

#include "pod_run.h"

/* All that the pod may ever need.  KP_OK; KP_ENOMEM: nothing is left to be freed. */
KP_MUST_USE enum kp_err kp_pod_parts_init(struct kp_pod_run *run, struct kp_node *node,
                                          const struct kp_pod *pod, uint32_t handle);
void kp_pod_parts_deinit(struct kp_pod_run *run);
/* The kubelet process dies: all that it knew is gone; what the API server and the runtime know
 * stays. */
void kp_pod_parts_forget(struct kp_pod_run *run);
