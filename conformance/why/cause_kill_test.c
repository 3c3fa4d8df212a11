/* cause_kill_test.c: what a kill shows: when SIGTERM came, what its grace was used for. */
#include "conformance/why/cause.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S
#define END_NS (INT64_C(1795600000) * S)

enum { NONE = -1000 };

/* It ends at END_NS, 100 s after its start; the pod's grace is 30 s. */
struct kill {
    int64_t hook_s;    /* of a preStop that sleeps; 0: none, NONE: of another one */
    int64_t failed_s;  /* FailedPreStopHook, from the end on; NONE: there is none */
    int64_t killing_s; /* Killing, from the end on; NONE: none of that instant */
    int64_t probe_s;   /* the probe's own grace; NONE: the pod's */
    int64_t grace_s;   /* that is left behind the hook */
    int32_t code;
    enum cf_cause cause;
    enum cf_hook_end end;
    int64_t term_s; /* the age at SIGTERM */
};

static void check(const struct kill *kill)
{
    const struct kp_sleep_action sleep = {.seconds = kill->hook_s};
    const struct kp_handler sleeps = {.sleep = &sleep};
    const struct kp_handler other = {0};
    const struct kp_probe probe = {.has_grace = kill->probe_s != NONE, .grace_s = kill->probe_s};
    const struct kp_container container = {.name = KP_TEXT("c"),
                                           .pre_stop = kill->hook_s > 0       ? &sleeps
                                                       : kill->hook_s == NONE ? &other
                                                                              : NULL,
                                           .probes = {[KP_LIVENESS] = &probe}};
    const struct kp_pod pod = {.grace_s = 30};
    struct cf_pod_event events[] = {{.last_ns = END_NS + kill->failed_s * S,
                                     .reason = KP_TEXT("FailedPreStopHook"),
                                     .container = KP_TEXT("c")}};
    const struct cf_pod_event killing = {.last_ns = END_NS + kill->killing_s * S};
    const struct cf_history history = {
        .pod = &pod, .events = events, .event_count = kill->failed_s != NONE};
    const struct kp_state end = {
        .started_at_ns = END_NS - 100 * S, .finished_at_ns = END_NS, .exit_code = kill->code};
    const struct cf_verdict verdict = {.cause = kill->cause,
                                       .container = &container,
                                       .end = &end,
                                       .ran_ns = 100 * S,
                                       .killing = &killing,
                                       .at_once = kill->killing_s != NONE,
                                       .kills.grace_s = kill->grace_s};

    CHECK_INT(cf_hook_end(&history, &verdict), kill->end);
    CHECK_INT(cf_killed_age_ns(&verdict) / S, kill->term_s);
}

static void a_hook_has_its_part_of_the_grace(void)
{
    static const struct kill kills[] = {
        {0, NONE, -30, NONE, 30, 137, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 70},
        {0, NONE, NONE, NONE, 30, 137, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 70},
        {0, NONE, NONE, NONE, 30, 143, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 100},
        /* A sleep as long as the grace, of the pod or of the probe. */
        {30, NONE, -32, NONE, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_CUT_OFF, 98},
        {29, NONE, -31, NONE, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 98},
        {30, NONE, -32, NONE, 2, 143, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 98},
        {10, NONE, -12, 10, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_CUT_OFF, 98},
        {10, NONE, -12, 11, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 98},
        {10, NONE, -30, 10, 2, 137, CF_CAUSE_DELETED, CF_HOOK_ENDED, 80},
        /* A startup probe that is not there any more: the liveness probe's grace is not its own. */
        {10, NONE, -12, 10, 2, 137, CF_CAUSE_STARTUP, CF_HOOK_ENDED, 98},
        {30, NONE, NONE, NONE, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_CUT_OFF, 98},
        {1, NONE, -3, 1, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_CUT_OFF, 98},
        {0, NONE, -2, 0, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_ENDED, 98},
        /* A longer one: SIGTERM is not behind the end. */
        {60, NONE, -32, NONE, 2, 137, CF_CAUSE_LIVENESS, CF_HOOK_CUT_OFF, 100},
        /* Another one, by its event: at the kill it has failed, at the end it was cut off. */
        {NONE, -32, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_FAILED, 68},
        {NONE, -28, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_FAILED, 68},
        {NONE, -5, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_CUT_OFF, 68},
        {NONE, -6, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_FAILED, 68},
        {NONE, 5, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_CUT_OFF, 68},
        {NONE, 0, -32, NONE, 30, 143, CF_CAUSE_DELETED, CF_HOOK_FAILED, 68},
        {NONE, -2, NONE, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_CUT_OFF, 70},
        {NONE, -3, -4, NONE, 2, 137, CF_CAUSE_DELETED, CF_HOOK_FAILED, 96},
        {NONE, -3, -8, NONE, 2, 137, CF_CAUSE_DELETED, CF_HOOK_CUT_OFF, 92},
        /* One of another kill is none of this one's. */
        {NONE, 6, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_ENDED, 68},
        {NONE, -38, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_ENDED, 68},
        {NONE, -37, -32, NONE, 30, 137, CF_CAUSE_DELETED, CF_HOOK_FAILED, 68},
    };

    for (size_t i = 0; i < sizeof kills / sizeof kills[0]; i++)
        check(&kills[i]);
}

