#include "core/base/duration.h"

#include "fakes/unit.h"

#define S KP_NS_PER_S

/* As Go 1.26 multiplies: time.Duration(x) * time.Second. */
static void seconds_go_around(void)
{
    CHECK_INT(kp_seconds_ns(30), 30 * S);
    CHECK_INT(kp_seconds_ns(-2147483648), -2147483648 * S);
    CHECK_INT(kp_seconds_ns(9223372036), INT64_C(9223372036000000000));
    CHECK_INT(kp_seconds_ns(9223372037), INT64_C(-9223372036709551616));
    CHECK_INT(kp_seconds_ns(18446744074), 290448384);
    CHECK_INT(kp_seconds_ns(INT64_C(288230376151714)), INT64_C(2256000000));
    CHECK_INT(kp_seconds_ns(INT64_C(1) << 55), 0);
    CHECK_INT(kp_seconds_ns(INT64_MAX), -S);
    CHECK_INT(kp_seconds_ns(INT64_MIN), 0);
}

static void instants_stop_at_the_borders(void)
{
    CHECK_INT(kp_later_ns(5 * S, -7 * S), -2 * S);
    CHECK_INT(kp_later_ns(INT64_MAX - 1, 1), INT64_MAX);
    CHECK_INT(kp_later_ns(INT64_MAX, 1), INT64_MAX);
    CHECK_INT(kp_later_ns(INT64_MIN + 1, -1), INT64_MIN);
    CHECK_INT(kp_later_ns(INT64_MIN, -1), INT64_MIN);
    CHECK_INT(kp_later_ns(INT64_MIN, INT64_MAX), -1);
}

static void a_timer_of_nothing_fires_at_once(void)
{
    CHECK_INT(kp_timer_ns(5 * S, 2 * S), 7 * S);
    CHECK_INT(kp_timer_ns(5 * S, 0), 5 * S);
    CHECK_INT(kp_timer_ns(5 * S, -1), 5 * S);
    CHECK_INT(kp_timer_ns(5 * S, INT64_MIN), 5 * S);
    CHECK_INT(kp_timer_ns(5 * S, INT64_MAX), KP_NEVER);
}

static void what_has_passed_stops_at_the_borders(void)
{
    CHECK_INT(kp_elapsed_ns(2 * S, 5 * S), 3 * S);
    CHECK_INT(kp_elapsed_ns(5 * S, 2 * S), -3 * S);
    CHECK_INT(kp_elapsed_ns(-1, INT64_MAX - 1), INT64_MAX);
    CHECK_INT(kp_elapsed_ns(-2, INT64_MAX), INT64_MAX);
    CHECK_INT(kp_elapsed_ns(1, INT64_MIN + 1), INT64_MIN);
    CHECK_INT(kp_elapsed_ns(2, INT64_MIN), INT64_MIN);
    CHECK_INT(kp_elapsed_ns(INT64_MIN, INT64_MIN), 0);
    CHECK_INT(kp_elapsed_ns(INT64_MIN, -1), INT64_MAX);
}

static void a_whole_second_is_never_later(void)
{
    CHECK_INT(kp_whole_second_ns(5 * S), 5 * S);
    CHECK_INT(kp_whole_second_ns(5 * S + 1), 5 * S);
    CHECK_INT(kp_whole_second_ns(-1), -S);
    CHECK_INT(kp_whole_second_ns(-S), -S);
    CHECK_INT(kp_whole_second_ns(-S - 1), -2 * S);
    CHECK_INT(kp_whole_second_ns(INT64_MIN), INT64_MIN);
}

const struct unit_test duration_test[] = {
    {"seconds go around", seconds_go_around},
    {"instants stop at the borders", instants_stop_at_the_borders},
    {"a timer of nothing fires at once", a_timer_of_nothing_fires_at_once},
    {"what has passed stops at the borders", what_has_passed_stops_at_the_borders},
    {"a whole second is never later", a_whole_second_is_never_later},
    {0},
};
