/* why_play.h: what the engine says of a container whose probes fail from the start, and of one that
 * ends again and again. */
#pragma once

#include "conformance/simulate/simulation.h"
#include "conformance/why/cause.h"

enum { CF_WHY_RESTARTS_MAX = 200 };

/*
 * When a probe kills a container at the earliest and at the latest.
 *
 * out:      KP_NEVER where nothing kills it.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_why_kill_age(struct cf_arena *arena, const struct kp_profile *profile,
                                        const struct kp_pod *pod, size_t index,
                                        struct cf_kill_age *out);

/*
 * Restarts of a container of which each instance ends with the same code at the same age.
 *
 * restarts: at most CF_WHY_RESTARTS_MAX.
 * out:      its instants count from the first start; fewer where the restart policy ends it.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_why_loop(struct cf_arena *arena, const struct kp_profile *profile,
                                    const struct kp_pod *pod, size_t index, int64_t ran_ns,
                                    int32_t code, size_t restarts, struct cf_loop *out);
