/* What a sync keeps: how far one call goes, what a dead kubelet leaves of it, who is answered. */
#include "core/kubelet/sync_state.h"

#include "core/kubelet/status_manager.h"
#include "core/prober/prober_state.h"
#include "fakes/unit_run.h"

#include <string.h>

static const struct kp_exec_action greeting = {.command = {.count = 0}};
static const struct kp_handler greets = {.exec = &greeting};
static const struct kp_container three[] = {
    {.name = {"a", 1}, .kind = KP_REGULAR, .post_start = &greets},
    {.name = {"b", 1}, .kind = KP_REGULAR},
    {.name = {"c", 1}, .kind = KP_REGULAR}};
static const struct kp_pod pod = {.containers = three,
                                  .regular_count = 3,
                                  .has_grace = true,
                                  .grace_s = 30,
                                  .restart_policy = {"Always", 6}};

struct seen {
    int starts, kills, sandboxes, events;
    int container; /* of the last start or kill */
};

static void see_it(void *ctx, const struct kp_effect *effect)
{
    struct seen *seen = ctx;

    seen->starts += effect->kind == KP_EFFECT_START;
    seen->kills += effect->kind == KP_EFFECT_KILL;
    seen->sandboxes += effect->kind == KP_EFFECT_SANDBOX;
    seen->events += effect->kind == KP_EFFECT_EVENT;
    if (effect->kind == KP_EFFECT_START || effect->kind == KP_EFFECT_KILL)
        seen->container = effect->container;
}

/* A pod in a sandbox, and a sync of it that begins. */
static void begin(struct unit_run *own, struct kp_sync_order *order, struct seen *seen)
{
    own->node.sink = (struct kp_sink){see_it, seen};
    *order = (struct kp_sync_order){.type = KP_WORK_SYNC, .pod = pod, .view = &own->run.truth};
    kp_sync_begin(own->run.sync, order);
}

static enum kp_err take_event(struct unit_run *own, enum kp_event_kind kind, int container,
                              const char *cid, const char *reason)
{
    const struct kp_event event = {
        .kind = kind, .container = container, .cid = kp_text_of(cid), .reason = kp_text_of(reason)};

    return kp_sync_take_event(&own->run, &event);
}

/* One call goes as far as it can: from an answer to the next start, whatever the answer was. */
static void a_start_follows_the_answer_to_the_one_before(void)
{
    struct kp_sync_order order;
    struct seen seen = {.starts = 0};
    struct unit_run own;
    struct kp_event failed = {.kind = KP_EVENT_ANSWER, .u.answer.result = KP_ANSWER_FAILURE};
    const struct kp_event made = {
        .kind = KP_EVENT_SANDBOX, .container = -1, .u.sandbox.what = KP_SANDBOX_CREATE};

    open_run(&own, "1.36", &pod);
    begin(&own, &order, &seen);
    CHECK_INT(seen.sandboxes, 1);
    CHECK_INT(kp_sync_take_event(&own.run, &made), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.starts, 1);
    CHECK_INT(take_event(&own, KP_EVENT_RUNNING, 0, "a1", ""), KP_OK);
    kp_sync_continue(own.run.sync);
    failed.u.answer.n = own.run.sync->hook_n;
    CHECK(kp_sync_hook_answered(&own.run, &failed));
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.kills, 1);
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, 0, "a1", ""), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.starts, 2);
    CHECK_INT(seen.container, 1);
    CHECK_INT(take_event(&own, KP_EVENT_STARTFAIL, 1, "", "CreateContainerError"), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.starts, 3);
    CHECK_INT(seen.container, 2);
    CHECK_INT(take_event(&own, KP_EVENT_RUNNING, 2, "c1", ""), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK(kp_sync_is_over(own.run.sync));
    CHECK(kp_sync_result(own.run.sync)->failed);
    close_run(&own);
}

