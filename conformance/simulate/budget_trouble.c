#include "conformance/simulate/budget_trouble.h"

#include "conformance/simulate/sim_script.h"
#include "conformance/text/human.h"
#include "core/kubelet/hook_text.h"

/* What the kubelet makes of a grace that it cannot count. */
static void put_overflow(struct cf_budget_lines *lines, const struct cf_trouble *trouble)
{
    if (trouble->again.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "again and again, ends never: its grace overflows");
    } else {
        cf_out_put_string(lines->out, "SIGKILL ");
        cf_put_duration(lines->out, kp_timer_ns(0, kp_seconds_ns(trouble->grace_s)), true);
        cf_out_put_string(lines->out, " later (grace overflows); runs again after ");
        cf_budget_line_put_times(lines, &trouble->again);
    }
    cf_budget_line_end(lines, KP_RULE_GRACE_OVERFLOW);
}

bool cf_probe_only_connects(const struct kp_probe *probe)
{
    return probe && probe->handler.tcp_socket && !probe->handler.exec;
}

bool cf_budget_has_hook(const struct kp_container *container)
{
    return container->pre_stop && kp_hook_has_handler(container->pre_stop);
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

/* Is what comes of a hang printed in two lines that have room for failures, too? */
static bool tells_fails(const struct kp_container *container,
                        const struct cf_container_budget *budget)
{
    return !cf_probe_only_connects(container->probes[KP_READINESS]) ==
               !cf_probe_only_connects(container->probes[KP_LIVENESS]) &&
           budget->hangs.again.earliest_ns != KP_NEVER &&
           !cf_grace_overflows(budget->hangs.grace_s) && sooner(budget).earliest_ns >= 0;
}

bool cf_budget_joins_fails(const struct cf_budget_lines *lines,
                           const struct kp_container *container,
                           const struct cf_container_budget *budget)
{
    return tells_fails(container, budget) &&
           (cf_probe_only_connects(container->probes[KP_LIVENESS]) ? !lines->fewer_lines
                                                                   : lines->fewer_lines);
}

/* A preStop hook stands before SIGTERM, and takes of the grace. */
static void put_hook(struct cf_budget_lines *lines, const struct kp_container *container,
                     const struct cf_trouble *trouble)
{
    int64_t hook_s = cf_hook_s(container->pre_stop);
    bool has_hook =
        cf_budget_has_hook(container) && hook_s != 0 && trouble->again.earliest_ns != KP_NEVER;

    if (has_hook && hook_s > trouble->kill_grace_s)
        cf_out_printf(lines->out, "preStop cut at %lld s; ", (long long)trouble->kill_grace_s);
    else if (has_hook && hook_s > 0)
        cf_out_printf(lines->out, "incl. preStop's %lld s; ", (long long)hook_s);
    else if (has_hook)
        cf_out_put_string(lines->out, "plus its preStop; ");
    cf_out_printf(lines->out, "SIGKILL %lld s later%s", (long long)trouble->grace_s,
                  has_hook ? ", " : " if it still runs; ");
}

static void put_again(struct cf_budget_lines *lines, const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    const struct cf_trouble *trouble = &budget->hangs;

    cf_budget_line_begin(lines, "");
    if (cf_grace_overflows(trouble->grace_s)) {
        put_overflow(lines, trouble);
        return;
    }
    if (cf_budget_joins_fails(lines, container, budget)) {
        cf_out_printf(lines->out, "SIGKILL %lld s later, runs again %s",
                      (long long)trouble->grace_s, lines->fewer_lines ? "" : "after ");
        cf_budget_line_put_times(lines, &trouble->again);
        cf_out_put_string(lines->out, cf_probe_only_connects(container->probes[KP_LIVENESS])
                                          ? "; refused: "
                                          : "; failures: ");
        cf_put_duration_range(lines->out, sooner(budget).earliest_ns, sooner(budget).latest_ns);
        cf_out_put_string(lines->out, " sooner");
        cf_budget_line_end(lines, trouble->again.rule);
        return;
    }
    put_hook(lines, container, trouble);
    if (trouble->again.earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, "it is not started again");
        cf_budget_line_end(lines, trouble->kill.rule);
        return;
    }
    cf_out_put_string(lines->out, "runs again after ");
    cf_budget_line_put_times(lines, &trouble->again);
    cf_budget_line_end(lines, trouble->again.rule);
}

bool cf_budget_is_unsent(const struct cf_container_budget *budget)
{
    return budget->tolerance[KP_READINESS].exists && !budget->tolerance[KP_READINESS].asks;
}

static void put_unready(struct cf_budget_lines *lines, const struct cf_container_budget *budget,
                        const struct cf_time_range *unready)
{
    if (unready->earliest_ns == KP_NEVER) {
        cf_out_put_string(lines->out, cf_budget_is_unsent(budget)
                                          ? "readiness never sent: not in the Service"
                                          : "no readiness probe: stays in the Service");
        return;
    }
    cf_out_put_string(lines->out, "out of the Service after ");
    cf_budget_line_put_times(lines, unready);
}

/* What takes it out of the Service, or not; a readiness probe may be as blind for a hang. */
static void put_unready_by(struct cf_budget_lines *lines, const struct kp_container *container,
                           const struct cf_container_budget *budget,
                           const struct cf_trouble *trouble)
{
    if (trouble == &budget->hangs && cf_probe_only_connects(container->probes[KP_READINESS]) &&
        !cf_probe_only_connects(container->probes[KP_LIVENESS]) && !cf_budget_is_unsent(budget))
        cf_out_put_string(lines->out, "in the Service while its port accepts");
    else
        put_unready(lines, budget, &trouble->unready);
}

