#include "core/kubelet/pleg.h"
#include "core/kubelet/pod_killer.h"
#include "core/kubelet/pod_workers.h"

#include "core/kubelet/pod_workers_before_122.h"
#include "core/kubelet/status_manager.h"
#include "core/kubelet/sync_state.h"
#include "fakes/unit_run.h"

static const struct kp_container web = {.name = {"web", 3}, .kind = KP_REGULAR};
static const struct kp_pod pod = {.containers = &web, .regular_count = 1};

/* S-023. */
static void a_pod_without_a_sync_is_due_in_no_queue(void)
{
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    CHECK_INT(kp_pod_worker_tick_ns(&own.run), KP_NEVER);
    kp_pod_parts_forget(&own.run);
    CHECK_INT(kp_pod_worker_tick_ns(&own.run), KP_NEVER);
    close_run(&own);
}

static void count_kills(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_KILL;
}

/* A pod of which a sandbox and a container run.  kills: how many are sent; borrowed. */
static void open_running(struct unit_run *own, const char *version, int *kills)
{
    open_run(own, version, &pod);
    own->node.sink = (struct kp_sink){count_kills, kills};
    kp_runtime_sandbox_add(&own->run.truth, 0);
    kp_runtime_create(&own->run.truth, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
}

/* S-030: a grace can only shrink, but another kubelet has heard of none before. */
static void a_new_kubelet_calculates_the_grace_anew(void)
{
    struct unit_run own;
    int kills = 0;

    open_running(&own, "1.36", &kills);
    own.run.api.has_deletion = own.run.api.has_deletion_grace = true;
    for (int64_t grace_s = 5; grace_s <= 9; grace_s += 4) {
        own.run.api.deletion_grace_s = grace_s;
        kp_pod_worker_update(&own.run, "update");
        kp_pod_worker_poll(&own.run);
        CHECK_INT(own.run.sync->order->override_s, grace_s);
        kp_pod_parts_forget(&own.run);
    }
    close_run(&own);
}

/* S-031: housekeeping lists what runs by itself. */
static void what_no_relist_has_seen_is_killed_all_the_same(void)
{
    struct unit_run own;
    int kills = 0;

    open_running(&own, "1.21", &kills);
    kp_pod_killer_list(&own.run);
    kp_pod_killer_kill(&own.run);
    CHECK_INT(kills, 1);
    close_run(&own);
}

/* HandlePodRemoves (kubelet.go): up to 1.21 what is left of a pod is killed once its object is
 * gone, once; from 1.22 on there is no killer. */
static void what_is_left_of_a_removed_pod_is_killed_once(void)
{
    static const struct {
        const char *version;
        int kills;
    } rows[] = {{"1.15", 1}, {"1.21", 1}, {"1.22", 0}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct unit_run own;
        int kills = 0;

        open_running(&own, rows[i].version, &kills);
        kp_pod_killer_poll(&own.run);
        CHECK_INT(kills, 0);
        own.run.gone = true;
        kp_pod_killer_poll(&own.run);
        kp_pod_killer_poll(&own.run);
        CHECK_INT(kills, rows[i].kills);
        close_run(&own);
    }
}

/* The runtime cache's list lasts for less than 2 s (runtime_cache.go GetPods): then the runtime is
 * called, in vain where it is down. */
static void a_removed_pod_is_killed_by_a_list_of_two_seconds(void)
{
    for (int64_t late_ns = -1; late_ns < 1; late_ns++) {
        struct unit_run own;
        int kills = 0;

        open_running(&own, "1.21", &kills);
        own.node.now_ns = KP_NS_PER_S;
        kp_pod_killer_list(&own.run);
        own.node.runtime.down = true;
        own.node.now_ns = 3 * KP_NS_PER_S + late_ns;
        own.run.gone = true;
        kp_pod_killer_poll(&own.run);
        CHECK_INT(kills, late_ns < 0);
        close_run(&own);
    }
}

/* Up to 1.21: init containers do not count, each of the others does. */
static void a_pod_has_ended_when_none_of_its_containers_runs(void)
{
    static const struct kp_container both[] = {{.name = {"setup", 5}, .kind = KP_INIT},
                                               {.name = {"web", 3}, .kind = KP_REGULAR}};
    struct kp_container_status statuses[] = {
        {.name = both[0].name, .state = {.kind = KP_STATE_RUNNING}},
        {.name = both[1].name, .state = {.kind = KP_STATE_RUNNING}}};
    struct kp_pod_status api = {.statuses = statuses, .status_count = 2};
    struct kp_pod deleted = {.containers = both,
                             .init_count = 1,
                             .regular_count = 1,
                             .has_deletion = true,
                             .status = &api};

    struct unit_run own;

    CHECK(!kp_old_worker_has_ended(&deleted));
    statuses[1].state.kind = KP_STATE_TERMINATED;
    CHECK(kp_old_worker_has_ended(&deleted));
    open_run(&own, "1.21", &deleted);
    for (int i = 0; i < 2; i++) {
        kp_runtime_create(&own.run.truth, i, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
        CHECK_INT(kp_old_worker_had_ended(&deleted, &own.run.truth), i == 0);
    }
    close_run(&own);
}

static void publish(struct kp_pod_run *run, enum kp_phase phase)
{
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    box->status.phase = phase;
    kp_status_set(run, &run->api, box, false);
    CHECK(!kp_status_send(run));
}

/* S-019, S-024: what was published behind an update that waits reaches neither it nor the phase
 * that follows. */
static void an_update_has_the_status_that_it_came_with(void)
{
    struct unit_run own;
    int kills = 0;

    open_running(&own, "1.36", &kills);
    own.run.api.has_deletion = true;
    publish(&own.run, KP_PENDING);
    kp_pod_worker_update(&own.run, "update");
    kp_pod_worker_update(&own.run, "pleg");
    publish(&own.run, KP_RUNNING);
    kp_pod_worker_poll(&own.run);
    CHECK(own.run.terminated);
    CHECK_INT(own.run.sync->order->pod.status->phase, KP_PENDING);
    close_run(&own);
}

/* getPodIPs: another kubelet has never seen the sandbox that is dead. */
static void an_address_is_of_the_relist_before_the_sync(void)
{
    struct unit_run own;
    int kills = 0;

    open_running(&own, "1.36", &kills);
    for (uint32_t address = 2; address-- > 0;) {
        own.run.truth.changed = true;
        kp_pleg_relist(own.run.pleg, &own.run.truth);
        kp_pod_worker_update(&own.run, "create");
        kp_pod_worker_poll(&own.run);
        CHECK_INT(own.run.sync->order->address, address);
        kp_pod_parts_forget(&own.run);
        own.run.truth.sandboxes[0].ready = false;
    }
    close_run(&own);
}

static void note_kill(void *ctx, const struct kp_effect *effect)
{
    if (effect->kind == KP_EFFECT_KILL)
        *(struct kp_text *)ctx = effect->cid;
}

/* What runs is killed, also below one that was only created. */
static void who_runs_below_a_newer_one_is_killed(void)
{
    struct kp_text killed = KP_TEXT("none");
    struct unit_run own;

    open_run(&own, "1.21", &pod);
    own.node.sink = (struct kp_sink){note_kill, &killed};
    kp_runtime_sandbox_add(&own.run.truth, 0);
    kp_runtime_create(&own.run.truth, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    (void)kp_runtime_create(&own.run.truth, 0, KP_TEXT("c2"));
    kp_pod_killer_list(&own.run);
    kp_pod_killer_kill(&own.run);
    CHECK_TEXT(killed, KP_TEXT("c1"));
    close_run(&own);
}

/* Up to 1.21: whatever runs and whichever sandbox is ready, not only the newest of them. */
static void something_is_left_while_anything_is_ready_or_runs(void)
{
    struct unit_run own;
    struct kp_runtime_view *truth = &own.run.truth;

    open_run(&own, "1.21", &pod);
    CHECK(!kp_old_worker_left_some(truth));
    kp_runtime_sandbox_add(truth, 0);
    kp_runtime_sandbox_add(truth, 1);
    truth->sandboxes[0].ready = false;
    CHECK(kp_old_worker_left_some(truth));
    truth->sandboxes[1].ready = false;
    CHECK(!kp_old_worker_left_some(truth));
    kp_runtime_create(truth, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    (void)kp_runtime_create(truth, 0, KP_TEXT("c2"));
    CHECK(kp_old_worker_left_some(truth));
    kp_runtime_exit(&truth->containers[0].list[1], 0, KP_TEXT_NONE, 0);
    CHECK(!kp_old_worker_left_some(truth));
    close_run(&own);
}

/* Up to 1.21: of as many ephemeral containers as there is room for, the last one, too. */
static void the_last_container_is_left_and_reclaimed(void)
{
    struct kp_pod deleted = {.has_deletion = true};
    struct unit_run own;
    struct kp_runtime_view *truth = &own.run.truth;
    int last;

    open_run(&own, "1.21", &pod);
    last = (int)own.run.container_count - 1;
    CHECK(!kp_runtime_any_instance(truth));
    CHECK(kp_old_worker_is_reclaimed(&deleted, truth, false));
    kp_runtime_create(truth, last, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    CHECK(kp_runtime_any_instance(truth));
    CHECK(kp_old_worker_left_some(truth));
    kp_runtime_exit(&truth->containers[last].list[0], 0, KP_TEXT_NONE, 0);
    CHECK(!kp_old_worker_left_some(truth));
    CHECK(!kp_old_worker_is_reclaimed(&deleted, truth, false));
    close_run(&own);
}

static void count_syncs(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_SYNC;
}

/* Does a sync begin at that time? */
static bool syncs_at(struct unit_run *own, int64_t at_ns, const int *syncs)
{
    int before = *syncs;

    own->node.now_ns = at_ns;
    kp_pod_worker_poll(&own->run);
    return *syncs > before;
}

/* S-020: a worker waits for a relist that is newer than its last sync.  Up to 1.21 housekeeping
 * takes workers away (removeWorker): a new one has no last sync, but what waits already waits on.
 */
static void a_new_worker_waits_for_no_relist(void)
{
    enum { NOT_REMOVED, IDLE, WAITING, WAITING_TWICE };

    for (int removed = NOT_REMOVED; removed <= WAITING_TWICE; removed++) {
        struct unit_run own;
        int syncs = 0;

        open_running(&own, "1.21", &syncs);
        own.node.sink.effect = count_syncs;
        kp_runtime_state_init(&own.node, false);
        own.run.has_cgroup = own.run.truth.changed = true;
        own.run.truth.containers[0].list[0].hash = kp_container_hash(&own.node.profile, &web);
        kp_pleg_relist(own.run.pleg, &own.run.truth);
        own.node.now_ns = 100;
        kp_pod_worker_update(&own.run, "create");
        CHECK(syncs_at(&own, 100, &syncs));
        if (removed == IDLE)
            kp_pod_worker_remove(&own.run);
        kp_pod_worker_update(&own.run, "pleg");
        for (int i = WAITING; i <= removed; i++)
            kp_pod_worker_remove(&own.run);
        CHECK_INT(syncs_at(&own, 200, &syncs), removed == IDLE);
        CHECK_INT(syncs_at(&own, KP_NS_PER_S + 100, &syncs), removed != IDLE);
        kp_pod_worker_update(&own.run, "pleg");
        CHECK_INT(syncs_at(&own, KP_NS_PER_S + 200, &syncs), removed != NOT_REMOVED);
        kp_pod_worker_update(&own.run, "pleg");
        CHECK(!syncs_at(&own, KP_NS_PER_S + 300, &syncs));
        close_run(&own);
    }
}

static void note_last(void *ctx, const struct kp_effect *effect)
{
    if (effect->kind == KP_EFFECT_KILL || effect->kind == KP_EFFECT_SANDBOX ||
        effect->kind == KP_EFFECT_START)
        *(enum kp_effect_kind *)ctx = effect->kind;
}

/* S-020: nor does the first worker, which was taken away before it began. */
static void nor_does_one_that_never_began(void)
{
    struct unit_run own;
    int syncs = 0;

    open_running(&own, "1.21", &syncs);
    own.node.sink.effect = count_syncs;
    kp_runtime_state_init(&own.node, false);
    kp_pod_worker_update(&own.run, "create");
    kp_pod_worker_remove(&own.run);
    CHECK(syncs_at(&own, 100, &syncs));
    close_run(&own);
}

/* S-020: nor does the one behind a sync during which its worker was taken away. */
static void nor_does_the_one_behind_a_removed_worker(void)
{
    const struct kp_event failed = {.kind = KP_EVENT_SANDBOX,
                                    .container = -1,
                                    .message = KP_TEXT("no network"),
                                    .u.sandbox = {.what = KP_SANDBOX_CREATE, .failed = true}};

    for (int removed = 0; removed < 2; removed++) {
        struct unit_run own;
        int syncs = 0;

        open_run(&own, "1.21", &pod);
        own.node.sink = (struct kp_sink){count_syncs, &syncs};
        kp_runtime_state_init(&own.node, false);
        kp_pod_worker_update(&own.run, "create");
        CHECK(syncs_at(&own, 100, &syncs));
        if (removed)
            kp_pod_worker_remove(&own.run);
        CHECK_INT(kp_sync_take_event(&own.run, &failed), KP_OK);
        CHECK(!syncs_at(&own, 200, &syncs));
        kp_pod_worker_update(&own.run, "pleg");
        CHECK_INT(syncs_at(&own, 300, &syncs), removed);
        close_run(&own);
    }
}

/* S-031: what runs without a cgroup is killed, and the same call of syncPod starts what is missing
 * (kubelet.go): it does not wait until it is called once more. */
static void a_sync_goes_on_behind_the_kill_for_want_of_a_cgroup(void)
{
    static const struct kp_container both[] = {{.name = {"web", 3}, .kind = KP_REGULAR},
                                               {.name = {"db", 2}, .kind = KP_REGULAR}};
    static const struct kp_pod two = {.containers = both, .regular_count = 2};
    const struct kp_event ended = {.kind = KP_EVENT_EXITED, .cid = KP_TEXT("c1")};
    const struct kp_event stopped = {
        .kind = KP_EVENT_SANDBOX, .container = -1, .u.sandbox.what = KP_SANDBOX_STOP};
    enum kp_effect_kind last = KP_EFFECT_SYNC;
    struct unit_run own;

    open_run(&own, "1.20", &two);
    own.node.sink = (struct kp_sink){note_last, &last};
    kp_runtime_state_init(&own.node, false);
    kp_runtime_sandbox_add(&own.run.truth, 0);
    kp_runtime_create(&own.run.truth, 0, KP_TEXT("c1"))->state = KP_INSTANCE_RUNNING;
    own.run.truth.containers[0].list[0].hash = kp_container_hash(&own.node.profile, &both[0]);
    own.run.truth.changed = true;
    kp_pleg_relist(own.run.pleg, &own.run.truth);
    kp_pod_worker_update(&own.run, "create");
    kp_pod_worker_poll(&own.run);
    CHECK_INT(last, KP_EFFECT_KILL);
    CHECK_INT(kp_sync_take_event(&own.run, &ended), KP_OK);
    kp_pod_worker_poll(&own.run);
    CHECK_INT(last, KP_EFFECT_SANDBOX);
    CHECK_INT(kp_sync_take_event(&own.run, &stopped), KP_OK);
    kp_pod_worker_poll(&own.run);
    CHECK_INT(last, KP_EFFECT_START);
    close_run(&own);
}

/* S-342: a pod is found over while none of its sandboxes is ready, of whatever age. */
static void a_pod_is_found_over_without_a_ready_sandbox(void)
{
    struct kp_pod_status api = {.phase = KP_FAILED};
    const struct kp_pod ended = {.containers = &web, .regular_count = 1, .status = &api};

    for (int ready = 0; ready < 2; ready++) {
        struct unit_run own;

        open_run(&own, "1.36", &ended);
        own.run.api.status = &api;
        for (uint32_t i = 0; i < 3; i++)
            kp_runtime_sandbox_add(&own.run.truth, i);
        own.run.truth.sandboxes[0].ready = own.run.truth.sandboxes[1].ready = false;
        own.run.truth.sandboxes[2].ready = ready;
        own.run.truth.changed = true;
        kp_pleg_relist(own.run.pleg, &own.run.truth);
        kp_pod_worker_update(&own.run, "create");
        CHECK_INT(own.run.terminated, !ready);
        close_run(&own);
    }
}

/* Up to 1.21 nobody listens of a pod that is over by its status; from 1.22 on a worker does until
 * it is through, which it may be at once (S-342). */
static void a_worker_listens_until_it_is_through(void)
{
    static const struct {
        const char *version;
        bool before, behind;
    } rows[] = {{"1.21", false, false}, {"1.22.3", true, false}, {"1.36", true, true}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_pod_status api = {.phase = KP_FAILED};
        const struct kp_pod ended = {.containers = &web, .regular_count = 1, .status = &api};
        struct unit_run own;

        open_run(&own, rows[i].version, &ended);
        own.run.api.status = &api;
        CHECK_INT(kp_pod_worker_listens(&own.run), rows[i].before);
        kp_pod_worker_update(&own.run, "create");
        CHECK_INT(kp_pod_worker_listens(&own.run), rows[i].behind);
        close_run(&own);
    }
}

const struct unit_test pod_workers_test[] = {
    {"a pod is found over without a ready sandbox", a_pod_is_found_over_without_a_ready_sandbox},
    {"a worker listens until it is through", a_worker_listens_until_it_is_through},
    {"a sync goes on behind the kill for want of a cgroup",
     a_sync_goes_on_behind_the_kill_for_want_of_a_cgroup},
    {"a new worker waits for no relist", a_new_worker_waits_for_no_relist},
    {"nor does one that never began", nor_does_one_that_never_began},
    {"nor does the one behind a removed worker", nor_does_the_one_behind_a_removed_worker},
    {"something is left while anything is ready or runs",
     something_is_left_while_anything_is_ready_or_runs},
    {"the last container is left and reclaimed", the_last_container_is_left_and_reclaimed},
    {"a pod has ended when none of its containers runs",
     a_pod_has_ended_when_none_of_its_containers_runs},
    {"who runs below a newer one is killed", who_runs_below_a_newer_one_is_killed},
    {"a pod without a sync is due in no queue", a_pod_without_a_sync_is_due_in_no_queue},
    {"an update has the status that it came with", an_update_has_the_status_that_it_came_with},
    {"an address is of the relist before the sync", an_address_is_of_the_relist_before_the_sync},
    {"a new kubelet calculates the grace anew", a_new_kubelet_calculates_the_grace_anew},
    {"what no relist has seen is killed all the same",
     what_no_relist_has_seen_is_killed_all_the_same},
    {"a removed pod is killed by a list of two seconds",
     a_removed_pod_is_killed_by_a_list_of_two_seconds},
    {"what is left of a removed pod is killed once", what_is_left_of_a_removed_pod_is_killed_once},
    {0},
};
