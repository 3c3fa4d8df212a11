/* history_test.c: what pods and events are read from, and what an event of each API says of when,
 * and how often. */
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
        {"firstTimestamp: " AT(1) "\ncount: 1\ndeprecatedCount: 4", 1, 1, 1},
        {"firstTimestamp: " AT(1) "\ncount: '3'", 1, 1, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_histories histories = {.list = NULL};
        struct kp_profile profile = unit_profile("1.36");
        struct cf_fault fault;
        char text[2048];
        const struct cf_pod_event *event;

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
        {"kind: Pod, name: p, namespace: ns, uid: w", 0},
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
    static struct cf_pod_event events[] = {
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
        const struct cf_pod_event *found =
            cf_history_event(&history, kp_text_of(rows[i].container), rows[i].reason, rows[i].says);

        CHECK_INT(found ? found - events : -1, rows[i].found);
    }
}

#define J_POD(name)                                                                                \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                                             \
    "\"},\"spec\":{\"containers\":[{\"name\":\"c\","                                               \
    "\"image\":\"i\"}]}}"
#define Y_POD(name)                                                                                \
    "kind: Pod\nmetadata: {name: " name "}\nspec: {containers: [{name: c, image: i}]}\n"
#define J_LIST(items) "{\"kind\":\"List\",\"items\":[" items "]}"
#define DEEP(items) J_LIST(J_LIST(J_LIST(J_LIST(items))))
#define NO_KIND                                                                                    \
    "not an object of Kubernetes: it has no kind; wanted is what `kubectl get pod NAME -o yaml` "  \
    "prints"
#define NO_ITEMS "a List must have items, which must be a list"
#define BAD_SPEC                                                                                   \
    "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type "          \
    "[]v1.Container"
#define BAD_NAME                                                                                   \
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"
#define TEMPLATE "this is a template; pipe `helm template DIR | probetest COMMAND -`"

/* What a file holds: its pods, an object each, and how many events; or what is wrong, and where. */
struct holding {
    const char *text;
    const char *pods;
    size_t events;
    bool seen;
    const char *passed; /* a kind that is neither */
    const char *fault;
    int line;
    int column;
};

static void check_holding(const struct holding *row)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_histories histories = {.list = NULL};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_fault fault = {.message = KP_TEXT("")};
    enum kp_err err = cf_history_read(&arena, &profile, kp_text_of(row->text), &histories, &fault);
    struct kp_text names = KP_TEXT("");

    unit_check_int(err, row->fault ? KP_EINPUT : KP_OK, row->text, __FILE__, __LINE__);
    CHECK_TEXT(fault.message, kp_text_of(row->fault ? row->fault : ""));
    unit_check_int(fault.at.line, row->line, row->text, __FILE__, __LINE__);
    unit_check_int(fault.at.column, row->column, row->text, __FILE__, __LINE__);
    for (size_t i = 0; i < histories.count; i++)
        names = cf_arena_format(&arena, "%.*s%.*s ", KP_ARG(names),
                                KP_ARG(histories.list[i].pod->name));
    unit_check_text(names, kp_text_of(row->pods), row->text, __FILE__, __LINE__);
    unit_check_int((int64_t)histories.events->count, (int64_t)row->events, row->text, __FILE__,
                   __LINE__);
    unit_check_int(histories.events_seen, row->seen, row->text, __FILE__, __LINE__);
    unit_check_text(histories.passed ? histories.passed->text : KP_TEXT(""),
                    kp_text_of(row->passed ? row->passed : ""), row->text, __FILE__, __LINE__);
    cf_arena_deinit(&arena);
}

