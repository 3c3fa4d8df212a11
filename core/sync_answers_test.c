#include "core/engine.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define S KP_NS_PER_S

/*
 * What a runtime says that nobody waits for: late, twice, or to a kubelet that died meanwhile.  The
 * runtime here answers at once, unless it is told to hold back; `told` is what it was asked, one
 * word each: create and stop (a sandbox), start, kill, and the reasons of the pod's own events.
 */
static struct {
    struct kp_engine *engine;
    struct kp_event due[32];
    size_t due_count;
    bool holds; /* answers nothing by itself */
    char told[2048];
    enum kp_rule rule; /* of the last kill */
    uint32_t hook_n;   /* of the last hook */
    int events;
    int instances;
    char cids[64][16];
} node;

static const char *new_cid(void)
{
    snprintf(node.cids[node.instances], sizeof node.cids[0], "c%d", node.instances + 1);
    return node.cids[node.instances++];
}

static void tell(const char *word)
{
    size_t len = strlen(node.told);

    snprintf(node.told + len, sizeof node.told - len, "%s%s", len > 0 ? " " : "", word);
}

static void plan(struct kp_event event)
{
    if (!node.holds)
        node.due[node.due_count++] = event;
}

static struct kp_event of_sandbox(enum kp_sandbox_do what, uint32_t attempt)
{
    return (struct kp_event){
        .kind = KP_EVENT_SANDBOX, .container = -1, .u.sandbox = {.what = what, .attempt = attempt}};
}

static void see(void *ctx, const struct kp_effect *effect)
{
    char reason[64];

    (void)ctx;
    switch (effect->kind) {
    case KP_EFFECT_SANDBOX:
        tell(effect->u.sandbox.what == KP_SANDBOX_CREATE ? "create" : "stop");
        plan(of_sandbox(effect->u.sandbox.what, effect->u.sandbox.attempt));
        break;
    case KP_EFFECT_START:
        tell("start");
        plan((struct kp_event){.kind = KP_EVENT_RUNNING,
                               .container = effect->container,
                               .cid = kp_text_of(node.holds ? "" : new_cid()),
                               .u.running.restarts = effect->u.restart});
        break;
    case KP_EFFECT_KILL:
        tell("kill");
        node.rule = effect->rule;
        plan((struct kp_event){.kind = KP_EVENT_EXITED,
                               .container = effect->container,
                               .cid = effect->cid,
                               .u.exit_code = 143});
        break;
    case KP_EFFECT_HOOK:
        node.hook_n = effect->u.hook.n;
        break;
    case KP_EFFECT_EVENT:
        node.events++;
        snprintf(reason, sizeof reason, "%.*s", (int)effect->u.event.reason.len,
                 effect->u.event.reason.bytes);
        if (effect->container < 0)
            tell(reason);
        break;
    default:
        break;
    }
}

static enum kp_err say(struct kp_event event)
{
    return kp_engine_event(node.engine, &event);
}

static void run_to(int64_t to_ns)
{
    int64_t at_ns;
    size_t given;

    do {
        at_ns = kp_engine_run(node.engine, to_ns);
        given = node.due_count;
        for (size_t i = 0; i < given; i++)
            CHECK_INT(say(node.due[i]), KP_OK);
        memmove(node.due, node.due + given, (node.due_count - given) * sizeof node.due[0]);
        node.due_count -= given;
    } while (at_ns < to_ns || given > 0);
}

static struct kp_mem mem;
static struct kp_profile profile;
static struct kp_container web;
static struct kp_pod pod;

static void lay_pod(void)
{
    web = (struct kp_container){.name = KP_TEXT("web"), .kind = KP_REGULAR};
    pod = (struct kp_pod){.uid = KP_TEXT("u"),
                          .restart_policy = KP_TEXT("Always"),
                          .has_grace = true,
                          .grace_s = 30,
                          .containers = &web,
                          .regular_count = 1};
}

