/*
 * unit_engine.h: the scaffold of an engine's tests, and what every engine keeps.
 *
 * A test says before it includes this which engine it is of: ENGINE(run) is its kp_engine_run,
 * ENGINE_STRUCT its struct kp_engine.  ENGINE_TESTS are the rows of the tests in here.
 */
#pragma once

#include "fakes/alloc.h"
#include "fakes/effect_log.h"
#include "fakes/unit.h"

#include <limits.h>

#define S KP_NS_PER_S

static struct kp_mem mem;
static struct fake_alloc memory;
static struct kp_profile profile;
static struct fake_effect_log log_;
static ENGINE_STRUCT *engine;

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
    CHECK_INT(ENGINE(new)(&mem, &config, &engine), KP_OK);
}

static void close_engine(void)
{
    ENGINE(free)(engine);
    CHECK_INT(memory.live, 0);
}

static uint32_t add(const struct kp_pod *pod)
{
    uint32_t handle = UINT32_MAX;

    CHECK_INT(ENGINE(add_pod)(engine, pod, &handle), KP_OK);
    return handle;
}

/* Until the instant is over, whatever is emitted on the way. */
static void run_to(int64_t to_ns)
{
    size_t before;
    int64_t at_ns;

    do {
        before = log_.count;
        at_ns = ENGINE(run)(engine, to_ns);
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
        CHECK(ENGINE(status)(engine, nobody) == NULL);
        CHECK(ENGINE(event)(engine, &(struct kp_event){.kind = KP_EVENT_DELETE, .pod = nobody}) !=
              KP_OK);
    }
    for (size_t c = 0; c < sizeof containers / sizeof containers[0]; c++)
        CHECK_INT(ENGINE(event)(engine, &(struct kp_event){.kind = KP_EVENT_RUNNING,
                                                           .container = containers[c]}),
                  KP_EINPUT);
    CHECK_INT(ENGINE(event)(engine, &(struct kp_event){.kind = (enum kp_event_kind)99}), KP_EINPUT);
    close_engine();
}

static void a_uid_is_added_once(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);
    uint32_t handle;

    open_engine("1.36");
    add(&pod);
    CHECK_INT(ENGINE(add_pod)(engine, &pod, &handle), KP_EEXIST);
    close_engine();
}

static void no_uid_of_three_is_added_twice(void)
{
    static const char *const uids[] = {"a", "b", "c"};
    const struct kp_container web = container_of("web");
    struct kp_pod pods[3];
    uint32_t handle;

    open_engine("1.36");
    for (uint32_t n = 0; n < 3; n++) {
        pods[n] = pod_of(uids[n], &web, 1);
        CHECK_INT(add(&pods[n]), n);
    }
    for (uint32_t n = 0; n < 3; n++)
        CHECK_INT(ENGINE(add_pod)(engine, &pods[n], &handle), KP_EEXIST);
    close_engine();
}

static void without_memory_there_is_no_engine(void)
{
    struct kp_engine_config config = {.profile = &profile};

    engine = (ENGINE_STRUCT *)&log_;
    memory = (struct fake_alloc){.fail_at = 0};
    mem = fake_alloc_mem(&memory);
    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    CHECK_INT(ENGINE(new)(&mem, &config, &engine), KP_ENOMEM);
    CHECK(engine == NULL);
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
    CHECK_INT(ENGINE(next_ns)(engine), KP_NEVER);
    run_to(60 * S);
    CHECK_INT(ENGINE(next_ns)(engine), KP_NEVER);
    close_engine();
}

static void what_was_emitted_is_due_at_once(void)
{
    const struct kp_event deletion = {.kind = KP_EVENT_DELETE, .u.grace_s = 30};
    const struct kp_container web = container_of("web");
    const struct kp_pod pod = pod_of("u", &web, 1);

    open_engine("1.36");
    run_to(S);
    add(&pod);
    CHECK_INT(ENGINE(next_ns)(engine), S);
    run_to(2 * S);
    CHECK_INT(ENGINE(event)(engine, &deletion), KP_OK);
    CHECK_INT(ENGINE(next_ns)(engine), 2 * S);
    close_engine();
}

static enum kp_err update(const struct kp_pod *pod)
{
    return ENGINE(event)(engine, &(struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = pod});
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

/* clang-format off */
#define ENGINE_TESTS \
    {"what names nobody is refused", what_names_nobody_is_refused}, \
    {"a uid is added once", a_uid_is_added_once}, \
    {"no uid of three is added twice", no_uid_of_three_is_added_twice}, \
    {"without memory there is no engine", without_memory_there_is_no_engine}, \
    {"pods take handles in order", pods_take_handles_in_order}, \
    {"nobody to look after wants nothing", nobody_to_look_after_wants_nothing}, \
    {"what was emitted is due at once", what_was_emitted_is_due_at_once}, \
    {"an update without memory changes nothing", an_update_without_memory_changes_nothing}
/* clang-format on */
