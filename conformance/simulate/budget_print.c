/* budget_print.c: a container's budget in words for people. */
#include "conformance/simulate/budget_print.h"

#include "conformance/simulate/sim_script.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"

#define COLUMNS 80
#define LINES_MAX 6
#define OFF "gRPC probes are off before 1.24"

static const char *const types[] = {"liveness", "readiness", "startup"};

/* ---- for people -------------------------------------------------------------------------------
 */

/* What is being written: one line at a time. */
struct lines {
    struct cf_out *out;
    size_t begin; /* of the line */
    bool brief;   /* short times, for want of columns */
    bool few;     /* what has a line of its own is told beside another, for want of lines */
    int count;
    bool cut; /* one was too wide */
};

static void put_short(struct cf_out *out, long long big, const char *unit, long long small,
                      const char *small_unit)
{
    cf_out_printf(out, "%lld%s", big, unit);
    if (small > 0)
        cf_out_printf(out, "%lld%s", small, small_unit);
}

static void put_time(struct lines *lines, int64_t ns, bool up)
{
    long long seconds = (long long)(ns / KP_NS_PER_S + (up && ns % KP_NS_PER_S > 0));
    long long minutes = seconds / 60 + (up && seconds % 60 > 0);

    if (!lines->brief)
        cf_put_duration(lines->out, ns, up);
    else if (seconds <= 120)
        cf_out_printf(lines->out, "%llds", seconds);
    else if (seconds < 3600)
        put_short(lines->out, seconds / 60, "m", seconds % 60, "s");
    else
        put_short(lines->out, minutes / 60, "h", minutes % 60, "m");
}

static void put_times(struct lines *lines, const struct cf_time_range *range)
{
    if (!lines->brief) {
        cf_put_duration_range(lines->out, range->earliest_ns, range->latest_ns);
        return;
    }
    if (range->earliest_ns < range->latest_ns) {
        put_time(lines, range->earliest_ns, false);
        cf_out_put_char(lines->out, '-');
    }
    put_time(lines, range->latest_ns, true);
}

static void begin(struct lines *lines, const char *label)
{
    lines->begin = lines->out->len;
    cf_out_printf(lines->out, "  %-7s ", label);
}

static bool is_wide(const struct lines *lines)
{
    return cf_columns_of((struct kp_text){lines->out->bytes + lines->begin,
                                          lines->out->len - lines->begin}) > COLUMNS;
}

/* A rule in brackets where there is room, and the end of the line. */
static void end(struct lines *lines, enum kp_rule rule)
{
    struct kp_text line = {lines->out->bytes + lines->begin, lines->out->len - lines->begin};
    const char *id = rule == KP_RULE_NONE ? "" : kp_rule_get(rule)->id;

    if (*id && cf_columns_of(line) + 4 + kp_text_of(id).len <= COLUMNS)
        cf_out_printf(lines->out, "  [%s]", id);
    lines->count++;
    lines->cut |= is_wide(lines);
    cf_cut_lines(lines->out, lines->begin, COLUMNS);
    cf_out_put_char(lines->out, '\n');
}

/* may_add: a startup probe, which it has not, in a version that has them. */
static void put_start(struct lines *lines, const struct cf_container_budget *budget, bool may_add)
{
    const struct cf_time_range *start = &budget->start;
    size_t since;

    begin(lines, "start");
    if (start->earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "may take as long as it likes: nothing kills it");
        end(lines, KP_RULE_NONE);
        return;
    }
    cf_out_put_string(lines->out, "safe to ");
    put_time(lines, start->earliest_ns, false);
    if (start->earliest_ns < start->latest_ns) {
        cf_out_put_string(lines->out, ", at risk to ");
        put_time(lines, start->latest_ns, true);
    }
    since = lines->out->len;
    cf_out_put_string(lines->out, "; slower is killed: add a startupProbe");
    if (!may_add || is_wide(lines)) {
        lines->out->len = since;
        cf_out_printf(lines->out, "; slower: %sProbe kills it", types[budget->start_by]);
    }
    end(lines, start->rule);
}

