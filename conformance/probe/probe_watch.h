/* probe_watch.h: a pod's probes in real time, through the whole engine. */
#ifndef CF_PROBE_WATCH_H
#define CF_PROBE_WATCH_H

#include "conformance/probe/probe_shot.h"

/*
 * Play the pod from now on, with probes that are fired, and write the timeline to stdout line by
 * line: text, or JSON lines where choice->json is set.
 *
 * pod:      with the probes that are wanted, and no others.
 * for_ns:   how long; an interrupt ends it earlier.
 * healthy:  whether it is Ready at the end and nothing was restarted.
 * why:      static text where it is KP_EINPUT: the world stopped.
 * Returns:  KP_OK, KP_ENOMEM, KP_EINPUT.
 */
KP_MUST_USE enum kp_err cf_probe_watch(const struct kp_mem *mem,
                                       const struct cf_probe_choice *choice, int64_t for_ns,
                                       bool *healthy, const char **why);

#endif
