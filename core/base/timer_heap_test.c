#include "core/base/timer_heap.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#define TIMERS 61

/* A timer, and beside it what the plain rule says of it. */
static struct {
    struct kp_timer timer;
    int64_t due_ns; /* INT64_MAX: it does not wait */
    uint64_t added;
} items[TIMERS];
static struct kp_timer_heap heap;
static struct kp_mem mem;
static uint64_t added;

static void open_timer_heap(void)
{
    mem = fake_alloc_plain();
    kp_timer_heap_init(&heap, sizeof items[0]);
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, TIMERS), KP_OK);
    heap.timers = (unsigned char *)items;
    for (size_t i = 0; i < TIMERS; i++)
        items[i].due_ns = INT64_MAX;
}

static void add(uint32_t index, int64_t due_ns)
{
    items[index].due_ns = due_ns;
    items[index].added = added++;
    kp_timer_heap_add(&heap, index, due_ns);
}

/* The one that was added first of those that fire first. */
static uint32_t first(void)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < TIMERS; i++)
        if (items[i].due_ns < items[found].due_ns ||
            (items[i].due_ns == items[found].due_ns && items[i].added < items[found].added))
            found = i;
    return items[found].due_ns < INT64_MAX ? found : KP_TIMER_NONE;
}

static void nobody_sleeps_at_first(void)
{
    open_timer_heap();
    CHECK_INT(kp_timer_heap_next_ns(&heap), INT64_MAX);
    CHECK_INT(kp_timer_heap_take(&heap, INT64_MAX - 1), KP_TIMER_NONE);
    kp_timer_heap_deinit(&heap, &mem);
}

static void those_of_one_instant_fire_in_order(void)
{
    open_timer_heap();
    for (uint32_t i = 0; i < TIMERS; i++)
        add(i, i % 2 == 0 ? 7 : 5);
    CHECK_INT(kp_timer_heap_take(&heap, 4), KP_TIMER_NONE);
    for (uint32_t i = 1; i < TIMERS; i += 2)
        CHECK_INT(kp_timer_heap_take(&heap, 5), i);
    CHECK_INT(kp_timer_heap_take(&heap, 5), KP_TIMER_NONE);
    for (uint32_t i = 0; i < TIMERS; i += 2)
        CHECK_INT(kp_timer_heap_take(&heap, 7), i);
    CHECK_INT(kp_timer_heap_next_ns(&heap), INT64_MAX);
    kp_timer_heap_deinit(&heap, &mem);
}

static void a_heap_begins_anew(void)
{
    open_timer_heap();
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, 1), KP_OK); /* nobody waits, but there is room */
    add(0, 100);
    add(1, 200);
    kp_timer_heap_clear(&heap);
    CHECK_INT(kp_timer_heap_next_ns(&heap), INT64_MAX);
    add(0, 50);
    CHECK_INT(kp_timer_heap_next_ns(&heap), 50);
    kp_timer_heap_deinit(&heap, &mem);
}

static void room_grows_with_those_that_sleep(void)
{
    open_timer_heap();
    for (uint32_t i = 0; i < TIMERS; i++)
        add(i, 100 - i);
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, 1), KP_OK); /* there is more already */
    CHECK_INT(kp_timer_heap_take(&heap, 100), TIMERS - 1);
    add(TIMERS - 1, 100 - TIMERS + 1);
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, 10 * TIMERS), KP_OK);
    for (uint32_t i = TIMERS; i > 0; i--)
        CHECK_INT(kp_timer_heap_take(&heap, 100), i - 1);
    kp_timer_heap_deinit(&heap, &mem);
}

static void one_that_sleeps_alone_keeps_its_place(void)
{
    mem = fake_alloc_plain();
    kp_timer_heap_init(&heap, sizeof items[0]);
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, 1), KP_OK);
    heap.timers = (unsigned char *)items;
    add(3, 100);
    CHECK_INT(kp_timer_heap_reserve(&heap, &mem, 2), KP_OK);
    CHECK_INT(kp_timer_heap_take(&heap, 100), 3);
    kp_timer_heap_deinit(&heap, &mem);
}

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The timer of one that sleeps goes on as that of one that does not. */
static void move(uint32_t from, uint32_t to)
{
    items[to] = items[from];
    items[from].due_ns = INT64_MAX;
    kp_timer_heap_rename(&heap, to);
}

static void random_steps_agree_with_the_plain_rule(void)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    int64_t now_ns = 0;

    open_timer_heap();
    for (int step = 0; step < 60000; step++) {
        uint32_t index = (uint32_t)(draw(&seed) % TIMERS);
        uint32_t other = (uint32_t)(draw(&seed) % TIMERS);

        if (items[index].due_ns == INT64_MAX) {
            add(index, now_ns + (int64_t)(draw(&seed) % 20));
        } else if (items[other].due_ns == INT64_MAX) {
            move(index, other);
        } else {
            index = first();
            now_ns = items[index].due_ns;
            if (!CHECK_INT(kp_timer_heap_next_ns(&heap), now_ns) ||
                !CHECK_INT(kp_timer_heap_take(&heap, now_ns), index))
                break;
            items[index].due_ns = INT64_MAX;
        }
    }
    kp_timer_heap_deinit(&heap, &mem);
}

const struct unit_test timer_heap_test[] = {
    {"one that sleeps alone keeps its place", one_that_sleeps_alone_keeps_its_place},
    {"nobody sleeps at first", nobody_sleeps_at_first},
    {"those of one instant fire in order", those_of_one_instant_fire_in_order},
    {"a heap begins anew", a_heap_begins_anew},
    {"room grows with those that sleep", room_grows_with_those_that_sleep},
    {"random steps agree with the plain rule", random_steps_agree_with_the_plain_rule},
    {0},
};
