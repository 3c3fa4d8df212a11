/* What a real k3s cluster of the 1.22 era showed for the tutorial's pod is what the simulation must
 * show. */
#include "conformance/pod/manifest.h"
#include "conformance/simulate/sim_trace.h"
#include "fakes/unit.h"

#include <string.h>

static const char tutorial[] =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: liveness-exec}\n"
    "spec:\n"
    "  containers:\n"
    "  - name: liveness\n"
    "    image: busybox\n"
    "    args: [/bin/sh, -c, touch /tmp/healthy; sleep 30; rm -rf /tmp/healthy; sleep 600]\n"
    "    livenessProbe:\n"
    "      exec: {command: [cat, /tmp/healthy]}\n"
    "      initialDelaySeconds: 5\n"
    "      periodSeconds: 5\n";

struct played {
    struct cf_arena arena;
    struct cf_manifest manifest;
    struct kp_profile profile;
    struct cf_sim_trace trace;
};

static void play(struct played *played, int64_t minutes)
{
    const int64_t pull_ns = 2300 * KP_NS_PER_MS;
    struct cf_sim_script assumed;
    const char *why = NULL;

    memset(played, 0, sizeof *played);
    played->arena = (struct cf_arena){.mem = cf_libc_mem()};
    CHECK_INT(kp_profile_init(&played->profile, KP_TEXT("1.22")), KP_OK);
    CHECK_INT(cf_manifest_read(&played->arena, &played->profile, "tutorial", kp_text_of(tutorial),
                               &played->manifest),
              KP_OK);
    played->trace = (struct cf_sim_trace){.profile = &played->profile,
                                          .pod = played->manifest.pods[0].pod,
                                          .end_ns = minutes * 60 * KP_NS_PER_S};
    CHECK_INT(cf_sim_script_make(&played->arena, &played->profile, played->trace.pod, 0, pull_ns,
                                 &assumed),
              KP_OK);
    CHECK_INT(cf_sim_play(&played->arena, &assumed.script, pull_ns, &played->trace, &why), KP_OK);
}

static void played_deinit(struct played *played)
{
    cf_sim_trace_deinit(&played->trace);
    cf_arena_deinit(&played->arena);
}

/* The minute in which STATUS and RESTARTS first read so; -1: never. */
static int64_t minute_of(const struct played *played, const char *status, const char *restarts)
{
    for (size_t i = 0; i < played->trace.line_count; i++) {
        const struct cf_sim_line *line = &played->trace.lines[i];

        if (line->kind == CF_SIM_COLUMNS && strcmp(line->columns.status, status) == 0 &&
            strcmp(line->columns.restarts, restarts) != 0 &&
            strncmp(line->columns.restarts, restarts, strlen(restarts)) == 0 &&
            line->columns.restarts[strlen(restarts)] == ' ')
            return line->at_ns / (60 * KP_NS_PER_S);
    }
    return -1;
}

/* The cluster: 13 restarts by minute 35, 14 at 39, 15 at 40, back-off at 42, 16 at 47, 17 at 48,
 * back-off at 49, 18 at 54.  Its containers took about a second less to start each: a minute off is
 * the same pattern. */
static void restarts_come_in_pairs(void)
{
    static const struct {
        const char *status;
        const char *restarts;
        int64_t minute;
    } rows[] = {
        {"Running", "13", 34},          {"Running", "14", 39}, {"Running", "15", 40},
        {"CrashLoopBackOff", "15", 42}, {"Running", "16", 47}, {"Running", "17", 48},
        {"CrashLoopBackOff", "17", 49}, {"Running", "18", 54},
    };
    struct played played;

    play(&played, 60);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t minute = minute_of(&played, rows[i].status, rows[i].restarts);

        CHECK(minute >= rows[i].minute - 1 && minute <= rows[i].minute + 1);
    }
    played_deinit(&played);
}

