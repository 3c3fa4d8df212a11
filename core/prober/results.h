/*
 * results.h: what the workers found: a cache per container id, and a channel of changes.
 *
 * A container id has at most one worker of a type, so the cache entry stands in the worker itself
 * (kp_worker.cached); here is what happens when it is set.
 *
 * Upstream: pkg/kubelet/prober/results/results_manager.go.
 */
#pragma once

#include "prober_manager.h"
#include "worker.h"

#define KP_RESULTS_CAPACITY 20

/* One results.Manager's Updates(): a queue of 20, and the senders that find it full. */
struct kp_results_channel {
    struct kp_results_update queue[KP_RESULTS_CAPACITY];
    uint32_t first;
    uint32_t count;
    uint32_t sender_head; /* workers by kp_worker.link, or KP_TIMER_NONE */
    uint32_t sender_tail; /* where there is a head */
};

/* Empty, in zeroed storage or again. */
void kp_results_channel_init(struct kp_results_channel *channel);

/* Set: change the worker's entry.  false: it was that already, nobody is notified (P-139). */
static inline bool kp_results_set(struct kp_worker *w, enum kp_result value)
{
    if (w->cached == (int8_t)value)
        return false;
    w->cached = (int8_t)value;
    return true;
}
/* Send without waiting.  false: there is no room. */
bool kp_results_send(struct kp_results_channel *channel, const struct kp_worker *w);