/* What the kubelet makes of a grace that it cannot count. */
static void put_overflow(struct lines *lines, const struct cf_trouble *trouble)
{
    if (trouble->again.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "again and again, ends never: its grace overflows");
    } else {
        cf_out_put_string(lines->out, "SIGKILL ");
        cf_put_duration(lines->out, kp_timer_ns(0, kp_seconds_ns(trouble->grace_s)), true);
        cf_out_put_string(lines->out, " later (grace overflows); runs again after ");
        put_times(lines, &trouble->again);
    }
    end(lines, KP_RULE_GRACE_OVERFLOW);
}

/* A connection is accepted by the kernel: what hangs is not seen as long as its port listens. */
static bool is_blind(const struct kp_container *container)
{
    const struct kp_probe *liveness = container->probes[KP_LIVENESS];

    return liveness && liveness->handler.tcp_socket && !liveness->handler.exec;
}

/* By how much earlier `fails` comes than `hangs`, the least and the most of what is seen of both;
 * -1: not by whole seconds. */
static struct cf_time_range sooner(const struct cf_container_budget *budget)
{
    const struct cf_trouble *hangs = &budget->hangs;
    const struct cf_trouble *fails = &budget->fails;
    const int64_t pairs[][2] = {{hangs->term.earliest_ns, fails->term.earliest_ns},
                                {hangs->term.latest_ns, fails->term.latest_ns},
                                {hangs->again.earliest_ns, fails->again.earliest_ns},
                                {hangs->again.latest_ns, fails->again.latest_ns},
                                {hangs->unready.earliest_ns, fails->unready.earliest_ns},
                                {hangs->unready.latest_ns, fails->unready.latest_ns}};
    struct cf_time_range range = {KP_NEVER, -1, KP_RULE_NONE};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        int64_t sooner_ns;

        if (pairs[i][0] == KP_NEVER)
            continue;
        sooner_ns = pairs[i][0] - pairs[i][1];
        if (sooner_ns % KP_NS_PER_S != 0)
            sooner_ns = -1;
        range.earliest_ns = sooner_ns < range.earliest_ns ? sooner_ns : range.earliest_ns;
        range.latest_ns = sooner_ns > range.latest_ns ? sooner_ns : range.latest_ns;
    }
    return range;
}

/* Is what comes of a hang told in two lines that can tell of failures, too? */
static bool tells_fails(const struct kp_container *container,
                        const struct cf_container_budget *budget)
{
    return !is_blind(container) && budget->hangs.again.earliest_ns != KP_NEVER &&
           !cf_grace_overflows(budget->hangs.grace_s) && sooner(budget).earliest_ns >= 0;
}

/* A preStop hook stands before SIGTERM, and takes of the grace. */
static void put_hook(struct lines *lines, const struct kp_container *container,
                     const struct cf_trouble *trouble)
{
    int64_t hook_s = cf_hook_s(container->pre_stop);
    bool told = container->pre_stop && hook_s != 0 && trouble->again.earliest_ns != KP_NEVER;

    if (told && hook_s > trouble->kill_grace_s)
        cf_out_printf(lines->out, "preStop cut at %lld s; ", (long long)trouble->kill_grace_s);
    else if (told && hook_s > 0)
        cf_out_printf(lines->out, "incl. preStop's %lld s; ", (long long)hook_s);
    else if (told)
        cf_out_put_string(lines->out, "plus its preStop; ");
    cf_out_printf(lines->out, "SIGKILL %lld s later%s", (long long)trouble->grace_s,
                  told ? ", " : " if it still runs; ");
}

