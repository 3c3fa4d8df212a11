/*
 * config.h: what a caller fixes when it makes an engine: the version, the clocks, where
 * chance comes from and where effects go.
 */
#pragma once

#include "../rules/profile.h"
#include "trace.h"

/* Where chance comes from: called only where the kubelet draws.  Both may be NULL: no delay. */
struct kp_draws {
    /* Delay of a worker's start, 0 <= result < period_ns (P-014, P-015). */
    int64_t (*jitter_ns)(void *ctx, const struct kp_pod *pod, int container,
                         enum kp_probe_type type, int64_t period_ns);
    /* Part of a requeue's jitter range, which is not 0: 0 <= result <= range_ns (S-021). */
    int64_t (*requeue_ns)(void *ctx, int64_t range_ns);
    void *ctx;
};

struct kp_engine_config {
    const struct kp_profile *profile; /* copied */
    int64_t uptime_ns;                /* the kubelet began at -uptime_ns */
    int64_t wall_ns;                  /* wall clock at virtual time 0, since 1970 */
    int64_t sync_frequency_ns;        /* 60 s unless the node says otherwise */
    struct kp_draws draws;
    struct kp_sink sink;
};
