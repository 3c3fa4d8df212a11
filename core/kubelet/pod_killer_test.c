/* Up to 1.21: what housekeeping kills of what it lists, and what a dead kubelet leaves of that. */
#include "core/kubelet/pod_killer.h"

#include "core/kubelet/pleg.h"
#include "core/kubelet/sync_pod.h"
#include "fakes/unit_run.h"

#define S KP_NS_PER_S

static const struct kp_container both[] = {{.name = {"web", 3}, .kind = KP_REGULAR},
                                           {.name = {"db", 2}, .kind = KP_REGULAR}};
static const struct kp_pod pod = {
    .containers = both, .regular_count = 2, .has_grace = true, .grace_s = 30};

/* What was emitted since it was emptied. */
struct seen {
    int kills, stops, killings, failures;
    struct kp_text cid;  /* of the last kill */
    int64_t grace_s;     /* its grace */
    uint32_t stopped[4]; /* attempts of sandboxes, in their order */
};

static void see_it(void *ctx, const struct kp_effect *effect)
{
    struct seen *seen = ctx;

    if (effect->kind == KP_EFFECT_KILL) {
        seen->kills++;
        seen->cid = effect->cid;
        seen->grace_s = effect->u.kill.grace_s;
    }
    if (effect->kind == KP_EFFECT_SANDBOX)
        seen->stopped[seen->stops++ % 4] = effect->u.sandbox.attempt;
    seen->killings += effect->kind == KP_EFFECT_EVENT &&
                      kp_text_equal(effect->u.event.reason, KP_TEXT("Killing"));
    seen->failures += effect->kind == KP_EFFECT_EVENT &&
                      kp_text_equal(effect->u.event.reason, KP_TEXT("FailedKillPod"));
}

static void open_seen(struct unit_run *own, struct seen *seen)
{
    *seen = (struct seen){.kills = 0};
    open_run(own, "1.21", &pod);
    own->node.sink = (struct kp_sink){see_it, seen};
    kp_runtime_sandbox_add(&own->run.truth, 0);
}

static struct kp_instance *run_one(struct unit_run *own, int container, const char *cid)
{
    struct kp_instance *made = kp_runtime_create(&own->run.truth, container, kp_text_of(cid));

    made->state = KP_INSTANCE_RUNNING;
    return made;
}

static enum kp_err report_stopped(struct unit_run *own, uint32_t attempt)
{
    const struct kp_event event = {.kind = KP_EVENT_SANDBOX,
                                   .container = -1,
                                   .u.sandbox = {.what = KP_SANDBOX_STOP, .attempt = attempt}};

    return kp_sync_take_event(&own->run, &event);
}

/* S-031: GetPods lists the sandboxes that are ready, of whatever age, and those are stopped. */
static void of_sandboxes_those_that_are_ready_are_stopped(void)
{
    struct unit_run own;
    struct seen seen;

    open_seen(&own, &seen);
    for (uint32_t i = 1; i < 6; i++)
        kp_runtime_sandbox_add(&own.run.truth, i);
    for (size_t i = 0; i < 6; i += 2)
        own.run.truth.sandboxes[i].ready = false;
    kp_pod_killer_list(&own.run);
    kp_pod_killer_kill(&own.run);
    for (uint32_t at = 0; at < 3; at++) {
        CHECK_INT(seen.stops, at + 1);
        CHECK_INT(seen.stopped[at], 4 - 2 * at);
        CHECK_INT(report_stopped(&own, 4 - 2 * at), KP_OK);
        kp_pod_killer_poll(&own.run);
    }
    CHECK(!kp_pod_killer_is_busy(&own.run));
    CHECK_INT(seen.stops, 3);
    close_run(&own);
}

/* S-031: what a start has made too old is the list of before it, not the one behind it
 * (runtime_cache.go ForceUpdateIfOlder). A removal comes once, and never to another kubelet. */
static void a_list_behind_a_start_is_none_too_old(void)
{
    for (int behind = 0; behind < 2; behind++) {
        struct unit_run own;
        struct seen seen;

        open_seen(&own, &seen);
        run_one(&own, 0, "c1");
        if (!behind)
            kp_pod_killer_list(&own.run);
        own.run.truth.changed = true;
        kp_pleg_relist(own.run.pleg, &own.run.truth);
        if (behind)
            kp_pod_killer_list(&own.run);
        own.node.runtime.down = true;
        own.run.gone = true;
        for (int i = 0; i < 3; i++) {
            kp_pod_killer_poll(&own.run);
            CHECK_INT(seen.kills, behind);
            own.node.runtime.down = false;
            if (i == 1)
                kp_pod_parts_forget(&own.run);
        }
        close_run(&own);
    }
}

