#include "conformance/simulate/budget_search.h"

#define MS KP_NS_PER_MS

struct cf_world cf_search_world(const struct cf_search *search, const struct cf_draws *draws,
                                enum cf_observation until)
{
    return (struct cf_world){.draws = *draws, .until = until, .end_ns = search->horizon_ns};
}

void cf_search_play(struct cf_search *search, const struct cf_world *world, struct cf_seen *seen)
{
    if (search->err == KP_OK)
        search->err = cf_simulation_play(search->simulation, world, seen);
    else
        *seen = (struct cf_seen){.runs_ns = KP_NEVER};
}

static int64_t play_lag_ns(struct cf_search *search, const struct cf_draws *draws,
                           const struct cf_sought *sought)
{
    struct cf_world world = cf_search_world(search, draws, sought->observation);
    struct cf_seen seen;

    world.type = sought->type;
    world.health = sought->health;
    world.spared[KP_STARTUP] = !sought->never_starts;
    if (sought->age_ns > 0) {
        world.health = CF_STARTS_SLOWLY;
        world.at_ns = sought->age_ns;
        world.end_ns += sought->age_ns;
        world.spared[KP_STARTUP] = false;
    }
    world.restarts_ns = world.from_ns = sought->restarts_ns;
    if (sought->restarts_ns > 0)
        world.end_ns = sought->restarts_ns + search->settled_ns + CF_RESYNC_NS;
    cf_search_play(search, &world, &seen);
    if (sought->restarts_ns > 0 && seen.at_ns[CF_SEEN_UNREADY] == KP_NEVER)
        return 0;
    if (search->err != KP_OK || seen.runs_ns == KP_NEVER ||
        seen.at_ns[sought->observation] == KP_NEVER)
        return KP_NEVER;
    if (sought->restarts_ns == 0)
        return seen.at_ns[sought->observation] - seen.runs_ns - sought->age_ns;
    return seen.at_ns[sought->observation] - sought->restarts_ns - CF_KUBELET_DOWN_NS;
}

int64_t cf_search_lag_ns(struct cf_search *search, const struct cf_draws *draws,
                         const struct cf_sought *sought)
{
    int64_t lag_ns = play_lag_ns(search, draws, sought);

    if (search->seen && lag_ns != KP_NEVER)
        cf_extremes_keep(search->seen, draws, lag_ns);
    return lag_ns;
}

void cf_extremes_keep(struct cf_extremes *extremes, const struct cf_draws *draws, int64_t ns)
{
    if (ns < extremes->low.ns)
        extremes->low = (struct cf_extreme){*draws, ns, 0};
    if (ns > extremes->high.ns)
        extremes->high = (struct cf_extreme){*draws, ns, 0};
}

static int64_t *value_in(struct cf_draws *draws, int chance)
{
    if (chance == CF_DRAW_RELIST)
        return &draws->relist_ns;
    if (chance == CF_DRAW_WALL)
        return &draws->wall_ns;
    if (chance == CF_DRAW_LATE)
        return &draws->late_ns;
    return chance == CF_DRAW_START ? &draws->start_ns : &draws->wait_ns[chance - CF_DRAW_WAIT];
}

void cf_range_widen(struct cf_time_range *range, int64_t ns, enum kp_rule rule)
{
    if (ns < range->earliest_ns)
        range->earliest_ns = ns;
    if (ns > range->latest_ns)
        range->latest_ns = ns;
    if (rule != KP_RULE_NONE)
        range->rule = rule;
}

/* How many milliseconds a chance has; 0: it has none, without the probe. */
static int64_t values_of(const struct cf_search *search, int chance)
{
    const struct kp_probe *probe;

    if (chance == CF_DRAW_LATE)
        return 2;
    if (chance < CF_DRAW_WAIT)
        return 1000;
    probe = search->container->probes[chance - CF_DRAW_WAIT];
    return probe ? probe->period_s * INT64_C(1000) : 0;
}

struct cf_extremes cf_extremes_none(const struct cf_search *search)
{
    return (struct cf_extremes){{search->usual, KP_NEVER, 0}, {search->usual, -1, 0}};
}

/* ---- a chance at a time ---------------------------------------------------------------------- */

