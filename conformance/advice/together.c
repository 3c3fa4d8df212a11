/* together.c: one change for all that is found of a container: several that are made apart undo
 * each other, or ask for one field with several values. */
#include "conformance/advice/lint_check.h"

#include "conformance/text/human.h"

#include <string.h>

enum { STEPS_MAX = 12 };

/* What is found of the container with a change. */
static struct cf_findings check_again(const struct cf_container_check *check,
                                      cf_container_checks checks, const struct cf_fix *fix)
{
    struct cf_findings findings = {0};
    struct cf_manifest_pod pod = *check->pod_check->pod;
    const struct kp_pod *changed =
        cf_fix_apply(check->pod_check->arena, pod.pod, check->index, fix);
    struct cf_pod_check pod_check = *check->pod_check;
    struct cf_container_check again = *check;
    struct kp_pod copy;

    if (!changed)
        return findings;
    copy = *changed;
    pod.pod = &copy;
    pod_check.pod = &pod;
    pod_check.out = &findings;
    again.pod_check = &pod_check;
    again.container = &copy.containers[check->index];
    checks(&again);
    check->pod_check->out->cut |= findings.cut;
    return findings;
}

static bool counts(const struct cf_finding *finding)
{
    return finding->change && !finding->ignored;
}

/* The first with a change; NULL: there is none. */
static const struct cf_finding *first_change(const struct cf_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (counts(&findings->list[i]))
            return &findings->list[i];
    return NULL;
}

/* The rule's id behind the others, once. */
static void add_rule(struct cf_arena *arena, struct kp_text *rules, enum cf_lint_rule rule)
{
    const char *id = cf_lint_row(rule)->id;

    if (rules->len > 0 && strstr(rules->bytes, id))
        return;
    *rules = cf_arena_format(arena, "%.*s%s%s", (int)rules->len, rules->len > 0 ? rules->bytes : "",
                             rules->len > 0 ? ", " : "", id);
}

/* All changes side by side; then what is still found, one after the other.  false: it does not
 * come to an end. */
static bool find_all(const struct cf_container_check *check, size_t from,
                     cf_container_checks checks, struct cf_fix *all, struct kp_text *besides)
{
    const struct cf_findings *out = check->pod_check->out;

    for (size_t i = from; i < out->count; i++)
        if (counts(&out->list[i]))
            cf_fix_join(all, out->list[i].change);
    for (int i = 0; i < STEPS_MAX; i++) {
        struct cf_findings left = check_again(check, checks, all);
        const struct cf_finding *step = first_change(&left);

        if (!step || check->pod_check->arena->failed)
            return !check->pod_check->arena->failed && !out->cut;
        add_rule(check->pod_check->arena, besides, step->rule);
        cf_fix_put_over(all, step->change);
    }
    return false;
}

/* What hangs is killed later with it. */
static struct kp_text cost_of(const struct cf_container_check *check, const struct cf_fix *fix)
{
    struct cf_promises promises;
    struct cf_out out = {0};
    struct kp_text text;

    if (!cf_promise(check, fix, CF_BUDGET_HANGS, &promises) ||
        promises.before.term.latest_ns == KP_NEVER ||
        promises.after.term.latest_ns < promises.before.term.latest_ns + KP_NS_PER_S)
        return KP_TEXT("");
    cf_out_put_string(&out, "a hang is killed ");
    if (promises.after.term.latest_ns == KP_NEVER) {
        cf_out_put_string(&out, "never");
    } else {
        cf_out_put_string(&out, "after ");
        cf_put_duration_range(&out, promises.after.term.earliest_ns, promises.after.term.latest_ns);
    }
    cf_out_put_string(&out, " (now ");
    cf_put_duration_range(&out, promises.before.term.earliest_ns, promises.before.term.latest_ns);
    cf_out_put_string(&out, ")");
    text = cf_arena_text(check->pod_check->arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return text;
}

void cf_put_together(const struct cf_container_check *check, size_t from,
                     cf_container_checks checks)
{
    struct cf_findings *out = check->pod_check->out;
    struct cf_arena *arena = check->pod_check->arena;
    struct cf_fix all = {0};
    struct kp_text besides = KP_TEXT("");
    struct kp_text cost;
    size_t count = 0;
    struct kp_text text;

    for (size_t i = from; i < out->count; i++)
        count += counts(&out->list[i]);
    if (count == 0 || !find_all(check, from, checks, &all, &besides))
        return;
    if (all.keeps_out)
        add_rule(arena, &besides, CF_LINT_IN_SERVICE);
    cost = cost_of(check, &all);
    text = cf_rooted(check->pod_check, cf_fix_text(arena, check->container, &all));
    for (size_t i = from; i < out->count; i++) {
        struct cf_finding *finding = &out->list[i];

        if (!counts(finding))
            continue;
        finding->cost = cost;
        if (count > 1) {
            finding->together = text;
        } else {
            finding->fix = text;
        }
        finding->besides = besides;
    }
}
