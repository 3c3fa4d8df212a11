#include "core/prober_manager.h"
#include "core/prober_state.h"
#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

#define S KP_NS_PER_S

static struct kp_mem mem;
static struct kp_profile profile;
static struct fake_effect_log log_;
static uint32_t last_n;
static struct kp_prober_manager *manager;
static struct kp_probe probe;
static struct kp_exec_action command;
static struct kp_container containers[30];
static struct kp_container_status statuses[30];
static struct kp_pod_status status;
static struct kp_pod pod;
static int64_t jitter_ns;

static int64_t draw_jitter(void *ctx, const struct kp_pod *spec, int container,
                           enum kp_probe_type type, int64_t period_ns)
{
    (void)ctx, (void)spec, (void)container, (void)type, (void)period_ns;
    return jitter_ns;
}

static void describe(size_t count)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCD";

    probe = (struct kp_probe){.handler = {.exec = &command},
                              .period_s = 10,
                              .timeout_s = 1,
                              .success_threshold = 1,
                              .failure_threshold = 1};
    for (size_t i = 0; i < count; i++) {
        containers[i] = (struct kp_container){.name = {&names[i], 1}, .kind = KP_REGULAR};
        statuses[i] = (struct kp_container_status){
            .name = containers[i].name,
            .container_id = containers[i].name,
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = -5 * S},
            .has_started = true,
            .started = true,
        };
    }
    status =
        (struct kp_pod_status){.phase = KP_RUNNING, .statuses = statuses, .status_count = count};
    pod = (struct kp_pod){.uid = KP_TEXT("u"),
                          .containers = containers,
                          .regular_count = count,
                          .restart_policy = KP_TEXT("Always")};
}

static void open_manager(const char *k8s)
{
    struct kp_prober_config config = {.profile = &profile,
                                      .start_ns = -3600 * S,
                                      .last_n = &last_n,
                                      .draws = {.jitter_ns = draw_jitter},
                                      .sink = fake_effect_log_sink(&log_)};

    mem = fake_alloc_plain();
    log_.len = 0;
    last_n = 0;
    jitter_ns = 0;
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(kp_prober_manager_new(&mem, &config, &manager), KP_OK);
}

static void give_pod(int64_t now_ns)
{
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_OK);
    kp_prober_manager_store_status(manager, 0, &status);
    kp_prober_manager_add_pod(manager, 0, &pod, now_ns);
}

static void run(int64_t now_ns)
{
    while (kp_prober_manager_next_ns(manager) < now_ns)
        kp_prober_manager_run(manager, kp_prober_manager_next_ns(manager));
    kp_prober_manager_run(manager, now_ns);
}

static void answer(enum kp_answer result, int64_t now_ns)
{
    run(now_ns);
    CHECK(kp_prober_manager_answer(manager, log_.last_n, result, KP_TEXT("x"), now_ns));
    run(now_ns);
}

#define TOLD(want) CHECK_TEXT(fake_effect_log_take(&log_), KP_TEXT(want))

/* ---- the ticker -------------------------------------------------------------------------------
 */

static void one_late_tick_is_kept_and_the_others_are_lost(void)
{
    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    run(0);
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 35 * S);
    TOLD("probe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 36 * S);
    TOLD("");
    CHECK_INT(kp_prober_manager_next_ns(manager), 40 * S);
    kp_prober_manager_free(manager);
}

static void jitter_is_slept_through_and_the_ticker_starts_after_it(void)
{
    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.20"); /* always draws */
    jitter_ns = 4 * S;
    give_pod(0);
    run(3 * S);
    kp_prober_manager_remove_pod(manager, 0, 3 * S);
    TOLD("");
    run(4 * S); /* P-016: one look before the stop is seen */
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 5 * S);
    CHECK_INT(kp_prober_manager_next_ns(manager), KP_NEVER);
    kp_prober_manager_free(manager);
}

