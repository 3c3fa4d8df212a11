#include "status_manager.h"

#include "../api/restart_rules.h"
#include "active_deadline.h"
#include "conditions.h"
#include "pleg.h"
#include "pod_workers_before_122.h"
#include "restart_policy.h"
#include "status_diff.h"

/* What the status manager keeps of one pod.  NULL: nothing yet. */
struct kp_statuses {
    struct kp_status_box *cached;    /* what this kubelet has computed last */
    struct kp_status_box *published; /* what the API server has */
    struct kp_status_box *emitted;   /* what effects have shown, at the end of an instant */
    bool dirty;                      /* a newer version waits for the API server */
    bool could_run; /* when that version was set, containers could still run (S-330) */
    bool finished;  /* podIsFinished */
};

enum kp_err kp_statuses_new(const struct kp_mem *mem, struct kp_statuses **out)
{
    *out = kp_mem_array(mem, 1, sizeof **out);
    return *out ? KP_OK : KP_ENOMEM;
}

void kp_statuses_forget(struct kp_statuses *own)
{
    kp_status_box_put(&own->cached, NULL);
    own->finished = false;
}

const struct kp_pod_status *kp_status_cached(const struct kp_pod_run *run)
{
    return run->statuses->cached ? &run->statuses->cached->status : NULL;
}

int64_t kp_status_deadline_left_ns(const struct kp_pod_run *run)
{
    /* What was computed last has begun when what was sent has. */
    return kp_active_deadline_left_ns(&run->api, run->api.status, kp_node_wall_ns(run->node));
}

struct kp_status_box *kp_status_published(const struct kp_pod_run *run)
{
    return run->statuses->published;
}

/* ---- the cache --------------------------------------------------------------------------- */

static bool may_leave_terminated(const struct kp_profile *profile, const struct kp_pod *pod,
                                 size_t container, const struct kp_state *end)
{
    if (kp_container_is_sidecar(&pod->containers[container]) ||
        (end->exit_code != 0 && kp_pod_policy_is(pod, "OnFailure")))
        return true;
    return profile->gates[KP_GATE_ContainerRestartRules] &&
           kp_container_returns(profile, pod, (int)container, end->exit_code);
}

/* checkContainerStateTransition (S-320). */
static bool is_legal(const struct kp_profile *profile, const struct kp_pod *pod,
                     const struct kp_pod_status *old, const struct kp_pod_status *new_status)
{
    if (!old || kp_pod_policy_is(pod, "Always") ||
        (profile->gates[KP_GATE_RestartAllContainersOnContainerExits] &&
         kp_all_containers_could_restart(pod)))
        return true;
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++) {
        const struct kp_container_status *was = kp_status_find(old, pod->containers[i].name);

        if (!was || was->state.kind != KP_STATE_TERMINATED ||
            new_status->statuses[i].state.kind == KP_STATE_TERMINATED)
            continue;
        if (!may_leave_terminated(profile, pod, i, &was->state))
            return false;
    }
    return true;
}

static void cut_times(struct kp_state *state)
{
    state->started_at_ns = kp_whole_second_ns(state->started_at_ns);
    state->finished_at_ns = kp_whole_second_ns(state->finished_at_ns);
}

/* What is stored and published has whole seconds (P-040); what a sync asks before has not (P-165).
 */
static void normalize(struct kp_pod_status *status)
{
    for (size_t i = 0; i < status->status_count; i++) {
        cut_times(&status->statuses[i].state);
        cut_times(&status->statuses[i].last_state);
    }
}

/* The pod has begun with its first status. */
static void put_start(const struct kp_pod_run *run, const struct kp_pod_status *old,
                      struct kp_pod_status *status)
{
    bool begins = !old || !old->has_start;

    status->has_start = true;
    status->start_ns = begins ? kp_whole_second_ns(kp_node_wall_ns(run->node)) : old->start_ns;
}

