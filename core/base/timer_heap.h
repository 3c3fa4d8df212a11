/*
 * timer_heap.h: timers that fire once, in a heap: who is due next, and when.
 *
 * Those of one instant fire in the order in which they were added.  The timers are the first member
 * of the caller's array of structs; the heap has room for as many.
 */
#pragma once

#include "tickers.h"

struct kp_timer_heap {
    unsigned char *timers; /* the caller's array; set it again after moving the array */
    size_t stride;
    uint32_t *indexes; /* indexes of timers, the first one to fire at 0 */
    uint32_t count;
    uint32_t cap;
    uint32_t added; /* so many since it was empty */
};

/* An empty heap; it and what it says of an array of timers is all zero before. */
void kp_timer_heap_init(struct kp_timer_heap *heap, size_t stride);
void kp_timer_heap_deinit(struct kp_timer_heap *heap, const struct kp_mem *mem);
/* Forget all timers; the room stays. */
void kp_timer_heap_clear(struct kp_timer_heap *heap);

/* Have room for so many.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_timer_heap_reserve(struct kp_timer_heap *heap, const struct kp_mem *mem,
                                              uint32_t cap);

/* Timer `index`, which is not in the heap, fires at due_ns. */
void kp_timer_heap_add(struct kp_timer_heap *heap, uint32_t index, int64_t due_ns);
/* The timer of one goes on as that of another, to which it was copied. */
void kp_timer_heap_rename(struct kp_timer_heap *heap, uint32_t to);

/* The next instant at which one fires, or INT64_MAX. */
int64_t kp_timer_heap_next_ns(const struct kp_timer_heap *heap);
/* Take out the next one that is due at now_ns, or KP_TIMER_NONE. */
uint32_t kp_timer_heap_take(struct kp_timer_heap *heap, int64_t now_ns);
