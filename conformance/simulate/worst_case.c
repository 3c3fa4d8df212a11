#include "conformance/simulate/worst_case.h"

#include "fakes/engine_impl.h"

#define PPB INT64_C(1000000000)
#define OLD_NS (120 * KP_NS_PER_S) /* a kubelet older than any period that is usual */

/* Values of each chance; the first is that of a plain simulation.  No other falls on whole tenths
 * of a second, where scripts and periods make ties that no node has. */
static const int phases_ms[] = {500, 550, 650, 750, 850, 950, 50, 150, 250, 350, 450};
static const int waits_ppm[] = {0,      100000, 200000, 300000, 400000, 500000,
                                600000, 700000, 800000, 900000, 999999};
static const int requeues_percent[] = {0, 50, 100};
static const int walls_ms[] = {0, 250, 500, 750};

#define COUNT(values) ((int)(sizeof(values) / sizeof(values)[0]))

/* ---- one play ------------------------------------------------------------------------------ */

enum { KILLS, STARTS, KINDS };

struct seen {
    int64_t at_ns[KINDS][CF_WORST_CASE_KILLS_MAX];
    int count[KINDS];
};

struct play {
    struct fake_engine_impl impl;
    struct seen *seen; /* by container */
    size_t containers;
};

/* An effect's instant is known when its turn is over: until then it is noted as never. */
static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct play *play = ctx;
    int kind = effect->kind == KP_EFFECT_KILL ? KILLS : STARTS;
    struct seen *seen;

    if (effect->kind != KP_EFFECT_KILL &&
        (effect->kind != KP_EFFECT_START || effect->u.restart == 0))
        return;
    seen = &play->seen[effect->container];
    if (seen->count[kind] < CF_WORST_CASE_KILLS_MAX)
        seen->at_ns[kind][seen->count[kind]++] = KP_NEVER;
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct play *play = ctx;

    for (size_t i = 0; i < play->containers; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int n = play->seen[i].count[kind];
                 n > 0 && play->seen[i].at_ns[kind][n - 1] == KP_NEVER; n--)
                play->seen[i].at_ns[kind][n - 1] = at_ns;
}

struct search {
    struct cf_arena *arena;
    struct cf_worst_case *worst;
    const struct fake_script *script;
    struct fake_jitter_row *waits; /* liveness and startup of each container */
    struct play play;
    struct seen *usual;
    const char *why;
};

static void reset(struct search *search)
{
    for (size_t i = 0; i < search->play.containers; i++)
        search->play.seen[i].count[KILLS] = search->play.seen[i].count[STARTS] = 0;
}

static void set_waits(struct search *search, const int *draws)
{
    for (size_t i = 0; i < search->play.containers; i++) {
        search->waits[2 * i].delay_ppb =
            waits_ppm[draws[CF_CHANCE_LIVENESS_WAIT]] * (PPB / 1000000);
        search->waits[2 * i + 1].delay_ppb =
            waits_ppm[draws[CF_CHANCE_STARTUP_WAIT]] * (PPB / 1000000);
    }
}

/* A worker waits only in a young kubelet (P-015), up to 1.20 in every one (P-014). */
static bool is_young(const struct search *search, const int *draws)
{
    return search->worst->profile->jitter_only_when_young &&
           (draws[CF_CHANCE_LIVENESS_WAIT] > 0 || draws[CF_CHANCE_STARTUP_WAIT] > 0);
}

static enum kp_err play_once(struct search *search, const int *draws)
{
    const struct kp_pod *const pods[] = {search->worst->pod};
    int64_t phase_ns = phases_ms[draws[CF_CHANCE_PHASE]] * KP_NS_PER_MS;
    struct fake_run run = {
        .impl = fake_engine_impl_interface(&search->play.impl),
        .open = {.layer = FAKE_LAYER_POD,
                 .profile = search->worst->profile,
                 .pods = pods,
                 .pod_count = 1,
                 .uptime_ns = is_young(search, draws) ? phase_ns : OLD_NS + phase_ns,
                 .wall_ns = walls_ms[draws[CF_CHANCE_WALL]] * KP_NS_PER_MS,
                 .sync_frequency_ns = 60 * KP_NS_PER_S,
                 .requeue_ppb = requeues_percent[draws[CF_CHANCE_REQUEUE]] * (PPB / 100),
                 .jitter = FAKE_JITTER_MAP,
                 .jitter_rows = search->waits,
                 .jitter_row_count = 2 * search->play.containers},
        .script = *search->script,
        .observer = {on_effect, on_instant, NULL, &search->play},
        .end_ns = search->worst->end_ns,
    };
    enum fake_end end;

