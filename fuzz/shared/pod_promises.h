/* pod_promises.h: what holds of every input that should be a pod. */
#pragma once

#include "conformance/pod/check.h"

/* How lines break, and what a column counts: in JSON bytes, in YAML characters. */
enum written { WRITTEN_YAML, WRITTEN_JSON };
/* Does a place lie inside the input: on a line that it has, and not beyond that line's end?  line
 * 0: it is not known. */
bool place_is_inside(struct kp_text bytes, enum written how, struct cf_place at);
/* Check the input as YAML, or as JSON, at a version that its length chooses. */
void check_pod(struct kp_text bytes, bool json);
