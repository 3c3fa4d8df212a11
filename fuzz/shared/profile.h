/* profile.h: the releases that a target plays, each read once. */
#pragma once

#include "core/rules/profile.h"

/*
 * The profile of a version.
 *
 * version:  static text, always the same one for a version.
 * Returns:  kept for as long as the target runs.
 */
const struct kp_profile *fuzz_profile(const char *version);
