#include "conformance/simulate/budget_search.h"

#define MS KP_NS_PER_MS

struct cf_world cf_search_world(const struct cf_search *search, const struct cf_draws *draws,
                                enum cf_sight until)
{
    return (struct cf_world){.draws = *draws, .until = until, .end_ns = search->horizon_ns};
}

void cf_search_play(struct cf_search *search, const struct cf_world *world, struct cf_seen *seen)
{
    if (search->err == KP_OK)
        search->err = cf_stage_play(search->stage, world, seen);
    else
        *seen = (struct cf_seen){.runs_ns = KP_NEVER};
}

int64_t cf_search_lag_ns(struct cf_search *search, const struct cf_draws *draws,
                         const struct cf_sought *sought)
{
    struct cf_world world = cf_search_world(search, draws, sought->sight);
    struct cf_seen seen;

    world.type = sought->type;
    world.restarts_ns = world.from_ns = sought->restarts_ns;
    if (sought->restarts_ns > 0)
        world.end_ns = sought->restarts_ns + search->settled_ns + CF_RESYNC_NS;
    cf_search_play(search, &world, &seen);
    if (sought->restarts_ns > 0 && seen.at_ns[CF_SEEN_UNREADY] == KP_NEVER)
        return 0;
    if (search->err != KP_OK || seen.runs_ns == KP_NEVER || seen.at_ns[sought->sight] == KP_NEVER)
        return KP_NEVER;
    if (sought->restarts_ns == 0)
        return seen.at_ns[sought->sight] - seen.runs_ns;
    return seen.at_ns[sought->sight] - sought->restarts_ns - CF_KUBELET_DOWN_NS;
}

void cf_extremes_keep(struct cf_extremes *extremes, const struct cf_draws *draws, int64_t ns)
{
    if (ns < extremes->low.ns)
        extremes->low = (struct cf_extreme){*draws, ns};
    if (ns > extremes->high.ns)
        extremes->high = (struct cf_extreme){*draws, ns};
}

int64_t *cf_draws_value(struct cf_draws *draws, int chance)
{
    if (chance == CF_DRAW_RELIST)
        return &draws->relist_ns;
    if (chance == CF_DRAW_WALL)
        return &draws->wall_ns;
    if (chance == CF_DRAW_LATE)
        return &draws->late_ns;
    return chance == CF_DRAW_START ? &draws->start_ns : &draws->wait_ns[chance - CF_DRAW_WAIT];
}

int64_t cf_draw_values(const struct cf_search *search, int chance)
{
    const struct kp_probe *probe;

    if (chance == CF_DRAW_LATE)
        return 2;
    if (chance < CF_DRAW_WAIT)
        return 1000;
    probe = search->container->probes[chance - CF_DRAW_WAIT];
    return probe ? probe->period_s * INT64_C(1000) : 0;
}

/*
 * Draw one chance otherwise.  The later the turns or relists fall, the later comes what is waited
 * for, up to where an earlier one sees it: that is where it is earliest, and 1 ms before latest.
 */
void cf_search_vary(struct cf_search *search, struct cf_draws draws, int chance,
                    const struct cf_sought *sought, struct cf_extremes *extremes)
{
    int64_t *value_ns = cf_draws_value(&draws, chance);
    int64_t low_ms = 0;
    int64_t high_ms = cf_draw_values(search, chance);
    int64_t first_ns;

    *value_ns = 0;
    first_ns = cf_search_lag_ns(search, &draws, sought);
    cf_extremes_keep(extremes, &draws, first_ns);
    while (high_ms - low_ms > 1) {
        int64_t middle_ms = low_ms + (high_ms - low_ms) / 2;
        int64_t ns;

        *value_ns = middle_ms * MS;
        ns = cf_search_lag_ns(search, &draws, sought);
        cf_extremes_keep(extremes, &draws, ns);
        if (ns < first_ns)
            high_ms = middle_ms;
        else
            low_ms = middle_ms;
    }
}

