#include "core/engine.h"

#define ENGINE(verb) kp_engine_##verb
#define ENGINE_STRUCT struct kp_engine
#include "fakes/unit_engine.h"

/* ---- what is refused ----------------------------------------------------------------------------
 */

static void every_error_has_a_name(void)
{
    CHECK_TEXT(kp_text_of(kp_err_name(KP_OK)), KP_TEXT("ok"));
    CHECK_TEXT(kp_text_of(kp_err_name(KP_ENOMEM)), KP_TEXT("out of memory"));
    CHECK_TEXT(kp_text_of(kp_err_name(KP_EUNKNOWN)), KP_TEXT("unknown"));
}

static void freeing_no_engine_is_nothing(void)
{
    kp_engine_free(NULL);
}

/* Nothing was requested of the runtime yet, and it says that it is done. */
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

/* However much room there is behind the last one. */
static void an_event_of_no_pod_is_refused(void)
{
    static const char *const uids[] = {"a", "b", "c"};
    const struct kp_container web = container_of("web");
    struct kp_pod pods[3];

    open_engine("1.36");
    for (uint32_t i = 0; i < 3; i++) {
        pods[i] = pod_of(uids[i], &web, 1);
        CHECK_INT(add(&pods[i]), i);
    }
    CHECK_INT(kp_engine_event(engine, &(struct kp_event){.kind = KP_EVENT_DELETE, .pod = 3}),
              KP_EUNKNOWN);
    close_engine();
}

static void each_pod_has_a_status_of_its_own(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod one = pod_of("a", &web, 1);
    const struct kp_pod other = pod_of("b", &web, 1);

    open_engine("1.36");
    CHECK_INT(add(&one), 0);
    CHECK_INT(add(&other), 1);
    run_to(S);
    CHECK(kp_engine_status(engine, 0) != kp_engine_status(engine, 1));
    close_engine();
}

/* ---- when the engine wants to be called again ---------------------------------------------------
 */

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

/* S-003: the runtime is that of all pods, whichever an event of it names. */
static void a_runtime_that_is_back_is_called_for_each_pod(void)
{
    const struct kp_container web = container_of("web");
    const struct kp_pod one = pod_of("a", &web, 1);
    const struct kp_pod other = pod_of("b", &web, 1);
    const struct kp_event made = {.kind = KP_EVENT_SANDBOX};
    const struct kp_event runs = {.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")};
    const struct kp_event down = {.kind = KP_EVENT_RUNTIME_DOWN, .pod = 1};
    const struct kp_event up = {.kind = KP_EVENT_RUNTIME_UP, .pod = 1};

    open_engine("1.34");
    add(&one);
    add(&other);
    run_to(0);
    CHECK_INT(kp_engine_event(engine, &made), KP_OK);
    run_to(0);
    CHECK_INT(kp_engine_event(engine, &runs), KP_OK);
    CHECK_INT(kp_engine_event(engine, &down), KP_OK);
    run_to(S / 4);
    CHECK(kp_engine_next_ns(engine) > S);
    CHECK_INT(kp_engine_event(engine, &up), KP_OK);
    run_to(S / 2);
    CHECK_INT(kp_engine_next_ns(engine), S); /* the relist that sees what runs */
    close_engine();
}

/* ---- updates ------------------------------------------------------------------------------------
 */

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

const struct unit_test engine_test[] = {
    {"an event of no pod is refused", an_event_of_no_pod_is_refused},
    {"each pod has a status of its own", each_pod_has_a_status_of_its_own},
    ENGINE_TESTS,
    {"every error has a name", every_error_has_a_name},
    {"freeing no engine is nothing", freeing_no_engine_is_nothing},
    {"an acknowledgement of nothing is refused", an_acknowledgement_of_nothing_is_refused},
    {"a pod that is through wants the collection alone",
     a_pod_that_is_through_wants_the_collection_alone},
    {"a runtime that is back is called for each pod",
     a_runtime_that_is_back_is_called_for_each_pod},
    {"an update keeps the containers", an_update_keeps_the_containers},
    {0},
};