/* And from the end of one kill to the next, and to the start behind the last. */
static void a_kill_follows_the_end_of_the_one_before(void)
{
    struct kp_sync_order order;
    struct seen seen = {.starts = 0};
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    kp_runtime_sandbox_add(&own.run.truth, 0);
    own.run.has_cgroup = true;
    for (int i = 0; i < 3; i++) /* of another definition: each is killed */
        kp_runtime_create(&own.run.truth, i, three[i].name)->state = KP_INSTANCE_RUNNING;
    begin(&own, &order, &seen);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(seen.kills, i + 1);
        CHECK_INT(seen.container, i);
        CHECK_INT(take_event(&own, KP_EVENT_EXITED, i, three[i].name.bytes, ""), KP_OK);
        kp_sync_continue(own.run.sync);
    }
    CHECK_INT(seen.starts, 1);
    CHECK_INT(seen.container, 0);
    close_run(&own);
}

/* What the runtime has no more is dead at once. */
static void a_kill_of_what_is_not_there_is_over(void)
{
    struct kp_runtime_view view;
    struct kp_sync_order order;
    struct seen seen = {.starts = 0};
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    CHECK_INT(kp_runtime_view_init(&view, &own.mem, own.run.container_count), KP_OK);
    kp_runtime_create(&view, 2, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    own.node.sink = (struct kp_sink){see_it, &seen};
    order = (struct kp_sync_order){.type = KP_WORK_TERMINATING, .pod = pod, .view = &view};
    kp_sync_begin(own.run.sync, &order);
    CHECK_INT(seen.kills, 1);
    CHECK(kp_sync_is_over(own.run.sync));
    kp_runtime_view_deinit(&view, &own.mem);
    close_run(&own);
}

/* An answer to a dead kubelet is none to the next one, of whichever container. */
static void a_dead_kubelet_leaves_no_answer(void)
{
    struct kp_sync *sync;
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    sync = own.run.sync;
    sync->waiting = sync->start_answered = sync->sandbox_answered = true;
    for (size_t i = 0; i < own.run.container_count; i++) {
        sync->containers[i].kill.state = KP_KILL_PRE_STOP;
        sync->containers[i].backoffs[KP_BACKOFF_KEYS - 1].known = sync->reasons[i].known = true;
        for (size_t j = 0; j < KP_LATE_HOOKS; j++)
            sync->containers[i].late_hooks[j] =
                (struct kp_late_hook){.n = 1, .answer = KP_ANSWER_FAILURE};
    }
    kp_sync_forget(sync);
    CHECK(!sync->waiting && !sync->start_answered && !sync->sandbox_answered);
    for (size_t i = 0; i < own.run.container_count; i++) {
        CHECK_INT(sync->containers[i].kill.state, KP_KILL_IDLE);
        CHECK(!sync->containers[i].backoffs[KP_BACKOFF_KEYS - 1].known && !sync->reasons[i].known);
        for (size_t j = 0; j < KP_LATE_HOOKS; j++)
            CHECK_INT(sync->containers[i].late_hooks[j].n, 0);
    }
    close_run(&own);
}

/* Each kubelet that died while it started a container has one answer due. */
static void two_dead_kubelets_have_two_answers(void)
{
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    own.run.sync->pod = &pod;
    own.run.sync->containers[1].orphan_starts = 2;
    CHECK_INT(take_event(&own, KP_EVENT_RUNNING, 0, "a1", ""), KP_EINPUT);
    CHECK_INT(take_event(&own, KP_EVENT_RUNNING, 1, "b1", ""), KP_OK);
    CHECK_INT(take_event(&own, KP_EVENT_STARTFAIL, 1, "b2", "CreateContainerError"), KP_OK);
    CHECK_INT(take_event(&own, KP_EVENT_RUNNING, 1, "b3", ""), KP_EINPUT);
    close_run(&own);
}

/* An end is everybody's who waits for it, also of what the runtime does not list; and what was only
 * created ends as well. */
static void an_end_is_handed_to_all(void)
{
    struct unit_run own;

    open_run(&own, "1.21", &pod);
    own.run.sync->containers[1].kill = own.run.kill_sync->containers[1].kill =
        (struct kp_kill){.state = KP_KILL_STOPPING, .cid = KP_TEXT("b1")};
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, 1, "b1", ""), KP_OK);
    CHECK_INT(own.run.sync->containers[1].kill.state, KP_KILL_DONE);
    CHECK_INT(own.run.kill_sync->containers[1].kill.state, KP_KILL_DONE);
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, 1, "b1", ""), KP_EINPUT);
    (void)kp_runtime_create(&own.run.truth, 1, KP_TEXT("b2"));
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, 1, "b2", "OOMKilled"), KP_OK);
    CHECK_INT(own.run.truth.containers[1].list[0].state, KP_INSTANCE_EXITED);
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, 1, "b2", "Error"), KP_OK); /* it has ended once */
    CHECK_TEXT(own.run.truth.containers[1].list[0].reason, KP_TEXT("OOMKilled"));
    close_run(&own);
}

