/* What is said of a probe is held against the engine: random pods are killed, or end by themselves,
 * and judged by their status alone. */
#include "conformance/why/cause.h"
#include "conformance/why/why_play.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <stdlib.h>

#define BEGAN_NS (INT64_C(1795600000) * KP_NS_PER_S)

/* Each is judged by some 60 plays. */
static int tries(void)
{
    return getenv("UNDER_VALGRIND") ? 5 : 150;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int32_t upto(uint64_t *state, int32_t most)
{
    return (int32_t)(next(state) % (uint64_t)(most + 1));
}

/* One container with a liveness probe, and every second time with a startup probe. */
struct random_pod {
    struct kp_http_get_action get;
    struct kp_probe probes[KP_PROBE_TYPES];
    struct kp_container container;
    struct kp_container_status container_status;
    struct kp_pod_status status;
    struct kp_pod pod;
    struct cf_history history;
};

static struct kp_probe draw_probe(uint64_t *state, const struct kp_http_get_action *get)
{
    return (struct kp_probe){.handler.http_get = get,
                             .initial_delay_s = upto(state, 40),
                             .timeout_s = 1 + upto(state, 12),
                             .period_s = 1 + upto(state, 15),
                             .success_threshold = 1,
                             .failure_threshold = 1 + upto(state, 4)};
}

static void draw_pod(uint64_t *state, struct random_pod *random)
{
    *random = (struct random_pod){
        .get = {.path = KP_TEXT("/"), .port.number = 80, .scheme = KP_TEXT("HTTP")},
        .container = {.name = KP_TEXT("c"),
                      .kind = KP_REGULAR,
                      .image = KP_TEXT("i"),
                      .image_pull_policy = KP_TEXT("IfNotPresent")},
        .container_status = {.name = KP_TEXT("c"), .restart_count = 1},
        .pod = {.name = KP_TEXT("p"),
                .namespace_ = KP_TEXT("n"),
                .uid = KP_TEXT("u"),
                .restart_policy = KP_TEXT("Always"),
                .has_grace = true,
                .grace_s = 2 + upto(state, 40),
                .regular_count = 1},
    };
    random->probes[KP_LIVENESS] = draw_probe(state, &random->get);
    random->probes[KP_STARTUP] = draw_probe(state, &random->get);
    random->container.probes[KP_LIVENESS] = &random->probes[KP_LIVENESS];
    if (upto(state, 1))
        random->container.probes[KP_STARTUP] = &random->probes[KP_STARTUP];
    random->pod.containers = &random->container;
    random->history.fresh = random->pod;
    random->status.statuses = &random->container_status;
    random->status.status_count = 1;
    random->pod.status = &random->status;
    random->history.pod = &random->pod;
}

/* As the API prints it: whole seconds. */
static int64_t wall_ns(int64_t at_ns)
{
    return BEGAN_NS + at_ns / KP_NS_PER_S * KP_NS_PER_S;
}

static void set_end(struct random_pod *random, int64_t from_ns, int64_t to_ns, int32_t code)
{
    random->container_status.last_state = (struct kp_state){.kind = KP_STATE_TERMINATED,
                                                            .reason = KP_TEXT("Error"),
                                                            .started_at_ns = wall_ns(from_ns),
                                                            .finished_at_ns = wall_ns(to_ns),
                                                            .exit_code = code};
    random->container_status.state =
        (struct kp_state){.kind = KP_STATE_RUNNING, .started_at_ns = wall_ns(to_ns)};
}

static struct cf_verdict judge(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct random_pod *random)
{
    struct cf_kill_age kills;

    CHECK_INT(cf_why_kill_age(arena, profile, &random->history.fresh, 0, &kills), KP_OK);
    return cf_judge(&random->history, 0, kills);
}

static void draw_profile(uint64_t *state, struct kp_profile *profile)
{
    char version[8];

    snprintf(version, sizeof version, "1.%d", 18 + upto(state, KP_MINOR_MAX - 18));
    CHECK_INT(kp_profile_init(profile, kp_text_of(version)), KP_OK);
}

/* Killed with whatever chance draws, from whenever on its probes fail. */
static struct cf_seen play_kill(struct cf_arena *arena, const struct kp_profile *profile,
                                const struct random_pod *random, struct cf_world *world,
                                uint64_t *state)
{
    struct cf_simulation simulation;
    struct cf_seen seen;

    *world = (struct cf_world){.health = upto(state, 1) ? CF_FAILS : CF_HANGS,
                               .at_ns = upto(state, 60000) * KP_NS_PER_MS,
                               .ignores_term = upto(state, 1),
                               .until = CF_SEEN_KILLED};
    world->end_ns = world->at_ns + cf_budget_horizon_ns(&random->history.fresh, 0);
    world->draws.relist_ns = upto(state, 999) * KP_NS_PER_MS;
    world->draws.wall_ns = upto(state, 999) * KP_NS_PER_MS;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (random->container.probes[type])
            world->draws.wait_ns[type] =
                upto(state, random->container.probes[type]->period_s * 1000 - 1) * KP_NS_PER_MS;
    CHECK_INT(cf_simulation_init(&simulation, arena, profile, &random->history.fresh), KP_OK);
    CHECK_INT(cf_simulation_play(&simulation, world, &seen), KP_OK);
    cf_simulation_deinit(&simulation);
    CHECK(seen.at_ns[CF_SEEN_KILLED] != KP_NEVER);
    return seen;
}

static void what_a_probe_did_is_never_denied(void)
{
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < tries(); i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct random_pod random;
        struct kp_profile profile;
        struct cf_world world;
        struct cf_seen seen;
        struct cf_verdict verdict;
        int64_t ended_ns;

        draw_pod(&state, &random);
        draw_profile(&state, &profile);
        seen = play_kill(&arena, &profile, &random, &world, &state);
        ended_ns =
            seen.at_ns[CF_SEEN_KILLED] + (world.ignores_term ? seen.grace_s * KP_NS_PER_S : 0);
        set_end(&random, seen.runs_ns, ended_ns, world.ignores_term ? 137 : 143);
        verdict = judge(&arena, &profile, &random);
        CHECK(verdict.possible);
        CHECK(verdict.cause == CF_CAUSE_LIVENESS || verdict.cause == CF_CAUSE_STARTUP);
        CHECK_INT(verdict.certainty, CF_UNSURE);
        cf_arena_deinit(&arena);
    }
}