/*
 * Where in a second it begins to run, for relists and for the wall clock.  A start that waits for
 * nothing is left where it is; one behind init containers comes with a relist, and is moved.
 */
struct cf_draws cf_search_placed(const struct cf_search *search, bool relist_is_near,
                                 bool wall_is_whole)
{
    struct cf_draws draws = search->usual;
    int64_t lag_ns = relist_is_near ? MS : 0;
    int64_t part_ns = search->runs_ns % KP_NS_PER_S;

    if (search->runs_ns == 0)
        draws.relist_ns = lag_ns;
    else
        draws.start_ns = (CF_USUAL_RELIST_NS - lag_ns - part_ns + KP_NS_PER_S) % KP_NS_PER_S;
    part_ns = (part_ns + draws.start_ns) % KP_NS_PER_S;
    draws.wall_ns = (2 * KP_NS_PER_S - part_ns - (wall_is_whole ? 0 : MS)) % KP_NS_PER_S;
    return draws;
}

struct cf_extremes cf_extremes_none(const struct cf_search *search)
{
    return (struct cf_extremes){{search->usual, KP_NEVER}, {search->usual, -1}};
}

/* Where in a second it begins, and when a worker has its turns. */
struct cf_extremes cf_search_extremes(struct cf_search *search, const struct cf_sought *sought)
{
    struct cf_extremes extremes = cf_extremes_none(search);

    for (int corner = 0; corner < 4; corner++) {
        struct cf_draws draws = cf_search_placed(search, corner & 1, corner & 2);

        if (search->container->probes[sought->type])
            cf_search_vary(search, draws, CF_DRAW_WAIT + (int)sought->type, sought, &extremes);
        else
            cf_extremes_keep(&extremes, &draws, cf_search_lag_ns(search, &draws, sought));
    }
    return extremes;
}

/* Draw one chance a little earlier or later, as long as that makes it earlier, or later. */
void cf_search_climb(struct cf_search *search, int chance, int way, const struct cf_sought *sought,
                     struct cf_extreme *best)
{
    int64_t values_ms = cf_draw_values(search, chance);

    for (int64_t step_ms = values_ms / 2; step_ms > 0; step_ms -= (step_ms + 1) / 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct cf_extreme other = *best;
            int64_t value_ms = *cf_draws_value(&other.draws, chance) / MS + sign * step_ms;

            *cf_draws_value(&other.draws, chance) = (value_ms + values_ms) % values_ms * MS;
            other.ns = cf_search_lag_ns(search, &other.draws, sought);
            if (way * other.ns > way * best->ns)
                *best = other;
        }
}

static bool is_free(const struct cf_search *search, int chance)
{
    if (chance == CF_DRAW_START)
        return search->runs_ns > 0; /* else the workers' waits do the same */
    if (chance == CF_DRAW_LATE || chance == CF_DRAW_WAIT + KP_LIVENESS)
        return false;
    return chance < CF_DRAW_WAIT || search->container->probes[chance - CF_DRAW_WAIT];
}

void cf_search_climb_all(struct cf_search *search, const struct cf_sought *sought,
                         struct cf_extremes *extremes)
{
    int64_t low_ns = KP_NEVER;
    int64_t high_ns = -1;

    /* Each chance once more where one of the others has brought something. */
    for (int round = 0; round < 2 && (extremes->low.ns < low_ns || extremes->high.ns > high_ns);
         round++) {
        low_ns = extremes->low.ns;
        high_ns = extremes->high.ns;
        for (int chance = CF_DRAW_RELIST; chance < CF_DRAW_WAIT + KP_PROBE_TYPES; chance++) {
            if (!is_free(search, chance))
                continue;
            cf_search_climb(search, chance, -1, sought, &extremes->low);
            cf_search_climb(search, chance, 1, sought, &extremes->high);
        }
    }
}