    reset(search);
    set_waits(search, draws);
    end = fake_world_run(&run, search->arena->mem);
    if (end == FAKE_END_DONE)
        return KP_OK;
    search->why = run.error                    ? run.error
                  : search->play.impl.error[0] ? search->play.impl.error
                                               : fake_end_name(end);
    return end == FAKE_END_NOMEM ? KP_ENOMEM : KP_EINPUT;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int64_t first_kill_ns(const struct seen *seen, size_t containers)
{
    int64_t first_ns = KP_NEVER;

    for (size_t i = 0; i < containers; i++)
        if (seen[i].count[KILLS] > 0 && seen[i].at_ns[KILLS][0] < first_ns)
            first_ns = seen[i].at_ns[KILLS][0];
    return first_ns;
}

static int64_t nth_ns(const struct seen *seen, const struct cf_worst_case_row *row)
{
    int kind = row->start ? STARTS : KILLS;

    return seen->count[kind] >= row->n ? seen->at_ns[kind][row->n - 1] : KP_NEVER;
}

static bool has_probe(const struct kp_pod *pod, enum kp_probe_type type)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        if (pod->containers[i].probes[type])
            return true;
    return false;
}

static int values_of(const struct search *search, enum cf_chance chance)
{
    switch (chance) {
    case CF_CHANCE_PHASE:
        return COUNT(phases_ms);
    case CF_CHANCE_LIVENESS_WAIT:
        return has_probe(search->worst->pod, KP_LIVENESS) ? COUNT(waits_ppm) : 1;
    case CF_CHANCE_STARTUP_WAIT:
        return has_probe(search->worst->pod, KP_STARTUP) ? COUNT(waits_ppm) : 1;
    case CF_CHANCE_REQUEUE:
        return COUNT(requeues_percent);
    default:
        return COUNT(walls_ms);
    }
}

/* Which chance differs from its usual value, if it is the only one; -1: none, or several. */
static int only_one(const int *draws)
{
    int found = -1;

    for (int chance = 0; chance < CF_CHANCES; chance++) {
        if (draws[chance] == 0)
            continue;
        if (found >= 0)
            return -1;
        found = chance;
    }
    return found;
}

static void copy_draws(int *to, const int *from)
{
    for (int chance = 0; chance < CF_CHANCES; chance++)
        to[chance] = from[chance];
}

static void note_first_kill(struct search *search, const int *draws, int64_t *earliest_ns,
                            int64_t *latest_ns)
{
    struct cf_worst_case *worst = search->worst;
    int64_t usual_ns = first_kill_ns(search->usual, search->play.containers);
    int64_t at_ns = first_kill_ns(search->play.seen, search->play.containers);
    int chance = only_one(draws);

    if (at_ns < *earliest_ns) {
        *earliest_ns = at_ns;
        copy_draws(worst->earliest, draws);
    }
    if (at_ns > *latest_ns) {
        *latest_ns = at_ns;
        copy_draws(worst->latest, draws);
    }
    if (chance < 0 || usual_ns == at_ns)
        return;
    if (at_ns == KP_NEVER) {
        worst->shares[chance].spares = true;
        return;
    }
    if (usual_ns == KP_NEVER) {
        if (at_ns < worst->shares[chance].kills_ns)
            worst->shares[chance].kills_ns = at_ns;
        return;
    }
    if (at_ns - usual_ns < worst->shares[chance].from_ns)
        worst->shares[chance].from_ns = at_ns - usual_ns;
    if (at_ns - usual_ns > worst->shares[chance].to_ns)
        worst->shares[chance].to_ns = at_ns - usual_ns;
}

static void note_rows(struct search *search)
{
    for (size_t i = 0; i < search->worst->row_count; i++) {
        struct cf_worst_case_row *row = &search->worst->rows[i];
        int64_t at_ns = nth_ns(&search->play.seen[row->container], row);

        if (at_ns < row->earliest_ns)
            row->earliest_ns = at_ns;
        if (at_ns > row->latest_ns)
            row->latest_ns = at_ns;
    }
}

