#include "conformance/simulate/sim_brief.h"

#include "conformance/simulate/sim_outcome.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"
#include "core/kubelet/backoff.h"
#include "core/kubelet/hook_text.h"
#include "core/kubelet/kill_container.h"
#include "core/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#define CRASH_LOOP "CrashLoopBackOff"
enum { ROUNDS_TOLD = 2, ROUNDS_LISTED = 2 };

/* ---- the verdict ------------------------------------------------------------------------------
 */

static const char *why_killed(const struct cf_sim_trace *trace, const struct cf_sim_line *line)
{
    switch (line->kill_reason) {
    case KP_KILL_LIVENESS:
        return "liveness";
    case KP_KILL_STARTUP:
        return "startup";
    case KP_KILL_SPEC:
        return "definition changed";
    default:
        return line->by_deadline                  ? "deadline"
               : line->at_ns >= trace->deleted_ns ? "pod deleted"
                                                  : "pod ends";
    }
}

/* What kills it: behind "killed". */
static const char *killed_by(const struct cf_sim_line *line)
{
    switch (line->kill_reason) {
    case KP_KILL_LIVENESS:
        return " by liveness";
    case KP_KILL_STARTUP:
        return " by startup";
    case KP_KILL_SPEC:
        return " for its changed definition";
    default:
        return line->by_deadline ? " by activeDeadlineSeconds" : " with its pod";
    }
}

static void put_rule(struct cf_out *out, enum kp_rule rule)
{
    if (rule != KP_RULE_NONE)
        cf_out_printf(out, "  [%s]", kp_rule_get(rule)->id);
}

/* A grace that the kubelet cannot count is not what anybody waits. */
static void put_overflow(struct cf_out *out, struct kp_text name, const struct cf_sim_ends *ends)
{
    cf_out_printf(out, "%.*s: killed%s: SIGTERM at ", KP_ARG(name), killed_by(ends->first));
    cf_put_duration(out, ends->first->at_ns, false);
    if (!ends->ended)
        cf_out_printf(out, ", %u times, and never ends", ends->kills);
    cf_out_printf(out, "\n%.*s: its grace overflows in the kubelet: ", KP_ARG(name));
    if (ends->sigkill) {
        cf_out_put_string(out, "SIGKILL comes ");
        cf_put_duration(out, ends->end_ns - ends->first->at_ns, true);
        cf_out_put_string(out, " later");
    } else {
        cf_out_put_string(out, "no SIGKILL comes");
    }
    put_rule(out, KP_RULE_GRACE_OVERFLOW);
    cf_out_put_char(out, '\n');
}

/* Does the pod's deletion kill it? */
static bool is_deleted(const struct cf_sim_trace *trace, const struct cf_sim_ends *ends)
{
    return ends->kills == 1 && strcmp(why_killed(trace, ends->first), "pod deleted") == 0;
}

/* What a deletion does to it, each way to say it shorter than the one before. */
static void put_deleted_so(struct cf_out *out, const struct kp_container *container,
                           const struct cf_sim_ends *ends, int way)
{
    bool hook = container->pre_stop && kp_hook_has_handler(container->pre_stop);

    cf_out_printf(out, "%.*s: %sSIGTERM at ", KP_ARG(container->name), hook ? "preStop, " : "");
    cf_put_duration(out, ends->first->at_ns, false);
    cf_out_put_string(out, ", SIGKILL ");
    cf_put_seconds(out, ends->first->grace_s);
    cf_out_put_string(out, ends->sigkill || way > 0 ? " later" : " later if it still runs");
}

enum { KILL_WAYS = 4 }; /* to say it, each shorter than the one before; two have no grace */

static void put_kills_so(struct cf_out *out, struct kp_text name, const struct cf_sim_ends *ends,
                         int way)
{
    cf_out_printf(out, "%.*s: killed", KP_ARG(name));
    if (ends->kills > 1)
        cf_out_printf(out, way + 1 < KILL_WAYS ? " %u times" : " %ux", ends->kills);
    if (ends->mixed)
        cf_out_printf(out, ", first%s: SIGTERM at ", killed_by(ends->first));
    else
        cf_out_printf(out, "%s%s SIGTERM at ", killed_by(ends->first),
                      ends->kills > 1 ? ", first" : ":");
    cf_put_duration(out, ends->first->at_ns, false);
    if (way >= 2)
        return;
    if (ends->sigkill)
        cf_out_put_string(out, way == 0 ? ", SIGKILL after grace " : ", SIGKILL after ");
    else
        cf_out_put_string(out, way == 0 && ends->kills > 1 ? ", each with grace " : ", grace ");
    cf_put_seconds(out, ends->first->grace_s);
}

