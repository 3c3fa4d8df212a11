/* sim_brief.h: a simulated run in a few lines: the verdict first, then what kubectl shows when. */
#pragma once

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/worlds.h"

/*
 * One sentence or two a container that comes to something: how often it is killed, the first time
 * and why, how often it ends by itself; then what the pod is: never ready, for how long not ready,
 * how long in CrashLoopBackOff.
 *
 * luck:     where nothing is killed by chance alone: what is safe; else empty.
 * columns:  a line is not wider: it is folded.
 */
void cf_sim_put_verdict(struct cf_out *out, const struct cf_sim_trace *trace, struct kp_text luck,
                        size_t columns);
/*
 * Kills, ends, starts and what kubectl shows, a line each.  Of a container that is killed again and
 * again two rounds are printed and the rest is folded into a line.
 */
void cf_sim_put_brief(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns);
