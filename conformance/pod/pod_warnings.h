/*
 * pod_warnings.h: what the API server warns of in a valid pod (Warning headers of a create).
 *
 * Of names, environment and ports; warnings about volumes, affinity, annotations and other fields
 * that no probe depends on are left out.
 */
#pragma once

#include "conformance/pod/pod_decode.h"

/*
 * Put the warnings behind those that the pod has.
 *
 * Upstream: pkg/registry/core/pod/strategy.go WarningsOnCreate, pkg/api/pod/warnings.go.
 */
KP_MUST_USE enum kp_err cf_pod_warn(struct cf_arena *arena, const struct kp_profile *profile,
                                    struct cf_pod *pod);
