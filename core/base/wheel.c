#include "wheel.h"

#include <assert.h>
#include <string.h>

#define FINEST_BITS 12
#define LEVEL_BITS 8

static struct kp_wheel_node *node_at(const struct kp_wheel *wheel, uint32_t index)
{
    return (struct kp_wheel_node *)(void *)(wheel->nodes + wheel->stride * index);
}

static uint32_t digit(int64_t instant_ns, unsigned level)
{
    return (uint32_t)(instant_ns >> (FINEST_BITS + LEVEL_BITS * level)) & (KP_WHEEL_SLOTS - 1);
}

/* The level of the highest digit in which an instant differs from the present. */
static unsigned level_of(const struct kp_wheel *wheel, int64_t due_ns)
{
    uint64_t differs = (uint64_t)(due_ns ^ wheel->now_ns) >> FINEST_BITS;

    if (differs == 0)
        return 0;
    return (63u - (unsigned)__builtin_clzll(differs)) / LEVEL_BITS;
}

/* Where a node stands: always told by its instant, since slots are emptied when the present enters
 * them. */
static uint32_t slot_of(const struct kp_wheel *wheel, int64_t due_ns)
{
    unsigned level = level_of(wheel, due_ns);

    return level * KP_WHEEL_SLOTS + digit(due_ns, level);
}

void kp_wheel_init(struct kp_wheel *wheel, void *nodes, size_t stride, int64_t now_ns)
{
    wheel->nodes = nodes;
    wheel->stride = stride;
    wheel->now_ns = now_ns;
    wheel->count = 0;
    memset(wheel->used, 0, sizeof wheel->used);
}

static bool is_used(const struct kp_wheel *wheel, uint32_t slot)
{
    return wheel->used[slot / KP_WHEEL_SLOTS][slot % KP_WHEEL_SLOTS / 64] >> (slot % 64) & 1;
}

static void set_used(struct kp_wheel *wheel, uint32_t slot, bool used)
{
    uint64_t *word = &wheel->used[slot / KP_WHEEL_SLOTS][slot % KP_WHEEL_SLOTS / 64];

    *word = used ? *word | UINT64_C(1) << (slot % 64) : *word & ~(UINT64_C(1) << (slot % 64));
}

/* Append to a circular list. */
static void link_last(struct kp_wheel *wheel, uint32_t head, uint32_t index)
{
    struct kp_wheel_node *first = node_at(wheel, head);
    struct kp_wheel_node *node = node_at(wheel, index);

    node->next = head;
    node->prev = first->prev;
    node_at(wheel, first->prev)->next = index;
    first->prev = index;
}

static void start_slot(struct kp_wheel *wheel, uint32_t slot, uint32_t index)
{
    struct kp_wheel_node *node = node_at(wheel, index);

    node->next = index;
    node->prev = index;
    wheel->head[slot] = index;
    wheel->first_ns[slot] = node->due_ns;
    wheel->latest_ns[slot] = node->due_ns;
    set_used(wheel, slot, true);
}

static void place(struct kp_wheel *wheel, uint32_t index, int64_t due_ns)
{
    struct kp_wheel_node *node = node_at(wheel, index);
    uint32_t slot = slot_of(wheel, due_ns);

    assert(due_ns >= wheel->now_ns && due_ns < INT64_MAX);
    node->due_ns = due_ns;
    if (!is_used(wheel, slot)) {
        start_slot(wheel, slot, index);
        return;
    }
    link_last(wheel, wheel->head[slot], index);
    if (due_ns < wheel->first_ns[slot])
        wheel->first_ns[slot] = due_ns;
    if (due_ns > wheel->latest_ns[slot])
        wheel->latest_ns[slot] = due_ns;
}

void kp_wheel_insert(struct kp_wheel *wheel, uint32_t index, int64_t due_ns)
{
    wheel->count++;
    place(wheel, index, due_ns);
}

