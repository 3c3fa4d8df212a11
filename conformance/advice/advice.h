/* advice.h: what `lint` finds in the pods of a manifest. */
#pragma once

#include "conformance/advice/ignores.h"

/*
 * Look at every pod: what the API server refuses, in its order, then advice in the pod's.
 *
 * ignores:  the comments of the file that the manifest was read from.
 * out:      in the arena.
 * Returns:  KP_OK, whatever was found; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_advise(struct cf_arena *arena, const struct kp_profile *profile,
                                  const struct cf_manifest *manifest,
                                  const struct cf_ignores *ignores, struct cf_findings *out);