/* A sandbox that stops is the one that was to stop. */
static void another_sandbox_is_no_answer(void)
{
    struct kp_event stopped = {.kind = KP_EVENT_SANDBOX, .container = -1};
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    own.run.sync->step = KP_SYNC_STOP_SANDBOXES;
    own.run.sync->waiting = true;
    kp_runtime_sandbox_add(&own.run.sync->view, 0);
    kp_runtime_sandbox_add(&own.run.sync->view, 1);
    own.run.sync->at = 1;
    kp_runtime_sandbox_add(&own.run.truth, 0);
    kp_runtime_sandbox_add(&own.run.truth, 1);
    stopped.u.sandbox.what = KP_SANDBOX_STOP;
    stopped.u.sandbox.attempt = 1;
    CHECK_INT(kp_sync_take_event(&own.run, &stopped), KP_EINPUT);
    stopped.u.sandbox.attempt = 0;
    CHECK_INT(kp_sync_take_event(&own.run, &stopped), KP_OK);
    CHECK(own.run.truth.sandboxes[0].ready && !own.run.truth.sandboxes[1].ready);
    close_run(&own);
}

/* AddPod has the object of its sync: a deletion that came behind it ends no probe (P-038). */
static void a_sync_adds_the_pod_that_it_was_given(void)
{
    static const struct kp_probe alive = {.handler = {.exec = &greeting}, .period_s = 10};
    const struct kp_container probed = {
        .name = {"a", 1}, .kind = KP_REGULAR, .probes = {[KP_LIVENESS] = &alive}};
    const struct kp_pod live = {.containers = &probed, .regular_count = 1};
    struct kp_sync_order order = {.type = KP_WORK_SYNC, .pod = live};
    struct seen seen = {.starts = 0};
    struct unit_run own;

    open_run(&own, "1.36", &live);
    own.node.sink = (struct kp_sink){see_it, &seen};
    order.view = &own.run.truth;
    own.run.api.has_deletion = true;
    kp_sync_begin(own.run.sync, &order);
    CHECK(!kp_prober_find_slot(own.node.probers, 0, 0, KP_LIVENESS)->pod_deleting);
    close_run(&own);
}

/* S-345: of an object that is older than the pod's first status the status manager knows when it
 * began (pastActiveDeadline). */
static void a_deadline_counts_from_the_status_that_was_stored(void)
{
    const struct kp_pod brief = {
        .containers = three, .regular_count = 3, .has_deadline = true, .deadline_s = 5};
    struct kp_sync_order order = {.type = KP_WORK_SYNC, .pod = brief};
    struct seen seen = {.starts = 0};
    struct unit_run own;

    open_run(&own, "1.36", &brief);
    own.node.sink = (struct kp_sink){see_it, &seen};
    order.view = &own.run.truth;
    kp_sync_begin(own.run.sync, &order);
    CHECK_INT(kp_status_cached(&own.run)->phase, KP_PENDING);
    own.node.now_ns = 5 * KP_NS_PER_S;
    kp_sync_begin(own.run.sync, &order);
    CHECK_INT(kp_status_cached(&own.run)->phase, KP_FAILED);
    close_run(&own);
}

