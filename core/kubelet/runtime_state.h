/*
 * runtime_state.h: whether the container runtime answers, and how long the sync loop sleeps while
 * it has not answered for too long (S-003).
 *
 * The kubelet requests the runtime's status every 5 s, counted from its start.  Once the last
 * good answer is 30 s old, the sync loop takes nothing any more: not what the API server says, no
 * PLEG event, no probe result, none of its ticks.  It looks again after 100 ms, 200 ms ... 5 s, and
 * turns as ever when it finds a good answer.  Probes, relists and pod workers go on without it.
 * PLEG's own health (3 minutes without a relist) never decides: it fails later and recovers
 * earlier.
 *
 * Upstream: pkg/kubelet/runtime.go runtimeState; kubelet.go syncLoop, updateRuntimeUp.
 */
#pragma once

#include "../rules/profile.h"

struct kp_node;

struct kp_runtime_state {
    bool down;
    int64_t relist_from_ns; /* the first relist after the last outage */
    int64_t status_from_ns; /* the first status check after it */
    int64_t relist_ok_ns;   /* the last good relist before it */
    int64_t status_ok_ns;   /* the last good status check before it */
    bool asleep;            /* the sync loop */
    bool woke;              /* at this instant */
    int64_t since_ns;       /* asleep since */
    int64_t until_ns;       /* the end of the nap */
    int64_t nap_ns;         /* its length */
};

/* A kubelet begins at the current instant. */
void kp_runtime_state_init(struct kp_node *node, bool down);
/* The runtime went down or came back at the current instant, behind the kubelet's own steps. */
void kp_runtime_state_set(struct kp_node *node, bool down);
/* The last relist that the runtime answered. */
int64_t kp_runtime_last_relist_ns(const struct kp_node *node);

/* Begin an instant: a nap that ends now is over, or goes on for twice as long. */
void kp_sync_loop_begin(struct kp_node *node);
/* End an instant: where the last good answer is too old, go to sleep. */
void kp_sync_loop_end(struct kp_node *node);
/* Does the loop see a tick of one of its tickers, now or from while it slept? */
bool kp_sync_loop_ticks(const struct kp_node *node, int64_t period_ns);
/* When it falls asleep or wakes, or KP_NEVER. */
int64_t kp_sync_loop_next_ns(const struct kp_node *node);
