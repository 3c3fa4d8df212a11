#include "conformance/simulate/sim_answer.h"

#include "conformance/text/human.h"
#include "core/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#define CRASH_LOOP "CrashLoopBackOff"
enum { ROUNDS_TOLD = 2, ROUNDS_LISTED = 2 };

/* ---- the verdict ------------------------------------------------------------------------------
 */

struct ends {
    unsigned kills;
    bool sigkill;   /* the first did not end within its grace */
    unsigned exits; /* by itself */
    const struct cf_sim_line *first;
    const struct cf_sim_line *first_exit;
};

static struct ends ends_of(const struct cf_sim_trace *trace, int container)
{
    struct ends ends = {0};
    bool killed = false;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->container != container)
            continue;
        if (line->mark == CF_SIM_EXITED && killed && ends.kills == 1)
            ends.sigkill = line->exit_code == CF_EXIT_CODE_SIGKILL;
        if (line->mark == CF_SIM_KILLED) {
            ends.first = ends.kills++ == 0 ? line : ends.first;
            killed = true;
        } else if (line->mark == CF_SIM_EXITED) {
            if (!killed)
                ends.first_exit = ends.exits++ == 0 ? line : ends.first_exit;
            killed = false;
        }
    }
    return ends;
}

static const char *why_killed(const struct cf_sim_line *line)
{
    switch (line->kill_reason) {
    case KP_KILL_LIVENESS:
        return "liveness";
    case KP_KILL_STARTUP:
        return "startup";
    case KP_KILL_SPEC:
        return "definition changed";
    default:
        return "pod deleted";
    }
}

static void put_rule(struct cf_out *out, enum kp_rule rule)
{
    if (rule != KP_RULE_NONE)
        cf_out_printf(out, "  [%s]", kp_rule_get(rule)->id);
}

/* The rule, where the line has room for it. */
static void put_rule_within(struct cf_out *out, enum kp_rule rule, size_t begin, size_t columns)
{
    struct kp_text line;

    put_rule(out, rule);
    line = (struct kp_text){out->bytes + begin, out->len - begin};
    if (cf_columns_of(line) > columns)
        out->len -= kp_text_of(kp_rule_get(rule)->id).len + 4;
}

static void put_ends(struct cf_out *out, const struct cf_sim_trace *trace, int container,
                     size_t columns)
{
    size_t begin = out->len;
    struct kp_text name = trace->pod->containers[container].name;
    struct ends ends = ends_of(trace, container);

    if (ends.kills > 0) {
        cf_out_printf(out, "%.*s: killed", (int)name.len, name.bytes);
        if (ends.kills > 1)
            cf_out_printf(out, " %u times, first", ends.kills);
        cf_out_put_string(out, " at ");
        cf_put_lapse(out, ends.first->at_ns, false);
        cf_out_printf(out, " (%s%s grace ", why_killed(ends.first),
                      ends.sigkill ? "; SIGKILL after" : ",");
        cf_put_seconds(out, ends.first->grace_s);
        cf_out_put_char(out, ')');
        if (ends.first->rule != KP_RULE_NONE)
            put_rule_within(out, ends.first->rule, begin, columns);
        cf_out_put_char(out, '\n');
    }
    if (ends.exits > 0 && (trace->pod->containers[container].kind != KP_INIT || ends.exits > 1)) {
        cf_out_printf(out, "%.*s: ends by itself", (int)name.len, name.bytes);
        if (ends.exits > 1)
            cf_out_printf(out, " %u times, first", ends.exits);
        cf_out_put_string(out, " at ");
        cf_put_lapse(out, ends.first_exit->at_ns, false);
        cf_out_put_char(out, '\n');
    }
}

/* How the pod fares, by kubectl's columns. */
struct fares {
    int64_t ready_ns;     /* first; KP_NEVER */
    int64_t unready_ns;   /* after that, in all */
    int64_t first_gap_ns; /* when it first ceases to be ready */
    int64_t loop_ns;      /* in CrashLoopBackOff, in all */
    int64_t first_loop_ns;
    const struct cf_sim_line *last;
};

/* "2/2" and not "1/2" or "0/0" */
static bool is_all(const char *ready)
{
    const char *slash = strchr(ready, '/');

    return slash && atoi(ready) > 0 && atoi(ready) == atoi(slash + 1);
}

