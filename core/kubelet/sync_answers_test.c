/* What a runtime says that nobody waits for: late, twice, or to a kubelet that died meanwhile. */
#include "core/kubelet/sync_pod.h"
#include "core/kubelet/sync_state.h"
#include "fakes/unit_node.h"
#include "fakes/unit_run.h"

/* S-100: the sandbox that a dead kubelet requested is there, and the new one makes no second. */
static void a_sandbox_of_a_dead_kubelet_is_found(void)
{
    open_node("1.36", true);
    run_to(0);
    LOGGED("create");
    restart_kubelet(5 * S);
    run_to(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK); /* twice is once */
    node.holds = false;
    run_to(20 * S);
    LOGGED("create start");
    kp_engine_free(node.engine);
}

/* S-101, S-260: one that was stopped by a dead kubelet is made anew, and the pod with it. */
static void a_sandbox_that_a_dead_kubelet_stopped_is_made_anew(void)
{
    open_node("1.36", false);
    run_to(S);
    LOGGED("create start");
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 7)), KP_OK); /* none of that number */
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(30 * S);
    LOGGED("create start SandboxChanged kill stop create start");
    kp_engine_free(node.engine);
}

/* The same, but the new kubelet has looked at the runtime before. */
static void a_sandbox_that_stops_late_is_noticed(void)
{
    open_node("1.36", false);
    run_to(S);
    restart_kubelet(2 * S);
    run_to(10 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(30 * S);
    LOGGED("create start SandboxChanged kill stop create start");
    kp_engine_free(node.engine);
}

static struct kp_event ran(int container, const char *cid)
{
    return (struct kp_event){
        .kind = KP_EVENT_RUNNING, .container = container, .cid = kp_text_of(cid)};
}

/* A start that a dead kubelet requested is one start: the next one is the new kubelet's own. */
static void a_start_of_a_dead_kubelet_is_one(void)
{
    open_node("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    restart_kubelet(S);
    CHECK_INT(say(ran(0, "c1")), KP_OK);
    CHECK_INT(say(ran(0, "c9")), KP_OK); /* nobody's: it is not taken for one */
    run_to(3 * S);
    CHECK_INT(
        say((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 1}),
        KP_OK);
    run_to(6 * S);
    LOGGED("create start start");
    CHECK_INT(say(ran(0, "c2")), KP_OK);
    run_to(9 * S);
    CHECK_TEXT(kp_engine_status(node.engine, 0)->statuses[0].container_id, KP_TEXT("c2"));
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.kind, KP_STATE_RUNNING);
    kp_engine_free(node.engine);
}

/* The same, of the last of three containers. */
static void a_start_of_a_dead_kubelet_is_its_container_s(void)
{
    static const char *const names[] = {"web", "db", "log"};
    static struct kp_container three[3];

    lay_pod();
    for (int i = 0; i < 3; i++) {
        three[i] = web;
        three[i].name = kp_text_of(names[i]);
    }
    pod.containers = three;
    pod.regular_count = 3;
    open_laid("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    CHECK_INT(say(ran(0, "c1")), KP_OK);
    run_to(0);
    CHECK_INT(say(ran(1, "d1")), KP_OK);
    run_to(0);
    LOGGED("create start start start");
    restart_kubelet(S);
    CHECK_INT(say(ran(2, "e1")), KP_OK);
    run_to(5 * S);
    LOGGED("create start start start");
    CHECK_TEXT(kp_engine_status(node.engine, 0)->statuses[2].container_id, KP_TEXT("e1"));
    kp_engine_free(node.engine);
}

/* An answer to what nobody requested is refused. */
static void what_nobody_requested_is_refused(void)
{
    static struct kp_container two[2];

    lay_pod();
    two[0] = two[1] = web;
    two[1].name = KP_TEXT("db");
    pod.containers = two;
    pod.regular_count = 2;
    open_laid("1.36", true);
    run_to(0);
    CHECK_INT(say(ran(0, "c1")), KP_EINPUT); /* a sandbox is what it waits for */
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_EINPUT);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_EINPUT);
    run_to(0);
    CHECK_INT(say(ran(1, "d1")), KP_EINPUT); /* the first container is */
    CHECK_INT(say(ran(0, "c1")), KP_OK);
    CHECK_INT(say(ran(0, "c1")), KP_EINPUT);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_STARTFAIL, .cid = KP_TEXT("c1")}), KP_EINPUT);
    run_to(0);
    CHECK_INT(say(ran(1, "d1")), KP_OK);
    run_to(5 * S);
    CHECK_INT(say(ran(1, "d2")), KP_EINPUT); /* nothing is */
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_EINPUT);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_EINPUT);
    kp_engine_free(node.engine);
}

