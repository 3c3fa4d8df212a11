#include "conformance/simulate/budget.h"

#include "conformance/simulate/budget_orders.h"
#include "conformance/simulate/budget_search.h"

#include "core/api/port.h"
#include "core/kubelet/kill_container.h"
#include "fakes/deadline.h"

#define MS KP_NS_PER_MS
#define SETTLED_NS (20 * KP_NS_PER_S) /* beyond delays: what is then ready has been for a while */

static int64_t capped_ns(int64_t seconds)
{
    return seconds > CF_BUDGET_MAX_NS / KP_NS_PER_S ? CF_BUDGET_MAX_NS : seconds * KP_NS_PER_S;
}

/* Delay, all failures in a row, each as slow as it may be, and two periods besides. */
static int64_t probe_horizon_ns(const struct kp_probe *probe)
{
    int64_t longest_s = (int64_t)probe->period_s + probe->timeout_s;
    int64_t ticks = (int64_t)probe->failure_threshold + probe->success_threshold + 2;

    if (ticks > CF_BUDGET_MAX_NS / KP_NS_PER_S / longest_s)
        return CF_BUDGET_MAX_NS;
    return capped_ns(probe->initial_delay_s + longest_s * ticks);
}

/* By when a pod's containers run and their workers probe: hooks, init containers, and what sidecars
 * wait for, one behind the other. */
static int64_t pod_start_ns(const struct kp_pod *pod)
{
    int64_t start_ns = 0;

    for (size_t i = 0; i < kp_pod_container_count(pod); i++) {
        const struct kp_container *container = &pod->containers[i];
        const struct kp_probe *startup = container->probes[KP_STARTUP];
        int64_t hook_s = cf_hook_s(container->post_start);

        start_ns += hook_s > 0 ? capped_ns(hook_s) : 0;
        start_ns += i < pod->init_count ? 3 * KP_NS_PER_S : 0;
        if (i < pod->init_count && startup)
            start_ns += capped_ns(startup->initial_delay_s + 2 * (int64_t)startup->period_s);
    }
    return start_ns;
}

int64_t cf_budget_horizon_ns(const struct kp_pod *pod, int container)
{
    int64_t grace_ns = kp_timer_ns(0, kp_seconds_ns(pod->grace_s)); /* as the kubelet waits */
    int64_t horizon_ns =
        CF_RESYNC_NS + SETTLED_NS + capped_ns(grace_ns / KP_NS_PER_S + 1) + pod_start_ns(pod);

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (pod->containers[container].probes[type])
            horizon_ns += probe_horizon_ns(pod->containers[container].probes[type]);
    return horizon_ns < CF_BUDGET_MAX_NS ? horizon_ns : CF_BUDGET_MAX_NS;
}

/* Liveness behind a startup probe that passes as soon as it can; else there is no sooner way. */
static void find_soonest(struct cf_search *search)
{
    const struct kp_probe *const *probes = search->container->probes;
    struct cf_sought sought = {CF_SEEN_KILLED, KP_LIVENESS, 0, CF_FAILS, false, 0};
    struct cf_extremes extremes;

    search->out->soonest_ns = search->out->killed.earliest_ns;
    if (!probes[KP_STARTUP] || !probes[KP_LIVENESS])
        return;
    extremes = cf_search_orders(search, &sought);
    if (extremes.low.ns < search->out->soonest_ns)
        search->out->soonest_ns = extremes.low.ns;
}

/* Does its probing begin behind its start: a delay, or a postStart hook, its own or a neighbour's?
 * Then what answers late is ready sooner behind its answer. */
static bool is_delayed(const struct cf_search *search)
{
    const struct kp_probe *const *probes = search->container->probes;

    return search->late_ns > KP_NS_PER_S ||
           (probes[KP_READINESS] && probes[KP_READINESS]->initial_delay_s > 0) ||
           (probes[KP_STARTUP] && probes[KP_STARTUP]->initial_delay_s > 0);
}

/* An age at which all its workers probe, and at which no probe has killed what does not answer;
 * 0: there is none. */
static int64_t late_answer_ns(const struct cf_search *search)
{
    const struct kp_probe *const *probes = search->container->probes;
    const struct kp_probe *guard = probes[KP_STARTUP] ? probes[KP_STARTUP] : probes[KP_LIVENESS];
    int64_t age_ns = search->settled_ns;
    int64_t safe_ns;

    if (!guard)
        return age_ns;
    safe_ns = capped_ns((int64_t)guard->period_s * (guard->failure_threshold - 1) +
                        (guard->initial_delay_s > 0 ? guard->initial_delay_s - 1 : 0));
    return safe_ns < age_ns ? safe_ns : age_ns;
}

