/*
 * engine.c: the kubelet of a node, above its modules: it takes what comes in, turns the sync loop,
 * and ends the instant.
 *
 * Upstream: kubelet.go syncLoopIteration, HandlePod*, handleProbeSync; kubelet_pods.go
 * HandlePodCleanups.
 */
#include "engine.h"

#include "kubelet/admission.h"
#include "kubelet/kubelet_ticks.h"
#include "kubelet/pleg.h"
#include "kubelet/pod_killer.h"
#include "kubelet/pod_parts.h"
#include "kubelet/pod_workers.h"
#include "kubelet/status_manager.h"
#include "kubelet/sync_pod.h"

#include <assert.h>

struct kp_engine {
    struct kp_node node;
    struct kp_mem mem;
    struct kp_sink sink; /* the caller's */
    bool has_effects;    /* since the last run ended */
    bool unsettled;      /* an event came since the last settle */
    struct kp_loop_pod **pods;
    size_t pod_count;
    size_t pod_cap;
    struct kp_loop_pod *active; /* pods with something to do at this instant */
    bool restarting;            /* the process is down until node.up_ns */
    int64_t wake_ns;            /* earliest wish of any pod; KP_NEVER: none */
};

/* ---- birth and death --------------------------------------------------------------------- */

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    struct kp_engine *engine = ctx;

    engine->has_effects = true;
    engine->sink.effect(engine->sink.ctx, effect);
}

static enum kp_err make_probers(struct kp_engine *engine)
{
    struct kp_prober_config config = {.profile = &engine->node.profile,
                                      .start_ns = engine->node.start_ns,
                                      .wall_minus_now_ns = engine->node.wall_minus_now_ns,
                                      .last_n = &engine->node.last_n,
                                      .draws = engine->node.draws,
                                      .sink = engine->node.sink};

    return kp_prober_manager_new(&engine->mem, &config, &engine->node.probers);
}

enum kp_err kp_engine_new(const struct kp_mem *mem, const struct kp_engine_config *config,
                          struct kp_engine **out)
{
    struct kp_engine *engine = kp_mem_array(mem, 1, sizeof *engine);

    *out = NULL;
    if (!engine)
        return KP_ENOMEM;
    engine->mem = *mem;
    engine->sink = config->sink;
    engine->node = (struct kp_node){
        .mem = &engine->mem,
        .profile = *config->profile,
        .sink = {count_effect, engine},
        .draws = config->draws,
        .limits = kp_backoff_limits(config->profile),
        .wall_minus_now_ns = config->wall_ns,
        .start_ns = -config->uptime_ns,
        .sync_frequency_ns = config->sync_frequency_ns,
    };
    kp_runtime_state_init(&engine->node, false);
    engine->wake_ns = KP_NEVER;
    if (make_probers(engine) != KP_OK) {
        kp_mem_free(mem, engine);
        return KP_ENOMEM;
    }
    *out = engine;
    return KP_OK;
}

void kp_engine_free(struct kp_engine *engine)
{
    struct kp_mem mem;

    if (!engine)
        return;
    mem = engine->mem;
    kp_prober_manager_free(engine->node.probers);
    for (size_t i = 0; i < engine->pod_count; i++) {
        kp_pod_parts_deinit(&engine->pods[i]->run);
        kp_mem_free(&mem, engine->pods[i]);
    }
    kp_mem_free(&mem, engine->pods);
    kp_mem_free(&mem, engine);
}

static void wake(struct kp_engine *engine, struct kp_loop_pod *pod)
{
    if (pod->active)
        return;
    pod->active = true;
    pod->next_active = engine->active;
    engine->active = pod;
}

/*
 * S-005: of the pods that are added together the oldest comes first; of equal ones the first added,
 * where upstream's sort leaves it open.
 */
static void wake_added(struct kp_engine *engine, struct kp_loop_pod *pod)
{
    struct kp_loop_pod **link = &engine->active;

    while (*link && (*link)->added && (*link)->run.api.creation_ns <= pod->run.api.creation_ns)
        link = &(*link)->next_active;
    pod->added = true;
    pod->active = true;
    pod->next_active = *link;
    *link = pod;
}

