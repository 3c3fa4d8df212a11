#include "core/base/wheel.h"
#include "fakes/unit.h"

#include <stdlib.h>

#define NODES 64

struct item {
    struct kp_wheel_node node;
    bool in;
};

static struct item items[NODES];
static struct kp_wheel wheel;

static void fresh(void)
{
    for (size_t i = 0; i < NODES; i++)
        items[i] = (struct item){0};
    kp_wheel_init(&wheel, items, sizeof items[0], 0);
}

static void put(uint32_t index, int64_t due_ns)
{
    kp_wheel_insert(&wheel, index, due_ns);
    items[index].in = true;
}

/* The rule said the plain way: look at everybody. */
static int64_t earliest(void)
{
    int64_t least_ns = INT64_MAX;

    for (size_t i = 0; i < NODES; i++)
        if (items[i].in && items[i].node.due_ns < least_ns)
            least_ns = items[i].node.due_ns;
    return least_ns;
}

static size_t count_due_at(int64_t due_ns)
{
    size_t count = 0;

    for (size_t i = 0; i < NODES; i++)
        count += items[i].in && items[i].node.due_ns == due_ns;
    return count;
}

/* Take out what is due, checking that it is all of it and nothing else. */
static size_t take(int64_t now_ns)
{
    size_t expected = count_due_at(now_ns);
    uint32_t head = kp_wheel_advance(&wheel, now_ns);
    uint32_t index = head;
    size_t count = 0;

    while (index != KP_WHEEL_NONE && count <= NODES) {
        CHECK(items[index].in);
        CHECK_INT(items[index].node.due_ns, now_ns);
        items[index].in = false;
        count++;
        index = items[index].node.next == head ? KP_WHEEL_NONE : items[index].node.next;
    }
    CHECK_INT(count, expected);
    return count;
}

static void an_empty_wheel_wants_nothing(void)
{
    fresh();
    CHECK_INT(kp_wheel_next_ns(&wheel), INT64_MAX);
    CHECK_INT(kp_wheel_advance(&wheel, 12345), KP_WHEEL_NONE);
}

static void instants_of_every_size_come_in_order(void)
{
    static const int64_t due[] = {
        INT64_MAX - 1, 1,           4096,          4095, INT64_C(1) << 40,
        10000000000,   10000000001, 3600000000000, 0,    INT64_C(1) << 62};
    int64_t last_ns = -1;

    fresh();
    for (uint32_t i = 0; i < sizeof due / sizeof due[0]; i++)
        put(i, due[i]);
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        int64_t next_ns = kp_wheel_next_ns(&wheel);

        CHECK_INT(next_ns, earliest());
        CHECK(next_ns > last_ns);
        CHECK_INT(take(next_ns), 1);
        last_ns = next_ns;
    }
    CHECK_INT(kp_wheel_next_ns(&wheel), INT64_MAX);
}

static void equal_instants_come_together_in_the_order_of_insertion(void)
{
    uint32_t head;

    fresh();
    for (uint32_t i = 0; i < 5; i++)
        put(i, 10000000000);
    head = kp_wheel_advance(&wheel, 10000000000);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_INT(head, i);
        head = items[head].node.next;
    }
    CHECK_INT(kp_wheel_next_ns(&wheel), INT64_MAX);
}

static void who_is_taken_out_is_not_waited_for(void)
{
    fresh();
    put(0, 5);
    kp_wheel_remove(&wheel, 0);
    CHECK_INT(kp_wheel_next_ns(&wheel), INT64_MAX);
}

static void a_wheel_begins_anew(void)
{
    fresh();
    put(0, 100);
    put(1, 200);
    kp_wheel_advance(&wheel, 100);
    fresh();
    CHECK_INT(kp_wheel_next_ns(&wheel), INT64_MAX);
    put(0, 50);
    CHECK_INT(kp_wheel_next_ns(&wheel), 50);
    CHECK_INT(take(50), 1);
}

static void going_on_between_two_instants_takes_nobody(void)
{
    fresh();
    put(0, 20000000000);
    put(1, 20000000007);
    for (int64_t now_ns = 0; now_ns < 20000000000; now_ns += 999999937)
        CHECK_INT(take(now_ns), 0);
    CHECK_INT(take(20000000000), 1);
    CHECK_INT(kp_wheel_next_ns(&wheel), 20000000007);
}

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Distances of every size, so that all levels take part. */
static int64_t random_due_ns(uint64_t *seed)
{
    int64_t span = INT64_C(1) << (draw(seed) % 45);

    return wheel.now_ns + (int64_t)(draw(seed) % (uint64_t)span);
}

static void random_inserts_removes_and_advances_agree_with_the_plain_rule(void)
{
    uint64_t seed = 0x9e3779b97f4a7c15;

    fresh();
    for (int step = 0; step < 60000; step++) {
        uint32_t index = (uint32_t)(draw(&seed) % NODES);

        if (!items[index].in) {
            put(index, random_due_ns(&seed));
        } else if (draw(&seed) % 4 == 0) {
            kp_wheel_remove(&wheel, index);
            items[index].in = false;
        } else {
            int64_t next_ns = kp_wheel_next_ns(&wheel);

            if (!CHECK_INT(next_ns, earliest()))
                return;
            take(next_ns);
        }
    }
}

const struct unit_test wheel_test[] = {
    {"an empty wheel wants nothing", an_empty_wheel_wants_nothing},
    {"instants of every size come in order", instants_of_every_size_come_in_order},
    {"equal instants come together, in the order of insertion",
     equal_instants_come_together_in_the_order_of_insertion},
    {"who is taken out is not waited for", who_is_taken_out_is_not_waited_for},
    {"a wheel begins anew", a_wheel_begins_anew},
    {"going on between two instants takes nobody", going_on_between_two_instants_takes_nobody},
    {"random inserts, removes and advances agree with the plain rule",
     random_inserts_removes_and_advances_agree_with_the_plain_rule},
    {0},
};
