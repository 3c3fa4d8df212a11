/* cause_rows_test.c: what a status and its events say of an end, a row each. */
#include "conformance/why/cause.h"
#include "fakes/unit.h"

#include <string.h>

#define S KP_NS_PER_S
#define END_NS (INT64_C(1795600000) * S)
#define LIVENESS_KILL "Container c failed liveness probe, will be restarted"
#define STARTUP_KILL "Container c failed startup probe, will be restarted"
#define STOPPING "Stopping container c"
#define LIVENESS_FAILED "Liveness probe failed: HTTP probe failed with statuscode: 500"
#define CHANGED "Pod sandbox changed, it will be killed and re-created."
#define STARTUP_FAILED "Startup probe failed: HTTP probe failed with statuscode: 500"

#define UNTIMED INT64_MIN
#define EPOCH INT64_MIN /* a start of 0: what containerd writes of a task that never was */

/* One event; `at_s` counts from the end.  What is counted more than once came each ten seconds. */
struct reported {
    const char *reason; /* NULL: there is none */
    const char *message;
    int64_t at_s; /* or UNTIMED */
    int64_t count;
};

/* A container with a liveness probe that takes three failures and a startup probe that takes five,
 * of a pod with a grace of 30 s, that ran for `ran_s` and whose probes can kill after 30 s, with a
 * grace of 10 s. */
struct row {
    const char *why;
    int32_t code;
    const char *reason; /* of its end */
    int64_t ran_s;      /* or EPOCH; less than 0: its end is before its start */
    struct reported events[2];
    bool deleted;
    const char *own;    /* restartPolicy of the container */
    const char *policy; /* and of the pod; NULL: Always */
    bool is_last;       /* the end is its state, not the last one */
    const char *waits;  /* message of the state, a CrashLoopBackOff; or of the end, if it is_last */
    bool untimed;       /* when it ended is not recorded */
    bool no_liveness;   /* probe */
    int64_t grace_s;    /* of a probe's kill; 0: 10 */
    int64_t pod_grace_s;      /* 0: 30 */
    enum kp_probe_type kills; /* the probe that kills first */
    bool by_pod;
    enum cf_cause cause;
    enum cf_certainty certainty;
};

#define NOTE                                                                                       \
    {                                                                                              \
        {                                                                                          \
            "Scheduled", "Successfully assigned n/p to node", -900, 1                              \
        }                                                                                          \
    }

