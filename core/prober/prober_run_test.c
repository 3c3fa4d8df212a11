/* When workers run doProbe, wait for room, and move. */
#include "fakes/unit_manager.h"

/* ---- the ticker -------------------------------------------------------------------------------
 */

static void one_late_tick_is_kept_and_the_others_are_lost(void)
{
    describe_live(1);
    open_with_pod("1.36");
    run(0);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 35 * S);
    EMITTED("probe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 36 * S);
    EMITTED("");
    CHECK_INT(kp_prober_manager_next_ns(manager), 40 * S);
    kp_prober_manager_free(manager);
}

static void jitter_is_slept_through_and_the_ticker_starts_after_it(void)
{
    describe_live(1);
    open_manager("1.20"); /* always draws */
    jitter_ns = 4 * S;
    give_pod(0);
    run(3 * S);
    kp_prober_manager_remove_pod(manager, 0);
    EMITTED("");
    run(4 * S); /* P-016: one doProbe before the stop is seen */
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    answer(KP_ANSWER_SUCCESS, 5 * S);
    CHECK_INT(kp_prober_manager_next_ns(manager), KP_NEVER);
    kp_prober_manager_free(manager);
}

static void an_old_kubelet_draws_no_jitter_from_1_21_on(void)
{
    describe_live(1);
    open_manager("1.21");
    jitter_ns = 4 * S;
    give_pod(0);
    run(0);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

/* P-017: who has nothing to sleep through is due before the ticks of its instant. */
static void without_a_jitter_the_first_do_probe_is_due_at_once(void)
{
    describe_live(1);
    open_with_pod("1.36");
    kp_prober_manager_run_ready(manager, 0);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    kp_prober_manager_free(manager);
}

/* P-015: the kubelet is an hour old, more than the first period and less than the second. */
static void a_jitter_goes_by_the_worker_s_own_period(void)
{
    struct kp_probe slow;

    describe_live(2);
    slow = probe;
    slow.period_s = 7200;
    containers[1].probes[KP_LIVENESS] = &slow;
    open_manager("1.36");
    jitter_ns = 4 * S;
    give_pod(0);
    run(0);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    run(4 * S);
    EMITTED("result b/liveness b success P-012\nprobe b/liveness b 1 P-044");
    kp_prober_manager_free(manager);
}

/* P-022: the same trigger, and where the next tick is then. */
static int64_t next_tick_after_a_poke(const char *k8s)
{
    int64_t next_ns;

    describe(1);
    containers[0].probes[KP_READINESS] = &probe;
    open_with_pod(k8s);
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

/* ---- the channel --------------------------------------------------------------------------- */

/* Up to P-140 a worker waits in its send; the failure that it had still to say waits with it. */
static void what_a_blocked_worker_had_to_say_follows(void)
{
    struct kp_results_update update;
    size_t updates[2] = {0};

    describe_live(30);
    for (size_t i = 0; i < 30; i++)
        statuses[i].state.kind = KP_STATE_TERMINATED;
    open_with_pod("1.36");
    run(0);
    while (kp_results_take(manager, KP_LIVENESS, &update)) {
        updates[update.result == KP_RESULT_FAILURE]++;
        run(0);
    }
    CHECK_INT(updates[0], 30); /* P-012 */
    CHECK_INT(updates[1], 30); /* P-034 */
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

/* Takes what comes through the channel of a type, which makes room for whom waits: how many it was,
 * a container each and in their order. */
static size_t take_in_order(enum kp_probe_type type)
{
    struct kp_results_update update;
    size_t taken = 0;

    while (kp_results_take(manager, type, &update)) {
        CHECK_INT(update.container, (int64_t)taken++);
        run(0);
    }
    return taken;
}

static void a_sleeping_worker_moves(void)
{
    struct kp_pod updated;

    describe_live(1);
    open_manager("1.20"); /* always draws */
    jitter_ns = 4 * S;
    give_pod(0);
    run(0);
    updated = with_a_probe_more(1);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    CHECK_INT(kp_prober_manager_next_ns(manager), 4 * S);
    run(4 * S);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    CHECK_INT(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->activity, KP_PROBING);
    kp_prober_manager_free(manager);
}

/* Of the eleventh's two values the first has filled the channel. */
static void what_was_put_away_keeps_its_rule(void)
{
    struct kp_results_update update;

    describe_live(11);
    for (size_t i = 0; i < 11; i++)
        statuses[i].state.kind = KP_STATE_TERMINATED;
    open_with_pod("1.36");
    run(0);
    fake_effect_log_take(&log_);
    CHECK(kp_results_take(manager, KP_LIVENESS, &update));
    run(0);
    EMITTED("result k/liveness k failure P-034");
    kp_prober_manager_free(manager);
}

/* What is set of a container that has ended, each with its rule. */
static void an_end_is_reported_behind_the_first_result(void)
{
    describe_live(1);
    statuses[0].state.kind = KP_STATE_TERMINATED;
    open_with_pod("1.36");
    run(0);
    EMITTED("result a/liveness a success P-012\nresult a/liveness a failure P-034");
    kp_prober_manager_free(manager);
}

/* Of eight sidecars that have ended each has three values to say; the eighth has two put away. */
static void a_seeded_sidecar_that_has_ended_says_three_values(void)
{
    static const enum kp_result values[] = {KP_RESULT_SUCCESS, KP_RESULT_UNKNOWN,
                                            KP_RESULT_FAILURE};
    struct kp_results_update update;
    int taken = 0;

    describe(8);
    for (size_t i = 0; i < 8; i++) {
        containers[i].kind = KP_INIT;
        containers[i].restart_policy = KP_TEXT("Always");
        containers[i].probes[KP_STARTUP] = &probe;
        statuses[i].state.kind = KP_STATE_TERMINATED;
    }
    pod.regular_count = 0;
    pod.init_count = 8;
    open_with_pod("1.37");
    run(0);
    for (; kp_results_take(manager, KP_STARTUP, &update); taken++) {
        CHECK_INT(update.container, taken / 3);
        CHECK_INT(update.result, values[taken % 3]);
        fake_effect_log_take(&log_);
        run(0);
        if (taken == 1)
            EMITTED("result h/startup h unknown P-012");
        if (taken == 2)
            EMITTED("result h/startup h failure P-034");
    }
    CHECK_INT(taken, 24);
    kp_prober_manager_free(manager);
}

/* Regular containers first, then those of the init containers that are probed. */
static void two_sidecars_beside_one_container_are_probed(void)
{
    describe_live(3);
    for (size_t i = 0; i < 2; i++) {
        containers[i].kind = KP_INIT;
        containers[i].restart_policy = KP_TEXT("Always");
    }
    pod.init_count = 2;
    pod.regular_count = 1;
    open_with_pod("1.36");
    for (int i = 0; i < 3; i++)
        CHECK(kp_prober_find_slot(manager, 0, i, KP_LIVENESS)->activity != KP_ABSENT);
    kp_prober_manager_free(manager);
}

/* P-074: the kubelet has started the container, and each of its workers knows. */
static void a_start_is_noted_for_each_type(void)
{
    describe_live(1);
    containers[0].probes[KP_READINESS] = containers[0].probes[KP_STARTUP] = &probe;
    open_with_pod("1.36");
    kp_prober_manager_note_start(manager, 0, 0);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        CHECK(kp_prober_find_slot(manager, 0, 0, (enum kp_probe_type)type)->started_here);
    kp_prober_manager_free(manager);
}

/* S-014: the last in the queue was followed by one that had something else to do. */
static void the_last_that_waits_for_room_ends_the_queue(void)
{
    describe(22);
    for (size_t i = 0; i < 21; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
    containers[21].probes[KP_READINESS] = &probe;
    open_with_pod("1.36");
    run(0);
    CHECK_INT(take_in_order(KP_LIVENESS), 21);
    kp_prober_manager_free(manager);
}

static void workers_that_are_due_move(void)
{
    struct kp_pod updated;

    describe_live(3);
    open_with_pod("1.36");
    CHECK_INT(kp_prober_manager_next_ns(manager), 0);
    updated = with_a_probe_more(3);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    run(0);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044\n"
            "result b/liveness b success P-012\nprobe b/liveness b 1 P-044\n"
            "result c/liveness c success P-012\nprobe c/liveness c 1 P-044");
    kp_prober_manager_free(manager);
}

static void workers_that_wait_for_room_move(void)
{
    static const enum kp_probe_type types[] = {KP_LIVENESS, KP_STARTUP};

    for (size_t t = 0; t < 2; t++) {
        struct kp_pod updated;

        describe(30);
        for (size_t i = 0; i < 30; i++) {
            containers[i].probes[types[t]] = &probe;
            statuses[i].started = types[t] != KP_STARTUP;
        }
        open_with_pod("1.36");
        run(0);
        updated = with_a_probe_more(30);
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
        CHECK_INT(take_in_order(types[t]), 30);
        kp_prober_manager_free(manager);
    }
}

/* Their attempts are out; the tick that comes is kept for each of them. */
static void workers_that_have_moved_are_ticked(void)
{
    struct kp_pod updated;

    describe_live(3);
    open_with_pod("1.36");
    run(0);
    updated = with_a_probe_more(3);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    run(10 * S);
    fake_effect_log_take(&log_);
    for (uint32_t n = 1; n <= 3; n++)
        CHECK(kp_prober_manager_answer(manager, n, KP_ANSWER_SUCCESS, KP_TEXT("x"), 11 * S));
    run(11 * S);
    EMITTED("probe a/liveness a 1 P-044\nprobe b/liveness b 1 P-044\nprobe c/liveness c 1 P-044");
    kp_prober_manager_free(manager);
}

static void a_worker_about_to_stop_moves(void)
{
    struct kp_pod updated;

    describe_live(1);
    open_with_pod("1.36");
    run(0);
    answer(KP_ANSWER_SUCCESS, 0);
    run(3 * S);
    kp_prober_stop_worker(manager, kp_prober_find_slot(manager, 0, 0, KP_LIVENESS));
    updated = with_a_probe_more(1);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    CHECK_INT(kp_prober_manager_next_ns(manager), 3 * S);
    run(3 * S);
    CHECK_INT(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->activity, KP_ABSENT);
    CHECK_INT(kp_prober_manager_next_ns(manager), KP_NEVER);
    kp_prober_manager_free(manager);
}

static void a_worker_about_to_go_on_moves(void)
{
    struct kp_results_update update;
    struct kp_pod updated;

    describe_live(21);
    open_with_pod("1.36");
    run(0);
    CHECK(kp_results_take(manager, KP_LIVENESS, &update));
    updated = with_a_probe_more(21);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    run(0);
    CHECK_INT(last_n, 21);
    kp_prober_manager_free(manager);
}

/* ... and the next one finds the end of their queue. */
static void who_comes_to_the_queue_later_is_behind_those_that_moved(void)
{
    static const enum kp_probe_type types[] = {KP_LIVENESS, KP_STARTUP};

    for (size_t t = 0; t < 2; t++) {
        struct kp_pod updated;

        describe(22);
        for (size_t i = 0; i < 22; i++) {
            containers[i].probes[types[t]] = i < 21 ? &probe : NULL;
            statuses[i].started = types[t] != KP_STARTUP;
        }
        open_with_pod("1.37");
        run(0);
        updated = with_a_probe_more(22);
        grown[21].probes[types[t]] = &probe;
        CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
        kp_prober_manager_store_status(manager, 0, &status);
        kp_prober_manager_add_pod(manager, 0, &updated, 0);
        run(0);
        CHECK_INT(take_in_order(types[t]), 22);
        kp_prober_manager_free(manager);
    }
}

/* The pod has the first of these containers; the others are for a second one. */
static void open_with_the_first_of(size_t count)
{
    describe(count);
    containers[0].probes[KP_LIVENESS] = &probe;
    open_manager("1.36");
    pod.regular_count = status.status_count = 1;
    give_pod(0);
    run(0);
}

/* ... whose liveness probes are reserved beside it. */
static void reserve_the_others(void)
{
    static struct kp_pod second;

    for (size_t i = 1; i < 20; i++)
        containers[i].probes[KP_LIVENESS] = &probe;
    second = pod;
    second.containers = containers + 1;
    second.regular_count = 19;
    CHECK_INT(kp_prober_manager_reserve(manager, 1, &second), KP_OK);
}

/* An attempt that has moved is found, though there are more workers since. */
static void an_attempt_that_moved_is_out_once(void)
{
    struct kp_pod updated;

    open_with_the_first_of(20);
    updated = with_a_probe_more(1);
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &updated), KP_OK);
    reserve_the_others();
    fake_effect_log_take(&log_);
    answer(KP_ANSWER_SUCCESS, S);
    CHECK(kp_prober_find_slot(manager, 0, 0, KP_LIVENESS)->activity == KP_WAITING);
    CHECK(!kp_prober_manager_answer(manager, last_n, KP_ANSWER_SUCCESS, KP_TEXT("x"), S));
    kp_prober_manager_free(manager);
}

/* A second pod, while the first one's attempts are out: each answer finds its worker. */
static void attempts_stay_found_when_there_are_more_workers(void)
{
    open_with_the_first_of(20);
    EMITTED("result a/liveness a success P-012\nprobe a/liveness a 1 P-044");
    for (size_t i = 1; i < 20; i++)
        containers[i].probes[KP_STARTUP] = &probe;
    reserve_the_others();
    answer(KP_ANSWER_FAILURE, S);
    EMITTED("event a Unhealthy Liveness probe failed: x P-066\nresult a/liveness a failure P-047");
    kp_prober_manager_free(manager);
}

/* ... and one that has come is nobody's then, either. */
static void an_attempt_that_has_come_stays_so_when_there_are_more_workers(void)
{
    open_with_the_first_of(20);
    answer(KP_ANSWER_SUCCESS, S);
    reserve_the_others();
    CHECK(!kp_prober_manager_answer(manager, last_n, KP_ANSWER_FAILURE, KP_TEXT("x"), 2 * S));
    kp_prober_manager_free(manager);
}

static void the_spec_of_a_known_pod_keeps_its_containers(void)
{
    struct kp_pod fewer;

    describe(2);
    open_with_pod("1.36");
    fewer = pod;
    fewer.regular_count = 1;
    CHECK_INT(kp_prober_manager_reserve(manager, 0, &fewer), KP_EINPUT);
    kp_prober_manager_free(manager);
    kp_prober_manager_free(NULL);
}

/* P-029: a status that does not speak of the container. */
static void a_container_without_a_status_has_no_id(void)
{
    describe_live(1);
    status.status_count = 0;
    open_with_pod("1.36");
    run(0);
    EMITTED("");
    kp_prober_manager_free(manager);
}

/* P-007, P-023: each is kept in a channel of one until the worker waits again. */
static void a_trigger_or_a_tick_waits_for_a_worker_that_waits_for_room(void)
{
    struct kp_results_update update;

    for (int ticks = 0; ticks < 2; ticks++) {
        describe_live(21);
        open_with_pod("1.36");
        run(ticks ? 11 * S : 0);
        CHECK_INT(last_n, 20); /* the last one is in its send */
        if (!ticks)
            kp_prober_trigger_worker(manager, kp_prober_find_slot(manager, 0, 20, KP_LIVENESS), S);
        CHECK(kp_results_take(manager, KP_LIVENESS, &update));
        run(ticks ? 12 * S : 3 * S);
        fake_effect_log_take(&log_);
        CHECK_INT(last_n, 21);
        answer(KP_ANSWER_SUCCESS, ticks ? 13 * S : 4 * S);
        EMITTED("probe u/liveness u 1 P-044"); /* at once, not with the next tick */
        kp_prober_manager_free(manager);
    }
}

/* P-007, P-022: of one instant the ticker's channel has its tick and the trigger's its trigger; a
 * ticker that the trigger resets has none. */
static void a_trigger_and_a_tick_of_an_instant_are_two(void)
{
    static const char *const versions[] = {"1.31", "1.32"};

    for (int resets = 0; resets < 2; resets++) {
        describe(1);
        containers[0].probes[KP_READINESS] = &probe;
        open_with_pod(versions[resets]);
        answer(KP_ANSWER_FAILURE, 0);
        run(9 * S);
        kp_prober_trigger_worker(manager, kp_prober_find_slot(manager, 0, 0, KP_READINESS), 10 * S);
        run(10 * S);
        CHECK_INT(last_n, 2);
        answer(KP_ANSWER_SUCCESS, 11 * S);
        CHECK_INT(last_n, resets ? 2 : 3);
        kp_prober_manager_free(manager);
    }
}

static void the_twenty_first_update_waits_for_room(void)
{
    struct kp_results_update update;
    size_t taken = 0;

    describe_live(25);
    open_with_pod("1.36");
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
    answer(KP_ANSWER_SUCCESS,
           15 * S); /* a tick was kept: doProbe runs, and has nothing left to say */
    CHECK_INT(last_n, 26);
    kp_prober_manager_free(manager);
}

const struct unit_test prober_run_test[] = {
    {"one late tick is kept and the others are lost",
     one_late_tick_is_kept_and_the_others_are_lost},
    {"jitter is slept through, and the ticker starts after it",
     jitter_is_slept_through_and_the_ticker_starts_after_it},
    {"an old kubelet draws no jitter from 1.21 on", an_old_kubelet_draws_no_jitter_from_1_21_on},
    {"without a jitter the first doProbe is due at once",
     without_a_jitter_the_first_do_probe_is_due_at_once},
    {"a jitter goes by the worker's own period", a_jitter_goes_by_the_worker_s_own_period},
    {"an end is reported behind the first result", an_end_is_reported_behind_the_first_result},
    {"a seeded sidecar that has ended says three values",
     a_seeded_sidecar_that_has_ended_says_three_values},
    {"workers that have moved are ticked", workers_that_have_moved_are_ticked},
    {"a worker about to stop moves", a_worker_about_to_stop_moves},
    {"a worker about to go on moves", a_worker_about_to_go_on_moves},
    {"two sidecars beside one container are probed", two_sidecars_beside_one_container_are_probed},
    {"a start is noted for each type", a_start_is_noted_for_each_type},
    {"a trigger resets the ticker from 1.32 on", a_trigger_resets_the_ticker_from_1_32_on},
    {"the last that waits for room ends the queue", the_last_that_waits_for_room_ends_the_queue},
    {"who comes to the queue later is behind those that moved",
     who_comes_to_the_queue_later_is_behind_those_that_moved},
    {"an attempt that moved is out once", an_attempt_that_moved_is_out_once},
    {"what a blocked worker had to say follows", what_a_blocked_worker_had_to_say_follows},
    {"what was put away keeps its rule", what_was_put_away_keeps_its_rule},
    {"a sleeping worker moves", a_sleeping_worker_moves},
    {"workers about to run doProbe move", workers_that_are_due_move},
    {"workers that wait for room move", workers_that_wait_for_room_move},
    {"attempts stay found when there are more workers",
     attempts_stay_found_when_there_are_more_workers},
    {"an attempt that has come stays so when there are more workers",
     an_attempt_that_has_come_stays_so_when_there_are_more_workers},
    {"the spec of a known pod keeps its containers", the_spec_of_a_known_pod_keeps_its_containers},
    {"a container without a status has no id", a_container_without_a_status_has_no_id},
    {"a trigger or a tick waits for a worker that waits for room",
     a_trigger_or_a_tick_waits_for_a_worker_that_waits_for_room},
    {"a trigger and a tick of an instant are two", a_trigger_and_a_tick_of_an_instant_are_two},
    {"the twenty-first update waits for room", the_twenty_first_update_waits_for_room},
    {0},
};
