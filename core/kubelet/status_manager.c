#include "status_manager.h"

#include "../api/restart_rules.h"
#include "pod_status.h"
#include "pod_workers_before_122.h"

#include <assert.h>
#include <string.h>

/* ---- boxes ------------------------------------------------------------------------------- */

enum kp_err kp_status_box_init(struct kp_status_box *box, const struct kp_mem *mem,
                               size_t container_count, size_t text_bytes)
{
    *box = (struct kp_status_box){.text_cap = text_bytes};
    box->status.conditions = kp_mem_array(mem, KP_CONDITIONS_MAX, sizeof *box->status.conditions);
    box->status.statuses = kp_mem_array(mem, container_count, sizeof *box->status.statuses);
    box->text = kp_mem_array(mem, text_bytes, 1);
    return box->status.conditions && box->status.statuses && box->text ? KP_OK : KP_ENOMEM;
}

void kp_status_box_deinit(struct kp_status_box *box, const struct kp_mem *mem)
{
    kp_mem_free(mem, box->status.conditions);
    kp_mem_free(mem, box->status.statuses);
    kp_mem_free(mem, box->text);
    *box = (struct kp_status_box){0};
}

static struct kp_text keep_text(struct kp_status_box *box, struct kp_text text)
{
    char *bytes = box->text + box->text_used;

    if (text.len == 0)
        return KP_TEXT_NONE;
    assert(text.len <= box->text_cap - box->text_used);
    memcpy(bytes, text.bytes, text.len);
    box->text_used += text.len;
    return (struct kp_text){bytes, text.len};
}

void kp_status_box_copy(struct kp_status_box *to, const struct kp_status_box *from)
{
    struct kp_condition *conditions = to->status.conditions;
    struct kp_container_status *statuses = to->status.statuses;

    if (from->status.status_count > 0)
        memcpy(statuses, from->status.statuses, from->status.status_count * sizeof statuses[0]);
    if (from->status.condition_count > 0)
        memcpy(conditions, from->status.conditions,
               from->status.condition_count * sizeof conditions[0]);
    to->status = from->status;
    to->status.conditions = conditions;
    to->status.statuses = statuses;
    to->address = from->address;
    to->given = from->given;
    to->text_used = 0;
    for (size_t i = 0; i < to->status.condition_count; i++)
        conditions[i].message = keep_text(to, conditions[i].message);
}

static void swap_boxes(struct kp_status_box *a, struct kp_status_box *b)
{
    struct kp_status_box kept = *a;

    *a = *b;
    *b = kept;
}

/* ---- the cache --------------------------------------------------------------------------- */

static bool may_leave_terminated(const struct kp_pod_run *run, size_t container,
                                 const struct kp_state *end)
{
    const struct kp_pod *pod = &run->sync.pod;
    const struct kp_profile *profile = &run->node->profile;

    if (kp_container_is_sidecar(&pod->containers[container]) ||
        (end->exit_code != 0 && kp_pod_policy_is(pod, "OnFailure")))
        return true;
    return profile->gates[KP_GATE_ContainerRestartRules] &&
           kp_container_returns(profile, pod, (int)container, end->exit_code);
}

