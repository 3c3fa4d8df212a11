/* why_restarts_test.c: what is said of waits and counts, beside a loop that waits 10, 20, 40, 80
 * and 160 s after its ends. */
#include "conformance/why/why_restarts.h"
#include "fakes/unit.h"

#include <stdio.h>

#define S KP_NS_PER_S
#define ENDED_S 100000

static int64_t windows_ns[] = {10 * S, 20 * S, 40 * S, 80 * S, 160 * S};
static int64_t others_ns[] = {KP_NEVER, KP_NEVER, KP_NEVER, KP_NEVER, KP_NEVER};
static int64_t starts_ns[] = {20 * S, 50 * S, 100 * S, 190 * S, 360 * S};

static struct cf_why why_of(const struct cf_history *history,
                            const struct kp_container_status *status)
{
    return (struct cf_why){.history = history,
                           .verdict = {.status = status, .end = &status->last_state},
                           .loop = {.gap_ns = windows_ns,
                                    .window_ns = windows_ns,
                                    .or_ns = others_ns,
                                    .at_ns = starts_ns,
                                    .count = 5}};
}

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
        {4, -1, 20, 598, "20s, as after end 1 in a row: the back-off began anew"},
        {4, -1, 31, 598, "31s, as after end 2 in a row: the back-off began anew"},
        {4, -1, 46, 598, "46s, as after end 3 in a row: the back-off began anew"},
        {4, -1, 20, 597, "20s after end 4; expected 1m18s to 2m15s: too soon"},
        {4, -1, 20, 0, "20s, as after end 1 in a row: the back-off began anew"},
        {4, -1, 7, 700, "7s after end 4; expected 1m18s to 2m15s: too soon"},
        {4, -1, 136, 700, "2m16s after end 4; expected 1m18s to 2m15s: node slow or down"},
        {9, -1, 160, 1, "2m40s after end 9; expected 2m38s to 4m15s: agrees"},
        {9, -1, 7, 700, "7s after end 9; expected 2m38s to 4m15s: too soon"},
        {2, 40, 0, 1, "40s after end 3: agrees; starts after 40s to 1m15s"},
        {2, 80, 0, 1, "1m20s after end 3: its earlier runs were shorter"},
        {2, 20, 0, 598, "20s, as after end 2 in a row: the back-off began anew"},
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
        struct cf_why why = why_of(&history, &status);

        snprintf(message, sizeof message, "back-off %dm%ds restarting failed container=c",
                 (int)(rows[i].stated_s / 60), (int)(rows[i].stated_s % 60));
        status.state.message = kp_text_of(message);
        CHECK_TEXT(cf_why_of_restarts(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

/* A kill's wait may be left out, or take place, where chance has it so (S-252); a back-off that is
 * forgotten while it lasts is shorter than its window (S-245). */
static void what_chance_makes_of_a_wait_agrees(void)
{
    enum { NONE = -1 };
    static const struct {
        int64_t window_s;
        int64_t gap_s;
        int64_t or_s;     /* NONE: chance does nothing */
        int64_t stated_s; /* NONE: it runs again */
        int64_t waited_s;
        const char *says;
    } rows[] = {
        {80, 80, 0, NONE, 1, "1s after end 2; expected 0s to 15s: agrees"},
        {80, 80, 0, NONE, 15, "15s after end 2; expected 0s to 15s: agrees"},
        {80, 80, 0, NONE, 16, "16s after end 2; expected 1m18s to 2m15s: too soon"},
        {80, 80, 0, NONE, 80, "1m20s after end 2; expected 1m18s to 2m15s: agrees"},
        {80, 80, NONE, NONE, 1, "1s after end 2; expected 1m18s to 2m15s: too soon"},
        {0, 0, 40, NONE, 38, "38s after end 2; expected 38s to 1m15s: agrees"},
        {0, 0, 40, NONE, 37, "37s after end 2; expected 0s to 15s: node slow or down"},
        {0, 0, 40, 40, 0, "40s after end 2: agrees; starts after 40s to 1m15s"},
        {0, 0, NONE, 40, 0, "40s after end 2: not all ends before were kills"},
        {80, 80, 0, 40, 0, "40s after end 2; expected 1m20s: too soon"},
        {80, 80, 0, 81, 0, "1m21s after end 2: not all ends before were kills"},
        {300, 200, NONE, NONE, 198, "3m18s after end 2; expected 3m18s to 7m45s: agrees"},
        {300, 200, NONE, NONE, 197, "3m17s after end 2; expected 3m18s to 7m45s: too soon"},
        {300, 400, NONE, NONE, 298, "4m58s after end 2; expected 4m58s to 7m45s: agrees"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        bool runs = rows[i].stated_s == NONE;
        char message[100];
        int64_t window_ns[] = {500 * S, rows[i].window_s * S};
        int64_t gap_ns[] = {500 * S, rows[i].gap_s * S};
        int64_t or_ns[] = {0, rows[i].or_s == NONE ? KP_NEVER : rows[i].or_s * S};
        struct kp_container_status status = {
            .restart_count = runs ? 2 : 1,
            .state = {.kind = runs ? KP_STATE_RUNNING : KP_STATE_WAITING,
                      .started_at_ns = (ENDED_S + rows[i].waited_s) * S},
            .last_state = {.kind = KP_STATE_TERMINATED,
                           .started_at_ns = (ENDED_S - 5) * S,
                           .finished_at_ns = ENDED_S * S}};
        struct cf_history history = {.started_ns = (ENDED_S - 6) * S};
        struct cf_why why = {
            .history = &history,
            .verdict = {.cause = CF_CAUSE_LIVENESS, .status = &status, .end = &status.last_state},
            .loop = {.gap_ns = gap_ns, .window_ns = window_ns, .or_ns = or_ns, .count = 2}};

        snprintf(message, sizeof message, "back-off %ds restarting failed container=c",
                 (int)rows[i].stated_s);
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
        struct cf_why why = why_of(&history, &status);

        CHECK_TEXT(cf_why_of_count(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

/* What the API does not say, or says out of order, is held against nothing. */
static void without_its_times_nothing_is_said(void)
{
    static const struct {
        enum kp_state_kind kind;
        int64_t node_s; /* 0: not known */
        int64_t started_s;
        const char *count; /* what is said of 2 restarts */
        const char *wait;
    } rows[] = {
        {KP_STATE_RUNNING, ENDED_S - 50, ENDED_S, "2 in 50s; if each ends so, about 50s: agrees",
         "20s after end 2; expected 18s to 45s: agrees"},
        {KP_STATE_RUNNING, 0, ENDED_S, "", "20s after end 2; expected 18s to 45s: agrees"},
        {KP_STATE_RUNNING, ENDED_S - 50, 0, "", ""},
        {KP_STATE_RUNNING, 0, 0, "", ""},
        {KP_STATE_RUNNING, ENDED_S, ENDED_S, "", "20s after end 2; expected 18s to 45s: agrees"},
        {KP_STATE_RUNNING, ENDED_S + 1, ENDED_S, "",
         "20s after end 2; expected 18s to 45s: agrees"},
        {KP_STATE_TERMINATED, ENDED_S - 70, ENDED_S, "2 in 50s; if each ends so, about 50s: agrees",
         ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_container_status status = {
            .restart_count = 2,
            .state = {.kind = rows[i].kind, .started_at_ns = rows[i].started_s * S},
            .last_state = {.kind = KP_STATE_TERMINATED,
                           .started_at_ns = (ENDED_S - 20) * S,
                           .finished_at_ns = (ENDED_S - 20) * S}};
        struct cf_history history = {.started_ns = rows[i].node_s * S};
        struct cf_why why = why_of(&history, &status);

        CHECK_TEXT(cf_why_of_count(&arena, &why), kp_text_of(rows[i].count));
        CHECK_TEXT(cf_why_of_restarts(&arena, &why), kp_text_of(rows[i].wait));
        why.verdict.status = NULL;
        CHECK_TEXT(cf_why_of_restarts(&arena, &why), KP_TEXT(""));
        CHECK_TEXT(cf_why_of_count(&arena, &why), KP_TEXT(""));
        cf_arena_deinit(&arena);
    }
}

/* Waits of 40 s before the second restart that may be left out, or one of 20 s before the third
 * that may take place, and be drawn out to 45 s. */
static void what_chance_makes_of_a_count_agrees(void)
{
    static const struct {
        int32_t restarts;
        int64_t since_s;
        const char *says;
    } rows[] = {
        {3, 15, "3 in 15s; if each ends so, about 1m40s: agrees"},
        {3, 14, "3 in 14s; if each ends so, about 1m40s: it ended sooner before"},
        {3, 215, "3 in 3m35s; if each ends so, about 1m40s: agrees"},
        {3, 216, "3 in 3m36s; if each ends so, about 1m40s: it ran longer before"},
        {2, 95, "2 in 1m35s; if each ends so, about 50s: agrees"},
        {2, 96, "2 in 1m36s; if each ends so, about 50s: it ran longer before"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        int64_t window_ns[] = {0, 40 * S, 0, 0};
        int64_t or_ns[] = {KP_NEVER, 0, 20 * S, KP_NEVER};
        struct kp_container_status status = {
            .restart_count = rows[i].restarts,
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = ENDED_S * S}};
        struct cf_history history = {.started_ns = (ENDED_S - rows[i].since_s) * S};
        struct cf_why why = {
            .history = &history,
            .verdict = {.status = &status, .end = &status.last_state},
            .loop = {.window_ns = window_ns, .or_ns = or_ns, .at_ns = starts_ns, .count = 4}};

        CHECK_TEXT(cf_why_of_count(&arena, &why), kp_text_of(rows[i].says));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test why_restarts_test[] = {
    {"a wait is held against the engine's", a_wait_is_held_against_the_engines},
    {"a count is held against the engine's", a_count_is_held_against_the_engines},
    {"without its times nothing is said", without_its_times_nothing_is_said},
    {"what chance makes of a wait agrees", what_chance_makes_of_a_wait_agrees},
    {"what chance makes of a count agrees", what_chance_makes_of_a_count_agrees},
    {0},
};
