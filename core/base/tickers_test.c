#include "core/base/tickers.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#define NODES 40
#define PERIODS 6 /* so that the last one in the heap has no brother */

/* A node, and beside it what the plain rule says of it. */
union item {
    struct {
        struct kp_timer node;
        int64_t due_ns;
        uint32_t period; /* index */
        bool on;
    } is;
    char size[64]; /* a power of two */
};

/* In no order, so that rings and places differ. */
static const int64_t periods_ns[PERIODS] = {10, 3, 7, 1, 60, 2};

static union item items[NODES];
static struct kp_tickers tickers;
static struct kp_mem mem;
static uint32_t rings[PERIODS];

static void open_tickers(void)
{
    mem = fake_alloc_plain();
    for (size_t i = 0; i < NODES; i++)
        items[i] = (union item){0};
    kp_tickers_init(&tickers, sizeof items[0]);
    for (uint32_t i = 0; i < PERIODS; i++)
        CHECK_INT(kp_tickers_reserve(&tickers, &mem, periods_ns[i], &rings[i]), KP_OK);
    tickers.nodes = (unsigned char *)items;
}

static void start(uint32_t index, uint32_t period, int64_t now_ns)
{
    items[index].is.period = period;
    items[index].is.on = true;
    items[index].is.due_ns = now_ns + periods_ns[period];
    kp_tickers_start(&tickers, rings[period], index, now_ns);
}

static void stop(uint32_t index)
{
    items[index].is.on = false;
    kp_tickers_stop(&tickers, rings[items[index].is.period], index);
}

static int64_t earliest(void)
{
    int64_t least_ns = INT64_MAX;

    for (size_t i = 0; i < NODES; i++)
        if (items[i].is.on && items[i].is.due_ns < least_ns)
            least_ns = items[i].is.due_ns;
    return least_ns;
}

/* Whoever fires at that instant does so once, and nobody else. */
static void fire(int64_t now_ns)
{
    size_t due = 0;
    uint32_t index;
    uint32_t last;

    for (size_t i = 0; i < NODES; i++)
        due += items[i].is.on && items[i].is.due_ns == now_ns;
    while ((index = kp_tickers_take(&tickers, now_ns, &last)) != KP_TIMER_NONE) {
        uint32_t period = items[index].is.period;

        for (bool more = true; more; index = items[index].is.node.next) {
            CHECK(items[index].is.on);
            CHECK_INT(items[index].is.period, period);
            CHECK_INT(items[index].is.due_ns, now_ns);
            items[index].is.due_ns += periods_ns[period];
            due--;
            more = index != last;
        }
    }
    CHECK_INT(due, 0);
}

static void a_period_has_one_ring(void)
{
    uint32_t ring;

    open_tickers();
    for (uint32_t i = 0; i < PERIODS; i++) {
        CHECK_INT(kp_tickers_find(&tickers, periods_ns[i]), rings[i]);
        CHECK_INT(kp_tickers_reserve(&tickers, &mem, periods_ns[i], &ring), KP_OK);
        CHECK_INT(ring, rings[i]);
    }
    CHECK_INT(tickers.count, PERIODS);
    CHECK_INT(kp_tickers_next_ns(&tickers), INT64_MAX);
    kp_tickers_deinit(&tickers, &mem);
}

static void a_timer_fires_each_period_until_it_is_stopped(void)
{
    uint32_t last;

    open_tickers();
    start(0, 0, 5);
    for (int64_t now_ns = 15; now_ns <= 55; now_ns += 10) {
        CHECK_INT(kp_tickers_next_ns(&tickers), now_ns);
        CHECK_INT(kp_tickers_take(&tickers, now_ns, &last), 0);
        CHECK_INT(last, 0);
        CHECK_INT(kp_tickers_take(&tickers, now_ns, &last), KP_TIMER_NONE);
    }
    kp_tickers_stop(&tickers, rings[0], 0);
    CHECK_INT(kp_tickers_next_ns(&tickers), INT64_MAX);
    kp_tickers_deinit(&tickers, &mem);
}

