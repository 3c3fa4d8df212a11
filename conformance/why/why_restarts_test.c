/* why_restarts_test.c: what is said of waits and counts, beside a loop that waits 10, 20, 40, 80
 * and 160 s after its ends. */
#include "conformance/why/why_restarts.h"
#include "fakes/unit.h"

#include <stdio.h>

#define S KP_NS_PER_S
#define ENDED_S 100000

static int64_t gaps_ns[] = {10 * S, 20 * S, 40 * S, 80 * S, 160 * S};
static int64_t starts_ns[] = {20 * S, 50 * S, 100 * S, 190 * S, 360 * S};

/* A wait is near one of `engine` s where it is at most 2 s shorter, and at most by a half and 15 s
 * longer. */
static void a_wait_is_held_against_the_engines(void)
{
    static const struct {
        int32_t restarts;
        int64_t stated_s; /* of a CrashLoopBackOff; -1: it runs again */
        int64_t waited_s;
        int64_t
            node_s; /* the pod came to its node so long before the run that ended; 0: not known */
        const char *says;
    } rows[] = {
        {1, -1, 10, 1, "10s after end 1; expected 8s to 30s: agrees"},
        {1, -1, 8, 1, "8s after end 1; expected 8s to 30s: agrees"},
        {1, -1, 30, 1, "30s after end 1; expected 8s to 30s: agrees"},
        {1, -1, 7, 1, "7s after end 1; expected 8s to 30s: too soon"},
        {1, -1, 31, 1, "31s after end 1; expected 8s to 30s: node slow or down"},
        {3, -1, 40, 1, "40s after end 3; expected 38s to 1m15s: agrees"},
        {4, -1, 20, 598, "20s, as after end 1 in a row: before, it ran 10m or more"},
        {4, -1, 31, 598, "31s, as after end 2 in a row: before, it ran 10m or more"},
        {4, -1, 46, 598, "46s, as after end 3 in a row: before, it ran 10m or more"},
        {4, -1, 20, 597, "20s after end 4; expected 1m18s to 2m15s: too soon"},
        {4, -1, 20, 0, "20s, as after end 1 in a row: before, it ran 10m or more"},
        {4, -1, 7, 700, "7s after end 4; expected 1m18s to 2m15s: too soon"},
        {4, -1, 136, 700, "2m16s after end 4; expected 1m18s to 2m15s: node slow or down"},
        {9, -1, 160, 1, "2m40s after end 9; expected 2m38s to 4m15s: agrees"},
        {2, 40, 0, 1, "40s after end 3: agrees; starts after 40s to 1m15s"},
        {2, 80, 0, 1, "1m20s after end 3: its earlier runs were shorter"},
        {2, 20, 0, 598, "20s, as after end 1 in a row: before, it ran 10m or more"},
        {4, 300, 0, 1, "5m0s (the longest) after end 5: its earlier runs were shorter"},
        {0, -1, 10, 1, ""},
        {1, -1, 0, 1, "0s after end 1; expected 8s to 30s: too soon"},
        {5, -1, 160, 1, "2m40s after end 5; expected 2m38s to 4m15s: agrees"},
        {6, -1, 160, 1, "2m40s after end 6; expected 2m38s to 4m15s: agrees"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        char message[100];
        struct kp_state end = {.kind = KP_STATE_TERMINATED,
                               .started_at_ns = (ENDED_S - 5) * S,
                               .finished_at_ns = ENDED_S * S};
        struct kp_container_status status = {
            .restart_count = rows[i].restarts,
            .state = {.kind = rows[i].stated_s < 0 ? KP_STATE_RUNNING : KP_STATE_WAITING,
                      .started_at_ns = (ENDED_S + rows[i].waited_s) * S},
            .last_state = end};
        struct cf_history history = {
            .started_ns = rows[i].node_s > 0 ? (ENDED_S - 5 - rows[i].node_s) * S : 0};
        struct cf_why why = {.history = &history,
                             .verdict = {.status = &status, .end = &status.last_state},
                             .loop = {.gap_ns = gaps_ns, .at_ns = starts_ns, .count = 5}};

        snprintf(message, sizeof message, "back-off %dm%ds restarting failed container=c",
                 (int)(rows[i].stated_s / 60), (int)(rows[i].stated_s % 60));
        status.state.message = kp_text_of(message);
        CHECK_TEXT(cf_why_of_restarts(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

/* The loop's restarts are at 20, 50, 100, 190 and 360 s; by a half and 20 s more, or by a quarter
 * and 20 s less, is near. */
static void a_count_is_held_against_the_engines(void)
{
    static const struct {
        int32_t restarts;
        int64_t since_s;
        const char *says;
    } rows[] = {
        {3, 100, "3 in 1m40s; if each ends so, about 1m40s: agrees"},
        {3, 170, "3 in 2m50s; if each ends so, about 1m40s: agrees"},
        {3, 171, "3 in 2m51s; if each ends so, about 1m40s: it ran longer before"},
        {3, 55, "3 in 55s; if each ends so, about 1m40s: agrees"},
        {3, 54, "3 in 54s; if each ends so, about 1m40s: it ended sooner before"},
        {5, 360, "5 in 6m0s; if each ends so, about 6m0s: agrees"},
        {2, 50, "2 in 50s; if each ends so, about 50s: agrees"},
        {1, 20, ""},
        {6, 360, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_container_status status = {
            .restart_count = rows[i].restarts,
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = ENDED_S * S}};
        struct cf_history history = {.started_ns = (ENDED_S - rows[i].since_s) * S};
        struct cf_why why = {.history = &history,
                             .verdict = {.status = &status, .end = &status.last_state},
                             .loop = {.gap_ns = gaps_ns, .at_ns = starts_ns, .count = 5}};

        CHECK_TEXT(cf_why_of_count(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test why_restarts_test[] = {
    {"a wait is held against the engine's", a_wait_is_held_against_the_engines},
    {"a count is held against the engine's", a_count_is_held_against_the_engines},
    {0},
};
