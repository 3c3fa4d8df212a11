#include "fakes/thin_kubelet.h"

#include "fakes/thin_kubelet_state.h"

#include <assert.h>

#define SYNCS_PER_INSTANT 20 /* P-154: some chains never end */

/* ---- life -------------------------------------------------------------------------------------
 */

static void free_pod(const struct kp_mem *mem, struct fake_thin_pod *pod)
{
    kp_mem_free(mem, pod->runtime);
    kp_mem_free(mem, pod->statuses);
    kp_mem_free(mem, pod->reported_started);
    kp_mem_free(mem, pod);
}

void fake_thin_free(struct fake_thin *layer)
{
    if (!layer)
        return;
    for (uint32_t i = 0; i < layer->pod_count; i++)
        free_pod(layer->mem, layer->pods[i]);
    kp_mem_free(layer->mem, layer->pods);
    kp_prober_manager_free(layer->manager);
    kp_mem_free(layer->mem, layer);
}

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    struct fake_thin *layer = ctx;

    layer->has_effects = true;
    layer->caller.effect(layer->caller.ctx, effect);
}

enum kp_err fake_thin_new(const struct kp_mem *mem, const struct kp_engine_config *config,
                          struct fake_thin **out)
{
    struct fake_thin *layer = kp_mem_array(mem, 1, sizeof *layer);
    struct kp_prober_config prober = {
        .profile = config->profile,
        .start_ns = -config->uptime_ns,
        .wall_minus_now_ns = config->wall_ns,
        .draws = config->draws,
        .sink = {count_effect, layer},
    };

    *out = NULL;
    if (!layer)
        return KP_ENOMEM;
    prober.last_n = &layer->last_n;
    if (kp_prober_manager_new(mem, &prober, &layer->manager) != KP_OK) {
        kp_mem_free(mem, layer);
        return KP_ENOMEM;
    }
    layer->mem = mem;
    layer->profile = *config->profile;
    layer->caller = config->sink;
    layer->sink = prober.sink;
    layer->wall_minus_now_ns = config->wall_ns;
    layer->down_until_ns = KP_NEVER;
    *out = layer;
    return KP_OK;
}

/* ---- a pod comes ------------------------------------------------------------------------------
 */

static enum kp_err allocate(const struct kp_mem *mem, struct fake_thin_pod *pod)
{
    pod->runtime = kp_mem_array(mem, pod->count, sizeof *pod->runtime);
    pod->statuses = kp_mem_array(mem, 2 * pod->count, sizeof *pod->statuses);
    pod->reported_started = kp_mem_array(mem, 2 * pod->count, sizeof *pod->reported_started);
    if (!pod->runtime || !pod->statuses || !pod->reported_started)
        return KP_ENOMEM;
    pod->computed = pod->statuses + pod->count;
    pod->reported_ready = pod->reported_started + pod->count;
    return KP_OK;
}

/* What the API's copy says of containers: what runs, and what an earlier kubelet published. */
static void read_api_copy(struct fake_thin_pod *pod, const struct kp_pod_status *status)
{
    for (size_t i = 0; i < pod->count; i++) {
        const struct kp_container_status *old =
            status ? kp_status_find(status, pod->object.containers[i].name) : NULL;

        pod->statuses[i].name = pod->object.containers[i].name;
        pod->runtime[i].state.kind = KP_STATE_WAITING;
        if (!old)
            continue;
        pod->statuses[i] = *old;
        pod->runtime[i].cid = old->container_id;
        pod->runtime[i].state = old->state;
        if (old->state.kind == KP_STATE_NONE)
            pod->runtime[i].state.kind = KP_STATE_WAITING;
        pod->api_statuses = true;
    }
    for (size_t i = 0; status && i < status->condition_count; i++)
        if (kp_text_equal(status->conditions[i].type, KP_TEXT("Ready")))
            pod->ready.status = status->conditions[i].status;
}

static struct fake_thin_pod *new_pod(struct fake_thin *layer, const struct kp_pod *object)
{
    struct fake_thin_pod *pod = kp_mem_array(layer->mem, 1, sizeof *pod);

    if (!pod)
        return NULL;
    pod->handle = layer->pod_count;
    pod->count = object->init_count + object->regular_count;
    fake_thin_use_object(pod, object);
    pod->phase = object->status && object->status->phase != KP_PHASE_NONE ? object->status->phase
                                                                          : KP_RUNNING;
    pod->ready = (struct kp_condition){KP_TEXT("Ready"), KP_CONDITION_FALSE, {0}, {0}};
    pod->api = (struct kp_pod_status){.conditions = &pod->ready, .condition_count = 1};
    if (allocate(layer->mem, pod) == KP_OK &&
        kp_prober_manager_reserve(layer->manager, pod->handle, object) == KP_OK)
        return pod;
    free_pod(layer->mem, pod);
    return NULL;
}

static enum kp_err make_room(struct fake_thin *layer)
{
    struct fake_thin_pod **pods =
        kp_grow(layer->mem, layer->pods, &layer->pod_cap, layer->pod_count + 1, sizeof *pods);

    if (!pods)
        return KP_ENOMEM;
    layer->pods = pods;
    return KP_OK;
}

