/* cause_pods_test.c: what is said of a container by its pod: by what it lives, its deadline, its
 * neighbours. */
#include "conformance/why/cause.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S
#define END_NS (INT64_C(1795600000) * S)

/* What is still there, in the order in which it is asked. */
static void each_life_has_its_cause(void)
{
    static const struct {
        const char *why;
        bool no_object; /* the file has no status at all */
        bool no_status; /* ... none of this container */
        enum kp_state_kind kind;
        enum kp_state_kind last;
        bool deleted;
        int32_t restarts;
        bool startup; /* it has such a probe */
        bool has_started;
        bool started;
        bool ready;
        bool init;
        enum cf_cause cause;
        enum cf_certainty certainty;
    } lives[] = {
        {"a manifest", .no_object = true, .no_status = true, .cause = CF_CAUSE_NO_STATUS},
        {"of the pod alone", .no_status = true, .cause = CF_CAUSE_PENDING},
        {"no state", .kind = KP_STATE_NONE, .last = KP_STATE_RUNNING, .cause = CF_CAUSE_PENDING},
        {"waiting", .kind = KP_STATE_WAITING, .cause = CF_CAUSE_PENDING},
        {"deleted", .kind = KP_STATE_RUNNING, .deleted = true, .ready = true, .restarts = 1,
         .cause = CF_CAUSE_STOPPING},
        {"restarted", .kind = KP_STATE_RUNNING, .ready = true, .restarts = 1,
         .cause = CF_CAUSE_UNTOLD, .certainty = CF_UNSURE},
        {"starting", .kind = KP_STATE_RUNNING, .startup = true, .has_started = true,
         .cause = CF_CAUSE_STARTING},
        {"started, not ready", .kind = KP_STATE_RUNNING, .startup = true, .has_started = true,
         .started = true, .cause = CF_CAUSE_UNREADY},
        {"started and ready", .kind = KP_STATE_RUNNING, .startup = true, .has_started = true,
         .started = true, .ready = true, .cause = CF_CAUSE_NOTHING},
        {"before there was started", .kind = KP_STATE_RUNNING, .startup = true, .ready = true,
         .cause = CF_CAUSE_NOTHING},
        {"without such a probe", .kind = KP_STATE_RUNNING, .has_started = true, .ready = true,
         .cause = CF_CAUSE_NOTHING},
        {"not ready", .kind = KP_STATE_RUNNING, .has_started = true, .started = true,
         .cause = CF_CAUSE_UNREADY},
        {"an init container is not", .kind = KP_STATE_RUNNING, .init = true, .has_started = true,
         .started = true, .cause = CF_CAUSE_NOTHING},
    };
    static const struct kp_probe probe = {.failure_threshold = 3};
    static const struct cf_node any = {.kind = CF_MAP};

    for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
        struct kp_container container = {
            .name = KP_TEXT("c"),
            .kind = lives[i].init ? KP_INIT : KP_REGULAR,
            .probes = {[KP_STARTUP] = lives[i].startup ? &probe : NULL}};
        struct kp_container_status status = {.name = container.name,
                                             .state = {.kind = lives[i].kind},
                                             .last_state = {.kind = lives[i].last},
                                             .restart_count = lives[i].restarts,
                                             .ready = lives[i].ready,
                                             .has_started = lives[i].has_started,
                                             .started = lives[i].started};
        struct kp_pod_status of_pod = {.statuses = &status,
                                       .status_count = lives[i].no_status ? 0 : 1};
        struct kp_pod pod = {.containers = &container,
                             .regular_count = 1,
                             .has_deletion = lives[i].deleted,
                             .status = lives[i].no_object ? NULL : &of_pod};
        struct cf_history history = {.pod = &pod, .status = lives[i].no_object ? NULL : &any};
        struct cf_verdict verdict =
            cf_judge(&history, 0, (struct cf_kill_age){.soonest_ns = KP_NEVER});

        unit_check_int(verdict.cause, lives[i].cause, lives[i].why, __FILE__, __LINE__);
        unit_check_int(verdict.certainty, lives[i].certainty, lives[i].why, __FILE__, __LINE__);
    }
}

/* activeDeadlineSeconds count from the pod's startTime; what had ended before they were over was
 * not ended by them (S-345). */
