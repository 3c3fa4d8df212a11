/* pod_promises.h: what holds of every input that should be a pod. */
#ifndef FUZZ_POD_PROMISES_H
#define FUZZ_POD_PROMISES_H

#include "conformance/pod/check.h"

/* Does a place lie inside the input?  line 0: it is not known. */
bool place_is_inside(struct kp_text bytes, struct cf_place at);
/* Check the input as YAML, or as JSON, at a version that its length chooses. */
void check_pod(struct kp_text bytes, bool json);

#endif
