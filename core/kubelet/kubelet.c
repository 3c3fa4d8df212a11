#include "kubelet.h"

#include "kubelet_ticks.h"
#include "pleg.h"
#include "pod_killer.h"
#include "pod_parts.h"
#include "pod_workers.h"
#include "status_manager.h"
#include "sync_pod.h"

#include <string.h>

struct kp_kubelet {
    struct kp_node node;
    struct kp_mem mem;
    struct kp_loop_pod **pods;
    size_t pod_count;
    size_t pod_cap;
    struct kp_loop_pod *active; /* pods with something to do at this instant */
    bool restarting;            /* the process is down until node.up_ns */
    int64_t wake_ns;            /* earliest wish of any pod; KP_NEVER: none */
};

/* ---- birth and death --------------------------------------------------------------------- */

static enum kp_err make_probers(struct kp_kubelet *kubelet)
{
    struct kp_prober_config config = {.profile = &kubelet->node.profile,
                                      .start_ns = kubelet->node.start_ns,
                                      .wall_minus_now_ns = kubelet->node.wall_minus_now_ns,
                                      .last_n = &kubelet->node.last_n,
                                      .draws = kubelet->node.draws,
                                      .sink = kubelet->node.sink};

    return kp_prober_manager_new(&kubelet->mem, &config, &kubelet->node.probers);
}

enum kp_err kp_kubelet_new(const struct kp_mem *mem, const struct kp_engine_config *config,
                           struct kp_kubelet **out)
{
    struct kp_kubelet *kubelet = kp_mem_array(mem, 1, sizeof *kubelet);

    if (!kubelet)
        return KP_ENOMEM;
    kubelet->mem = *mem;
    kubelet->node = (struct kp_node){
        .mem = &kubelet->mem,
        .profile = *config->profile,
        .sink = config->sink,
        .draws = config->draws,
        .limits = kp_backoff_limits(config->profile),
        .wall_minus_now_ns = config->wall_ns,
        .start_ns = -config->uptime_ns,
        .sync_frequency_ns = config->sync_frequency_ns,
    };
    kp_runtime_state_init(&kubelet->node, false);
    kubelet->wake_ns = KP_NEVER;
    if (make_probers(kubelet) != KP_OK) {
        kp_mem_free(mem, kubelet);
        return KP_ENOMEM;
    }
    *out = kubelet;
    return KP_OK;
}

void kp_kubelet_free(struct kp_kubelet *kubelet)
{
    struct kp_mem mem = kubelet->mem;

    kp_prober_manager_free(kubelet->node.probers);
    for (size_t i = 0; i < kubelet->pod_count; i++) {
        kp_pod_parts_deinit(&kubelet->pods[i]->run);
        kp_mem_free(&mem, kubelet->pods[i]);
    }
    kp_mem_free(&mem, kubelet->pods);
    kp_mem_free(&mem, kubelet);
}

static void wake(struct kp_kubelet *kubelet, struct kp_loop_pod *pod)
{
    if (pod->active)
        return;
    pod->active = true;
    pod->next_active = kubelet->active;
    kubelet->active = pod;
}

/*
 * S-005: of the pods that are added together the oldest comes first; of equal ones the first added,
 * where upstream's sort leaves it open.
 */
static void wake_added(struct kp_kubelet *kubelet, struct kp_loop_pod *pod)
{
    struct kp_loop_pod **link = &kubelet->active;

    while (*link && (*link)->added && (*link)->run.api.creation_ns <= pod->run.api.creation_ns)
        link = &(*link)->next_active;
    pod->added = true;
    pod->active = true;
    pod->next_active = *link;
    *link = pod;
}

/* Those that wait to be added, in their order, before all others. */
static void wake_all_added(struct kp_kubelet *kubelet)
{
    for (struct kp_loop_pod *pod = kubelet->active; pod; pod = pod->next_active)
        pod->active = false;
    kubelet->active = NULL;
    for (size_t i = 0; i < kubelet->pod_count; i++)
        if (kubelet->pods[i]->added)
            wake_added(kubelet, kubelet->pods[i]);
}

static enum kp_err make_room(struct kp_kubelet *kubelet)
{
    struct kp_loop_pod **pods = kp_grow(&kubelet->mem, kubelet->pods, &kubelet->pod_cap,
                                        kubelet->pod_count + 1, sizeof *pods);

    if (!pods)
        return KP_ENOMEM;
    kubelet->pods = pods;
    return KP_OK;
}

