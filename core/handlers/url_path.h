/*
 * url_path.h: the path of a reference against that of a base, as the Go of a kubelet's release does
 * it.  P-103.
 */
#pragma once

#include "core/rules/profile.h"
#include "scratch.h"

/*
 * base, ref: encoded; ref may be empty.
 * Returns:   a path that begins with one slash, in scratch; "" where both are empty.
 * Upstream:  Go, net/url resolvePath.
 */
struct kp_text kp_url_path_resolve(struct kp_scratch *scratch, const struct kp_profile *profile,
                                   struct kp_text base, struct kp_text ref);