/* What a container leaves as its message stands in its status. */
static void an_end_has_a_message(void)
{
    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_EXITED,
                                    .cid = KP_TEXT("c1"),
                                    .u.exit_code = 1,
                                    .message = KP_TEXT("out of luck")}),
              KP_OK);
    run_to(3 * S);
    CHECK_TEXT(kp_engine_status(node.engine, 0)->statuses[0].state.message, KP_TEXT("out of luck"));
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.started_at_ns, 1704067200 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.finished_at_ns, 1704067201 * S);
    kp_engine_free(node.engine);
}

/* What failed for a dead kubelet changed nothing. */
static void what_failed_for_a_dead_kubelet_is_nothing(void)
{
    struct kp_event failed = of_sandbox(KP_SANDBOX_STOP, 0);

    failed.u.sandbox.failed = true;
    open_node("1.36", false);
    run_to(S);
    restart_kubelet(2 * S);
    CHECK_INT(say(failed), KP_OK);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1")}), KP_OK);
    run_to(30 * S);
    LOGGED("create start");
    kp_engine_free(node.engine);
}

/* The start of a container may be said to have been earlier than it is reported. */
static void a_container_runs_since_it_says(void)
{
    open_node("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    LOGGED("create start");
    CHECK_INT(
        say((struct kp_event){.kind = KP_EVENT_RUNNING,
                              .cid = KP_TEXT("c1"),
                              .u.running = {.has_started_at = true, .started_at_ns = -5 * S}}),
        KP_OK);
    run_to(10 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.started_at_ns,
              (1704067200 - 5) * S);
    kp_engine_free(node.engine);
}

/* Whole seconds go downwards, also before 1970 (P-040). */
static void a_start_before_1970_is_a_whole_second(void)
{
    struct kp_event ran = {.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")};

    open_node("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    ran.u.running.has_started_at = true;
    ran.u.running.started_at_ns = -1704067202 * S - 7 * S / 10;
    CHECK_INT(say(ran), KP_OK);
    run_to(10 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.started_at_ns, -3 * S);
    kp_engine_free(node.engine);
}

/* S-204: a sandbox that the runtime has lost is stopped. */
static void a_sandbox_that_is_lost_is_stopped(void)
{
    struct kp_event lost = of_sandbox(KP_SANDBOX_STOP, 0);

    lost.u.sandbox.failed = true;
    lost.message = KP_TEXT("rpc error: code = NotFound desc = gone");
    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    delete_pod();
    run_to(2 * S);
    CHECK_INT(
        say((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 143}),
        KP_OK);
    run_to(2 * S);
    CHECK_INT(say(lost), KP_OK);
    run_to(40 * S);
    LOGGED("create start kill stop");
    kp_engine_free(node.engine);
}

/* An end of which the kill's own answer comes second. */
static void a_kill_of_what_has_ended_is_complete(void)
{
    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
    run_to(2 * S);
    LOGGED("create start kill");
    CHECK_INT(
        say((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 143}),
        KP_OK);
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1"), .message = KP_TEXT("late")}),
              KP_OK);
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c9"), .message = KP_TEXT("whose")}),
              KP_EINPUT);
    run_to(3 * S);
    LOGGED("create start kill stop");
    kp_engine_free(node.engine);
}

/* S-204: what the runtime has lost counts as stopped. */
static void a_container_that_is_lost_is_killed(void)
{
    struct kp_event failed_stop = of_sandbox(KP_SANDBOX_STOP, 0);

    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
    run_to(2 * S);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_KILLFAIL,
                                    .cid = KP_TEXT("c1"),
                                    .message = KP_TEXT("rpc error: code = NotFound desc = x")}),
              KP_OK);
    run_to(3 * S);
    LOGGED("create start kill stop");
    failed_stop.u.sandbox.failed = true;
    CHECK_INT(say(failed_stop), KP_OK);
    run_to(5 * S);
    LOGGED("create start kill stop FailedKillPod stop"); /* no second kill: it is gone */
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(20 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.kind, KP_STATE_TERMINATED);
    kp_engine_free(node.engine);
}