static bool has_uid(const struct kp_kubelet *kubelet, struct kp_text uid)
{
    for (size_t i = 0; i < kubelet->pod_count; i++)
        if (kp_text_equal(kubelet->pods[i]->run.api.uid, uid))
            return true;
    return false;
}

static enum kp_err open_pod(struct kp_kubelet *kubelet, struct kp_loop_pod *pod,
                            const struct kp_pod *object, uint32_t handle)
{
    enum kp_err err = kp_pod_parts_init(&pod->run, &kubelet->node, object, handle);

    if (err != KP_OK)
        return err;
    err = kp_prober_manager_reserve(kubelet->node.probers, handle, object);
    if (err != KP_OK)
        kp_pod_parts_deinit(&pod->run);
    return err;
}

static enum kp_err new_pod(struct kp_kubelet *kubelet, const struct kp_pod *object)
{
    struct kp_loop_pod *pod = kp_mem_array(&kubelet->mem, 1, sizeof *pod);

    if (!pod)
        return KP_ENOMEM;
    if (open_pod(kubelet, pod, object, (uint32_t)kubelet->pod_count) != KP_OK) {
        kp_mem_free(&kubelet->mem, pod);
        return KP_ENOMEM;
    }
    kubelet->pods[kubelet->pod_count++] = pod;
    wake_added(kubelet, pod);
    return KP_OK;
}

enum kp_err kp_kubelet_add_pod(struct kp_kubelet *kubelet, const struct kp_pod *pod,
                               uint32_t *handle, int64_t now_ns)
{
    enum kp_err err;

    kubelet->node.now_ns = now_ns;
    if (has_uid(kubelet, pod->uid))
        return KP_EEXIST;
    err = make_room(kubelet);
    if (err == KP_OK)
        err = new_pod(kubelet, pod);
    if (err == KP_OK)
        *handle = (uint32_t)kubelet->pod_count - 1;
    return err;
}

/* ---- events of the world ----------------------------------------------------------------- */

static enum kp_err answered(struct kp_kubelet *kubelet, struct kp_loop_pod *pod,
                            const struct kp_event *event)
{
    /* A probe's answer is the prober's business and wakes no pod. An answer that nobody waits for
     * any more comes all the same and is ignored; while the process is down nobody waits. */
    if (kubelet->restarting)
        return KP_OK;
    if (kp_sync_hook_answered(&pod->run, event))
        wake(kubelet, pod);
    else
        (void)kp_prober_manager_answer(kubelet->node.probers, event->u.answer.n,
                                       event->u.answer.result, event->message,
                                       kubelet->node.now_ns);
    return KP_OK;
}

static void set_runtime(struct kp_kubelet *kubelet, bool down)
{
    kp_runtime_state_set(&kubelet->node, down);
    for (size_t i = 0; i < kubelet->pod_count; i++)
        wake(kubelet, kubelet->pods[i]);
}

static void step_clock(struct kp_kubelet *kubelet, int64_t by_ns)
{
    kubelet->node.wall_minus_now_ns = kp_later_ns(kubelet->node.wall_minus_now_ns, by_ns);
    kp_prober_manager_set_wall(kubelet->node.probers, kubelet->node.wall_minus_now_ns);
}

/* The kubelet dies now; what it has asked of the runtime goes on without it. */
static void stop_kubelet(struct kp_kubelet *kubelet, int64_t down_ns)
{
    kubelet->node.up_ns = kp_later_ns(kubelet->node.now_ns, down_ns);
    kubelet->restarting = true;
    for (size_t i = 0; i < kubelet->pod_count; i++)
        kp_pod_parts_forget(&kubelet->pods[i]->run);
}

