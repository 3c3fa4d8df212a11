/*
 * kubectl.h: a pod's status as `kubectl get pod` and `kubectl describe pod` print it.
 *
 * Upstream: pkg/printers/internalversion/printers.go printPod; kubectl pkg/describe/describe.go;
 * apimachinery util/duration.
 */
#ifndef CF_KUBECTL_H
#define CF_KUBECTL_H

#include "core/event_correlator.h"
#include "core/profile.h"

/* One line of `kubectl get pod`. */
struct cf_columns {
    char ready[16];    /* "0/1" */
    char status[96];   /* "CrashLoopBackOff" */
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

/* "2m5s": an age as kubectl rounds it (duration.HumanDuration). */
void cf_put_human_duration(struct kp_buf *buf, int64_t duration_ns);

/* "13m (x9 over 16m)": the Age column of describe (S-271). */
void cf_put_event_age(struct kp_buf *buf, const struct kp_event_object *event, int64_t now_ns);

/* "exec [cat /tmp/healthy] delay=5s timeout=1s period=5s #success=1 #failure=3" (S-273). */
void cf_put_probe(struct kp_buf *buf, const struct kp_probe *probe);

#endif
