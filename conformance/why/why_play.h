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
 * Restarts of a container of which each instance ends as the newest did: by itself at that age, or
 * killed by the same probe (S-252), with the same time from the kill to the end.
 *
 * pod:      as if it were new.
 * verdict:  it has an end, and how long it ran is recorded.
 * restarts: at most CF_WHY_RESTARTS_MAX.
 * out:      its instants count from the first start; fewer where the restart policy ends it; none
 *           where that is no end that comes again and again.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_why_loop(struct cf_arena *arena, const struct kp_profile *profile,
                                    const struct kp_pod *pod, size_t index,
                                    const struct cf_verdict *verdict, size_t restarts,
                                    struct cf_loop *out);

/* A node's pull and start take their time, and its requeues are drawn out by up to a half: the
 * least and the longest that a wait of so long takes there. */
int64_t cf_why_least_wait_ns(int64_t engine_ns);
int64_t cf_why_longest_wait_ns(int64_t engine_ns);
