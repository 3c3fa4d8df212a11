/*
 * status_manager.h: the kubelet's copy of a pod's status, and what of it reaches the API server.
 *
 * Upstream: status/status_manager.go.
 */
#ifndef KP_STATUS_MANAGER_H
#define KP_STATUS_MANAGER_H

#include "conditions.h"

/* SetPodStatus with run->scratch; what is the same as before is not seen to be sent again. */
void kp_status_set(struct kp_pod_run *run, bool finished);
/* SetContainerReadiness, SetContainerStartup (S-306, S-307). */
void kp_status_set_ready(struct kp_pod_run *run, int container, struct kp_text cid, bool ready);
void kp_status_set_started(struct kp_pod_run *run, int container, struct kp_text cid, bool started);
/* NeedToReconcilePodReadiness: does what others wrote into the pod's status make another Ready of
 * the one that was published (S-314)? */
bool kp_status_needs_sync(struct kp_pod_run *run);
/* OnPodSandboxReady (1.36+): condition PodReadyToStartContainers at once. */
void kp_status_sandbox_ready(struct kp_pod_run *run);
/* The object goes if the pod is through: looked at with each status sent, and every 10 s. */
void kp_status_delete(struct kp_pod_run *run);
/* A final phase that is held back though nothing can run any more goes out at the look of every 10
 * s (needsReconcile), if the sync that would send it does not come before (S-330). */
bool kp_status_is_held_back(const struct kp_pod_run *run);
void kp_status_reconcile(struct kp_pod_run *run);
/* TerminatePod: the last word. */
void kp_status_terminate(struct kp_pod_run *run);
/* syncPod of the status manager: the API server has what changed.  It comes back, and may ask for a
 * sync: run->updated. */
void kp_status_send(struct kp_pod_run *run);
/* The instant is over: send, tell what became of the status in it, delete the object where that is
 * due. */
void kp_status_publish(struct kp_pod_run *run);

KP_MUST_USE enum kp_err kp_status_box_init(struct kp_status_box *box, const struct kp_mem *mem,
                                           size_t container_count, size_t text_bytes);
void kp_status_box_deinit(struct kp_status_box *box, const struct kp_mem *mem);
/* Deep, as far as the box owns texts. */
void kp_status_box_copy(struct kp_status_box *to, const struct kp_status_box *from);

#endif
