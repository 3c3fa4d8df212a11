/*
 * start_container.h: one container on its way up: back-off, image, create, start, postStart.
 *
 * Upstream: kuberuntime_container.go startContainer, kuberuntime_manager.go doBackOff.
 */
#pragma once

#include "pod_run.h"

/* doBackOff: true: it may not start yet; the BackOff event is out and the reason is noted
 * (S-240..S-249). */
bool kp_start_is_refused(struct kp_sync *sync, int container);
/* Is the image pulled at each start (imagePullPolicy Always)? */
bool kp_start_pulls(const struct kp_container *container);
/* What Pulled says after a pull (S-263); image: borrowed by the message. */
void kp_start_pulled_message(struct kp_message *message, const struct kp_profile *profile,
                             struct kp_text image, int64_t took_ns, int64_t image_bytes);
/* Up to CreateContainer; the runtime answers with running or startfail. */
void kp_start_begin(struct kp_sync *sync, int container);
/* It runs: the events, the reason forgotten.  true: done; false: the postStart hook runs first. */
bool kp_start_succeeded(struct kp_sync *sync, int container, const struct kp_event *event);
void kp_start_failed(struct kp_sync *sync, int container, const struct kp_event *event);
/* The number that CreateContainer gets (S-231). */
int64_t kp_start_restart_count(const struct kp_sync *sync, int container);
void kp_start_note_reason(struct kp_sync *sync, int container, struct kp_text reason,
                          struct kp_text message);
/* Storage for the sentences of all windows that a container can see; one block. */
KP_MUST_USE enum kp_err kp_start_reserve(struct kp_sync *sync, int container);
