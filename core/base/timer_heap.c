#include "timer_heap.h"

#include <assert.h>
#include <string.h>

/* While a timer is in the heap, `next` is its place there, and `prev` says how many were added
 * before it. */
static struct kp_timer *timer_at(const struct kp_timer_heap *heap, uint32_t index)
{
    return (struct kp_timer *)(void *)(heap->timers + heap->stride * index);
}

void kp_timer_heap_init(struct kp_timer_heap *heap, size_t stride)
{
    *heap = (struct kp_timer_heap){.stride = stride};
}

void kp_timer_heap_deinit(struct kp_timer_heap *heap, const struct kp_mem *mem)
{
    kp_mem_free(mem, heap->indexes);
}

void kp_timer_heap_clear(struct kp_timer_heap *heap)
{
    heap->count = 0;
}

enum kp_err kp_timer_heap_reserve(struct kp_timer_heap *heap, const struct kp_mem *mem,
                                  uint32_t cap)
{
    uint32_t *indexes;

    if (cap <= heap->cap)
        return KP_OK;
    indexes = kp_mem_array(mem, cap, sizeof *indexes);
    if (!indexes)
        return KP_ENOMEM;
    if (heap->count > 0)
        memcpy(indexes, heap->indexes, heap->count * sizeof *indexes);
    kp_mem_free(mem, heap->indexes);
    heap->indexes = indexes;
    heap->cap = cap;
    return KP_OK;
}

static bool fires_before(const struct kp_timer_heap *heap, uint32_t a, uint32_t b)
{
    const struct kp_timer *one = timer_at(heap, a);
    const struct kp_timer *other = timer_at(heap, b);

    return one->due_ns != other->due_ns ? one->due_ns < other->due_ns : one->prev < other->prev;
}

static void put(struct kp_timer_heap *heap, uint32_t place, uint32_t index)
{
    heap->indexes[place] = index;
    timer_at(heap, index)->next = place;
}

void kp_timer_heap_add(struct kp_timer_heap *heap, uint32_t index, int64_t due_ns)
{
    struct kp_timer *timer = timer_at(heap, index);
    uint32_t place = heap->count++;

    assert(place < heap->cap);
    if (place == 0)
        heap->added = 0;
    timer->due_ns = due_ns;
    timer->prev = heap->added++;
    for (; place > 0; place = (place - 1) / 2) {
        uint32_t parent = heap->indexes[(place - 1) / 2];

        if (!fires_before(heap, index, parent))
            break;
        put(heap, place, parent);
    }
    put(heap, place, index);
}

void kp_timer_heap_rename(struct kp_timer_heap *heap, uint32_t to)
{
    heap->indexes[timer_at(heap, to)->next] = to;
}

int64_t kp_timer_heap_next_ns(const struct kp_timer_heap *heap)
{
    return heap->count > 0 ? timer_at(heap, heap->indexes[0])->due_ns : INT64_MAX;
}

/* The last timer of the heap takes the place of the first, or one below. */
static void sink_last(struct kp_timer_heap *heap)
{
    uint32_t last = heap->indexes[heap->count];
    uint32_t place = 0;

    for (uint32_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count &&
            fires_before(heap, heap->indexes[child + 1], heap->indexes[child]))
            child++;
        if (fires_before(heap, last, heap->indexes[child]))
            break;
        put(heap, place, heap->indexes[child]);
    }
    put(heap, place, last);
}

uint32_t kp_timer_heap_take(struct kp_timer_heap *heap, int64_t now_ns)
{
    uint32_t first;

    if (kp_timer_heap_next_ns(heap) > now_ns)
        return KP_TIMER_NONE;
    first = heap->indexes[0];
    heap->count--;
    sink_last(heap);
    return first;
}
