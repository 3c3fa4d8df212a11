#include "conformance/protocol/pace.h"

#include "core/base/duration.h"
#include "fakes/unit.h"

static void virtual_time_has_no_noise(void)
{
    struct cf_pace pace;

    cf_pace_begin(&pace, 0);
    CHECK_INT(cf_pace_ask(&pace, 3600 * KP_NS_PER_S), 0);
    cf_pace_delayed(&pace, KP_NS_PER_S);
    CHECK(cf_pace_take(&pace, 3600 * KP_NS_PER_S));
    CHECK_INT(cf_pace_noise_ns(&pace), 0);
    CHECK(!cf_pace_is_noisy(&pace));
}

/* Instants so far away that no machine comes to them while the test runs. */
static void a_clock_that_is_ahead_is_seen(void)
{
    struct cf_pace pace;
    int left_ms;

    cf_pace_begin(&pace, 10);
    left_ms = cf_pace_ask(&pace, 36000 * KP_NS_PER_S);
    CHECK(left_ms > 3000 * 1000 && left_ms <= 3600 * 1000 + 1);
    CHECK(!cf_pace_take(&pace, 36000 * KP_NS_PER_S));
    CHECK(cf_pace_take(&pace, 0));
}

/* A wait that ended 60 ms late is 0.6 s of the case at ten times its pace, and counts twice. */
static void late_waits_are_noise(void)
{
    struct cf_pace pace;

    cf_pace_begin(&pace, 10);
    cf_pace_ask(&pace, 0);
    cf_pace_delayed(&pace, 1 * KP_NS_PER_MS);
    CHECK(cf_pace_is_quiet(&pace));
    CHECK(cf_pace_noise_ns(&pace) >= 20 * KP_NS_PER_MS);
    cf_pace_delayed(&pace, 60 * KP_NS_PER_MS);
    CHECK(cf_pace_is_noisy(&pace));
    CHECK(!cf_pace_is_quiet(&pace));
}

/* However late, a window is widened by a second for the machine and one for the replies. */
static void no_window_is_boundless(void)
{
    struct cf_pace pace;

    cf_pace_begin(&pace, 40);
    pace.began_ns -= 100 * KP_NS_PER_S;
    CHECK(cf_pace_take(&pace, 0));
    cf_pace_delayed(&pace, KP_NS_PER_S);
    CHECK_INT(cf_pace_noise_ns(&pace), 2 * CF_PACE_NOISE_MAX_NS);
}

/* Noise of 3.2 s at 40 is half a second at 6; without noise it is a quarter; 1 is the slowest. */
static void the_next_pace_is_one_that_fits(void)
{
    struct cf_pace pace;

    cf_pace_begin(&pace, 40);
    CHECK_INT(cf_pace_slower(&pace), 10);
    cf_pace_delayed(&pace, 39 * KP_NS_PER_MS);
    CHECK_INT(cf_pace_slower(&pace), 6);
    cf_pace_delayed(&pace, KP_NS_PER_S);
    CHECK_INT(cf_pace_slower(&pace), 1);
}

static void late_replies_widen_alone(void)
{
    struct cf_pace pace;

    cf_pace_begin(&pace, 1);
    pace.began_ns -= 100 * KP_NS_PER_S; /* a hundred seconds have passed */
    pace.sent_ns = 10 * KP_NS_PER_S;
    CHECK(cf_pace_take(&pace, 90 * KP_NS_PER_S));
    CHECK(pace.late_ns >= 10 * KP_NS_PER_S);
    CHECK(cf_pace_noise_ns(&pace) >= CF_PACE_NOISE_MAX_NS);
    CHECK(!cf_pace_is_noisy(&pace));
}

const struct unit_test pace_test[] = {
    {"virtual time has no noise", virtual_time_has_no_noise},
    {"a clock that is ahead is seen", a_clock_that_is_ahead_is_seen},
    {"late waits are noise", late_waits_are_noise},
    {"no window is boundless", no_window_is_boundless},
    {"the next pace is one that fits", the_next_pace_is_one_that_fits},
    {"late replies widen alone", late_replies_widen_alone},
    {0},
};
