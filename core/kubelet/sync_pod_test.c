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

static void happen_at(int64_t at_s, struct kp_event event)
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
    happen_at(0, created);
    happen_at(0, ran_of(0, "i1"));
    happen_at(2, ended_of(0, "i1"));
    happen_at(4, ran_of(1, "w1"));
    run_to(6 * S);
    node.log[0] = '\0';
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(9 * S);
    LOGGED("SandboxChanged kill");
    kp_message_put(&said, &node.message);
    CHECK_TEXT(kp_buf_text(&said),
               KP_TEXT("Pod sandbox changed, it will be killed and re-created."));
    happen_at(9, ended_of(1, "w1"));
    happen_at(9, of_sandbox(KP_SANDBOX_STOP, 0));
    run_to(9 * S);
    LOGGED("SandboxChanged kill stop create");
    created.u.sandbox.attempt = 1;
    happen_at(9, created);
    run_to(20 * S);
    LOGGED("SandboxChanged kill stop create start");
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
    happen_at(20, ran_of(0, "i2"));
    run_to(22 * S);
    CHECK_INT(status_of(0)->state.kind, KP_STATE_RUNNING);
    CHECK_INT(status_of(0)->last_state.kind, KP_STATE_NONE);
    kp_engine_free(node.engine);
    lose_the_sandbox("1.36");
    happen_at(20, ran_of(0, "i2"));
    run_to(22 * S);
    CHECK_INT(status_of(0)->state.kind, KP_STATE_RUNNING);
    CHECK_INT(status_of(0)->last_state.kind, KP_STATE_TERMINATED);
    CHECK_TEXT(status_of(0)->last_state.container_id, KP_TEXT("i1"));
    CHECK_INT(status_of(0)->restart_count, 1);
    kp_engine_free(node.engine);
}

/* S-319: an init container that is gone, behind which others were made, is shown as done,
 * from 1.28. */
