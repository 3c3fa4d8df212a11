#include "conformance/simulate/budget_orders.h"

#define MS KP_NS_PER_MS
#define REQUEUE_NS (57 * KP_NS_PER_S) /* after 60 s at the soonest; starts may draw out by 2 s */

/* What has a part of a second of its own; that of the container's start is 0. */
enum part {
    PART_RELIST,
    PART_WALL,    /* the wall clock's whole seconds */
    PART_GUARD,   /* the startup worker's ticks */
    PART_TICK,    /* those of the probe that is sought */
    PART_CREATED, /* the pod, where init containers run first */
    PARTS
};

struct order {
    int rank[PARTS];       /* 1: first behind the start; 0: there is none */
    int64_t tick_s[PARTS]; /* of both workers: a tick's whole second, counted from the start */
};

struct found {
    struct order order;
    int64_t late_ns;
    int64_t second; /* in which it comes: from its beginning on, or up to its end */
};

enum {
    ANCHORS = 5,
    SECONDS = 2 * ANCHORS, /* each, and the one before it */
    SWEPT_MAX = 64,        /* of a longer period every other second is tried, or fewer */
    DONE_MAX = 64
};

/* Both workers' ticks with which all orders were tried, or one's with which all of the other's. */
struct done {
    struct order order;
    enum part part; /* that was swept */
};

struct hunt {
    struct cf_search *search;
    const struct cf_sought *sought;
    const struct kp_probe *probes[PARTS]; /* of both workers */
    int count;                            /* parts that there are */
    struct found low;
    struct found high;
    struct done done[DONE_MAX];
    int done_count;
};

/* ---- one order --------------------------------------------------------------------------------
 */

static int64_t modulo(int64_t n, int64_t of)
{
    return (n % of + of) % of;
}

/* At which age it answers.  Its ticks may be where a trigger has put them and not where its
 * worker's wait has: it is the answer that comes some seconds before one. */
static int64_t age_ms_of(const struct hunt *hunt, const struct order *order)
{
    int64_t age_s = hunt->sought->age_ns / KP_NS_PER_S;
    int64_t before_s = order->tick_s[PART_TICK];

    return 1000 * (age_s - (before_s < age_s ? before_s : 0));
}

static struct cf_draws draws_of(const struct hunt *hunt, const struct order *order,
                                const int64_t part_ms[PARTS])
{
    struct cf_search *search = hunt->search;
    struct cf_draws draws = search->usual;
    int64_t age_ms = age_ms_of(hunt, order);
    int64_t runs_ms;

    draws.relist_ns = modulo(part_ms[PART_RELIST] - part_ms[PART_CREATED], 1000) * MS;
    runs_ms = cf_search_begins_ns(search, draws.relist_ns) / MS;
    if (search->runs_ns > 0) /* the start lasts until the parts are as they shall be */
        draws.start_ns = modulo(-part_ms[PART_CREATED] - runs_ms, 1000) * MS;
    runs_ms += draws.start_ns / MS;
    draws.wall_ns = modulo(-runs_ms - part_ms[PART_WALL], 1000) * MS;
    for (int part = PART_GUARD; part <= PART_TICK; part++) {
        enum kp_probe_type type = part == PART_GUARD ? KP_STARTUP : hunt->sought->type;
        int64_t at_ms = order->tick_s[part] * 1000 + part_ms[part] + runs_ms + age_ms;

        if (hunt->probes[part])
            draws.wait_ns[type] = modulo(at_ms, hunt->probes[part]->period_s * INT64_C(1000)) * MS;
    }
    return draws;
}