static void add_span(struct fares *fares, const struct cf_sim_line *line, int64_t until_ns)
{
    bool ready = is_all(line->columns.ready);

    if (ready && fares->ready_ns == KP_NEVER)
        fares->ready_ns = line->at_ns;
    if (!ready && fares->ready_ns != KP_NEVER) {
        fares->first_gap_ns = fares->unready_ns == 0 && fares->first_gap_ns == KP_NEVER
                                  ? line->at_ns
                                  : fares->first_gap_ns;
        fares->unready_ns += until_ns - line->at_ns;
    }
    if (strstr(line->columns.status, CRASH_LOOP)) {
        fares->first_loop_ns =
            fares->first_loop_ns == KP_NEVER ? line->at_ns : fares->first_loop_ns;
        fares->loop_ns += until_ns - line->at_ns;
    }
}

static struct fares fares_of(const struct cf_sim_trace *trace)
{
    struct fares fares = {
        .ready_ns = KP_NEVER, .first_gap_ns = KP_NEVER, .first_loop_ns = KP_NEVER};

    for (size_t i = 0; i < trace->line_count; i++) {
        if (trace->lines[i].kind != CF_SIM_COLUMNS)
            continue;
        if (trace->lines[i].at_ns > trace->deleted_ns)
            break;
        if (fares.last)
            add_span(&fares, fares.last, trace->lines[i].at_ns);
        fares.last = &trace->lines[i];
    }
    if (fares.last)
        add_span(&fares, fares.last,
                 trace->end_ns < trace->deleted_ns ? trace->end_ns : trace->deleted_ns);
    return fares;
}

static void put_deletion(struct cf_out *out, const struct cf_sim_trace *trace)
{
    if (trace->deleted_ns == KP_NEVER)
        return;
    cf_out_put_string(out, "; deleted at ");
    cf_put_lapse(out, trace->deleted_ns, false);
    if (trace->gone_ns == KP_NEVER) {
        cf_out_put_string(out, ", not gone by the end");
        return;
    }
    cf_out_put_string(out, ", gone at ");
    cf_put_lapse(out, trace->gone_ns, true);
}

/* Nobody asks whether it can serve: it is Ready as soon as it runs. */
static bool is_ready_unasked(const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        if (pod->containers[i].probes[KP_READINESS] || pod->containers[i].probes[KP_STARTUP])
            return false;
    return true;
}

static void put_ready(struct cf_out *out, const struct cf_sim_trace *trace, const struct fares *of,
                      bool says_unasked)
{
    struct fares fares = *of;

    if (fares.ready_ns == KP_NEVER) {
        cf_out_put_string(out, "never Ready");
    } else {
        cf_out_put_string(out, "Ready at ");
        cf_put_lapse(out, fares.ready_ns, true);
        if (says_unasked)
            cf_out_put_string(out, " (no readiness probe)");
        if (fares.unready_ns > 0) {
            cf_out_put_string(out, "; not Ready for ");
            cf_put_lapse(out, fares.unready_ns, true);
            cf_out_put_string(out, " from ");
            cf_put_lapse(out, fares.first_gap_ns, false);
            cf_out_put_string(out, " on");
        } else if (trace->deleted_ns == KP_NEVER) {
            cf_out_put_string(out, " and stays so");
        }
    }
    put_deletion(out, trace);
}

static void put_fares(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns)
{
    struct fares fares = fares_of(trace);
    size_t begin = out->len;
    const char *restarts;

    put_ready(out, trace, &fares, is_ready_unasked(trace->pod));
    if (cf_columns_of((struct kp_text){out->bytes + begin, out->len - begin}) > columns) {
        out->len = begin;
        put_ready(out, trace, &fares, false);
    }
    cf_out_put_char(out, '\n');
    if (!fares.last || trace->deleted_ns != KP_NEVER ||
        (fares.unready_ns == 0 && fares.ready_ns != KP_NEVER))
        return;

    if (fares.loop_ns > 0) {
        cf_out_put_string(out, CRASH_LOOP " for ");
        cf_put_lapse(out, fares.loop_ns, true);
        cf_out_put_string(out, "; ");
    }
    restarts =
        fares.last->columns.restarts; /* with an age, of the last change and not of the end */
    cf_out_printf(out, "at the end %s %s, %.*s restart%s\n", fares.last->columns.ready,
                  fares.last->columns.status, (int)strcspn(restarts, " "), restarts,
                  strtol(restarts, NULL, 10) == 1 ? "" : "s");
}

void cf_sim_put_verdict(struct cf_out *out, const struct cf_sim_trace *trace, size_t columns)
{
    size_t from = out->len;
    bool any = false;

    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++) {
        put_ends(out, trace, (int)i, columns);
        any |= ends_of(trace, (int)i).kills > 0;
    }
    if (!any)
        cf_out_put_string(out, "nothing is killed\n");
    put_fares(out, trace, columns);
    cf_cut_lines(out, from, columns);
}

