/* sim_table.h: many simulated pods, a line each. */
#pragma once

#include "conformance/simulate/sim_trace.h"

/* Of many pods: a line a container that has probes or is killed, or one for the pod. */
struct cf_sim_table {
    struct cf_out rows;
    size_t pods;
};

/* Add a pod; several versions are told apart in its name. */
void cf_sim_table_add(struct cf_sim_table *table, struct kp_text name, bool says_version,
                      const struct cf_sim_trace *trace);
/* Of many pods the table stands before what is printed of each, or (not all) instead of it. */
void cf_sim_table_put(const struct cf_sim_table *table, bool all, struct cf_out *text);
