#include "conformance/protocol/serve.h"

#include "conformance/text/arena.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

/* The reply to one line, after those before it. */
static bool answers(struct cf_serve *serve, const char *line, const char *reply)
{
    struct kp_text got = cf_serve_line(serve, kp_text_of(line));
    struct kp_text want = kp_text_of(reply);

    if (CHECK(got.len >= want.len && memcmp(got.bytes, want.bytes, want.len) == 0) &&
        CHECK(memchr(got.bytes, '\n', got.len) == got.bytes + got.len - 1))
        return true;
    printf("    line  %s\n    got   %.*s    want  %s\n", line, KP_ARG(got), reply);
    return false;
}

static bool holds(struct kp_text text, struct kp_text part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (memcmp(text.bytes + i, part.bytes, part.len) == 0)
            return true;
    return false;
}

static void ids_come_back_as_they_were_written(void)
{
    static const char *const ids[] = {"1",
                                      "1.0",
                                      "-0",
                                      "1e3",
                                      "\"x\"",
                                      "null",
                                      "[1,2]",
                                      "123456789012345678901234567890",
                                      "{\"a\":\"\xC3\xA9\"}"};
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char line[128];
        char reply[128];

        snprintf(line, sizeof line, "{\"op\":\"close\",\"id\":%s}", ids[i]);
        snprintf(reply, sizeof reply, "{\"id\":%s,\"ok\":{}}\n", ids[i]);
        answers(serve, line, reply);
    }
    cf_serve_free(serve);
}

static void bad_lines_are_answered_and_change_nothing(void)
{
    static const struct {
        const char *line;
        const char *reply;
    } rows[] = {
        {"", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\""},
        {"nope", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\""},
        {"[1]", "{\"id\":null,\"error\":{\"code\":\"bad-request\",\"message\":\"a request is"},
        {"{\"id\":\"\xFF\"}", "{\"id\":null,\"error\":{\"code\":\"bad-request\""},
        {"{\"op\":\"close\"}", "{\"id\":null,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":7}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"smoke\"}", "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"fire\"}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"advance\",\"to\":0}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"hello\",\"protocol\":2}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.14\"}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":1.36}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.36\",\"gates\":{\"X\":true}}",
         "{\"id\":1,\"error\":{\"code\":\"unsupported\",\"message\":\"1.36 has no feature gate X"},
        {"{\"id\":1,\"op\":\"hello\",\"k8s\":\"1.36\",\"gates\":{\"ExecProbeTimeout\":false}}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"1.36 has locked the feature"},
        {"{\"id\":1,\"op\":\"open\"}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"probe\"}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`pod` is missing\"}}"},
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"probe\",\"pod\":{\"spec\":7}}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`pod`: "},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        answers(serve, rows[i].line, rows[i].reply);
    answers(serve, "{\"id\":2,\"op\":\"hello\",\"mood\":{},\"k8s\":\"1.36\",\"seed\":1.0}",
            "{\"id\":2,\"ok\":{\"protocol\":1,\"name\":\"probetest\",");
    cf_serve_free(serve);
}

static void ports_are_resolved_as_the_version_does(void)
{
    static const char hello_136[] = "{\"id\":0,\"op\":\"hello\",\"k8s\":\"1.36\"}";
    static const char hello_137[] = "{\"id\":0,\"op\":\"hello\",\"k8s\":\"1.37\"}";
    static const char named[] =
        "{\"id\":1,\"op\":\"port\",\"port\":\"http\",\"ports\":[{\"name\":"
        "\"dns\",\"containerPort\":53,\"protocol\":\"UDP\"},{\"name\":\"http\","
        "\"containerPort\":8080}]}";
    static const char text_80[] = "{\"id\":2,\"op\":\"port\",\"port\":\"80\"}";
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    answers(serve, hello_136, "{\"id\":0,\"ok\":");
    answers(serve, named, "{\"id\":1,\"ok\":{\"port\":8080}}\n");
    answers(serve, text_80, "{\"id\":2,\"ok\":{\"port\":80}}\n");
    answers(serve, hello_137, "{\"id\":0,\"ok\":");
    answers(serve, text_80, "{\"id\":2,\"ok\":{\"invalid\":\"port \\\"80\\\" not found\"}}\n");
    answers(serve, "{\"id\":3,\"op\":\"port\",\"port\":443.0}",
            "{\"id\":3,\"ok\":{\"port\":443}}\n");
    answers(serve, "{\"id\":3,\"op\":\"port\",\"port\":1.5}", "{\"id\":3,\"error\":");
    answers(serve, "{\"id\":3,\"op\":\"port\"}", "{\"id\":3,\"error\":");
    answers(serve, "{\"id\":3,\"op\":\"port\",\"port\":1,\"ports\":[7]}", "{\"id\":3,\"error\":");
    cf_serve_free(serve);
}

