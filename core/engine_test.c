#include "core/engine.h"

#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

#include <limits.h>

#define S KP_NS_PER_S

static struct kp_mem mem;
static struct fake_alloc memory;
static struct kp_profile profile;
static struct fake_effect_log log_;
static struct kp_engine *engine;

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
    CHECK_INT(kp_engine_new(&mem, &config, &engine), KP_OK);
}

static void close_engine(void)
{
    kp_engine_free(engine);
    CHECK_INT(memory.live, 0);
}

static uint32_t add(const struct kp_pod *pod)
{
    uint32_t handle = UINT32_MAX;

    CHECK_INT(kp_engine_add_pod(engine, pod, &handle), KP_OK);
    return handle;
}

/* Until the instant is over, whatever is told on the way. */
static void run_to(int64_t to_ns)
{
    size_t before;
    int64_t at_ns;

    do {
        before = log_.count;
        at_ns = kp_engine_run(engine, to_ns);
    } while (at_ns < to_ns || log_.count != before);
}

/* ---- what is refused ----------------------------------------------------------------------------
 */

static void every_error_has_a_name(void)
{
    CHECK_TEXT(kp_text_of(kp_err_name(KP_OK)), KP_TEXT("ok"));
    CHECK_TEXT(kp_text_of(kp_err_name(KP_ENOMEM)), KP_TEXT("out of memory"));
    CHECK_TEXT(kp_text_of(kp_err_name(KP_EUNKNOWN)), KP_TEXT("unknown"));
}

static void without_memory_there_is_no_engine(void)
{
    struct kp_engine_config config = {.profile = &profile};

    engine = (struct kp_engine *)&log_;
    memory = (struct fake_alloc){.fail_at = 0};
    mem = fake_alloc_mem(&memory);
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(kp_engine_new(&mem, &config, &engine), KP_ENOMEM);
    CHECK(engine == NULL);
}

static void freeing_no_engine_is_nothing(void)
{
    kp_engine_free(NULL);
}

static void what_names_nobody_is_refused(void)
{
    static const int containers[] = {-1, 1, INT_MAX, INT_MIN};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    CHECK_INT(add(&pod), 0);
    for (uint32_t nobody = 1; nobody < 8; nobody += 6) {
        CHECK(kp_engine_status(engine, nobody) == NULL);
        CHECK(kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_DELETE, .pod = nobody}) !=
              KP_OK);
    }
    for (size_t c = 0; c < sizeof containers / sizeof containers[0]; c++)
        CHECK_INT(kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_RUNNING,
                                                             .container = containers[c]}),
                  KP_EINPUT);
    CHECK_INT(kp_engine_event(engine, &(struct kp_event){.kind = (enum kp_event_kind)99}),
              KP_EINPUT);
    close_engine();
}

/* Nothing was asked of the runtime yet, and it says that it is done. */
static void an_acknowledgement_of_nothing_is_refused(void)
{
    static const enum kp_event_kind kinds[] = {
        KP_EVENT_RUNNING, KP_EVENT_STARTFAIL, KP_EVENT_EXITED, KP_EVENT_KILLFAIL, KP_EVENT_SANDBOX};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    add(&pod);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct kp_event event = {.kind = kinds[i], .cid = KP_TEXT("c1")};

        CHECK_INT(kp_engine_event(engine, &event), KP_EINPUT);
        event.message = KP_TEXT("rpc error: code = NotFound desc = gone");
        CHECK_INT(kp_engine_event(engine, &event), KP_EINPUT);
    }
    close_engine();
}

static void a_uid_is_added_once(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);
    uint32_t handle;

    open_engine("1.36");
    add(&pod);
    CHECK_INT(kp_engine_add_pod(engine, &pod, &handle), KP_EEXIST);
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

/* ---- when the engine wants to be asked again ----------------------------------------------------
 */

static void nobody_to_look_after_wants_nothing(void)
{
    open_engine("1.36");
    CHECK_INT(kp_engine_next_ns(engine), KP_NEVER);
    run_to(60 * S);
    CHECK_INT(kp_engine_next_ns(engine), KP_NEVER);
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
    CHECK_INT(kp_engine_next_ns(engine), S);
    run_to(2 * S);
    CHECK_INT(kp_engine_event(engine, &deletion), KP_OK);
    CHECK_INT(kp_engine_next_ns(engine), 2 * S);
    close_engine();
}

/* S-341: what is left of a pod that is through is collected once a minute, and that is all. */
static void a_pod_that_is_through_wants_the_collection_alone(void)
{
    static const char *const versions[] = {"1.21", "1.22", "1.36"};
    const struct kp_pod_status failed = {.phase = KP_FAILED};
    const struct kp_container web = container_of("web");
    struct kp_pod pod = pod_of("u", &web, 1);

    pod.status = &failed;
    for (size_t i = 0; i < 3; i++) {
        open_engine(versions[i]);
        add(&pod);
        run_to(10 * S);
        CHECK_INT(kp_engine_next_ns(engine), 60 * S);
        close_engine();
    }
}

/* ---- updates ------------------------------------------------------------------------------------
 */

static enum kp_err update(const struct kp_pod *pod)
{
    return kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = pod});
}

static void an_update_keeps_the_containers(void)
{
    const struct kp_container two[] = {container_of("web"), container_of("db")};
    const struct kp_container other[] = {container_of("web"), container_of("cache")};
    const struct kp_pod pod = pod_of("u", two, 2);
    const struct kp_pod renamed = pod_of("u", other, 2);
    const struct kp_pod fewer = pod_of("u", two, 1);

    open_engine("1.36");
    add(&pod);
    CHECK_INT(update(&renamed), KP_EINPUT);
    CHECK_INT(update(&fewer), KP_EINPUT);
    CHECK_INT(update(&pod), KP_OK);
    close_engine();
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

const struct unit_test engine_test[] = {
    {"every error has a name", every_error_has_a_name},
    {"without memory there is no engine", without_memory_there_is_no_engine},
    {"freeing no engine is nothing", freeing_no_engine_is_nothing},
    {"what names nobody is refused", what_names_nobody_is_refused},
    {"an acknowledgement of nothing is refused", an_acknowledgement_of_nothing_is_refused},
    {"a uid is added once", a_uid_is_added_once},
    {"pods take handles in order", pods_take_handles_in_order},
    {"nobody to look after wants nothing", nobody_to_look_after_wants_nothing},
    {"what was told is due at once", what_was_told_is_due_at_once},
    {"a pod that is through wants the collection alone",
     a_pod_that_is_through_wants_the_collection_alone},
    {"an update keeps the containers", an_update_keeps_the_containers},
    {"an update without memory changes nothing", an_update_without_memory_changes_nothing},
    {0},
};