static void put_again(struct lines *lines, const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    const struct cf_trouble *trouble = &budget->hangs;

    begin(lines, "");
    if (cf_grace_overflows(trouble->grace_s)) {
        put_overflow(lines, trouble);
        return;
    }
    if (lines->few && tells_fails(container, budget)) {
        cf_out_printf(lines->out, "SIGKILL %lld s later, runs again ", (long long)trouble->grace_s);
        put_times(lines, &trouble->again);
        cf_out_put_string(lines->out, "; failures: ");
        cf_put_duration_range(lines->out, sooner(budget).earliest_ns, sooner(budget).latest_ns);
        cf_out_put_string(lines->out, " sooner");
        end(lines, trouble->again.rule);
        return;
    }
    put_hook(lines, container, trouble);
    if (trouble->again.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "it is not started again");
        end(lines, trouble->kill.rule);
        return;
    }
    cf_out_put_string(lines->out, "runs again after ");
    put_times(lines, &trouble->again);
    end(lines, trouble->again.rule);
}

/* A readiness probe that is never sent: its port is not declared (E-010). */
static bool is_unsent(const struct cf_container_budget *budget)
{
    return budget->tolerance[KP_READINESS].exists && !budget->tolerance[KP_READINESS].asks;
}

static void put_unready(struct lines *lines, const struct cf_container_budget *budget,
                        const struct cf_time_range *unready)
{
    if (unready->earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, is_unsent(budget)
                                          ? "readiness never sent: not in the Service"
                                          : "no readiness probe: stays in the Service");
        return;
    }
    cf_out_put_string(lines->out, "out of the Service after ");
    put_times(lines, unready);
}

/* A full backlog is all that it sees of a hang; what would see it is another handler. */
static void put_blind(struct lines *lines, const struct cf_trouble *trouble)
{
    begin(lines, "hangs");
    if (lines->few && trouble->term.earliest_ns != KP_NEVER) {
        cf_out_put_string(lines->out, "unseen while its port accepts; else SIGTERM after ");
        put_times(lines, &trouble->term);
        end(lines, KP_RULE_TCP_CONNECT);
        return;
    }
    cf_out_put_string(lines->out, "unseen while its port accepts: use httpGet, grpc or exec");
    end(lines, KP_RULE_TCP_CONNECT);
    if (trouble->term.earliest_ns == KP_NEVER)
        return;
    begin(lines, "");
    cf_out_put_string(lines->out, "not accepting: SIGTERM after ");
    put_times(lines, &trouble->term);
    if (trouble->again.earliest_ns != KP_NEVER) {
        cf_out_put_string(lines->out, lines->brief ? ", runs after " : ", runs again after ");
        put_times(lines, &trouble->again);
    }
    end(lines, trouble->term.rule);
}

static void put_trouble_words(struct lines *lines, const char *label,
                              const struct cf_container_budget *budget,
                              const struct cf_trouble *trouble)
{
    begin(lines, label);
    put_unready(lines, budget, &trouble->unready);
    if (trouble->term.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "; never killed");
        end(lines, trouble->unready.rule);
        return;
    }
    cf_out_put_string(lines->out, ", SIGTERM after ");
    put_times(lines, &trouble->term);
    end(lines, trouble->term.rule);
}

/* An exec probe's timeoutSeconds that nobody looks at. */
static bool is_untimed(const struct kp_probe *probe, const struct cf_tolerance *tolerance)
{
    return tolerance->exists && tolerance->asks && probe->handler.exec &&
           tolerance->slowest_ns == KP_NEVER;
}

static void put_hangs(struct lines *lines, const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    if (is_blind(container)) {
        put_blind(lines, &budget->hangs);
        return;
    }
    if (container->probes[KP_LIVENESS] && !container->probes[KP_READINESS] &&
        is_untimed(container->probes[KP_LIVENESS], &budget->tolerance[KP_LIVENESS]) &&
        budget->hangs.term.earliest_ns == KP_NEVER) {
        begin(lines, "hangs");
        cf_out_put_string(lines->out,
                          "stays in the Service, never killed: a hung exec probe never times out");
        end(lines, budget->hangs.unready.rule);
        return;
    }
    put_trouble_words(lines, "hangs", budget, &budget->hangs);
    if (budget->hangs.term.earliest_ns != KP_NEVER)
        put_again(lines, container, budget);
}