static void a_deadline_ends_what_is_left(void)
{
    static const struct {
        const char *why;
        int64_t deadline_s; /* 0: none, as a pod has it whose field was taken away */
        int64_t ended_s;    /* from startTime; 0: it has not ended; -1: and when is not recorded */
        bool no_start;
        enum cf_cause cause;
    } ends[] = {
        {"long before", 60, 5, false, CF_CAUSE_EXITED},
        {"a second before", 60, 59, false, CF_CAUSE_EXITED},
        {"at it", 60, 60, false, CF_CAUSE_DEADLINE},
        {"behind it", 60, 90, false, CF_CAUSE_DEADLINE},
        {"not yet", 60, 0, false, CF_CAUSE_DEADLINE},
        {"no one knows when", 60, -1, false, CF_CAUSE_DEADLINE},
        {"no deadline any more", 0, 5, false, CF_CAUSE_DEADLINE},
        {"no startTime", 60, 5, true, CF_CAUSE_DEADLINE},
    };
    static const struct kp_container container = {.name = {"c", 1}, .kind = KP_REGULAR};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct kp_state state = {
            .kind = ends[i].ended_s == 0 ? KP_STATE_RUNNING : KP_STATE_TERMINATED,
            .started_at_ns = END_NS + S,
            .finished_at_ns = ends[i].ended_s < 0 ? 0 : END_NS + ends[i].ended_s * S,
            .exit_code = 1};
        struct kp_container_status status = {.name = container.name, .state = state};
        struct kp_pod_status of_pod = {.statuses = &status,
                                       .status_count = 1,
                                       .reason = KP_TEXT("DeadlineExceeded"),
                                       .has_start = !ends[i].no_start,
                                       .start_ns = END_NS};
        struct kp_pod pod = {.containers = &container,
                             .regular_count = 1,
                             .has_deadline = ends[i].deadline_s > 0,
                             .deadline_s = ends[i].deadline_s,
                             .status = &of_pod};
        struct cf_history history = {.pod = &pod};
        struct cf_verdict verdict =
            cf_judge(&history, 0, (struct cf_kill_age){.soonest_ns = KP_NEVER});

        unit_check_int(verdict.cause, ends[i].cause, ends[i].why, __FILE__, __LINE__);
    }
}

enum { RUNS = 1000, UNTOLD };

