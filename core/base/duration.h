/* duration.h: spans of time as Go counts them: int64 nanoseconds, about 292 years either way. */
#pragma once

#include <stdint.h>

#define KP_NEVER INT64_MAX
#define KP_NS_PER_S INT64_C(1000000000)
#define KP_NS_PER_MS INT64_C(1000000)

/*
 * Seconds as the API has them, in nanoseconds: time.Duration(seconds) * time.Second.  The product
 * wraps, so that from 9223372037 s on it may be negative, or short.
 */
static inline int64_t kp_seconds_ns(int64_t seconds)
{
    return (int64_t)((uint64_t)seconds * (uint64_t)KP_NS_PER_S);
}

/* An instant and so much later; instants that int64 does not hold are its borders. */
static inline int64_t kp_later_ns(int64_t at_ns, int64_t by_ns)
{
    if (by_ns > 0 && at_ns > INT64_MAX - by_ns)
        return INT64_MAX;
    if (by_ns < 0 && at_ns < INT64_MIN - by_ns)
        return INT64_MIN;
    return at_ns + by_ns;
}

/* When a timer fires that is set now: at once for nothing or less, else KP_NEVER at the latest.
 * Upstream: Go, runtime/time.go when. */
static inline int64_t kp_timer_ns(int64_t now_ns, int64_t wait_ns)
{
    return wait_ns > 0 ? kp_later_ns(now_ns, wait_ns) : now_ns;
}

/* From one instant to another; what int64 does not hold is its border.  Upstream: Go, Time.Sub. */
static inline int64_t kp_elapsed_ns(int64_t from_ns, int64_t to_ns)
{
    if (from_ns < 0 && to_ns > INT64_MAX + from_ns)
        return INT64_MAX;
    if (from_ns > 0 && to_ns < INT64_MIN + from_ns)
        return INT64_MIN;
    return to_ns - from_ns;
}

/* The whole second that an instant lies in, which is never after it. */
static inline int64_t kp_whole_second_ns(int64_t at_ns)
{
    int64_t rest_ns = at_ns % KP_NS_PER_S;

    return kp_later_ns(at_ns, rest_ns < 0 ? -rest_ns - KP_NS_PER_S : -rest_ns);
}