static void an_old_kubelet_draws_no_jitter_from_1_21_on(void)
{
    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.21");
    jitter_ns = 4 * S;
    give_pod(0);
    run(0);
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

/* P-022: the same poke, and where the next tick is then. */
static int64_t next_tick_after_a_poke(const char *k8s)
{
    int64_t next_ns;

    describe(1);
    containers[0].probes[KP_READINESS] = &probe;
    open_manager(k8s);
    give_pod(0);
    run(0);
    answer(KP_ANSWER_FAILURE, 0);
    kp_prober_manager_update_pod_status(manager, 0, &pod, &status, 3 * S);
    run(3 * S);
    answer(KP_ANSWER_FAILURE, 3 * S);
    next_ns = kp_prober_manager_next_ns(manager);
    kp_prober_manager_free(manager);
    return next_ns;
}

static void a_trigger_resets_the_ticker_from_1_32_on(void)
{
    CHECK_INT(next_tick_after_a_poke("1.31"), 10 * S);
    CHECK_INT(next_tick_after_a_poke("1.32"), 13 * S);
}

/* ---- attempts ---------------------------------------------------------------------------------
 */

static void errors_are_tried_three_times_and_then_discarded(void)
{
    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    run(0);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_ERROR, 1 * S);
    answer(KP_ANSWER_ERROR, 2 * S);
    answer(KP_ANSWER_ERROR, 3 * S);
    TOLD("probe a/liveness a 2 P-063\nprobe a/liveness a 3 P-063\n"
         "event a Unhealthy Liveness probe errored and resulted in unknown state: x P-068");
    CHECK(!kp_prober_manager_answer(manager, log_.last_n, KP_ANSWER_FAILURE, KP_TEXT("x"), 3 * S));
    CHECK(!kp_prober_manager_answer(manager, 999, KP_ANSWER_FAILURE, KP_TEXT("x"), 3 * S));
    kp_prober_manager_free(manager);
}

static void without_a_handler_nothing_goes_out(void)
{
    describe(1);
    pod.name = KP_TEXT("p");
    pod.namespace_ = KP_TEXT("ns");
    probe.handler.exec = NULL;
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.32");
    give_pod(0);
    run(0);
    TOLD("result a/liveness a success P-012\n"
         "event a Unhealthy Liveness probe errored: missing probe handler for p_ns(u):a P-067");
    kp_prober_manager_free(manager);
}

