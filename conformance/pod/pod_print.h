/* pod_print.h: a decoded pod as the API server would print it. */
#pragma once

#include "conformance/pod/pod_decode.h"

/*
 * The pod's tree in the API's own order of fields, with empty fields left out where Go's encoder
 * leaves them out.
 *
 * Returns:  a new tree in the arena; NULL: no memory.
 */
struct cf_node *cf_pod_print(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct cf_pod *pod);
