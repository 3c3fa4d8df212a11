#include "core/kubelet/active_deadline.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S

/* Seconds become nanoseconds as Go has them, and what int64 does not hold is its border. */
static void what_is_left_is_by_the_wall_clock(void)
{
    static const struct {
        bool has_deadline;
        bool has_start;
        int64_t deadline_s;
        int64_t start_ns;
        int64_t wall_ns;
        int64_t left_ns;
    } rows[] = {
        {false, true, 5, 0, 9 * S, KP_NEVER},
        {true, false, 5, 0, 9 * S, KP_NEVER},
        {true, true, 5, 10 * S, 12 * S, 3 * S},
        {true, true, 5, 10 * S, 15 * S, 0},
        {true, true, 5, 10 * S, 15 * S - 1, 1},
        {true, true, 5, 10 * S, 8 * S, 7 * S},
        {true, true, INT32_MAX, 0, INT64_C(2147483647) * S, 0},
        {true, true, INT64_C(9223372037), 0, 0, INT64_MIN + INT64_C(145224192)},
        {true, true, INT64_C(9223372036), 0, -S, KP_NEVER},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_pod pod = {.has_deadline = rows[i].has_deadline,
                                   .deadline_s = rows[i].deadline_s};
        const struct kp_pod_status status = {.has_start = rows[i].has_start,
                                             .start_ns = rows[i].start_ns};

        CHECK_INT(kp_active_deadline_left_ns(&pod, &status, rows[i].wall_ns), rows[i].left_ns);
        CHECK_INT(kp_active_deadline_left_ns(&pod, NULL, rows[i].wall_ns), KP_NEVER);
    }
}

const struct unit_test active_deadline_test[] = {
    {"what is left is by the wall clock", what_is_left_is_by_the_wall_clock},
    {0},
};
