/*
 * termination.h: the smallest change of preStop hooks and graces with which containers that are
 * told to stop have the time for it, and stay while requests come.
 *
 * Each change is played as `simulate` plays (sim_trace.h) before it is printed; one second less is
 * seen not to do.
 */
#pragma once

#include "conformance/simulate/advice.h"

/*
 * Add the changes that a pod needs in its worlds.
 *
 * changes:  room for three of each container, and one.
 * Returns:  as cf_advice_find.
 */
KP_MUST_USE enum kp_err
cf_termination_find(struct cf_arena *arena, const struct kp_profile *profile,
                    const struct kp_pod *pod, const struct cf_worlds *worlds,
                    struct cf_change *changes, size_t *count, const char **why);