/* Every pod, and those that wait to be added, in their order, before all others. */
static void wake_all(struct kp_engine *engine)
{
    engine->active = NULL;
    for (size_t i = 0; i < engine->pod_count; i++) {
        engine->pods[i]->active = false;
        if (!engine->pods[i]->added)
            wake(engine, engine->pods[i]);
    }
    for (size_t i = 0; i < engine->pod_count; i++)
        if (engine->pods[i]->added)
            wake_added(engine, engine->pods[i]);
}

static enum kp_err make_room(struct kp_engine *engine)
{
    struct kp_loop_pod **pods =
        kp_grow(&engine->mem, engine->pods, &engine->pod_cap, engine->pod_count + 1, sizeof *pods);

    if (!pods)
        return KP_ENOMEM;
    engine->pods = pods;
    return KP_OK;
}

static bool has_uid(const struct kp_engine *engine, struct kp_text uid)
{
    for (size_t i = 0; i < engine->pod_count; i++)
        if (kp_text_equal(engine->pods[i]->run.api.uid, uid))
            return true;
    return false;
}

static enum kp_err open_pod(struct kp_engine *engine, struct kp_loop_pod *pod,
                            const struct kp_pod *object, uint32_t handle)
{
    enum kp_err err = kp_pod_parts_init(&pod->run, &engine->node, object, handle);

    if (err != KP_OK)
        return err;
    err = kp_prober_manager_reserve(engine->node.probers, handle, object);
    if (err != KP_OK)
        kp_pod_parts_deinit(&pod->run);
    return err;
}

static enum kp_err new_pod(struct kp_engine *engine, const struct kp_pod *object)
{
    struct kp_loop_pod *pod = kp_mem_array(&engine->mem, 1, sizeof *pod);

    if (!pod)
        return KP_ENOMEM;
    if (open_pod(engine, pod, object, (uint32_t)engine->pod_count) != KP_OK) {
        kp_mem_free(&engine->mem, pod);
        return KP_ENOMEM;
    }
    engine->pods[engine->pod_count++] = pod;
    wake_added(engine, pod);
    return KP_OK;
}

enum kp_err kp_engine_add_pod(struct kp_engine *engine, const struct kp_pod *pod, uint32_t *handle)
{
    enum kp_err err;

    if (has_uid(engine, pod->uid))
        return KP_EEXIST;
    err = make_room(engine);
    if (err == KP_OK)
        err = new_pod(engine, pod);
    if (err == KP_OK)
        *handle = (uint32_t)engine->pod_count - 1;
    return err;
}

/* ---- events of the world ----------------------------------------------------------------- */

static enum kp_err answered(struct kp_engine *engine, struct kp_loop_pod *pod,
                            const struct kp_event *event)
{
    /* A probe's answer is the prober's business and wakes no pod. An answer that nobody waits for
     * any more comes all the same and is ignored; while the process is down nobody waits. */
    if (engine->restarting)
        return KP_OK;
    if (kp_sync_hook_answered(&pod->run, event))
        wake(engine, pod);
    else
        (void)kp_prober_manager_answer(engine->node.probers, event->u.answer.n,
                                       event->u.answer.result, event->message, engine->node.now_ns);
    return KP_OK;
}

static void set_runtime(struct kp_engine *engine, bool down)
{
    kp_runtime_state_set(&engine->node, down);
    wake_all(engine);
}

static void step_clock(struct kp_engine *engine, int64_t by_ns)
{
    engine->node.wall_minus_now_ns = kp_later_ns(engine->node.wall_minus_now_ns, by_ns);
    kp_prober_manager_set_wall(engine->node.probers, engine->node.wall_minus_now_ns);
    wake_all(engine); /* their deadlines are by it */
}