static const struct {
    const char *why;
    int64_t ends_s[3]; /* of a, b and c, from the end of s; RUNS; UNTOLD: no status */
    const char *policy;
    bool killing; /* there is an event */
    enum cf_cause cause;
    enum cf_certainty certainty;
} pods[] = {
    {"all before", {-20, -5, -9}, "Never", false, CF_CAUSE_OTHERS, CF_LIKELY},
    {"as the event says", {-20, -5, -9}, "OnFailure", true, CF_CAUSE_OTHERS, CF_SURE},
    {"one with it", {0, -5, -9}, "Never", false, CF_CAUSE_OTHERS, CF_LIKELY},
    {"the other with it", {-5, 0, -9}, "Never", false, CF_CAUSE_OTHERS, CF_LIKELY},
    {"one behind it", {1, -5, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"the other behind it", {-5, 1, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"one runs", {RUNS, -5, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"the other runs", {-5, RUNS, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"the last runs", {-5, -5, RUNS}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"one is not told of", {UNTOLD, -5, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"the other is not", {-5, UNTOLD, -9}, "Never", false, CF_CAUSE_TERM, CF_UNSURE},
    {"they start again", {-20, -5, -9}, "Always", false, CF_CAUSE_TERM, CF_UNSURE},
    {"they start again, it is stopped", {-20, -5, -9}, "Always", true, CF_CAUSE_DELETED, CF_LIKELY},
};

/* A sidecar s, and another that still runs, beside containers a, b and c, which end before it, with
 * it or not at all (S-136). */
static void a_sidecar_is_stopped_when_the_others_are_over(void)
{
    static const struct kp_container containers[] = {
        {.name = {"s", 1}, .kind = KP_INIT, .restart_policy = {"Always", 6}, .image = {"a", 1}},
        {.name = {"t", 1}, .kind = KP_INIT, .restart_policy = {"Always", 6}},
        {.name = {"a", 1}, .kind = KP_REGULAR, .image = {"s", 1}},
        {.name = {"b", 1}, .kind = KP_REGULAR, .image = {"s", 1}},
        {.name = {"c", 1}, .kind = KP_REGULAR, .image = {"s", 1}}};
    static struct cf_pod_event event = {.first_ns = END_NS - 3 * S,
                                        .last_ns = END_NS - 3 * S,
                                        .count = 1,
                                        .reason = {"Killing", 7},
                                        .message = {"Stopping container s", 20},
                                        .container = {"s", 1}};

    for (size_t i = 0; i < sizeof pods / sizeof pods[0]; i++) {
        struct kp_container_status statuses[5] = {
            {.name = containers[0].name,
             .state = {.kind = KP_STATE_TERMINATED,
                       .started_at_ns = END_NS - 60 * S,
                       .finished_at_ns = END_NS,
                       .exit_code = 143}},
            {.name = containers[1].name, .state = {.kind = KP_STATE_RUNNING}}};
        struct kp_pod_status of_pod = {.statuses = statuses, .status_count = 2};
        struct kp_pod pod = {.containers = containers,
                             .init_count = 2,
                             .regular_count = 3,
                             .grace_s = 30,
                             .restart_policy = kp_text_of(pods[i].policy),
                             .status = &of_pod};
        struct cf_history history = {.pod = &pod, .events = &event, .event_count = pods[i].killing};
        struct cf_verdict verdict;

        for (int k = 0; k < 3; k++)
            if (pods[i].ends_s[k] != UNTOLD)
                statuses[of_pod.status_count++] = (struct kp_container_status){
                    .name = containers[k + 2].name,
                    .state = {.kind = pods[i].ends_s[k] == RUNS ? KP_STATE_RUNNING
                                                                : KP_STATE_TERMINATED,
                              .finished_at_ns = END_NS + pods[i].ends_s[k] * S}};
        verdict = cf_judge(&history, 0, (struct cf_kill_age){.soonest_ns = KP_NEVER});
        unit_check_int(verdict.cause, pods[i].cause, pods[i].why, __FILE__, __LINE__);
        unit_check_int(verdict.certainty, pods[i].certainty, pods[i].why, __FILE__, __LINE__);
        verdict = cf_judge(&history, 3, (struct cf_kill_age){.soonest_ns = KP_NEVER});
        CHECK_TEXT(verdict.container->name, KP_TEXT("b"));
    }
}

static void a_stated_back_off_is_read(void)
{
    static const struct {
        const char *message;
        size_t len;     /* so much of it; 0: all */
        int64_t wait_s; /* -1: none is stated */
    } messages[] = {
        {"back-off 5m0s restarting failed container=c pod=p_n(u)", 0, 300},
        {"Back-off 10s restarting failed container=c pod=p_n(u)", 0, 10},
        {"back-off 1m20s", 0, 80},
        {"back-off failed", 0, -1},
        {"ack-off 10s ", 1, -1},
        {"", 0, -1},
    };

    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        struct kp_state state = {.message = kp_text_of(messages[i].message)};
        int64_t wait_ns = -S;

        state.message.len = messages[i].len > 0 ? messages[i].len : state.message.len;
        CHECK_INT(cf_stated_backoff(&state, &wait_ns), messages[i].wait_s >= 0);
        CHECK_INT(wait_ns, messages[i].wait_s * S);
    }
}

/* They stand in what `why --json` prints. */
static void names_are_kept(void)
{
    CHECK_STRING(cf_cause_row(CF_CAUSE_NOTHING)->id, "nothing");
    CHECK_STRING(cf_cause_row(CF_CAUSE_LIVENESS)->id, "liveness");
    CHECK_STRING(cf_cause_row(CF_CAUSE_REPLACED)->id, "replaced");
    CHECK_STRING(cf_certainty_name(CF_SURE), "sure");
    CHECK_STRING(cf_certainty_name(CF_LIKELY), "likely");
    CHECK_STRING(cf_certainty_name(CF_UNSURE), "unsure");
}

const struct unit_test cause_pods_test[] = {
    {"each life has its cause", each_life_has_its_cause},
    {"a deadline ends what is left", a_deadline_ends_what_is_left},
    {"a sidecar is stopped when the others are over",
     a_sidecar_is_stopped_when_the_others_are_over},
    {"a stated back-off is read", a_stated_back_off_is_read},
    {"names are kept", names_are_kept},
    {0},
};
