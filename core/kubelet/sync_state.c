#include "sync_state.h"

#include "hook_text.h"
#include "start_container.h"
#include "sync_steps.h"

enum kp_err kp_sync_reserve_texts(struct kp_sync *sync)
{
    for (size_t i = 0; i < kp_pod_container_count(&sync->run->api); i++) {
        if (kp_start_reserve(sync, (int)i) != KP_OK)
            return KP_ENOMEM;
        if (kp_hook_text_reserve(sync, (int)i) != KP_OK)
            return KP_ENOMEM;
    }
    return KP_OK;
}

enum kp_err kp_sync_new(struct kp_pod_run *run, struct kp_sync **out)
{
    const struct kp_mem *mem = run->node->mem;
    size_t count = run->container_count;
    struct kp_sync *sync = kp_mem_array(mem, 1, sizeof *sync);

    *out = sync;
    if (sync)
        sync->run = run;
    if (!sync || kp_runtime_view_init(&sync->view, mem, count) != KP_OK ||
        kp_pod_actions_init(&sync->actions, mem, count) != KP_OK)
        return KP_ENOMEM;
    sync->containers = kp_mem_array(mem, count, sizeof *sync->containers);
    sync->reasons = kp_mem_array(mem, count, sizeof *sync->reasons);
    return sync->containers && sync->reasons ? KP_OK : KP_ENOMEM;
}

void kp_sync_free(struct kp_sync *sync, const struct kp_mem *mem)
{
    if (!sync)
        return;
    kp_pod_actions_deinit(&sync->actions, mem);
    for (size_t i = 0; sync->containers && i < sync->view.container_count; i++) {
        kp_mem_free(mem, sync->containers[i].texts[0].bytes);
        kp_mem_free(mem, sync->containers[i].hook_texts.bytes);
    }
    kp_runtime_view_deinit(&sync->view, mem);
    kp_mem_free(mem, sync->containers);
    kp_mem_free(mem, sync->reasons);
    kp_mem_free(mem, sync);
}

void kp_sync_tell_late_hooks(struct kp_sync *sync)
{
    for (size_t i = 0; sync->has_hooks && i < sync->run->container_count; i++)
        kp_kill_tell_late(sync, (int)i);
}

void kp_sync_enter(struct kp_sync *sync, enum kp_sync_step step)
{
    sync->step = step;
    sync->at = 0;
}

void kp_sync_fail(struct kp_sync *sync)
{
    sync->result.failed = true;
    kp_sync_enter(sync, KP_SYNC_END);
}