/* The kubelet dies now; what it has requested of the runtime goes on without it. */
static void stop_kubelet(struct kp_engine *engine, int64_t down_ns)
{
    engine->node.up_ns = kp_later_ns(engine->node.now_ns, down_ns);
    engine->restarting = true;
    for (size_t i = 0; i < engine->pod_count; i++)
        kp_pod_parts_forget(&engine->pods[i]->run);
}

/* A deletion comes as an update of the object, its removal as another operation (S-004). */
static enum kp_err take_event(struct kp_engine *engine, struct kp_loop_pod *pod,
                              const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        return answered(engine, pod, event);
    case KP_EVENT_RUNNING:
    case KP_EVENT_STARTFAIL:
    case KP_EVENT_EXITED:
    case KP_EVENT_KILLFAIL:
    case KP_EVENT_SANDBOX:
        return kp_sync_take_event(&pod->run, event);
    case KP_EVENT_DELETE:
        kp_pod_config_delete(&pod->config, event->u.grace_s);
        pod->run.deletion_requested = true;
        return KP_OK;
    case KP_EVENT_UPDATE:
        return kp_pod_config_update(&pod->config, &pod->run, event->u.update);
    case KP_EVENT_KUBELET_RESTART:
        stop_kubelet(engine, event->u.down_ns);
        return KP_OK;
    case KP_EVENT_CLOCK:
        step_clock(engine, event->u.by_ns);
        return KP_OK;
    case KP_EVENT_RUNTIME_DOWN:
    case KP_EVENT_RUNTIME_UP:
        set_runtime(engine, event->kind == KP_EVENT_RUNTIME_DOWN);
        return KP_OK;
    case KP_EVENT_WAITING:
    case KP_EVENT_SYNC:
    case KP_EVENT_PHASE:
    case KP_EVENT_NOSTATUS:
    case KP_EVENT_REMOVE:
    case KP_EVENT_CLEANUP:
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        return KP_OK; /* the kubelet decides on these itself */
    default:
        return KP_EINPUT;
    }
}

enum kp_err kp_engine_event(struct kp_engine *engine, const struct kp_event *event)
{
    enum kp_err err;

    if (event->pod >= engine->pod_count)
        return KP_EUNKNOWN;
    err = take_event(engine, engine->pods[event->pod], event);
    if (err != KP_OK)
        return err;
    if (event->kind != KP_EVENT_ANSWER)
        wake(engine, engine->pods[event->pod]);
    engine->unsettled = true;
    return KP_OK;
}

/* ---- ticks ------------------------------------------------------------------------------- */

/* Up to 1.21 the sync loop makes a status for each death, for its clean-up. */
static void ask_after_deaths(struct kp_pod_run *run)
{
    for (unsigned deaths = kp_pleg_deaths(run->pleg); deaths > 0; deaths--) {
        kp_sync_ask_status(run);
        if (run->node->profile.death_triggers_readiness)
            kp_prober_manager_run_ready(run->node->probers, run->node->now_ns);
    }
}

/* The sync loop hands all that has come in to the worker. */
static void deliver(struct kp_loop_pod *pod)
{
    struct kp_pod_run *run = &pod->run;
    bool added = pod->added;
    unsigned pleg_events;

    pod->updated |= kp_pod_config_take(&pod->config, run);
    pleg_events = kp_pleg_take_events(run->pleg);
    if (added)
        pleg_events = 0; /* of a pod whose uid was not known yet (S-015) */
    for (; pleg_events > 0; pleg_events--)
        kp_pod_worker_update(run, "pleg");
    if (added && !kp_admission_rejects(run))
        kp_pod_worker_update(run, "create");
    if (pod->requeued)
        kp_pod_worker_update(run, "retry");
    if (pod->updated)
        kp_pod_worker_update(run, "update");
    pod->added = pod->updated = pod->requeued = false;
    if (added && !run->node->profile.add_pod_each_sync)
        kp_prober_manager_add_pod(run->node->probers, run->handle, &run->api, run->node->now_ns);
    if (!added && !run->gone && !run->node->profile.worker_phases)
        ask_after_deaths(run);
    kp_pleg_clean_up(run, !added);
}