static void a_cancelled_context_ends_execs_at_once(void)
{
    describe(1);
    containers[0].probes[KP_READINESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    TOLD("probe a/readiness a 2 P-063\nprobe a/readiness a 3 P-063\nevent a Unhealthy Readiness "
         "probe errored and resulted in unknown state: context canceled P-068");
    kp_prober_manager_free(manager);
    open_manager("1.37");
    give_pod(0);
    run(0);
    fake_effect_log_take(&log_);
    kp_prober_manager_cancel_pod(manager, 0, 2 * S);
    TOLD("");
    kp_prober_manager_free(manager);
}

/* ---- AddPod and its like ----------------------------------------------------------------------
 */

static void workers_are_made_in_upstreams_order(void)
{
    describe(2);
    containers[0] = (struct kp_container){
        .name = KP_TEXT("a"), .kind = KP_INIT, .restart_policy = KP_TEXT("Always")};
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        containers[0].probes[type] = containers[1].probes[type] = &probe;
    pod.init_count = 1;
    pod.regular_count = 1;
    statuses[0].started = statuses[1].started = false;
    open_manager("1.36");
    give_pod(0);
    run(0);
    TOLD("result b/startup b unknown P-012\nprobe b/startup b 1 P-044\n"
         "result b/readiness b failure P-012\nresult b/liveness b success P-012\n"
         "result a/startup a unknown P-012\nprobe a/startup a 1 P-044\n"
         "result a/readiness a failure P-012\nresult a/liveness a success P-012");
    kp_prober_manager_free(manager);
}

/* P-152: container a's worker lives, b's has ended: does AddPod make it anew? */
static void add_pod_stops_at_the_first_worker_or_skips_a_container(void)
{
    static const struct {
        const char *k8s;
        const char *want;
    } rows[] = {{"1.36", ""},
                {"1.37", "result b/readiness b failure P-012\nprobe b/readiness b 1 P-044"}};

    for (size_t i = 0; i < 2; i++) {
        describe(2);
        containers[0].probes[KP_LIVENESS] = &probe;
        containers[1].probes[KP_READINESS] = &probe;
        open_manager(rows[i].k8s);
        give_pod(0);
        run(0);
        kp_prober_manager_answer(manager, 1, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
        kp_prober_manager_answer(manager, 2, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
        run(0);
        kp_prober_stop_worker(manager, kp_prober_find_slot(manager, 0, 1, KP_READINESS));
        run(0);
        fake_effect_log_take(&log_);
        kp_prober_manager_add_pod(manager, 0, &pod, S);
        run(S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].want));
        kp_prober_manager_free(manager);
    }
}

static void stopping_leaves_readiness_and_sidecars(void)
{
    describe(2);
    containers[0].kind = KP_INIT;
    containers[0].restart_policy = KP_TEXT("Always");
    containers[0].probes[KP_LIVENESS] = &probe;
    containers[1].probes[KP_LIVENESS] = containers[1].probes[KP_READINESS] = &probe;
    pod.init_count = pod.regular_count = 1;
    open_manager("1.37");
    give_pod(0);
    kp_prober_manager_stop_liveness_and_startup(manager, 0, 0);
    run(0);
    for (uint32_t n = 1; n <= last_n; n++)
        kp_prober_manager_answer(manager, n, KP_ANSWER_SUCCESS, KP_TEXT_NONE, 0);
    run(0);
    CHECK(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->activity == KP_WAITING); /* K-17 */
    CHECK(kp_prober_find_slot(manager, 0, 1, KP_READINESS)->activity == KP_WAITING);
    CHECK(kp_prober_find_slot(manager, 0, 1, KP_LIVENESS)->activity == KP_ABSENT);
    kp_prober_manager_free(manager);
}

static void another_object_of_the_pod_brings_new_slots_along(void)
{
    struct kp_container more[2];
    struct kp_pod updated;

    describe(2);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.37");
    give_pod(0);
    run(0);
    more[0] = containers[0];
    more[1] = containers[1];
    more[0].probes[KP_STARTUP] = &probe;
    updated = pod;
    updated.containers = more;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_FAILURE, S); /* the attempt found its worker again */
    TOLD("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    kp_prober_manager_store_status(manager, 0, &status);
    kp_prober_manager_add_pod(manager, 0, &updated, S);
    run(S);
    TOLD("result a/startup a unknown P-012");
    more[0].name = KP_TEXT("other");
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &pod), KP_EINPUT);
    kp_prober_manager_free(manager);
}

/* ---- the channel --------------------------------------------------------------------------- */

/* Up to P-140 a worker waits in its send; the failure that it had still to say waits with it. */
static void what_a_blocked_worker_had_to_say_follows(void)
{
    struct kp_results_update update;
    size_t told[2] = {0};

    describe(30);
    for (size_t i = 0; i < 30; i++) {
        containers[i].probes[KP_LIVENESS] = &probe;
        statuses[i].state.kind = KP_STATE_TERMINATED;
    }
    open_manager("1.36");
    give_pod(0);
    run(0);
    while (kp_results_take(manager, KP_LIVENESS, &update)) {
        told[update.result == KP_RESULT_FAILURE]++;
        run(0);
    }
    CHECK_INT(told[0], 30); /* P-012 */
    CHECK_INT(told[1], 30); /* P-034 */
    kp_prober_manager_free(manager);
}

static struct kp_container grown[30];

/* Another object of the pod, whose first container has a readiness probe as well. */
static struct kp_pod with_a_probe_more(size_t count)
{
    struct kp_pod updated = pod;

    for (size_t i = 0; i < count; i++)
        grown[i] = containers[i];
    grown[0].probes[KP_READINESS] = &probe;
    updated.containers = grown;
    return updated;
}