static void a_lost_init_container_is_reported_as_done(void)
{
    struct kp_event failed = {.kind = KP_EVENT_STARTFAIL,
                              .reason = KP_TEXT("CreateContainerError")};

    lose_the_sandbox("1.34");
    happen_at(20, failed);
    happen_at(22, failed);
    run_to(40 * S); /* it has been said that it waits, and the next sync looks again */
    CHECK_INT(status_of(0)->state.kind, KP_STATE_TERMINATED);
    CHECK_TEXT(status_of(0)->state.reason, KP_TEXT("Completed"));
    CHECK(status_of(0)->state.message.len > 0);
    kp_engine_free(node.engine);
    lose_the_sandbox("1.27");
    happen_at(20, failed);
    happen_at(22, failed);
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
    happen_at(0, of_sandbox(KP_SANDBOX_CREATE, 0));
    happen_at(0, ran_of(0, "s1"));
    run_to(3 * S);
    CHECK_INT(say(answer_of(node.probe_n, KP_ANSWER_SUCCESS)), KP_OK);
    happen_at(5, ran_of(1, "w1"));
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
    open_node("1.21", false);
    run_to(S);
    delete_pod();
    run_to(5 * S);
    CHECK_INT(node.rule, KP_RULE_KILL_POD_GRACE);
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
static void of_many_failures_five_are_reported(void)
{
    struct kp_event failed = {.kind = KP_EVENT_KILLFAIL, .message = KP_TEXT("no")};

    lay_many(7);
    open_laid("1.36", false);
    run_to(S);
    node.log[0] = '\0';
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
    LOGGED("kill kill kill kill kill kill kill stop FailedKillPod");
    kp_engine_free(node.engine);
}

/* S-221: several failures are an aggregate, whichever they are of. */
static void several_failures_stand_in_brackets(void)
{
    static const char *const wants[] = {
        "error killing pod: [failed to \"KillContainer\" for \"a\" with KillContainerError: "
        "\"no\", failed to \"KillContainer\" for \"c\" with KillContainerError: \"no\"]",
        "error killing pod: [failed to \"KillContainer\" for \"a\" with KillContainerError: "
        "\"no\", failed to \"KillPodSandbox\" for \"u\" with KillPodSandboxError: \"x\"]"};

    for (int sandbox = 0; sandbox < 2; sandbox++) {
        struct kp_event stopped = of_sandbox(KP_SANDBOX_STOP, 0);

        lay_many(3);
        open_laid("1.36", false);
        run_to(S);
        node.holds = true;
        delete_pod();
        run_to(2 * S);
        for (int i = 0; i < 3; i++)
            CHECK_INT(
                say((struct kp_event){.kind = i == 0 || (i == 2 && !sandbox) ? KP_EVENT_KILLFAIL
                                                                             : KP_EVENT_EXITED,
                                      .container = i,
                                      .cid = kp_text_of(node.cids[i]),
                                      .message = KP_TEXT("no")}),
                KP_OK);
        run_to(2 * S);
        stopped.u.sandbox.failed = sandbox;
        stopped.message = KP_TEXT("x");
        CHECK_INT(say(stopped), KP_OK);
        run_to(2 * S);
        CHECK_TEXT(kp_text_of(node.said), kp_text_of(wants[sandbox]));
        kp_engine_free(node.engine);
    }
}

/* Of two containers the second one is not created; message: what the runtime says. */
static void fail_to_start_the_second(struct kp_text message)
{
    lay_many(2);
    open_laid("1.36", true);
    happen_at(0, of_sandbox(KP_SANDBOX_CREATE, 0));
    happen_at(0, ran_of(0, "a1"));
    happen_at(0, (struct kp_event){.kind = KP_EVENT_STARTFAIL,
                                   .container = 1,
                                   .cid = KP_TEXT("b1"),
                                   .reason = KP_TEXT("CreateContainerError"),
                                   .message = message});
}

/* S-264: each id in the text becomes the name, that of the container which did not start. */
static void an_error_names_the_container_that_did_not_start(void)
{
    fail_to_start_the_second(KP_TEXT("no room for b1: by b1"));
    run_to(0);
    CHECK_TEXT(kp_text_of(node.said), KP_TEXT("Error: no room for b: by b"));
    kp_engine_free(node.engine);
}

/* S-316: why a container waits is not known to a new kubelet, of whichever container. */
static void a_new_kubelet_does_not_know_why(void)
{
    fail_to_start_the_second(KP_TEXT("no room"));
    run_to(2 * S);
    CHECK_TEXT(status_of(1)->state.reason, KP_TEXT("CreateContainerError"));
    restart_kubelet(S);
    run_to(4 * S); /* it starts the container, which takes its time */
    CHECK_TEXT(status_of(1)->state.reason, KP_TEXT("ContainerCreating"));
    kp_engine_free(node.engine);
}

/* S-115: a hook that slept has not failed, whatever the one before it came to. */
static void a_sleep_does_not_fail(void)
{
    static const struct kp_sleep_action two_s = {.seconds = 2};
    static const struct kp_handler sleeps = {.sleep = &two_s};

    lay_many(2);
    many[0].post_start = &greets;
    many[1].post_start = &sleeps;
    open_laid("1.36", false);
    run_to(0);
    for (int twice = 0; twice < 2; twice++) { /* the second time it is nobody's */
        CHECK_INT(say(answer_of(node.hook_n, KP_ANSWER_FAILURE)), KP_OK);
        run_to(S);
    }
    run_to(5 * S);
    LOGGED("create start kill start start"); /* and the first one once more */
    CHECK_INT(status_of(1)->state.kind, KP_STATE_RUNNING);
    kp_engine_free(node.engine);
}

/* S-101: of all init containers nothing is left in a new sandbox. */
static void a_new_sandbox_begins_with_all_init_containers(void)
{
    static const char *const cids[] = {"i1", "i2", "i3"};
    static const char *const again[] = {"j1", "j2", "j3"};
    struct kp_event created = of_sandbox(KP_SANDBOX_CREATE, 0);

    lay_many(4);
    pod.init_count = 3;
    pod.regular_count = 1;
    for (size_t i = 0; i < 3; i++)
        many[i].kind = KP_INIT;
    open_laid("1.34", true);
    happen_at(0, created);
    for (int i = 0; i < 3; i++) {
        happen_at(2 * i, ran_of(i, cids[i]));
        happen_at(2 * i + 1, ended_of(i, cids[i]));
    }
    happen_at(8, ran_of(3, "w1"));
    run_to(9 * S);
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    happen_at(12, ended_of(3, "w1"));
    happen_at(12, of_sandbox(KP_SANDBOX_STOP, 0));
    run_to(12 * S);
    created.u.sandbox.attempt = 1;
    happen_at(12, created);
    for (int i = 0; i < 3; i++) {
        happen_at(14 + 2 * i, ran_of(i, again[i]));
        run_to((15 + 2 * i) * S);
        CHECK_INT(status_of((size_t)i)->state.kind, KP_STATE_RUNNING);
        CHECK_INT(status_of((size_t)i)->last_state.kind, KP_STATE_NONE);
        happen_at(15 + 2 * i, ended_of(i, again[i]));
    }
    kp_engine_free(node.engine);
}

/* S-111: two sidecars that are dead are started in one sync, each once. */
static void two_starts_of_one_sync_are_of_two(void)
{
    lay_many(3);
    pod.init_count = 2;
    pod.regular_count = 1;
    for (size_t i = 0; i < 2; i++) {
        many[i].kind = KP_INIT;
        many[i].restart_policy = KP_TEXT("Always");
    }
    open_laid("1.36", false);
    run_to(2 * S);
    for (int i = 0; i < 2; i++)
        CHECK_INT(say((struct kp_event){.kind = KP_EVENT_EXITED,
                                        .container = i,
                                        .cid = kp_text_of(node.cids[i]),
                                        .u.exit_code = 1}),
                  KP_OK);
    run_to(5 * S);
    LOGGED("create start start start start start");
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(status_of(i)->state.kind, KP_STATE_RUNNING);
        CHECK_TEXT(status_of(i)->container_id, kp_text_of(node.cids[3 + i]));
    }
    kp_engine_free(node.engine);
}

