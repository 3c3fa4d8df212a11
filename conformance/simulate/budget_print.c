/* budget_print.c: a container's budget in words for people. */
#include "conformance/simulate/budget_print.h"

#include "conformance/simulate/budget_trouble.h"
#include "conformance/simulate/sim_script.h"
#include "conformance/text/human.h"
#include "conformance/text/versions.h"

#define LINES_MAX 6
#define OFF "gRPC probes are off before 1.24"

static const char *const types[] = {"liveness", "readiness", "startup"};

/* ---- for people -------------------------------------------------------------------------------
 */

/* may_add: a startup probe, which it has not, in a version that has them. */
static void put_start(struct cf_budget_lines *lines, const struct cf_container_budget *budget,
                      bool may_add)
{
    const struct cf_time_range *start = &budget->start;
    size_t since;

    cf_budget_line_begin(lines, "start");
    if (start->earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "may take as long as it likes: nothing kills it");
        cf_budget_line_end(lines, KP_RULE_NONE);
        return;
    }
    cf_out_put_string(lines->out, "safe to ");
    cf_budget_line_put_time(lines, start->earliest_ns, false);
    if (start->earliest_ns < start->latest_ns) {
        cf_out_put_string(lines->out, ", at risk to ");
        cf_budget_line_put_time(lines, start->latest_ns, true);
    }
    since = lines->out->len;
    cf_out_put_string(lines->out, "; slower is killed: add a startupProbe");
    if (!may_add || cf_budget_line_is_wide(lines)) {
        lines->out->len = since;
        cf_out_printf(lines->out, "; slower: %sProbe kills it", types[budget->start_by]);
    }
    cf_budget_line_end(lines, start->rule);
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

/* Both that probe while it runs, in one line where they have room. */
static void put_two(struct cf_budget_lines *lines, const struct cf_tolerance tolerance[])
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
    if (lines->out->len - lines->begin + words.len > CF_COLUMNS) {
        put_one(lines->out, types[KP_LIVENESS], &tolerance[KP_LIVENESS]);
        cf_budget_line_end(lines, KP_RULE_NONE);
        cf_budget_line_begin(lines, "");
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

static void put_slow(struct cf_budget_lines *lines, const struct kp_container *container,
                     const struct cf_container_budget *budget)
{
    const struct cf_tolerance *tolerance = budget->tolerance;
    bool both = tolerance[KP_LIVENESS].exists && tolerance[KP_READINESS].exists;
    int slow = KP_PROBE_TYPES; /* the first whose timeoutSeconds nobody looks at */

    cf_budget_line_begin(lines, "slow");
    /* A startup probe tolerates more, or less. */
    if (both && !tolerance[KP_STARTUP].exists &&
        is_same(&tolerance[KP_LIVENESS], &tolerance[KP_READINESS]))
        put_one(lines->out, "each probe", &tolerance[KP_LIVENESS]);
    else if (both && tolerance[KP_LIVENESS].asks && tolerance[KP_READINESS].asks)
        put_two(lines, tolerance);
    else if (both) {
        put_one(lines->out, types[KP_LIVENESS], &tolerance[KP_LIVENESS]);
        cf_budget_line_end(lines, unsent_rule(&tolerance[KP_LIVENESS]));
        cf_budget_line_begin(lines, "");
        put_one(lines->out, types[KP_READINESS], &tolerance[KP_READINESS]);
    } else {
        int type = tolerance[KP_LIVENESS].exists    ? KP_LIVENESS
                   : tolerance[KP_READINESS].exists ? KP_READINESS
                                                    : KP_STARTUP;

        put_one(lines->out, types[type], &tolerance[type]);
    }
    for (int type = KP_PROBE_TYPES - 1; type >= 0; type--)
        if (cf_budget_is_untimed(container->probes[type], &tolerance[type]))
            slow = type;
    cf_budget_line_end(lines, slow < KP_PROBE_TYPES && lines->fewer_lines
                                  ? KP_RULE_EXEC_TIMEOUT_ERROR
                                  : KP_RULE_NONE);
    if (slow == KP_PROBE_TYPES || lines->fewer_lines)
        return;
    cf_budget_line_begin(lines, "");
    cf_out_printf(lines->out, "exec timeoutSeconds counts from 1.20 on; use `timeout %d CMD`",
                  (int)container->probes[slow]->timeout_s);
    cf_budget_line_end(lines, KP_RULE_EXEC_TIMEOUT_ERROR);
}

/* How long a hook's command takes is not always known. */
static void put_deletion(struct cf_budget_lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget)
{
    const char *at = lines->brief ? "" : "at ";

    if (cf_hook_s(container->pre_stop) < 0) {
        cf_out_put_string(lines->out, "preStop, SIGTERM");
    } else {
        cf_out_printf(lines->out, "SIGTERM %s", at);
        cf_budget_line_put_time(lines, budget->ends.latest_ns, true);
    }
    cf_out_printf(lines->out, ", SIGKILL %s", at);
    cf_budget_line_put_time(
        lines, kp_timer_ns(budget->ends.latest_ns, kp_seconds_ns(budget->ends_grace_s)), true);
}

static void put_ends(struct cf_budget_lines *lines, const struct cf_container_budget *budget,
                     const struct kp_container *container)
{
    cf_budget_line_begin(lines, "deleted");
    if (cf_hook_s(container->pre_stop) >= 0)
        cf_out_put_string(lines->out, "preStop first, within the grace: ");
    put_deletion(lines, container, budget);
    cf_budget_line_end(lines, budget->ends.rule);
}

/* Must a probe pass before it is ready? */
static bool waits_for_probe(const struct cf_container_budget *budget)
{
    return budget->tolerance[KP_READINESS].exists || budget->tolerance[KP_STARTUP].exists;
}

/* From where its times count. */
static const char *ready_after(const struct cf_container_budget *budget)
{
    return budget->ready_from_start ? " after its start, if it answers" : " after it answers";
}

void cf_budget_put_ready(struct cf_out *out, const struct cf_container_budget *budget)
{
    struct cf_budget_lines lines = {.out = out};

    cf_budget_line_put_times(&lines, &budget->ready);
    cf_out_put_string(out, ready_after(budget));
}

/* Without a readiness probe it is a sync that makes it ready, up to a second behind its probe. */
static bool put_sync(struct cf_budget_lines *lines, const struct kp_container *container,
                     const struct cf_container_budget *budget)
{
    const struct kp_probe *startup = container->probes[KP_STARTUP];
    int64_t sync_ns;

    if (container->probes[KP_READINESS] || budget->ready_from_start ||
        budget->restart.earliest_ns != KP_NEVER)
        return false;
    sync_ns = budget->ready.latest_ns - startup->period_s * KP_NS_PER_S;
    if (sync_ns <= 0 || sync_ns > KP_NS_PER_S)
        return false;
    cf_out_printf(lines->out, ": %d s for its probe, 1 s to act", (int)startup->period_s);
    return true;
}

/* deleted: what a deletion does stands there, and not what a kubelet's restart does. */
static void put_ready(struct cf_budget_lines *lines, const struct kp_profile *profile,
                      const struct kp_container *container,
                      const struct cf_container_budget *budget, bool deleted)
{
    cf_budget_line_begin(lines, "ready");
    if (budget->ready.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, !cf_budget_is_unsent(budget) ? "never"
                                      : budget->tolerance[KP_READINESS].off
                                          ? "never: " OFF
                                          : "never: the readiness probe's "
                                            "port is not declared");
        cf_budget_line_end(lines, cf_budget_is_unsent(budget)
                                      ? unsent_rule(&budget->tolerance[KP_READINESS])
                                      : budget->ready.rule);
        return;
    }
    if (!waits_for_probe(budget)) {
        cf_out_put_string(lines->out, "as soon as it runs, before it answers: no readiness probe");
        cf_budget_line_end(lines, budget->ready.rule);
        return;
    }
    cf_budget_line_put_times(lines, &budget->ready);
    cf_out_put_string(lines->out, ready_after(budget));
    if (!deleted && put_sync(lines, container, budget)) {
        cf_budget_line_end(lines, budget->ready.rule);
        return;
    }
    cf_out_put_string(lines->out, "; ");
    if (deleted) {
        cf_out_put_string(lines->out, lines->brief ? "delete: " : "deleted: ");
        put_deletion(lines, container, budget);
        cf_budget_line_end(lines, budget->ready.rule);
        return;
    }
    cf_out_put_string(lines->out, "kubelet restart: ");
    if (budget->restart.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "stays ready");
    } else {
        cf_out_put_string(lines->out, "up to ");
        cf_budget_line_put_time(lines, budget->restart.latest_ns, true);
        cf_out_put_string(lines->out, " not Ready");
    }
    cf_budget_line_end(lines, budget->ready.rule);
    if (budget->restart.earliest_ns != KP_NEVER && lines->count < LINES_MAX &&
        !cf_budget_has_hook(container)) {
        cf_budget_line_begin(lines, "");
        cf_out_put_string(lines->out,
                          kp_profile_keeps_old(profile)
                              ? "a shorter periodSeconds makes that shorter"
                              : "1.35 keeps it Ready; until then a shorter periodSeconds helps");
        cf_budget_line_end(lines, KP_RULE_NONE);
    }
}