static void put_under(struct cf_out *out, const struct cf_tolerance *tolerance, const char *before)
{
    if (tolerance->slowest_ns == KP_NEVER) {
        cf_out_put_string(out, *before ? " may take any time" : " any time");
        return;
    }
    cf_out_printf(out, "%s under ", before);
    cf_put_duration(out, tolerance->slowest_ns, true);
}

static enum kp_rule unsent_rule(const struct cf_tolerance *tolerance)
{
    return tolerance->asks  ? KP_RULE_NONE
           : tolerance->off ? KP_RULE_GRPC_SINCE
                            : KP_RULE_PORT_ERROR_RETRIED;
}

/* One probe in a sentence. */
static void put_one(struct cf_out *out, const char *name, const struct cf_tolerance *tolerance)
{
    cf_out_put_string(out, name);
    if (!tolerance->asks) {
        cf_out_printf(out, " is never sent: %s", tolerance->off ? OFF : "no such port");
        return;
    }
    put_under(out, tolerance, " must answer in");
    if (tolerance->lost >= 0)
        cf_out_printf(out, "; survives %lld failure%s in a row", (long long)tolerance->lost,
                      tolerance->lost == 1 ? "" : "s");
}

/* Both that ask while it runs, in one line where they have room. */
static void put_two(struct lines *lines, const struct cf_tolerance tolerance[])
{
    long long lost = (long long)tolerance[KP_LIVENESS].lost;
    struct cf_out words = {0};

    for (int type = KP_LIVENESS; type <= KP_READINESS; type++) {
        cf_out_printf(&words, "%s%s", type == KP_LIVENESS ? "" : ", ", types[type]);
        put_under(&words, &tolerance[type], "");
    }
    if (lost == tolerance[KP_READINESS].lost)
        cf_out_printf(&words, "; each survives %lld failure%s", lost, lost == 1 ? "" : "s");
    else
        cf_out_printf(&words, "; survive %lld and %lld failures", lost,
                      (long long)tolerance[KP_READINESS].lost);
    if (lines->out->len - lines->begin + words.len > COLUMNS) {
        put_one(lines->out, types[KP_LIVENESS], &tolerance[KP_LIVENESS]);
        end(lines, KP_RULE_NONE);
        begin(lines, "");
        put_one(lines->out, types[KP_READINESS], &tolerance[KP_READINESS]);
    } else {
        cf_out_put(lines->out, cf_out_text(&words));
    }
    cf_out_deinit(&words);
}

static bool is_same(const struct cf_tolerance *a, const struct cf_tolerance *b)
{
    return a->slowest_ns == b->slowest_ns && a->lost == b->lost && a->asks && b->asks;
}

static void put_bears_words(struct lines *lines, const struct kp_container *container,
                            const struct cf_container_budget *budget)
{
    const struct cf_tolerance *tolerance = budget->tolerance;
    bool both = tolerance[KP_LIVENESS].exists && tolerance[KP_READINESS].exists;
    bool untimed = false;

    begin(lines, "slow");
    /* A startup probe tolerates more, or less. */
    if (both && !tolerance[KP_STARTUP].exists &&
        is_same(&tolerance[KP_LIVENESS], &tolerance[KP_READINESS]))
        put_one(lines->out, "each probe", &tolerance[KP_LIVENESS]);
    else if (both && tolerance[KP_LIVENESS].asks && tolerance[KP_READINESS].asks)
        put_two(lines, tolerance);
    else if (both) {
        put_one(lines->out, types[KP_LIVENESS], &tolerance[KP_LIVENESS]);
        end(lines, unsent_rule(&tolerance[KP_LIVENESS]));
        begin(lines, "");
        put_one(lines->out, types[KP_READINESS], &tolerance[KP_READINESS]);
    } else {
        int type = tolerance[KP_LIVENESS].exists    ? KP_LIVENESS
                   : tolerance[KP_READINESS].exists ? KP_READINESS
                                                    : KP_STARTUP;

        put_one(lines->out, types[type], &tolerance[type]);
    }
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        untimed |= is_untimed(container->probes[type], &tolerance[type]);
    end(lines, untimed && lines->few ? KP_RULE_EXEC_TIMEOUT_ERROR : KP_RULE_NONE);
    if (!untimed || lines->few)
        return;
    begin(lines, "");
    cf_out_put_string(lines->out, "timeoutSeconds of an exec probe is ignored before 1.20");
    end(lines, KP_RULE_EXEC_TIMEOUT_ERROR);
}