/* S-203, S-222: two that cannot be killed are one error, as Go joins them. */
static void a_pod_whose_kill_fails_is_killed_again(void)
{
    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
    run_to(2 * S);
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1"), .message = KP_TEXT("no")}),
              KP_OK);
    run_to(2 * S);
    LOGGED("create start kill stop");
    {
        struct kp_event failed = of_sandbox(KP_SANDBOX_STOP, 0);

        failed.u.sandbox.failed = true;
        failed.message = KP_TEXT("neither");
        CHECK_INT(say(failed), KP_OK);
    }
    run_to(2 * S);
    LOGGED("create start kill stop FailedKillPod");
    node.holds = false;
    run_to(40 * S);
    LOGGED("create start kill stop FailedKillPod kill stop");
    kp_engine_free(node.engine);
}

/* A kill that fails ends the sync that would have made a new sandbox; the next one tries again. */
static void a_kill_that_fails_makes_no_new_sandbox(void)
{
    open_node("1.36", false);
    run_to(S);
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    node.holds = true;
    run_to(4 * S);
    LOGGED("create start SandboxChanged kill");
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1"), .message = KP_TEXT("no")}),
              KP_OK);
    run_to(4 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    node.holds = false;
    run_to(5 * S);
    LOGGED("create start SandboxChanged kill stop");
    run_to(40 * S);
    LOGGED("create start SandboxChanged kill stop SandboxChanged kill stop create start");
    kp_engine_free(node.engine);
}

/* Up to 1.21 the worker and the killer may request the same: a failure is that of the first. */
static void a_failure_is_that_of_who_called_first(void)
{
    const struct kp_event kill_failed = {
        .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1"), .message = KP_TEXT("no")};
    struct kp_event of_another = kill_failed;
    struct kp_event stop_failed = of_sandbox(KP_SANDBOX_STOP, 0);

    of_another.cid = KP_TEXT("c9");
    stop_failed.u.sandbox.failed = true;
    for (unsigned second = 0; second < 2; second++) {
        struct kp_sync *both[2];
        struct unit_run own;

        lay_pod();
        open_run(&own, "1.21", &pod);
        both[0] = own.run.sync;
        both[1] = own.run.kill_sync;
        for (unsigned i = 0; i < 2; i++) {
            both[i]->step = KP_SYNC_STOP_SANDBOXES;
            both[i]->waiting = true;
            both[i]->view.sandbox_count = 1;
            both[i]->sandbox_request = 1 + (i ^ second);
            both[i]->containers[0].kill = (struct kp_kill){
                .state = KP_KILL_STOPPING, .cid = kill_failed.cid, .request = 1 + (i ^ second)};
        }
        CHECK_INT(kp_sync_take_event(&own.run, &of_another), KP_EINPUT);
        CHECK_INT(kp_sync_take_event(&own.run, &kill_failed), KP_OK);
        CHECK_INT(both[second]->containers[0].kill.state, KP_KILL_FAILED);
        CHECK_INT(both[!second]->containers[0].kill.state, KP_KILL_STOPPING);
        CHECK_INT(kp_sync_take_event(&own.run, &stop_failed), KP_OK);
        CHECK(both[second]->sandbox_failed);
        CHECK(!both[!second]->sandbox_answered);
        close_run(&own);
    }
}

/* S-004: what the API server has begun to delete an older object of the pod does not bring back. */
static void an_update_does_not_take_a_deletion_back(void)
{
    struct kp_pod older;

    open_node("1.36", false);
    run_to(S);
    older = pod;
    older.grace_s = 20;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = &older}), KP_OK);
    run_to(30 * S);
    LOGGED("create start kill stop");
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 1}), KP_OK);
    restart_kubelet(S);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_ANSWER, .u.answer = {.n = 1}}), KP_OK);
    run_to(60 * S);
    LOGGED("create start kill stop");
    kp_engine_free(node.engine);
}