void kp_status_set(struct kp_pod_run *run, const struct kp_pod *pod, struct kp_status_box *box,
                   bool finished)
{
    struct kp_statuses *own = run->statuses;
    const struct kp_pod_status *old = own->cached ? &own->cached->status : pod->status;
    bool is_new = is_legal(&run->node->profile, pod, old, &box->status);

    put_start(run, old, &box->status);
    normalize(&box->status);
    if (is_new && own->cached && !pod->has_deletion && !finished)
        is_new = !kp_status_same(own->cached, box);
    if (!is_new) {
        kp_status_box_unref(box);
        return;
    }
    own->finished = own->finished || finished;
    own->dirty = true;
    own->could_run = !run->terminated;
    kp_status_box_put(&own->cached, box);
    kp_prober_manager_store_status(run->node->probers, run->handle, &box->status);
}

/* What is cached of an instance; NULL: nothing is, or another one. */
static const struct kp_container_status *cached_container(const struct kp_pod_run *run,
                                                          int container, struct kp_text cid)
{
    const struct kp_pod_status *cached = kp_status_cached(run);

    return cached && kp_text_equal(cached->statuses[container].container_id, cid)
               ? &cached->statuses[container]
               : NULL;
}

/* A readiness result changes ready and both conditions at once, of a known container (S-306). */
void kp_status_set_ready(struct kp_pod_run *run, int container, struct kp_text cid, bool ready)
{
    const struct kp_container_status *status = cached_container(run, container, cid);
    struct kp_status_box *box;

    if (!status || status->ready == ready)
        return;
    box = kp_status_box_copy(&run->boxes, run->statuses->cached);
    box->status.statuses[container].ready = ready;
    kp_conditions_update_ready(box, &run->node->profile, &run->api);
    kp_status_set(run, &run->api, box, false);
}

/* A startup result changes started alone (S-307). */
void kp_status_set_started(struct kp_pod_run *run, int container, struct kp_text cid, bool started)
{
    const struct kp_container_status *status = cached_container(run, container, cid);
    struct kp_status_box *box;

    if (!status || status->started == started)
        return;
    box = kp_status_box_copy(&run->boxes, run->statuses->cached);
    box->status.statuses[container].started = started;
    kp_status_set(run, &run->api, box, false);
}

void kp_status_sandbox_ready(struct kp_pod_run *run, const struct kp_pod *pod)
{
    struct kp_status_box *box;

    if (!run->node->profile.sandbox_ready_callback || !run->statuses->cached)
        return;
    box = kp_status_box_copy(&run->boxes, run->statuses->cached);
    kp_condition_put(box, KP_TEXT("PodReadyToStartContainers"), KP_CONDITION_TRUE, KP_TEXT_NONE,
                     KP_TEXT_NONE);
    kp_status_set(run, pod, box, false);
}

/* ---- the last word ----------------------------------------------------------------------- */

static bool has_begun(const struct kp_container_status *status)
{
    return status->state.kind != KP_STATE_WAITING || status->last_state.kind == KP_STATE_TERMINATED;
}

static bool last_init_done(const struct kp_pod *pod, const struct kp_container_status *status)
{
    if (kp_container_is_sidecar(&pod->containers[pod->init_count - 1]))
        return status->state.kind == KP_STATE_RUNNING && status->started;
    return (status->last_state.kind == KP_STATE_TERMINATED && status->last_state.exit_code == 0) ||
           (status->state.kind == KP_STATE_TERMINATED && status->state.exit_code == 0);
}

/* hasPodInitialized, which looks at the API's copy. */
static bool was_initialized(const struct kp_pod *pod)
{
    const struct kp_pod_status *api = pod->status;

    if (pod->init_count == 0)
        return true;
    if (!api)
        return false;
    for (size_t i = 0; i < pod->regular_count; i++) {
        const struct kp_container_status *status =
            kp_status_find(api, pod->containers[pod->init_count + i].name);

        if (status && has_begun(status))
            return true;
    }
    for (size_t i = 0; i < api->status_count; i++)
        if (kp_text_equal(api->statuses[i].name, pod->containers[pod->init_count - 1].name))
            return last_init_done(pod, &api->statuses[i]);
    return false;
}

/* In a deleted pod's last status what has no end gets one: ContainerStatusUnknown, code 137
 * (S-322). */
