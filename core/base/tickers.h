/*
 * tickers.h: periodic timers, one ring of them for each period.
 *
 * Timers of one period are always armed for now + period, so a ring in the order of arming is in
 * the order of firing: the first one fires, and by moving the ring's head past it, it is the last
 * one again. A tick touches nothing but its own node. Which ring is next a small heap knows,
 * of as many entries as there are different periods.
 */
#pragma once

#include "err.h"
#include "mem.h"

#define KP_TIMER_NONE UINT32_MAX

/* First member of what waits.  While it waits for nothing, all three are the caller's. */
struct kp_timer {
    int64_t due_ns; /* 0 .. INT64_MAX - 1 */
    uint32_t next;
    uint32_t prev;
};

struct kp_ticker_ring {
    int64_t first_ns; /* when its head fires, or INT64_MAX: it is empty */
    int64_t period_ns;
    uint32_t head;
    uint32_t place; /* in the heap */
};

struct kp_tickers {
    unsigned char *nodes; /* the caller's array of structs that begin with a kp_timer */
    unsigned shift;       /* 2^shift bytes from one to the next */
    struct kp_ticker_ring *rings;
    uint32_t *heap;      /* rings, by first_ns */
    uint32_t *by_period; /* rings, by period */
    uint32_t count;
    uint32_t cap;
};

/* stride: bytes from one node to the next, a power of two. */
void kp_tickers_init(struct kp_tickers *tickers, size_t stride);
void kp_tickers_deinit(struct kp_tickers *tickers, const struct kp_mem *mem);
/* Forget all timers; the rings stay. */
void kp_tickers_clear(struct kp_tickers *tickers);

/* Have a ring for this period (> 0), and say which it is.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_tickers_reserve(struct kp_tickers *tickers, const struct kp_mem *mem,
                                           int64_t period_ns, uint32_t *ring);
/* The ring of a period that was reserved. */
uint32_t kp_tickers_find(const struct kp_tickers *tickers, int64_t period_ns);

/* Node `index` fires at now_ns + period, and each period from then on. */
void kp_tickers_start(struct kp_tickers *tickers, uint32_t ring, uint32_t index, int64_t now_ns);
void kp_tickers_stop(struct kp_tickers *tickers, uint32_t ring, uint32_t index);
/* The timer of one node goes on as that of another. */
void kp_tickers_rename(struct kp_tickers *tickers, uint32_t ring, uint32_t from, uint32_t to);

/* The next instant at which one fires, or INT64_MAX. */
int64_t kp_tickers_next_ns(const struct kp_tickers *tickers);
/*
 * Let those of one period fire that are due at now_ns, which is not after kp_tickers_next_ns.
 *
 * last:     out: the last one of them; each leads to the one after it by its node's `next`.
 * Returns:  the first one, or KP_TIMER_NONE: no more are due.
 */
uint32_t kp_tickers_take(struct kp_tickers *tickers, int64_t now_ns, uint32_t *last);
