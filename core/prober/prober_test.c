#include "core/prober/prober.h"
#include "fakes/unit_manager.h"

static struct kp_profile profile_of(const char *k8s)
{
    struct kp_profile p;

    CHECK_INT(kp_profile_init(&p, kp_text_of(k8s)), KP_OK);
    return p;
}

/* The whole sentence of the event, or "" where there is none. */
static struct kp_text say(const struct kp_profile *p, enum kp_answer answer, const char *output,
                          const struct kp_text_list *argv, int32_t timeout_s, char *storage,
                          size_t size)
{
    struct kp_effect effect = {0};
    struct kp_buf buf = {.bytes = storage, .cap = size};

    if (kp_prober_begin_event(p, KP_LIVENESS, kp_prober_outcome(p, answer), &effect)) {
        kp_prober_add_output(&effect.u.event.message, p, answer, kp_text_of(output), argv,
                             timeout_s * KP_NS_PER_S);
        kp_message_put(&buf, &effect.u.event.message);
    }
    return kp_buf_text(&buf);
}

static void answers_become_the_events_of_their_version(void)
{
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"a \"b\"", 5}};
    static const struct kp_text_list argv = {words, 3};
    /* clang-format off */
    static const struct {
        const char *k8s;
        enum kp_answer answer;
        const char *output, *want;
    } rows[] = {
        {"1.36", KP_ANSWER_SUCCESS, "fine", ""},
        {"1.36", KP_ANSWER_FAILURE, "out\n", "Liveness probe failed: out\n"},
        {"1.36", KP_ANSWER_WARNING, "moved", "Liveness probe warning: moved"},
        {"1.32", KP_ANSWER_ERROR, "rpc", "Liveness probe errored: rpc"},
        {"1.33", KP_ANSWER_ERROR, "rpc", "Liveness probe errored and resulted in unknown state: rpc"},
        {"1.32", KP_ANSWER_BROKEN, "cut", "Liveness probe errored: cut"},
        {"1.33", KP_ANSWER_BROKEN, "cut",
         "Liveness probe errored and resulted in failure state: cut"},
        {"1.32", KP_ANSWER_UNKNOWN, "eh", "Liveness probe failed: eh"},
        {"1.33", KP_ANSWER_UNKNOWN, "eh", ""},
        {"1.19", KP_ANSWER_TIMEOUT, "deadline", "Liveness probe errored: deadline"},
        {"1.20", KP_ANSWER_TIMEOUT, "deadline", "Liveness probe failed: "},
        {"1.24", KP_ANSWER_TIMEOUT, "deadline",
         "Liveness probe failed: command \"sh -c a \\\"b\\\"\" timed out"},
        {"1.31", KP_ANSWER_TIMEOUT, "deadline",
         "Liveness probe failed: command timed out: \"sh -c a \\\"b\\\"\" timed out after 1m30s"},
    };
    /* clang-format on */
    char storage[200];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_profile p = profile_of(rows[i].k8s);

        CHECK_TEXT(say(&p, rows[i].answer, rows[i].output, &argv, 90, storage, sizeof storage),
                   kp_text_of(rows[i].want));
    }
}

static void without_its_gate_a_timeout_is_an_error(void)
{
    static const struct kp_text word = {"true", 4};
    static const struct kp_text_list argv = {&word, 1};
    struct kp_profile p = profile_of("1.22");
    char storage[200];

    CHECK_INT(kp_profile_set_gate(&p, KP_TEXT("ExecProbeTimeout"), false), KP_OK);
    CHECK_INT(kp_prober_outcome(&p, KP_ANSWER_TIMEOUT), KP_OUTCOME_ERROR);
    CHECK_TEXT(say(&p, KP_ANSWER_TIMEOUT, "x", &argv, 1, storage, sizeof storage),
               KP_TEXT("Liveness probe errored: command \"true\" timed out"));
}

static void results_map_as_upstream_maps_them(void)
{
    CHECK_INT(kp_prober_result(KP_OUTCOME_SUCCESS), KP_RESULT_SUCCESS);
    CHECK_INT(kp_prober_result(KP_OUTCOME_WARNING), KP_RESULT_SUCCESS);
    CHECK_INT(kp_prober_result(KP_OUTCOME_FAILURE), KP_RESULT_FAILURE);
    CHECK_INT(kp_prober_result(KP_OUTCOME_UNKNOWN), KP_RESULT_FAILURE);
}

