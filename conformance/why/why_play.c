#include "conformance/why/why_play.h"

#define PPB INT64_C(1000000000)

/* What the plays of one container have in common. */
struct plays {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    size_t index;
    struct cf_kill_age *out;
};

static enum kp_err play(const struct plays *plays, const struct cf_play_world *world,
                        struct cf_played *played)
{
    struct cf_play_world whole = *world;

    whole.end_ns = cf_play_patience_ns(&plays->pod->containers[plays->index]);
    whole.until_killed = true;
    return cf_play(plays->arena, plays->profile, plays->pod, plays->index, &whole, NULL, played);
}

static void note_kill(const struct cf_played *played, struct cf_kill_age *out)
{
    int64_t age_ns = played->killed_ns - played->runs_ns;

    out->earliest_ns = age_ns < out->earliest_ns ? age_ns : out->earliest_ns;
    out->latest_ns = age_ns > out->latest_ns ? age_ns : out->latest_ns;
    out->type = played->reason == KP_KILL_STARTUP ? KP_STARTUP : KP_LIVENESS;
    out->grace_s = played->grace_s;
}

/* Ten phases, attempts that fail at once or at their timeout; workers that wait first for none or
 * all of their period where they do so in any kubelet (P-014). */
static enum kp_err find_from_start(const struct plays *plays)
{
    int waits = plays->profile->jitter_only_when_young ? 1 : 2;

    for (int draw = 0; draw < 20 * waits; draw++) {
        const struct cf_play_world world = {.manner = draw % 2 ? CF_HANGS : CF_FAILS,
                                            .phase_ns = draw / 2 % 10 * 100 * KP_NS_PER_MS,
                                            .wait_ppb = draw / 20 * (PPB - 1)};
        struct cf_played played;

        if (play(plays, &world, &played) != KP_OK)
            return KP_ENOMEM;
        if (played.killed_ns != KP_NEVER)
            note_kill(&played, plays->out);
    }
    return KP_OK;
}

/* Workers wait for any part of their period, and the startup probe passes or not. */
static enum kp_err find_soonest(const struct plays *plays)
{
    for (int draw = 0; draw < 6 * CF_WHY_STEPS; draw++) {
        const struct cf_play_world world = {.manner = CF_FAILS,
                                            .spared[KP_STARTUP] = draw % 2 == 1,
                                            .phase_ns = draw / 2 % 3 * 350 * KP_NS_PER_MS,
                                            .wait_ppb = draw / 6 * (PPB / CF_WHY_STEPS)};
        struct cf_played played;
        int64_t age_ns;

        if (play(plays, &world, &played) != KP_OK)
            return KP_ENOMEM;
        age_ns = played.killed_ns - played.runs_ns;
        if (played.killed_ns != KP_NEVER && age_ns < plays->out->soonest_ns)
            plays->out->soonest_ns = age_ns;
    }
    return KP_OK;
}

enum kp_err cf_why_kill_age(struct cf_arena *arena, const struct kp_profile *profile,
                            const struct kp_pod *pod, size_t index, struct cf_kill_age *out)
{
    const struct kp_container *container = &pod->containers[index];
    const struct plays plays = {arena, profile, pod, index, out};

    *out = (struct cf_kill_age){.earliest_ns = KP_NEVER, .soonest_ns = KP_NEVER};
    if (!container->probes[KP_LIVENESS] && !container->probes[KP_STARTUP])
        return KP_OK;
    return find_from_start(&plays) == KP_OK && find_soonest(&plays) == KP_OK ? KP_OK : KP_ENOMEM;
}

enum kp_err cf_why_loop(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct kp_pod *pod, size_t index, int64_t ran_ns, int32_t code,
                        size_t restarts, struct cf_loop *out)
{
    struct cf_play_world world = {.exits = true,
                                  .exit_ns = ran_ns,
                                  .exit_code = code,
                                  .phase_ns = 500 * KP_NS_PER_MS,
                                  .end_ns = (int64_t)(restarts + 1) * (ran_ns + 400 * KP_NS_PER_S)};
    struct cf_played played;
    enum kp_err err;

    *out = (struct cf_loop){.wanted = restarts,
                            .gap_ns = cf_arena_array(arena, restarts + 1, sizeof *out->gap_ns),
                            .at_ns = cf_arena_array(arena, restarts + 1, sizeof *out->at_ns)};
    if (!out->gap_ns || !out->at_ns)
        return KP_ENOMEM;
    err = cf_play(arena, profile, pod, index, &world, out, &played);
    for (size_t i = 0; i < out->count; i++)
        out->at_ns[i] -= played.runs_ns;
    return err;
}