/* Of each reason the spam filter let through what the cluster showed. */
static void describe_shows_the_same_counts(void)
{
    static const struct {
        const char *reason;
        uint32_t count;
    } rows[] = {{"Unhealthy", 9}, {"Killing", 3}, {"Created", 3}};
    struct played played;
    const struct kp_event_object *event;

    play(&played, 16);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t count = 0;

        for (size_t k = 0; (event = kp_event_correlator_get(played.trace.events, k)); k++)
            if (kp_text_equal(event->note.reason, kp_text_of(rows[i].reason)))
                count = event->count;
        CHECK_INT(count, rows[i].count);
    }
    played_deinit(&played);
}

static void the_same_run_gives_the_same_bytes(void)
{
    struct cf_out first = {0};
    struct cf_out second = {0};
    struct played played;

    play(&played, 10);
    cf_sim_put_text(&first, &played.trace);
    cf_sim_put_json(&first, &played.trace);
    played_deinit(&played);
    play(&played, 10);
    cf_sim_put_text(&second, &played.trace);
    cf_sim_put_json(&second, &played.trace);
    played_deinit(&played);
    CHECK(first.len > 1000);
    CHECK_TEXT(cf_out_text(&first), cf_out_text(&second));
    cf_out_deinit(&first);
    cf_out_deinit(&second);
}

/* E-010, E-011, P-125: a probe that cannot be sent is not said to pass. */
static void what_has_no_port_is_not_answered(void)
{
    static const struct {
        const char *version;
        const char *container;
        const char *assumed; /* behind what it runs; "": nothing */
    } rows[] = {
        {"1.36", "livenessProbe: {httpGet: {port: admin}}",
         "its liveness probe has no port (strconv.Atoi: parsing \"admin\": invalid syntax): an "
         "error each time, which counts as no answer [E-010]"},
        {"1.37", "startupProbe: {tcpSocket: {port: admin}}",
         "its startup probe has no port (port \"admin\" not found): an error each time, which "
         "counts as no answer [E-010]"},
        {"1.37", "lifecycle: {preStop: {httpGet: {port: admin}}}",
         "its preStop hook has no port (port \"admin\" not found) and fails [E-011]"},
        {"1.25", "lifecycle: {postStart: {httpGet: {port: admin}}}",
         "its postStart hook has no port (couldn't find port: {1 0 admin} in "
         "&Container{Name:web,) and fails [E-011]"},
        {"1.23", "livenessProbe: {grpc: {port: 80}}",
         "its liveness probe has no gRPC before 1.24 (missing probe handler): an error each time, "
         "which counts as no answer [P-125]"},
        {"1.24", "livenessProbe: {grpc: {port: 80}}", ""},
        {"1.36", "readinessProbe: {httpGet: {port: http}}", ""},
        {"1.36", "readinessProbe: {tcpSocket: {port: 81}}", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_profile profile = unit_profile(rows[i].version);
        struct cf_manifest manifest;
        struct cf_sim_script assumed;
        struct kp_text text;

        text =
            cf_arena_format(&arena,
                            "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: "
                            "[{name: web, image: i, imagePullPolicy: Never, ports: [{name: "
                            "http, containerPort: 80}], %s}]}}",
                            rows[i].container);
        CHECK_INT(cf_manifest_read(&arena, &profile, "p", text, &manifest), KP_OK);
        CHECK_INT(cf_sim_script_make(&arena, &profile, manifest.pods[0].pod, 0, 0, &assumed),
                  KP_OK);
        CHECK_INT(assumed.assumption_count, 1 + (rows[i].assumed[0] != '\0'));
        CHECK_INT(assumed.script.answers_count, rows[i].assumed[0] != '\0');
        if (rows[i].assumed[0])
            CHECK_TEXT(assumed.assumptions[1].sentence, kp_text_of(rows[i].assumed));
        cf_arena_deinit(&arena);
    }
}

const struct unit_test simulate_test[] = {
    {"restarts come in pairs", restarts_come_in_pairs},
    {"describe shows the same counts", describe_shows_the_same_counts},
    {"the same run gives the same bytes", the_same_run_gives_the_same_bytes},
    {"what has no port is not answered", what_has_no_port_is_not_answered},
    {0},
};
