/*
 * hook_text.h: what the kubelet says of a lifecycle hook that failed.
 *
 * Upstream: lifecycle/handlers.go Run, cri-client remote_runtime.go ExecSync.
 */
#pragma once

#include "pod_run.h"

/* Is it one that a kubelet can run?  One that is not fails at once (S-226). */
bool kp_hook_has_handler(const struct kp_handler *hook);
/* Room for the sentences of a container's hooks; nothing where it has none. */
KP_MUST_USE enum kp_err kp_hook_text_reserve(struct kp_sync *sync, int container);
/*
 * The sentence: written into one of a few buffers in turn, so that what is published lasts until
 * its successor is.  An output too long for the room is cut.
 */
struct kp_text kp_hook_text(struct kp_sync *sync, int container, const struct kp_handler *hook,
                            enum kp_answer answer, int32_t code, struct kp_text output);
/*
 * What a container waits for whose postStart failed: up to 1.21 with the error behind it (S-316).
 * Lives as long as the sentence does, or for good.
 */
struct kp_text kp_hook_post_start_reason(struct kp_sync *sync, int container,
                                         const struct kp_handler *hook, enum kp_answer answer,
                                         int32_t code, struct kp_text output);
