#include "conformance/why/why_play.h"

#include "conformance/simulate/budget.h"
#include "conformance/simulate/budget_search.h"
#include "core/kubelet/backoff.h"

enum kp_err cf_why_kill_age(struct cf_arena *arena, const struct kp_profile *profile,
                            const struct kp_pod *pod, size_t index, struct cf_kill_age *out)
{
    const struct kp_container *container = &pod->containers[index];
    struct cf_container_budget budget;
    const char *why;
    enum kp_err err;

    *out = (struct cf_kill_age){.earliest_ns = KP_NEVER, .soonest_ns = KP_NEVER};
    if (!container->probes[KP_LIVENESS] && !container->probes[KP_STARTUP])
        return KP_OK;
    err = cf_budget_find_one(arena, profile, pod, (int)index, CF_BUDGET_START | CF_BUDGET_SOONEST,
                             &budget, &why);
    if (err != KP_OK || budget.killed.earliest_ns == KP_NEVER)
        return err == KP_ENOMEM ? KP_ENOMEM : KP_OK;
    *out = (struct cf_kill_age){.earliest_ns = budget.killed.earliest_ns,
                                .latest_ns = budget.killed.latest_ns,
                                .soonest_ns = budget.soonest_ns,
                                .start = budget.start,
                                .type = budget.start_by,
                                .grace_s = budget.killed_grace_s};
    return KP_OK;
}

/* ---- one end after the other ----------------------------------------------------------------- */

static int64_t up_to_hour_ns(int64_t ns)
{
    int64_t hour_ns = 3600 * KP_NS_PER_S;

    return ns < 0 ? 0 : ns < hour_ns ? ns : hour_ns;
}

/* Killed by a probe that passes until an age from which on its failures end where the kill began: a
 * tick sooner or later, as its ticks fall. */
static bool put_kills(const struct kp_container *container, const struct cf_verdict *verdict,
                      struct cf_world *world)
{
    bool starting = verdict->cause == CF_CAUSE_STARTUP;
    enum kp_probe_type type = starting ? KP_STARTUP : KP_LIVENESS;
    const struct kp_probe *probe = container->probes[type];
    int64_t term_ns = up_to_hour_ns(cf_killed_age_ns(verdict));
    int64_t took_ns = up_to_hour_ns(verdict->ran_ns - term_ns);
    int64_t left_ns;

    if (!probe)
        return false;
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world->spared[other] = other != (int)type;
    world->health = cf_was_slow(verdict->unhealthy[type]) ? CF_HANGS : CF_FAILS;
    left_ns = term_ns - cf_hook_ns(container) - probe->period_s * KP_NS_PER_S / 2 -
              (probe->failure_threshold - INT64_C(1)) * probe->period_s * KP_NS_PER_S;
    if (world->health == CF_HANGS)
        left_ns -= probe->timeout_s * KP_NS_PER_S;
    world->at_age = true;
    world->at_ns = starting || left_ns < 0 ? 0 : left_ns;
    world->ignores_term = verdict->end->exit_code == CF_SIGKILL_CODE &&
                          took_ns + 2 * KP_NS_PER_S >= cf_kill_grace_ns(verdict);
    world->stops_ns = took_ns;
    world->stop_code = &verdict->end->exit_code;
    return true;
}

/* What ends so is restarted, and ends so again; where not, there is nothing to play. */
static bool put_ends(const struct kp_container *container, const struct cf_verdict *verdict,
                     struct cf_world *world)
{
    switch (verdict->cause) {
    case CF_CAUSE_LIVENESS:
    case CF_CAUSE_STARTUP:
        return put_kills(container, verdict, world);
    case CF_CAUSE_COMMAND:
    case CF_CAUSE_HOOK:
    case CF_CAUSE_OOM:
    case CF_CAUSE_EXITED:
    case CF_CAUSE_COMPLETED:
    case CF_CAUSE_SIGNALLED:
    case CF_CAUSE_TERM:
    case CF_CAUSE_KILL:
        world->exits = true;
        world->exit_ns = up_to_hour_ns(verdict->ran_ns);
        world->exit_code = verdict->end->exit_code;
        return true;
    default:
        return false;
    }
}

int64_t cf_why_least_wait_ns(int64_t engine_ns)
{
    return engine_ns > 2 * KP_NS_PER_S ? engine_ns - 2 * KP_NS_PER_S : 0;
}

int64_t cf_why_longest_wait_ns(int64_t engine_ns)
{
    return engine_ns + engine_ns / 2 + 15 * KP_NS_PER_S;
}