static void find_ready(struct cf_search *search)
{
    struct cf_container_budget *out = search->out;
    int64_t ages_ns[] = {0, late_answer_ns(search)};

    out->ready_from_start = is_delayed(search);
    for (int i = 0; i < 2 && (i == 0 || (ages_ns[1] > 0 && !out->ready_from_start)); i++) {
        const struct cf_sought sought = {CF_SEEN_READY, KP_READINESS, 0,
                                         CF_PASSES,     false,        ages_ns[i]};
        struct cf_extremes extremes = cf_search_orders(search, &sought);
        const struct cf_extreme *ends[] = {&extremes.low, &extremes.high};

        for (int k = 0; k < 2 && extremes.low.ns != KP_NEVER; k++) {
            if (i > 0 && ends[k]->ns >= out->ready.earliest_ns &&
                ends[k]->ns <= out->ready.latest_ns)
                continue;
            if (i == 0 && k == 0)
                out->ready = CF_RANGE_UNSEEN;
            cf_range_widen(&out->ready, ends[k]->ns, KP_RULE_STATUS_READY);
            out->ready_draws[k] = ends[k]->draws;
            out->ready_age_ns[k] = ends[k]->age_ns;
        }
    }
}

/* ---- what comes of trouble --------------------------------------------------------------------
 */

/* What is seen of trouble counts from where it came. */
static void note_trouble(const struct cf_search *search, const struct cf_seen *seen, int64_t at_ns,
                         struct cf_trouble *out)
{
    const struct cf_simulation *simulation = search->simulation;
    int64_t term_ns = seen->at_ns[CF_SEEN_KILLED] - at_ns;
    enum kp_rule rule = seen->rule[CF_SEEN_KILLED];

    if (seen->at_ns[CF_SEEN_KILLED] == KP_NEVER)
        return;
    out->grace_s = seen->grace_s;
    out->kill_grace_s =
        kp_kill_grace_s(simulation->profile, simulation->pod, simulation->container, seen->reason);
    cf_range_widen(&out->decided, seen->at_ns[CF_SEEN_RESULT] - at_ns, seen->rule[CF_SEEN_RESULT]);
    cf_range_widen(&out->term, term_ns, rule);
    cf_range_widen(&out->kill, kp_timer_ns(term_ns, kp_seconds_ns(seen->grace_s)), rule);
    if (seen->at_ns[CF_SEEN_AGAIN] != KP_NEVER)
        cf_range_widen(&out->again, seen->at_ns[CF_SEEN_AGAIN] - at_ns, seen->rule[CF_SEEN_AGAIN]);
}

/* Trouble from at_ns on, where it takes SIGTERM well, or not. */
static struct cf_seen play_trouble(struct cf_search *search, struct cf_world world, int64_t at_ns,
                                   struct cf_trouble *out)
{
    struct cf_seen seen;

    world.until = CF_SEEN_AGAIN;
    world.at_ns = world.from_ns = at_ns;
    world.end_ns = search->horizon_ns + at_ns;
    cf_search_play(search, &world, &seen);
    if (search->err == KP_OK)
        note_trouble(search, &seen, at_ns, out);
    return seen;
}

/*
 * The latest: it comes just after a probe.  And a sync that has just been makes the one
 * of the probe wait for the next relist (S-020): a change of the object, between the two.
 */
static void play_late(struct cf_search *search, enum cf_health health, int64_t at_ns,
                      struct cf_trouble *out)
{
    struct cf_world world = {.draws = search->usual, .health = health, .ignores_term = true};
    struct cf_seen seen = play_trouble(search, world, at_ns, out);
    int64_t result_ns = seen.at_ns[CF_SEEN_RESULT];

    if (search->err != KP_OK || result_ns == KP_NEVER)
        return;
    world.draws.relist_ns = (result_ns - 2 * MS) % KP_NS_PER_S;
    world.touched_ns = result_ns - MS;
    play_trouble(search, world, at_ns, out);
}

/* The earliest: just before a probe, a relist just before its result, no other sync near. */
static void play_early(struct cf_search *search, enum cf_health health, int64_t at_ns,
                       struct cf_trouble *out)
{
    struct cf_world world = {.draws = search->usual, .health = health};