/* S-018: the relist that a sync requests finds no runtime, and the next one that does sees. */
static void a_relist_on_demand_needs_the_runtime(void)
{
    open_node("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_RUNTIME_DOWN}), KP_OK);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_RUNNING, .cid = KP_TEXT("c1")}), KP_OK);
    run_to(5 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.kind, KP_STATE_WAITING);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_RUNTIME_UP}), KP_OK);
    run_to(20 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->statuses[0].state.kind, KP_STATE_RUNNING);
    kp_engine_free(node.engine);
}

/* S-027: of a pod that was being deleted before this kubelet saw it nothing is begun. */
static void a_pod_that_comes_deleted_is_not_begun(void)
{
    static const char *const versions[] = {"1.21", "1.36"};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        uint32_t handle;

        open_node(versions[i], true);
        pod.uid = KP_TEXT("v");
        pod.has_deletion = pod.has_deletion_grace = true;
        pod.deletion_grace_s = 30;
        CHECK_INT(kp_engine_add_pod(node.engine, &pod, &handle), KP_OK);
        run_to(10 * S);
        LOGGED("create"); /* the other pod's */
        kp_engine_free(node.engine);
    }
}

static const struct kp_exec_action command = {.command = {.count = 0}};

static struct kp_event answer_of(uint32_t n, enum kp_answer result)
{
    return (struct kp_event){.kind = KP_EVENT_ANSWER, .u.answer = {.n = n, .result = result}};
}

/* Nobody waits for it: it is not reported, and the new kubelet calls it by itself. */
static void an_answer_to_a_dead_kubelet_is_nothing(void)
{
    static const struct kp_probe probe = {.handler = {.exec = &command},
                                          .period_s = 1,
                                          .timeout_s = 1,
                                          .success_threshold = 1,
                                          .failure_threshold = 1};
    int events;

    lay_pod();
    web.probes[KP_LIVENESS] = &probe;
    open_laid("1.36", false);
    node.probe_n = UINT32_MAX;
    run_to(3 * S);
    CHECK(node.probe_n != UINT32_MAX);
    restart_kubelet(20 * S);
    events = node.events;
    CHECK_INT(say(answer_of(node.probe_n, KP_ANSWER_FAILURE)), KP_OK);
    run_to(19 * S);
    CHECK_INT(node.events, events);
    LOGGED("create start");
    kp_engine_free(node.engine);
}

/* The container that it was to end runs on, as nobody stops it. */
static void a_hook_of_a_dead_kubelet_stops_nothing(void)
{
    static const struct kp_handler hook = {.exec = &command};
    uint32_t n;

    lay_pod();
    web.pre_stop = &hook;
    open_laid("1.36", false);
    run_to(S);
    delete_pod();
    run_to(2 * S);
    n = node.hook_n;
    CHECK(n > 0);
    restart_kubelet(S);
    run_to(4 * S);
    CHECK(node.hook_n != n); /* the new one begins anew */
    LOGGED("create start");
    CHECK_INT(say(answer_of(n, KP_ANSWER_SUCCESS)), KP_OK);
    run_to(6 * S);
    LOGGED("create start");
    CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_SUCCESS)), KP_OK);
    run_to(7 * S);
    LOGGED("create start kill stop");
    kp_engine_free(node.engine);
}

/* A preStop that its grace, its pod and its kubelet did not outlive: nobody records it. */
static void a_late_hook_of_a_dead_kubelet_is_not_reported(void)
{
    static const struct kp_handler hook = {.exec = &command};
    int events;

    for (int dies = 0; dies < 2; dies++) {
        lay_pod();
        web.pre_stop = &hook;
        open_laid("1.36", false);
        run_to(S);
        delete_pod();
        run_to(60 * S);
        if (dies)
            restart_kubelet(S);
        run_to(70 * S);
        events = node.events;
        CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_FAILURE)), KP_OK);
        run_to(71 * S);
        CHECK_INT(node.events, events + 1 - dies);
        kp_engine_free(node.engine);
    }
}

