#include "conformance/why/why_play.h"

#include "conformance/simulate/budget.h"
#include "conformance/simulate/budget_search.h"

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

enum kp_err cf_why_loop(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct kp_pod *pod, size_t index, int64_t ran_ns, int32_t code,
                        size_t restarts, struct cf_loop *out)
{
    struct cf_world world = {.draws = {.relist_ns = CF_USUAL_RELIST_NS},
                             .exits = true,
                             .exit_ns = ran_ns,
                             .exit_code = code,
                             .loop = out,
                             .until = CF_OBSERVATIONS,
                             .end_ns = (int64_t)(restarts + 1) * (ran_ns + 400 * KP_NS_PER_S)};
    struct cf_simulation simulation;
    struct cf_seen seen;
    enum kp_err err;

    *out = (struct cf_loop){.wanted = restarts,
                            .gap_ns = cf_arena_array(arena, restarts + 1, sizeof *out->gap_ns),
                            .at_ns = cf_arena_array(arena, restarts + 1, sizeof *out->at_ns)};
    if (!out->gap_ns || !out->at_ns)
        return KP_ENOMEM;
    err = cf_simulation_init(&simulation, arena, profile, pod);
    simulation.container = (int)index;
    if (err == KP_OK && cf_simulation_play(&simulation, &world, &seen) == KP_ENOMEM)
        err = KP_ENOMEM;
    cf_simulation_deinit(&simulation);
    for (size_t i = 0; err == KP_OK && i < out->count; i++)
        out->at_ns[i] -= seen.runs_ns;
    return err;
}
