/*
 * sync_steps.h: the steps of a pod sync, each going on until it has to wait for the world.
 *
 * For sync_pod.c alone; each returns true where it moved, false where it waits.
 * Upstream: kuberuntime_manager.go SyncPod, killPodWithSyncResult.
 */
#ifndef KP_SYNC_STEPS_H
#define KP_SYNC_STEPS_H

#include "sync_state.h"

/* sync_kill.c */
struct kp_kill *kp_sync_prepare_kill(struct kp_sync *sync, int container, struct kp_text cid);
/* killContainersWithSyncResult: all at once; those who wait for others must see them first. */
void kp_sync_begin_pod_kill(struct kp_sync *sync);
bool kp_step_kill_pod(struct kp_sync *sync);
bool kp_step_stop_sandboxes(struct kp_sync *sync);
bool kp_step_kill_some(struct kp_sync *sync);
bool kp_step_reset(struct kp_sync *sync);
void kp_sync_emit_sandbox(struct kp_sync *sync, enum kp_sandbox_do what, uint32_t attempt,
                          enum kp_rule rule);
/* The answer to a sandbox operation has come. */
bool kp_sync_take_sandbox_answer(struct kp_sync *sync);

/* sync_start.c */
bool kp_step_create_sandbox(struct kp_sync *sync);
bool kp_step_start(struct kp_sync *sync);
bool kp_step_post_start(struct kp_sync *sync);
bool kp_step_post_start_kill(struct kp_sync *sync);
#define KP_STARTS_OVER (-1)
/* The container whose start is under way or next, or KP_STARTS_OVER. */
int kp_sync_current_start(const struct kp_sync *sync);

#endif
