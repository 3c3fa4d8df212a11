/* sim_outcome.h: what a simulated run comes to: a container's ends, and its pod as kubectl shows
 * it. */
#pragma once

#include "conformance/pod/manifest.h"
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
    const struct cf_sim_line *hook; /* where the preStop of the first kill begins; NULL: none */
};

struct cf_sim_ends cf_sim_ends_of(const struct cf_sim_trace *trace, int container);

/*
 * Does a preStop hook begin there?  One that sleeps is no request: it begins where the kubelet says
 * that it kills.
 */
bool cf_sim_begins_pre_stop(const struct cf_sim_trace *trace, size_t i);

/* Does a container begin to end there: with its hook, with SIGTERM, or by itself? */
bool cf_sim_begins_end(const struct cf_sim_trace *trace, size_t i);

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

/* What comes of a Job's pod that failed, or was restarted backoffLimit times: a line, or nothing.
 */
void cf_sim_put_next_pod(struct cf_out *out, const struct cf_sim_trace *trace,
                         const struct cf_manifest_pod *pod);
/* Restarts that the object's status records are not played: a line that says who explains them. */
void cf_sim_put_history(struct cf_out *out, const struct cf_node *object);

/* kubectl's READY: "2/2", and not "1/2" or "0/0"? */
bool cf_sim_is_all(const char *ready);
