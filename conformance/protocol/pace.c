#include "conformance/protocol/pace.h"

#include "core/base/duration.h"

#include <time.h>

enum { FLOOR_NS = 2000000 }; /* of the noise, in real time: what a timer and a pipe take */

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * KP_NS_PER_S + now.tv_nsec;
}

static int64_t now_ns(const struct cf_pace *pace)
{
    return (monotonic_ns() - pace->began_ns) * pace->speed;
}

void cf_pace_begin(struct cf_pace *pace, int64_t speed)
{
    *pace = (struct cf_pace){.speed = speed};
    if (speed > 0)
        pace->began_ns = monotonic_ns();
}

int cf_pace_ask(struct cf_pace *pace, int64_t to_ns)
{
    if (pace->speed == 0)
        return 0;
    pace->sent_ns = now_ns(pace);
    return to_ns > pace->sent_ns ? (int)((to_ns - pace->sent_ns) / pace->speed / KP_NS_PER_MS) + 1
                                 : 0;
}

void cf_pace_delayed(struct cf_pace *pace, int64_t delay_ns)
{
    if (delay_ns * pace->speed > pace->own_ns)
        pace->own_ns = delay_ns * pace->speed;
}

bool cf_pace_take(struct cf_pace *pace, int64_t at_ns)
{
    int64_t came_ns;
    int64_t due_ns = at_ns > pace->sent_ns ? at_ns : pace->sent_ns;

    if (pace->speed == 0)
        return true;
    came_ns = now_ns(pace);
    if (came_ns - due_ns > pace->late_ns)
        pace->late_ns = came_ns - due_ns;
    return at_ns <= came_ns + KP_NS_PER_MS; /* instants are whole milliseconds */
}

/* The adapter's waits end no sooner than the runner's. */
static int64_t own_ns(const struct cf_pace *pace)
{
    return 2 * pace->own_ns + FLOOR_NS * pace->speed;
}

static int64_t at_most_ns(int64_t ns)
{
    return ns < CF_PACE_NOISE_MAX_NS ? ns : CF_PACE_NOISE_MAX_NS;
}

int64_t cf_pace_noise_ns(const struct cf_pace *pace)
{
    return pace->speed > 0 ? at_most_ns(own_ns(pace)) + at_most_ns(pace->late_ns) : 0;
}

int64_t cf_pace_slower(const struct cf_pace *pace)
{
    int64_t quarter = pace->speed / 4;
    int64_t fits = pace->speed * (CF_PACE_NOISE_MAX_NS / 2) / own_ns(pace);
    int64_t slower = fits < quarter ? fits : quarter;

    return slower > 1 ? slower : 1;
}

bool cf_pace_is_noisy(const struct cf_pace *pace)
{
    return pace->speed > 0 && own_ns(pace) > CF_PACE_NOISE_MAX_NS;
}

bool cf_pace_is_quiet(const struct cf_pace *pace)
{
    return own_ns(pace) < CF_PACE_NOISE_MAX_NS / 4;
}
