/* history_test.c: what an event of each API says of when, and how often. */
#include "conformance/why/history.h"
#include "core/base/duration.h"
#include "fakes/unit.h"

#include <stdio.h>

#define T0 INT64_C(1767225600) /* 2026-01-01T00:00:00Z */

#define POD                                                                                        \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, uid: u}\n"                      \
    "spec: {containers: [{name: c, image: i}]}\n"
#define EVENT                                                                                      \
    "---\napiVersion: v1\nkind: Event\nmetadata: {name: e}\nreason: Unhealthy\n"                   \
    "involvedObject: {kind: Pod, name: p, namespace: ns, uid: u, fieldPath: "                      \
    "'spec.containers{c}'}\n"
#define AT(second) "'2026-01-01T00:00:0" #second "Z'"

static void when_and_how_often_by_each_of_its_fields(void)
{
    static const struct {
        const char *fields;
        int64_t first_s; /* since T0; -1: not recorded */
        int64_t last_s;
        int64_t count;
    } rows[] = {
        {"firstTimestamp: " AT(1) "\nlastTimestamp: " AT(5) "\ncount: 3", 1, 5, 3},
        {"firstTimestamp: " AT(1) "\ncount: 0", 1, 1, 1},
        {"lastTimestamp: " AT(5), -1, 5, 1},
        {"eventTime: " AT(2), 2, 2, 1},
        {"eventTime: " AT(2) "\nfirstTimestamp: " AT(1), 1, 1, 1},
        {"eventTime: " AT(2) "\nseries: {count: 7, lastObservedTime: " AT(9) "}", 2, 9, 7},
        {"firstTimestamp: " AT(1) "\nlastTimestamp: " AT(5) "\ncount: 3\nseries: {count: 7, "
                                                            "lastObservedTime: " AT(9) "}",
         1, 9, 7},
        {"deprecatedFirstTimestamp: " AT(3) "\ndeprecatedLastTimestamp: " AT(
             4) "\ndeprecatedCount: 2",
         3, 4, 2},
        {"deprecatedFirstTimestamp: " AT(3) "\neventTime: " AT(1), 3, 3, 1},
        {"deprecatedLastTimestamp: " AT(4) "\nseries: {count: 5, lastObservedTime: " AT(8) "}", -1,
         8, 5},
        {"firstTimestamp: " AT(1) "\ndeprecatedFirstTimestamp: " AT(3) "\nlastTimestamp: " AT(
             5) "\ndeprecatedLastTimestamp: " AT(6) "\ncount: 3\ndeprecatedCount: 4",
         1, 5, 3},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_histories histories = {.list = NULL};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_fault fault;
        char text[2048];
        const struct cf_happened *event;

        snprintf(text, sizeof text, POD EVENT "%s\n", rows[i].fields);
        CHECK_INT(cf_history_read(&arena, &profile, kp_text_of(text), &histories, &fault), KP_OK);
        CHECK_INT(cf_history_join(&arena, &histories), KP_OK);
        CHECK_INT(histories.count, 1);
        CHECK_INT(histories.list[0].event_count, 1);
        event = &histories.list[0].events[0];
        unit_check_int(event->first_ns,
                       rows[i].first_s < 0 ? 0 : (T0 + rows[i].first_s) * KP_NS_PER_S,
                       rows[i].fields, __FILE__, __LINE__);
        unit_check_int(event->last_ns, (T0 + rows[i].last_s) * KP_NS_PER_S, rows[i].fields,
                       __FILE__, __LINE__);
        unit_check_int(event->count, rows[i].count, rows[i].fields, __FILE__, __LINE__);
        CHECK_TEXT(event->container, KP_TEXT("c"));
        cf_arena_deinit(&arena);
    }
}

/* Whom an event is about: what is not recorded on either side counts as equal. */
static void an_event_is_about_one_pod(void)
{
    static const struct {
        const char *object;
        size_t count;
    } rows[] = {
        {"kind: Pod, name: p, namespace: ns, uid: u", 1},
        {"kind: Pod, name: p", 1},
        {"kind: Pod, name: p, namespace: ns, uid: other", 0},
        {"kind: Pod, name: p, namespace: other, uid: u", 0},
        {"kind: Pod, name: other, namespace: ns, uid: u", 0},
        {"kind: Node, name: p, namespace: ns, uid: u", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int regarding = 0; regarding < 2; regarding++) {
            struct cf_arena arena = {.mem = cf_libc_mem()};
            struct cf_histories histories = {.list = NULL};
            struct kp_profile profile = unit_profile("1.36");
            struct cf_fault fault;
            char text[1024];

            snprintf(text, sizeof text, "%s---\napiVersion: %s\nkind: Event\n%s: {%s}\n", POD,
                     regarding ? "events.k8s.io/v1" : "v1",
                     regarding ? "regarding" : "involvedObject", rows[i].object);
            CHECK_INT(cf_history_read(&arena, &profile, kp_text_of(text), &histories, &fault),
                      KP_OK);
            CHECK_INT(cf_history_join(&arena, &histories), KP_OK);
            unit_check_int((int64_t)histories.list[0].event_count, (int64_t)rows[i].count,
                           rows[i].object, __FILE__, __LINE__);
            cf_arena_deinit(&arena);
        }
}

#define EVENT_OF(at, why, says, of)                                                                \
    {                                                                                              \
        .last_ns = at, .reason = {why, sizeof why - 1}, .message = {says, sizeof says - 1},        \
        .container = {                                                                             \
            of,                                                                                    \
            sizeof of - 1                                                                          \
        }                                                                                          \
    }

/* The newest by its last time; of those of one time the one behind. */
static void the_newest_event_is_found(void)
{
    static struct cf_happened events[] = {
        EVENT_OF(5, "Unhealthy", "Liveness probe failed: a", "c"),
        EVENT_OF(9, "Unhealthy", "Readiness probe failed: b", "c"),
        EVENT_OF(7, "Unhealthy", "Liveness probe failed: c", "c"),
        EVENT_OF(7, "Unhealthy", "Liveness probe failed: d", "c"),
        EVENT_OF(6, "Unhealthy", "Liveness probe failed: e", "c"),
        EVENT_OF(8, "Unhealthy", "Liveness probe failed: f", "d"),
        EVENT_OF(8, "Killing", "Liveness probe failed: g", "c"),
        EVENT_OF(3, "Killing", "h", ""),
    };
    static const struct {
        const char *container;
        const char *reason;
        const char *says;
        int found; /* -1: none */
    } rows[] = {
        {"c", "Unhealthy", "Liveness probe", 3},
        {"c", "Unhealthy", NULL, 1},
        {"d", "Unhealthy", NULL, 5},
        {"c", "Killing", NULL, 6},
        {"", "Killing", NULL, 7},
        {"", "Unhealthy", NULL, -1},
        {"c", "Unhealthy", "Startup probe", -1},
        {"c", "Failed", NULL, -1},
    };
    const struct cf_history history = {.events = events,
                                       .event_count = sizeof events / sizeof events[0]};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cf_happened *found =
            cf_history_event(&history, kp_text_of(rows[i].container), rows[i].reason, rows[i].says);

        CHECK_INT(found ? found - events : -1, rows[i].found);
    }
}

const struct unit_test history_test[] = {
    {"the newest event is found", the_newest_event_is_found},
    {"when and how often, by each of its fields", when_and_how_often_by_each_of_its_fields},
    {"an event is about one pod", an_event_is_about_one_pod},
    {0},
};