/*
 * Draw one chance otherwise.  The later the ticks or relists fall, the later comes what is waited
 * for, up to where an earlier one sees it: that is where it is earliest, and 1 ms before latest.
 */
void cf_search_vary(struct cf_search *search, struct cf_draws draws, int chance,
                    const struct cf_sought *sought, struct cf_extremes *extremes)
{
    int64_t *value_ns = value_in(&draws, chance);
    int64_t low_ms = 0;
    int64_t high_ms = values_of(search, chance);
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

/* In a circle: behind the last value comes the first. */
static void move(const struct cf_search *search, struct cf_draws *draws, int chance,
                 int64_t step_ms)
{
    int64_t values_ms = values_of(search, chance);
    int64_t *value_ns = value_in(draws, chance);

    *value_ns = ((*value_ns / MS + step_ms) % values_ms + values_ms) % values_ms * MS;
}

/* Draw one chance a little earlier or later, as long as that makes it earlier, or later. */
void cf_search_climb(struct cf_search *search, int chance, int way, const struct cf_sought *sought,
                     struct cf_extreme *best)
{
    int64_t values_ms = values_of(search, chance);

    for (int64_t step_ms = values_ms / 2; step_ms > 0; step_ms -= (step_ms + 1) / 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct cf_extreme other = *best;

            move(search, &other.draws, chance, sign * step_ms);
            other.ns = cf_search_lag_ns(search, &other.draws, sought);
            if (way * other.ns > way * best->ns) {
                *best = other;
                step_ms += step_ms == 1; /* to the last millisecond */
            }
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

/* Where two of them coincide, neither alone makes it better: both are moved, by 1 ms each. */
static void climb_pairs(struct cf_search *search, int way, const struct cf_sought *sought,
                        struct cf_extreme *best)
{
    static const int signs[][2] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

    for (int one = CF_DRAW_RELIST; one < CF_DRAW_WAIT + KP_PROBE_TYPES; one++)
        for (int other = one + 1; other < CF_DRAW_WAIT + KP_PROBE_TYPES; other++)
            for (int i = 0; is_free(search, one) && is_free(search, other) && i < 4; i++) {
                struct cf_extreme moved = *best;

                move(search, &moved.draws, one, signs[i][0]);
                move(search, &moved.draws, other, signs[i][1]);
                moved.ns = cf_search_lag_ns(search, &moved.draws, sought);
                if (moved.ns != KP_NEVER && way * moved.ns > way * best->ns)
                    *best = moved;
            }
}

/* Relists and another chance together, by the same or against each other: the latest is where a
 * result has just missed a relist, wherever in a second that is. */
static void climb_with_relists(struct cf_search *search, const struct cf_sought *sought,
                               struct cf_extreme *best)
{
    for (int64_t step_ms = 500; step_ms > 0; step_ms /= 2)
        for (int other = CF_DRAW_WALL; other < CF_DRAW_WAIT + KP_PROBE_TYPES; other++)
            for (int i = 0; is_free(search, other) && i < 4; i++) {
                struct cf_extreme moved = *best;

                move(search, &moved.draws, CF_DRAW_RELIST, i < 2 ? step_ms : -step_ms);
                move(search, &moved.draws, other, i % 2 ? step_ms : -step_ms);
                moved.ns = cf_search_lag_ns(search, &moved.draws, sought);
                if (moved.ns != KP_NEVER && moved.ns > best->ns) {
                    *best = moved;
                    step_ms += step_ms == 1; /* to the last millisecond */
                }
            }
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
    climb_with_relists(search, sought, &extremes->high);
    climb_pairs(search, -1, sought, &extremes->low);
    climb_pairs(search, 1, sought, &extremes->high);
}

int64_t cf_search_begins_ns(struct cf_search *search, int64_t relist_ns)
{
    int64_t *begins_ns = &search->begins_ns[relist_ns / MS];
    struct cf_draws draws = {.relist_ns = relist_ns};
    struct cf_world world = cf_search_world(search, &draws, CF_SEEN_RUNNING);
    struct cf_seen seen;

    if (search->runs_ns == 0)
        return 0;
    if (*begins_ns == 0) {
        cf_search_play(search, &world, &seen);
        *begins_ns = seen.runs_ns == KP_NEVER ? search->runs_ns : seen.runs_ns;
    }
    return *begins_ns;
}
