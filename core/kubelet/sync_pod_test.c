#include "core/kubelet/sync_pod.h"

#include "fakes/unit_node.h"

static const struct kp_text words[] = {{"hi", 2}};
static const struct kp_exec_action greeting = {.command = {.items = words, .count = 1}};
static const struct kp_handler greets = {.exec = &greeting};

static struct kp_event answer_of(uint32_t n, enum kp_answer result)
{
    return (struct kp_event){.kind = KP_EVENT_ANSWER, .u.answer = {.n = n, .result = result}};
}

static struct kp_container both[2];

static struct kp_event ran_of(int container, const char *cid)
{
    return (struct kp_event){
        .kind = KP_EVENT_RUNNING, .container = container, .cid = kp_text_of(cid)};
}

static struct kp_event ended_of(int container, const char *cid)
{
    return (struct kp_event){
        .kind = KP_EVENT_EXITED, .container = container, .cid = kp_text_of(cid)};
}

static void say_at(int64_t at_s, struct kp_event event)
{
    run_to(at_s * S);
    CHECK_INT(say(event), KP_OK);
}

static void lay_both(void)
{
    lay_pod();
    both[0] = (struct kp_container){.name = KP_TEXT("first"), .kind = KP_INIT};
    both[1] = web;
    pod.containers = both;
    pod.init_count = 1;
}

/* The first init container has run, and the second container; then the sandbox is lost, and a new
 * one made, in which the init container is to be started again (S-101). */
static void lose_the_sandbox(const char *k8s)
{
    char text[64];
    struct kp_buf said = {.bytes = text, .cap = sizeof text};
    struct kp_event created = of_sandbox(KP_SANDBOX_CREATE, 0);

    lay_both();
    open_laid(k8s, true);
    say_at(0, created);
    say_at(0, ran_of(0, "i1"));
    say_at(2, ended_of(0, "i1"));
    say_at(4, ran_of(1, "w1"));
    run_to(6 * S);
    node.told[0] = '\0';
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(9 * S);
    TOLD("SandboxChanged kill");
    kp_message_put(&said, &node.message);
    CHECK_TEXT(kp_buf_text(&said),
               KP_TEXT("Pod sandbox changed, it will be killed and re-created."));
    say_at(9, ended_of(1, "w1"));
    say_at(9, of_sandbox(KP_SANDBOX_STOP, 0));
    run_to(9 * S);
    TOLD("SandboxChanged kill stop create");
    created.u.sandbox.attempt = 1;
    say_at(9, created);
    run_to(20 * S);
    TOLD("SandboxChanged kill stop create start");
}

static const struct kp_container_status *status_of(size_t container)
{
    return &kp_engine_status(node.engine, 0)->statuses[container];
}

/* purgeInitContainers leaves nothing of the first run of an init container, but from 1.35 its
 * status remembers. */
static void a_new_sandbox_begins_with_init_containers(void)
{
    lose_the_sandbox("1.34");
    say_at(20, ran_of(0, "i2"));
    run_to(22 * S);
    CHECK_INT(status_of(0)->state.kind, KP_STATE_RUNNING);
    CHECK_INT(status_of(0)->last_state.kind, KP_STATE_NONE);
    kp_engine_free(node.engine);
    lose_the_sandbox("1.36");
    say_at(20, ran_of(0, "i2"));
    run_to(22 * S);
    CHECK_INT(status_of(0)->state.kind, KP_STATE_RUNNING);
    CHECK_INT(status_of(0)->last_state.kind, KP_STATE_TERMINATED);
    CHECK_TEXT(status_of(0)->last_state.container_id, KP_TEXT("i1"));
    CHECK_INT(status_of(0)->restart_count, 1);
    kp_engine_free(node.engine);
}

/* S-319: an init container that is gone, behind which others were made, is told as done, from 1.28.
 */
