#include "sleepers.h"

#include <assert.h>
#include <string.h>

/* While a timer is in the heap, `next` is its place there, and `prev` says how many were added
 * before it. */
static struct kp_timer *timer_at(const struct kp_sleepers *sleepers, uint32_t index)
{
    return (struct kp_timer *)(void *)(sleepers->timers + sleepers->stride * index);
}

void kp_sleepers_init(struct kp_sleepers *sleepers, size_t stride)
{
    *sleepers = (struct kp_sleepers){.stride = stride};
}

void kp_sleepers_deinit(struct kp_sleepers *sleepers, const struct kp_mem *mem)
{
    kp_mem_free(mem, sleepers->heap);
}

void kp_sleepers_clear(struct kp_sleepers *sleepers)
{
    sleepers->count = 0;
}

enum kp_err kp_sleepers_reserve(struct kp_sleepers *sleepers, const struct kp_mem *mem,
                                uint32_t cap)
{
    uint32_t *heap;

    if (cap <= sleepers->cap)
        return KP_OK;
    heap = kp_mem_array(mem, cap, sizeof *heap);
    if (!heap)
        return KP_ENOMEM;
    if (sleepers->count > 0)
        memcpy(heap, sleepers->heap, sleepers->count * sizeof *heap);
    kp_mem_free(mem, sleepers->heap);
    sleepers->heap = heap;
    sleepers->cap = cap;
    return KP_OK;
}

static bool fires_before(const struct kp_sleepers *sleepers, uint32_t a, uint32_t b)
{
    const struct kp_timer *one = timer_at(sleepers, a);
    const struct kp_timer *other = timer_at(sleepers, b);

    return one->due_ns != other->due_ns ? one->due_ns < other->due_ns : one->prev < other->prev;
}

static void put(struct kp_sleepers *sleepers, uint32_t place, uint32_t index)
{
    sleepers->heap[place] = index;
    timer_at(sleepers, index)->next = place;
}

void kp_sleepers_add(struct kp_sleepers *sleepers, uint32_t index, int64_t due_ns)
{
    struct kp_timer *timer = timer_at(sleepers, index);
    uint32_t place = sleepers->count++;

    assert(place < sleepers->cap);
    if (place == 0)
        sleepers->added = 0;
    timer->due_ns = due_ns;
    timer->prev = sleepers->added++;
    for (; place > 0; place = (place - 1) / 2) {
        uint32_t parent = sleepers->heap[(place - 1) / 2];

        if (!fires_before(sleepers, index, parent))
            break;
        put(sleepers, place, parent);
    }
    put(sleepers, place, index);
}

void kp_sleepers_rename(struct kp_sleepers *sleepers, uint32_t to)
{
    sleepers->heap[timer_at(sleepers, to)->next] = to;
}

int64_t kp_sleepers_next_ns(const struct kp_sleepers *sleepers)
{
    return sleepers->count > 0 ? timer_at(sleepers, sleepers->heap[0])->due_ns : INT64_MAX;
}

/* The last timer of the heap takes the place of the first, or one below. */
static void sink_last(struct kp_sleepers *sleepers)
{
    uint32_t last = sleepers->heap[sleepers->count];
    uint32_t place = 0;

    for (uint32_t child; (child = 2 * place + 1) < sleepers->count; place = child) {
        if (child + 1 < sleepers->count &&
            fires_before(sleepers, sleepers->heap[child + 1], sleepers->heap[child]))
            child++;
        if (fires_before(sleepers, last, sleepers->heap[child]))
            break;
        put(sleepers, place, sleepers->heap[child]);
    }
    put(sleepers, place, last);
}

uint32_t kp_sleepers_take(struct kp_sleepers *sleepers, int64_t now_ns)
{
    uint32_t first;

    if (kp_sleepers_next_ns(sleepers) > now_ns)
        return KP_TIMER_NONE;
    first = sleepers->heap[0];
    sleepers->count--;
    sink_last(sleepers);
    return first;
}
