/* together.c: one change for all that is found of a container: several that are made apart undo
 * each other, or ask for one field with several values. */
#include "conformance/advice/looker.h"

enum { STEPS_MAX = 12 };

/* What is found of the container with a change. */
static struct cf_findings look_again(const struct cf_looked *looked, cf_look look,
                                     const struct cf_fix *fix)
{
    struct cf_findings findings = {0};
    struct cf_manifest_pod pod = *looked->looker->pod;
    const struct kp_pod *changed = cf_fix_apply(looked->looker->arena, pod.pod, looked->index, fix);
    struct cf_looker looker = *looked->looker;
    struct cf_looked again = *looked;
    struct kp_pod copy;

    if (!changed)
        return findings;
    copy = *changed;
    pod.pod = &copy;
    looker.pod = &pod;
    looker.out = &findings;
    again.looker = &looker;
    again.container = &copy.containers[looked->index];
    look(&again);
    looked->looker->out->cut |= findings.cut;
    return findings;
}

static bool counts(const struct cf_finding *finding)
{
    return finding->change && !finding->ignored;
}

/* The first change; NULL: there is none. */
static const struct cf_fix *first_change(const struct cf_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (counts(&findings->list[i]))
            return findings->list[i].change;
    return NULL;
}

/* All changes side by side; then what is still found, one after the other.  false: it does not
 * come to an end. */
static bool find_all(const struct cf_looked *looked, size_t from, cf_look look, struct cf_fix *all)
{
    const struct cf_findings *out = looked->looker->out;

    for (size_t i = from; i < out->count; i++)
        if (counts(&out->list[i]))
            cf_fix_join(all, out->list[i].change);
    for (int i = 0; i < STEPS_MAX; i++) {
        struct cf_findings left = look_again(looked, look, all);
        const struct cf_fix *step = first_change(&left);

        if (!step || looked->looker->arena->failed)
            return !looked->looker->arena->failed && !out->cut;
        cf_fix_put_over(all, step);
    }
    return false;
}

void cf_put_together(const struct cf_looked *looked, size_t from, cf_look look)
{
    struct cf_findings *out = looked->looker->out;
    struct cf_arena *arena = looked->looker->arena;
    struct cf_fix all = {0};
    size_t count = 0;
    struct kp_text text;

    for (size_t i = from; i < out->count; i++)
        count += counts(&out->list[i]);
    if (count < 2 || !find_all(looked, from, look, &all))
        return;
    text = cf_rooted(looked->looker, cf_fix_text(arena, looked->container, &all));
    for (size_t i = from; i < out->count; i++)
        if (counts(&out->list[i]))
            out->list[i].together = text;
}