static void a_hook_takes_what_is_known_of_it(void)
{
    static const struct {
        int32_t seconds;
        int64_t takes_s;
    } rows[] = {{0, 0}, {1, 1}, {3600, 3600}, {3601, 3600}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_sleep_action sleep = {.seconds = rows[i].seconds};
        const struct kp_handler hook = {.sleep = &sleep};

        CHECK_INT(cf_hook_ns(&(struct kp_container){.pre_stop = &hook}), rows[i].takes_s * S);
    }
    CHECK_INT(cf_hook_ns(&(struct kp_container){0}), 0);
    CHECK_INT(cf_hook_ns(&(struct kp_container){.pre_stop = &(struct kp_handler){0}}), 0);
}

/* The age at SIGTERM where the API does not say when it started, or it ended in that second. */
static void an_age_may_not_be_known(void)
{
    const struct kp_sleep_action sleep = {.seconds = 5};
    const struct kp_handler hook = {.sleep = &sleep};
    const struct kp_container container = {.pre_stop = &hook};
    const struct cf_pod_event killing = {.last_ns = END_NS};
    struct kp_state end = {.finished_at_ns = END_NS, .exit_code = 143};
    struct cf_verdict verdict = {
        .container = &container, .end = &end, .ran_ns = -1, .killing = &killing, .at_once = true};

    CHECK_INT(cf_killed_age_ns(&verdict), -1);
    end.started_at_ns = END_NS;
    verdict.ran_ns = 0;
    CHECK_INT(cf_killed_age_ns(&verdict), 0);
}

static void who_answers_late_was_slow(void)
{
    static const struct {
        const char *message;
        bool slow;
    } rows[] = {
        {"Liveness probe failed: Get \"http://10.0.0.1:80/\": context deadline exceeded", true},
        {"Liveness probe failed: Get \"http://10.0.0.1:80/\": Client.Timeout exceeded", true},
        {"Liveness probe failed: command \"x\" timed out", true},
        {"Liveness probe failed: dial tcp 10.0.0.1:80: i/o timeout", true},
        {"Liveness probe failed: timeout: health rpc did not complete", true},
        {"Liveness probe failed: HTTP probe failed with statuscode: 500", false},
    };

    CHECK(!cf_was_slow(NULL));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(cf_was_slow(&(struct cf_pod_event){.message = kp_text_of(rows[i].message)}),
                  rows[i].slow);
}

/* Of 1.2x and of 1.3x. */
static void an_error_is_no_failure(void)
{
    CHECK(!cf_is_error(NULL));
    CHECK(cf_is_error(&(struct cf_pod_event){.message = KP_TEXT("Liveness probe errored: x")}));
    CHECK(cf_is_error(&(struct cf_pod_event){
        .message = KP_TEXT("Readiness probe errored and resulted in unknown state: x")}));
    CHECK(!cf_is_error(&(struct cf_pod_event){.message = KP_TEXT("Liveness probe failed: x")}));
}

const struct unit_test cause_kill_test[] = {
    {"a hook has its part of the grace", a_hook_has_its_part_of_the_grace},
    {"a hook takes what is known of it", a_hook_takes_what_is_known_of_it},
    {"an age may not be known", an_age_may_not_be_known},
    {"who answers late was slow", who_answers_late_was_slow},
    {"an error is no failure", an_error_is_no_failure},
    {0},
};
