/*
 * status_diff.h: two statuses of a pod beside each other: are they the same, and what has changed.
 *
 * Upstream: status/status_manager.go isPodStatusByKubeletEqual.
 */
#pragma once

#include "pod_run.h"

/* isPodStatusByKubeletEqual: what others wrote does not count. */
bool kp_status_same(const struct kp_status_box *a, const struct kp_status_box *b);
/* Effects `state`, `started`, `ready`, `condition`, `phase` of what has changed.  was: NULL: the
 * pod is new to the API server. */
void kp_status_emit(const struct kp_pod_run *run, const struct kp_pod_status *was,
                    const struct kp_pod_status *is);