/* S-204: the old sandbox, of which something is left, is stopped with the new one. */
static void each_sandbox_of_a_pod_is_stopped(void)
{
    open_node("1.36", false);
    run_to(S);
    restart_kubelet(2 * S);
    CHECK_INT(say(of_sandbox(KP_SANDBOX_STOP, 0)), KP_OK);
    run_to(6 * S);
    node.log[0] = '\0';
    delete_pod();
    run_to(8 * S);
    LOGGED("kill stop stop");
    CHECK_INT(node.sandbox_attempt, 0);
    kp_engine_free(node.engine);
}

/* S-250: the sentence of a window is what it was, whatever windows came in between. */
static void each_window_has_its_sentence(void)
{
    static const struct {
        int64_t at_s; /* it ends; more than twice the longest window begins the windows anew */
        const char *message;
    } ends[] = {{10, ""},
                {20, "back-off 10s restarting failed container=web pod=_(u)"},
                {80, "back-off 20s restarting failed container=web pod=_(u)"},
                {1500, ""},
                {1510, "back-off 10s restarting failed container=web pod=_(u)"}};

    open_node("1.36", false);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        run_to(ends[i].at_s * S);
        CHECK_INT(say((struct kp_event){.kind = KP_EVENT_EXITED,
                                        .cid = kp_text_of(node.cids[node.instances - 1]),
                                        .u.exit_code = 1}),
                  KP_OK);
        run_to((ends[i].at_s + 2) * S);
        CHECK_INT(say((struct kp_event){.kind = KP_EVENT_UPDATE, .u.update = &pod}), KP_OK);
        run_to((ends[i].at_s + 5) * S); /* the sync after the one that refused says why */
        CHECK_TEXT(status_of(0)->state.message, kp_text_of(ends[i].message));
    }
    kp_engine_free(node.engine);
}

const struct unit_test sync_pod_test[] = {
    {"several failures stand in brackets", several_failures_stand_in_brackets},
    {"an error names the container that did not start",
     an_error_names_the_container_that_did_not_start},
    {"a new kubelet does not know why", a_new_kubelet_does_not_know_why},
    {"a sleep does not fail", a_sleep_does_not_fail},
    {"a new sandbox begins with all init containers",
     a_new_sandbox_begins_with_all_init_containers},
    {"two starts of one sync are of two", two_starts_of_one_sync_are_of_two},
    {"each sandbox of a pod is stopped", each_sandbox_of_a_pod_is_stopped},
    {"each window has its sentence", each_window_has_its_sentence},
    {"the kill of a pod says by which rule", the_kill_of_a_pod_says_by_which_rule},
    {"the kill after a postStart says by which rule",
     the_kill_after_a_post_start_says_by_which_rule},
    {"the kill of a restart of all says by which rule",
     the_kill_of_a_restart_of_all_says_by_which_rule},
    {"an answer without a number is nobody's", an_answer_without_a_number_is_nobodys},
    {"of many failures five are reported", of_many_failures_five_are_reported},
    {"a new sandbox begins with init containers", a_new_sandbox_begins_with_init_containers},
    {"a lost init container is reported as done", a_lost_init_container_is_reported_as_done},
    {"a dead sandbox initializes no pod", a_dead_sandbox_initializes_no_pod},
    {0},
};