/* With the pod as it was laid. */
static void open_laid(const char *k8s, bool holds)
{
    struct kp_engine_config config = {.layer = KP_LAYER_POD,
                                      .profile = &profile,
                                      .uptime_ns = 3600 * S + S / 2,
                                      .wall_ns = 1704067200 * S,
                                      .sync_frequency_ns = 60 * S,
                                      .sink = {see, NULL}};
    uint32_t handle;

    memset(&node, 0, sizeof node);
    node.holds = holds;
    mem = fake_alloc_plain();
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(kp_engine_new(&mem, &config, &node.engine), KP_OK);
    CHECK_INT(kp_engine_add_pod(node.engine, &pod, &handle), KP_OK);
}

static void open_node(const char *k8s, bool holds)
{
    lay_pod();
    open_laid(k8s, holds);
}

#define TOLD(want) CHECK_TEXT(kp_text_of(node.told), KP_TEXT(want))

static void restart_kubelet(int64_t down_ns)
{
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = down_ns}),
              KP_OK);
}

/* S-100: the sandbox that a dead kubelet asked for is there, and the new one makes no second. */
static void a_sandbox_of_a_dead_kubelet_is_found(void)
{
    open_node("1.36", true);
    run_to(0);
    TOLD("create");
    restart_kubelet(5 * S);
    run_to(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK); /* twice is once */
    node.holds = false;
    run_to(20 * S);
    TOLD("create start");
    kp_engine_free(node.engine);
}

/* S-101, S-260: one that was stopped by a dead kubelet is made anew, and the pod with it. */
static void a_sandbox_that_a_dead_kubelet_stopped_is_made_anew(void)
{
    open_node("1.36", false);
    run_to(S);
    TOLD("create start");
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 7)), KP_OK); /* none of that number */
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(30 * S);
    TOLD("create start SandboxChanged kill stop create start");
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
    TOLD("create start");
    kp_engine_free(node.engine);
}

/* The start of a container may be said to have been earlier than it is told. */
static void a_container_runs_since_it_says(void)
{
    open_node("1.36", true);
    run_to(0);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_CREATE, 0)), KP_OK);
    run_to(0);
    TOLD("create start");
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

/* An end of which the kill's own answer comes second. */
static void a_kill_of_what_has_ended_is_complete(void)
{
    open_node("1.36", false);
    run_to(S);
    node.holds = true;
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
    run_to(2 * S);
    TOLD("create start kill");
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
    TOLD("create start kill stop");
    kp_engine_free(node.engine);
}

/* S-204: what the runtime has lost counts as stopped. */
static void a_container_that_is_lost_is_killed(void)
{
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
    TOLD("create start kill stop");
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
    TOLD("create start kill stop");
    {
        struct kp_event failed = of_sandbox(KP_SANDBOX_STOP, 0);

        failed.u.sandbox.failed = true;
        failed.message = KP_TEXT("neither");
        CHECK_INT(say(failed), KP_OK);
    }
    run_to(2 * S);
    TOLD("create start kill stop FailedKillPod");
    node.holds = false;
    run_to(40 * S);
    TOLD("create start kill stop FailedKillPod kill stop");
    kp_engine_free(node.engine);
}

/* S-101 with init containers: the second run of them replaces the first, and what a container that
 * is gone had come to is told as done. */
