#include "fakes/thin_kubelet.h"

#define ENGINE(verb) fake_thin_##verb
#define ENGINE_STRUCT struct fake_thin
#include "fakes/unit_engine.h"

static void an_update_has_a_pod(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    add(&pod);
    CHECK_INT(update(NULL), KP_EINPUT);
    close_engine();
}

/* The API's copy names the container, so that its worker probes it at once. */
static void the_apis_copy_is_believed(void)
{
    const struct kp_container two[] = {container_of("web"), container_of("db")};
    struct kp_condition ready = {.type = KP_TEXT("Ready"), .status = KP_CONDITION_TRUE};
    struct kp_container_status statuses[] = {
        {.name = KP_TEXT("web"),
         .container_id = KP_TEXT("old"),
         .state = {.kind = KP_STATE_RUNNING, .started_at_ns = 1704067100 * S},
         .ready = true,
         .has_started = true,
         .started = true},
        {.name = KP_TEXT("db"), .container_id = KP_TEXT("older")},
    };
    struct kp_pod_status status = {.phase = KP_RUNNING,
                                   .conditions = &ready,
                                   .condition_count = 1,
                                   .statuses = statuses,
                                   .status_count = 2};
    struct kp_pod pod = pod_of("u", two, 2);

    pod.status = &status;
    open_engine("1.36");
    CHECK(fake_thin_status(engine, add(&pod)) != NULL);
    CHECK_TEXT(fake_thin_status(engine, 0)->statuses[0].container_id, KP_TEXT("old"));
    close_engine();
}

/* P-152: AddPod for a pod whose workers are there makes none. */
static void add_pod_again_makes_no_second_worker(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    add(&pod);
    run_to(0);
    CHECK_INT(
        fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")}),
        KP_OK);
    run_to(S);
    (void)fake_effect_log_take(&log_);
    CHECK_INT(fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_ADDPOD}), KP_OK);
    run_to(10 * S);
    CHECK_TEXT(fake_effect_log_take(&log_),
               KP_TEXT("result web/liveness c1 success P-012\nprobe web/liveness c1 1 P-044"));
    close_engine();
}

static enum kp_err happens(enum kp_event_kind kind)
{
    return fake_thin_event(engine, &(struct kp_event){.kind = kind});
}

/* While the process is down there is no manager to ask; a second deletion is the first. */
static void a_kubelet_that_is_down_takes_no_calls(void)
{
    static const enum kp_event_kind calls[] = {KP_EVENT_STOP, KP_EVENT_ADDPOD, KP_EVENT_REMOVE};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    add(&pod);
    CHECK_INT(fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_STARTFAIL,
                                                         .cid = KP_TEXT("c1"),
                                                         .reason = KP_TEXT("Error")}),
              KP_OK);
    run_to(S);
    CHECK_INT(fake_thin_event(
                  engine, &(struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = 2 * S}),
              KP_OK);
    for (size_t i = 0; i < 3; i++)
        CHECK_INT(happens(calls[i]), KP_OK);
    run_to(5 * S);
    CHECK_INT(happens(KP_EVENT_DELETE), KP_OK);
    CHECK_INT(happens(KP_EVENT_DELETE), KP_OK);
    run_to(60 * S);
    close_engine();
}

/* P-165, S-314: after a restart of the kubelet a container is as ready as its pod was, and a pod
 * with a gate is ready only where the API's copy says so of the gate. */
static void a_gate_holds_an_old_container_back(void)
{
    static const char *const wants[] = {"ready web false P-163\nprobe web/readiness c1 1 P-044",
                                        "probe web/readiness c1 1 P-044"};
    static const struct kp_readiness_gate gates[] = {{{"a/a", 3}}, {{"a/b", 3}}, {{"a/c", 3}}};
    struct kp_container web = container_of("web");
    struct kp_condition hold[] = {{.type = KP_TEXT("a/a"), .status = KP_CONDITION_TRUE},
                                  {.type = KP_TEXT("a/b"), .status = KP_CONDITION_TRUE},
                                  {.type = KP_TEXT("a/c"), .status = KP_CONDITION_TRUE}};
    struct kp_pod_status status = {.phase = KP_RUNNING, .conditions = hold};
    struct kp_pod pod = pod_of("u", &web, 1);

    web.probes[KP_READINESS] = &liveness;
    web.probes[KP_LIVENESS] = NULL;
    pod.readiness_gates = gates;
    pod.readiness_gate_count = 3;
    pod.status = &status;
    for (size_t has_gate = 0; has_gate < 2; has_gate++) {
        status.condition_count = 2 + has_gate;
        open_engine("1.36");
        add(&pod);
        run_to(0);
        CHECK_INT(fake_thin_event(
                      engine, &(struct kp_event){.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")}),
                  KP_OK);
        run_to(10 * S);
        CHECK_INT(fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_ANSWER,
                                                             .container = -1,
                                                             .u.answer = {.n = log_.last_n}}),
                  KP_OK);
        run_to(30 * S);
        (void)fake_effect_log_take(&log_);
        CHECK_INT(fake_thin_event(
                      engine, &(struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = S}),
                  KP_OK);
        run_to(31 * S);
        CHECK_TEXT(fake_effect_log_take(&log_), kp_text_of(wants[has_gate]));
        close_engine();
    }
}

static void say(struct kp_event event)
{
    CHECK_INT(fake_thin_event(engine, &event), KP_OK);
}

/* Why one waits, or ended, is its reason. */
static void a_status_has_the_reason(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);
    struct kp_event event = {.kind = KP_EVENT_STARTFAIL,
                             .cid = KP_TEXT("c1"),
                             .reason = KP_TEXT("why"),
                             .message = KP_TEXT("in more words")};

    open_engine("1.36");
    add(&pod);
    run_to(0);
    say(event);
    run_to(S);
    CHECK_TEXT(fake_thin_status(engine, 0)->statuses[0].state.reason, KP_TEXT("why"));
    say((struct kp_event){.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c2")});
    event.kind = KP_EVENT_EXITED;
    event.cid = KP_TEXT("c2");
    event.u.exit_code = 1;
    run_to(2 * S);
    say(event);
    run_to(3 * S);
    CHECK_TEXT(fake_thin_status(engine, 0)->statuses[0].state.reason, KP_TEXT("why"));
    close_engine();
}

/* An object may be deleted without that anybody says how long it has. */
static void a_deletion_needs_no_grace(void)
{
    const struct kp_container web = container_of("web");
    struct kp_pod pod = pod_of("u", &web, 1);

    pod.has_deletion = true;
    open_engine("1.36");
    add(&pod);
    run_to(0);
    say((struct kp_event){.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")});
    (void)fake_effect_log_take(&log_);
    run_to(60 * S);
    CHECK_TEXT(fake_effect_log_take(&log_), KP_TEXT("started web true P-161\nready web true P-163\n"
                                                    "result web/liveness c1 success P-012"));
    close_engine();
}

const struct unit_test thin_kubelet_calls_test[] = {
    ENGINE_TESTS,
    {"a status has the reason", a_status_has_the_reason},
    {"a deletion needs no grace", a_deletion_needs_no_grace},
    {"an update has a pod", an_update_has_a_pod},
    {"the API's copy is believed", the_apis_copy_is_believed},
    {"AddPod again makes no second worker", add_pod_again_makes_no_second_worker},
    {"a kubelet that is down takes no calls", a_kubelet_that_is_down_takes_no_calls},
    {"a gate holds an old container back", a_gate_holds_an_old_container_back},
    {0},
};
