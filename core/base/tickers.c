#include "tickers.h"

#include <assert.h>
#include <string.h>

static struct kp_timer *node_at(const struct kp_tickers *tickers, uint32_t index)
{
    return (struct kp_timer *)(void *)(tickers->nodes + ((size_t)index << tickers->shift));
}

void kp_tickers_init(struct kp_tickers *tickers, size_t stride)
{
    assert((stride & (stride - 1)) == 0);
    *tickers = (struct kp_tickers){.shift = (unsigned)__builtin_ctzll(stride)};
}

void kp_tickers_deinit(struct kp_tickers *tickers, const struct kp_mem *mem)
{
    kp_mem_free(mem, tickers->rings);
    kp_mem_free(mem, tickers->heap);
    kp_mem_free(mem, tickers->by_period);
}

void kp_tickers_clear(struct kp_tickers *tickers)
{
    for (uint32_t i = 0; i < tickers->count; i++)
        tickers->rings[i].first_ns = INT64_MAX; /* all equal: any order is a heap */
}

/* ---- the heap of rings ------------------------------------------------------------------------
 */

static int64_t first_of(const struct kp_tickers *tickers, uint32_t place)
{
    return tickers->rings[tickers->heap[place]].first_ns;
}

static void put(struct kp_tickers *tickers, uint32_t place, uint32_t ring)
{
    tickers->heap[place] = ring;
    tickers->rings[ring].place = place;
}

/* The ring, for which there is room at this place, stands there or below. */
static void sink(struct kp_tickers *tickers, uint32_t place, uint32_t ring)
{
    int64_t first_ns = tickers->rings[ring].first_ns;

    for (uint32_t child; (child = 2 * place + 1) < tickers->count; place = child) {
        if (child + 1 < tickers->count && first_of(tickers, child + 1) < first_of(tickers, child))
            child++;
        if (first_of(tickers, child) >= first_ns)
            break;
        put(tickers, place, tickers->heap[child]);
    }
    put(tickers, place, ring);
}

