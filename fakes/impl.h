/*
 * impl.h: an implementation of probe semantics as the fake world sees it: the built-in engine in
 * process, or any other one behind the adapter protocol.  The world drives both through this one
 * interface.
 */
#pragma once

#include "core/engine.h"

/* What of a kubelet is under test: its prober (protocol.md 2.1), or all of it (2.2). */
enum fake_layer { FAKE_LAYER_PROBE, FAKE_LAYER_POD };

/* How much of a worker's start jitter the case prescribes (protocol.md, section 4). */
enum fake_jitter_mode { FAKE_JITTER_NONE, FAKE_JITTER_FREE, FAKE_JITTER_MAP };

struct fake_jitter_row {
    struct kp_text container;
    enum kp_probe_type type;
    int64_t delay_ppb; /* billionths of the period */
};

/* What `open` says (protocol.md, section 1). */
struct fake_open {
    enum fake_layer layer;
    const struct kp_profile *profile;
    const struct kp_pod *const *pods; /* one through the protocol; any number in process */
    size_t pod_count;
    int64_t uptime_ns;
    int64_t wall_ns; /* added to 2024-01-01T00:00:00Z */
    int64_t sync_frequency_ns;
    int64_t requeue_ppb; /* part of its range that every requeue draw takes, in billionths */
    enum fake_jitter_mode jitter;
    const struct fake_jitter_row *jitter_rows;
    size_t jitter_row_count;
    bool jitter_again; /* a restarted kubelet draws by the same rows; else nothing */
    uint64_t seed;     /* of draws in mode FREE */
    int64_t speed;     /* in real time: how many times as fast; 0: in virtual time */
};

/*
 * Each returns false where the implementation failed (crashed, timed out, broke the protocol): it
 * is unusable for this case then, and `ctx` knows why.  Effects go to the sink, in order, before
 * the call returns; their texts live until the next call.
 */
struct fake_impl {
    void *ctx;
    bool (*open)(void *ctx, const struct fake_open *open, struct kp_sink sink, int64_t *at_ns);
    bool (*advance)(void *ctx, int64_t to_ns, const struct kp_event *events, size_t event_count,
                    struct kp_sink sink, int64_t *at_ns);
    void (*close)(void *ctx);
};