static int64_t note_order(struct hunt *hunt, const struct order *order,
                          const struct cf_draws *draws)
{
    struct cf_sought sought = *hunt->sought;
    int64_t ns;
    int64_t until;

    sought.age_ns = age_ms_of(hunt, order) * MS;
    ns = cf_search_lag_ns(hunt->search, draws, &sought);
    until = ns / KP_NS_PER_S + (ns % KP_NS_PER_S > 0);

    if (ns == KP_NEVER)
        return ns;
    if (ns / KP_NS_PER_S < hunt->low.second)
        hunt->low = (struct found){*order, draws->late_ns, ns / KP_NS_PER_S};
    if (until > hunt->high.second)
        hunt->high = (struct found){*order, draws->late_ns, until};
    return ns;
}

/* Parts far from each other; what lasts so long that a requeue may count comes with a late one,
 * too.
 */
static void try_order(struct hunt *hunt, const struct order *order)
{
    int64_t part_ms[PARTS];
    struct cf_draws draws;
    int64_t ns;

    for (int part = 0; part < PARTS; part++)
        part_ms[part] = 1000 * order->rank[part] / (hunt->count + 1);
    draws = draws_of(hunt, order, part_ms);
    ns = note_order(hunt, order, &draws);
    draws.late_ns = 1;
    if (ns != KP_NEVER && ns + hunt->search->runs_ns > REQUEUE_NS)
        note_order(hunt, order, &draws);
}

/* ---- all orders -------------------------------------------------------------------------------
 */

/* The pod's creation is put first, last, or just before relists: then it runs as early as it can.
 */
static void try_creations(struct hunt *hunt, const struct order *order)
{
    const int ranks[] = {1, order->rank[PART_RELIST], hunt->count};

    if (hunt->search->runs_ns == 0) {
        try_order(hunt, order);
        return;
    }
    for (int i = 0; i < 3; i++) {
        struct order placed = *order;

        for (int part = 0; part < PART_CREATED; part++)
            placed.rank[part] += order->rank[part] >= ranks[i];
        placed.rank[PART_CREATED] = ranks[i];
        try_order(hunt, &placed);
    }
}

/* All orders of the parts from `from` on, but for the creation's, which has no rank. */
static void try_orders(struct hunt *hunt, struct order order, int from)
{
    if (from == PART_CREATED) {
        try_creations(hunt, &order);
        return;
    }
    try_orders(hunt, order, from + 1);
    for (int other = from + 1; other < PART_CREATED && order.rank[from] > 0; other++) {
        struct order swapped = order;

        if (order.rank[other] == 0)
            continue;
        swapped.rank[from] = order.rank[other];
        swapped.rank[other] = order.rank[from];
        try_orders(hunt, swapped, from + 1);
    }
}

/* Without the creation's rank. */
static struct order without_creation(struct order order)
{
    for (int part = 0; part < PART_CREATED; part++)
        order.rank[part] -=
            order.rank[PART_CREATED] > 0 && order.rank[part] > order.rank[PART_CREATED];
    order.rank[PART_CREATED] = 0;
    return order;
}

/* ---- ticks' seconds ---------------------------------------------------------------------------
 */

static enum part other_of(enum part part)
{
    return part == PART_TICK ? PART_GUARD : PART_TICK;
}

/* Where a worker begins to probe: its workers do behind postStart hooks, and it behind its delay.
 */
static int64_t begin_s(const struct hunt *hunt, enum part part)
{
    int64_t late_s = hunt->sought->age_ns > 0 ? 0 : hunt->search->late_ns / KP_NS_PER_S;
    int64_t delay_end_s = hunt->probes[part] ? hunt->probes[part]->initial_delay_s - 1 : 0;

    return delay_end_s > late_s ? delay_end_s : late_s;
}

/* What a worker's tick may be near: where all begin, where both do, the other worker's first ticks
 * from there on. */
static void find_anchors(const struct hunt *hunt, const struct order *order, enum part part,
                         int64_t anchors_s[ANCHORS])
{
    enum part other = other_of(part);
    int64_t period_s = hunt->probes[other] ? hunt->probes[other]->period_s : 1;

    anchors_s[0] = hunt->sought->age_ns > 0 ? 0 : hunt->search->late_ns / KP_NS_PER_S;
    anchors_s[1] = begin_s(hunt, part);
    anchors_s[2] = begin_s(hunt, other);
    anchors_s[3] = anchors_s[2] + modulo(order->tick_s[other] - anchors_s[2], period_s);
    anchors_s[4] = anchors_s[3] + period_s;
}