static int64_t earliest_in(const struct kp_wheel *wheel, uint32_t head)
{
    int64_t earliest_ns = INT64_MAX;
    uint32_t index = head;

    do {
        const struct kp_wheel_node *node = node_at(wheel, index);

        if (node->due_ns < earliest_ns)
            earliest_ns = node->due_ns;
        index = node->next;
    } while (index != head);
    return earliest_ns;
}

void kp_wheel_remove(struct kp_wheel *wheel, uint32_t index)
{
    struct kp_wheel_node *node = node_at(wheel, index);
    uint32_t slot = slot_of(wheel, node->due_ns);

    wheel->count--;
    if (node->next == index) {
        set_used(wheel, slot, false);
        return;
    }
    node_at(wheel, node->prev)->next = node->next;
    node_at(wheel, node->next)->prev = node->prev;
    if (wheel->head[slot] == index)
        wheel->head[slot] = node->next;
    if (wheel->first_ns[slot] == node->due_ns)
        wheel->first_ns[slot] = earliest_in(wheel, wheel->head[slot]);
}

/* Slots before the present one are empty, and lower levels are earlier: the first used one wins. */
static uint32_t first_slot(const struct kp_wheel *wheel)
{
    assert(wheel->count > 0);
    for (uint32_t level = 0;; level++)
        for (uint32_t word = 0; word < KP_WHEEL_SLOTS / 64; word++)
            if (wheel->used[level][word] != 0)
                return level * KP_WHEEL_SLOTS + word * 64 +
                       (uint32_t)__builtin_ctzll(wheel->used[level][word]);
}

int64_t kp_wheel_next_ns(const struct kp_wheel *wheel)
{
    return wheel->count == 0 ? INT64_MAX : wheel->first_ns[first_slot(wheel)];
}

/* Insert each node of a detached list anew: the present has come nearer to them. */
static void spread(struct kp_wheel *wheel, uint32_t head)
{
    uint32_t index = head;
    uint32_t next;

    do {
        struct kp_wheel_node *node = node_at(wheel, index);

        next = node->next;
        place(wheel, index, node->due_ns);
        index = next;
    } while (next != head);
}

/* Of the finest slot's nodes, keep those that are due later. */
static uint32_t split(struct kp_wheel *wheel, uint32_t head)
{
    uint32_t last = node_at(wheel, head)->prev;
    uint32_t due = KP_WHEEL_NONE;
    uint32_t next = head;
    uint32_t index;

    do {
        struct kp_wheel_node *node = node_at(wheel, next);

        index = next;
        next = node->next;
        if (node->due_ns > wheel->now_ns) {
            place(wheel, index, node->due_ns);
        } else if (due == KP_WHEEL_NONE) {
            node->next = index;
            node->prev = index;
            due = index;
        } else {
            link_last(wheel, due, index);
        }
    } while (index != last);
    return due;
}

/* The circular list of those due now, taken out of their slot. */
static uint32_t collect(struct kp_wheel *wheel)
{
    int64_t now_ns = wheel->now_ns;

    for (;;) {
        uint32_t slot = first_slot(wheel);
        uint32_t level = slot / KP_WHEEL_SLOTS;
        uint32_t head = wheel->head[slot];

        if (wheel->first_ns[slot] == now_ns && wheel->latest_ns[slot] == now_ns) {
            set_used(wheel, slot, false);
            return head;
        }
        if (level_of(wheel, wheel->first_ns[slot]) == level && level > 0)
            break; /* the present is not in that slot yet */
        set_used(wheel, slot, false);
        if (level == 0)
            return split(wheel, head);
        spread(wheel, head);
    }
    return KP_WHEEL_NONE;
}

uint32_t kp_wheel_advance(struct kp_wheel *wheel, int64_t now_ns)
{
    uint32_t head;
    uint32_t index;

    assert(now_ns >= wheel->now_ns && now_ns <= kp_wheel_next_ns(wheel));
    wheel->now_ns = now_ns;
    head = wheel->count == 0 ? KP_WHEEL_NONE : collect(wheel);
    if (head == KP_WHEEL_NONE)
        return head;
    index = head;
    do {
        wheel->count--;
        index = node_at(wheel, index)->next;
    } while (index != head);
    return head;
}