static void put_term(struct cf_budget_lines *lines, const char *before,
                     const struct cf_trouble *trouble)
{
    cf_out_printf(lines->out, "%sSIGTERM after ", before);
    cf_budget_line_put_times(lines, &trouble->term);
}

/* Behind what a tcpSocket sees nothing of: a full backlog, which it does see. */
static void put_full(struct cf_budget_lines *lines, const struct kp_container *container,
                     const struct cf_container_budget *budget)
{
    const struct cf_trouble *trouble = &budget->hangs;

    cf_budget_line_begin(lines, "");
    if (cf_budget_joins_fails(lines, container, budget)) {
        cf_out_put_string(lines->out, "else ");
        put_unready(lines, budget, &trouble->unready);
        put_term(lines, ", ", trouble);
        cf_budget_line_end(lines, trouble->term.rule);
        put_again(lines, container, budget);
        return;
    }
    put_term(lines, "not accepting: ", trouble);
    if (trouble->again.earliest_ns != KP_NEVER) {
        cf_out_put_string(lines->out, lines->brief ? ", runs after " : ", runs again after ");
        cf_budget_line_put_times(lines, &trouble->again);
    } else {
        cf_out_put_string(lines->out, ", not started again");
    }
    cf_budget_line_end(lines, trouble->term.rule);
}

/* A full backlog is all that liveness sees of a hang; what would see it is another handler, and
 * readiness may have one. */
static void put_connect_only(struct cf_budget_lines *lines, const struct kp_container *container,
                             const struct cf_container_budget *budget)
{
    const struct cf_trouble *trouble = &budget->hangs;
    bool kills = trouble->term.earliest_ns != KP_NEVER;
    bool leaves = trouble->unready.earliest_ns != KP_NEVER &&
                  !cf_probe_only_connects(container->probes[KP_READINESS]);

    cf_budget_line_begin(lines, "hangs");
    if (leaves) {
        put_unready(lines, budget, &trouble->unready);
        if (lines->fewer_lines && kills)
            put_term(lines, "; port full: ", trouble);
        else
            cf_out_put_string(lines->out, "; not killed while its port accepts");
    } else if (lines->fewer_lines && kills) {
        put_term(lines, "unseen while its port accepts; else ", trouble);
    } else {
        cf_out_put_string(lines->out, "unseen while its port accepts: use httpGet, grpc or exec");
    }
    cf_budget_line_end(lines, KP_RULE_TCP_CONNECT);
    if (!lines->fewer_lines && kills)
        put_full(lines, container, budget);
}

/* How many failures in a row kill, and how often it is probed: what the span is made of; or its
 * grace, where what hangs has said nothing of it. */
static bool put_count(struct cf_budget_lines *lines, const struct kp_container *container,
                      const struct cf_container_budget *budget)
{
    long long lost = (long long)budget->tolerance[KP_LIVENESS].lost;

    if (budget->fails.unready.earliest_ns != KP_NEVER || cf_budget_is_unsent(budget) || lost < 0)
        return false;
    put_term(lines, "", &budget->fails);
    if (cf_probe_only_connects(container->probes[KP_LIVENESS]) &&
        !cf_grace_overflows(budget->fails.grace_s)) {
        cf_out_printf(lines->out, ", SIGKILL %lld s later", (long long)budget->fails.grace_s);
        cf_budget_line_end(lines, budget->fails.term.rule);
        return true;
    }
    cf_out_printf(lines->out, ": %lld failure%s, a probe every %d s", lost + 1,
                  lost == 0 ? "" : "s in a row", (int)container->probes[KP_LIVENESS]->period_s);
    cf_budget_line_end(lines, budget->fails.term.rule);
    return true;
}

static void put_trouble_words(struct cf_budget_lines *lines, const char *label,
                              const struct kp_container *container,
                              const struct cf_container_budget *budget,
                              const struct cf_trouble *trouble)
{
    bool kills = trouble->term.earliest_ns != KP_NEVER;

    cf_budget_line_begin(lines, label);
    if (trouble == &budget->fails && kills && put_count(lines, container, budget))
        return;
    put_unready_by(lines, container, budget, trouble);
    if (kills)
        put_term(lines, ", ", trouble);
    else
        cf_out_put_string(lines->out, "; never killed");
    cf_budget_line_end(lines, kills ? trouble->term.rule : trouble->unready.rule);
}

bool cf_budget_is_untimed(const struct kp_probe *probe, const struct cf_tolerance *tolerance)
{
    return tolerance->exists && tolerance->asks && probe->handler.exec &&
           tolerance->slowest_ns == KP_NEVER;
}

void cf_budget_put_hangs(struct cf_budget_lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget)
{
    if (cf_probe_only_connects(container->probes[KP_LIVENESS])) {
        put_connect_only(lines, container, budget);
        return;
    }
    if (container->probes[KP_LIVENESS] && !container->probes[KP_READINESS] &&
        cf_budget_is_untimed(container->probes[KP_LIVENESS], &budget->tolerance[KP_LIVENESS]) &&
        budget->hangs.term.earliest_ns == KP_NEVER) {
        cf_budget_line_begin(lines, "hangs");
        cf_out_put_string(lines->out,
                          "stays in the Service, never killed: a hung exec probe never times out");
        cf_budget_line_end(lines, budget->hangs.unready.rule);
        return;
    }
    put_trouble_words(lines, "hangs", container, budget, &budget->hangs);
    if (budget->hangs.term.earliest_ns != KP_NEVER)
        put_again(lines, container, budget);
}

void cf_budget_put_fails(struct cf_budget_lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget)
{
    put_trouble_words(lines, "fails", container, budget, &budget->fails);
}