static void random_starts_and_stops_agree_with_the_plain_rule(void)
{
    uint64_t seed = 88172645463325252u;
    int64_t now_ns = 0;

    open_tickers();
    for (int step = 0; step < 40000; step++) {
        uint32_t index;

        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        index = (uint32_t)(seed >> 8) % NODES;
        if (seed % 3 > 0 && kp_tickers_next_ns(&tickers) != INT64_MAX) {
            if (!CHECK_INT(kp_tickers_next_ns(&tickers), earliest()))
                break;
            now_ns = earliest();
            fire(now_ns);
        } else if (items[index].is.on) {
            stop(index);
        } else {
            start(index, (uint32_t)(seed >> 40) % PERIODS, now_ns);
        }
    }
    kp_tickers_deinit(&tickers, &mem);
}

static void a_renamed_timer_goes_on(void)
{
    uint32_t last;

    open_tickers();
    start(0, 0, 0);
    start(1, 0, 1);
    kp_tickers_rename(&tickers, rings[0], 0, 2);
    CHECK_INT(kp_tickers_take(&tickers, 10, &last), 2);
    CHECK_INT(kp_tickers_take(&tickers, 11, &last), 1);
    CHECK_INT(kp_tickers_take(&tickers, 20, &last), 2);
    kp_tickers_deinit(&tickers, &mem);
}

static void a_renamed_timer_is_its_neighbours_neighbour(void)
{
    uint32_t last;

    open_tickers();
    for (uint32_t i = 0; i < 3; i++)
        start(i, 0, 0);
    kp_tickers_rename(&tickers, rings[0], 1, 5);
    stop(2);
    CHECK_INT(kp_tickers_take(&tickers, 10, &last), 0);
    CHECK_INT(last, 5);
    kp_tickers_deinit(&tickers, &mem);
}

static void a_timer_alone_is_renamed(void)
{
    uint32_t last;

    open_tickers();
    start(0, 0, 0);
    kp_tickers_rename(&tickers, rings[0], 0, 2);
    CHECK_INT(kp_tickers_take(&tickers, 10, &last), 2);
    CHECK_INT(last, 2);
    kp_tickers_deinit(&tickers, &mem);
}

/* Some of two periods, in order; one after the other moves to another place and back. */
static void who_moves_keeps_its_turn(void)
{
    const uint32_t free_place = NODES - 1;

    open_tickers();
    for (uint32_t i = 0; i < 6; i++)
        start(i, i % 2 == 0 ? 0 : 4, i); /* none is due before the last has begun */
    start(6, 2, 6);
    for (uint32_t i = 0; i <= 6; i++) {
        items[free_place].is = items[i].is;
        kp_tickers_rename(&tickers, rings[items[i].is.period], i, free_place);
        items[i].is.on = false;
        for (int64_t now_ns = earliest(); now_ns < 100 * (i + 1); now_ns = earliest())
            fire(now_ns);
        items[i].is = items[free_place].is;
        kp_tickers_rename(&tickers, rings[items[i].is.period], free_place, i);
        items[free_place].is.on = false;
    }
    kp_tickers_deinit(&tickers, &mem);
}

const struct unit_test tickers_test[] = {
    {"who moves keeps its turn", who_moves_keeps_its_turn},
    {"a period has one ring", a_period_has_one_ring},
    {"a timer fires each period until it is stopped",
     a_timer_fires_each_period_until_it_is_stopped},
    {"random starts and stops agree with the plain rule",
     random_starts_and_stops_agree_with_the_plain_rule},
    {"a renamed timer goes on", a_renamed_timer_goes_on},
    {"a renamed timer is its neighbours' neighbour", a_renamed_timer_is_its_neighbours_neighbour},
    {"a timer alone is renamed", a_timer_alone_is_renamed},
    {0},
};
