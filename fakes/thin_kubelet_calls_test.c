#include "fakes/thin_kubelet.h"

#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

#include <limits.h>

#define S KP_NS_PER_S

static struct kp_mem mem;
static struct fake_alloc memory;
static struct kp_profile profile;
static struct fake_effect_log log_;
static struct fake_thin *engine;

static const struct kp_exec_action command;
static const struct kp_probe liveness = {.handler = {.exec = &command},
                                         .period_s = 10,
                                         .timeout_s = 1,
                                         .success_threshold = 1,
                                         .failure_threshold = 1};

static struct kp_container container_of(const char *name)
{
    return (struct kp_container){
        .name = kp_text_of(name), .kind = KP_REGULAR, .probes = {[KP_LIVENESS] = &liveness}};
}

static struct kp_pod pod_of(const char *uid, const struct kp_container *containers, size_t count)
{
    return (struct kp_pod){.uid = kp_text_of(uid),
                           .restart_policy = KP_TEXT("Always"),
                           .containers = containers,
                           .regular_count = count};
}

static void open_engine(const char *k8s)
{
    struct kp_engine_config config = {.profile = &profile,
                                      .uptime_ns = 3600 * S,
                                      .wall_ns = 1704067200 * S,
                                      .sync_frequency_ns = 60 * S,
                                      .sink = fake_effect_log_sink(&log_)};

    memory = (struct fake_alloc){.fail_at = FAKE_ALLOC_NEVER};
    mem = fake_alloc_mem(&memory);
    log_.len = 0;
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(fake_thin_new(&mem, &config, &engine), KP_OK);
}

static void close_engine(void)
{
    fake_thin_free(engine);
    CHECK_INT(memory.live, 0);
}

static uint32_t add(const struct kp_pod *pod)
{
    uint32_t handle = UINT32_MAX;

    CHECK_INT(fake_thin_add_pod(engine, pod, &handle), KP_OK);
    return handle;
}

/* Until the instant is over, whatever is told on the way. */
static void run_to(int64_t to_ns)
{
    size_t before;
    int64_t at_ns;

    do {
        before = log_.count;
        at_ns = fake_thin_run(engine, to_ns);
    } while (at_ns < to_ns || log_.count != before);
}

static void what_names_nobody_is_refused(void)
{
    static const int containers[] = {-1, 1, INT_MAX, INT_MIN};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    CHECK_INT(add(&pod), 0);
    for (uint32_t nobody = 1; nobody < 8; nobody += 6) {
        CHECK(fake_thin_status(engine, nobody) == NULL);
        CHECK(fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_DELETE, .pod = nobody}) !=
              KP_OK);
    }
    for (size_t c = 0; c < sizeof containers / sizeof containers[0]; c++)
        CHECK_INT(fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_RUNNING,
                                                             .container = containers[c]}),
                  KP_EINPUT);
    CHECK_INT(fake_thin_event(engine, &(struct kp_event){.kind = (enum kp_event_kind)99}),
              KP_EINPUT);
    close_engine();
}

static void a_uid_is_added_once(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);
    uint32_t handle;

    open_engine("1.36");
    add(&pod);
    CHECK_INT(fake_thin_add_pod(engine, &pod, &handle), KP_EEXIST);
    close_engine();
}

static void pods_take_handles_in_order(void)
{
    static const char *const uids[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    const struct kp_container web = container_of("web");
    struct kp_pod pods[9];

    open_engine("1.36");
    for (uint32_t n = 0; n < 9; n++) {
        pods[n] = pod_of(uids[n], &web, 1);
        CHECK_INT(add(&pods[n]), n);
    }
    run_to(S);
    close_engine();
}

static void nobody_to_look_after_wants_nothing(void)
{
    open_engine("1.36");
    CHECK_INT(fake_thin_next_ns(engine), KP_NEVER);
    run_to(60 * S);
    CHECK_INT(fake_thin_next_ns(engine), KP_NEVER);
    close_engine();
}

static void what_was_told_is_due_at_once(void)
{
    const struct kp_event deletion = {.kind = KP_EVENT_DELETE, .u.grace_s = 30};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    run_to(S);
    add(&pod);
    CHECK_INT(fake_thin_next_ns(engine), S);
    run_to(2 * S);
    CHECK_INT(fake_thin_event(engine, &deletion), KP_OK);
    CHECK_INT(fake_thin_next_ns(engine), 2 * S);
    close_engine();
}

static enum kp_err update(const struct kp_pod *pod)
{
    return fake_thin_event(engine, &(struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = pod});
}

/* The new pod has a probe more, and its worker wants memory. */
static void an_update_without_memory_changes_nothing(void)
{
    struct kp_container bare = container_of("web");
    const struct kp_container web = container_of("web");
    const struct kp_pod before = pod_of("u", &bare, 1);
    const struct kp_pod after = pod_of("u", &web, 1);

    bare.probes[KP_LIVENESS] = NULL;
    open_engine("1.36");
    add(&before);
    run_to(0);
    memory.fail_at = memory.calls;
    CHECK_INT(update(&after), KP_ENOMEM);
    memory.fail_at = FAKE_ALLOC_NEVER;
    CHECK_INT(update(&after), KP_OK);
    run_to(S);
    close_engine();
}

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
    {"what names nobody is refused", what_names_nobody_is_refused},
    {"a uid is added once", a_uid_is_added_once},
    {"pods take handles in order", pods_take_handles_in_order},
    {"nobody to look after wants nothing", nobody_to_look_after_wants_nothing},
    {"what was told is due at once", what_was_told_is_due_at_once},
    {"an update without memory changes nothing", an_update_without_memory_changes_nothing},
    {"an update has a pod", an_update_has_a_pod},
    {"the API's copy is believed", the_apis_copy_is_believed},
    {"AddPod again makes no second worker", add_pod_again_makes_no_second_worker},
    {"a kubelet that is down takes no calls", a_kubelet_that_is_down_takes_no_calls},
    {"a gate holds an old container back", a_gate_holds_an_old_container_back},
    {0},
};
