/*
 * pod_workers.h: when a pod is synced: one sync at a time, one update kept, and a queue for later.
 *
 * Upstream: pod_workers.go, util/queue/work_queue.go.
 */
#ifndef KP_POD_WORKERS_H
#define KP_POD_WORKERS_H

#include "pod_run.h"

/*
 * UpdatePod (S-019): an idle worker takes the update at once, others wait as one.
 *
 * The sync itself begins with the next poll: what comes at the same instant comes before its end.
 */
void kp_pod_worker_update(struct kp_pod_run *run, const char *cause);
/* HandlePodCleanups up to 1.21: what runs of a pod that is over is killed (S-031). */
void kp_pod_worker_kill_unwanted(struct kp_pod_run *run);
/* Take the pending update, begin or go on with the sync, as far as the instant allows. */
void kp_pod_worker_poll(struct kp_pod_run *run);
/* The tick of the sync loop that finds the pod due in the work queue, or KP_NEVER (S-021). */
int64_t kp_pod_worker_tick_ns(const struct kp_pod_run *run);
/* calculateEffectiveGracePeriod (S-030). */
int64_t kp_pod_worker_grace_s(const struct kp_profile *profile, int64_t recorded_s,
                              const struct kp_pod *pod);

#endif
