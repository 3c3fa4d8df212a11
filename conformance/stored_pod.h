/* stored_pod.h: the pod of a request: what the API server stores, as the kubelet is given it. */
#ifndef CF_STORED_POD_H
#define CF_STORED_POD_H

#include "wire.h"

/*
 * Decode the `pod` of a request.  What is there stays as it is; members that the API server would
 * have put in are put in where the runner left them out.
 *
 * arena:    owns the pod and all of its text.
 * Returns:  NULL: the reader says why.
 */
const struct kp_pod *cf_stored_pod(struct cf_reader *reader, const struct kp_profile *profile,
                                   struct cf_arena *arena, const struct cf_node *node);

#endif