/* Until when a pod that is Ready at an instant stays so, and a container runs on; that instant: it
 * is not Ready. */
static int64_t ready_until_ns(const struct cf_sim_trace *trace, int container, int64_t from_ns)
{
    bool ready = false;

    for (size_t i = 0; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];
        bool shows = line->kind == CF_SIM_COLUMNS;

        if (line->at_ns > from_ns && !ready)
            return from_ns;
        if (line->at_ns > from_ns &&
            ((shows && !is_all(line->columns.ready)) ||
             (line->mark == CF_SIM_EXITED && line->container == container)))
            return line->at_ns;
        ready = shows ? is_all(line->columns.ready) : ready;
    }
    return ready ? trace->end_ns : from_ns;
}

void cf_sim_put_hung(struct cf_out *out, const struct cf_sim_trace *trace,
                     const struct cf_worlds *worlds, size_t columns)
{
    size_t begin = out->len;

    for (size_t i = 0; i < worlds->count; i++) {
        const struct kp_container *container = &trace->pod->containers[i];
        const int64_t *ns = worlds->containers[i].ns;
        bool passes = ns[CF_DOWN_FOR] != KP_NEVER;
        int64_t from_ns = passes && ns[CF_HANGS_AT] == KP_NEVER ? CF_DOWN_AT_NS : ns[CF_HANGS_AT];
        int64_t until_ns;

        if (from_ns >= trace->end_ns || container->probes[KP_READINESS])
            continue;
        until_ns = ready_until_ns(trace, (int)i, from_ns);
        if (passes && until_ns > from_ns + ns[CF_DOWN_FOR])
            until_ns = from_ns + ns[CF_DOWN_FOR];
        if (until_ns == from_ns)
            continue;
        cf_out_printf(out, "%.*s: hung but stayed Ready from ", (int)container->name.len,
                      container->name.bytes);
        cf_put_lapse(out, from_ns, false);
        cf_out_put_string(out, " to ");
        cf_put_lapse(out, until_ns, true);
        cf_out_put_string(out, ": no readiness probe\n");
    }
    cf_cut_lines(out, begin, columns);
}

/* ---- the scenario in brief
 * ------------------------------------------------------------------------
 */

static bool is_told(const struct cf_sim_line *line)
{
    return line->kind == CF_SIM_COLUMNS || line->mark == CF_SIM_KILLED ||
           line->mark == CF_SIM_EXITED || line->mark == CF_SIM_BACKED_OFF;
}

static void put_time(struct cf_out *out, int64_t at_ns)
{
    struct cf_out lapse = {0};

    cf_put_lapse(&lapse, at_ns, false);
    cf_out_printf(out, "%13.*s  ", (int)lapse.len, lapse.bytes);
    cf_out_deinit(&lapse);
}