/* It ends two seconds or more before any probe could have killed it. */
static void what_no_probe_can_have_done_is_not_laid_to_one(void)
{
    uint64_t state = 362436069362436069u;

    for (int i = 0; i < tries(); i++) {
        static const int32_t codes[] = {0, 1, 137, 139, 143};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct random_pod random;
        struct kp_profile profile;
        struct cf_kill_age kills;
        struct cf_verdict verdict;

        draw_pod(&state, &random);
        draw_profile(&state, &profile);
        CHECK_INT(cf_why_kill_age(&arena, &profile, &random.history.fresh, 0, &kills), KP_OK);
        CHECK(kills.earliest_ns != KP_NEVER && kills.soonest_ns <= kills.earliest_ns &&
              kills.earliest_ns <= kills.latest_ns);
        if (kills.soonest_ns >= 3 * KP_NS_PER_S) {
            set_end(&random, 0, kills.soonest_ns - 3 * KP_NS_PER_S, codes[upto(&state, 4)]);
            verdict = judge(&arena, &profile, &random);
            CHECK(!verdict.possible);
            CHECK(verdict.cause != CF_CAUSE_LIVENESS && verdict.cause != CF_CAUSE_STARTUP);
        }
        cf_arena_deinit(&arena);
    }
}

const struct unit_test cause_test[] = {
    {"what a probe did is never denied", what_a_probe_did_is_never_denied},
    {"what no probe can have done is not laid to one",
     what_no_probe_can_have_done_is_not_laid_to_one},
    {0},
};
