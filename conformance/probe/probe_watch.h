/* probe_watch.h: a pod's probes in real time, through the whole engine. */
#pragma once

#include "conformance/probe/probe_attempt.h"

#include <stdio.h>

struct cf_probe_watching {
    int64_t for_ns; /* how long; an interrupt ends it earlier */
    FILE *to;
    int64_t speed; /* how many seconds pass in one of the clock's: for tests; 0: one */
};

/*
 * Play the pod from now on, with probes that are fired, and write the timeline line by line: text,
 * or JSON lines where choice->json is set.  However long it takes, its memory does not grow.
 *
 * choice:   its pod has the probes that are wanted, and no others.
 * healthy:  whether it is Ready at the end and nothing was restarted.
 * why:      static text where it is KP_EINPUT: the world stopped.
 * Returns:  KP_OK, KP_ENOMEM, KP_EINPUT.
 */
KP_MUST_USE enum kp_err cf_probe_watch(const struct kp_mem *mem,
                                       const struct cf_probe_choice *choice,
                                       const struct cf_probe_watching *watching, bool *healthy,
                                       const char **why);
