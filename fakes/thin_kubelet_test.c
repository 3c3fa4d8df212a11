#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/thin_kubelet.h"
#include "fakes/unit.h"

#define MS KP_NS_PER_MS
#define S KP_NS_PER_S

static struct kp_mem mem;
static struct kp_profile profile;
static struct fake_effect_log log_;
static struct fake_thin *engine;
static struct kp_probe probes[3];
static struct kp_exec_action command;
static struct kp_container container;
static struct kp_pod pod;
static uint32_t handle;

static void describe(void)
{
    for (int i = 0; i < 3; i++)
        probes[i] = (struct kp_probe){.handler = {.exec = &command},
                                      .period_s = 10,
                                      .timeout_s = 1,
                                      .success_threshold = 1,
                                      .failure_threshold = 1};
    container = (struct kp_container){.name = KP_TEXT("app"), .kind = KP_REGULAR};
    pod = (struct kp_pod){.uid = KP_TEXT("u"),
                          .containers = &container,
                          .regular_count = 1,
                          .restart_policy = KP_TEXT("Always")};
}

static void open_case(const char *k8s)
{
    struct kp_engine_config config = {.profile = &profile,
                                      .uptime_ns = 3600 * S,
                                      .wall_ns = 1704067200 * S,
                                      .sink = fake_effect_log_sink(&log_)};

    mem = fake_alloc_plain();
    log_.len = 0;
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(fake_thin_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(fake_thin_add_pod(engine, &pod, &handle), KP_OK);
    CHECK_INT(fake_thin_run(engine, 0), 0);
}

static void tell(struct kp_event event)
{
    CHECK_INT(fake_thin_event(engine, &event), KP_OK);
}

static void running(const char *cid)
{
    tell((struct kp_event){.kind = KP_EVENT_RUNNING, .cid = kp_text_of(cid)});
}

static void answered(enum kp_answer result)
{
    tell((struct kp_event){.kind = KP_EVENT_ANSWER,
                           .container = -1,
                           .u.answer = {.n = log_.last_n, .result = result}});
}

/* Until the instant is over, whatever is emitted on the way. */
static void run_to(int64_t to_ns)
{
    int64_t at_ns;
    size_t before;

    do {
        before = log_.count;
        at_ns = fake_thin_run(engine, to_ns);
    } while (at_ns < to_ns || log_.count != before);
}

#define EMITTED(want) CHECK_TEXT(fake_effect_log_take(&log_), KP_TEXT(want))

static void a_run_stops_at_the_first_instant_with_effects(void)
{
    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    open_case("1.36");
    CHECK_INT(fake_thin_run(engine, 2300 * MS), 2300 * MS);
    running("c1");
    CHECK_INT(fake_thin_run(engine, 60 * S), 2300 * MS);
    EMITTED("started app true P-161\nready app true P-163");
    CHECK_INT(fake_thin_run(engine, 60 * S), 10 * S);
    EMITTED("result app/liveness c1 success P-012\nprobe app/liveness c1 1 P-044");
    CHECK_INT(fake_thin_run(engine, 60 * S), 60 * S);
    fake_thin_free(engine);
}

/* P-179, and how it was before: running at 2.3 s, period 10. */
static void a_poke_that_comes_to_nothing_moves_the_first_probe(void)
{
    static const struct {
        const char *k8s;
        int64_t first_ns;
    } rows[] = {{"1.20", 10 * S}, {"1.31", 10 * S}, {"1.32", 12300 * MS}, {"1.37", 12300 * MS}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe();
        container.probes[KP_READINESS] = &probes[0];
        open_case(rows[i].k8s);
        run_to(2300 * MS);
        running("c1");
        run_to(2300 * MS);
        CHECK_INT(fake_thin_run(engine, 60 * S), rows[i].first_ns);
        fake_thin_free(engine);
    }
}

static void the_first_readiness_probe_is_followed_by_a_second(void)
{
    describe();
    probes[0].success_threshold = 2;
    container.probes[KP_READINESS] = &probes[0];
    open_case("1.22");
    running("c1");
    run_to(0);
    EMITTED("started app true P-161");
    run_to(10 * S);
    EMITTED("result app/readiness c1 failure P-012\nprobe app/readiness c1 1 P-044");
    answered(KP_ANSWER_SUCCESS);
    run_to(10 * S);
    EMITTED("probe app/readiness c1 1 P-044"); /* P-178 */
    answered(KP_ANSWER_SUCCESS);
    run_to(10 * S);
    EMITTED("result app/readiness c1 success P-047\nready app true P-143");
    fake_thin_free(engine);
}

static void a_replacement_inherits_started_until_the_startup_worker_looks(void)
{
    describe();
    container.probes[KP_STARTUP] = &probes[0];
    open_case("1.36");
    running("c1");
    run_to(10 * S);
    answered(KP_ANSWER_SUCCESS);
    run_to(13 * S);
    fake_effect_log_take(&log_);
    tell((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 1});
    running("c2"); /* in one sync: K-10 */
    run_to(19 * S);
    EMITTED("");
    run_to(20 * S);
    EMITTED("result app/startup c2 unknown P-012\nstarted app false P-143\nready app false P-163");
    fake_thin_free(engine);
}

/* P-154: app is dead for good while the pod lives on. Its worker sets two values and ends; that is
 * a sync, which makes it anew. */
static void an_endless_chain_is_cut_after_twenty_syncs(void)
{
    struct kp_container two[2];

    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    two[0] = container;
    two[1] = (struct kp_container){.name = KP_TEXT("other"), .kind = KP_REGULAR};
    pod.containers = two;
    pod.regular_count = 2;
    pod.restart_policy = KP_TEXT("Never");
    open_case("1.36");
    running("c1");
    run_to(10 * S);
    answered(KP_ANSWER_SUCCESS);
    run_to(15 * S);
    tell((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 1});
    run_to(19 * S);
    log_.count = 0;
    CHECK_INT(fake_thin_run(engine, 20 * S), 20 * S); /* all of it in one run */
    CHECK_INT(log_.count, 1 + 20 * 2);
    run_to(200 * S);
    CHECK_INT(log_.count, 1 + 20 * 2);
    log_.len = 0;
    fake_thin_free(engine);
}

static void a_restarted_kubelet_makes_unready_ready_up_to_1_34(void)
{
    static const struct {
        const char *k8s;
        const char *want;
    } rows[] = {
        {"1.21", ""}, /* the worker is there before the status */
        {"1.34", "ready app true P-163\nresult app/readiness c1 failure P-012\n"
                 "ready app false P-143"},
        {"1.36", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        describe();
        container.probes[KP_READINESS] = &probes[0];
        probes[0].initial_delay_s = 1000;
        open_case(rows[i].k8s);
        running("c1");
        run_to(100 * S);
        fake_effect_log_take(&log_);
        tell((struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = 5 * S});
        CHECK_INT(fake_thin_run(engine, 104 * S), 104 * S);
        CHECK_INT(fake_thin_next_ns(engine), 105 * S);
        (void)fake_thin_run(engine, 105 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].want));
        fake_thin_free(engine);
    }
}