/* However many words its command has. */
static void a_hook_that_fails_is_reported_whole(void)
{
    static char long_word[3000];
    static const struct kp_text words[] = {{"say", 3}, {long_word, sizeof long_word}};
    static const struct kp_exec_action says = {.command = {.items = words, .count = 2}};
    static const struct kp_handler hook = {.exec = &says};
    struct kp_text message;

    memset(long_word, 'b', sizeof long_word);
    lay_pod();
    web.post_start = &hook;
    open_laid("1.32", false);
    run_to(0);
    CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_FAILURE)), KP_OK);
    run_to(S);
    message = kp_engine_status(node.engine, 0)->statuses[0].state.message;
    CHECK(message.len > 2 * sizeof long_word);
    CHECK_TEXT(kp_text_of(message.bytes + message.len - 17), KP_TEXT(" 1: , message: \"\""));
    kp_engine_free(node.engine);
}

/* There is no room for more ephemeral containers than are ever added by one. */
static void an_update_brings_no_crowd(void)
{
    static struct kp_container crowd[100];
    struct kp_pod more;

    open_node("1.36", false);
    run_to(S);
    crowd[0] = web;
    for (int i = 1; i < 100; i++)
        crowd[i] = (struct kp_container){.name = KP_TEXT("debug"), .kind = KP_EPHEMERAL};
    more = pod;
    more.containers = crowd;
    more.ephemeral_count = 99;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = &more}), KP_EINPUT);
    run_to(3 * S);
    LOGGED("create start");
    kp_engine_free(node.engine);
}

const struct unit_test sync_answers_test[] = {
    {"a failure is that of who called first", a_failure_is_that_of_who_called_first},
    {"a sandbox that is lost is stopped", a_sandbox_that_is_lost_is_stopped},
    {"an update brings no crowd", an_update_brings_no_crowd},
    {"a hook that fails is reported whole", a_hook_that_fails_is_reported_whole},
    {"an answer to a dead kubelet is nothing", an_answer_to_a_dead_kubelet_is_nothing},
    {"a hook of a dead kubelet stops nothing", a_hook_of_a_dead_kubelet_stops_nothing},
    {"a late hook of a dead kubelet is not reported",
     a_late_hook_of_a_dead_kubelet_is_not_reported},
    {"a sandbox that stops late is noticed", a_sandbox_that_stops_late_is_noticed},
    {"a start of a dead kubelet is one", a_start_of_a_dead_kubelet_is_one},
    {"a start of a dead kubelet is its container's", a_start_of_a_dead_kubelet_is_its_container_s},
    {"what nobody requested is refused", what_nobody_requested_is_refused},
    {"an end has a message", an_end_has_a_message},
    {"a start before 1970 is a whole second", a_start_before_1970_is_a_whole_second},
    {"a sandbox of a dead kubelet is found", a_sandbox_of_a_dead_kubelet_is_found},
    {"a sandbox that a dead kubelet stopped is made anew",
     a_sandbox_that_a_dead_kubelet_stopped_is_made_anew},
    {"what failed for a dead kubelet is nothing", what_failed_for_a_dead_kubelet_is_nothing},
    {"a container runs since it says", a_container_runs_since_it_says},
    {"a kill of what has ended is complete", a_kill_of_what_has_ended_is_complete},
    {"a container that is lost is killed", a_container_that_is_lost_is_killed},
    {"a pod whose kill fails is killed again", a_pod_whose_kill_fails_is_killed_again},
    {"a kill that fails makes no new sandbox", a_kill_that_fails_makes_no_new_sandbox},
    {"an update does not take a deletion back", an_update_does_not_take_a_deletion_back},
    {"a relist on demand needs the runtime", a_relist_on_demand_needs_the_runtime},
    {"a pod that comes deleted is not begun", a_pod_that_comes_deleted_is_not_begun},
    {0},
};