static void a_new_sandbox_begins_with_init_containers(void)
{
    static struct kp_container both[2];

    open_node("1.34", true);
    both[0] = (struct kp_container){.name = KP_TEXT("first"), .kind = KP_INIT};
    both[1] = web;
    pod.uid = KP_TEXT("v");
    pod.containers = both;
    pod.init_count = 1;
    {
        uint32_t handle;
        struct kp_event ran = {.kind = KP_EVENT_RUNNING, .pod = 1, .cid = KP_TEXT("i1")};
        struct kp_event ended = {.kind = KP_EVENT_EXITED, .pod = 1, .cid = KP_TEXT("i1")};
        struct kp_event created = of_sandbox(KP_SANDBOX_CREATE, 0);
        struct kp_event stopped = of_sandbox(KP_SANDBOX_STOP, 0);

        created.pod = stopped.pod = 1;
        CHECK_INT(kp_engine_add_pod(node.engine, &pod, &handle), KP_OK);
        run_to(0);
        CHECK_INT(say(created), KP_OK);
        run_to(0);
        CHECK_INT(say(ran), KP_OK);
        run_to(2 * S);
        CHECK_INT(say(ended), KP_OK);
        run_to(4 * S);
        ran.container = 1;
        ran.cid = KP_TEXT("w1");
        CHECK_INT(say(ran), KP_OK);
        run_to(6 * S);
        node.told[0] = '\0';
        restart_kubelet(2 * S);
        CHECK_INT(say(stopped), KP_OK);
        run_to(9 * S);
        TOLD("create SandboxChanged kill"); /* the other pod's sandbox is asked for again */
        ended.container = 1;
        ended.cid = KP_TEXT("w1");
        CHECK_INT(say(ended), KP_OK);
        run_to(9 * S);
        CHECK_INT(say(stopped), KP_OK);
        run_to(9 * S);
        TOLD("create SandboxChanged kill stop create");
        created.u.sandbox.attempt = 1;
        CHECK_INT(say(created), KP_OK);
        run_to(20 * S);
        TOLD("create SandboxChanged kill stop create start");
        CHECK_TEXT(kp_engine_status(node.engine, 1)->statuses[0].name, KP_TEXT("first"));
        ran.container = 0;
        ran.cid = KP_TEXT("i2");
        CHECK_INT(say(ran), KP_OK);
        run_to(22 * S);
        CHECK_INT(kp_engine_status(node.engine, 1)->statuses[0].state.kind, KP_STATE_RUNNING);
        /* purgeInitContainers has left nothing of the first run */
        CHECK_INT(kp_engine_status(node.engine, 1)->statuses[0].last_state.kind, KP_STATE_NONE);
    }
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
    TOLD("create start SandboxChanged kill");
    CHECK_INT(say((struct kp_event){
                  .kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1"), .message = KP_TEXT("no")}),
              KP_OK);
    run_to(4 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    node.holds = false;
    run_to(5 * S);
    TOLD("create start SandboxChanged kill stop");
    run_to(40 * S);
    TOLD("create start SandboxChanged kill stop SandboxChanged kill stop create start");
    kp_engine_free(node.engine);
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
    TOLD("create start kill stop");
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 1}), KP_OK);
    restart_kubelet(S);
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_ANSWER, .u.answer = {.n = 1}}), KP_OK);
    run_to(60 * S);
    TOLD("create start kill stop");
    kp_engine_free(node.engine);
}

/* S-018: the relist that a sync asks for finds no runtime, and the next one that does sees. */
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
    uint32_t handle;

    open_node("1.36", true);
    pod.uid = KP_TEXT("v");
    pod.has_deletion = pod.has_deletion_grace = true;
    pod.deletion_grace_s = 30;
    CHECK_INT(kp_engine_add_pod(node.engine, &pod, &handle), KP_OK);
    run_to(10 * S);
    TOLD("create"); /* the other pod's */
    kp_engine_free(node.engine);
}

static void delete_pod(void)
{
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
}

/* S-220; up to 1.20 there is no probe's grace that such a kill could leave alone. */
static void the_kill_of_a_pod_says_by_which_rule(void)
{
    open_node("1.36", false);
    run_to(S);
    delete_pod();
    run_to(2 * S);
    CHECK_INT(node.rule, KP_S220);
    kp_engine_free(node.engine);
    open_node("1.20", false);
    run_to(S);
    delete_pod();
    run_to(5 * S);
    CHECK_INT(node.rule, KP_S209);
    kp_engine_free(node.engine);
}

static const struct kp_text words[] = {{"hi", 2}};
static const struct kp_exec_action greeting = {.command = {.items = words, .count = 1}};
static const struct kp_handler greets = {.exec = &greeting};

static void open_greeting(void)
{
    lay_pod();
    web.post_start = &greets;
    open_laid("1.36", false);
    run_to(0);
}

static struct kp_event answer_of(uint32_t n, enum kp_answer result)
{
    return (struct kp_event){.kind = KP_EVENT_ANSWER, .u.answer = {.n = n, .result = result}};
}