/* When it was decided, and what preStop took of the grace. */
static void put_hook_time(struct cf_out *out, const struct cf_sim_trace *trace,
                          const struct cf_sim_ends *ends)
{
    const struct cf_sim_line *first = ends->first;
    int64_t takes_ns = first->at_ns - ends->hook->at_ns;

    if (takes_ns == 0)
        return;
    cf_out_printf(out, "%.*s: preStop from ",
                  KP_ARG(trace->pod->containers[first->container].name));
    cf_put_duration(out, ends->hook->at_ns, false);
    cf_out_put_string(out, " on took ");
    cf_put_duration(out, takes_ns, false);
    cf_out_put_string(out, " of a grace of ");
    cf_put_seconds(
        out, kp_kill_grace_s(trace->profile, trace->pod, first->container, first->kill_reason));
    cf_out_put_char(out, '\n');
}

static void put_kills(struct cf_out *out, const struct cf_sim_trace *trace,
                      const struct cf_sim_ends *ends, size_t columns)
{
    struct kp_text name = trace->pod->containers[ends->first->container].name;
    size_t begin = out->len;

    if (cf_grace_overflows(ends->first->grace_s)) {
        put_overflow(out, name, ends);
        return;
    }
    for (int way = 0; way < KILL_WAYS; way++) {
        out->len = begin;
        if (is_deleted(trace, ends))
            put_deleted_so(out, &trace->pod->containers[ends->first->container], ends, way);
        else
            put_kills_so(out, name, ends, way);
        if (cf_columns_of(kp_text_from(cf_out_text(out), begin)) <= columns)
            break;
    }
    cf_out_put_char(out, '\n');
    if (ends->hook && !is_deleted(trace, ends))
        put_hook_time(out, trace, ends);
}

static void put_ends(struct cf_out *out, const struct cf_sim_trace *trace, int container,
                     size_t columns)
{
    struct kp_text name = trace->pod->containers[container].name;
    struct cf_sim_ends ends = cf_sim_ends_of(trace, container);

    if (ends.kills > 0)
        put_kills(out, trace, &ends, columns);
    if (ends.exits > 0 && (trace->pod->containers[container].kind != KP_INIT || ends.exits > 1)) {
        cf_out_printf(out, "%.*s: ends by itself", KP_ARG(name));
        if (ends.exits > 1)
            cf_out_printf(out, " %u times, first", ends.exits);
        cf_out_put_string(out, " at ");
        cf_put_duration(out, ends.first_exit->at_ns, false);
        cf_out_put_char(out, '\n');
    }
}

/* The deletion behind what is Ready, or below it where the line has no room. */
static void put_deletion(struct cf_out *out, const struct cf_sim_trace *trace, size_t begin,
                         size_t columns)
{
    size_t since = out->len;

    if (trace->deleted_ns == KP_NEVER)
        return;
    cf_out_put_string(out, "; deleted at ");
    cf_put_duration(out, trace->deleted_ns, false);
    if (trace->gone_ns == KP_NEVER) {
        cf_out_put_string(out, ", not gone by the end");
    } else {
        cf_out_put_string(out, ", gone at ");
        cf_put_duration(out, trace->gone_ns, true);
    }
    if (cf_columns_of(kp_text_from(cf_out_text(out), begin)) > columns) {
        out->bytes[since] = '\n';
        memmove(out->bytes + since + 1, out->bytes + since + 2, out->len - since - 2);
        out->len--;
    }
}

/* Nothing probes whether it can serve: it is Ready as soon as it runs. */
static bool is_ready_unprobed(const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        if (pod->containers[i].probes[KP_READINESS] || pod->containers[i].probes[KP_STARTUP])
            return false;
    return true;
}

static void put_unready(struct cf_out *out, const struct cf_sim_outcome *outcome, int64_t end_ns)
{
    if (outcome->gaps > 1) {
        cf_out_put_string(out, "; from ");
        cf_put_duration(out, outcome->first_gap_ns, false);
        cf_out_put_string(out, " on, not Ready ");
        cf_put_duration(out, outcome->unready_ns, true);
        cf_out_put_string(out, " in all");
        return;
    }
    cf_out_put_string(out, "; not Ready from ");
    cf_put_duration(out, outcome->first_gap_ns, false);
    cf_out_put_string(out, " to ");
    if (outcome->first_gap_ns + outcome->unready_ns >= end_ns)
        cf_out_put_string(out, "the end");
    else
        cf_put_exact(out, outcome->first_gap_ns + outcome->unready_ns, false);
}