/* A deletion comes as an update of the object, its removal as another operation (S-004). */
static enum kp_err take_event(struct kp_kubelet *kubelet, struct kp_loop_pod *pod,
                              const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        return answered(kubelet, pod, event);
    case KP_EVENT_RUNNING:
    case KP_EVENT_STARTFAIL:
    case KP_EVENT_EXITED:
    case KP_EVENT_KILLFAIL:
    case KP_EVENT_SANDBOX:
        return kp_sync_take_event(&pod->run, event);
    case KP_EVENT_DELETE:
        kp_pod_config_delete(&pod->config, event->u.grace_s);
        return KP_OK;
    case KP_EVENT_UPDATE:
        return kp_pod_config_update(&pod->config, &pod->run, event->u.update);
    case KP_EVENT_KUBELET_RESTART:
        stop_kubelet(kubelet, event->u.down_ns);
        return KP_OK;
    case KP_EVENT_CLOCK:
        step_clock(kubelet, event->u.by_ns);
        return KP_OK;
    case KP_EVENT_RUNTIME_DOWN:
    case KP_EVENT_RUNTIME_UP:
        set_runtime(kubelet, event->kind == KP_EVENT_RUNTIME_DOWN);
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

enum kp_err kp_kubelet_event(struct kp_kubelet *kubelet, const struct kp_event *event,
                             int64_t now_ns)
{
    enum kp_err err;

    kubelet->node.now_ns = now_ns;
    if (event->pod >= kubelet->pod_count)
        return KP_EUNKNOWN;
    err = take_event(kubelet, kubelet->pods[event->pod], event);
    if (err == KP_OK && event->kind != KP_EVENT_ANSWER)
        wake(kubelet, kubelet->pods[event->pod]);
    return err;
}

/* ---- ticks ------------------------------------------------------------------------------- */

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
    if (added)
        kp_pod_worker_update(run, "create");
    if (pod->requeued)
        kp_pod_worker_update(run, "retry");
    if (pod->updated)
        kp_pod_worker_update(run, "update");
    pod->added = pod->updated = pod->requeued = false;
    if (added && !run->node->profile.add_pod_each_sync)
        kp_prober_manager_add_pod(run->node->probers, run->handle, &run->api, run->node->now_ns);
    if (!added && !run->gone && run->node->profile.death_asks_for_status &&
        kp_pleg_any_died(run->pleg)) {
        kp_sync_trigger_readiness(run);
        kp_prober_manager_run_ready(run->node->probers, run->node->now_ns);
    }
    kp_pleg_clean_up(run, !added);
}

/* What the relist saw, and what was due, comes before the housekeeping of its instant, which up to
 * 1.21 takes away what a pod's end asks for. */
static void tick(struct kp_loop_pod *pod)
{
    const struct kp_node *node = pod->run.node;

    kp_tick_relist(pod);
    kp_tick_sync(pod);
    if (!node->profile.worker_phases && !node->runtime.asleep && !pod->added) {
        deliver(pod);
        pod->updated |= kp_status_send(&pod->run);
    }
    kp_tick_pod(pod);
}

static void tick_all(struct kp_kubelet *kubelet)
{
    int64_t now_ns = kubelet->node.now_ns;

    kp_sync_loop_begin(&kubelet->node);
    if (kubelet->node.runtime.woke)
        wake_all_added(kubelet);
    else if (kubelet->wake_ns > now_ns)
        return;
    for (size_t i = 0; i < kubelet->pod_count; i++)
        if (kubelet->pods[i]->wake_ns <= now_ns || kubelet->node.runtime.woke) {
            wake(kubelet, kubelet->pods[i]);
            tick(kubelet->pods[i]);
        }
}

/* ---- the sync loop ----------------------------------------------------------------------- */

/* Liveness syncs on Failure alone (S-008); readiness and startup set their field (S-009, S-010) and
 * sync from 1.21 on (S-011, P-143). */
static void take_result(struct kp_kubelet *kubelet, enum kp_probe_type type,
                        const struct kp_results_update *update)
{
    bool syncs = type == KP_LIVENESS || kubelet->node.profile.probe_sync;
    struct kp_loop_pod *pod = kubelet->pods[update->pod];
    struct kp_pod_run *run = &pod->run;
    bool success = update->result == KP_RESULT_SUCCESS;

    if (run->gone || (type == KP_LIVENESS && update->result != KP_RESULT_FAILURE))
        return;
    if (type == KP_READINESS)
        kp_status_set_ready(run, update->container, update->cid, success);
    if (type == KP_STARTUP)
        kp_status_set_started(run, update->container, update->cid, success);
    wake(kubelet, pod);
    /* One by one: the worker takes the first at once, the others wait as one update. */
    if (syncs)
        kp_pod_worker_update(run, "probe");
    pod->updated |= kp_status_send(run); /* it comes back before that sync has ended (S-004) */
}

/* The sync loop takes results while it turns; up to 1.20 two goroutines take all but liveness. */
static bool is_taken(const struct kp_kubelet *kubelet, enum kp_probe_type type)
{
    return !kubelet->node.runtime.asleep ||
           (type != KP_LIVENESS && !kubelet->node.profile.probe_sync);
}

/* All results that wait; those of a pod that is gone change nothing (S-012). */
static bool take_results(struct kp_kubelet *kubelet)
{
    struct kp_results_update update;
    bool any = false;

    if (!kp_results_any(kubelet->node.probers))
        return false;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        while (is_taken(kubelet, (enum kp_probe_type)type) &&
               kp_results_take(kubelet->node.probers, (enum kp_probe_type)type, &update)) {
            take_result(kubelet, (enum kp_probe_type)type, &update);
            any = true;
        }
    return any;
}

