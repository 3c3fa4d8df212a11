/* sim_brief.h: a simulated run in a few lines: the verdict first, then what kubectl shows when. */
#ifndef CF_SIM_BRIEF_H
#define CF_SIM_BRIEF_H

#include "conformance/simulate/sim_trace.h"
#include "conformance/simulate/worlds.h"

/*
 * One sentence or two a container that comes to something: how often it is killed, the first time
 * and why, how often it ends by itself; then what the pod is: never ready, for how long not ready,
 * how long in CrashLoopBackOff.
 *
 * lucky:    of a pod of which nothing is killed: chance alone keeps it from that.
 * columns:  a line is not wider.
 */
void cf_sim_put_verdict(struct cf_out *out, const struct cf_sim_trace *trace, bool lucky,
                        size_t columns);
/*
 * Kills, ends, starts and what kubectl shows, a line each.  Of a container that is killed again and
 * again two rounds are told and the rest is folded into a line.
 */
void cf_sim_put_brief(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns);

/* Of many pods: a line a container that has probes or is killed, or one for the pod. */
struct cf_sim_table {
    struct cf_out rows;
    size_t pods;
};

/* Add a pod; several versions are told apart in its name. */
void cf_sim_table_add(struct cf_sim_table *table, struct kp_text name, bool says_version,
                      const struct cf_sim_trace *trace);
/* Of many pods the table stands before what is told of each, or (not all) instead of it. */
void cf_sim_table_put(const struct cf_sim_table *table, bool all, struct cf_out *told);

#endif