#define TENTHS_NS (10 * KP_NS_PER_S) /* from there on whole seconds are printed */

/* Up to the next second. */
static int64_t whole_ns(int64_t ns)
{
    return (ns + KP_NS_PER_S - 1) / KP_NS_PER_S * KP_NS_PER_S;
}

enum { UNASKED_WAYS = 3 }; /* to say that nothing probes it, each shorter; the last says nothing */

static void put_spans(struct cf_out *out, const struct cf_sim_trace *trace,
                      const struct cf_sim_outcome *outcome, int way)
{
    static const char *const unprobed[UNASKED_WAYS] = {", up or not: no readiness probe",
                                                       " (no readiness probe)", ""};

    cf_out_put_string(out, way == 0 ? "Ready from " : "Ready at ");
    cf_put_duration(
        out, outcome->ready_ns < TENTHS_NS ? outcome->ready_ns : whole_ns(outcome->ready_ns), true);
    cf_out_put_string(out, way == 0 && outcome->unready_ns == 0 ? " on" : "");
    cf_out_put_string(out, unprobed[way]);
    if (outcome->unready_ns > 0)
        put_unready(out, outcome, trace->end_ns);
    else if (way > 0 && trace->deleted_ns == KP_NEVER && trace->over_ns == KP_NEVER)
        cf_out_put_string(out, outcome->gaps == 0     ? " and stays so"
                               : trace->restarts == 0 ? " and stays so, but for an instant"
                               : trace->restarts == 1 ? ", and again at once after its restart"
                                                      : ", and again at once after each restart");
}

static void put_ready(struct cf_out *out, const struct cf_sim_trace *trace,
                      const struct cf_sim_outcome *outcome, size_t columns)
{
    bool unprobed = is_ready_unprobed(trace->pod);
    size_t begin = out->len;

    if (outcome->ready_ns == KP_NEVER) {
        cf_out_put_string(out, "never Ready");
    } else if (unprobed && outcome->loop_ns > 0 && outcome->unready_ns == outcome->loop_ns) {
        cf_out_put_string(out, trace->over_ns < trace->deleted_ns
                                   ? "Ready whenever it runs: no readiness probe"
                                   : "counts as Ready whenever it runs, even before it is up: "
                                     "no readiness probe");
    } else {
        for (int way = unprobed ? 0 : UNASKED_WAYS - 1; way < UNASKED_WAYS; way++) {
            out->len = begin;
            put_spans(out, trace, outcome, way);
            if (cf_columns_of(kp_text_from(cf_out_text(out), begin)) <= columns)
                break;
        }
    }
    if (trace->over_ns < trace->deleted_ns) {
        cf_out_put_string(out, trace->failed ? "; failed at " : "; completed at ");
        cf_put_duration(out, trace->over_ns, false);
    }
    put_deletion(out, trace, begin, columns);
}

/* Is a container killed that has not ended yet? */
static bool is_ending(const struct cf_sim_trace *trace)
{
    for (size_t k = 0; k < kp_pod_container_count(trace->pod); k++) {
        bool ending = false;

        for (size_t i = 0; i < trace->line_count; i++)
            if (trace->lines[i].container == (int)k &&
                (trace->lines[i].mark == CF_SIM_KILLED || trace->lines[i].mark == CF_SIM_EXITED))
                ending = trace->lines[i].mark == CF_SIM_KILLED;
        if (ending)
            return true;
    }
    return false;
}

/* Does each run of what ends outlast the longest back-off?  One counts from the end before (S-241):
 * it is over when the next start comes. */
static bool outlasts(const struct cf_sim_trace *trace, int container, int64_t max_ns)
{
    int64_t since_ns = KP_NEVER;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->container != container)
            continue;
        if (line->mark == CF_SIM_EXITED &&
            (since_ns == KP_NEVER || line->at_ns - since_ns <= max_ns))
            return false;
        since_ns = line->mark == CF_SIM_RUNS ? line->at_ns : since_ns;
    }
    return true;
}

