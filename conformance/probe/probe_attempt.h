/* probe_attempt.h: one execution of each chosen probe of a pod, fired for real and reported. */
#pragma once

#include "conformance/text/out.h"
#include "core/handlers/handler.h"

/* Which probes of a pod. */
struct cf_probe_choice {
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    const char *container; /* NULL: all */
    int type;              /* enum kp_probe_type, or -1: all */
    struct kp_text pod_ip;
    bool json;
};

/* How many probes that is. */
size_t cf_probe_choice_count(const struct cf_probe_choice *choice);

/*
 * Fire them all at once, each up to three times as the kubelet's prober does, and write down what
 * passed over the wire, the verdict and the event.
 *
 * healthy:  whether none failed and none erred.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_probe_attempt(const struct kp_mem *mem,
                                         const struct cf_probe_choice *choice, struct cf_out *out,
                                         bool *healthy);
