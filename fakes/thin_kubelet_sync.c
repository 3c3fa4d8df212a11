/* thin_kubelet_sync.c: the thin pod sync.  Upstream: kubelet.go SyncPod and syncLoopIteration, as
 * far as probes see them. */
#include "core/prober/worker.h"
#include "fakes/thin_kubelet_state.h"

/* ---- what the API gets ------------------------------------------------------------------------
 */

static void tell(const struct fake_thin *layer, const struct fake_thin_pod *pod,
                 enum kp_effect_kind kind, size_t container, bool value, enum kp_rule rule)
{
    struct kp_effect effect;

    effect.kind = kind;
    effect.rule = rule;
    effect.pod = pod->handle;
    effect.spec = pod->reserved;
    effect.container = (int)container;
    effect.cid = pod->statuses[container].container_id;
    effect.u.value = value;
    layer->sink.effect(layer->sink.ctx, &effect);
}

static bool gates_hold(const struct kp_pod *object)
{
    for (size_t i = 0; i < object->readiness_gate_count; i++) {
        bool holds = false;

        for (size_t j = 0; object->status && j < object->status->condition_count; j++)
            if (kp_text_equal(object->status->conditions[j].type,
                              object->readiness_gates[i].condition_type))
                holds = object->status->conditions[j].status == KP_CONDITION_TRUE;
        if (!holds)
            return false;
    }
    return true;
}

/* GeneratePodReadyCondition, as far as it is True or not. */
static bool is_pod_ready(const struct fake_thin *layer, const struct fake_thin_pod *pod)
{
    if (pod->phase == KP_SUCCEEDED || pod->phase == KP_FAILED)
        return false;
    for (size_t i = 0; i < pod->count; i++) {
        const struct kp_container *c = &pod->object.containers[i];
        bool counts =
            c->kind == KP_REGULAR || (layer->profile.sidecar_probes && kp_container_is_sidecar(c));

        if (counts && !pod->statuses[i].ready)
            return false;
    }
    return gates_hold(pod->reserved);
}

void fake_thin_receive(struct fake_thin_pod *pod, int64_t now_ns)
{
    if (pod->published_at_ns < now_ns)
        pod->ready.status = pod->published_ready ? KP_CONDITION_TRUE : KP_CONDITION_FALSE;
}

/* The stored status changed: the workers see it, the API gets it, and changes are emitted. */
static void publish(const struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns,
                    enum kp_rule started_rule, enum kp_rule ready_rule)
{
    kp_prober_manager_store_status(layer->manager, pod->handle, &pod->view);
    for (size_t i = 0; i < pod->count; i++) {
        const struct kp_container_status *status = &pod->statuses[i];
        bool started = status->has_started && status->started;

        if (started != pod->reported_started[i])
            tell(layer, pod, KP_EFFECT_STARTED, i, started, started_rule);
        if (status->ready != pod->reported_ready[i])
            tell(layer, pod, KP_EFFECT_READY, i, status->ready, ready_rule);
        pod->reported_started[i] = started;
        pod->reported_ready[i] = status->ready;
    }
    fake_thin_receive(pod, now_ns);
    pod->published_ready = is_pod_ready(layer, pod);
    pod->published_at_ns = now_ns;
}

/* ---- the thin sync ----------------------------------------------------------------------------
 */

/* generateAPIPodStatus: afresh from the runtime; Started is taken over by name (K-10), which only
 * counts for a container that runs. */
static void compute(const struct fake_thin *layer, struct fake_thin_pod *pod)
{
    for (size_t i = 0; i < pod->count; i++) {
        const struct kp_container_status *old = &pod->statuses[i];
        struct kp_container_status *status = &pod->computed[i];

        *status = (struct kp_container_status){
            .name = pod->object.containers[i].name,
            .container_id = pod->runtime[i].cid,
            .state = pod->runtime[i].state,
        };
        if (kp_profile_keeps_old(&layer->profile)) {
            status->has_started = old->has_started;
            status->started = old->started;
        }
    }
}

