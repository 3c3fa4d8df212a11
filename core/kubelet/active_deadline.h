/*
 * active_deadline.h: a pod that was active for longer than activeDeadlineSeconds fails (S-345).
 *
 * Upstream: pkg/kubelet/active_deadline.go.
 */
#pragma once

#include "../base/duration.h"
#include "../model/spec.h"

/*
 * How long it may still be active, by its startTime: nothing or less, it is past its deadline;
 * KP_NEVER, it has none, or has not begun.
 *
 * status: the one that was stored last, else the API's; or NULL.  wall_ns: the wall clock now.
 */
int64_t kp_active_deadline_left_ns(const struct kp_pod *pod, const struct kp_pod_status *status,
                                   int64_t wall_ns);