/* checkContainerStateTransition (S-320). */
static bool is_legal(const struct kp_pod_run *run, const struct kp_pod_status *old,
                     const struct kp_pod_status *new_status)
{
    const struct kp_pod *pod = &run->sync.pod;

    if (!old || kp_pod_policy_is(pod, "Always") ||
        (run->node->profile.gates[KP_GATE_RestartAllContainersOnContainerExits] &&
         kp_all_containers_could_restart(pod)))
        return true;
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++) {
        const struct kp_container_status *was = kp_status_find(old, pod->containers[i].name);

        if (!was || was->state.kind != KP_STATE_TERMINATED ||
            new_status->statuses[i].state.kind == KP_STATE_TERMINATED)
            continue;
        if (!may_leave_terminated(run, i, &was->state))
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

static bool looks_same(const struct kp_state *a, const struct kp_state *b)
{
    return a->kind == b->kind && kp_text_equal(a->reason, b->reason) &&
           kp_text_equal(a->message, b->message) && a->exit_code == b->exit_code &&
           a->beside_waiting == b->beside_waiting;
}

static bool same_state(const struct kp_container_status *a, const struct kp_container_status *b)
{
    return looks_same(&a->state, &b->state) && looks_same(&a->last_state, &b->last_state) &&
           a->restart_count == b->restart_count;
}

static bool is_started(const struct kp_container_status *status)
{
    return status->has_started && status->started;
}

/* Which instance it is of, and when: no effect tells. */
static bool same_instance(const struct kp_state *a, const struct kp_state *b)
{
    return a->started_at_ns == b->started_at_ns && a->finished_at_ns == b->finished_at_ns &&
           kp_text_equal(a->container_id, b->container_id);
}

static bool same_container(const struct kp_container_status *a, const struct kp_container_status *b)
{
    return same_state(a, b) && same_instance(&a->state, &b->state) &&
           same_instance(&a->last_state, &b->last_state) &&
           kp_text_equal(a->container_id, b->container_id) && is_started(a) == is_started(b) &&
           a->ready == b->ready && kp_text_equal(a->image, b->image);
}

/* isPodStatusByKubeletEqual: what others wrote does not count. */
static bool same_status(const struct kp_status_box *a_box, const struct kp_status_box *b_box)
{
    const struct kp_pod_status *a = &a_box->status;
    const struct kp_pod_status *b = &b_box->status;

    if (a_box->address != b_box->address || a->phase != b->phase ||
        a->status_count != b->status_count || a->condition_count != b->condition_count)
        return false;
    for (size_t i = 0; i < a->status_count; i++)
        if (!same_container(&a->statuses[i], &b->statuses[i]))
            return false;
    for (size_t i = 0; i < a->condition_count; i++)
        if (!kp_condition_equal(&a->conditions[i], &b->conditions[i]))
            return false;
    return true;
}

void kp_status_set(struct kp_pod_run *run, bool finished)
{
    if (!is_legal(run, kp_pod_status_old(run), &run->scratch.status))
        return;
    normalize(&run->scratch.status);
    if (run->has_cached && !run->sync.pod.has_deletion && !finished &&
        same_status(&run->cached, &run->scratch))
        return;
    run->finished_status = run->finished_status || finished;
    swap_boxes(&run->cached, &run->scratch);
    run->has_cached = true;
    run->dirty_status = true;
    run->could_run = !run->worker.terminated;
    kp_prober_manager_store_status(run->node->probers, run->handle, &run->cached.status);
}

/* What is cached of an instance; NULL: another one is. */
static const struct kp_container_status *cached_container(const struct kp_pod_run *run,
                                                          int container, struct kp_text cid)
{
    const struct kp_container_status *status = &run->cached.status.statuses[container];

    return kp_text_equal(status->container_id, cid) ? status : NULL;
}

/* A readiness result changes ready and both conditions at once, of a known container (S-306). */
void kp_status_set_ready(struct kp_pod_run *run, int container, struct kp_text cid, bool ready)
{
    const struct kp_container_status *status = cached_container(run, container, cid);

    if (!status || status->ready == ready)
        return;
    kp_status_box_copy(&run->scratch, &run->cached);
    run->scratch.status.statuses[container].ready = ready;
    kp_conditions_update_ready(run, &run->scratch);
    kp_status_set(run, false);
}

/* A startup result changes started alone (S-307). */
void kp_status_set_started(struct kp_pod_run *run, int container, struct kp_text cid, bool started)
{
    const struct kp_container_status *status = cached_container(run, container, cid);

    if (!status || status->started == started)
        return;
    kp_status_box_copy(&run->scratch, &run->cached);
    run->scratch.status.statuses[container].started = started;
    kp_status_set(run, false);
}

/* NeedToReconcilePodReadiness looks for a sidecar's status among those of the regular containers
 * (O-72). */
static bool misses_sidecar(const struct kp_pod_run *run)
{
    for (size_t i = 0; i < run->api.init_count; i++)
        if (kp_container_is_sidecar(&run->api.containers[i]))
            return run->node->profile.sidecar_probes && run->published.status.phase != KP_FAILED;
    return false;
}

bool kp_status_needs_sync(struct kp_pod_run *run)
{
    struct kp_text type = KP_TEXT("Ready");
    struct kp_status_box *box = &run->scratch;
    const struct kp_condition *was;
    const struct kp_condition *is;

    if (run->api.readiness_gate_count == 0 || !run->has_published)
        return false;
    if (misses_sidecar(run))
        return true;
    kp_status_box_copy(box, &run->published);
    box->given = run->given;
    kp_conditions_update_ready(run, box);
    was = kp_condition_find(&run->published.status, type);
    is = kp_condition_find(&box->status, type);
    return was->status != is->status || !kp_text_equal(was->message, is->message);
}

void kp_status_sandbox_ready(struct kp_pod_run *run)
{
    if (!run->node->profile.sandbox_ready_callback || !run->has_cached)
        return;
    kp_status_box_copy(&run->scratch, &run->cached);
    kp_condition_put(&run->scratch, KP_TEXT("PodReadyToStartContainers"), KP_CONDITION_TRUE,
                     KP_TEXT_NONE, KP_TEXT_NONE);
    kp_status_set(run, false);
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
static bool was_initialized(const struct kp_pod_run *run)
{
    const struct kp_pod *pod = &run->sync.pod;
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
static void terminate(const struct kp_pod_run *run, struct kp_container_status *status)
{
    if (!run->node->profile.last_word_has_reason) {
        status->state = (struct kp_state){.kind = KP_STATE_TERMINATED};
        return;
    }
    if (status->state.kind == KP_STATE_TERMINATED ||
        (!run->node->profile.worker_phases && status->state.kind == KP_STATE_WAITING))
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

/* What the API has of a pod that no kubelet of ours has spoken of, in the order of the containers.
 * false: it does not tell of each of them. */
static bool copy_api(struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;
    size_t count = run->api.init_count + run->api.regular_count;
    struct kp_status_box box = {.given = run->given};

    if (!api || api->status_count < count || api->status_count > run->container_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!kp_status_find(api, run->api.containers[i].name))
            return false;
    box.status = *api;
    kp_status_box_copy(&run->scratch, &box);
    for (size_t i = 0; i < count; i++)
        run->scratch.status.statuses[i] = *kp_status_find(api, run->api.containers[i].name);
    return true;
}

void kp_status_terminate(struct kp_pod_run *run)
{
    const struct kp_pod *pod = run->node->profile.worker_phases ? &run->sync.pod : &run->api;
    struct kp_container_status *statuses = run->scratch.status.statuses;
    size_t inits;

    if (!run->has_cached && !run->has_published && !copy_api(run)) {
        kp_status_delete(run); /* what the API has of it is sent back as it is */
        return;
    }
    if (run->has_cached || run->has_published)
        kp_status_box_copy(&run->scratch, run->has_cached ? &run->cached : &run->published);
    if (!run->node->profile.worker_phases || was_initialized(run))
        for (size_t i = 0; i < pod->regular_count; i++)
            terminate(run, &statuses[pod->init_count + i]);
    inits = run->node->profile.worker_phases ? initialized_inits(pod, statuses) : pod->init_count;
    for (size_t i = 0; i < inits; i++)
        terminate(run, &statuses[i]);
    if (run->node->profile.phase_knows_terminal && run->scratch.status.phase != KP_SUCCEEDED)
        run->scratch.status.phase = KP_FAILED;
    kp_status_set(run, true);
}

/* ---- what is told -------------------------------------------------------------------------- */

static void tell_state(const struct kp_pod_run *run, int container,
                       const struct kp_container_status *is)
{
    static const struct kp_state waiting = {.kind = KP_STATE_WAITING};
    struct kp_effect effect =
        kp_run_effect(run, KP_EFFECT_STATE, container, KP_RULE_STATE_AND_LAST_STATE);

    effect.u.state.state = &is->state;
    effect.u.state.last = is->last_state.beside_waiting ? &waiting : &is->last_state;
    effect.u.state.restarts = is->restart_count;
    kp_run_emit(run, &effect);
}

static void tell_flag(const struct kp_pod_run *run, enum kp_effect_kind kind, enum kp_rule rule,
                      int container, bool value)
{
    struct kp_effect effect = kp_run_effect(run, kind, container, rule);

    effect.u.value = value;
    kp_run_emit(run, &effect);
}

static void tell_container(const struct kp_pod_run *run, int container,
                           const struct kp_container_status *was,
                           const struct kp_container_status *is)
{
    if (!same_state(was, is))
        tell_state(run, container, is);
    if (is_started(was) != is_started(is))
        tell_flag(run, KP_EFFECT_STARTED, KP_RULE_STATUS_STARTED, container, is_started(is));
    if (was->ready != is->ready)
        tell_flag(run, KP_EFFECT_READY, KP_RULE_STATUS_READY, container, is->ready);
}

/* What a pod is to the API server before its first status. */
static const struct kp_container_status *told_of(const struct kp_pod_run *run, size_t container)
{
    static const struct kp_container_status nothing;

    return run->has_told ? &run->told.status.statuses[container] : &nothing;
}

static const struct kp_condition *told_condition(const struct kp_pod_run *run, struct kp_text type)
{
    return run->has_told ? kp_condition_find(&run->told.status, type) : NULL;
}

static void tell_conditions(const struct kp_pod_run *run, const struct kp_pod_status *is)
{
    for (size_t i = 0; i < is->condition_count; i++) {
        const struct kp_condition *condition = &is->conditions[i];
        const struct kp_condition *was = told_condition(run, condition->type);
        struct kp_effect effect;

        if (was && kp_condition_equal(was, condition))
            continue;
        effect = kp_run_effect(run, KP_EFFECT_CONDITION, KP_POD_ITSELF,
                               KP_RULE_CONDITION_CONTAINERS_READY);
        effect.u.condition = condition;
        kp_run_emit(run, &effect);
    }
}

static void tell(const struct kp_pod_run *run)
{
    const struct kp_pod_status *is = &run->published.status;
    struct kp_effect effect;

    /* Ephemeral containers are not told of. */
    for (size_t i = 0; i < run->api.init_count + run->api.regular_count; i++)
        tell_container(run, (int)i, told_of(run, i), &is->statuses[i]);
    tell_conditions(run, is);
    if (is->phase == (run->has_told ? run->told.status.phase : KP_PENDING))
        return;
    effect = kp_run_effect(run, KP_EFFECT_PHASE, KP_POD_ITSELF, KP_RULE_PHASE);
    effect.u.phase = is->phase;
    kp_run_emit(run, &effect);
}

/* ---- what is published ------------------------------------------------------------------- */

static bool is_final(enum kp_phase phase)
{
    return phase == KP_SUCCEEDED || phase == KP_FAILED;
}

static void put_final_ready(struct kp_status_box *box)
{
    struct kp_text reason =
        box->status.phase == KP_FAILED ? KP_TEXT("PodFailed") : KP_TEXT("PodCompleted");

    if (!kp_status_is_true(&box->status, "ContainersReady")) /* without it there is no Ready */
        return;
    kp_condition_put(box, KP_TEXT("ContainersReady"), KP_CONDITION_FALSE, reason, KP_TEXT_NONE);
    kp_condition_put(box, KP_TEXT("Ready"), KP_CONDITION_FALSE, reason, KP_TEXT_NONE);
}

/* mergePodStatus: a final phase is held back while containers could still run (S-330). */
static void merge(struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;
    enum kp_phase was = api && api->phase != KP_PHASE_NONE ? api->phase : KP_PENDING;
    struct kp_status_box *box = &run->scratch;

    kp_status_box_copy(box, &run->cached);
    if (!run->node->profile.final_phase_waits)
        return;
    if (!is_final(was) && is_final(box->status.phase) && run->could_run)
        box->status.phase = was;
    if (is_final(box->status.phase))
        put_final_ready(box);
}

/* canBeDeleted. */
static bool may_be_deleted(const struct kp_pod_run *run)
{
    if (!run->node->profile.worker_phases)
        return kp_old_worker_is_reclaimed(run);
    /* From 1.27 the phase must be final, too; where the status is finished it is. */
    return run->api.has_deletion && run->finished_status;
}

void kp_status_delete(struct kp_pod_run *run)
{
    enum kp_rule rule =
        run->node->profile.worker_phases ? KP_RULE_SYNC_TERMINATING_POD : KP_RULE_HOUSEKEEPING;
    struct kp_effect effect;

    if (!may_be_deleted(run))
        return;
    effect = kp_run_effect(run, KP_EFFECT_APIDELETE, KP_POD_ITSELF, rule);
    kp_run_emit(run, &effect);
    run->gone = true;
}

bool kp_status_is_held_back(const struct kp_pod_run *run)
{
    return is_final(run->cached.status.phase) && !is_final(run->published.status.phase);
}

void kp_status_reconcile(struct kp_pod_run *run)
{
    if (!run->worker.terminated || !kp_status_is_held_back(run))
        return;
    run->could_run = false;
    run->dirty_status = true;
}

void kp_status_send(struct kp_pod_run *run)
{
    bool returns;

    if (!run->dirty_status || run->gone)
        return;
    run->dirty_status = false;
    merge(run);
    returns = !run->has_published || !same_status(&run->published, &run->scratch);
    if (!run->untold) {
        run->has_told = run->has_published;
        swap_boxes(&run->told, &run->published);
    }
    swap_boxes(&run->published, &run->scratch);
    run->has_published = run->untold = true;
    run->api.status = &run->published.status;
    if (returns && kp_status_needs_sync(run))
        run->updated = true;
}

void kp_status_publish(struct kp_pod_run *run)
{
    kp_status_send(run);
    if (!run->untold)
        return;
    run->untold = false;
    tell(run);
    kp_status_delete(run);
}