static void the_kill_after_a_post_start_says_by_which_rule(void)
{
    open_greeting();
    CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_FAILURE)), KP_OK);
    run_to(0);
    CHECK_INT(node.rule, KP_S213);
    kp_engine_free(node.engine);
}

/* 0 stands for no hook: who answers that answers nobody. */
static void an_answer_without_a_number_is_nobodys(void)
{
    int before;

    open_greeting();
    before = node.events;
    CHECK_INT(say(answer_of(0, KP_ANSWER_FAILURE)), KP_OK);
    run_to(2 * S);
    CHECK_INT(node.events, before);
    kp_engine_free(node.engine);
}

static struct kp_container many[7];
static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

static void lay_many(size_t count)
{
    lay_pod();
    for (size_t i = 0; i < count; i++)
        many[i] = (struct kp_container){.name = kp_text_of(names[i]), .kind = KP_REGULAR};
    pod.containers = many;
    pod.regular_count = count;
}

static void the_kill_of_a_restart_of_all_says_by_which_rule(void)
{
    static const int32_t code = 42;
    static const struct kp_restart_rule all = {.action = {"RestartAllContainers", 20},
                                               .has_exit_codes = true,
                                               .op = {"In", 2},
                                               .values = &code,
                                               .value_count = 1};

    lay_many(2);
    many[0].restart_policy = KP_TEXT("Never");
    many[0].restart_rules = &all;
    many[0].restart_rule_count = 1;
    open_laid("1.36", false);
    run_to(S);
    CHECK_INT(
        say((struct kp_event){.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1"), .u.exit_code = 42}),
        KP_OK);
    run_to(3 * S);
    CHECK_INT(node.rule, KP_S224);
    kp_engine_free(node.engine);
}

/* A message has room for five failures and no part of a sixth. */
static void of_many_failures_five_are_told(void)
{
    struct kp_event failed = {.kind = KP_EVENT_KILLFAIL, .message = KP_TEXT("no")};

    lay_many(7);
    open_laid("1.36", false);
    run_to(S);
    node.told[0] = '\0';
    node.holds = true;
    delete_pod();
    run_to(2 * S);
    for (; failed.container < 7; failed.container++) {
        failed.cid = kp_text_of(node.cids[failed.container]);
        CHECK_INT(say(failed), KP_OK);
    }
    run_to(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(2 * S);
    TOLD("kill kill kill kill kill kill kill stop FailedKillPod");
    kp_engine_free(node.engine);
}

const struct unit_test sync_answers_test[] = {
    {"the kill of a pod says by which rule", the_kill_of_a_pod_says_by_which_rule},
    {"the kill after a postStart says by which rule",
     the_kill_after_a_post_start_says_by_which_rule},
    {"the kill of a restart of all says by which rule",
     the_kill_of_a_restart_of_all_says_by_which_rule},
    {"an answer without a number is nobody's", an_answer_without_a_number_is_nobodys},
    {"of many failures five are told", of_many_failures_five_are_told},
    {"a sandbox of a dead kubelet is found", a_sandbox_of_a_dead_kubelet_is_found},
    {"a sandbox that a dead kubelet stopped is made anew",
     a_sandbox_that_a_dead_kubelet_stopped_is_made_anew},
    {"what failed for a dead kubelet is nothing", what_failed_for_a_dead_kubelet_is_nothing},
    {"a container runs since it says", a_container_runs_since_it_says},
    {"a kill of what has ended is complete", a_kill_of_what_has_ended_is_complete},
    {"a container that is lost is killed", a_container_that_is_lost_is_killed},
    {"a pod whose kill fails is killed again", a_pod_whose_kill_fails_is_killed_again},
    {"a new sandbox begins with init containers", a_new_sandbox_begins_with_init_containers},
    {"a kill that fails makes no new sandbox", a_kill_that_fails_makes_no_new_sandbox},
    {"an update does not take a deletion back", an_update_does_not_take_a_deletion_back},
    {"a relist on demand needs the runtime", a_relist_on_demand_needs_the_runtime},
    {"a pod that comes deleted is not begun", a_pod_that_comes_deleted_is_not_begun},
    {0},
};
