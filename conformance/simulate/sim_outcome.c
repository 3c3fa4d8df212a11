#include "conformance/simulate/sim_outcome.h"

#include <stdlib.h>
#include <string.h>

#define CRASH_LOOP "CrashLoopBackOff"

/* A kill that only the end of the pod brings, behind one that had another cause. */
static bool is_deletion_behind(const struct cf_sim_ends *ends, const struct cf_sim_line *line)
{
    return ends->first && line->kill_reason != ends->first->kill_reason &&
           line->kill_reason != KP_KILL_LIVENESS && line->kill_reason != KP_KILL_STARTUP &&
           line->kill_reason != KP_KILL_SPEC;
}

struct cf_sim_ends cf_sim_ends_of(const struct cf_sim_trace *trace, int container)
{
    struct cf_sim_ends ends = {0};
    bool killed = false;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->container != container)
            continue;
        if (line->mark == CF_SIM_EXITED && killed && !ends.ended) {
            ends.sigkill = line->exit_code == CF_EXIT_CODE_SIGKILL;
            ends.ended = true;
            ends.end_ns = line->at_ns;
        }
        if (line->mark == CF_SIM_KILLED) {
            killed = true;
            if (is_deletion_behind(&ends, line))
                continue;
            ends.first = ends.kills++ == 0 ? line : ends.first;
            ends.mixed |= line->kill_reason != ends.first->kill_reason;
        } else if (line->mark == CF_SIM_EXITED) {
            if (!killed)
                ends.first_exit = ends.exits++ == 0 ? line : ends.first_exit;
            killed = false;
        }
    }
    return ends;
}

bool cf_sim_is_all(const char *ready)
{
    const char *slash = strchr(ready, '/');

    return slash && atoi(ready) > 0 && atoi(ready) == atoi(slash + 1);
}

static bool is_loop(const struct cf_sim_line *line)
{
    return line && strstr(line->columns.status, CRASH_LOOP);
}

/* What kubectl shows from one line until another. */
static void add_span(struct cf_sim_outcome *outcome, const struct cf_sim_line *before,
                     const struct cf_sim_line *line, int64_t until_ns)
{
    bool ready = cf_sim_is_all(line->columns.ready);

    if (ready && outcome->ready_ns == KP_NEVER)
        outcome->ready_ns = line->at_ns;
    if (!ready && outcome->ready_ns != KP_NEVER) {
        if (outcome->first_gap_ns == KP_NEVER)
            outcome->first_gap_ns = line->at_ns;
        outcome->gaps += cf_sim_is_all(before->columns.ready);
        outcome->unready_ns += until_ns - line->at_ns;
    }
    if (is_loop(line)) {
        outcome->loops += !is_loop(before);
        outcome->loop_ns += until_ns - line->at_ns;
    }
}

struct cf_sim_outcome cf_sim_outcome_of(const struct cf_sim_trace *trace)
{
    struct cf_sim_outcome outcome = {.ready_ns = KP_NEVER, .first_gap_ns = KP_NEVER};
    const struct cf_sim_line *before = NULL;
    int64_t until_ns = trace->deleted_ns < trace->over_ns ? trace->deleted_ns : trace->over_ns;

    for (size_t i = 0; i < trace->line_count; i++) {
        if (trace->lines[i].kind != CF_SIM_COLUMNS)
            continue;
        if (trace->lines[i].at_ns > until_ns)
            break;
        if (outcome.last)
            add_span(&outcome, before, outcome.last, trace->lines[i].at_ns);
        before = outcome.last;
        outcome.last = &trace->lines[i];
    }
    /* A pod that is over is not out of its Service: it has ended. */
    if (outcome.last && (until_ns != trace->over_ns || until_ns == KP_NEVER))
        add_span(&outcome, before, outcome.last,
                 trace->end_ns < until_ns ? trace->end_ns : until_ns);
    return outcome;
}

/* Does the container's last instance live longer than any but the first did? */
static bool has_settled(const struct cf_sim_trace *trace, int container)
{
    int64_t runs_ns = KP_NEVER;
    int64_t longest_ns = 0;
    unsigned ends = 0;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->container != container)
            continue;
        if (line->mark == CF_SIM_RUNS)
            runs_ns = line->at_ns;
        if ((line->mark != CF_SIM_KILLED && line->mark != CF_SIM_EXITED) || runs_ns == KP_NEVER)
            continue;
        if (ends++ > 0 && line->at_ns - runs_ns > longest_ns)
            longest_ns = line->at_ns - runs_ns;
        runs_ns = KP_NEVER;
    }
    return ends < 2 || (runs_ns != KP_NEVER && trace->end_ns - runs_ns > longest_ns);
}

bool cf_sim_goes_on(const struct cf_sim_trace *trace)
{
    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++)
        if (!has_settled(trace, (int)i))
            return true;
    return false;
}

void cf_sim_put_next_pod(struct cf_out *out, const struct cf_sim_trace *trace, struct kp_text kind)
{
    if ((kp_text_equal(kind, KP_TEXT("Job")) || kp_text_equal(kind, KP_TEXT("CronJob"))) &&
        trace->failed)
        cf_out_put_string(out, "its Job makes another pod, up to backoffLimit times\n");
}

void cf_sim_put_history(struct cf_out *out, const struct cf_node *object)
{
    const struct cf_node *status = cf_node_find(object, "status");
    const struct cf_node *list = status ? cf_node_find(status, "containerStatuses") : NULL;
    long restarts = 0;

    for (const struct cf_node *one = list ? list->first : NULL; one; one = one->next) {
        const struct cf_node *count = cf_node_find(one, "restartCount");

        if (count && count->text.len > 0 && count->text.len < 10)
            restarts += strtol(count->text.bytes, NULL, 10);
    }
    if (restarts > 0)
        cf_out_printf(out, "why it has restarted %ld time%s so far: probetest why\n", restarts,
                      restarts == 1 ? "" : "s");
}