static void a_sleeping_worker_moves(void)
{
    struct kp_pod updated;

    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.20"); /* always draws */
    jitter_ns = 4 * S;
    give_pod(0);
    run(0);
    updated = with_a_probe_more(1);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    CHECK_INT(kp_prober_manager_next_ns(manager), 4 * S);
    run(4 * S);
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

static void workers_about_to_look_move(void)
{
    struct kp_pod updated;

    describe(3);
    for (size_t i = 0; i < 3; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    updated = with_a_probe_more(3);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    run(0);
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044\n"
         "result b/liveness b success P-012\nprobe b/liveness b 1 P-044\n"
         "result c/liveness c success P-012\nprobe c/liveness c 1 P-044");
    kp_prober_manager_free(manager);
}

static void workers_that_wait_for_room_move(void)
{
    struct kp_results_update update;
    struct kp_pod updated;
    size_t taken = 0;

    describe(30);
    for (size_t i = 0; i < 30; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    run(0);
    updated = with_a_probe_more(30);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    while (kp_results_take(manager, KP_LIVENESS, &update)) {
        CHECK_INT(update.container, (int64_t)taken++);
        run(0);
    }
    CHECK_INT(taken, 30);
    kp_prober_manager_free(manager);
}

/* A second pod, while the first one's attempts are out: each answer finds its worker. */
static void attempts_stay_found_when_there_are_more_workers(void)
{
    struct kp_pod second;

    describe(20);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    pod.regular_count = status.status_count = 1;
    give_pod(0);
    run(0);
    TOLD("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    for (size_t i = 1; i < 20; i++)
        containers[i].probes[KP_LIVENESS] = containers[i].probes[KP_STARTUP] = &probe;
    second = pod;
    second.containers = containers + 1;
    second.regular_count = 19;
    CHECK_INT(kp_prober_manager_reserve(manager, 1, &second), KP_OK);
    answer(KP_ANSWER_FAILURE, S);
    TOLD("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

static void the_spec_of_a_known_pod_keeps_its_containers(void)
{
    struct kp_pod fewer;

    describe(2);
    open_manager("1.36");
    give_pod(0);
    fewer = pod;
    fewer.regular_count = 1;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &fewer), KP_EINPUT);
    kp_prober_manager_free(manager);
    kp_prober_manager_free(NULL);
}

/* P-029: a status that does not speak of the container. */
static void a_container_without_a_status_has_no_id(void)
{
    describe(1);
    containers[0].probes[KP_LIVENESS] = &probe;
    status.status_count = 0;
    open_manager("1.36");
    give_pod(0);
    run(0);
    TOLD("");
    kp_prober_manager_free(manager);
}

static void the_twenty_first_update_waits_for_room(void)
{
    struct kp_results_update update;
    size_t taken = 0;

    describe(25);
    for (size_t i = 0; i < 25; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    give_pod(0);
    run(0);
    CHECK_INT(last_n, 20); /* the others have not got as far as probing */
    CHECK(kp_results_take(manager, KP_LIVENESS, &update));
    CHECK_TEXT(update.cid, KP_TEXT("a"));
    run(0);
    CHECK_INT(last_n, 21);
    while (kp_results_take(manager, KP_LIVENESS, &update))
        taken++;
    CHECK_INT(taken, 24);
    CHECK_TEXT(update.cid, KP_TEXT("y"));
    run(0);
    CHECK_INT(last_n, 25);
    answer(KP_ANSWER_SUCCESS, 15 * S); /* a tick was kept: it looks, and has nothing left to say */
    CHECK_INT(last_n, 26);
    kp_prober_manager_free(manager);
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum kp_err live_once(struct kp_mem *failing)
{
    struct kp_prober_config config = {
        .profile = &profile, .last_n = &last_n, .sink = fake_effect_log_sink(&log_)};
    struct kp_prober_manager *m;
    enum kp_err err = kp_prober_manager_new(failing, &config, &m);

    if (err != KP_OK)
        return err;
    for (uint32_t handle = 0; handle < 40 && err == KP_OK; handle++)
        err = kp_prober_manager_reserve(m, handle, &pod);
    kp_prober_manager_free(m);
    return err;
}

static void nothing_is_lost_whichever_allocation_fails(void)
{
    static const struct kp_text words[] = {{"echo", 4}, {"$(X)", 4}};
    enum kp_err err = KP_ENOMEM;

    describe(2);
    command = (struct kp_exec_action){{words, 2}};
    containers[0].probes[KP_LIVENESS] = containers[1].probes[KP_READINESS] = &probe;
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    for (int64_t n = 0; err == KP_ENOMEM && n < 1000; n++) {
        struct fake_alloc state = {.fail_at = n};
        struct kp_mem failing = fake_alloc_mem(&state);

        err = live_once(&failing);
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, KP_OK);
    command = (struct kp_exec_action){0};
}

static void a_step_allocates_nothing(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    int64_t before;

    describe(25);
    for (size_t i = 0; i < 25; i++)
        containers[i].probes[KP_READINESS] = &probe;
    open_manager("1.36");
    kp_prober_manager_free(manager);
    mem = fake_alloc_mem(&state);
    {
        struct kp_prober_config config = {
            .profile = &profile, .last_n = &last_n, .sink = fake_effect_log_sink(&log_)};
        CHECK_INT(kp_prober_manager_new(&mem, &config, &manager), KP_OK);
    }
    give_pod(0);
    before = state.calls;
    for (int64_t now_s = 0; now_s < 200; now_s++) {
        struct kp_results_update update;

        run(now_s * S);
        while (kp_results_take(manager, KP_READINESS, &update))
            run(now_s * S);
        for (uint32_t n = 1; n <= last_n; n++)
            kp_prober_manager_answer(manager, n, n % 3 == 0 ? KP_ANSWER_FAILURE : KP_ANSWER_SUCCESS,
                                     KP_TEXT_NONE, now_s * S);
        log_.len = 0;
    }
    CHECK_INT(state.calls, before);
    kp_prober_manager_free(manager);
    CHECK_INT(state.live, 0);
}

const struct unit_test prober_manager_test[] = {
    {"one late tick is kept and the others are lost",
     one_late_tick_is_kept_and_the_others_are_lost},
    {"jitter is slept through, and the ticker starts after it",
     jitter_is_slept_through_and_the_ticker_starts_after_it},
    {"an old kubelet draws no jitter from 1.21 on", an_old_kubelet_draws_no_jitter_from_1_21_on},
    {"a trigger resets the ticker from 1.32 on", a_trigger_resets_the_ticker_from_1_32_on},
    {"errors are tried three times and then discarded",
     errors_are_tried_three_times_and_then_discarded},
    {"without a handler nothing goes out", without_a_handler_nothing_goes_out},
    {"a cancelled context ends execs at once", a_cancelled_context_ends_execs_at_once},
    {"workers are made in upstream's order", workers_are_made_in_upstreams_order},
    {"AddPod stops at the first worker, or skips a container",
     add_pod_stops_at_the_first_worker_or_skips_a_container},
    {"stopping leaves readiness and sidecars", stopping_leaves_readiness_and_sidecars},
    {"another object of the pod brings new slots along",
     another_object_of_the_pod_brings_new_slots_along},
    {"what a blocked worker had to say follows", what_a_blocked_worker_had_to_say_follows},
    {"a sleeping worker moves", a_sleeping_worker_moves},
    {"workers about to look move", workers_about_to_look_move},
    {"workers that wait for room move", workers_that_wait_for_room_move},
    {"attempts stay found when there are more workers",
     attempts_stay_found_when_there_are_more_workers},
    {"the spec of a known pod keeps its containers", the_spec_of_a_known_pod_keeps_its_containers},
    {"a container without a status has no id", a_container_without_a_status_has_no_id},
    {"the twenty-first update waits for room", the_twenty_first_update_waits_for_room},
    {"nothing is lost, whichever allocation fails", nothing_is_lost_whichever_allocation_fails},
    {"a step allocates nothing", a_step_allocates_nothing},
    {0},
};