/* A kubelet that died has listed nothing and kills nothing any more. */
static void a_dead_kubelet_leaves_no_list_and_no_kill(void)
{
    const struct kp_event failed = {.kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1")};
    struct unit_run own;
    struct seen seen;

    open_seen(&own, &seen);
    run_one(&own, 0, "c1");
    kp_pod_killer_list(&own.run);
    kp_pod_killer_kill(&own.run);
    CHECK(kp_pod_killer_is_busy(&own.run));
    kp_pod_killer_forget(&own.run);
    CHECK(!kp_pod_killer_is_busy(&own.run));
    CHECK_INT(kp_sync_take_event(&own.run, &failed), KP_EINPUT);
    kp_runtime_exit(&own.run.truth.containers[0].list[0], 0, KP_TEXT_NONE, 0);
    run_one(&own, 0, "c2");
    kp_pod_killer_list(&own.run);
    kp_pod_killer_kill(&own.run);
    CHECK_TEXT(seen.cid, KP_TEXT("c2"));
    kp_pod_parts_forget(&own.run);
    CHECK(!kp_pod_killer_is_busy(&own.run));
    close_run(&own);
}

/* S-209: housekeeping has the grace that the runtime wrote down, and no name; who is killed with
 * its object has the deletion's, and an event. */
static void a_removed_pod_is_killed_by_its_object(void)
{
    const struct kp_event failed = {.kind = KP_EVENT_KILLFAIL, .cid = KP_TEXT("c1")};

    for (int removed = 0; removed < 2; removed++) {
        struct unit_run own;
        struct seen seen;

        open_seen(&own, &seen);
        own.run.api.has_deletion = own.run.api.has_deletion_grace = true;
        own.run.api.deletion_grace_s = 5;
        run_one(&own, 0, "c1");
        kp_pod_killer_list(&own.run);
        own.run.gone = removed;
        if (removed)
            kp_pod_killer_poll(&own.run);
        else
            kp_pod_killer_kill(&own.run);
        CHECK_INT(seen.grace_s, removed ? 5 : 30);
        CHECK_INT(seen.killings, removed);
        CHECK_INT(kp_sync_take_event(&own.run, &failed), KP_OK);
        kp_pod_killer_poll(&own.run);
        CHECK_INT(report_stopped(&own, 0), KP_OK);
        kp_pod_killer_poll(&own.run);
        CHECK(!kp_pod_killer_is_busy(&own.run));
        CHECK_INT(seen.failures, 0); /* PerformPodKillingWork logs it */
        close_run(&own);
    }
}

/* A failure is that of who called first: the killer, or the worker, of a container and of a sandbox
 * alike. */
static void who_called_first_has_the_failure(void)
{
    const struct kp_event kill_failed = {
        .kind = KP_EVENT_KILLFAIL, .container = 1, .cid = KP_TEXT("d1")};
    const struct kp_event ended = {.kind = KP_EVENT_EXITED, .container = 1, .cid = KP_TEXT("d1")};

    for (int killer_first = 0; killer_first < 2; killer_first++) {
        struct kp_sync_order order = {.type = KP_WORK_TERMINATING, .pod = pod};
        struct unit_run own;
        struct seen seen;

        open_seen(&own, &seen);
        run_one(&own, 1, "d1");
        order.view = &own.run.truth;
        kp_pod_killer_list(&own.run);
        if (killer_first)
            kp_pod_killer_kill(&own.run);
        kp_sync_begin(own.run.sync, &order);
        if (!killer_first)
            kp_pod_killer_kill(&own.run);
        CHECK_INT(seen.kills, 2);
        CHECK_INT(kp_sync_take_event(&own.run, &kill_failed), KP_OK);
        kp_pod_killer_poll(&own.run);
        CHECK_INT(seen.stops, killer_first); /* it goes on to its sandbox */
        kp_sync_continue(own.run.sync);
        CHECK_INT(seen.stops, 1);
        CHECK_INT(kp_sync_take_event(&own.run, &ended), KP_OK);
        kp_pod_killer_poll(&own.run);
        kp_sync_continue(own.run.sync);
        CHECK_INT(seen.stops, 2);
        CHECK_INT(report_stopped(&own, 0), KP_OK); /* of who called first, as well */
        kp_pod_killer_poll(&own.run);
        kp_sync_continue(own.run.sync);
        CHECK_INT(kp_pod_killer_is_busy(&own.run), !killer_first);
        CHECK_INT(!kp_sync_is_over(own.run.sync), killer_first);
        close_run(&own);
    }
}

/* From 1.22 on there is none. */
static void a_killer_is_of_1_21(void)
{
    struct unit_run own;
    struct kp_pod_killer *made;

    open_run(&own, "1.22", &pod);
    made = (struct kp_pod_killer *)&own;
    CHECK_INT(kp_pod_killer_new(&own.run, &made), KP_OK);
    CHECK(!made);
    close_run(&own);
}

const struct unit_test pod_killer_test[] = {
    {"of sandboxes those that are ready are stopped",
     of_sandboxes_those_that_are_ready_are_stopped},
    {"a list behind a start is none too old", a_list_behind_a_start_is_none_too_old},
    {"a dead kubelet leaves no list and no kill", a_dead_kubelet_leaves_no_list_and_no_kill},
    {"a removed pod is killed by its object", a_removed_pod_is_killed_by_its_object},
    {"who called first has the failure", who_called_first_has_the_failure},
    {"a killer is of 1.21", a_killer_is_of_1_21},
    {0},
};
