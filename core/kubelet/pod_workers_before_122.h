/*
 * pod_workers_before_122.h: what decided over a pod's end before pod workers had phases of their
 * own (up to 1.21).
 *
 * Upstream: kubelet.go dispatchWork, syncPod; kubelet_pods.go podAndContainersAreTerminal;
 * status_manager.go TerminatePod.
 */
#pragma once

#include "runtime.h"

/* Each of them reads the pod as the API server has it, with its status. */

/* dispatchWork: false: the pod needs no sync any more. */
bool kp_old_worker_dispatches(const struct kp_profile *profile, const struct kp_pod *pod);
/* ...and gets its last status instead (TerminatePod). */
bool kp_old_worker_sets_last_status(const struct kp_profile *profile, const struct kp_pod *pod);
/* syncPod kills a deleted or failed pod and does nothing else (S-025). */
bool kp_old_sync_kills(const struct kp_pod *pod, enum kp_phase phase);
/* Does a regular container run by that status? */
bool kp_old_sync_sees_running(const struct kp_pod *pod, const struct kp_pod_status *status);
/* Housekeeping: the workers of a pod that is over are stopped (CleanupPods). */
bool kp_old_worker_is_over(const struct kp_pod *pod);
/* Something is left of a pod that is over: nobody stopped it, or it could not be stopped. */
bool kp_old_worker_left_some(const struct kp_runtime_view *truth);
/* IsPodDeleted: the pod is deleted and by its status nothing of it runs. */
bool kp_old_worker_has_ended(const struct kp_pod *pod);
/* cleanUpContainersInPod: the same by what the last relist saw. */
bool kp_old_worker_had_ended(const struct kp_pod *pod, const struct kp_runtime_view *cache);
/* PodResourcesAreReclaimed: the pod has ended, its containers are removed, and its cgroup. */
bool kp_old_worker_is_reclaimed(const struct kp_pod *pod, const struct kp_runtime_view *cache,
                                bool has_cgroup);