static void put_lines(struct cf_budget_lines *lines, const struct kp_profile *profile,
                      const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    bool deleted = cf_budget_has_hook(container) && budget->ends.earliest_ns != KP_NEVER;
    bool joined = deleted && budget->restart.earliest_ns == KP_NEVER &&
                  budget->ready.earliest_ns != KP_NEVER && waits_for_probe(budget);

    put_start(lines, budget,
              !container->probes[KP_STARTUP] && profile->gates[KP_GATE_StartupProbe]);
    cf_budget_put_hangs(lines, container, budget);
    if (!cf_budget_joins_fails(lines, container, budget))
        cf_budget_put_fails(lines, container, budget);
    put_slow(lines, container, budget);
    joined &= lines->count + 1 >= LINES_MAX;
    put_ready(lines, profile, container, budget, joined);
    if (deleted && !joined)
        put_ends(lines, budget, container);
}

void cf_budget_put_text(struct cf_out *out, const struct kp_profile *profile, struct kp_text name,
                        const struct kp_pod *pod, const struct cf_container_budget *budget)
{
    const struct kp_container *container = &pod->containers[budget->container];
    struct cf_budget_lines lines = {.out = out, .begin = out->len};
    size_t below;

    cf_out_printf(out, "%.*s/%.*s on Kubernetes ", KP_ARG(name), KP_ARG(container->name));
    cf_put_profile(out, profile);
    if (pod->has_deadline) {
        cf_out_put_string(out, "; active for ");
        cf_budget_line_put_time(&lines, kp_seconds_ns(pod->deadline_s), true);
        cf_out_put_string(out, " at most");
    }
    cf_budget_line_end(&lines, pod->has_deadline ? KP_RULE_ACTIVE_DEADLINE : KP_RULE_NONE);
    below = out->len;
    for (int way = 0; way < 4; way++) {
        out->len = below;
        lines =
            (struct cf_budget_lines){.out = out, .brief = way >= 2, .fewer_lines = way % 2 == 1};
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
    if (cf_probe_only_connects(container->probes[KP_LIVENESS]))
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
