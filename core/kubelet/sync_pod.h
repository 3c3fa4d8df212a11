/*
 * sync_pod.h: one pod sync as a machine of steps: each call that takes time in the world is cut in
 * two.
 *
 * Upstream: kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod; kuberuntime_manager.go
 * SyncPod, killPodWithSyncResult.
 */
#pragma once

#include "pod_run.h"

enum kp_work_type {
    KP_WORK_SYNC,
    KP_WORK_TERMINATING,
    KP_WORK_TERMINATED,
    KP_WORK_UNWANTED, /* housekeeping kills what runs of a pod that is over, up to 1.21 */
    KP_WORK_REMOVED   /* the same of one that has gone from the API */
};

/* What the pod worker orders. */
struct kp_sync_order {
    enum kp_work_type type;
    bool has_override; /* of the grace period */
    int64_t override_s;
    struct kp_pod pod;                  /* the object to work on */
    const struct kp_pod_status *others; /* what others wrote into its status; or NULL */
    const struct kp_runtime_view *view; /* what the runtime has, as far as the worker knows */
    uint32_t address;                   /* of the pod's sandbox, as in kp_status_box */
};

/* What it comes to. */
struct kp_sync_result {
    bool failed;        /* it carries an error */
    bool did_something; /* it carries an entry (S-018) */
    int64_t expiry_ns;  /* earliest end of a back-off among the errors, virtual time; KP_NEVER */
    bool terminal;      /* the sync says so (S-025) */
    bool removed_some;  /* a restart of all removed a container (S-224) */
};

/* *out: for the worker's syncs, or for the killer's kills; for kp_sync_free also after an error. */
KP_MUST_USE enum kp_err kp_sync_new(struct kp_pod_run *run, struct kp_sync **out);
/* What the worker's syncs say of back-offs and hooks; a killer says nothing. */
KP_MUST_USE enum kp_err kp_sync_reserve_texts(struct kp_sync *sync);
/* sync: may be NULL. */
void kp_sync_free(struct kp_sync *sync, const struct kp_mem *mem);
/* The kubelet dies: the start that its sync waits for is nobody's, and may be answered all the
 * same. */
void kp_sync_forget(struct kp_sync *sync);

/* Begin a sync and go as far as it can.  order: stays as it is until the next one. */
void kp_sync_begin(struct kp_sync *sync, const struct kp_sync_order *order);
/* Go on after time passed or an acknowledgement came. */
void kp_sync_continue(struct kp_sync *sync);
/* Something died: the sync loop generates a status that nobody requested and that nobody stores.
 * What is left of it is that it triggers readiness workers (S-303), or says that the pod is past
 * its deadline (S-345; kubelet.go, cleanUpContainersInPod). */
void kp_sync_ask_status(struct kp_pod_run *run);
bool kp_sync_is_over(const struct kp_sync *sync);
/* Of the sync that is over; until the next one begins. */
const struct kp_sync_result *kp_sync_result(const struct kp_sync *sync);
/* A preStop that was given up was answered after all: say so where it failed. */
void kp_sync_emit_late_hooks(struct kp_sync *sync);
/* When it wants to go on without the world's help, or KP_NEVER. */
int64_t kp_sync_wakes_ns(const struct kp_sync *sync);

/*
 * What the runtime says: running, startfail, exited, killfail, sandbox.
 *
 * Returns:  KP_EINPUT: of no container of the pod, or what nobody has requested; what was requested
 * before the kubelet died may still be answered.
 */
KP_MUST_USE enum kp_err kp_sync_take_event(struct kp_pod_run *run, const struct kp_event *event);
/* A hook was answered.  false: the sync waits for no such one. */
bool kp_sync_hook_answered(struct kp_pod_run *run, const struct kp_event *event);