/* Count the draws up like the wheels of a counter; false: all have been. */
static bool next_draws(const struct search *search, int *draws)
{
    for (int chance = 0; chance < CF_CHANCES; chance++) {
        if (++draws[chance] < values_of(search, (enum cf_chance)chance))
            return true;
        draws[chance] = 0;
    }
    return false;
}

/* A row for whatever may happen, kill and restart in turn; those that never do are dropped later.
 */
static bool make_rows(struct search *search)
{
    struct cf_worst_case *worst = search->worst;
    size_t containers = search->play.containers;

    worst->rows = cf_arena_array(search->arena, containers * KINDS * CF_WORST_CASE_KILLS_MAX,
                                 sizeof *worst->rows);
    if (!worst->rows)
        return false;
    for (size_t i = 0; i < containers; i++)
        for (int n = 0; n < KINDS * CF_WORST_CASE_KILLS_MAX; n++)
            worst->rows[worst->row_count++] =
                (struct cf_worst_case_row){.container = (int)i,
                                           .start = n % KINDS == STARTS,
                                           .n = n / KINDS + 1,
                                           .earliest_ns = KP_NEVER,
                                           .latest_ns = -1};
    return true;
}

static void drop_empty_rows(struct search *search)
{
    struct cf_worst_case *worst = search->worst;
    size_t kept = 0;

    for (size_t i = 0; i < worst->row_count; i++) {
        worst->rows[i].usual_ns = nth_ns(&search->usual[worst->rows[i].container], &worst->rows[i]);
        if (worst->rows[i].earliest_ns != KP_NEVER)
            worst->rows[kept++] = worst->rows[i];
    }
    worst->row_count = kept;
}

static bool prepare(struct search *search)
{
    size_t containers = kp_pod_container_count(search->worst->pod);

    search->play.impl.mem = search->arena->mem;
    search->play.containers = containers;
    search->play.seen = cf_arena_array(search->arena, containers + 1, sizeof *search->play.seen);
    search->usual = cf_arena_array(search->arena, containers + 1, sizeof *search->usual);
    search->waits = cf_arena_array(search->arena, 2 * containers + 1, sizeof *search->waits);
    if (!search->play.seen || !search->usual || !search->waits || !make_rows(search))
        return false;
    for (size_t i = 0; i < containers; i++) {
        struct kp_text name = search->worst->pod->containers[i].name;

        search->waits[2 * i] = (struct fake_jitter_row){.container = name, .type = KP_LIVENESS};
        search->waits[2 * i + 1] = (struct fake_jitter_row){.container = name, .type = KP_STARTUP};
    }
    for (int chance = 0; chance < CF_CHANCES; chance++)
        search->worst->shares[chance] = (struct cf_worst_case_share){
            .matters = values_of(search, (enum cf_chance)chance) > 1, .kills_ns = KP_NEVER};
    return true;
}

enum kp_err cf_worst_case_play(struct cf_arena *arena, const struct fake_script *script,
                               struct cf_worst_case *worst, const char **why)
{
    struct search search = {.arena = arena, .worst = worst, .script = script};
    int draws[CF_CHANCES] = {0};
    int64_t earliest_ns = KP_NEVER;
    int64_t latest_ns = -1;

    *why = NULL;
    if (!prepare(&search))
        return KP_ENOMEM;
    do {
        enum kp_err err = play_once(&search, draws);

        *why = search.why;
        if (err != KP_OK)
            return err;
        if (worst->plays++ == 0)
            for (size_t i = 0; i < search.play.containers; i++)
                search.usual[i] = search.play.seen[i];
        note_first_kill(&search, draws, &earliest_ns, &latest_ns);
        note_rows(&search);
    } while (next_draws(&search, draws));
    worst->kills = earliest_ns != KP_NEVER;
    drop_empty_rows(&search);
    return KP_OK;
}

int cf_chance_value(enum cf_chance chance, int draw)
{
    switch (chance) {
    case CF_CHANCE_PHASE:
        return (1000 - phases_ms[draw]) % 1000;
    case CF_CHANCE_REQUEUE:
        return requeues_percent[draw];
    case CF_CHANCE_WALL:
        return walls_ms[draw];
    default:
        return (waits_ppm[draw] + 1) / 10000;
    }
}
