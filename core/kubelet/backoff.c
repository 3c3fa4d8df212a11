#include "backoff.h"

#include "../model/trace.h"

/* The first window and the longest: 10 s and 300 s, gates and configuration may change them
 * (S-244). */
struct kp_backoff_limits kp_backoff_limits(const struct kp_profile *profile)
{
    struct kp_backoff_limits limits = {
        .initial_ns = 10 * KP_NS_PER_S,
        .max_ns = 300 * KP_NS_PER_S,
        .forget_ns = 600 * KP_NS_PER_S,
    };

    if (profile->gates[KP_GATE_ReduceDefaultCrashLoopBackOffDecay]) {
        limits.initial_ns = KP_NS_PER_S;
        limits.max_ns = 60 * KP_NS_PER_S;
    }
    /* S-247: the configuration's default for the maximum is 300 s, and it takes precedence. */
    if (profile->gates[KP_GATE_KubeletCrashLoopBackOffMax])
        limits.max_ns = 300 * KP_NS_PER_S;
    return limits;
}

static bool is_older(const struct kp_backoff *a, const struct kp_backoff *b)
{
    return b->known && (!a->known || a->updated_ns < b->updated_ns);
}

struct kp_backoff *kp_backoff_find(struct kp_backoff *entries, uint64_t key)
{
    struct kp_backoff *oldest = entries;

    for (size_t i = 0; i < KP_BACKOFF_KEYS; i++) {
        if (entries[i].known && entries[i].key == key)
            return &entries[i];
        if (is_older(&entries[i], oldest))
            oldest = &entries[i];
    }
    return oldest;
}

static bool is_current(const struct kp_backoff *entry, uint64_t key)
{
    return entry->known && entry->key == key;
}

/* Twice the longest window lies between its last use and the end (S-243). */
static bool has_expired(const struct kp_backoff *entry, const struct kp_backoff_limits *limits,
                        int64_t since_wall_ns)
{
    return kp_elapsed_ns(entry->updated_wall_ns, since_wall_ns) > limits->forget_ns;
}

/* Less than the window has passed since that instance ended: no start yet (S-241). */
bool kp_backoff_holds(const struct kp_backoff *entry, const struct kp_backoff_limits *limits,
                      uint64_t key, int64_t finished_wall_ns, int64_t now_wall_ns)
{
    if (!is_current(entry, key) || has_expired(entry, limits, finished_wall_ns))
        return false;
    return kp_elapsed_ns(finished_wall_ns, now_wall_ns) < entry->delay_ns;
}

/* A start that is not refused doubles the window (S-242). */
void kp_backoff_next(struct kp_backoff *entry, const struct kp_backoff_limits *limits, uint64_t key,
                     int64_t finished_wall_ns, int64_t now_wall_ns, int64_t now_ns)
{
    int64_t delay_ns = limits->initial_ns;

    if (is_current(entry, key) && !has_expired(entry, limits, finished_wall_ns)) {
        delay_ns = entry->delay_ns * 2;
        if (delay_ns > limits->max_ns)
            delay_ns = limits->max_ns;
    }
    *entry = (struct kp_backoff){
        .known = true,
        .key = key,
        .delay_ns = delay_ns,
        .updated_wall_ns = now_wall_ns,
        .updated_ns = now_ns,
    };
}

/* Housekeeping forgets what was not used for twice the longest window (S-245). */
void kp_backoff_collect(struct kp_backoff *entry, const struct kp_backoff_limits *limits,
                        int64_t housekeeping_ns)
{
    if (entry->known && housekeeping_ns - entry->updated_ns > limits->forget_ns)
        entry->known = false;
}
