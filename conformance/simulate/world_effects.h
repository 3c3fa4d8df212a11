/* world_effects.h: what comes of late answers and of hangs that were asked for. */
#pragma once

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/worlds.h"

/*
 * Of containers that answer too late: for which probes.  Of those that hang: without a
 * readiness probe from when to when they are Ready all the same; after how long they run again, and
 * the most that chance makes of it.
 *
 * columns:  a line is not wider: it is folded.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_world_effects_put(struct cf_arena *arena, struct cf_out *out,
                                             const struct cf_sim_trace *trace,
                                             const struct cf_worlds *worlds, size_t columns);

/*
 * Of a pod that is deleted and replaced: a line for each container whose readiness is asked for,
 * when it is ready in the pod that comes next.  kind: of the object that holds the pod.
 *
 * Returns: KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_world_put_next_ready(struct cf_arena *arena, struct cf_out *out,
                                                const struct cf_sim_trace *trace,
                                                const struct cf_worlds *worlds,
                                                struct kp_text kind);

/*
 * A hang ends with its instance: which one that is, and which of its container's kills ends it.
 *
 * Returns: whether one of them was not known before.
 */
bool cf_worlds_find_hanging(struct cf_worlds *worlds, const struct cf_sim_trace *trace);