static const struct kp_env_var vars[] = {
    {.name = {"A", 1}, .value = {"first", 5}},
    {.name = {"A", 1}, .value = {"last", 4}},
    {.name = {"B", 1}, .value = {"$(A)", 4}},
    {.name = {"C", 1}, .has_value_from = true},
};
static const struct kp_container with_env = {.env = vars, .env_count = 4};

static void commands_expand_by_literal_values_alone(void)
{
    /* clang-format off */
    static const char *const rows[][2] = {
        {"$(A)",       "last"},         /* a later duplicate wins */
        {"x$(A)y$(A)", "xlastylast"},
        {"$(B)",       "$(A)"},         /* values are not expanded */
        {"[$(C)]",     "[]"},           /* valueFrom is empty */
        {"$(NONE)",    "$(NONE)"},
        {"$$(A)",      "$(A)"},
        {"$$",         "$"},
        {"a$b",        "a$b"},
        {"$(A",        "$(A"},
        {"end$",       "end$"},
        {"$",          "$"},
        {"$()",        "$()"},
    };
    /* clang-format on */
    struct kp_mem plain = fake_alloc_plain();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text word = kp_text_of(rows[i][0]);
        struct kp_text_list list = {&word, 1};
        struct kp_text_list *expanded;

        CHECK_INT(kp_command_expand(&plain, &with_env, &list, &expanded), KP_OK);
        CHECK_TEXT(expanded ? expanded->items[0] : KP_TEXT_NONE, kp_text_of(rows[i][1]));
        kp_mem_free(&plain, expanded);
    }
}

/* What stands behind a text in memory is not the text's. */
static void a_command_ends_where_its_text_ends(void)
{
    struct kp_text word = {"x$(A)", 4};
    struct kp_text_list list = {&word, 1};
    struct kp_text_list *expanded;
    struct kp_mem plain = fake_alloc_plain();

    CHECK_INT(kp_command_expand(&plain, &with_env, &list, &expanded), KP_OK);
    CHECK_TEXT(expanded->items[0], KP_TEXT("x$(A"));
    kp_mem_free(&plain, expanded);
}