/* It loops, and kubectl never says so. */
static void put_no_loop(struct cf_out *out, const struct cf_sim_trace *trace)
{
    int64_t max_ns = kp_backoff_limits(trace->profile).max_ns;

    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++)
        if (!outlasts(trace, (int)i, max_ns))
            return;
    cf_out_put_string(out, "; no " CRASH_LOOP ": runs outlast the longest, ");
    cf_put_duration(out, max_ns, false);
}

static void put_fares(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns)
{
    struct cf_sim_outcome outcome = cf_sim_outcome_of(trace);
    const char *restarts;
    bool waits;
    int count;

    put_ready(out, trace, &outcome, columns);
    cf_out_put_char(out, '\n');
    if (!outcome.last || trace->deleted_ns != KP_NEVER ||
        (outcome.unready_ns == 0 && outcome.ready_ns != KP_NEVER))
        return;

    waits = strstr(outcome.last->columns.status, CRASH_LOOP);
    if (outcome.loop_ns > 0) {
        cf_out_put_string(out, outcome.loops == 1 && waits ? CRASH_LOOP " for the last "
                                                           : CRASH_LOOP " for ");
        cf_put_duration(out, outcome.loop_ns, true);
        cf_out_put_string(out, outcome.loops > 1 ? " in all; " : "; ");
    }
    restarts =
        outcome.last->columns.restarts; /* with an age, of the last change and not of the end */
    count = (int)strcspn(restarts, " ");
    if (cf_sim_goes_on(trace))
        cf_out_printf(out, "%.*s restart%s%s%s", count, restarts,
                      strtol(restarts, NULL, 10) == 1 ? "" : "s",
                      waits && outcome.loops == 1 ? "" : " by the end",
                      waits || is_ending(trace) ? ", the next pending" : "");
    else
        cf_out_printf(out, "at the end %s %s, %.*s restart%s", outcome.last->columns.ready,
                      outcome.last->columns.status, count, restarts,
                      strtol(restarts, NULL, 10) == 1 ? "" : "s");
    if (cf_sim_goes_on(trace) && outcome.loop_ns == 0)
        put_no_loop(out, trace);
    cf_out_put_char(out, '\n');
}

/* It ends the pod, whatever its probes say. */
static void put_deadline(struct cf_out *out, const struct cf_sim_trace *trace)
{
    if (trace->deadline_ns == KP_NEVER)
        return;
    cf_out_put_string(out, "past activeDeadlineSeconds (");
    cf_put_seconds(out, trace->pod->deadline_s);
    cf_out_put_string(out, ") at ");
    cf_put_duration(out, trace->deadline_ns, false);
    cf_out_put_string(out, ": DeadlineExceeded");
    put_rule(out, KP_RULE_ACTIVE_DEADLINE);
    cf_out_put_char(out, '\n');
}

void cf_sim_put_verdict(struct cf_out *out, const struct cf_sim_trace *trace, struct kp_text luck,
                        size_t columns)
{
    size_t from = out->len;
    bool any = false;

    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++) {
        put_ends(out, trace, (int)i, columns);
        any |= cf_sim_ends_of(trace, (int)i).kills > 0;
    }
    if (!any)
        cf_out_printf(out, "nothing is killed%s%.*s\n", luck.len > 0 ? " in this run, but " : "",
                      KP_ARG(luck));
    put_fares(out, trace, columns);
    put_deadline(out, trace);
    cf_fold_lines(out, from, columns);
}

/* ---- the scenario in brief
 * ------------------------------------------------------------------------ */

static bool is_shown(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *line = &trace->lines[i];

    return line->kind == CF_SIM_COLUMNS || line->mark == CF_SIM_KILLED ||
           line->mark == CF_SIM_EXITED || line->mark == CF_SIM_BACKED_OFF ||
           cf_sim_begins_pre_stop(trace, i);
}

static void put_time(struct cf_out *out, int64_t at_ns)
{
    struct cf_out duration = {0};

    cf_put_duration(&duration, at_ns, false);
    cf_out_printf(out, "%13.*s  ", KP_ARG(duration));
    cf_out_deinit(&duration);
}