static void terminate(const struct kp_profile *profile, struct kp_container_status *status)
{
    if (!profile->last_word_has_reason) {
        status->state = (struct kp_state){.kind = KP_STATE_TERMINATED};
        return;
    }
    if (status->state.kind == KP_STATE_TERMINATED ||
        (!profile->worker_phases && status->state.kind == KP_STATE_WAITING))
        return;
    status->state = (struct kp_state){
        .kind = KP_STATE_TERMINATED,
        .reason = KP_TEXT("ContainerStatusUnknown"),
        .message = KP_TEXT("The container could not be located when the pod was terminated"),
        .exit_code = 137};
}

static size_t initialized_inits(const struct kp_pod *pod,
                                const struct kp_container_status *statuses)
{
    size_t count = pod->init_count;

    while (count > 1 && !has_begun(&statuses[count - 1]))
        count--;
    return count;
}

/* What the API has of a pod that no kubelet of ours has spoken of, in the order of the containers;
 * NULL: it does not show each of them. */
static struct kp_status_box *copy_api(struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;
    size_t count = run->api.init_count + run->api.regular_count;
    struct kp_status_box *box;

    for (size_t i = 0; i < count; i++)
        if (!api || !kp_status_find(api, run->api.containers[i].name))
            return NULL;
    box = kp_status_box_take(&run->boxes);
    box->others = run->others;
    box->status.status_count = count;
    for (size_t i = 0; i < count; i++)
        box->status.statuses[i] = *kp_status_find(api, run->api.containers[i].name);
    box->status.phase = api->phase;
    for (size_t i = 0; i < api->condition_count; i++)
        if (kp_condition_is_ours(api->conditions[i].type))
            kp_condition_put(box, api->conditions[i].type, api->conditions[i].status,
                             api->conditions[i].reason, api->conditions[i].message);
    return box;
}

static struct kp_status_box *copy_last(struct kp_pod_run *run)
{
    const struct kp_statuses *own = run->statuses;

    if (!own->cached && !own->published)
        return copy_api(run);
    return kp_status_box_copy(&run->boxes, own->cached ? own->cached : own->published);
}

void kp_status_terminate(struct kp_pod_run *run, const struct kp_pod *pod)
{
    const struct kp_profile *profile = &run->node->profile;
    struct kp_status_box *box = copy_last(run);
    struct kp_container_status *statuses;
    size_t inits;

    if (!box) {
        kp_status_delete(run); /* what the API has of it is sent back as it is */
        return;
    }
    statuses = box->status.statuses;
    if (!profile->worker_phases || was_initialized(pod))
        for (size_t i = 0; i < pod->regular_count; i++)
            terminate(profile, &statuses[pod->init_count + i]);
    inits = profile->worker_phases ? initialized_inits(pod, statuses) : pod->init_count;
    for (size_t i = 0; i < inits; i++)
        terminate(profile, &statuses[i]);
    if (profile->phase_knows_terminal && box->status.phase != KP_SUCCEEDED)
        box->status.phase = KP_FAILED;
    kp_status_set(run, pod, box, true);
}

/* ---- what is published ------------------------------------------------------------------- */

static void put_final_ready(struct kp_status_box *box)
{
    struct kp_text reason =
        box->status.phase == KP_FAILED ? KP_TEXT("PodFailed") : KP_TEXT("PodCompleted");

    kp_condition_put(box, KP_TEXT("ContainersReady"), KP_CONDITION_FALSE, reason, KP_TEXT_NONE);
    kp_condition_put(box, KP_TEXT("Ready"), KP_CONDITION_FALSE, reason, KP_TEXT_NONE);
}

/* mergePodStatus: a final phase is held back while containers could still run (S-330). */
static struct kp_status_box *merge(struct kp_pod_run *run)
{
    const struct kp_statuses *own = run->statuses;
    const struct kp_pod_status *api = run->api.status;
    enum kp_phase was = api && api->phase != KP_PHASE_NONE ? api->phase : KP_PENDING;
    bool ends =
        kp_phase_is_terminal(own->cached->status.phase) && run->node->profile.final_phase_waits;
    bool held_back = ends && !kp_phase_is_terminal(was) && own->could_run;
    struct kp_status_box *box;

