/*
 * status_manager.h: the kubelet's copy of a pod's status, and what of it reaches the API server.
 *
 * A version comes in a box (status_box.h) that the manager takes over; until another one comes it
 * is only read, also by those whom it is handed on to.
 * Upstream: status/status_manager.go.
 */
#pragma once

#include "pod_run.h"

KP_MUST_USE enum kp_err kp_statuses_new(const struct kp_mem *mem, struct kp_statuses **out);
/* The kubelet process dies: what was published stays. */
void kp_statuses_forget(struct kp_statuses *statuses);

/* The version computed last; NULL: by this kubelet none. */
const struct kp_pod_status *kp_status_cached(const struct kp_pod_run *run);
/* kp_active_deadline_left_ns, of the object and the status that there are now. */
int64_t kp_status_deadline_left_ns(const struct kp_pod_run *run);
/* The version that the API server has; NULL: none of ours.  To be held by who keeps it. */
struct kp_status_box *kp_status_published(const struct kp_pod_run *run);

/* SetPodStatus: takes the box over; what is the same as before is not seen to be sent again.
 * pod: as whoever computed it has it. */
void kp_status_set(struct kp_pod_run *run, const struct kp_pod *pod, struct kp_status_box *box,
                   bool finished);
/* SetContainerReadiness, SetContainerStartup (S-306, S-307). */
void kp_status_set_ready(struct kp_pod_run *run, int container, struct kp_text cid, bool ready);
void kp_status_set_started(struct kp_pod_run *run, int container, struct kp_text cid, bool started);
/* OnPodSandboxReady (1.36+): condition PodReadyToStartContainers at once. */
void kp_status_sandbox_ready(struct kp_pod_run *run, const struct kp_pod *pod);
/* TerminatePod: the last word. */
void kp_status_terminate(struct kp_pod_run *run, const struct kp_pod *pod);

/* NeedToReconcilePodReadiness: does what others wrote into the pod's status make another Ready of
 * the one that was published (S-314)? */
bool kp_status_needs_sync(struct kp_pod_run *run);
/* A final phase that is held back though nothing can run any more goes out at the look of every 10
 * s (needsReconcile), if the sync that would send it does not come before (S-330). */
bool kp_status_is_held_back(const struct kp_pod_run *run);
void kp_status_reconcile(struct kp_pod_run *run);
/* syncPod of the status manager: the API server has what changed.  true: what comes back from it
 * asks for a sync. */
KP_MUST_USE bool kp_status_send(struct kp_pod_run *run);
/* The instant is over: emit what became of the status in it, delete the object where that is due.
 */
void kp_status_emit_published(struct kp_pod_run *run);
/* The object goes if the pod is through: looked at with each status sent, and every 10 s. */
void kp_status_delete(struct kp_pod_run *run);
