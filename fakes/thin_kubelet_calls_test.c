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
    static const struct kp_readiness_gate gate = {{"a/b", 3}};
    struct kp_container web = container_of("web");
    struct kp_condition holds = {.type = KP_TEXT("a/b"), .status = KP_CONDITION_TRUE};
    struct kp_pod_status status = {.phase = KP_RUNNING, .conditions = &holds};
    struct kp_pod pod = pod_of("u", &web, 1);

    web.probes[KP_READINESS] = &liveness;
    web.probes[KP_LIVENESS] = NULL;
    pod.readiness_gates = &gate;
    pod.readiness_gate_count = 1;
    pod.status = &status;
    for (size_t has_gate = 0; has_gate < 2; has_gate++) {
        status.condition_count = has_gate;
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

const struct unit_test thin_kubelet_calls_test[] = {
    ENGINE_TESTS,
    {"an update has a pod", an_update_has_a_pod},
    {"the API's copy is believed", the_apis_copy_is_believed},
    {"AddPod again makes no second worker", add_pod_again_makes_no_second_worker},
    {"a kubelet that is down takes no calls", a_kubelet_that_is_down_takes_no_calls},
    {"a gate holds an old container back", a_gate_holds_an_old_container_back},
    {0},
};