/* Of two that run the kill of a pod takes the newer one. */
static void of_two_that_run_the_newer_is_killed(void)
{
    struct seen seen = {.starts = 0};
    struct kp_sync_order order;
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    own.node.sink = (struct kp_sink){see_it, &seen};
    kp_runtime_create(&own.run.truth, 2, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    kp_runtime_create(&own.run.truth, 2, KP_TEXT("c2"))->state = KP_INSTANCE_RUNNING;
    order = (struct kp_sync_order){.type = KP_WORK_TERMINATING, .pod = pod, .view = &own.run.truth};
    kp_sync_begin(own.run.sync, &order);
    CHECK_TEXT(own.run.sync->containers[2].kill.cid, KP_TEXT("c2"));
    close_run(&own);
}

/* purgeInitContainers: nothing of an earlier sandbox's init containers is left. */
static void a_new_sandbox_has_no_init_container(void)
{
    const struct kp_container both[] = {{.name = {"i", 1}, .kind = KP_INIT}, three[1]};
    const struct kp_pod inits = {.containers = both, .init_count = 1, .regular_count = 1};
    struct kp_sync_order order = {.type = KP_WORK_SYNC, .pod = inits};
    struct seen seen = {.starts = 0};
    struct unit_run own;

    open_run(&own, "1.36", &inits);
    own.node.sink = (struct kp_sink){see_it, &seen};
    for (int i = 0; i < 2; i++)
        kp_runtime_exit(kp_runtime_create(&own.run.truth, 0, KP_TEXT("i1")), i, KP_TEXT_NONE, 0);
    order.view = &own.run.truth;
    kp_sync_begin(own.run.sync, &order);
    CHECK_INT(seen.sandboxes, 1);
    CHECK_INT(own.run.truth.containers[0].count, 0);
    close_run(&own);
}

/* What the runtime has lost before a restart of all removes it is removed all the same: the pod is
 * synced again at once (S-224). */
static void what_was_lost_is_removed(void)
{
    struct seen seen = {.starts = 0};
    struct kp_sync *sync;
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    own.node.sink = (struct kp_sink){see_it, &seen};
    sync = own.run.sync;
    sync->order = &(struct kp_sync_order){.type = KP_WORK_SYNC};
    sync->pod = &pod;
    sync->actions.resets[0] =
        (struct kp_reset_plan){.container = 1, .cid = KP_TEXT("b1"), .kill = true};
    sync->actions.reset_count = 1;
    kp_sync_enter(sync, KP_SYNC_RESET);
    kp_sync_continue(sync);
    CHECK_INT(seen.kills, 1);
    CHECK(kp_sync_is_over(sync));
    CHECK(kp_sync_result(sync)->removed_some && !kp_sync_result(sync)->failed);
    close_run(&own);
}

/* ---- a pod with as many ephemeral containers as there is room for ---- */

#define LAST 6
static const struct kp_container seven[] = {
    {.name = {"a", 1}, .kind = KP_REGULAR},   {.name = {"b", 1}, .kind = KP_REGULAR},
    {.name = {"c", 1}, .kind = KP_REGULAR},   {.name = {"d", 1}, .kind = KP_EPHEMERAL},
    {.name = {"e", 1}, .kind = KP_EPHEMERAL}, {.name = {"f", 1}, .kind = KP_EPHEMERAL},
    {.name = {"g", 1}, .kind = KP_EPHEMERAL}};

/* The kill of such a pod, of which each container runs as the third instance. */
static void begin_kill(struct unit_run *own, struct kp_sync_order *order, struct seen *seen)
{
    static const char *const cids[] = {"old", "older", ""};

    open_run(own, "1.36", &pod);
    CHECK_INT(own->run.container_count, LAST + 1);
    own->run.api.containers = seven;
    own->run.api.ephemeral_count = 4;
    own->node.sink = (struct kp_sink){see_it, seen};
    kp_runtime_sandbox_add(&own->run.truth, 0);
    for (int i = 0; i <= LAST; i++) {
        kp_runtime_create(&own->run.truth, i, seven[i].name)->state = KP_INSTANCE_RUNNING;
        for (int j = 0; j < 2; j++)
            kp_runtime_exit(kp_runtime_create(&own->run.truth, i, kp_text_of(cids[j])), 0,
                            KP_TEXT_NONE, 0);
    }
    *order = (struct kp_sync_order){
        .type = KP_WORK_TERMINATING, .pod = own->run.api, .view = &own->run.truth};
    kp_sync_begin(own->run.sync, order);
}

/* S-220, S-213: all at once, each with an event, and the sandbox waits for the last of them. */
static void a_kill_is_over_with_the_last_container(void)
{
    struct kp_sync_order order;
    struct seen seen = {.starts = 0};
    struct unit_run own;

    begin_kill(&own, &order, &seen);
    CHECK_INT(seen.kills, LAST + 1);
    CHECK_INT(seen.events, LAST + 1);
    for (int i = 0; i < LAST; i++)
        CHECK_INT(take_event(&own, KP_EVENT_EXITED, i, seven[i].name.bytes, ""), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.sandboxes, 0);
    CHECK_INT(take_event(&own, KP_EVENT_EXITED, LAST, "g", ""), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK_INT(seen.sandboxes, 1);
    CHECK(!kp_sync_result(own.run.sync)->failed);
    close_run(&own);
}

/* S-203: one kill that fails is the whole kill's failure, also that of an ephemeral one alone. */
static void the_last_kill_that_fails_is_a_failure(void)
{
    struct kp_sync_order order;
    struct seen seen = {.starts = 0};
    struct unit_run own;

    begin_kill(&own, &order, &seen);
    for (int i = 0; i < LAST; i++)
        CHECK_INT(take_event(&own, KP_EVENT_EXITED, i, seven[i].name.bytes, ""), KP_OK);
    CHECK_INT(take_event(&own, KP_EVENT_KILLFAIL, LAST, "g", "rpc error"), KP_OK);
    kp_sync_continue(own.run.sync);
    CHECK(kp_sync_result(own.run.sync)->failed);
    close_run(&own);
}

/* What a dead kubelet was starting, and what it gave up to wait for, of the last one, too. */
static void the_last_container_is_answered(void)
{
    struct kp_event answer = {.kind = KP_EVENT_ANSWER, .u.answer.n = 7};
    struct kp_sync *sync;
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    sync = own.run.sync;
    sync->has_hooks = true;
    sync->containers[LAST].late_hooks[KP_LATE_HOOKS - 1].n = 7;
    CHECK(kp_sync_hook_answered(&own.run, &answer));
    CHECK(!kp_sync_hook_answered(&own.run, &answer));
    sync->containers[LAST].kill.hook_n = 7;
    CHECK(kp_sync_hook_answered(&own.run, &answer));
    CHECK(sync->containers[LAST].kill.hook_done);
    kp_sync_enter(sync, KP_SYNC_START);
    sync->actions.start_ephemeral[0] = LAST;
    sync->actions.start_ephemeral_count = 1;
    for (unsigned kubelet = 1; kubelet <= 2; kubelet++) {
        sync->waiting = true;
        kp_sync_forget(sync);
        for (int i = 0; i <= LAST; i++)
            CHECK_INT(sync->containers[i].orphan_starts, i == LAST ? kubelet : 0);
    }
    close_run(&own);
}

const struct unit_test sync_state_test[] = {
    {"a kill is over with the last container", a_kill_is_over_with_the_last_container},
    {"the last kill that fails is a failure", the_last_kill_that_fails_is_a_failure},
    {"the last container is answered", the_last_container_is_answered},
    {"a start follows the answer to the one before", a_start_follows_the_answer_to_the_one_before},
    {"a kill follows the end of the one before", a_kill_follows_the_end_of_the_one_before},
    {"a kill of what is not there is over", a_kill_of_what_is_not_there_is_over},
    {"a dead kubelet leaves no answer", a_dead_kubelet_leaves_no_answer},
    {"two dead kubelets have two answers", two_dead_kubelets_have_two_answers},
    {"an end is handed to all", an_end_is_handed_to_all},
    {"another sandbox is no answer", another_sandbox_is_no_answer},
    {"a sync adds the pod that it was given", a_sync_adds_the_pod_that_it_was_given},
    {"a deadline counts from the status that was stored",
     a_deadline_counts_from_the_status_that_was_stored},
    {"of two that run the newer is killed", of_two_that_run_the_newer_is_killed},
    {"a new sandbox has no init container", a_new_sandbox_has_no_init_container},
    {"what was lost is removed", what_was_lost_is_removed},
    {0},
};