    world.spared[KP_READINESS] = true;
    world.draws.relist_ns = (at_ns + KP_NS_PER_S - MS) % KP_NS_PER_S;
    play_trouble(search, world, at_ns, out);
}

/* By its readiness probe alone: a restart makes it not ready in any case. */
static void play_unready(struct cf_search *search, enum cf_health health, int64_t at_ns,
                         struct cf_time_range *out)
{
    struct cf_world world = cf_search_world(search, &search->usual, CF_SEEN_UNREADY);
    struct cf_seen seen;

    world.health = health;
    world.spared[KP_LIVENESS] = true;
    world.at_ns = world.from_ns = at_ns;
    world.end_ns += at_ns;
    cf_search_play(search, &world, &seen);
    if (search->err == KP_OK && seen.at_ns[CF_SEEN_UNREADY] != KP_NEVER)
        cf_range_widen(out, seen.at_ns[CF_SEEN_UNREADY] - at_ns, seen.rule[CF_SEEN_UNREADY]);
}

static void close_span(struct cf_time_range *span)
{
    if (span->earliest_ns == KP_NEVER)
        *span = CF_RANGE_NEVER;
}

static struct cf_trouble trouble_of(struct cf_search *search, enum cf_health health,
                                    const struct cf_seen *attempts)
{
    struct cf_trouble out = {
        CF_RANGE_UNSEEN, CF_RANGE_UNSEEN, CF_RANGE_UNSEEN, CF_RANGE_UNSEEN, CF_RANGE_UNSEEN, 0, 0};

    for (int i = 0; i < 2 && i < attempts->attempt_count[KP_LIVENESS]; i++) {
        play_early(search, health, attempts->attempts_ns[KP_LIVENESS][i], &out);
        play_late(search, health, attempts->attempts_ns[KP_LIVENESS][i] + MS, &out);
    }
    if (attempts->attempt_count[KP_READINESS] > 0) {
        play_unready(search, health, attempts->attempts_ns[KP_READINESS][0], &out.unready);
        play_unready(search, health, attempts->attempts_ns[KP_READINESS][0] + MS, &out.unready);
    }
    close_span(&out.unready);
    close_span(&out.decided);
    close_span(&out.term);
    close_span(&out.kill);
    close_span(&out.again);
    return out;
}

static int64_t settled_ns(const struct kp_pod *pod, const struct kp_container *container)
{
    int64_t settled_ns = SETTLED_NS + pod_start_ns(pod);

    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        const struct kp_probe *probe = container->probes[type];

        if (probe)
            settled_ns += capped_ns(probe->initial_delay_s +
                                    (int64_t)probe->period_s * (probe->success_threshold + 1));
    }
    return settled_ns;
}

/* When, settled, the probes run. */
static void find_attempts(struct cf_search *search, struct cf_seen *seen)
{
    struct cf_world world = cf_search_world(search, &search->usual, CF_OBSERVATIONS);
    int64_t longest_s = 0;

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (search->container->probes[type] &&
            search->container->probes[type]->period_s > longest_s)
            longest_s = search->container->probes[type]->period_s;
    world.from_ns = search->settled_ns;
    world.end_ns = search->settled_ns + capped_ns(longest_s * 13);
    cf_search_play(search, &world, seen);
}

static void find_troubles(struct cf_search *search, unsigned parts)
{
    struct cf_seen attempts;

    find_attempts(search, &attempts);
    if (search->err != KP_OK)
        return;
    if (parts & CF_BUDGET_HANGS)
        search->out->hangs = trouble_of(search, CF_HANGS, &attempts);
    if (parts & CF_BUDGET_FAILS)
        search->out->fails = trouble_of(search, CF_FAILS, &attempts);
}

/* ---- what one probe tolerates -----------------------------------------------------------------
 */

/* Failures of this one probe, counted until they are too many. */
static int64_t count_lost(struct cf_search *search, enum kp_probe_type type)
{
    enum cf_observation until = type == KP_READINESS ? CF_SEEN_UNREADY : CF_SEEN_KILLED;
    struct cf_world world = cf_search_world(search, &search->usual, until);
    struct cf_seen seen;

    world.health = CF_FAILS;
    world.at_ns = world.from_ns = type == KP_STARTUP ? 0 : search->settled_ns;
    world.end_ns += world.at_ns;
    world.type = type;
    for (int other = 0; other < KP_PROBE_TYPES; other++)
        world.spared[other] = other != (int)type;
    cf_search_play(search, &world, &seen);
    return search->err == KP_OK && seen.at_ns[until] != KP_NEVER ? seen.answers - 1 : -1;
}