/* A ring's first_ns was changed to this. */
static void set_first(struct kp_tickers *tickers, uint32_t ring, int64_t first_ns)
{
    uint32_t place = tickers->rings[ring].place;

    tickers->rings[ring].first_ns = first_ns;
    while (place > 0 && first_of(tickers, (place - 1) / 2) > first_ns) {
        put(tickers, place, tickers->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    sink(tickers, place, ring);
}

/* ---- rings ------------------------------------------------------------------------------------
 */

/* Place of a period in by_period, or where it would stand. */
static uint32_t place_of(const struct kp_tickers *tickers, int64_t period_ns)
{
    uint32_t low = 0;
    uint32_t high = tickers->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (tickers->rings[tickers->by_period[middle]].period_ns < period_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_period(const struct kp_tickers *tickers, uint32_t place, int64_t period_ns)
{
    return place < tickers->count &&
           tickers->rings[tickers->by_period[place]].period_ns == period_ns;
}

uint32_t kp_tickers_find(const struct kp_tickers *tickers, int64_t period_ns)
{
    uint32_t place = place_of(tickers, period_ns);

    assert(has_period(tickers, place, period_ns));
    return tickers->by_period[place];
}

static enum kp_err grow(struct kp_tickers *tickers, const struct kp_mem *mem)
{
    uint32_t cap = tickers->cap > 0 ? 2 * tickers->cap : 4;
    struct kp_ticker_ring *rings = kp_mem_array(mem, cap, sizeof *rings);
    uint32_t *heap = kp_mem_array(mem, cap, sizeof *heap);
    uint32_t *by_period = kp_mem_array(mem, cap, sizeof *by_period);

    if (!rings || !heap || !by_period) {
        kp_mem_free(mem, rings);
        kp_mem_free(mem, heap);
        kp_mem_free(mem, by_period);
        return KP_ENOMEM;
    }
    if (tickers->count > 0) {
        memcpy(rings, tickers->rings, tickers->count * sizeof *rings);
        memcpy(heap, tickers->heap, tickers->count * sizeof *heap);
        memcpy(by_period, tickers->by_period, tickers->count * sizeof *by_period);
    }
    kp_tickers_deinit(tickers, mem);
    tickers->rings = rings;
    tickers->heap = heap;
    tickers->by_period = by_period;
    tickers->cap = cap;
    return KP_OK;
}

enum kp_err kp_tickers_reserve(struct kp_tickers *tickers, const struct kp_mem *mem,
                               int64_t period_ns, uint32_t *ring)
{
    uint32_t place = place_of(tickers, period_ns);
    uint32_t fresh = tickers->count;

    assert(period_ns > 0);
    if (has_period(tickers, place, period_ns)) {
        *ring = tickers->by_period[place];
        return KP_OK;
    }
    if (tickers->count == tickers->cap && grow(tickers, mem) != KP_OK)
        return KP_ENOMEM;
    memmove(tickers->by_period + place + 1, tickers->by_period + place,
            (tickers->count - place) * sizeof *tickers->by_period);
    tickers->by_period[place] = fresh;
    tickers->rings[fresh] = (struct kp_ticker_ring){.first_ns = INT64_MAX, .period_ns = period_ns};
    put(tickers, fresh, fresh);
    tickers->count++;
    *ring = fresh;
    return KP_OK;
}

/* ---- timers -----------------------------------------------------------------------------------
 */

void kp_tickers_start(struct kp_tickers *tickers, uint32_t ring, uint32_t index, int64_t now_ns)
{
    struct kp_ticker_ring *r = &tickers->rings[ring];
    struct kp_timer *node = node_at(tickers, index);
    struct kp_timer *head;

    node->due_ns = now_ns + r->period_ns;
    if (r->first_ns == INT64_MAX) {
        node->next = index;
        node->prev = index;
        r->head = index;
        set_first(tickers, ring, node->due_ns);
        return;
    }
    head = node_at(tickers, r->head);
    assert(node_at(tickers, head->prev)->due_ns <= node->due_ns);
    node->next = r->head;
    node->prev = head->prev;
    node_at(tickers, head->prev)->next = index;
    head->prev = index;
}

void kp_tickers_stop(struct kp_tickers *tickers, uint32_t ring, uint32_t index)
{
    struct kp_ticker_ring *r = &tickers->rings[ring];
    struct kp_timer *node = node_at(tickers, index);

    if (node->next == index) {
        set_first(tickers, ring, INT64_MAX);
        return;
    }
    node_at(tickers, node->prev)->next = node->next;
    node_at(tickers, node->next)->prev = node->prev;
    if (r->head != index)
        return;
    r->head = node->next;
    set_first(tickers, ring, node_at(tickers, r->head)->due_ns);
}

void kp_tickers_rename(struct kp_tickers *tickers, uint32_t ring, uint32_t from, uint32_t to)
{
    struct kp_ticker_ring *r = &tickers->rings[ring];
    struct kp_timer *node = node_at(tickers, to);

    *node = *node_at(tickers, from);
    if (node->next == from)
        node->prev = to; /* it is its own neighbour */
    node_at(tickers, node->prev)->next = to;
    node_at(tickers, node->next)->prev = to;
    if (r->head == from)
        r->head = to;
}

int64_t kp_tickers_next_ns(const struct kp_tickers *tickers)
{
    return tickers->count > 0 ? first_of(tickers, 0) : INT64_MAX;
}

/* Those that were armed one after the other mostly stand so in memory too: ask for what comes soon.
 * A wrong guess, even beyond the array, costs nothing. */
static void look_ahead(const struct kp_timer *node)
{
    uintptr_t soon = (uintptr_t)node + 1024;

    __builtin_prefetch((const void *)soon);
    __builtin_prefetch((const void *)(soon + 64));
}

uint32_t kp_tickers_take(struct kp_tickers *tickers, int64_t now_ns, uint32_t *last)
{
    struct kp_ticker_ring *r;
    struct kp_timer *node;
    uint32_t first;
    uint32_t index;

    if (kp_tickers_next_ns(tickers) > now_ns)
        return KP_TIMER_NONE;
    r = &tickers->rings[tickers->heap[0]];
    assert(r->first_ns == now_ns);
    first = index = r->head;
    node = node_at(tickers, index);
    do {
        node->due_ns += r->period_ns;
        look_ahead(node);
        *last = index;
        index = node->next;
        node = node_at(tickers, index);
    } while (node->due_ns == now_ns);
    r->head = index;
    r->first_ns = node->due_ns;
    sink(tickers, 0, tickers->heap[0]);
    return first;
}
