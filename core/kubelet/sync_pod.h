/*
 * sync_pod.h: one pod sync as a machine of steps: each call that takes time in the world is cut in
 * two.
 *
 * Upstream: kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod; kuberuntime_manager.go
 * SyncPod, killPodWithSyncResult.
 */
#ifndef KP_SYNC_POD_H
#define KP_SYNC_POD_H

#include "pod_run.h"

/* Begin the sync that run->sync describes (type, pod, override), on the snapshot run->work, and go
 * as far as it can. */
void kp_sync_begin(struct kp_pod_run *run);
/* Go on after time passed or an acknowledgement came. */
void kp_sync_continue(struct kp_pod_run *run);
bool kp_sync_is_over(const struct kp_pod_run *run);
/* When the sync wants to go on without the world's help, or KP_NEVER. */
int64_t kp_sync_next_ns(const struct kp_pod_run *run);

/* The kubelet dies: the start that its sync waits for is nobody's, and may be answered all the
 * same.
 */
void kp_sync_orphan_start(struct kp_pod_run *run);

/* The world's answers.  false: the sync waits for no such thing. */
bool kp_sync_running(struct kp_pod_run *run, const struct kp_event *event);
bool kp_sync_start_failed(struct kp_pod_run *run, const struct kp_event *event);
bool kp_sync_exited(struct kp_pod_run *run, const struct kp_event *event);
bool kp_sync_kill_failed(struct kp_pod_run *run, const struct kp_event *event);
bool kp_sync_sandbox(struct kp_pod_run *run, const struct kp_event *event);
bool kp_sync_hook_answered(struct kp_pod_run *run, const struct kp_event *event);

#endif