/* clang-format off */
static const struct holding holdings[] = {
    {.text = J_POD("a"), .pods = "a "},
    {.text = " \t\r\n" J_POD("a") J_POD("b") "\n\t \r" J_POD("c") " \n", .pods = "a b c "},
    {.text = "{\"kind\":\"Event\",\"a\":\"}]\\\"}{\"}" J_POD("a"), .pods = "a ", .events = 1, .seen = true},
    {.text = "{\"kind\":\"Event\",\"a\":\"\\\\\"}" J_POD("a") "{\"kind\":\"X\",\"b\":\"\\\\{\"}", .pods = "a ", .events = 1, .seen = true, .passed = "X"},
    {.text = "{\"kind\":\"Secret\"}{\"kind\":\"Node\"}", .pods = "", .passed = "Secret"},
    {.text = "{\"kind\":\"Secret\",\"a\":[[],{\"b\":[{}]}]}" J_POD("a"), .pods = "a ", .passed = "Secret"},
    {.text = J_LIST(J_POD("a") "," J_POD("b") ",{\"kind\":\"Event\"}"), .pods = "a b ", .events = 1, .seen = true},
    {.text = J_LIST(J_POD("a")), .pods = "a "},
    {.text = J_LIST(""), .pods = "", .seen = true},
    {.text = "{\"kind\":\"EventList\",\"items\":[]}" J_POD("a"), .pods = "a ", .seen = true},
    {.text = DEEP(DEEP(J_LIST(J_POD("a")))), .pods = "a "},
    {.text = Y_POD("a"), .pods = "a "},
    {.text = "---\n---\n" Y_POD("a") "---\n# none\n---\n" Y_POD("b"), .pods = "a b "},
    {.text = Y_POD("a") Y_POD("b") "kind: Event\nmetadata: {}\nkind: Event\n" Y_POD("c"), .pods = "a b c ", .events = 2, .seen = true},
    {.text = "apiVersion: v1\n" Y_POD("a") "apiVersion: v1\n" Y_POD("b") "apiVersion: v1\nkind: Event\n", .pods = "a b ", .events = 1, .seen = true},
    {.text = Y_POD("a") "kind: Pod\nmetadata: {name: b}\nmetadata: {name: c}\nspec: {containers: []}\n", .pods = "a c "},
    {.text = "apiVersion: v1\n" Y_POD("a") "apiVersion: v1\nmetadata: {name: b}\nspec: {containers: []}\nkind: Pod\n", .pods = "a b "},
    {.text = "\n{\"kind\": x}", .pods = "", .fault = "invalid character 'x' looking for beginning of value", .line = 2, .column = 10},
    {.text = "metadata: {name: z}\n" Y_POD("a"), .pods = "a "},
    {.text = "kind: Secret\nkind: Node\n", .pods = "", .passed = "Secret"},
    {.text = "- kind: Pod\n", .pods = "", .fault = NO_KIND, .line = 1, .column = 1},
    {.text = "\nx: Pod\n", .pods = "", .fault = NO_KIND, .line = 2, .column = 1},
    {.text = "kind: Event\n---\nkind: ''\n", .pods = "", .events = 1, .seen = true, .fault = NO_KIND, .line = 3, .column = 1},
    {.text = "{\"kind\":\"Event\"} [1]", .pods = "", .events = 1, .seen = true, .fault = NO_KIND, .line = 1, .column = 18},
    {.text = "{\"kind\":\"Event\"}\n [{\"kind\":\"Pod\"}] {\"kind\":\"Event\"}", .pods = "", .events = 1, .seen = true, .fault = NO_KIND, .line = 2, .column = 2},
    {.text = J_LIST("{\"kind\":\"Event\"},1"), .pods = "", .events = 1, .seen = true, .fault = NO_KIND, .line = 1, .column = 42},
    {.text = "kind: List\n", .pods = "", .fault = NO_ITEMS, .line = 1, .column = 1},
    {.text = "{\"kind\":\"Event\"}\n\n  {\"kind\":\"List\",\"items\":{}}", .pods = "", .events = 1, .seen = true, .fault = NO_ITEMS, .line = 3, .column = 3},
    {.text = "kind: Event\nkind: List\nitems: 5\nkind: Event\n", .pods = "", .events = 1, .seen = true, .fault = NO_ITEMS, .line = 2, .column = 1},
    {.text = DEEP(DEEP(J_LIST("{\"kind\":\"PodList\"}"))), .pods = "", .fault = NO_ITEMS, .line = 1, .column = 217},
    {.text = DEEP(DEEP(J_LIST(J_LIST(J_POD("a"))))), .pods = "", .fault = "Lists in Lists, more than eight deep", .line = 1, .column = 217},
    {.text = "{\"kind\":\"Event\"}\n{\"kind\":\"Pod\",\n\"spec\":{\"containers\": 5},\"metadata\":{\"name\":5}}" J_POD("a"), .pods = "", .events = 1, .seen = true,
     .fault = BAD_SPEC, .line = 3, .column = 23},
    {.text = "kind: Pod\nspec: {containers: 5}\nmetadata: {name: 5}\n---\n" Y_POD("a"), .pods = "", .fault = BAD_NAME, .line = 3, .column = 18},
    {.text = "{\"kind\":\"Event\"}\n {\"kind\": x}", .pods = "", .events = 1, .seen = true,
     .fault = "invalid character 'x' looking for beginning of value", .line = 2, .column = 11},
    {.text = "{\"kind\":\"Event\"} }" J_POD("a"), .pods = "", .events = 1, .seen = true, .fault = "invalid character '}' looking for beginning of value", .line = 1, .column = 18},
    {.text = "{{ .Values.pod }}", .pods = "", .fault = TEMPLATE, .line = 1, .column = 1},
    {.text = "{\"kind\":\"Event\"}\n\n {{ .Values.pod }}", .pods = "", .events = 1, .seen = true, .fault = TEMPLATE, .line = 3, .column = 2},
    {.text = "kind: Event\n{{ .Values.pod }}\n", .pods = "", .fault = TEMPLATE, .line = 2, .column = 1},
    {.text = "", .pods = ""},
    {.text = " \n", .pods = ""},
};
/* clang-format on */

