/*
 * backoff.h: how long a container that keeps dying has to wait for its next start.
 *
 * Upstream: client-go util/flowcontrol/backoff.go, kubelet.go newCrashLoopBackOff.
 */
#pragma once

#include "../rules/profile.h"

#define KP_BACKOFF_WINDOWS 16 /* distinct delays that one container can see */

/* One key of the back-off table.  Wall-clock times decide, monotonic time collects (S-241..S-245).
 */
struct kp_backoff {
    bool known;
    uint64_t key; /* of the container as it was when the entry was made (S-246) */
    int64_t delay_ns;
    int64_t updated_wall_ns;
    int64_t updated_ns;
};

/* As many keys a container has entries of; of more the one that was used longest
 * ago is forgotten (O-150). */
#define KP_BACKOFF_KEYS 4

struct kp_backoff_limits {
    int64_t initial_ns;
    int64_t max_ns;
    int64_t forget_ns; /* an entry untouched for longer starts afresh (S-243) */
};

/* That of the key, or the place of a new one (S-246); entries: KP_BACKOFF_KEYS. */
struct kp_backoff *kp_backoff_find(struct kp_backoff *entries, uint64_t key);
struct kp_backoff_limits kp_backoff_limits(const struct kp_profile *profile);

/*
 * IsInBackOffSince: may a container that finished at finished_wall_ns not start yet?
 *
 * Times are wall-clock nanoseconds.
 */
bool kp_backoff_holds(const struct kp_backoff *entry, const struct kp_backoff_limits *limits,
                      uint64_t key, int64_t finished_wall_ns, int64_t now_wall_ns);
/* Next: it starts now; the window for the next time opens (S-242). */
void kp_backoff_next(struct kp_backoff *entry, const struct kp_backoff_limits *limits, uint64_t key,
                     int64_t finished_wall_ns, int64_t now_wall_ns, int64_t now_ns);
/* GC of the housekeeping that ran last, at housekeeping_ns of virtual time (S-245). */
void kp_backoff_collect(struct kp_backoff *entry, const struct kp_backoff_limits *limits,
                        int64_t housekeeping_ns);
