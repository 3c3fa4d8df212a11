#include "pod_parts.h"

#include "conditions.h"
#include "pleg.h"
#include "pod_killer.h"
#include "pod_workers.h"
#include "status_manager.h"
#include "sync_pod.h"

/* Ephemeral containers may be added to a pod that runs. */
#define EPHEMERAL_ROOM 4

static void put_full_name(struct kp_buf *buf, const struct kp_pod *pod)
{
    kp_buf_put(buf, pod->name);
    kp_buf_put_char(buf, '_');
    kp_buf_put(buf, pod->namespace_);
    kp_buf_put_char(buf, '(');
    kp_buf_put(buf, pod->uid);
    kp_buf_put_char(buf, ')');
}

static enum kp_err reserve_name(struct kp_pod_run *run)
{
    struct kp_buf buf = {0};

    put_full_name(&buf, &run->api);
    run->name_bytes = kp_mem_array(run->node->mem, buf.need, 1);
    if (!run->name_bytes)
        return KP_ENOMEM;
    buf = (struct kp_buf){.bytes = run->name_bytes, .cap = buf.need};
    put_full_name(&buf, &run->api);
    run->full_name = kp_buf_text(&buf);
    return KP_OK;
}

enum kp_err kp_pod_parts_init(struct kp_pod_run *run, struct kp_node *node,
                              const struct kp_pod *pod, uint32_t handle)
{
    const struct kp_mem *mem = node->mem;
    size_t count = kp_pod_container_count(pod) + EPHEMERAL_ROOM;
    /* Ephemeral containers that come later are in no condition.  Twice: a readiness result words
     * conditions anew beside the old words (S-306). */
    size_t text = 2 * kp_conditions_text_max(pod);

    *run = (struct kp_pod_run){.node = node,
                               .handle = handle,
                               .api = *pod,
                               .deletion_requested = pod->has_deletion,
                               .others = pod->status,
                               .container_count = count};
    if (reserve_name(run) == KP_OK && kp_runtime_view_init(&run->truth, mem, count) == KP_OK &&
        kp_status_boxes_init(&run->boxes, mem, count, text) == KP_OK &&
        kp_statuses_new(mem, &run->statuses) == KP_OK &&
        kp_pleg_new(mem, count, &run->pleg) == KP_OK &&
        kp_pod_worker_new(mem, &run->worker) == KP_OK && kp_sync_new(run, &run->sync) == KP_OK &&
        kp_sync_reserve_texts(run->sync) == KP_OK && kp_pod_killer_new(run, &run->killer) == KP_OK)
        return KP_OK;
    kp_pod_parts_deinit(run);
    return KP_ENOMEM;
}

void kp_pod_parts_deinit(struct kp_pod_run *run)
{
    const struct kp_mem *mem = run->node->mem;

    kp_pod_killer_free(run);
    kp_sync_free(run->sync, mem);
    kp_mem_free(mem, run->worker);
    kp_pleg_free(run->pleg, mem);
    kp_mem_free(mem, run->statuses);
    kp_status_boxes_deinit(&run->boxes, mem);
    kp_runtime_view_deinit(&run->truth, mem);
    kp_mem_free(mem, run->name_bytes);
}

void kp_pod_parts_forget(struct kp_pod_run *run)
{
    kp_sync_forget(run->sync);
    kp_pod_killer_forget(run);
    kp_pod_worker_forget(run);
    kp_pleg_forget(run->pleg);
    kp_statuses_forget(run->statuses);
    run->orphaned = true;
}
