/* image.h: what an image's name says about pulling it. */
#pragma once

#include "../base/text.h"
#include "../rules/profile.h"

/*
 * Is the tag of an image "latest", written or left out?  That makes imagePullPolicy Always (D-005).
 * A name that is none has no tag.
 *
 * Upstream: pkg/util/parsers ParseImageName, on distribution/reference.
 */
bool kp_image_is_latest(const struct kp_profile *profile, struct kp_text image);