/* A pod with one readiness probe, as in `open` of the minute below. */
#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"app\","                  \
    "\"readinessProbe\":{"                                                                         \
    "\"periodSeconds\":10,\"tcpSocket\":{\"port\":80}}}]}}"

static void a_case_is_played_turn_by_turn(void)
{
    static const char *const lines[][2] = {
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"probe\",\"pod\":" POD ",\"uptime\":120500}",
         "{\"id\":1,\"ok\":{\"at\":0,\"effects\":["},
        {"{\"id\":2,\"op\":\"open\",\"layer\":\"probe\",\"pod\":" POD "}",
         "{\"id\":2,\"error\":{\"code\":\"bad-request\",\"message\":\"a case is open already"},
        {"{\"id\":3,\"op\":\"hello\",\"k8s\":\"1.20\"}",
         "{\"id\":3,\"error\":{\"code\":\"bad-request\",\"message\":\"a case is open"},
        {"{\"id\":4,\"op\":\"advance\",\"to\":2000,\"events\":[]}",
         "{\"id\":4,\"ok\":{\"at\":2000,\"effects\":[]}}\n"},
        {"{\"id\":5,\"op\":\"advance\",\"to\":1999}",
         "{\"id\":5,\"error\":{\"code\":\"bad-request\",\"message\":\"`to` is before"},
        {"{\"id\":6,\"op\":\"advance\",\"to\":2000,\"events\":[{\"e\":\"comet\"},{\"e\":"
         "\"running\","
         "\"container\":\"app\",\"cid\":\"c1\"}]}",
         "{\"id\":6,\"ok\":{\"at\":2000,\"effects\":[{\"e\":"},
        {"{\"id\":7,\"op\":\"advance\",\"to\":2000,\"events\":[{\"e\":\"running\"}]}",
         "{\"id\":7,\"error\":{\"code\":\"bad-request\",\"message\":\"`container` is "
         "missing\"}}\n"},
        {"{\"id\":8,\"op\":\"advance\",\"to\":2000.0,\"events\":[{\"e\":\"answer\",\"n\":99,"
         "\"result\":\"success\"}]}",
         "{\"id\":8,\"ok\":{\"at\":2000,\"effects\":[]}}\n"},
        {"{\"id\":9,\"op\":\"advance\",\"to\":8640000001}",
         "{\"id\":9,\"error\":{\"code\":\"bad-request\",\"message\":\"`to` is after 100 days"},
        {"{\"id\":9,\"op\":\"close\"}", "{\"id\":9,\"ok\":{}}\n"},
        {"{\"id\":10,\"op\":\"advance\",\"to\":3000}",
         "{\"id\":10,\"error\":{\"code\":\"bad-request\",\"message\":\"no case is open\"}}\n"},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        answers(serve, lines[i][0], lines[i][1]);
    cf_serve_free(serve);
}

/* An adapter's JSON has no order of fields, so none makes another object of a pod. */
static void an_update_with_its_fields_in_another_order_is_none(void)
{
#define OBJECT(spec)                                                                               \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":{" spec "}}"
#define TURN(to, event) "{\"id\":1,\"op\":\"advance\",\"to\":" to ",\"events\":[{\"e\":" event "}]}"
    static const struct {
        const char *line;
        bool syncs;
    } rows[] = {
        {"{\"id\":1,\"op\":\"hello\",\"protocol\":1}", false},
        {"{\"id\":1,\"op\":\"open\",\"layer\":\"pod\",\"k8s\":\"1.36\",\"uptime\":120500,"
         "\"pod\":" OBJECT("\"restartPolicy\":\"Always\",\"containers\":[{\"name\":\"web\","
                           "\"image\":\"i\"}]") "}",
         true},
        {TURN("0", "\"sandbox\",\"do\":\"create\",\"attempt\":0"), false},
        {TURN("0", "\"running\",\"container\":\"web\",\"cid\":\"c1\",\"restarts\":0"), true},
        {"{\"id\":1,\"op\":\"advance\",\"to\":9000,\"events\":[]}", true},
        {"{\"id\":1,\"op\":\"advance\",\"to\":9000,\"events\":[]}", false},
        {TURN("9000", "\"update\",\"pod\":" OBJECT("\"containers\":[{\"image\":\"i\",\"name\":"
                                                   "\"web\"}],\"restartPolicy\":\"Always\"")),
         false},
        {TURN("9000", "\"update\",\"pod\":" OBJECT("\"containers\":[{\"image\":\"i\",\"name\":"
                                                   "\"web\"}],\"restartPolicy\":\"Never\"")),
         true},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text got = cf_serve_line(serve, kp_text_of(rows[i].line));

        CHECK(holds(got, KP_TEXT("\"ok\"")));
        unit_check_int(holds(got, KP_TEXT("\"sync\"")) && i > 0, rows[i].syncs, rows[i].line,
                       __FILE__, __LINE__);
    }
    cf_serve_free(serve);
#undef OBJECT
#undef TURN
}