static void what_makes_no_sense_is_refused(void)
{
    struct kp_event event = {.kind = KP_EVENT_RUNNING, .pod = 7};
    struct kp_container other = {.name = KP_TEXT("other"), .kind = KP_REGULAR};
    struct kp_pod updated;
    uint32_t again;

    describe();
    open_case("1.36");
    CHECK_INT(fake_thin_event(engine, &event), KP_EINPUT);
    event = (struct kp_event){.kind = KP_EVENT_EXITED, .container = 3};
    CHECK_INT(fake_thin_event(engine, &event), KP_EINPUT);
    event = (struct kp_event){.kind = KP_EVENT_KILLFAIL}; /* of the other layer: nothing */
    CHECK_INT(fake_thin_event(engine, &event), KP_OK);
    updated = pod;
    updated.containers = &other;
    event = (struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = &updated};
    CHECK_INT(fake_thin_event(engine, &event), KP_EINPUT);
    CHECK_INT(fake_thin_add_pod(engine, &pod, &again), KP_EEXIST);
    fake_thin_free(engine);
}

static void without_a_pod_no_event_makes_sense(void)
{
    struct kp_engine_config config = {.profile = &profile, .sink = fake_effect_log_sink(&log_)};
    struct kp_event event = {.kind = KP_EVENT_SYNC};

    mem = fake_alloc_plain();
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(fake_thin_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(fake_thin_event(engine, &event), KP_EINPUT);
    CHECK(fake_thin_status(engine, 0) == NULL);
    fake_thin_free(engine);
}

/* An id is the one of the event, where it has one; else that of the last instance. */
static void what_does_not_run_has_an_id_all_the_same(void)
{
    static const struct {
        struct kp_event event;
        const char *cid;
    } rows[] = {
        {{.kind = KP_EVENT_EXITED}, "c1"},
        {{.kind = KP_EVENT_EXITED, .cid = {"c2", 2}}, "c2"},
        {{.kind = KP_EVENT_WAITING}, "c1"},
        {{.kind = KP_EVENT_WAITING, .cid = {"c2", 2}}, "c1"},
        {{.kind = KP_EVENT_STARTFAIL}, "c1"},
        {{.kind = KP_EVENT_STARTFAIL, .cid = {"c2", 2}}, "c2"},
    };

    describe();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_case("1.36");
        running("c1");
        run_to(0);
        tell(rows[i].event);
        run_to(0);
        CHECK_TEXT(fake_thin_status(engine, handle)->statuses[0].container_id,
                   kp_text_of(rows[i].cid));
        log_.len = 0;
        fake_thin_free(engine);
    }
}