/* SetPodStatus; times lose their fraction on the way (P-040). */
static void store(const struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    for (size_t i = 0; i < pod->count; i++) {
        pod->statuses[i] = pod->computed[i];
        pod->statuses[i].state.started_at_ns =
            kp_whole_second_ns(pod->computed[i].state.started_at_ns);
    }
    pod->stored = true;
    pod->api_statuses = true;
    pod->view.phase = pod->phase;
    publish(layer, pod, now_ns, KP_RULE_STARTED_FROM_RESULT, KP_RULE_READY_FROM_RESULT);
}

/* Every regular container has exited, and the pod's restartPolicy brings none back. */
static bool is_over(const struct fake_thin_pod *pod)
{
    bool never = kp_text_equal(pod->object.restart_policy, KP_TEXT("Never"));
    bool on_failure = kp_text_equal(pod->object.restart_policy, KP_TEXT("OnFailure"));

    for (size_t i = pod->object.init_count; i < pod->count; i++) {
        const struct kp_state *state = &pod->runtime[i].state;

        if (state->kind != KP_STATE_TERMINATED ||
            (!never && !(on_failure && state->exit_code == 0)))
            return false;
    }
    return true;
}

void fake_thin_sync(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    struct kp_pod_status computed = {
        .phase = pod->phase, .statuses = pod->computed, .status_count = pod->count};

    fake_thin_receive(pod, now_ns);
    compute(layer, pod);
    kp_prober_manager_update_pod_status(layer->manager, pod->handle, &pod->object, &computed,
                                        now_ns);
    /* The triggered look (P-179), and the first, before the store. */
    if (layer->profile.readiness_trigger)
        kp_prober_manager_run(layer->manager, now_ns);
    if (!pod->no_status)
        store(layer, pod, now_ns);
    pod->over = pod->over || is_over(pod);
    if (layer->profile.add_pod_each_sync && !pod->deleted && !pod->over)
        kp_prober_manager_add_pod(layer->manager, pod->handle, &pod->object, now_ns);
}

/*
 * HandlePodAdditions: the first sync, and up to 1.21 AddPod before it. Workers that draw their
 * jitter sleep, if only for a moment, and so first look after that sync; those of 1.21 that do not
 * look before it.
 */
void fake_thin_open_pod(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    if (!layer->profile.add_pod_each_sync)
        kp_prober_manager_add_pod(layer->manager, pod->handle, &pod->object, now_ns);
    pod->opening = true;
    pod->sync_wanted = true;
}

/* ---- results come to the sync loop ------------------------------------------------------------
 */

/* SetContainerReadiness, SetContainerStartup: into the stored status at once. */
static void set_field(const struct fake_thin *layer, struct fake_thin_pod *pod,
                      enum kp_probe_type type, const struct kp_results_update *update,
                      int64_t now_ns)
{
    struct kp_container_status *status = &pod->statuses[update->container];
    bool value = update->result == KP_RESULT_SUCCESS;

    if (!pod->stored || pod->no_status || !kp_text_equal(status->container_id, update->cid))
        return;
    if (type == KP_READINESS)
        status->ready = value;
    else
        status->started = value; /* it has one since it was stored */
    publish(layer, pod, now_ns, KP_RULE_RESULT_SETS_STATUS, KP_RULE_RESULT_SETS_STATUS);
}

/* A readiness result that starts a sync has the worker triggered again: it probes twice (P-178). */
bool fake_thin_take_updates(struct fake_thin *layer, enum kp_probe_type type, int64_t now_ns)
{
    struct kp_results_update update;
    bool any = false;

    while (kp_results_take(layer->manager, type, &update)) {
        struct fake_thin_pod *pod = fake_thin_find_pod(layer, update.pod);

        any = true;
        if (type != KP_LIVENESS)
            set_field(layer, pod, type, &update, now_ns);
        if (type == KP_LIVENESS ? update.result == KP_RESULT_FAILURE : layer->profile.probe_sync)
            pod->sync_wanted = true;
    }
    return any;
}
