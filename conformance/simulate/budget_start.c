/* budget_start.c: how long a start may take, and how long one lives that never answers. */
#include "conformance/simulate/budget_search.h"

#define MS KP_NS_PER_MS

/* ---- the first probe --------------------------------------------------------------------------
 */

/* Where its status says earliest and latest that it runs. */
static struct cf_extremes find_running(struct cf_search *search)
{
    const struct cf_sought sought = {.observation = CF_SEEN_RUNNING};
    struct cf_extremes extremes = cf_extremes_none(search);

    cf_search_vary(search, search->usual, CF_DRAW_RELIST, &sought, &extremes);
    if (search->runs_ns > 0) { /* its start may come with relists: it is moved against them */
        cf_search_climb(search, CF_DRAW_START, -1, &sought, &extremes.low);
        cf_search_climb(search, CF_DRAW_START, 1, &sought, &extremes.high);
    }
    return extremes;
}

static struct cf_extremes find_first(struct cf_search *search, enum kp_probe_type type)
{
    static const int walls_ms[] = {1, 0, -2}; /* a whole second of the wall clock, after it runs */
    const struct cf_sought sought = {.observation = CF_SEEN_PROBE, .type = type};
    const struct cf_extremes running = find_running(search);
    const struct cf_draws ends[] = {running.low.draws, running.high.draws};
    struct cf_extremes extremes = cf_extremes_none(search);

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            struct cf_draws draws = ends[i];
            int64_t runs_ns = cf_search_begins_ns(search, draws.relist_ns) + draws.start_ns;

            draws.wall_ns =
                (2 * KP_NS_PER_S - runs_ns % KP_NS_PER_S - walls_ms[k] * MS) % KP_NS_PER_S;
            cf_search_vary(search, draws, CF_DRAW_WAIT + (int)type, &sought, &extremes);
        }
    return extremes;
}

/* ---- how long a start may take ----------------------------------------------------------------
 */

/* A start's one probe: readiness kills nothing. */
static enum kp_probe_type guard_of(const struct kp_container *container)
{
    return container->probes[KP_STARTUP] ? KP_STARTUP : KP_LIVENESS;
}

/* All its probes fail; the last attempt before the kill is the one that it has to answer. */
static void play_start(struct cf_search *search, const struct cf_draws *draws)
{
    struct cf_container_budget *out = search->out;
    struct cf_world world = cf_search_world(search, draws, CF_SEEN_KILLED);
    struct cf_seen seen;
    int64_t lag_ns;

    world.health = CF_REFUSES;
    cf_search_play(search, &world, &seen);
    if (search->err != KP_OK || seen.at_ns[CF_SEEN_KILLED] == KP_NEVER ||
        seen.last_ns[out->start_by] == KP_NEVER) { /* or killed without a probe */
        out->start = CF_RANGE_NEVER;
        return;
    }
    lag_ns = seen.last_ns[out->start_by] - seen.runs_ns;
    cf_range_widen(&out->start, lag_ns, seen.rule[CF_SEEN_KILLED]);
}

static int64_t modulo(int64_t n, int64_t of)
{
    return (n % of + of) % of;
}

/* A relist at an instant, where a start that comes with relists is not moved, and what comes behind
 * it is.  Returns: by how much. */
static int64_t put_relist(const struct cf_search *search, struct cf_draws *draws, int64_t at_ns)
{
    enum kp_probe_type type = search->out->start_by;
    int64_t period_ns = search->container->probes[type]->period_s * KP_NS_PER_S;
    int64_t start_ns = draws->start_ns;

    if (search->runs_ns == 0) {
        draws->relist_ns = modulo(at_ns, KP_NS_PER_S);
        return 0;
    }
    draws->start_ns = modulo(draws->relist_ns - at_ns + start_ns, KP_NS_PER_S);
    draws->wall_ns = modulo(draws->wall_ns - draws->start_ns + start_ns, KP_NS_PER_S);
    draws->wait_ns[type] = modulo(draws->wait_ns[type] + draws->start_ns - start_ns, period_ns);
    return draws->start_ns - start_ns;
}

/* It never answers.  Returns: when liveness or startup has failed often enough, KP_NEVER. */
static int64_t play_killed(struct cf_search *search, const struct cf_world *world)
{
    struct cf_container_budget *out = search->out;
    struct cf_seen seen;

    cf_search_play(search, world, &seen);
    if (search->err != KP_OK || seen.at_ns[CF_SEEN_KILLED] == KP_NEVER)
        return KP_NEVER;
    cf_range_widen(&out->killed, seen.at_ns[CF_SEEN_KILLED] - seen.runs_ns,
                   seen.rule[CF_SEEN_KILLED]);
    out->killed_grace_s = seen.grace_s;
    return seen.at_ns[CF_SEEN_RESULT];
}

/* The last result may wait for a relist that is newer than the last sync (S-020): it may come just
 * before one, or just behind one and a change of the object, which is a sync. */
static void play_relists(struct cf_search *search, struct cf_world world)
{
    static const int relists_ms[] = {0, 1, -2};
    int64_t result_ns = play_killed(search, &world);

    for (int i = 0; i < 6 && search->err == KP_OK && result_ns != KP_NEVER; i++) {
        struct cf_world other = world;
        int64_t moved_ns =
            put_relist(search, &other.draws, result_ns + KP_NS_PER_S + relists_ms[i / 2] * MS);

        other.touched_ns = i % 2 == 0 ? 0 : result_ns + moved_ns - MS;
        play_killed(search, &other);
    }
}

/* Where results start no sync (S-011), the next one by itself is as late as it may be just behind
 * the last. */
static void play_requeues(struct cf_search *search, struct cf_world world)
{
    const struct cf_sought sought = {CF_SEEN_KILLED, KP_LIVENESS, 0, world.health, true, 0};

    for (int late = 0; late < 2; late++) {
        struct cf_extremes extremes = cf_extremes_none(search);

        world.draws.late_ns = late;
        cf_search_vary(search, world.draws, CF_DRAW_WAIT + (int)search->out->start_by, &sought,
                       &extremes);
        cf_search_climb(search, CF_DRAW_RELIST, 1, &sought, &extremes.high);
        world.draws = extremes.high.draws;
        play_killed(search, &world);
    }
}

static void find_killed(struct cf_search *search)
{
    for (int i = 0; i < 4; i++) {
        struct cf_world world =
            cf_search_world(search, &search->out->start_draws[i / 2], CF_SEEN_KILLED);

        world.health = i % 2 == 0 ? CF_FAILS : CF_HANGS;
        play_relists(search, world);
        if (!search->simulation->profile->probe_sync)
            play_requeues(search, world);
    }
}

void cf_search_start(struct cf_search *search)
{
    struct cf_container_budget *out = search->out;
    struct cf_extremes first;

    out->start_by = guard_of(search->container);
    out->start = out->killed = CF_RANGE_NEVER;
    if (!search->container->probes[out->start_by])
        return;
    first = find_first(search, out->start_by);
    out->start_draws[0] = first.low.draws;
    out->start_draws[1] = first.high.draws;
    out->start = out->killed = CF_RANGE_UNSEEN;
    for (int i = 0; i < 2 && out->start.latest_ns != KP_NEVER; i++)
        play_start(search, &out->start_draws[i]);
    if (out->start.latest_ns == KP_NEVER)
        out->killed = CF_RANGE_NEVER;
    else
        find_killed(search);
}