/* The seconds of its period that are at an anchor or just before, each once.  Returns: how many. */
static int find_seconds(const struct hunt *hunt, const struct order *order, enum part part,
                        int64_t seconds[SECONDS])
{
    int64_t period_s = hunt->probes[part] ? hunt->probes[part]->period_s : 1;
    int64_t anchors_s[ANCHORS];
    int count = 0;

    find_anchors(hunt, order, part, anchors_s);
    for (int i = 0; i < SECONDS; i++) {
        int64_t second = modulo(anchors_s[i / 2] - i % 2, period_s);
        int known = 0;

        while (known < count && seconds[known] != second)
            known++;
        if (known == count)
            seconds[count++] = second;
    }
    return count;
}

/* Both workers' ticks near their anchors, in one order. */
static void try_pairs(struct hunt *hunt, struct order order)
{
    int64_t guards_s[SECONDS];
    int64_t ticks_s[SECONDS];
    int guard_count = find_seconds(hunt, &order, PART_GUARD, guards_s);

    for (int i = 0; i < guard_count; i++) {
        int tick_count;

        order.tick_s[PART_GUARD] = guards_s[i];
        tick_count = find_seconds(hunt, &order, PART_TICK, ticks_s);
        for (int k = 0; k < tick_count; k++) {
            order.tick_s[PART_TICK] = ticks_s[k];
            try_creations(hunt, &order);
        }
    }
}

static bool is_same(const struct done *a, const struct done *b)
{
    bool same = a->part == b->part;

    for (int part = 0; part < PARTS; part++)
        same &= a->order.rank[part] == b->order.rank[part] &&
                a->order.tick_s[part] == b->order.tick_s[part];
    return same;
}

/* Whether it was done before; from now on it was. */
static bool was_done(struct hunt *hunt, const struct order *order, enum part part)
{
    struct done this = {*order, part};

    for (int i = 0; i < hunt->done_count; i++)
        if (is_same(&hunt->done[i], &this))
            return true;
    if (hunt->done_count == DONE_MAX)
        return true;
    hunt->done[hunt->done_count++] = this;
    return false;
}

/* All seconds of one worker's ticks: with requeues 60 s apart any of them may matter. */
static void sweep(struct hunt *hunt, struct order order, enum part part)
{
    int64_t period_s = hunt->probes[part] ? hunt->probes[part]->period_s : 0;

    order.tick_s[part] = 0;
    if (period_s == 0 || was_done(hunt, &order, part))
        return;
    for (int64_t k = 0; k < period_s && k < SWEPT_MAX; k++) {
        order.tick_s[part] = period_s <= SWEPT_MAX ? k : k * period_s / SWEPT_MAX;
        if (order.rank[PART_CREATED] > 0)
            try_order(hunt, &order);
        else
            try_creations(hunt, &order);
    }
}

/* All orders of the parts with these ticks of both, or those a second beside. */
static void try_near(struct hunt *hunt, struct order order, int guard_s, int tick_s)
{
    const int moved_s[PARTS] = {[PART_GUARD] = guard_s, [PART_TICK] = tick_s};

    order = without_creation(order);
    for (int part = PART_GUARD; part <= PART_TICK; part++)
        if (hunt->probes[part])
            order.tick_s[part] =
                modulo(order.tick_s[part] + moved_s[part], hunt->probes[part]->period_s);
    if (!was_done(hunt,
                  &(struct order){.tick_s = {[PART_GUARD] = order.tick_s[PART_GUARD],
                                             [PART_TICK] = order.tick_s[PART_TICK]}},
                  PARTS))
        try_orders(hunt, order, 0);
}

/* ---- both ends --------------------------------------------------------------------------------
 */

