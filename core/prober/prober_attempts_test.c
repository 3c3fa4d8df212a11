/* Attempts, and the answers that find them. */
#include "fakes/unit_manager.h"

/* There are eight places for so few workers: attempt 9 has that of attempt 1. */
static void an_answer_finds_its_worker_behind_another_one(void)
{
    describe_live(2);
    open_with_pod("1.36");
    run(0); /* attempt 1 is a's, and stays out; 2 is b's */
    for (int64_t i = 0; i < 7; i++) {
        answer(KP_ANSWER_SUCCESS, 10 * i * S + S);
        run(10 * (i + 1) * S);
    }
    CHECK_INT(last_n, 9);
    fake_effect_log_take(&log_);
    CHECK(kp_prober_manager_answer(manager, 1, KP_ANSWER_FAILURE, KP_TEXT("x"), 70 * S));
    CHECK(kp_prober_manager_answer(manager, 9, KP_ANSWER_FAILURE, KP_TEXT("x"), 70 * S));
    CHECK(!kp_prober_manager_answer(manager, 1, KP_ANSWER_FAILURE, KP_TEXT("x"), 70 * S));
    TOLD("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047\n"
         "event b Unhealthy Liveness probe failed: x P-066\nresult b/liveness b failure P-047");
    kp_prober_manager_free(manager);
}

/* Only an exec times out in that way; of any other handler the text is the answer's. */
static void a_timeout_of_what_is_no_exec_has_no_command(void)
{
    static const struct kp_tcp_socket_action tcp;

    describe_live(1);
    probe.handler.exec = NULL;
    probe.handler.tcp_socket = &tcp;
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_TIMEOUT, 1 * S);
    TOLD("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

/* P-074, which is observed and not judged: after a restart of 1.17 nobody has a reference. */
static void a_container_of_another_process_has_events_from_1_18_on(void)
{
    static const struct {
        const char *k8s;
        const char *told;
    } rows[] = {{"1.17", "result a/liveness a failure P-047"},
                {"1.18", "event a Unhealthy Liveness probe failed: x P-066\n"
                         "result a/liveness a failure P-047"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe_live(1);
        open_with_pod(rows[i].k8s); /* nothing was started here: kp_prober_manager_note_start */
        run(0);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 1 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].told));
        kp_prober_manager_free(manager);
    }
}

/* K-14: what was cut off is out no more. */
static void a_cancelled_attempt_is_not_answered(void)
{
    describe_live(1);
    containers[0].probes[KP_READINESS] = &probe;
    containers[0].probes[KP_LIVENESS] = NULL;
    open_with_pod("1.36");
    run(0);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    CHECK(!kp_prober_manager_answer(manager, 1, KP_ANSWER_SUCCESS, KP_TEXT("x"), 2 * S));
    kp_prober_manager_free(manager);
    log_.len = 0;
}

/* What waits in a channel is lost with the process that sent it. */
static void a_restart_empties_the_channels(void)
{
    struct kp_results_update update;

    describe_live(1);
    open_with_pod("1.36");
    run(0); /* the first value */
    kp_prober_manager_restart(manager, 1 * S);
    CHECK(!kp_results_take(manager, KP_LIVENESS, &update));
    kp_prober_manager_free(manager);
    log_.len = 0;
}

/* A poke (P-163) at the instant of another worker's tick: they go in the order in which they came.
 */
static void a_poke_before_a_tick_is_followed_before_it(void)
{
    describe_live(2);
    containers[1].probes[KP_LIVENESS] = NULL;
    containers[1].probes[KP_READINESS] = &probe;
    open_with_pod("1.32");
    run(0);
    CHECK(kp_prober_manager_answer(manager, 1, KP_ANSWER_SUCCESS, KP_TEXT("x"), 0));
    CHECK(kp_prober_manager_answer(manager, 2, KP_ANSWER_FAILURE, KP_TEXT("x"), 0));
    fake_effect_log_take(&log_);
    kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 10 * S);
    kp_prober_manager_run(manager, 10 * S);
    TOLD("probe b/readiness b 1 P-044\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

const struct unit_test prober_attempts_test[] = {
    {"an answer finds its worker behind another one",
     an_answer_finds_its_worker_behind_another_one},
    {"a timeout of what is no exec has no command", a_timeout_of_what_is_no_exec_has_no_command},
    {"a container of another process has events from 1.18 on",
     a_container_of_another_process_has_events_from_1_18_on},
    {"a cancelled attempt is not answered", a_cancelled_attempt_is_not_answered},
    {"a restart empties the channels", a_restart_empties_the_channels},
    {"a poke before a tick is followed before it", a_poke_before_a_tick_is_followed_before_it},
    {0},
};