/* What the relist saw, and what was due, comes before the housekeeping of its instant, which up to
 * 1.21 takes away what a pod's end asks for. */
static void tick(struct kp_loop_pod *pod)
{
    const struct kp_node *node = pod->run.node;

    kp_tick_relist(pod);
    kp_tick_sync(pod);
    if (!node->profile.worker_phases && !node->runtime.asleep) {
        deliver(pod);
        pod->updated |= kp_status_send(&pod->run);
    }
    kp_tick_pod(pod);
}

static void tick_all(struct kp_engine *engine)
{
    int64_t now_ns = engine->node.now_ns;

    kp_sync_loop_begin(&engine->node);
    if (engine->node.runtime.woke)
        wake_all(engine);
    else if (engine->wake_ns > now_ns)
        return;
    for (size_t i = 0; i < engine->pod_count; i++)
        if (engine->pods[i]->wake_ns <= now_ns || engine->node.runtime.woke) {
            wake(engine, engine->pods[i]);
            tick(engine->pods[i]);
        }
}

/* ---- the sync loop ----------------------------------------------------------------------- */

/* Liveness syncs on Failure alone (S-008); readiness and startup set their field (S-009, S-010) and
 * sync from 1.21 on (S-011, P-143). */
static void take_result(struct kp_engine *engine, enum kp_probe_type type,
                        const struct kp_results_update *update)
{
    bool syncs = type == KP_LIVENESS || engine->node.profile.probe_sync;
    struct kp_loop_pod *pod = engine->pods[update->pod];
    struct kp_pod_run *run = &pod->run;
    bool success = update->result == KP_RESULT_SUCCESS;

    if (type == KP_LIVENESS && update->result != KP_RESULT_FAILURE)
        return;
    if (type == KP_READINESS)
        kp_status_set_ready(run, update->container, update->cid, success);
    if (type == KP_STARTUP)
        kp_status_set_started(run, update->container, update->cid, success);
    wake(engine, pod);
    /* One by one: the worker takes the first at once, the others wait as one update. */
    if (syncs)
        kp_pod_worker_update(run, "probe");
    pod->updated |= kp_status_send(run); /* it comes back before that sync has ended (S-004) */
}

/* The sync loop takes results while it turns; up to 1.20 two goroutines take all but liveness. */
static bool is_taken(const struct kp_engine *engine, enum kp_probe_type type)
{
    return !engine->node.runtime.asleep ||
           (type != KP_LIVENESS && !engine->node.profile.probe_sync);
}

/* All results that wait; those of a pod that is gone change nothing (S-012). */
static void take_results(struct kp_engine *engine)
{
    struct kp_results_update update;

    if (!kp_results_any(engine->node.probers))
        return;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        while (is_taken(engine, (enum kp_probe_type)type) &&
               kp_results_take(engine->node.probers, (enum kp_probe_type)type, &update))
            take_result(engine, (enum kp_probe_type)type, &update);
}

/* What a relist on demand sees, it sees after the sync that requested it (S-018).  Of a pod of
 * which the runtime has nothing it learns nothing.  Is there one that does? */
static bool relist_on_demand(struct kp_pod_run *run)
{
    if (!kp_pod_worker_take_relist(run) || run->node->runtime.down || run->truth.sandbox_count == 0)
        return false;
    kp_pleg_relist(run->pleg, &run->truth);
    kp_pod_worker_observe(run);
    return true;
}

static void step_active(struct kp_engine *engine)
{
    for (struct kp_loop_pod *pod = engine->active; pod; pod = pod->next_active) {
        do {
            if (!engine->node.runtime.asleep)
                deliver(pod);
            kp_sync_emit_late_hooks(pod->run.sync);
            kp_pod_worker_poll(&pod->run);
        } while (relist_on_demand(&pod->run));
    }
}