static void put_what(struct cf_out *out, const struct cf_sim_trace *trace,
                     const struct cf_sim_line *line)
{
    struct kp_text name =
        line->container >= 0 ? trace->pod->containers[line->container].name : KP_TEXT_NONE;

    if (line->mark == CF_SIM_KILLED) {
        cf_out_printf(out, "%.*s: SIGTERM (%s)", (int)name.len, name.bytes, why_killed(line));
        put_rule(out, line->rule);
    } else if (line->mark == CF_SIM_EXITED) {
        cf_out_printf(out, "%.*s ended", (int)name.len, name.bytes);
        cf_out_printf(out, "%s: %d", line->exit_code == CF_EXIT_CODE_SIGKILL ? " by SIGKILL" : "",
                      (int)line->exit_code);
    } else {
        cf_out_printf(out, "%.*s waits:", (int)name.len, name.bytes);
        cf_out_printf(out, " back-off ");
        cf_put_lapse(out, line->delay_ns, false);
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

/* Kills and ends from a line on: those that are not told one by one. */
static void put_rest(struct cf_out *out, const struct cf_sim_trace *trace, size_t from)
{
    unsigned count = 0;
    int64_t last_ns = 0;

    for (size_t i = from; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        if (line->mark != CF_SIM_EXITED)
            continue;
        if (count < ROUNDS_LISTED) {
            cf_out_put_string(out, count == 0 ? "      then again at " : ", ");
            cf_put_lapse(out, line->at_ns, false);
        }

        last_ns = line->at_ns;
        count++;
    }
    if (count > ROUNDS_LISTED) {
        cf_out_printf(out, " and %u more times, the last at ", count - ROUNDS_LISTED);
        cf_put_lapse(out, last_ns, false);
    }
    if (count > 0)
        cf_out_put_char(out, '\n');
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

/* Of what kubectl would show in one instant the last is told. */
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
    size_t begun = 0; /* rounds: each begins with a kill, or an end without one */
    bool killed = false;
    size_t i = 0;

    cf_out_printf(out, "%13s  %-5s  %-17s %s\n", "TIME", "READY", "STATUS", "RESTARTS");
    for (; i < trace->line_count; i++) {
        const struct cf_sim_line *line = &trace->lines[i];

        begun += line->mark == CF_SIM_KILLED || (line->mark == CF_SIM_EXITED && !killed);
        killed = line->mark == CF_SIM_KILLED || (killed && line->mark != CF_SIM_EXITED);
        if (rounds > ROUNDS_TOLD + 1 && begun > ROUNDS_TOLD)
            break;
        if (is_told(line) && !is_passing(trace, i))
            put_row(out, trace, line);
    }
    if (i < trace->line_count) {
        put_rest(out, trace, i);
        put_row(out, trace, last_columns(trace));
    }
    cf_cut_lines(out, from, columns);
}

/* ---- many pods ------------------------------------------------------------------------------- */

enum { BLOCKS_MAX = 8 }; /* of more pods a table is told */
enum { NAME_COLUMNS = 24, CONTAINER_COLUMNS = 16, KILLED_COLUMNS = 20 };

static void put_cells(struct cf_out *out, struct kp_text name, struct kp_text container,
                      struct kp_text killed, struct kp_text ready)
{
    cf_put_cell(out, name, NAME_COLUMNS);
    cf_put_cell(out, container, CONTAINER_COLUMNS);
    cf_put_cell(out, killed, KILLED_COLUMNS);
    cf_out_put(out, ready);
    cf_out_put_char(out, '\n');
}

static void put_killed_cell(struct cf_out *out, const struct cf_sim_trace *trace, int container)
{
    struct ends ends = ends_of(trace, container);

    if (ends.kills == 0) {
        cf_out_put_char(out, '-');
        return;
    }
    cf_out_printf(out, "%u x from ", ends.kills);
    cf_put_lapse(out, ends.first->at_ns, false);
}

static void put_ready_cell(struct cf_out *out, const struct cf_sim_trace *trace)
{
    struct fares fares = fares_of(trace);

    if (fares.ready_ns == KP_NEVER) {
        cf_out_put_string(out, "never");
        return;
    }
    cf_out_put_string(out, "at ");
    cf_put_lapse(out, fares.ready_ns, true);
    if (fares.unready_ns > 0) {
        cf_out_put_string(out, ", not ");
        cf_put_lapse(out, fares.unready_ns, true);
    }
}

static bool is_listed(const struct cf_sim_trace *trace, int container)
{
    const struct kp_probe *const *probes = trace->pod->containers[container].probes;

    return probes[KP_LIVENESS] || probes[KP_READINESS] || probes[KP_STARTUP] ||
           ends_of(trace, container).kills > 0;
}

void cf_sim_table_add(struct cf_sim_table *table, struct kp_text name, bool says_version,
                      const struct cf_sim_trace *trace)
{
    struct cf_out title = {0};
    struct cf_out ready = {0};
    bool any = false;

    cf_out_put(&title, name);
    if (says_version)
        cf_out_printf(&title, " 1.%d", trace->profile->minor);
    put_ready_cell(&ready, trace);
    for (size_t i = 0; i < kp_pod_container_count(trace->pod); i++) {
        struct cf_out killed = {0};

        if (!is_listed(trace, (int)i))
            continue;
        any = true;
        put_killed_cell(&killed, trace, (int)i);
        put_cells(&table->rows, cf_out_text(&title), trace->pod->containers[i].name,
                  cf_out_text(&killed), cf_out_text(&ready));
        cf_out_deinit(&killed);
    }
    if (!any)
        put_cells(&table->rows, cf_out_text(&title), KP_TEXT("no probe"), KP_TEXT("-"),
                  cf_out_text(&ready));
    table->pods++;
    cf_out_deinit(&title);
    cf_out_deinit(&ready);
}

void cf_sim_table_put(const struct cf_sim_table *table, bool all, struct cf_out *told)
{
    struct cf_out out = {0};

    if (table->pods <= BLOCKS_MAX)
        return;
    put_cells(&out, KP_TEXT("WORKLOAD"), KP_TEXT("CONTAINER"), KP_TEXT("KILLED"), KP_TEXT("READY"));
    cf_out_put(&out, cf_out_text(&table->rows));
    cf_out_printf(&out, "\n%zu pods%s\n", table->pods,
                  all ? "\n" : "; --pod NAME tells one of them, --all each");
    if (all)
        cf_out_put(&out, cf_out_text(told));
    cf_out_deinit(told);
    *told = out;
}