/* clang-format off */
static const struct row rows[] = {
    /* 128 and a signal of 1 to 31 is what a shell and a runtime make of a signal. */
    {"0",                        0, "Completed", 9, NOTE, .cause = CF_CAUSE_COMPLETED, .certainty = CF_SURE},
    {"1",                        1, "Error", 9, NOTE, .cause = CF_CAUSE_EXITED,    .certainty = CF_SURE},
    {"no signal",              128, "Error", 9, NOTE, .cause = CF_CAUSE_EXITED,    .certainty = CF_SURE},
    {"SIGHUP",                 129, "Error", 9, NOTE, .cause = CF_CAUSE_SIGNALLED, .certainty = CF_SURE},
    {"SIGSEGV",                139, "Error", 9, NOTE, .cause = CF_CAUSE_SIGNALLED, .certainty = CF_SURE},
    {"SIGSYS",                 159, "Error", 9, NOTE, .cause = CF_CAUSE_SIGNALLED, .certainty = CF_SURE},
    {"no more signal",         160, "Error", 9, NOTE, .cause = CF_CAUSE_EXITED,    .certainty = CF_SURE},
    {"its own, or a kill's",     3, "Error", 99, NOTE, .cause = CF_CAUSE_EXITED,   .certainty = CF_LIKELY},
    {"well, or a kill's",        0, "Completed", 99, NOTE, .cause = CF_CAUSE_COMPLETED, .certainty = CF_LIKELY},
    {"SIGTERM, too early",     143, "Error", 9, {{0}}, .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"SIGKILL, too early",     137, "Error", 9, {{0}}, .cause = CF_CAUSE_KILL, .certainty = CF_UNSURE},
    {"SIGTERM, no event left", 143, "Error", 30, {{0}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"SIGTERM, a second less", 143, "Error", 28, {{0}}, .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"in whole seconds",       143, "Error", 29, {{0}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"SIGKILL has the grace besides", 137, "Error", 38, {{0}}, .cause = CF_CAUSE_KILL, .certainty = CF_UNSURE},
    {"and after it",           137, "Error", 40, {{0}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"events, none of a probe", 143, "Error", 99, NOTE, .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"failures, no kill",      143, "Error", 99, {{"Unhealthy", LIVENESS_FAILED, -3, 3}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"failures of startup",    143, "Error", 99, {{"Unhealthy", STARTUP_FAILED, -3, 3}},
     .cause = CF_CAUSE_STARTUP, .certainty = CF_LIKELY},
    {"failures of both",       143, "Error", 99,
     {{"Unhealthy", STARTUP_FAILED, -9, 3}, {"Unhealthy", LIVENESS_FAILED, -3, 3}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"failures long before",   143, "Error", 99, {{"Unhealthy", LIVENESS_FAILED, -36, 3}},
     .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"failures a grace before", 143, "Error", 99, {{"Unhealthy", LIVENESS_FAILED, -35, 3}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"failures of readiness",  143, "Error", 99, {{"Unhealthy", "Readiness probe failed: ", -3, 3}},
     .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    /* What the kubelet and the runtime write as the reason. */
    {"OOMKilled",              137, "OOMKilled", 99, NOTE, .cause = CF_CAUSE_OOM, .certainty = CF_SURE},
    {"OOMKilled beside a kill", 137, "OOMKilled", 99, {{"Killing", LIVENESS_KILL, -3, 1}},
     .cause = CF_CAUSE_OOM, .certainty = CF_SURE},
    {"StartError",             128, "StartError", 0, NOTE, .cause = CF_CAUSE_COMMAND, .certainty = CF_SURE},
    {"ContainerCannotRun",     127, "ContainerCannotRun", 0, NOTE, .cause = CF_CAUSE_COMMAND, .certainty = CF_SURE},
    {"lost",                   137, "ContainerStatusUnknown", 9, NOTE, .cause = CF_CAUSE_NODE, .certainty = CF_SURE},
    {"not found again",        255, "Unknown", 9, NOTE, .cause = CF_CAUSE_NODE, .certainty = CF_LIKELY},
    {"unknown, by another code", 254, "Unknown", 9, NOTE, .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"255 of its own",         255, "Error", 9, NOTE, .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    /* What the kubelet says of a kill. */
    {"liveness",               143, "Error", 99, {{"Killing", LIVENESS_KILL, -3, 1}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"startup",                143, "Error", 99, {{"Killing", STARTUP_KILL, -3, 1}},
     .cause = CF_CAUSE_STARTUP, .certainty = CF_SURE},
    {"a hook",                 143, "Error", 9, {{"Killing", "FailedPostStartHook", -3, 1}},
     .cause = CF_CAUSE_HOOK, .certainty = CF_SURE},
    {"another definition",     143, "Error", 9, {{"Killing", "Container c definition changed, will be restarted", -3, 1}},
     .cause = CF_CAUSE_REPLACED, .certainty = CF_SURE},
    {"a grace before, and 5 s", 137, "Error", 99, {{"Killing", LIVENESS_KILL, -35, 1}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"of an end before",       1, "Error", 20, {{"Killing", LIVENESS_KILL, -36, 1}},
     .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"5 s behind it",          143, "Error", 99, {{"Killing", LIVENESS_KILL, 5, 1}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"of a later end",         1, "Error", 20, {{"Killing", LIVENESS_KILL, 6, 1}},
     .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    /* The whole pod is stopped. */
    {"deleted",                143, "Error", 9, {{"Killing", STOPPING, -3, 1}}, .deleted = true, .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_SURE},
    {"deleted, no event",      143, "Error", 9, {{0}}, .deleted = true, .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"deleted, but this end was before", 1, "Error", 9, {{0}}, .deleted = true,
     .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"nobody says that it is deleted", 143, "Error", 9, {{"Killing", STOPPING, -3, 1}}, .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"what starts again was not deleted", 143, "Error", 9, {{"Killing", STOPPING, -3, 1}},
     .cause = CF_CAUSE_SANDBOX, .certainty = CF_LIKELY},
    {"a probe's failure that ends the pod", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .policy = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"fewer failures than kill", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 2}}, .policy = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"a failure more than 5 s before", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -9, 3}}, .policy = "Never", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"a failure a second behind", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -2, 3}}, .policy = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"a failure two seconds behind", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -1, 3}}, .policy = "Never", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"of a pod that starts it again", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .policy = "OnFailure", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"the container's own policy counts", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .own = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"also against the pod's", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .own = "Always", .policy = "Never", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"a failure 5 s before",   143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -8, 3}}, .policy = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"no failure",             143, "Error", 99, {{"Killing", STOPPING, -3, 1}}, .policy = "Never", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"too early for a probe",  143, "Error", 9,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .policy = "Never", .is_last = true,
     .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"a failed start ends the pod", 143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", STARTUP_FAILED, -3, 5}}, .policy = "Never", .is_last = true,
     .no_liveness = true, .by_pod = true, .cause = CF_CAUSE_STARTUP, .certainty = CF_SURE},
    {"with a failure less",    143, "Error", 99,
     {{"Killing", STOPPING, -3, 1}, {"Unhealthy", STARTUP_FAILED, -3, 4}}, .policy = "Never", .is_last = true,
     .by_pod = true, .cause = CF_CAUSE_STARTUP, .certainty = CF_LIKELY},
    /* The pod's sandbox changed: reported about the pod, before the kill or within its time. */
    {"the sandbox changed",    143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, -3, 1}},
     .is_last = true, .cause = CF_CAUSE_SANDBOX, .certainty = CF_SURE},
    {"5 s before the kill",    143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, -8, 1}},
     .is_last = true, .cause = CF_CAUSE_SANDBOX, .certainty = CF_SURE},
    {"6 s before",             143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, -9, 1}},
     .is_last = true, .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"5 s behind",             143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, 2, 1}},
     .is_last = true, .cause = CF_CAUSE_SANDBOX, .certainty = CF_SURE},
    {"again and again since",  143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, 60, 9}},
     .is_last = true, .cause = CF_CAUSE_SANDBOX, .certainty = CF_SURE},
    {"6 s behind: of the node's return", 143, "Error", 9, {{"Killing", STOPPING, -3, 1}, {"SandboxChanged", CHANGED, 3, 1}},
     .is_last = true, .cause = CF_CAUSE_DELETED, .certainty = CF_LIKELY},
    {"no kill: the node was down", 1, "Error", 9, {{"SandboxChanged", CHANGED, 900, 1}},
     .cause = CF_CAUSE_NODE, .certainty = CF_LIKELY},
    {"changed 5 s before",     1, "Error", 9, {{"SandboxChanged", CHANGED, -5, 1}},
     .cause = CF_CAUSE_NODE, .certainty = CF_LIKELY},
    {"of an end before that",  1, "Error", 9, {{"SandboxChanged", CHANGED, -6, 1}},
     .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"ended no one knows when", 1, "Error", 9, {{"SandboxChanged", CHANGED, 900, 1}}, .untimed = true,
     .cause = CF_CAUSE_EXITED, .certainty = CF_LIKELY},
    /* What comes with no time belongs to no end. */
    {"neither has a time",     143, "Error", 9, {{"Killing", LIVENESS_KILL, UNTIMED, 1}}, .untimed = true,
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"never started",          143, "Error", EPOCH, {{0}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"ended before its start", 143, "Error", -1, {{0}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"ended at its start",     143, "Error", 0, {{0}}, .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    /* The grace of a probe may be longer than the pod's, and any number. */
    {"a probe's grace before", 137, "Error", 99, {{"Killing", LIVENESS_KILL, -65, 1}}, .grace_s = 60,
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"longer ago",             1, "Error", 9, {{"Killing", LIVENESS_KILL, -66, 1}}, .grace_s = 60,
     .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"a grace of 500 years",   143, "Error", 99, {{"Killing", LIVENESS_KILL, -3, 1}}, .pod_grace_s = INT64_C(1) << 34,
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_SURE},
    {"no SIGKILL then",        137, "Error", 99, {{0}}, .grace_s = INT64_C(1) << 34, .cause = CF_CAUSE_KILL, .certainty = CF_UNSURE},
    /* Which probe: whose failures are the newest, else the one that kills first. */
    {"the startup probe kills first", 143, "Error", 99, {{0}}, .kills = KP_STARTUP,
     .cause = CF_CAUSE_STARTUP, .certainty = CF_UNSURE},
    {"but liveness failed",    143, "Error", 99, {{"Unhealthy", LIVENESS_FAILED, -3, 3}}, .kills = KP_STARTUP,
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"liveness of an instance before", 143, "Error", 99,
     {{"Unhealthy", LIVENESS_FAILED, -900, 3}, {"Unhealthy", STARTUP_FAILED, -3, 5}},
     .cause = CF_CAUSE_STARTUP, .certainty = CF_LIKELY},
    {"both at once",           143, "Error", 99,
     {{"Unhealthy", STARTUP_FAILED, -3, 5}, {"Unhealthy", LIVENESS_FAILED, -3, 3}},
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    /* A code of its own, where it was failing, and was killed so before. */
    {"may be a handler of SIGTERM", 3, "Error", 99,
     {{"Killing", LIVENESS_KILL, -400, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .cause = CF_CAUSE_LIVENESS, .certainty = CF_LIKELY},
    {"not so early",           3, "Error", 9,
     {{"Killing", LIVENESS_KILL, -400, 1}, {"Unhealthy", LIVENESS_FAILED, -3, 3}}, .cause = CF_CAUSE_EXITED, .certainty = CF_SURE},
    {"not if all was well",    3, "Error", 99,
     {{"Killing", LIVENESS_KILL, -400, 1}, {"Unhealthy", LIVENESS_FAILED, -400, 3}}, .cause = CF_CAUSE_EXITED, .certainty = CF_LIKELY},
    /* A probe's kill is followed by a start at once: the back-off counts from the end before (S-252). */
    {"waits as long as it ran, and 5 s", 143, "Error", 45, {{0}}, .waits = "back-off 40s restarting failed container=c",
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"waits less than it ran", 143, "Error", 46, {{0}}, .waits = "back-off 40s restarting failed container=c",
     .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"so in 1.15",             143, "Error", 46, {{0}}, .waits = "Back-off 40s restarting failed container=c",
     .cause = CF_CAUSE_TERM, .certainty = CF_UNSURE},
    {"how long is not told",   143, "Error", 46, {{0}}, .waits = "waiting", .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
    {"last words of a program", 143, "Error", 46, {{0}}, .waits = "back-off 40s ", .is_last = true,
     .cause = CF_CAUSE_LIVENESS, .certainty = CF_UNSURE},
};
/* clang-format on */

static struct cf_pod_event event_of(const struct reported *reported)
{
    int64_t at_ns = reported->at_s == UNTIMED ? 0 : END_NS + reported->at_s * S;

    return (struct cf_pod_event){
        .last_ns = at_ns,
        .first_ns = at_ns - (reported->count - 1) * 10 * S,
        .count = reported->count,
        .reason = kp_text_of(reported->reason),
        .message = kp_text_of(reported->message),
        .container = strcmp(reported->reason, "SandboxChanged") == 0 ? KP_TEXT_NONE : KP_TEXT("c")};
}

static struct cf_verdict judge(const struct row *row, struct cf_pod_event *events)
{
    static const struct kp_probe probes[] = {{.failure_threshold = 3}, {.failure_threshold = 5}};
    struct kp_container container = {
        .name = KP_TEXT("c"),
        .kind = KP_REGULAR,
        .restart_policy = kp_text_of(row->own ? row->own : ""),
        .probes = {
            [KP_LIVENESS] = row->no_liveness ? NULL : &probes[0], [KP_STARTUP] = &probes[1]}};
    struct kp_state end = {.kind = KP_STATE_TERMINATED,
                           .reason = kp_text_of(row->reason),
                           .message = kp_text_of(row->is_last && row->waits ? row->waits : ""),
                           .started_at_ns = row->ran_s == EPOCH ? 0 : END_NS - row->ran_s * S,
                           .finished_at_ns = row->untimed ? 0 : END_NS,
                           .exit_code = row->code};
    struct kp_state running = {.kind = row->waits ? KP_STATE_WAITING : KP_STATE_RUNNING,
                               .reason = kp_text_of(row->waits ? "CrashLoopBackOff" : ""),
                               .message = kp_text_of(row->waits ? row->waits : "")};
    struct kp_container_status status = {
        .name = container.name,
        .state = row->is_last ? end : running,
        .last_state = row->is_last ? (struct kp_state){.kind = KP_STATE_NONE} : end};
    struct kp_pod_status of_pod = {.statuses = &status, .status_count = 1};
    struct kp_pod pod = {.containers = &container,
                         .regular_count = 1,
                         .restart_policy = kp_text_of(row->policy ? row->policy : "Always"),
                         .has_grace = true,
                         .grace_s = row->pod_grace_s > 0 ? row->pod_grace_s : 30,
                         .has_deletion = row->deleted,
                         .status = &of_pod};
    struct cf_kill_age kills = {.soonest_ns = 30 * S,
                                .earliest_ns = 30 * S,
                                .type = row->kills,
                                .grace_s = row->grace_s > 0 ? row->grace_s : 10};
    struct cf_history history = {.pod = &pod, .events = events};

    while (history.event_count < 2 && row->events[history.event_count].reason) {
        events[history.event_count] = event_of(&row->events[history.event_count]);
        history.event_count++;
    }
    return cf_judge(&history, 0, kills);
}

/* The newest event about the container whose message begins so. */
static const struct cf_pod_event *newest(const struct cf_pod_event *events, const char *says)
{
    const struct cf_pod_event *found = NULL;

    for (size_t i = 0; i < 2; i++)
        if (kp_text_begins(events[i].message, says) && events[i].container.len > 0)
            found = &events[i];
    return found;
}

static void check(const struct row *row)
{
    struct cf_pod_event events[2] = {{0}};
    struct cf_verdict verdict = judge(row, events);
    int64_t ran_ns = row->ran_s < 0 || row->untimed ? -1 : row->ran_s * S;

    unit_check_int(verdict.cause, row->cause, row->why, __FILE__, __LINE__);
    unit_check_int(verdict.certainty, row->certainty, row->why, __FILE__, __LINE__);
    unit_check_int(verdict.by_pod, row->by_pod, row->why, __FILE__, __LINE__);
    unit_check_int(verdict.ran_ns, ran_ns, row->why, __FILE__, __LINE__);
    CHECK(verdict.unhealthy[KP_LIVENESS] == newest(events, "Liveness"));
    CHECK(verdict.unhealthy[KP_READINESS] == newest(events, "Readiness"));
    CHECK(verdict.unhealthy[KP_STARTUP] == newest(events, "Startup"));
}

static void each_end_has_its_cause(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

/* Reasons of the kubelet's container states and of pods (kubelet/images, kuberuntime, eviction,
 * preemption, nodeshutdown, util/pod). */
static void each_reason_has_its_cause(void)
{
    static const struct {
        const char *waiting;
        const char *of_pod;
        enum cf_cause cause;
    } reasons[] = {
        {"ErrImagePull", NULL, CF_CAUSE_IMAGE},
        {"ImagePullBackOff", NULL, CF_CAUSE_IMAGE},
        {"InvalidImageName", NULL, CF_CAUSE_IMAGE},
        {"ErrImageNeverPull", NULL, CF_CAUSE_IMAGE},
        {"ImageInspectError", NULL, CF_CAUSE_IMAGE},
        {"RegistryUnavailable", NULL, CF_CAUSE_IMAGE},
        {"SignatureValidationFailed", NULL, CF_CAUSE_IMAGE},
        {"CreateContainerConfigError", NULL, CF_CAUSE_CONFIG},
        {"CreateContainerError", NULL, CF_CAUSE_CONFIG},
        {"RunContainerError", NULL, CF_CAUSE_COMMAND},
        {"ContainerCreating", NULL, CF_CAUSE_PENDING},
        {"PodInitializing", NULL, CF_CAUSE_PENDING},
        {NULL, "Evicted", CF_CAUSE_EVICTED},
        {NULL, "Preempting", CF_CAUSE_EVICTED},
        {NULL, "Preempted", CF_CAUSE_EVICTED},
        {NULL, "DeadlineExceeded", CF_CAUSE_DEADLINE},
        {NULL, "NodeLost", CF_CAUSE_NODE},
        {NULL, "NodeShutdown", CF_CAUSE_NODE},
        {NULL, "Terminated", CF_CAUSE_NODE},
        {NULL, "Shutdown", CF_CAUSE_NODE},
        {NULL, "NodeAffinity", CF_CAUSE_NODE},
    };
    static const struct cf_node any = {.kind = CF_MAP};
    static const struct kp_container container = {.name = {"c", 1}, .kind = KP_REGULAR};

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct kp_container_status status = {
            .name = container.name,
            .state = {.kind = reasons[i].waiting ? KP_STATE_WAITING : KP_STATE_RUNNING,
                      .reason = kp_text_of(reasons[i].waiting ? reasons[i].waiting : "")}};
        struct kp_pod_status of_pod = {.statuses = &status,
                                       .status_count = 1,
                                       .reason =
                                           kp_text_of(reasons[i].of_pod ? reasons[i].of_pod : "")};
        struct kp_pod pod = {.containers = &container, .regular_count = 1, .status = &of_pod};
        struct cf_history history = {.pod = &pod, .status = &any};
        struct cf_verdict verdict =
            cf_judge(&history, 0, (struct cf_kill_age){.soonest_ns = KP_NEVER});

        unit_check_int(verdict.cause, reasons[i].cause,
                       reasons[i].waiting ? reasons[i].waiting : reasons[i].of_pod, __FILE__,
                       __LINE__);
        CHECK_INT(verdict.certainty, CF_SURE);
    }
}

const struct unit_test cause_rows_test[] = {
    {"each end has its cause", each_end_has_its_cause},
    {"each reason has its cause", each_reason_has_its_cause},
    {0},
};