    /* Without ContainersReady there is no Ready. */
    if (!ends || (!held_back && !kp_status_is_true(&own->cached->status, "ContainersReady")))
        return kp_status_box_ref(own->cached);
    box = kp_status_box_copy(&run->boxes, own->cached);
    if (held_back)
        box->status.phase = was;
    else
        put_final_ready(box);
    return box;
}

/* NeedToReconcilePodReadiness looks for a sidecar's status among those of the regular containers,
 * and never finds it: a bug of the kubelet (cases status-that-comes-back). */
static bool misses_sidecar(const struct kp_pod_run *run, const struct kp_pod_status *published)
{
    for (size_t i = 0; i < run->api.init_count; i++)
        if (kp_container_is_sidecar(&run->api.containers[i]))
            return run->node->profile.sidecar_probes && published->phase != KP_FAILED;
    return false;
}

static bool is_other_ready(const struct kp_pod_status *a, const struct kp_pod_status *b)
{
    const struct kp_condition *was = kp_condition_find(a, KP_TEXT("Ready"));
    const struct kp_condition *is = kp_condition_find(b, KP_TEXT("Ready"));

    return was && (was->status != is->status || !kp_text_equal(was->message, is->message));
}

bool kp_status_needs_sync(struct kp_pod_run *run)
{
    const struct kp_status_box *published = run->statuses->published;
    struct kp_status_box *box;
    bool needs;

    if (run->api.readiness_gate_count == 0 || !published)
        return false;
    if (misses_sidecar(run, &published->status))
        return true;
    box = kp_status_box_copy(&run->boxes, published);
    box->others = run->others;
    kp_conditions_update_ready(box, &run->node->profile, &run->api);
    needs = is_other_ready(&published->status, &box->status);
    kp_status_box_unref(box);
    return needs;
}

/* canBeDeleted. */
static bool may_be_deleted(const struct kp_pod_run *run)
{
    if (!run->node->profile.worker_phases)
        return kp_old_worker_is_reclaimed(&run->api, kp_pleg_cache(run->pleg), run->has_cgroup);
    /* From 1.27 the phase must be final, too; where the status is finished it is. */
    return run->deletion_requested && run->statuses->finished;
}

void kp_status_delete(struct kp_pod_run *run)
{
    enum kp_rule rule =
        run->node->profile.worker_phases ? KP_RULE_SYNC_TERMINATING_POD : KP_RULE_HOUSEKEEPING;
    struct kp_effect effect;

    if (run->gone || !may_be_deleted(run))
        return;
    effect = kp_run_effect(run, KP_EFFECT_APIDELETE, KP_POD_ITSELF, rule);
    kp_run_emit(run, &effect);
    run->gone = true;
}

bool kp_status_is_held_back(const struct kp_pod_run *run)
{
    const struct kp_statuses *own = run->statuses;

    return own->cached && kp_phase_is_terminal(own->cached->status.phase) &&
           !(own->published && kp_phase_is_terminal(own->published->status.phase));
}

void kp_status_reconcile(struct kp_pod_run *run)
{
    if (!run->terminated || !kp_status_is_held_back(run))
        return;
    run->statuses->could_run = false;
    run->statuses->dirty = true;
}

void kp_status_emit_published(struct kp_pod_run *run)
{
    struct kp_statuses *own = run->statuses;

    if (own->emitted == own->published)
        return;
    kp_status_emit(run, own->emitted ? &own->emitted->status : NULL, &own->published->status);
    kp_status_box_put(&own->emitted, kp_status_box_ref(own->published));
    if (run->node->profile.worker_phases)
        kp_status_delete(run);
}

bool kp_status_send(struct kp_pod_run *run)
{
    struct kp_statuses *own = run->statuses;
    struct kp_status_box *merged;
    bool returns;

    if (!own->dirty || run->gone)
        return false;
    own->dirty = false;
    merged = merge(run);
    returns = !own->published || !kp_status_same(own->published, merged);
    kp_status_box_put(&own->published, merged);
    run->api.status = &merged->status;
    if (!run->node->profile.worker_phases && may_be_deleted(run)) {
        kp_status_emit_published(run);
        kp_status_delete(run);
    }
    return returns && kp_status_needs_sync(run);
}
