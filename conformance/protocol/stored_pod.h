/* stored_pod.h: the pod of a request: what the API server stores, as the kubelet is given it. */
#pragma once

#include "conformance/protocol/wire.h"

/*
 * The profile to decode a stored pod with: where a gate is the API server's alone, the kubelet
 * looks only whether the field is there (a sidecar's restartPolicy; from 1.22 a probe's
 * terminationGracePeriodSeconds, S-211).
 */
struct kp_profile cf_as_stored(const struct kp_profile *profile);

/*
 * Decode the `pod` of a request.  What is there stays as it is; members that the API server would
 * have put in are put in where the runner left them out.
 *
 * arena:    owns the pod and all of its text.
 * Returns:  NULL: the reader says why.
 */
const struct kp_pod *cf_stored_pod(struct cf_reader *reader, const struct kp_profile *profile,
                                   struct cf_arena *arena, const struct cf_node *node);