static void a_period_that_would_panic_the_kubelet_is_refused(void)
{
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    answers(serve,
            "{\"id\":1,\"op\":\"open\",\"layer\":\"probe\",\"pod\":{\"spec\":{\"containers\":[{"
            "\"name\":"
            "\"a\",\"livenessProbe\":{\"periodSeconds\":0}}]}}}",
            "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`pod`: periodSeconds");
    cf_serve_free(serve);
}

/* S-130, S-133: a running container whose liveness failed is killed and started again. */
static void actions_follow_from_what_runs_and_what_probes_said(void)
{
#define ASK(policy, runtime, results)                                                              \
    "{\"id\":1,\"op\":\"actions\",\"pod\":{\"spec\":{\"restartPolicy\":\"" policy                  \
    "\",\"containers\":[{\"name\":\"web\"}]}},\"runtime\":" runtime ",\"results\":" results "}"
#define RUNS                                                                                       \
    "{\"sandbox\":{\"attempt\":2},\"containers\":[{\"container\":\"web\",\"cid\":\"c1\","          \
    "\"state\":\"running\"}]}"
    static const char *const rows[][2] = {
        {ASK("Always", RUNS, "{\"liveness\":{\"c1\":\"failure\"}}"),
         "{\"id\":1,\"ok\":{\"killPod\":false,\"createSandbox\":false,\"sandboxAttempt\":2,"
         "\"start\":[\"web\"],"
         "\"startInit\":[],\"startEphemeral\":[],\"kill\":[{\"container\":\"web\",\"cid\":\"c1\","
         "\"message\":"
         "\"Container web failed liveness probe, will be "
         "restarted\",\"reason\":\"liveness\",\"restart\":true}]}}\n"},
        {ASK("Always", RUNS, "{\"liveness\":{\"c0\":\"failure\"}}"),
         "{\"id\":1,\"ok\":{\"killPod\":false,\"createSandbox\":false,\"sandboxAttempt\":2,"
         "\"start\":[],"
         "\"startInit\":[],\"startEphemeral\":[],\"kill\":[]}}\n"},
        {ASK("Never", "{\"sandbox\":\"none\"}", "{}"),
         "{\"id\":1,\"ok\":{\"killPod\":true,\"createSandbox\":true,\"sandboxAttempt\":0,\"start\":"
         "[\"web\"],"},
        {ASK("Always", "{\"containers\":[{\"container\":\"db\",\"state\":\"running\"}]}", "{}"),
         "{\"id\":1,\"error\":{\"code\":\"bad-request\",\"message\":\"`runtime`: the pod has no "
         "container"},
        {ASK("Always", "{\"sandbox\":7}", "{}"), "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {ASK("Always", "{}", "{\"liveness\":{\"c\":\"maybe\"}}"),
         "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"actions\"}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        answers(serve, rows[i][0], rows[i][1]);
    cf_serve_free(serve);
}

static void pods_are_checked_as_the_server_does(void)
{
    static const char *const rows[][2] = {
        {"{\"id\":1,\"op\":\"check\",\"yaml\":\"apiVersion: v1\\nkind: Pod\\nmetadata: {name: "
         "p}\\nspec:\\n  "
         "containers:\\n  - name: a\\n    image: i\\n    livenessProbe: {tcpSocket: {port: 80}, "
         "periodSeconds: -1}\\n\"}",
         "{\"id\":1,\"ok\":{\"pod\":{"},
        {"{\"id\":1,\"op\":\"check\",\"pod\":{\"spec\":7}}",
         "{\"id\":1,\"ok\":{\"undecodable\":\""},
        {"{\"id\":1,\"op\":\"check\"}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"check\",\"yaml\":7}", "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
        {"{\"id\":1,\"op\":\"check\",\"yaml\":\"a: 1\",\"pod\":{}}",
         "{\"id\":1,\"error\":{\"code\":\"bad-request\""},
    };
    static const char error[] =
        "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: "
        "must be greater than or equal to 0";
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());
    struct kp_text reply;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        answers(serve, rows[i][0], rows[i][1]);
    reply = cf_serve_line(serve, kp_text_of(rows[0][0]));
    CHECK(holds(reply, kp_text_of(error)));
    cf_serve_free(serve);
}

/* A name of a third of a MiB, each byte of which takes five where it is quoted. */
/* One of each thing that events and kubectl can be asked wrongly. */
static void what_users_see_wants_well_formed_events(void)
{
    static const struct {
        const char *line;
        const char *message;
    } rows[] = {
        {"{\"op\":\"events\",\"id\":1,\"recorded\":7}", "`recorded` must be a list"},
        {"{\"op\":\"events\",\"id\":1,\"recorded\":[7]}", "an event must be an object"},
        {"{\"op\":\"events\",\"id\":1,\"recorded\":[{\"at\":1}]}", "`type` is missing"},
        {"{\"op\":\"events\",\"id\":1,\"recorded\":[{\"at\":5,\"type\":\"Normal\"},"
         "{\"at\":4,\"type\":\"Normal\"}]}",
         "`recorded` must be in order of time"},
        {"{\"op\":\"kubectl\",\"id\":1}", "`pod` is missing"},
        {"{\"op\":\"kubectl\",\"id\":1,\"pod\":{\"spec\":{\"containers\":[{\"name\":\"web\"}]}},"
         "\"events\":[{\"type\":\"Normal\",\"container\":\"app\"}]}",
         "`events`: the pod has no container \\\"app\\\""},
        {"{\"op\":\"kubectl\",\"id\":1,\"pod\":{\"spec\":{\"containers\":[{\"name\":\"web\"}]}},"
         "\"events\":[{\"type\":\"Normal\",\"count\":0}]}",
         "`count` is 0"},
        {"{\"op\":\"check\",\"id\":1,\"pod\":{},\"old\":[]}", "`old` must be"},
        {"{\"op\":\"check\",\"id\":1,\"pod\":{},\"old\":{\"spec\":7}}", "`old`: "},
        {"{\"op\":\"port\",\"id\":1,\"port\":1,\"hook\":1}", "`hook` must be"},
    };
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text got = cf_serve_line(serve, kp_text_of(rows[i].line));

        if (!CHECK(holds(got, KP_TEXT("\"code\":\"bad-request\""))) ||
            !CHECK(holds(got, kp_text_of(rows[i].message))))
            printf("    line  %s\n    got   %.*s", rows[i].line, KP_ARG(got));
    }
    cf_serve_free(serve);
}

static void a_reply_beyond_the_limit_becomes_an_error(void)
{
    static char line[400000];
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());
    size_t head = (size_t)snprintf(line, sizeof line, "{\"id\":1,\"op\":\"port\",\"port\":\"");

    memset(line + head, 0x7f, sizeof line - head - 3);
    memcpy(line + sizeof line - 3, "\"}", 3);
    answers(serve, line,
            "{\"id\":1,\"error\":{\"code\":\"internal\",\"message\":\"the reply would be longer "
            "than 1 MiB\"}}\n");
    cf_serve_free(serve);
}

const struct unit_test serve_test[] = {
    {"what users see wants well-formed events", what_users_see_wants_well_formed_events},
    {"a reply beyond the limit becomes an error", a_reply_beyond_the_limit_becomes_an_error},
    {"pods are checked as the server does", pods_are_checked_as_the_server_does},
    {"actions follow from what runs and what probes said",
     actions_follow_from_what_runs_and_what_probes_said},
    {"ports are resolved as the version does", ports_are_resolved_as_the_version_does},
    {"a case is played turn by turn", a_case_is_played_turn_by_turn},
    {"a period that would panic the kubelet is refused",
     a_period_that_would_panic_the_kubelet_is_refused},
    {"an update with its fields in another order is none",
     an_update_with_its_fields_in_another_order_is_none},
    {"ids come back as they were written", ids_come_back_as_they_were_written},
    {"bad lines are answered and change nothing", bad_lines_are_answered_and_change_nothing},
    {0},
};
