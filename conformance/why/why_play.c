#include "conformance/why/why_play.h"

#define PPB INT64_C(1000000000)

/* Ten phases, each with workers that wait first for none or all of their period, and whose attempts
 * fail at once or at their timeout. */
enum { DRAWS = 40 };

static struct cf_play_world draw_world(int draw, int64_t end_ns)
{
    return (struct cf_play_world){.manner = draw % 2 ? CF_HANGS : CF_FAILS,
                                  .wait_ppb = draw / 2 % 2 * (PPB - 1),
                                  .phase_ns = draw / 4 * 100 * KP_NS_PER_MS,
                                  .end_ns = end_ns,
                                  .until_killed = true};
}

static void note_kill(const struct cf_played *played, struct cf_kill_age *out)
{
    int64_t age_ns = played->killed_ns - played->runs_ns;

    out->earliest_ns = age_ns < out->earliest_ns ? age_ns : out->earliest_ns;
    out->latest_ns = age_ns > out->latest_ns ? age_ns : out->latest_ns;
    out->type = played->reason == KP_KILL_STARTUP ? KP_STARTUP : KP_LIVENESS;
    out->grace_s = played->grace_s;
}

enum kp_err cf_why_kill_age(struct cf_arena *arena, const struct kp_profile *profile,
                            const struct kp_pod *pod, size_t index, struct cf_kill_age *out)
{
    const struct kp_container *container = &pod->containers[index];

    *out = (struct cf_kill_age){.earliest_ns = KP_NEVER};
    if (!container->probes[KP_LIVENESS] && !container->probes[KP_STARTUP])
        return KP_OK;
    for (int draw = 0; draw < DRAWS; draw++) {
        struct cf_play_world world = draw_world(draw, cf_play_patience_ns(container));
        struct cf_played played;

        if (cf_play(arena, profile, pod, index, &world, NULL, &played) != KP_OK)
            return KP_ENOMEM;
        if (played.killed_ns != KP_NEVER)
            note_kill(&played, out);
    }
    return KP_OK;
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