static void find_tolerance(struct cf_search *search, enum kp_probe_type type)
{
    const struct kp_probe *probe = search->container->probes[type];
    struct cf_tolerance *tolerance = &search->out->tolerance[type];
    int64_t deadline_ns;

    if (!probe)
        return;
    *tolerance = (struct cf_tolerance){
        .exists = true,
        .asks = cf_simulation_asks(search->simulation, type),
        .off = !kp_handler_is_known(search->simulation->profile, &probe->handler),
        .slowest_ns = KP_NEVER,
        .lost = -1};
    deadline_ns = fake_deadline_ns(search->simulation->profile, probe);
    if (!tolerance->asks)
        return;
    if (deadline_ns != KP_NEVER)
        tolerance->slowest_ns = deadline_ns - MS;
    tolerance->lost = count_lost(search, type);
}

/* ---- what a restart of the kubelet does -------------------------------------------------------
 */

/* Each worker's first wait, with the other's least and longest. */
static void vary_workers(struct cf_search *search, const struct cf_sought *sought,
                         struct cf_extremes *extremes)
{
    static const int64_t others_ms[] = {-1, 999, 1000, 1001, 2000};
    const struct kp_probe *const *probes = search->container->probes;

    cf_extremes_keep(extremes, &search->usual, cf_search_lag_ns(search, &search->usual, sought));
    for (int type = KP_READINESS; type <= KP_STARTUP; type++) {
        int other = type == KP_READINESS ? KP_STARTUP : KP_READINESS;
        struct cf_draws draws = search->usual;

        if (!probes[type])
            continue;
        cf_search_vary(search, draws, CF_DRAW_WAIT + type, sought, extremes);
        if (!probes[other])
            continue;
        for (size_t i = 0; i < sizeof others_ms / sizeof others_ms[0]; i++) {
            int64_t period_ms = probes[other]->period_s * INT64_C(1000);

            draws.wait_ns[other] = (period_ms + others_ms[i]) % period_ms * MS;
            cf_search_vary(search, draws, CF_DRAW_WAIT + type, sought, extremes);
        }
    }
    cf_search_climb(search, CF_DRAW_LATE, 1, sought, &extremes->high);
    cf_search_climb_all(search, sought, extremes);
}

static void find_restart(struct cf_search *search)
{
    struct cf_sought sought = {CF_SEEN_READY_LAST, KP_READINESS, search->settled_ns + CF_RESYNC_NS,
                               CF_PASSES,          false,        0};
    struct cf_extremes extremes = cf_extremes_none(search);
    struct cf_extremes seen = cf_extremes_none(search);
    struct cf_draws waiting = search->usual;

    search->out->restart = CF_RANGE_NEVER;
    if (search->container->probes[KP_READINESS])
        waiting.wait_ns[KP_READINESS] =
            search->container->probes[KP_READINESS]->period_s * KP_NS_PER_S / 2;
    if (kp_profile_keeps_old(search->simulation->profile) &&
        cf_search_lag_ns(search, &waiting, &sought) == 0)
        return;
    search->seen = &seen;
    vary_workers(search, &sought, &extremes);
    search->seen = NULL;
    if (seen.high.ns > 0)
        search->out->restart =
            (struct cf_time_range){seen.low.ns, seen.high.ns, KP_RULE_KUBELET_RESTART_KEEPS_READY};
}

/* ---- what a deletion does ----------------------------------------------------------------------
 */