static void a_command_without_a_dollar_is_taken_as_it_is(void)
{
    struct kp_text words[] = {KP_TEXT("cat"), KP_TEXT("")};
    struct kp_text_list list = {words, 2};
    struct kp_text_list *expanded;
    struct kp_mem plain = fake_alloc_plain();

    CHECK_INT(kp_command_expand(&plain, &with_env, &list, &expanded), KP_OK);
    CHECK(!expanded);
}

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
    EMITTED("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047\n"
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
    EMITTED("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

/* P-074, which is observed and not judged: after a restart of 1.17 nobody has a reference. */
static void a_container_of_another_process_has_events_from_1_18_on(void)
{
    static const struct {
        const char *k8s;
        const char *emitted;
    } rows[] = {{"1.17", "result a/liveness a failure P-047"},
                {"1.18", "event a Unhealthy Liveness probe failed: x P-066\n"
                         "result a/liveness a failure P-047"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe_live(1);
        open_with_pod(rows[i].k8s); /* nothing was started here: kp_prober_manager_note_start */
        run(0);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 1 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].emitted));
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

/* A trigger (P-163) at the instant of another worker's tick: they go in the order in which they
 * came. */
static void a_trigger_before_a_tick_is_followed_before_it(void)
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
    EMITTED("probe b/readiness b 1 P-044\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

static void a_cancelled_context_ends_execs_at_once(void)
{
    describe(1);
    containers[0].probes[KP_READINESS] = &probe;
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    EMITTED("probe a/readiness a 2 P-063\nprobe a/readiness a 3 P-063\nevent a Unhealthy Readiness "
            "probe errored and resulted in unknown state: context canceled P-068");
    kp_prober_manager_free(manager);
    open_with_pod("1.37");
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    EMITTED("");
    kp_prober_manager_free(manager);
}

/* RunInContainer alone is handed the context (prober.go newExecInContainer): who asks over the
 * network goes on, in its next attempts, too. */
static void a_cancelled_context_is_nothing_to_who_asks_over_the_network(void)
{
    static const struct kp_tcp_socket_action socket;

    describe(1);
    containers[0].probes[KP_READINESS] = &probe;
    probe.handler = (struct kp_handler){.tcp_socket = &socket};
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    EMITTED("");
    answer(KP_ANSWER_ERROR, 2 * S);
    EMITTED("probe a/readiness a 2 P-063");
    answer(KP_ANSWER_SUCCESS, 3 * S);
    EMITTED("result a/readiness a success P-047");
    kp_prober_manager_free(manager);
}

static void a_cancelled_third_attempt_says_so(void)
{
    describe_live(1);
    open_with_pod("1.36");
    run(0);
    answer(KP_ANSWER_ERROR, 0);
    answer(KP_ANSWER_ERROR, 0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, S);
    EMITTED("event a Unhealthy Liveness probe errored and resulted in unknown state: "
            "context canceled P-068");
    kp_prober_manager_free(manager);
}

/* P-074: a kill takes the reference of the instance that the status has, while another one has been
 * started already; from each worker of the container. */
static void a_kill_takes_the_reference_from_each_worker(void)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        describe(1);
        containers[0].probes[type] = &probe;
        statuses[0].started = type != KP_STARTUP;
        open_manager("1.17");
        manager->env.profile.gates[KP_GATE_StartupProbe] = true;
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
        kp_prober_manager_note_start(manager, 0, 0);
        kp_prober_manager_store_status(manager, 0, &status);
        kp_prober_manager_note_start(manager, 0, 0);
        kp_prober_manager_note_kill(manager, 0, 0, KP_TEXT("a"));
        kp_prober_manager_add_pod(manager, 0, &pod, 0);
        run(S);
        fake_effect_log_take(&log_);
        answer(KP_ANSWER_FAILURE, 2 * S);
        CHECK(!kp_text_has(fake_effect_log_take(&log_), "event"));
        kp_prober_manager_free(manager);
    }
}

/* P-074: not even of an error, which is no failure. */
static void no_event_of_an_error_without_a_reference(void)
{
    describe_live(1);
    open_with_pod("1.17");
    run(0);
    answer(KP_ANSWER_ERROR, S);
    answer(KP_ANSWER_ERROR, S);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_ERROR, S);
    EMITTED("");
    answer(KP_ANSWER_WARNING, 10 * S);
    EMITTED("probe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

const struct unit_test prober_test[] = {
    {"a cancelled context ends execs at once", a_cancelled_context_ends_execs_at_once},
    {"a cancelled context is nothing to who asks over the network",
     a_cancelled_context_is_nothing_to_who_asks_over_the_network},
    {"a cancelled third attempt says so", a_cancelled_third_attempt_says_so},
    {"a kill takes the reference from each worker", a_kill_takes_the_reference_from_each_worker},
    {"no event of an error without a reference", no_event_of_an_error_without_a_reference},
    {"answers become the events of their version", answers_become_the_events_of_their_version},
    {"without its gate a timeout is an error", without_its_gate_a_timeout_is_an_error},
    {"results map as upstream maps them", results_map_as_upstream_maps_them},
    {"commands expand by literal values alone", commands_expand_by_literal_values_alone},
    {"a command ends where its text ends", a_command_ends_where_its_text_ends},
    {"a command without a dollar is taken as it is", a_command_without_a_dollar_is_taken_as_it_is},
    {"an answer finds its worker behind another one",
     an_answer_finds_its_worker_behind_another_one},
    {"a timeout of what is no exec has no command", a_timeout_of_what_is_no_exec_has_no_command},
    {"a container of another process has events from 1.18 on",
     a_container_of_another_process_has_events_from_1_18_on},
    {"a cancelled attempt is not answered", a_cancelled_attempt_is_not_answered},
    {"a restart empties the channels", a_restart_empties_the_channels},
    {"a trigger before a tick is followed before it",
     a_trigger_before_a_tick_is_followed_before_it},
    {0},
};