/* How long a hook's command takes is not always known. */
static void put_deletion(struct lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget)
{
    const char *at = lines->brief ? "" : "at ";

    if (cf_hook_s(container->pre_stop) < 0) {
        cf_out_put_string(lines->out, "preStop, SIGTERM");
    } else {
        cf_out_printf(lines->out, "SIGTERM %s", at);
        put_time(lines, budget->ends.latest_ns, true);
    }
    cf_out_printf(lines->out, ", SIGKILL %s", at);
    put_time(lines, kp_timer_ns(budget->ends.latest_ns, kp_seconds_ns(budget->ends_grace_s)), true);
}

static void put_ends(struct lines *lines, const struct cf_container_budget *budget,
                     const struct kp_container *container)
{
    begin(lines, "deleted");
    if (cf_hook_s(container->pre_stop) >= 0)
        cf_out_put_string(lines->out, "preStop first, within the grace: ");
    put_deletion(lines, container, budget);
    end(lines, budget->ends.rule);
}

/* Must a probe pass before it is ready? */
static bool is_asked(const struct cf_container_budget *budget)
{
    return budget->tolerance[KP_READINESS].exists || budget->tolerance[KP_STARTUP].exists;
}

/* Does a delay count from its start?  Then what answers late is ready sooner behind its answer. */
static bool is_delayed(const struct kp_container *container)
{
    const struct kp_probe *readiness = container->probes[KP_READINESS];
    const struct kp_probe *startup = container->probes[KP_STARTUP];

    return (readiness && readiness->initial_delay_s > 0) ||
           (startup && startup->initial_delay_s > 0);
}

/* deleted: what a deletion does stands there, and not what a kubelet's restart does. */
static void put_ready(struct lines *lines, const struct kp_profile *profile,
                      const struct kp_container *container,
                      const struct cf_container_budget *budget, bool deleted)
{
    begin(lines, "ready");
    if (budget->ready.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, !is_unsent(budget) ? "never"
                                      : budget->tolerance[KP_READINESS].off
                                          ? "never: " OFF
                                          : "never: the readiness probe's "
                                            "port is not declared");
        end(lines,
            is_unsent(budget) ? unsent_rule(&budget->tolerance[KP_READINESS]) : budget->ready.rule);
        return;
    }
    if (!is_asked(budget)) {
        cf_out_put_string(lines->out, "as soon as it runs, before it answers: no readiness probe");
        end(lines, budget->ready.rule);
        return;
    }
    put_times(lines, &budget->ready);
    cf_out_put_string(lines->out,
                      is_delayed(container) ? " after a fast start; " : " after it answers; ");
    if (deleted) {
        cf_out_put_string(lines->out, lines->brief ? "delete: " : "deleted: ");
        put_deletion(lines, container, budget);
        end(lines, budget->ready.rule);
        return;
    }
    cf_out_put_string(lines->out, "kubelet restart: ");
    if (budget->restart.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "stays ready");
    } else {
        cf_out_put_string(lines->out, "up to ");
        put_time(lines, budget->restart.latest_ns, true);
        cf_out_put_string(lines->out, " not Ready");
    }
    end(lines, budget->ready.rule);
    if (budget->restart.earliest_ns != KP_NEVER && lines->count < LINES_MAX &&
        !container->pre_stop) {
        begin(lines, "");
        cf_out_put_string(
            lines->out,
            kp_profile_keeps_old(profile)
                ? "a shorter periodSeconds makes that shorter"
                : "1.35 keeps it Ready; before 1.35 a shorter periodSeconds shortens it");
        end(lines, KP_RULE_NONE);
    }
}