/* What the API had stands there until the first sync, and what it had not is waiting after it. */
static void a_status_is_the_apis_until_there_is_another(void)
{
    struct kp_container two[] = {{.name = KP_TEXT("app"), .kind = KP_REGULAR},
                                 {.name = KP_TEXT("other"), .kind = KP_REGULAR}};
    struct kp_container_status old = {.name = KP_TEXT("app"), .container_id = KP_TEXT("c0")};
    struct kp_pod_status api = {.phase = KP_RUNNING, .statuses = &old, .status_count = 1};
    struct kp_engine_config config = {.profile = &profile, .sink = fake_effect_log_sink(&log_)};
    const struct kp_pod_status *status;

    describe();
    pod.containers = two;
    pod.regular_count = 2;
    pod.status = &api;
    mem = fake_alloc_plain();
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(fake_thin_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(fake_thin_add_pod(engine, &pod, &handle), KP_OK);
    status = fake_thin_status(engine, handle);
    CHECK_INT(status->status_count, 2);
    CHECK_TEXT(status->statuses[0].container_id, KP_TEXT("c0"));
    CHECK_TEXT(status->statuses[1].name, KP_TEXT("other"));
    (void)fake_thin_run(engine, 0);
    CHECK_INT(status->statuses[0].state.kind, KP_STATE_WAITING);
    CHECK_TEXT(status->statuses[0].container_id, KP_TEXT("c0"));
    CHECK_INT(status->statuses[1].state.kind, KP_STATE_WAITING);
    log_.len = 0;
    fake_thin_free(engine);
}

/* P-165 of a pod that comes later than the kubelet: its condition Ready is the API's. */
static void a_pod_that_comes_later_is_as_ready_as_the_api_says(void)
{
    static const struct {
        enum kp_condition_status ready;
        const char *emitted;
    } rows[] = {{KP_CONDITION_TRUE, "started app true P-161\nready app true P-163"},
                {KP_CONDITION_FALSE, "started app true P-161"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_container_status old = {
            .name = KP_TEXT("app"),
            .container_id = KP_TEXT("c0"),
            .state = {.kind = KP_STATE_RUNNING, .started_at_ns = (1704067200 - 7200) * S}};
        struct kp_condition ready = {.type = KP_TEXT("Ready"), .status = rows[i].ready};
        struct kp_pod_status api = {.phase = KP_RUNNING,
                                    .statuses = &old,
                                    .status_count = 1,
                                    .conditions = &ready,
                                    .condition_count = 1};
        struct kp_pod late;

        describe();
        probes[0].initial_delay_s = 9000;
        open_case("1.36");
        run_to(5 * S);
        late = pod;
        late.uid = KP_TEXT("late");
        late.status = &api;
        container.probes[KP_READINESS] = &probes[0];
        CHECK_INT(fake_thin_add_pod(engine, &late, &handle), KP_OK);
        run_to(5 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(rows[i].emitted));
        fake_thin_free(engine);
    }
}

/* An answer and an exit in one request: the tick that was kept is looked at before the sync that
 * knows of the exit. */
static void what_is_due_comes_before_the_sync_of_an_event(void)
{
    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    open_case("1.36");
    running("c1");
    run_to(15 * S);
    CHECK_INT(fake_thin_run(engine, 25 * S), 25 * S);
    fake_effect_log_take(&log_);
    answered(KP_ANSWER_SUCCESS);
    tell((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 1});
    run_to(25 * S);
    EMITTED("probe app/liveness c1 1 P-044\nstarted app false P-161\nready app false P-163");
    fake_thin_free(engine);
}

static struct kp_effect emitted[16];
static size_t emitted_count;

static void keep_effect(void *ctx, const struct kp_effect *effect)
{
    (void)ctx;
    if (emitted_count < sizeof emitted / sizeof emitted[0])
        emitted[emitted_count++] = *effect;
}

static void an_effect_says_whose_it_is(void)
{
    struct kp_engine_config config = {.profile = &profile, .sink = {.effect = keep_effect}};
    struct kp_pod second;
    uint32_t handles[2];

    describe();
    second = pod;
    second.uid = KP_TEXT("v");
    mem = fake_alloc_plain();
    emitted_count = 0;
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(fake_thin_new(&mem, &config, &engine), KP_OK);
    CHECK_INT(fake_thin_add_pod(engine, &pod, &handles[0]), KP_OK);
    CHECK_INT(fake_thin_add_pod(engine, &second, &handles[1]), KP_OK);
    for (uint32_t i = 0; i < 2; i++)
        tell((struct kp_event){.kind = KP_EVENT_RUNNING,
                               .pod = handles[i],
                               .cid = i == 0 ? KP_TEXT("c1") : KP_TEXT("d1")});
    (void)fake_thin_run(engine, 0);
    CHECK_INT(emitted_count, 4); /* started and ready of each */
    for (size_t i = 0; i < emitted_count; i++) {
        CHECK_INT(emitted[i].pod, handles[i / 2]);
        CHECK_TEXT(emitted[i].cid, i < 2 ? KP_TEXT("c1") : KP_TEXT("d1"));
        CHECK(emitted[i].rule != KP_RULE_NONE);
    }
    fake_thin_free(engine);
}

/* What the old process had out may still be answered: to nobody. */
static void a_kubelet_that_is_down_hears_no_answer(void)
{
    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    open_case("1.36");
    running("c1");
    run_to(10 * S);
    (void)fake_effect_log_take(&log_);
    tell((struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = 5 * S});
    answered(KP_ANSWER_FAILURE);
    run_to(14 * S);
    EMITTED("");
    fake_thin_free(engine);
}

/* Of one request: the new worker looks before the sync sees the end. */
static void what_comes_together_is_synced_behind_the_workers(void)
{
    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    open_case("1.20");
    running("c1");
    run_to(0);
    tell((struct kp_event){.kind = KP_EVENT_REMOVE});
    run_to(S);
    (void)fake_effect_log_take(&log_);
    tell((struct kp_event){.kind = KP_EVENT_ADDPOD});
    tell((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 1});
    run_to(S);
    EMITTED("result app/liveness c1 success P-012\nprobe app/liveness c1 1 P-044\n"
            "started app false P-161\nready app false P-163");
    fake_thin_free(engine);
}

/* P-157: the deletion that a dead kubelet would have followed stops nobody in the next one. */
static void a_kubelet_that_is_down_stops_nobody_later(void)
{
    describe();
    container.probes[KP_READINESS] = &probes[0];
    open_case("1.22.10"); /* the first sync of a deleted pod has workers, and deletion stops all */
    running("c1");
    run_to(0);
    tell((struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = 5 * S});
    tell((struct kp_event){.kind = KP_EVENT_DELETE});
    run_to(14 * S);
    (void)fake_effect_log_take(&log_);
    run_to(15 * S);
    EMITTED("result app/readiness c1 failure P-012\nprobe app/readiness c1 1 P-044");
    fake_thin_free(engine);
}

static enum kp_err live_once(struct kp_mem *failing)
{
    struct kp_engine_config config = {.profile = &profile, .sink = fake_effect_log_sink(&log_)};
    struct kp_pod second = pod;
    enum kp_err err = fake_thin_new(failing, &config, &engine);

    if (err != KP_OK)
        return err;
    second.uid = KP_TEXT("v");
    err = fake_thin_add_pod(engine, &pod, &handle);
    if (err == KP_OK)
        err = fake_thin_add_pod(engine, &second, &handle);
    fake_thin_free(engine);
    return err;
}

static void nothing_is_lost_whichever_allocation_fails(void)
{
    enum kp_err err = KP_ENOMEM;

    describe();
    container.probes[KP_LIVENESS] = &probes[0];
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    for (int64_t n = 0; err == KP_ENOMEM && n < 1000; n++) {
        struct fake_alloc state = {.fail_at = n};
        struct kp_mem failing = fake_alloc_mem(&state);

        err = live_once(&failing);
        CHECK_INT(state.live, 0);
    }
    CHECK_INT(err, KP_OK);
}

const struct unit_test thin_kubelet_test[] = {
    {"what comes together is synced behind the workers",
     what_comes_together_is_synced_behind_the_workers},
    {"a kubelet that is down stops nobody later", a_kubelet_that_is_down_stops_nobody_later},
    {"a kubelet that is down hears no answer", a_kubelet_that_is_down_hears_no_answer},
    {"a run stops at the first instant with effects",
     a_run_stops_at_the_first_instant_with_effects},
    {"a trigger that comes to nothing moves the first probe",
     a_poke_that_comes_to_nothing_moves_the_first_probe},
    {"the first readiness probe is followed by a second",
     the_first_readiness_probe_is_followed_by_a_second},
    {"a replacement inherits Started until the startup worker looks",
     a_replacement_inherits_started_until_the_startup_worker_looks},
    {"an endless chain is cut after twenty syncs", an_endless_chain_is_cut_after_twenty_syncs},
    {"a restarted kubelet makes unready ready up to 1.34",
     a_restarted_kubelet_makes_unready_ready_up_to_1_34},
    {"what makes no sense is refused", what_makes_no_sense_is_refused},
    {"without a pod no event makes sense", without_a_pod_no_event_makes_sense},
    {"what does not run has an id all the same", what_does_not_run_has_an_id_all_the_same},
    {"a status is the API's until there is another", a_status_is_the_apis_until_there_is_another},
    {"a pod that comes later is as ready as the API says",
     a_pod_that_comes_later_is_as_ready_as_the_api_says},
    {"what is due comes before the sync of an event",
     what_is_due_comes_before_the_sync_of_an_event},
    {"an effect says whose it is", an_effect_says_whose_it_is},
    {"nothing is lost, whichever allocation fails", nothing_is_lost_whichever_allocation_fails},
    {0},
};