enum kp_err fake_thin_add_pod(struct fake_thin *layer, const struct kp_pod *object,
                              uint32_t *handle)
{
    struct fake_thin_pod *pod;

    layer->is_unsettled = true;
    for (uint32_t i = 0; i < layer->pod_count; i++)
        if (kp_text_equal(layer->pods[i]->object.uid, object->uid))
            return KP_EEXIST;
    if (make_room(layer) != KP_OK || !(pod = new_pod(layer, object)))
        return KP_ENOMEM;
    *handle = pod->handle;
    pod->view = (struct kp_pod_status){
        .phase = pod->phase, .statuses = pod->statuses, .status_count = pod->count};
    read_api_copy(pod, object->status);
    pod->published_ready = pod->ready.status == KP_CONDITION_TRUE;
    layer->pods[layer->pod_count++] = pod;
    if (layer->down_until_ns == KP_NEVER)
        fake_thin_open_pod(layer, pod, layer->now_ns);
    return KP_OK;
}

/* ---- the instant ------------------------------------------------------------------------------
 */

static bool may_sync(struct fake_thin_pod *pod, int64_t now_ns)
{
    if (pod->syncs_at_ns != now_ns)
        pod->sync_count = 0;
    pod->syncs_at_ns = now_ns;
    return ++pod->sync_count <= SYNCS_PER_INSTANT;
}

/* P-155, P-157: what the beginning of termination stops. */
static void stop_probes(struct fake_thin *layer, struct fake_thin_pod *pod)
{
    if (layer->profile.add_pod_each_sync)
        kp_prober_manager_stop_liveness_and_startup(layer->manager, pod->handle);
    else if (layer->profile.termination_stops_probes)
        kp_prober_manager_remove_pod(layer->manager, pod->handle);
}

static void sync_one(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    bool wanted = pod->sync_wanted;

    pod->sync_wanted = false;
    if (wanted && may_sync(pod, now_ns))
        fake_thin_sync(layer, pod, now_ns);
}

/* What the events request comes before any update is taken: one sync, then what delete stops. A
 * pod that is new has it before its workers' first doProbe. */
static void follow_events(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    if (!pod->opening)
        kp_prober_manager_run(layer->manager, now_ns);
    pod->opening = false;
    sync_one(layer, pod, now_ns);
    if (pod->stop_wanted)
        stop_probes(layer, pod);
    pod->stop_wanted = false;
}

static void come_back(struct fake_thin *layer, int64_t now_ns)
{
    layer->down_until_ns = KP_NEVER;
    kp_prober_manager_restart(layer->manager, now_ns);
    for (uint32_t i = 0; i < layer->pod_count; i++) {
        struct fake_thin_pod *pod = layer->pods[i];

        fake_thin_receive(pod, INT64_MAX);
        pod->stop_wanted = false;
        pod->no_status = false;
        fake_thin_open_pod(layer, pod, now_ns);
    }
}

static void settle(struct fake_thin *layer, int64_t now_ns)
{
    bool busy = true;

    layer->now_ns = now_ns;
    layer->is_unsettled = false;
    if (layer->down_until_ns <= now_ns)
        come_back(layer, now_ns);
    if (layer->down_until_ns != KP_NEVER)
        return;
    for (uint32_t i = 0; i < layer->pod_count; i++)
        if (layer->pods[i]->sync_wanted)
            follow_events(layer, layer->pods[i], now_ns);
    while (busy) {
        kp_prober_manager_run(layer->manager, now_ns);
        busy = fake_thin_take_updates(layer, KP_STARTUP, now_ns);
        busy |= fake_thin_take_updates(layer, KP_READINESS, now_ns);
        busy |= fake_thin_take_updates(layer, KP_LIVENESS, now_ns);
        for (uint32_t i = 0; i < layer->pod_count; i++)
            sync_one(layer, layer->pods[i], now_ns);
    }
}

int64_t fake_thin_next_ns(const struct fake_thin *layer)
{
    int64_t next_ns = layer->down_until_ns;

    if (next_ns == KP_NEVER)
        next_ns = kp_prober_manager_next_ns(layer->manager);
    return layer->is_unsettled || next_ns < layer->now_ns ? layer->now_ns : next_ns;
}

int64_t fake_thin_run(struct fake_thin *layer, int64_t to_ns)
{
    assert(to_ns >= layer->now_ns);
    do {
        int64_t next_ns = fake_thin_next_ns(layer);

        if (next_ns <= to_ns)
            settle(layer, next_ns);
        else
            layer->now_ns = to_ns;
    } while (!layer->has_effects && layer->now_ns < to_ns);
    layer->has_effects = false;
    return layer->now_ns;
}

const struct kp_pod_status *fake_thin_status(const struct fake_thin *layer, uint32_t handle)
{
    const struct fake_thin_pod *pod = fake_thin_find_pod(layer, handle);

    return pod && pod->api_statuses ? &pod->view : NULL;
}

enum kp_err fake_thin_event(struct fake_thin *layer, const struct kp_event *event)
{
    layer->is_unsettled = true;
    return fake_thin_take_event(layer, event, layer->now_ns);
}