static void put_lines(struct lines *lines, const struct kp_profile *profile,
                      const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    bool deleted = container->pre_stop && budget->ends.earliest_ns != KP_NEVER;
    bool joined = deleted && budget->restart.earliest_ns == KP_NEVER &&
                  budget->ready.earliest_ns != KP_NEVER && is_asked(budget);

    put_start(lines, budget,
              !container->probes[KP_STARTUP] && profile->gates[KP_GATE_StartupProbe]);
    put_hangs(lines, container, budget);
    if (!lines->few || !tells_fails(container, budget))
        put_trouble_words(lines, "fails", budget, &budget->fails);
    put_bears_words(lines, container, budget);
    joined &= lines->count + 1 >= LINES_MAX;
    put_ready(lines, profile, container, budget, joined);
    if (deleted && !joined)
        put_ends(lines, budget, container);
}

void cf_budget_put_text(struct cf_out *out, const struct kp_profile *profile, struct kp_text name,
                        const struct kp_pod *pod, const struct cf_container_budget *budget)
{
    const struct kp_container *container = &pod->containers[budget->container];
    struct lines lines = {.out = out, .begin = out->len};
    size_t below;

    cf_out_printf(out, "%.*s/%.*s on Kubernetes ", KP_ARG(name), KP_ARG(container->name));
    cf_put_profile(out, profile);
    end(&lines, KP_RULE_NONE);
    below = out->len;
    for (int way = 0; way < 4; way++) {
        out->len = below;
        lines = (struct lines){.out = out, .brief = way >= 2, .few = way % 2 == 1};
        put_lines(&lines, profile, container, budget);
        if (!lines.cut && lines.count <= LINES_MAX)
            return;
    }
}

/* ---- many -------------------------------------------------------------------------------------
 */

#define ROW "%-24s %-16s %-12s %-14s %s\n"

void cf_budget_put_heading(struct cf_out *out)
{
    cf_out_printf(out, ROW, "WORKLOAD", "CONTAINER", "START", "HANG..SIGTERM", "NOTE");
}

/* In whole seconds: "129-190 s". */
static void put_range_cell(struct cf_out *out, const struct cf_time_range *range, size_t columns)
{
    struct cf_out cell = {0};
    long long from_s = (long long)(range->earliest_ns / KP_NS_PER_S);
    long long to_s =
        (long long)(range->latest_ns / KP_NS_PER_S + (range->latest_ns % KP_NS_PER_S > 0));

    if (range->earliest_ns == KP_NEVER)
        cf_out_put_char(&cell, '-');
    else if (from_s == to_s)
        cf_out_printf(&cell, "%lld s", to_s);
    else
        cf_out_printf(&cell, "%lld-%lld s", from_s, to_s);
    cf_put_cell(out, cf_out_text(&cell), columns);
    cf_out_deinit(&cell);
}

/* The one thing that is most worth a look. */
static const char *note_of(const struct kp_container *container,
                           const struct cf_container_budget *budget)
{
    if (is_blind(container))
        return "tcp: hang unseen";
    if (!container->probes[KP_LIVENESS])
        return "never killed";
    if (budget->hangs.term.earliest_ns == KP_NEVER)
        return "hang unseen";
    if (budget->tolerance[KP_LIVENESS].lost == 0)
        return "1 failure kills";
    if (!container->probes[KP_STARTUP])
        return "no startup";
    return "";
}

void cf_budget_put_row(struct cf_out *out, struct kp_text name, const struct kp_pod *pod,
                       const struct cf_container_budget *budget)
{
    const struct kp_container *container;

    cf_put_cell(out, name, 24);
    if (!budget) {
        cf_out_put_string(out, "no probe\n");
        return;
    }
    container = &pod->containers[budget->container];
    cf_put_cell(out, container->name, 16);
    put_range_cell(out, &budget->start, 12);
    put_range_cell(out, &budget->hangs.term, 14);
    cf_out_printf(out, "%s\n", note_of(container, budget));
}