static void each_file_holds_what_it_holds(void)
{
    for (size_t i = 0; i < sizeof holdings / sizeof holdings[0]; i++)
        check_holding(&holdings[i]);
}

static struct cf_histories read_all(struct cf_arena *arena, const char *text)
{
    struct cf_histories histories = {.list = NULL};
    struct kp_profile profile = unit_profile("1.36");
    struct cf_fault fault;

    if (cf_history_read(arena, &profile, kp_text_of(text), &histories, &fault) != KP_OK)
        CHECK_TEXT(fault.message, KP_TEXT(""));
    CHECK_INT(cf_history_join(arena, &histories), KP_OK);
    return histories;
}

/* core/v1 calls it message, events.k8s.io/v1 note; client-go marks what it counts together. */
static void what_an_event_says(void)
{
    static const struct {
        const char *fields;
        const char *reason;
        const char *message;
        const char *container;
    } rows[] = {
        {"reason: Killing, message: a b", "Killing", "a b", ""},
        {"reason: Killing, note: c d", "Killing", "c d", ""},
        {"message: a b, note: c d", "", "a b", ""},
        {"message: a, note: c d", "", "a", ""},
        {"message: '(combined from similar events): a b'", "", "a b", ""},
        {"note: '(combined from similar events): c'", "", "c", ""},
        {"message: '(combined from similar events):a b'", "", "(combined from similar events):a b",
         ""},
        {"fieldPath: 'spec.containers{c}'", "", "", "c"},
        {"fieldPath: 'spec.initContainers{init-1}'", "", "", "init-1"},
        {"fieldPath: 'spec.containers{c'", "", "", ""},
        {"fieldPath: 'spec.containers[0]'", "", "", ""},
        {"fieldPath: 'spec.containers}'", "", "", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_histories histories;
        char text[1024];

        snprintf(text, sizeof text,
                 Y_POD("o") "---\n" POD "---\n{kind: Event, %s, involvedObject: {kind: Pod, name: "
                            "p, %s}}\n",
                 rows[i].fields, rows[i].fields);
        histories = read_all(&arena, text);
        CHECK_INT(histories.list[0].event_count, 0);
        if (CHECK_INT(histories.list[1].event_count, 1)) {
            const struct cf_pod_event *event = &histories.list[1].events[0];

            CHECK_TEXT(event->reason, kp_text_of(rows[i].reason));
            CHECK_TEXT(event->message, kp_text_of(rows[i].message));
            CHECK_TEXT(event->container, kp_text_of(rows[i].container));
        }
        cf_arena_deinit(&arena);
    }
}

static void a_pod_is_read_with_its_history(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_histories histories = read_all(
        &arena,
        "kind: Pod\nmetadata: {name: p, deletionTimestamp: " AT(
            7) ", "
               "deletionGracePeriodSeconds: 5}\n"
               "spec: {nodeName: node-1, containers: [{name: c, image: i}], "
               "ephemeralContainers: [{name: d, image: i}]}\n"
               "status: {reason: Evicted, startTime: " AT(
                   3) ", conditions: [{type: Initialized, "
                      "status: 'True'}, {type: Ready, status: 'False'}, {type: "
                      "PodScheduled, status: 'True', "
                      "reason: why}]}\n---\n"
                      "kind: Pod\nmetadata: {name: q}\nspec: {containers: [{name: c, image: i, "
                      "livenessProbe: {tcpSocket: {port: 0}}}]}\n");
    const struct cf_history *history = histories.list;

    CHECK_TEXT(history->node, KP_TEXT("node-1"));
    CHECK_INT(history->started_ns, (T0 + 3) * KP_NS_PER_S);
    CHECK_INT(history->deleted_ns, (T0 + 7) * KP_NS_PER_S);
    CHECK_TEXT(cf_node_text(history->object, "kind"), KP_TEXT("Pod"));
    CHECK_TEXT(cf_node_text(history->status, "reason"), KP_TEXT("Evicted"));
    CHECK_TEXT(history->pod->status->reason, KP_TEXT("Evicted"));
    CHECK_TEXT(history->pod->restart_policy, KP_TEXT("Always"));
    CHECK(history->pod->has_deletion && history->pod->has_deletion_grace);
    CHECK_INT(history->pod->ephemeral_count, 1);
    CHECK_TEXT(history->refused, KP_TEXT(""));
    CHECK_TEXT(history->fresh.name, KP_TEXT("p"));
    CHECK(!history->fresh.status && !history->fresh.has_deletion);
    CHECK(!history->fresh.has_deletion_grace && history->fresh.ephemeral_count == 0);
    CHECK_TEXT(cf_node_text(cf_history_condition(history, "Ready"), "status"), KP_TEXT("False"));
    CHECK_TEXT(cf_node_text(cf_history_condition(history, "PodScheduled"), "reason"),
               KP_TEXT("why"));
    CHECK(!cf_history_condition(history, "ContainersReady"));
    history++;
    CHECK_INT(history->deleted_ns, 0);
    CHECK_INT(history->started_ns, 0);
    CHECK(!history->status && !cf_history_condition(history, "Ready"));
    CHECK_TEXT(history->node, KP_TEXT(""));
    CHECK_TEXT(history->refused, KP_TEXT("spec.containers[0].livenessProbe.tcpSocket.port: Invalid "
                                         "value: 0: must be between 1 and 65535, inclusive"));
    cf_arena_deinit(&arena);
}

const struct unit_test history_test[] = {
    {"what an event says", what_an_event_says},
    {"a pod is read with its history", a_pod_is_read_with_its_history},
    {"each file holds what it holds", each_file_holds_what_it_holds},
    {"the newest event is found", the_newest_event_is_found},
    {"when and how often, by each of its fields", when_and_how_often_by_each_of_its_fields},
    {"an event is about one pod", an_event_is_about_one_pod},
    {0},
};
