/* thin_kubelet_events.c: what the runner says happened (protocol.md, sections 2 and 2.1). */
#include "fakes/thin_kubelet_state.h"

#include <assert.h>

void fake_thin_use_object(struct fake_thin_pod *pod, const struct kp_pod *object)
{
    bool deleted = pod->object.has_deletion;

    pod->reserved = object;
    pod->object = *object;
    pod->object.has_deletion = object->has_deletion || deleted;
    pod->object.status = &pod->api;
}

/* ---- events -----------------------------------------------------------------------------------
 */

static void note_running(const struct fake_thin *layer, struct fake_thin_pod *pod,
                         const struct kp_event *event, int64_t now_ns)
{
    struct fake_thin_instance *instance = &pod->runtime[event->container];
    int64_t started_ns = event->u.running.has_started_at ? event->u.running.started_at_ns : now_ns;

    instance->cid = event->cid;
    instance->state =
        (struct kp_state){.kind = KP_STATE_RUNNING,
                          .started_at_ns = kp_later_ns(started_ns, layer->wall_minus_now_ns)};
    kp_prober_manager_note_start(layer->manager, pod->handle, event->container);
}

static void note_exited(struct fake_thin_pod *pod, const struct kp_event *event)
{
    struct fake_thin_instance *instance = &pod->runtime[event->container];

    if (event->cid.len > 0)
        instance->cid = event->cid;
    instance->state = (struct kp_state){.kind = KP_STATE_TERMINATED,
                                        .reason = event->reason,
                                        .exit_code = event->u.exit_code,
                                        .container_id = instance->cid};
}

static void note_waiting(struct fake_thin_pod *pod, const struct kp_event *event)
{
    struct fake_thin_instance *instance = &pod->runtime[event->container];

    if (event->kind == KP_EVENT_STARTFAIL && event->cid.len > 0)
        instance->cid = event->cid;
    instance->state = (struct kp_state){.kind = KP_STATE_WAITING, .reason = event->reason};
}

/* Events of the world, each followed by a sync. */
static enum kp_err note_world(struct fake_thin *layer, struct fake_thin_pod *pod,
                              const struct kp_event *event, int64_t now_ns)
{
    switch (event->kind) {
    case KP_EVENT_RUNNING:
        note_running(layer, pod, event, now_ns);
        break;
    case KP_EVENT_EXITED:
        note_exited(pod, event);
        break;
    case KP_EVENT_WAITING:
    case KP_EVENT_STARTFAIL:
        note_waiting(pod, event);
        break;
    case KP_EVENT_PHASE:
        pod->phase = event->u.phase;
        break;
    case KP_EVENT_SYNC:
        break;
    default:
        return KP_EINPUT;
    }
    pod->no_status = false;
    pod->sync_wanted = true;
    return KP_OK;
}

static void begin_termination(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns)
{
    pod->object.has_deletion = true;
    pod->sync_wanted = true;
    pod->no_status = false;
    pod->deleted = true;
    pod->stop_wanted = true;
    kp_prober_manager_cancel_pod(layer->manager, pod->handle, now_ns);
}

static enum kp_err note_update(struct fake_thin *layer, struct fake_thin_pod *pod,
                               const struct kp_event *event)
{
    enum kp_err err;

    if (!event->u.update)
        return KP_EINPUT;
    err = kp_prober_manager_reserve(layer->manager, pod->handle, event->u.update);
    if (err != KP_OK)
        return err;
    fake_thin_use_object(pod, event->u.update);
    pod->no_status = false;
    pod->sync_wanted = true;
    return KP_OK;
}

/* The prober manager's methods, called as the kubelet calls them; housekeeping drops what is not
 * wanted (P-158). */
static enum kp_err note_manager(struct fake_thin *layer, struct fake_thin_pod *pod,
                                const struct kp_event *event, int64_t now_ns)
{
    switch (event->kind) {
    case KP_EVENT_REMOVE:
        kp_prober_manager_remove_pod(layer->manager, pod->handle);
        break;
    case KP_EVENT_CLEANUP:
        if (!event->u.keep)
            kp_prober_manager_remove_pod(layer->manager, pod->handle);
        break;
    case KP_EVENT_STOP:
        if (layer->profile.add_pod_each_sync) /* there is no such method before */
            kp_prober_manager_stop_liveness_and_startup(layer->manager, pod->handle);
        break;
    default:
        assert(event->kind == KP_EVENT_ADDPOD);
        kp_prober_manager_add_pod(layer->manager, pod->handle, &pod->object, now_ns);
        break;
    }
    return KP_OK;
}

static void note_clock(struct fake_thin *layer, int64_t by_ns)
{
    layer->wall_minus_now_ns = kp_later_ns(layer->wall_minus_now_ns, by_ns);
    kp_prober_manager_set_wall(layer->manager, layer->wall_minus_now_ns);
    for (uint32_t i = 0; i < layer->pod_count; i++)
        layer->pods[i]->sync_wanted = true;
}

/* The old process is gone with all that it had in memory; what its manager is called for from here
 * on is forgotten when the next one begins. */
static void go_down(struct fake_thin *layer, int64_t until_ns, int64_t now_ns)
{
    kp_prober_manager_restart(layer->manager, now_ns);
    layer->down_until_ns = until_ns;
    for (uint32_t i = 0; i < layer->pod_count; i++)
        layer->pods[i]->stored = false;
}

static bool is_of_container(enum kp_event_kind kind)
{
    return kind == KP_EVENT_RUNNING || kind == KP_EVENT_EXITED || kind == KP_EVENT_WAITING ||
           kind == KP_EVENT_STARTFAIL;
}

static enum kp_err note_pod_event(struct fake_thin *layer, struct fake_thin_pod *pod,
                                  const struct kp_event *event, int64_t now_ns)
{
    if (is_of_container(event->kind) &&
        (event->container < 0 || (size_t)event->container >= pod->count))
        return KP_EINPUT;
    switch (event->kind) {
    case KP_EVENT_NOSTATUS:
        pod->no_status = true;
        kp_prober_manager_store_status(layer->manager, pod->handle, NULL);
        return KP_OK;
    case KP_EVENT_DELETE:
        begin_termination(layer, pod, now_ns);
        return KP_OK;
    case KP_EVENT_UPDATE:
        return note_update(layer, pod, event);
    case KP_EVENT_REMOVE:
    case KP_EVENT_CLEANUP:
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        return note_manager(layer, pod, event, now_ns);
    default:
        return note_world(layer, pod, event, now_ns);
    }
}

enum kp_err fake_thin_take_event(struct fake_thin *layer, const struct kp_event *event,
                                 int64_t now_ns)
{
    struct fake_thin_pod *pod = fake_thin_find_pod(layer, event->pod);

    switch (event->kind) {
    case KP_EVENT_ANSWER:
        kp_prober_manager_answer(layer->manager, event->u.answer.n, event->u.answer.result,
                                 event->message, now_ns);
        return KP_OK;
    case KP_EVENT_CLOCK:
        note_clock(layer, event->u.by_ns);
        return KP_OK;
    case KP_EVENT_KUBELET_RESTART:
        go_down(layer, kp_later_ns(now_ns, event->u.down_ns), now_ns);
        return KP_OK;
    case KP_EVENT_SANDBOX:
    case KP_EVENT_KILLFAIL:
    case KP_EVENT_RUNTIME_DOWN:
    case KP_EVENT_RUNTIME_UP:
        return KP_OK; /* only of concern to who decides on sandboxes and kills */
    default:
        return pod ? note_pod_event(layer, pod, event, now_ns) : KP_EINPUT;
    }
}
