/* What a real k3s cluster of the 1.22 era showed for the tutorial's pod is what the simulation must
 * show; and what its answers say beside the table. */
#include "conformance/pod/manifest.h"
#include "conformance/simulate/sim_trace.h"
#include "conformance/text/cli.h"
#include "fakes/unit.h"
#include "fakes/unit_command.h"

#include <stdio.h>
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

/* ---- what is told ------------------------------------------------------------------------------
 */

#define GET "{httpGet: {path: /, port: 80}"
#define OPEN "{tcpSocket: {port: 80}"
#define SPEC(fields) "{containers: [{name: a, image: i:1, " fields "}]}"
#define POD(spec) "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: " spec "}"
#define SLEEPS "lifecycle: {preStop: {sleep: {seconds: 15}}}"
#define JOB(limit, policy)                                                                         \
    "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {" limit                         \
    "template: {spec: {restartPolicy: " policy ", containers: [{name: a, image: i:1, "             \
    "livenessProbe: " GET "}}]}}}}"
#define CRON(limit)                                                                                \
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: j}, spec: {schedule: '1 * * * *', "    \
    "jobTemplate: {spec: {" limit "template: {spec: {restartPolicy: OnFailure, containers: "       \
    "[{name: a, image: i:1, livenessProbe: " GET "}}]}}}}}}"

static const struct told {
    const char *words;
    const char *pod;
    const char *line; /* with its end */
    bool is_not;      /* ... told */
} told[] = {
    /* The kernel accepts for what hangs. */
    {"--hangs-at 5m", POD(SPEC("livenessProbe: " OPEN "}")),
     "\na: if its port still accepts, its tcpSocket liveness sees no hang  [P-120]\n", false},
    {"--hangs-at 5m", POD(SPEC("livenessProbe: " OPEN "}, readinessProbe: " OPEN "}")),
     "\na: if its port still accepts, its tcpSocket liveness and readiness see no hang\n  "
     "[P-120]\n",
     false},
    {"--hangs-at 5m --down-for 50s",
     POD(SPEC("livenessProbe: " GET "}, readinessProbe: " OPEN "}")),
     "\na: if its port still accepts, its tcpSocket readiness sees no hang  [P-120]\n", false},
    {"--hangs-at 5m", POD(SPEC("livenessProbe: " GET "}")), "port still accepts", true},
    {"--down-for 50s", POD(SPEC("livenessProbe: " OPEN "}")), "port still accepts", true},
    /* A Job of pods that start again fails, too. */
    {"--starts-in 50s", JOB("backoffLimit: 2, ", "OnFailure"),
     "\nits Job fails at 60 s by backoffLimit 2: what follows would not happen\n", false},
    {"--starts-in 50s", JOB("backoffLimit: 0, ", "OnFailure"),
     "\nits Job fails at 30 s by backoffLimit 0: what follows would not happen\n", false},
    {"--starts-in 50s", CRON("backoffLimit: 1, "),
     "\nits Job fails at 30 s by backoffLimit 1: what follows would not happen\n", false},
    {"--starts-in 50s --for 20m", JOB("", "OnFailure"), " by backoffLimit 6: ", false},
    {"--starts-in 50s --for 2m", JOB("", "OnFailure"), "its Job", true},
    {"--starts-in 50s", JOB("backoffLimit: 2, ", "Never"),
     "\nits Job makes another pod, up to backoffLimit times\n", false},
    {"--starts-in 50s", POD(SPEC("livenessProbe: " GET "}")), "its Job", true},
    /* A hook that sleeps is no request, and takes of the grace. */
    {"--starts-in 50s --for 2m", POD(SPEC(SLEEPS ", livenessProbe: " GET "}")),
     "first SIGTERM at 45 s, each with grace 15 s\n"
     "a: preStop from 30 s on took 15 s of a grace of 30 s\n",
     false},
    {"--starts-in 50s --for 2m", POD(SPEC(SLEEPS ", livenessProbe: " GET "}")),
     "         30 s  a: preStop\n         45 s  a: SIGTERM (liveness)  [S-130]\n", false},
    {"--starts-in 50s --for 40s", POD(SPEC(SLEEPS ", livenessProbe: " GET "}")),
     "         30 s  a: preStop\n", false},
    {"--starts-in 50s --for 2m",
     POD(SPEC("lifecycle: {preStop: {exec: {command: [sleep, '15']}}}, livenessProbe: " GET
              ", terminationGracePeriodSeconds: 20}")),
     "a: preStop from 30 s on took 15 s of a grace of 20 s\n", false},
    {"--starts-in 50s --for 2m",
     POD(SPEC("lifecycle: {preStop: {httpGet: {port: 80}}}, livenessProbe: " GET "}")),
     "preStop from", true},
    {"--starts-in 50s --for 2m",
     POD(SPEC("lifecycle: {preStop: {sleep: {seconds: 0}}}, livenessProbe: " GET "}")), "preStop",
     true},
    {"--starts-in 50s --format svg", JOB("backoffLimit: 2, ", "OnFailure"),
     "its Job fails at 60 s by backoffLimit 2: what follows would not happen", false},
    {"--deleted-at 2m", POD(SPEC(SLEEPS ", livenessProbe: " GET "}")), "preStop from", true},
    /* After two rounds the rest is counted, from the hook of the third on. */
    {"--starts-in 50s --for 5m", POD(SPEC(SLEEPS ", livenessProbe: " GET "}")),
     "2 (0s ago)\n      then again at ", false},
    {"--starts-in 50s --for 100s", POD(SPEC("livenessProbe: " GET ", periodSeconds: 5}")),
     " and 1 more time, the last at ", false},
};

static void what_a_reader_needs_is_told(void)
{
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        char line[200];
        struct unit_said said;

        snprintf(line, sizeof line, "simulate %s -", told[i].words);
        said = unit_command(cf_simulate_command, line, told[i].pod);
        CHECK_INT(said.code, 0);
        if (!CHECK((strstr(said.out, told[i].line) != NULL) != told[i].is_not))
            printf("  row %zu: %s", i, said.out);
        for (const char *at = said.out; *at != '\0' && *at != '<'; at += strcspn(at, "\n") + 1)
            CHECK(strcspn(at, "\n") <= 80);
        unit_said_free(&said);
    }
}

const struct unit_test simulate_test[] = {
    {"what a reader needs is told", what_a_reader_needs_is_told},
    {"restarts come in pairs", restarts_come_in_pairs},
    {"describe shows the same counts", describe_shows_the_same_counts},
    {"the same run gives the same bytes", the_same_run_gives_the_same_bytes},
    {"what has no port is not answered", what_has_no_port_is_not_answered},
    {0},
};
