/*
 * validate.h: what the API server checks of the part of a pod that the engine reads (V-001..V-036).
 *
 * The errors come in the server's order for the version.  Fields that struct kp_pod does not
 * have (volumes, resources, security contexts ...) are not looked at here.
 */
#pragma once

#include "../base/mem.h"
#include "../model/spec.h"
#include "field_error.h"

/*
 * Validate a pod for creation.
 *
 * pod:      defaulted.
 * mem:      for the sets of names and ports that must not repeat; given back before return.
 * sink:     gets each error.
 * Returns:  KP_OK: the pod is valid; KP_EINPUT: there were errors; KP_ENOMEM.
 * Upstream: pkg/apis/core/validation/validation.go ValidatePodCreate.
 */
KP_MUST_USE enum kp_err kp_pod_validate(const struct kp_profile *profile, const struct kp_mem *mem,
                                        const struct kp_pod *pod, struct kp_field_error_sink sink);

/*
 * Validate a pod that is to replace another one of the same uid: as for creation, then what of its
 * spec may not change (V-035).
 *
 * old:      the pod that it replaces.
 * same:     whether everything that may not change is the same; the caller compares, since most of
 *           it is not in struct kp_pod.
 * Upstream: ValidatePodUpdate.
 */
KP_MUST_USE enum kp_err kp_pod_validate_update(const struct kp_profile *profile,
                                               const struct kp_mem *mem, const struct kp_pod *pod,
                                               const struct kp_pod *old, bool same,
                                               struct kp_field_error_sink sink);