static void end_instant(struct kp_engine *engine)
{
    struct kp_loop_pod *pod = engine->active;

    if (!pod)
        return;
    engine->active = NULL;
    for (struct kp_loop_pod *next; pod; pod = next) {
        next = pod->next_active;
        pod->updated |= kp_status_send(&pod->run);
        kp_status_emit_published(&pod->run);
        kp_pod_killer_poll(&pod->run);
        pod->wake_ns = kp_tick_wake_ns(pod);
        pod->active = false;
        if (pod->updated && !engine->node.runtime.asleep)
            wake(engine, pod); /* what was published comes back (S-004) */
    }
    engine->wake_ns = KP_NEVER;
    for (size_t i = 0; i < engine->pod_count; i++)
        if (engine->pods[i]->wake_ns < engine->wake_ns)
            engine->wake_ns = engine->pods[i]->wake_ns;
}

/* A new process: it lists what runs, then hears of its pods (S-304, K-08). */
static void start_kubelet(struct kp_engine *engine)
{
    struct kp_node *node = &engine->node;

    engine->restarting = false;
    node->start_ns = node->now_ns;
    kp_runtime_state_init(node, node->runtime.down);
    kp_prober_manager_restart(node->probers, node->start_ns);
    for (size_t i = 0; i < engine->pod_count; i++) {
        struct kp_loop_pod *pod = engine->pods[i];
        struct kp_pod_run *run = &pod->run;

        (void)kp_pod_config_take(&pod->config, run);
        pod->updated = false; /* it lists the objects as they are now */
        if (!node->runtime.down) {
            kp_pleg_collect(run, false); /* before it looks for the first time (S-341) */
            kp_pleg_relist(run->pleg, &run->truth);
        }
        pod->added = !run->gone;
    }
    kp_sync_loop_end(node);
    wake_all(engine);
}

/* Do everything that is due now, until the instant is quiet. */
static void settle(struct kp_engine *engine)
{
    engine->unsettled = false;
    if (engine->restarting && engine->node.now_ns < engine->node.up_ns)
        return;
    if (engine->restarting)
        start_kubelet(engine); /* its tickers tick a period later for the first time */
    else
        tick_all(engine);
    engine->node.ticked = false;
    step_active(engine);
    kp_prober_manager_run(engine->node.probers, engine->node.now_ns);
    engine->node.ticked = true;
    take_results(engine);
    step_active(engine);
    kp_sync_loop_end(&engine->node);
    end_instant(engine);
}

/* The next instant at which something is due without any event, or KP_NEVER. */
static int64_t due_ns(const struct kp_engine *engine)
{
    int64_t next_ns;

    if (engine->restarting)
        return engine->node.up_ns;
    next_ns = kp_prober_manager_next_ns(engine->node.probers);
    if (engine->active)
        return engine->node.now_ns;
    if (kp_sync_loop_next_ns(&engine->node) < next_ns)
        next_ns = kp_sync_loop_next_ns(&engine->node);
    return engine->wake_ns < next_ns ? engine->wake_ns : next_ns;
}

int64_t kp_engine_next_ns(const struct kp_engine *engine)
{
    return engine->unsettled ? engine->node.now_ns : due_ns(engine);
}

int64_t kp_engine_run(struct kp_engine *engine, int64_t to_ns)
{
    int64_t *now_ns = &engine->node.now_ns;

    assert(to_ns >= *now_ns);
    do {
        int64_t next_ns = kp_engine_next_ns(engine);
        bool is_due = next_ns <= to_ns;

        assert(next_ns >= *now_ns);
        *now_ns = is_due ? next_ns : to_ns;
        if (is_due)
            settle(engine);
    } while (!engine->has_effects && *now_ns < to_ns);
    engine->has_effects = false;
    return *now_ns;
}

const struct kp_pod_status *kp_engine_status(const struct kp_engine *engine, uint32_t pod)
{
    const struct kp_status_box *box;

    if (pod >= engine->pod_count)
        return NULL;
    box = kp_status_published(&engine->pods[pod]->run);
    return box ? &box->status : NULL;
}
