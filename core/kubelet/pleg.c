#include "pleg.h"

#include "pod_workers_before_122.h"

/* What PLEG keeps of a pod. */
struct kp_pleg {
    struct kp_runtime_view cache; /* what the last relist that saw a change saw */
    uint32_t address;             /* that goes with it, as in kp_status_box */
    unsigned events;              /* on their way to the sync loop */
    bool *died;                   /* per container: a relist saw one die */
    unsigned deaths;              /* of containers and sandboxes, that relists saw */
    bool any_started;             /* ...and start */
};

enum kp_err kp_pleg_new(const struct kp_mem *mem, size_t container_count, struct kp_pleg **out)
{
    struct kp_pleg *pleg = kp_mem_array(mem, 1, sizeof *pleg);

    *out = pleg;
    if (!pleg || kp_runtime_view_init(&pleg->cache, mem, container_count) != KP_OK)
        return KP_ENOMEM;
    pleg->died = kp_mem_array(mem, container_count, sizeof *pleg->died);
    return pleg->died ? KP_OK : KP_ENOMEM;
}

void kp_pleg_free(struct kp_pleg *pleg, const struct kp_mem *mem)
{
    if (!pleg)
        return;
    kp_runtime_view_deinit(&pleg->cache, mem);
    kp_mem_free(mem, pleg->died);
    kp_mem_free(mem, pleg);
}

void kp_pleg_forget(struct kp_pleg *pleg)
{
    pleg->address = 0;
}

const struct kp_runtime_view *kp_pleg_cache(const struct kp_pleg *pleg)
{
    return &pleg->cache;
}

uint32_t kp_pleg_address(const struct kp_pleg *pleg)
{
    return pleg->address;
}

unsigned kp_pleg_take_events(struct kp_pleg *pleg)
{
    unsigned events = pleg->events;

    pleg->events = 0;
    return events;
}

static void see_instance(struct kp_pleg *pleg, size_t container, struct kp_instance *instance)
{
    if (instance->seen == instance->state)
        return;
    instance->seen = instance->state;
    if (instance->state == KP_INSTANCE_EXITED) {
        pleg->died[container] = true;
        pleg->deaths++;
    }
    pleg->any_started = pleg->any_started || instance->state == KP_INSTANCE_RUNNING;
    /* Created and Unknown change the cache, but no event is delivered (S-016). */
    if (instance->state == KP_INSTANCE_RUNNING || instance->state == KP_INSTANCE_EXITED)
        pleg->events++;
}

static void see_sandbox(struct kp_pleg *pleg, struct kp_sandbox *sandbox)
{
    if (sandbox->seen && sandbox->seen_ready == sandbox->ready)
        return;
    sandbox->seen = true;
    sandbox->seen_ready = sandbox->ready;
    pleg->deaths += !sandbox->ready;
    pleg->any_started = pleg->any_started || sandbox->ready;
    pleg->events++;
}

/* getPodIPs: a pod without a sandbox that is ready, or without any, keeps the address that it had.
 */
static void see_address(struct kp_pleg *pleg, const struct kp_sandbox *newest)
{
    if (newest->ready)
        pleg->address = newest->attempt + 1;
}

/* Compares the runtime with the last look.  What lived in between is only seen dead (S-017); all
 * but a removal syncs (S-015). */
void kp_pleg_relist(struct kp_pleg *pleg, struct kp_runtime_view *truth)
{
    for (size_t i = 0; i < truth->container_count; i++) {
        struct kp_instances *instances = &truth->containers[i];

        for (size_t j = 0; j < instances->count; j++)
            see_instance(pleg, i, &instances->list[j]);
    }
    for (size_t i = 0; i < truth->sandbox_count; i++)
        see_sandbox(pleg, &truth->sandboxes[i]);
    pleg->events += truth->gone_unseen;
    truth->gone_unseen = 0;
    if (truth->changed) {
        kp_runtime_view_copy(&pleg->cache, truth);
        see_address(pleg, &truth->sandboxes[0]);
    }
    truth->changed = false;
}

/* ShouldPodContentBeRemoved.  From 1.22 on it is not called for what is left of a pod by then. */
static bool is_disposable(const struct kp_pod_run *run, bool old_has_ended)
{
    return !run->node->profile.worker_phases && old_has_ended;
}

unsigned kp_pleg_deaths(const struct kp_pleg *pleg)
{
    return pleg->deaths;
}

bool kp_pleg_take_started(struct kp_pleg *pleg)
{
    bool started = pleg->any_started;

    pleg->any_started = false;
    return started;
}

/* created_too: what never ran as well. */
static void remove_dead(struct kp_runtime_view *truth, bool created_too)
{
    for (size_t i = 0; i < truth->container_count; i++) {
        struct kp_instances *instances = &truth->containers[i];

        for (size_t j = instances->count; j-- > 0;)
            if (instances->list[j].state == KP_INSTANCE_EXITED ||
                (created_too && instances->list[j].state != KP_INSTANCE_RUNNING)) {
                kp_runtime_remove(truth, (int)i, j);
                truth->changed = true;
            }
    }
}

void kp_pleg_clean_up(struct kp_pod_run *run, bool known)
{
    struct kp_pleg *pleg = run->pleg;
    struct kp_runtime_view *truth = &run->truth;

    if (known && pleg->deaths > 0 &&
        is_disposable(run, kp_old_worker_had_ended(&run->api, &pleg->cache)))
        remove_dead(truth, false);
    pleg->deaths = 0;
    for (size_t i = 0; i < truth->container_count; i++) {
        size_t before = truth->containers[i].count;

        if (!pleg->died[i])
            continue;
        pleg->died[i] = false;
        kp_runtime_collect_dead(truth, (int)i, false);
        truth->changed = truth->changed || truth->containers[i].count != before;
    }
}

void kp_pleg_collect(struct kp_pod_run *run, bool known)
{
    if (known && is_disposable(run, kp_old_worker_has_ended(&run->api)))
        remove_dead(&run->truth, true);
    for (size_t i = 0; i < run->container_count; i++)
        kp_runtime_collect_dead(&run->truth, (int)i, true);
    kp_runtime_collect_forgotten(&run->truth);
    kp_runtime_collect_sandboxes(&run->truth);
    run->truth.changed = true;
}