static void put_what(struct cf_out *out, const struct cf_sim_trace *trace,
                     const struct cf_sim_line *line)
{
    struct kp_text name =
        line->container >= 0 ? trace->pod->containers[line->container].name : KP_TEXT_NONE;

    if (line->mark == CF_SIM_KILLED) {
        cf_out_printf(out, "%.*s: SIGTERM (%s)", KP_ARG(name), why_killed(trace, line));
        put_rule(out, line->by_deadline ? KP_RULE_ACTIVE_DEADLINE : line->rule);
    } else if (line->mark == CF_SIM_EXITED) {
        cf_out_printf(out, "%.*s ended", KP_ARG(name));
        cf_out_printf(out, "%s: %d", line->exit_code == CF_EXIT_CODE_SIGKILL ? " by SIGKILL" : "",
                      (int)line->exit_code);
    } else if (line->mark != CF_SIM_BACKED_OFF) {
        cf_out_printf(out, "%.*s: preStop", KP_ARG(name));
    } else {
        cf_out_printf(out, "%.*s waits:", KP_ARG(name));
        cf_out_printf(out, " back-off ");
        cf_put_duration(out, line->delay_ns, false);
        put_rule(out, line->rule);
    }
}

/* A line of the table: what kubectl shows, or what happened. */
static void put_row(struct cf_out *out, const struct cf_sim_trace *trace,
                    const struct cf_sim_line *line)
{
    put_time(out, line->at_ns);
    if (line->kind == CF_SIM_COLUMNS)
        cf_out_printf(out, "%-5s  %-17s %s", line->columns.ready, line->columns.status,
                      line->columns.restarts);
    else
        put_what(out, trace, line);
    cf_out_put_char(out, '\n');
}

/* Kills and ends from a line on: those without a line each; so many with their instants. */
static void list_rest(struct cf_out *out, const struct cf_sim_trace *trace, size_t from,
                      unsigned listed)
{
    unsigned count = 0;
    int64_t last_ns = 0;

    for (size_t i = from; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->mark != CF_SIM_EXITED)
            continue;
        if (count < listed) {
            cf_out_put_string(out, count == 0 ? "      then again at " : ", ");
            cf_put_duration(out, line->at_ns, false);
        }

        last_ns = line->at_ns;
        count++;
    }
    if (count > listed) {
        cf_out_printf(out, " and %u more time%s, the last at ", count - listed,
                      count - listed == 1 ? "" : "s");
        cf_put_duration(out, last_ns, false);
    }
    if (count > 0)
        cf_out_put_char(out, '\n');
}

static void put_rest(struct cf_out *out, const struct cf_sim_trace *trace, size_t from,
                     size_t columns)
{
    size_t begin = out->len;

    list_rest(out, trace, from, ROUNDS_LISTED);
    if (out->len > begin &&
        cf_columns_of((struct kp_text){out->bytes + begin, out->len - begin - 1}) > columns) {
        out->len = begin;
        list_rest(out, trace, from, ROUNDS_LISTED - 1);
    }
}

static size_t count_rounds(const struct cf_sim_trace *trace)
{
    size_t count = 0;

    for (size_t i = 0; i < trace->line_count; i++)
        count += trace->lines[i].mark == CF_SIM_EXITED;
    return count;
}

/* The last that kubectl shows before a line. */
static const struct cf_sim_line *last_columns(const struct cf_sim_trace *trace)
{
    const struct cf_sim_line *last = NULL;

    for (size_t i = 0; i < trace->line_count; i++)
        if (trace->lines[i].kind == CF_SIM_COLUMNS)
            last = &trace->lines[i];
    return last;
}

/* Of what kubectl would show in one instant the last is printed. */
static bool is_passing(const struct cf_sim_trace *trace, size_t i)
{
    const struct cf_sim_line *line = &trace->lines[i];

    if (line->kind != CF_SIM_COLUMNS)
        return false;
    for (i++; i < trace->line_count && trace->lines[i].at_ns == line->at_ns; i++)
        if (trace->lines[i].kind == CF_SIM_COLUMNS)
            return true;
    return false;
}

void cf_sim_put_brief(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns)
{
    size_t from = out->len;
    size_t rounds = count_rounds(trace);
    size_t begun = 0; /* rounds */
    size_t i = 0;

    cf_out_printf(out, "%13s  %-5s  %-17s %s\n", "TIME", "READY", "STATUS", "RESTARTS");
    for (; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        begun += cf_sim_begins_end(trace, i);
        if (rounds > ROUNDS_TOLD + 1 && begun > ROUNDS_TOLD)
            break;
        if (is_shown(trace, i) && !is_passing(trace, i))
            put_row(out, trace, line);
    }
    if (i < trace->line_count) {
        put_rest(out, trace, i, columns);
        put_row(out, trace, last_columns(trace));
    }
    cf_cut_lines(out, from, columns);
}
