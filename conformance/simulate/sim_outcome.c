#include "conformance/simulate/sim_outcome.h"

#include "conformance/text/human.h"

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

/* The line before that says how far the container is with its end; NULL: it runs. */
static const struct cf_sim_line *line_before(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *of = &trace->lines[i];

    while (i-- > 0) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->container != of->container)
            continue;
        if (line->mark == CF_SIM_RUNS)
            return NULL;
        if (line->mark == CF_SIM_KILLED || line->mark == CF_SIM_EXITED ||
            cf_sim_begins_pre_stop(trace, i))
            return line;
    }
    return NULL;
}

/* Of a container that is killed at once no hook runs. */
static bool is_killed_later(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *from = &trace->lines[i];

    for (; i < trace->line_count; i++)
        if (trace->lines[i].mark == CF_SIM_KILLED && trace->lines[i].container == from->container)
            return trace->lines[i].at_ns > from->at_ns;
    return true;
}

bool cf_sim_begins_pre_stop(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *line = &trace->lines[i];
    const struct kp_handler *hook;

    if (line->mark == CF_SIM_PRE_STOP)
        return true;
    if (line->rule != KP_RULE_KILLING_EVENT_FIRST || line->container < 0)
        return false;
    hook = trace->pod->containers[line->container].pre_stop;
    return hook && hook->sleep && !hook->exec && is_killed_later(trace, i);
}

bool cf_sim_begins_end(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *line = &trace->lines[i];

    return (line->mark == CF_SIM_KILLED || line->mark == CF_SIM_EXITED ||
            cf_sim_begins_pre_stop(trace, i)) &&
           !line_before(trace, i);
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
            if (ends.kills++ == 0) {
                ends.first = line;
                ends.hook = line_before(trace, i);
            }
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

#define USUAL_BACKOFF_LIMIT 6 /* as the API server has it by default */

/* The Job's own, beside its template. */
static int64_t backoff_limit(const struct cf_manifest_pod *pod)
{
    const struct cf_node *spec = cf_node_find(pod->holder, "spec");
    const struct cf_node *job = cf_node_find(spec, "jobTemplate");
    int64_t limit;

    if (job)
        spec = cf_node_find(job, "spec");
    return cf_node_int_value(cf_node_find(spec, "backoffLimit"), &limit) ? limit
                                                                         : USUAL_BACKOFF_LIMIT;
}

/* When its containers have been restarted so often in all; KP_NEVER: not. */
static int64_t restarted_ns(const struct cf_sim_trace *trace, int64_t count)
{
    for (size_t i = 0; i < trace->line_count; i++)
        if (trace->lines[i].kind == CF_SIM_COLUMNS &&
            strtoll(trace->lines[i].columns.restarts, NULL, 10) >= count)
            return trace->lines[i].at_ns;
    return KP_NEVER;
}

/* Upstream: job_controller.go pastBackoffLimitOnFailure: with 0, too, one restart is needed. */
void cf_sim_put_next_pod(struct cf_out *out, const struct cf_sim_trace *trace,
                         const struct cf_manifest_pod *pod)
{
    int64_t limit = backoff_limit(pod);
    int64_t at_ns;

    if (!kp_text_equal(pod->kind, KP_TEXT("Job")) && !kp_text_equal(pod->kind, KP_TEXT("CronJob")))
        return;
    if (trace->failed) {
        cf_out_put_string(out, "its Job makes another pod, up to backoffLimit times\n");
        return;
    }
    at_ns = restarted_ns(trace, limit > 0 ? limit : 1);
    if (at_ns == KP_NEVER || !kp_text_equal(trace->pod->restart_policy, KP_TEXT("OnFailure")))
        return;
    cf_out_put_string(out, "its Job fails at ");
    cf_put_duration(out, at_ns, false);
    cf_out_printf(out, " by backoffLimit %lld: what follows would not happen\n", (long long)limit);
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