/* What a relist on demand sees, it sees after the sync that asked for it (S-018).  Of a pod of
 * which the runtime has nothing it learns nothing.  Is there one that does? */
static bool relist_on_demand(struct kp_pod_run *run)
{
    if (!kp_pod_worker_take_relist(run) || run->node->runtime.down || run->truth.sandbox_count == 0)
        return false;
    kp_pleg_relist(run->pleg, &run->truth);
    kp_pod_worker_observe(run);
    return true;
}

static void step_active(struct kp_kubelet *kubelet)
{
    for (struct kp_loop_pod *pod = kubelet->active; pod; pod = pod->next_active) {
        do {
            if (!kubelet->node.runtime.asleep)
                deliver(pod);
            kp_sync_tell_late_hooks(pod->run.sync);
            kp_pod_worker_poll(&pod->run);
            kp_pod_killer_poll(&pod->run);
        } while (relist_on_demand(&pod->run));
    }
}

static void end_instant(struct kp_kubelet *kubelet)
{
    struct kp_loop_pod *pod = kubelet->active;

    if (!pod)
        return;
    kubelet->active = NULL;
    for (struct kp_loop_pod *next; pod; pod = next) {
        next = pod->next_active;
        pod->updated |= kp_status_send(&pod->run);
        kp_status_tell_published(&pod->run);
        kp_pod_killer_poll(&pod->run);
        pod->wake_ns = kp_tick_wake_ns(pod);
        pod->active = false;
        if (pod->updated && !kubelet->node.runtime.asleep)
            wake(kubelet, pod); /* what was published comes back (S-004) */
    }
    kubelet->wake_ns = KP_NEVER;
    for (size_t i = 0; i < kubelet->pod_count; i++)
        if (kubelet->pods[i]->wake_ns < kubelet->wake_ns)
            kubelet->wake_ns = kubelet->pods[i]->wake_ns;
}

/* A new process: it lists what runs, then hears of its pods (S-304, K-08). */
static void start_kubelet(struct kp_kubelet *kubelet)
{
    struct kp_node *node = &kubelet->node;

    kubelet->restarting = false;
    node->start_ns = node->now_ns;
    kp_runtime_state_init(node, node->runtime.down);
    kp_prober_manager_restart(node->probers, node->start_ns);
    for (size_t i = 0; i < kubelet->pod_count; i++) {
        struct kp_loop_pod *pod = kubelet->pods[i];
        struct kp_pod_run *run = &pod->run;

        (void)kp_pod_config_take(&pod->config, run);
        pod->updated = pod->requeued = false; /* it lists the objects as they are now */
        if (!node->runtime.down) {
            kp_pleg_collect(run, false); /* before it looks for the first time (S-341) */
            kp_pleg_relist(run->pleg, &run->truth);
        }
        pod->added = !run->gone;
    }
    kp_sync_loop_end(node);
    wake_all_added(kubelet);
}

void kp_kubelet_settle(struct kp_kubelet *kubelet, int64_t now_ns)
{
    kubelet->node.now_ns = now_ns;
    if (kubelet->restarting && now_ns < kubelet->node.up_ns)
        return;
    if (kubelet->restarting)
        start_kubelet(kubelet); /* its tickers tick a period later for the first time */
    else
        tick_all(kubelet);
    step_active(kubelet);
    kp_prober_manager_run(kubelet->node.probers, now_ns);
    while (take_results(kubelet))
        step_active(kubelet);
    kp_sync_loop_end(&kubelet->node);
    end_instant(kubelet);
}

int64_t kp_kubelet_next_ns(const struct kp_kubelet *kubelet)
{
    int64_t next_ns;

    if (kubelet->restarting)
        return kubelet->node.up_ns;
    next_ns = kp_prober_manager_next_ns(kubelet->node.probers);
    if (kubelet->active)
        return kubelet->node.now_ns;
    if (kp_sync_loop_next_ns(&kubelet->node) < next_ns)
        next_ns = kp_sync_loop_next_ns(&kubelet->node);
    return kubelet->wake_ns < next_ns ? kubelet->wake_ns : next_ns;
}

const struct kp_pod_status *kp_kubelet_status(const struct kp_kubelet *kubelet, uint32_t pod)
{

    const struct kp_status_box *box;

    if (pod >= kubelet->pod_count)
        return NULL;
    box = kp_status_published(&kubelet->pods[pod]->run);
    return box ? &box->status : NULL;
}