/*
 * After a kill there is a wait only where the end before was less than a window ago (S-252), and a
 * window is there from the second start on.  Whether it was may be up to chance: how long waits
 * before were drawn out, when in its period a probe failed.
 */
static void find_others_of_kills(const struct kp_backoff_limits *limits, int64_t ran_ns,
                                 int64_t slack_ns, struct cf_loop *loop)
{
    struct kp_backoff window = {0};
    int64_t least_ns = 0; /* of the wait before */
    int64_t longest_ns = cf_why_longest_wait_ns(0);

    for (size_t i = 0; i < loop->count; i++) {
        bool at_once;
        bool waits;

        if (i >= 2)
            kp_backoff_next(&window, limits, 0, 0, 0, 0);
        at_once = ran_ns + slack_ns + longest_ns >= window.delay_ns;
        waits = ran_ns - slack_ns + least_ns < window.delay_ns;
        if (loop->window_ns[i] > 0 ? at_once : waits)
            loop->or_ns[i] = loop->window_ns[i] > 0 ? 0 : window.delay_ns;
        least_ns = at_once ? 0 : window.delay_ns;
        longest_ns = cf_why_longest_wait_ns(waits ? window.delay_ns : 0);
    }
}

/* A back-off is forgotten when its last start is too long ago (S-245), which may be while it lasts:
 * it is up to chance where that is about as long as it ran and waits. */
static void find_others_of_exits(const struct kp_backoff_limits *limits, int64_t ran_ns,
                                 struct cf_loop *loop)
{
    struct kp_backoff window = {0};

    for (size_t i = 0; i < loop->count; i++) {
        if (i >= 1)
            kp_backoff_next(&window, limits, 0, 0, 0, 0);
        if (loop->window_ns[i] != window.delay_ns && ran_ns + window.delay_ns <= limits->forget_ns)
            loop->or_ns[i] = window.delay_ns;
        if (loop->gap_ns[i] > limits->forget_ns - ran_ns)
            loop->gap_ns[i] = ran_ns < limits->forget_ns ? limits->forget_ns - ran_ns : 0;
    }
}

static void find_others(const struct kp_profile *profile, const struct kp_container *container,
                        const struct cf_verdict *verdict, struct cf_loop *loop)
{
    struct kp_backoff_limits limits = kp_backoff_limits(profile);
    enum kp_probe_type type = verdict->cause == CF_CAUSE_STARTUP ? KP_STARTUP : KP_LIVENESS;

    if (cf_is_by_probe(verdict))
        find_others_of_kills(&limits, verdict->ran_ns,
                             container->probes[type]->period_s * KP_NS_PER_S, loop);
    else
        find_others_of_exits(&limits, verdict->ran_ns, loop);
}

static enum kp_err reserve(struct cf_arena *arena, size_t restarts, struct cf_loop *out)
{
    int64_t **const lists[] = {&out->gap_ns, &out->window_ns, &out->or_ns, &out->at_ns};

    *out = (struct cf_loop){.wanted = restarts};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!(*lists[i] = cf_arena_array(arena, restarts + 1, sizeof **lists[i])))
            return KP_ENOMEM;
    for (size_t i = 0; i <= restarts; i++)
        out->or_ns[i] = KP_NEVER;
    return KP_OK;
}

enum kp_err cf_why_loop(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct kp_pod *pod, size_t index, const struct cf_verdict *verdict,
                        size_t restarts, struct cf_loop *out)
{
    struct cf_world world = {
        .draws = {.relist_ns = CF_USUAL_RELIST_NS}, .loop = out, .until = CF_OBSERVATIONS};
    struct cf_simulation simulation;
    struct cf_seen seen;
    enum kp_err err;

    if (reserve(arena, restarts, out) != KP_OK)
        return KP_ENOMEM;
    if (!put_ends(&pod->containers[index], verdict, &world))
        return KP_OK;
    world.end_ns =
        (int64_t)(restarts + 1) * (up_to_hour_ns(verdict->ran_ns) +
                                   cf_budget_horizon_ns(pod, (int)index) + 400 * KP_NS_PER_S);
    err = cf_simulation_init(&simulation, arena, profile, pod);
    simulation.container = (int)index;
    if (err == KP_OK && cf_simulation_play(&simulation, &world, &seen) == KP_ENOMEM)
        err = KP_ENOMEM;
    cf_simulation_deinit(&simulation);
    for (size_t i = 0; err == KP_OK && i < out->count; i++)
        out->at_ns[i] -= seen.runs_ns;
    find_others(profile, &pod->containers[index], verdict, out);
    return err;
}
