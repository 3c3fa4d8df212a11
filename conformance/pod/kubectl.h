/*
 * kubectl.h: a pod's status as `kubectl get pod` prints it.
 *
 * Upstream: pkg/printers/internalversion/printers.go printPod.
 */
#pragma once

#include "core/model/spec.h"
#include "core/rules/profile.h"

/* One line of `kubectl get pod`. */
struct cf_columns {
    char ready[24];    /* "0/1" */
    char status[96];   /* "CrashLoopBackOff"; a longer reason is cut */
    char restarts[48]; /* "3" or "3 (12s ago)" */
};

/*
 * Fill in the columns (S-333 .. S-340).
 *
 * status:   as published; NULL: nothing yet, which reads as phase Pending.
 * now_ns:   wall clock since 1970, for the age of the last restart.
 */
void cf_kubectl_columns(const struct kp_profile *profile, const struct kp_pod *pod,
                        const struct kp_pod_status *status, int64_t now_ns,
                        struct cf_columns *columns);