/* Orders in which an end is where no other one near it has it: found by trying all orders with all
 * ticks on random pods. */
static const enum part orders[][PART_CREATED] = {
    {PART_RELIST, PART_GUARD, PART_WALL, PART_TICK},
    {PART_WALL, PART_GUARD, PART_TICK, PART_RELIST},
    {PART_TICK, PART_WALL, PART_GUARD, PART_RELIST},
    {PART_RELIST, PART_TICK, PART_GUARD, PART_WALL},
};
enum { ORDERS = sizeof orders / sizeof orders[0], PAIRED = 2 };

/* One of these orders with those ticks; `first` parts, the creation, are before it. */
static struct order order_of(const struct hunt *hunt, int which, int first,
                             const struct order *ticks)
{
    struct order order = *ticks;
    int count = first;

    for (int i = 0; i < PART_CREATED; i++) {
        enum part part = orders[which][i];

        order.rank[part] = part < PART_GUARD || hunt->probes[part] ? ++count : 0;
    }
    order.rank[PART_CREATED] = first;
    return order;
}

/* From one end: all ticks of one worker, then of the other, then all orders with the best. */
static void try_around(struct hunt *hunt, const struct found *end)
{
    static const int near_s[][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
    /* With init containers and two workers there are many orders: the creation is first in these.
     */
    int first = hunt->search->runs_ns > 0 && hunt->probes[PART_GUARD] ? 1 : 0;
    struct order best;

    for (int part = PART_TICK; part >= PART_GUARD; part--) {
        best = end->order;
        sweep(hunt, best, (enum part)part);
        for (int which = 0; which < ORDERS; which++)
            sweep(hunt, order_of(hunt, which, first, &best), (enum part)part);
    }
    best = end->order;
    for (size_t i = 0; i < sizeof near_s / sizeof near_s[0]; i++)
        try_near(hunt, best, near_s[i][0], near_s[i][1]);
}

/* Once more from either end, as long as that moves one. */
static void try_around_ends(struct hunt *hunt)
{
    int64_t low = KP_NEVER;
    int64_t high = -1;

    while (hunt->low.second < low || hunt->high.second > high) {
        low = hunt->low.second;
        high = hunt->high.second;
        try_around(hunt, &hunt->low);
        try_around(hunt, &hunt->high);
    }
}

/* All parts just behind the start, or just before the next second, each 1 ms from the next. */
static struct cf_extreme end_of(const struct hunt *hunt, const struct found *found, bool high)
{
    struct cf_extreme end = {.ns = found->second * KP_NS_PER_S,
                             .age_ns = age_ms_of(hunt, &found->order) * MS};
    int64_t part_ms[PARTS];

    for (int part = 0; part < PARTS; part++) {
        int rank = found->order.rank[part];

        part_ms[part] = high && rank > 0 ? 999 - hunt->count + rank : rank;
    }
    end.draws = draws_of(hunt, &found->order, part_ms);
    end.draws.late_ns = found->late_ns;
    return end;
}

struct cf_extremes cf_search_orders(struct cf_search *search, const struct cf_sought *sought)
{
    struct hunt hunt = {.search = search,
                        .sought = sought,
                        .probes = {[PART_GUARD] = search->container->probes[KP_STARTUP],
                                   [PART_TICK] = search->container->probes[sought->type]},
                        .low = {.second = KP_NEVER},
                        .high = {.second = -1}};

    hunt.count = 2 + (search->runs_ns > 0);
    for (int part = PART_GUARD; part <= PART_TICK; part++)
        hunt.count += hunt.probes[part] != NULL;
    for (int which = 0; which < PAIRED; which++)
        try_pairs(&hunt, order_of(&hunt, which, 0, &(struct order){{0}, {0}}));
    try_around_ends(&hunt);
    if (hunt.high.second < 0)
        return cf_extremes_none(search);
    return (struct cf_extremes){end_of(&hunt, &hunt.low, false), end_of(&hunt, &hunt.high, true)};
}