static void a_lost_init_container_is_told_as_done(void)
{
    struct kp_event failed = {.kind = KP_EVENT_STARTFAIL,
                              .reason = KP_TEXT("CreateContainerError")};

    lose_the_sandbox("1.34");
    say_at(20, failed);
    say_at(22, failed);
    run_to(40 * S); /* it has been said that it waits, and the next sync looks again */
    CHECK_INT(status_of(0)->state.kind, KP_STATE_TERMINATED);
    CHECK_TEXT(status_of(0)->state.reason, KP_TEXT("Completed"));
    CHECK(status_of(0)->state.message.len > 0);
    kp_engine_free(node.engine);
    lose_the_sandbox("1.27");
    say_at(20, failed);
    say_at(22, failed);
    run_to(40 * S); /* it has been said that it waits, and the next sync looks again */
    CHECK_TEXT(status_of(0)->state.reason, KP_TEXT("CreateContainerError"));
    kp_engine_free(node.engine);
}

/* S-310: while a sidecar starts up again only a container of the sandbox that there is shows that
 * the pod was initialized. */
static void a_dead_sandbox_initializes_no_pod(void)
{
    static struct kp_probe startup = {.period_s = 1, .failure_threshold = 100};

    startup.handler.exec = &greeting;
    startup.success_threshold = 1;
    lay_both();
    both[0].restart_policy = KP_TEXT("Always");
    both[0].probes[KP_STARTUP] = &startup;
    open_laid("1.34", true);
    say_at(0, of_sandbox(KP_SANDBOX_CREATE, 0));
    say_at(0, ran_of(0, "s1"));
    run_to(3 * S);
    CHECK_INT(say(answer_of(node.probe_n, KP_ANSWER_SUCCESS)), KP_OK);
    say_at(5, ran_of(1, "w1"));
    run_to(8 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->phase, KP_RUNNING);
    restart_kubelet(S);
    run_to(12 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->phase, KP_RUNNING);
    restart_kubelet(S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(16 * S);
    CHECK_INT(kp_engine_status(node.engine, 0)->phase, KP_PENDING);
    kp_engine_free(node.engine);
}

/* S-220; up to 1.20 there is no probe's grace that such a kill could leave alone. */
static void the_kill_of_a_pod_says_by_which_rule(void)
{
    open_node("1.36", false);
    run_to(S);
    delete_pod();
    run_to(2 * S);
    CHECK_INT(node.rule, KP_RULE_KILL_POD_GRACE);
    kp_engine_free(node.engine);
    open_node("1.20", false);
    run_to(S);
    delete_pod();
    run_to(5 * S);
    CHECK_INT(node.rule, KP_RULE_KILL_GRACE);
    kp_engine_free(node.engine);
}

static void open_greeting(void)
{
    lay_pod();
    web.post_start = &greets;
    open_laid("1.36", false);
    run_to(0);
}

static void the_kill_after_a_post_start_says_by_which_rule(void)
{
    open_greeting();
    CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_FAILURE)), KP_OK);
    run_to(0);
    CHECK_INT(node.rule, KP_RULE_KILLING_EVENT_FIRST);
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
    CHECK_INT(node.rule, KP_RULE_RESTART_ALL_CONTAINERS);
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

const struct unit_test sync_pod_test[] = {
    {"the kill of a pod says by which rule", the_kill_of_a_pod_says_by_which_rule},
    {"the kill after a postStart says by which rule",
     the_kill_after_a_post_start_says_by_which_rule},
    {"the kill of a restart of all says by which rule",
     the_kill_of_a_restart_of_all_says_by_which_rule},
    {"an answer without a number is nobody's", an_answer_without_a_number_is_nobodys},
    {"of many failures five are told", of_many_failures_five_are_told},
    {"a new sandbox begins with init containers", a_new_sandbox_begins_with_init_containers},
    {"a lost init container is told as done", a_lost_init_container_is_told_as_done},
    {"a dead sandbox initializes no pod", a_dead_sandbox_initializes_no_pod},
    {0},
};
