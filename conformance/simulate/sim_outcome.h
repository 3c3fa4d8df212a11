/* sim_outcome.h: what a simulated run comes to: a container's ends, and its pod as kubectl shows
 * it. */
#pragma once

#include "conformance/simulate/sim_trace.h"
#include "conformance/text/node.h"

/* How one container ended, killed or by itself. */
struct cf_sim_ends {
    unsigned kills; /* not that of the pod's deletion, where others came before */
    bool mixed;     /* not all for the reason of the first */
    bool sigkill;   /* the first did not end within its grace */
    bool ended;     /* the first did */
    int64_t end_ns; /* when */
    unsigned exits; /* by itself */
    const struct cf_sim_line *first;
    const struct cf_sim_line *first_exit;
};

struct cf_sim_ends cf_sim_ends_of(const struct cf_sim_trace *trace, int container);

/* What the pod comes to, by kubectl's columns, until it is deleted or over. */
struct cf_sim_outcome {
    int64_t ready_ns;     /* first; KP_NEVER */
    int64_t unready_ns;   /* after that, in all */
    int64_t first_gap_ns; /* when it first ceases to be ready */
    unsigned gaps;
    int64_t loop_ns; /* in CrashLoopBackOff, in all */
    unsigned loops;
    const struct cf_sim_line *last;
};

struct cf_sim_outcome cf_sim_outcome_of(const struct cf_sim_trace *trace);

/* Does it end again and again?  What kubectl shows at the end of that is chance. */
bool cf_sim_goes_on(const struct cf_sim_trace *trace);

/* What comes of a pod that failed and is a Job's: a line, or nothing.  kind: of the object that
 * holds the pod. */
void cf_sim_put_next_pod(struct cf_out *out, const struct cf_sim_trace *trace, struct kp_text kind);
/* Restarts that the object's status records are not played: a line that says who explains them. */
void cf_sim_put_history(struct cf_out *out, const struct cf_node *object);

/* kubectl's READY: "2/2", and not "1/2" or "0/0"? */
bool cf_sim_is_all(const char *ready);
