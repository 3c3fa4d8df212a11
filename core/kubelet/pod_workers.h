/*
 * pod_workers.h: when a pod is synced: one sync at a time, one update kept, and a queue for later.
 *
 * Upstream: pod_workers.go, util/queue/work_queue.go.
 */
#pragma once

#include "pod_run.h"

KP_MUST_USE enum kp_err kp_pod_worker_new(const struct kp_mem *mem, struct kp_pod_worker **out);
/* The kubelet process dies. */
void kp_pod_worker_forget(struct kp_pod_run *run);

/* A sync is under way; one waits for a relist that is newer than the last (S-020). */
bool kp_pod_worker_is_syncing(const struct kp_pod_run *run);
bool kp_pod_worker_awaits_relist(const struct kp_pod_run *run);

/*
 * UpdatePod (S-019): an idle worker takes the update at once, others wait as one.
 *
 * The sync itself begins with the next poll: what comes at the same instant comes before its end.
 */
void kp_pod_worker_update(struct kp_pod_run *run, const char *cause);
/* Would an update come to anything? */
bool kp_pod_worker_listens(const struct kp_pod_run *run);
/* ForgetNonExistingPodWorkers, up to 1.21: the worker ends with the sync that it has begun.  An
 * update that waits is dropped; a later one has a new worker, which waits for no relist (S-020). */
void kp_pod_worker_remove(struct kp_pod_run *run);
/* Take the pending update, begin or go on with the sync, as far as the instant allows. */
void kp_pod_worker_poll(struct kp_pod_run *run);
/* Did the last sync request a relist (S-018)?  One call, and it is forgotten. */
bool kp_pod_worker_take_relist(struct kp_pod_run *run);
/* There was one: the cache is newer than that sync. */
void kp_pod_worker_observe(struct kp_pod_run *run);
/* GetWork: was the pod due in the work queue before now?  Then it is taken out. */
bool kp_pod_worker_take_due(struct kp_pod_run *run);
/* The tick of the sync loop that finds the pod due in the work queue, or KP_NEVER (S-021). */
int64_t kp_pod_worker_tick_ns(const struct kp_pod_run *run);
/* calculateEffectiveGracePeriod (S-030). */
int64_t kp_pod_worker_grace_s(const struct kp_profile *profile, int64_t recorded_s,
                              const struct kp_pod *pod);