static void find_end(struct cf_search *search)
{
    struct cf_world world = cf_search_world(search, &search->usual, CF_SEEN_KILLED);
    struct cf_seen seen;

    world.deleted_ns = world.from_ns = search->settled_ns;
    world.end_ns += search->settled_ns;
    cf_search_play(search, &world, &seen);
    search->out->ends = CF_RANGE_NEVER;
    if (search->err != KP_OK || seen.at_ns[CF_SEEN_KILLED] == KP_NEVER)
        return;
    search->out->ends = CF_RANGE_UNSEEN;
    cf_range_widen(&search->out->ends, seen.at_ns[CF_SEEN_KILLED] - search->settled_ns,
                   seen.rule[CF_SEEN_KILLED]);
    search->out->ends_grace_s = seen.grace_s;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static struct cf_container_budget nothing(int container)
{
    const struct cf_trouble none = {
        CF_RANGE_NEVER, CF_RANGE_NEVER, CF_RANGE_NEVER, CF_RANGE_NEVER, CF_RANGE_NEVER, 0, 0};

    return (struct cf_container_budget){.container = container,
                                        .start = CF_RANGE_NEVER,
                                        .killed = CF_RANGE_NEVER,
                                        .soonest_ns = KP_NEVER,
                                        .ready = CF_RANGE_NEVER,
                                        .hangs = none,
                                        .fails = none,
                                        .ends = CF_RANGE_NEVER,
                                        .restart = CF_RANGE_NEVER};
}

static void find_parts(struct cf_search *search, unsigned parts)
{
    struct cf_container_budget *out = search->out;

    if (parts & (CF_BUDGET_START | CF_BUDGET_SOONEST))
        cf_search_start(search);
    if (parts & CF_BUDGET_SOONEST)
        find_soonest(search);
    if (parts & CF_BUDGET_READY)
        find_ready(search);
    if (parts & (CF_BUDGET_HANGS | CF_BUDGET_FAILS))
        find_troubles(search, parts);
    for (int type = 0; parts & CF_BUDGET_TOLERANCE && type < KP_PROBE_TYPES; type++)
        find_tolerance(search, (enum kp_probe_type)type);
    if (parts & CF_BUDGET_RESTART)
        find_restart(search);
    if (parts & CF_BUDGET_ENDS)
        find_end(search);
    if (search->err != KP_OK)
        *out = nothing(out->container);
}

static enum kp_err find_container(struct cf_simulation *simulation, int container, unsigned parts,
                                  struct cf_container_budget *out)
{
    struct cf_search search = {.simulation = simulation,
                               .container = &simulation->pod->containers[container],
                               .out = out,
                               .usual = {.relist_ns = CF_USUAL_RELIST_NS},
                               .horizon_ns = cf_budget_horizon_ns(simulation->pod, container),
                               .err = KP_OK};
    struct cf_world world;
    struct cf_seen seen;

    *out = nothing(container);
    simulation->container = container;
    search.settled_ns = settled_ns(simulation->pod, search.container);
    world = cf_search_world(&search, &search.usual, CF_SEEN_READY);
    cf_search_play(&search, &world, &seen);
    if (search.err == KP_OK && seen.at_ns[CF_SEEN_RUNNING] != KP_NEVER) {
        search.runs_ns = seen.runs_ns;
        search.late_ns = seen.at_ns[CF_SEEN_RUNNING] - seen.runs_ns;
    }
    find_parts(&search, parts);
    return search.err;
}

static bool has_probe(const struct kp_container *container)
{
    return container->probes[KP_LIVENESS] || container->probes[KP_READINESS] ||
           container->probes[KP_STARTUP];
}

static enum kp_err find_all(struct cf_simulation *simulation, struct cf_budget *out)
{
    const struct kp_pod *pod = simulation->pod;
    enum kp_err err = KP_OK;

    for (size_t i = 0; err == KP_OK && i < kp_pod_container_count(pod); i++) {
        if (!has_probe(&pod->containers[i]) || pod->containers[i].kind == KP_EPHEMERAL ||
            (pod->containers[i].kind == KP_INIT && !kp_container_is_sidecar(&pod->containers[i])))
            continue;
        err = find_container(simulation, (int)i, CF_BUDGET_ALL, &out->containers[out->count++]);
    }
    out->plays = simulation->plays;
    return err;
}

enum kp_err cf_budget_find(struct cf_arena *arena, const struct kp_profile *profile,
                           const struct kp_pod *pod, struct cf_budget *out, const char **why)
{
    struct cf_simulation simulation;
    enum kp_err err = cf_simulation_init(&simulation, arena, profile, pod);

    *out = (struct cf_budget){0};
    *why = NULL;
    out->containers =
        cf_arena_array(arena, kp_pod_container_count(pod) + 1, sizeof *out->containers);
    if (!out->containers)
        err = KP_ENOMEM;
    if (err == KP_OK)
        err = find_all(&simulation, out);
    *why = simulation.why;
    cf_simulation_deinit(&simulation);
    return err;
}

enum kp_err cf_budget_find_one(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct kp_pod *pod, int container, unsigned parts,
                               struct cf_container_budget *out, const char **why)
{
    struct cf_simulation simulation;
    enum kp_err err = cf_simulation_init(&simulation, arena, profile, pod);

    *out = nothing(container);
    if (err == KP_OK)
        err = find_container(&simulation, container, parts, out);
    *why = simulation.why;
    cf_simulation_deinit(&simulation);
    return err;
}
