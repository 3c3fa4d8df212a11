/* prober_slots.c: who gets workers, and room for them, which is there before they are. */
#include "prober.h"
#include "prober_state.h"

#include <string.h>

#define CACHE_LINE_BYTES 64

static enum kp_err grow(const struct kp_mem *mem, void **array, size_t size, uint32_t *cap,
                        uint32_t need)
{
    uint32_t larger = *cap + *cap / 16 > need ? *cap + *cap / 16 : need;
    void *block;

    if (need <= *cap)
        return KP_OK;
    block = kp_mem_array(mem, larger, size);
    if (!block)
        return KP_ENOMEM;
    if (*cap > 0)
        memcpy(block, *array, *cap * size);
    kp_mem_free(mem, *array);
    *array = block;
    *cap = larger;
    return KP_OK;
}

/* Workers stand on cache lines of their own: two each. */
static enum kp_err grow_workers(struct kp_prober_manager *m, uint32_t need)
{
    uint32_t cap =
        m->worker_cap + m->worker_cap / 16 > need ? m->worker_cap + m->worker_cap / 16 : need;
    unsigned char *block;
    struct kp_worker *workers;

    if (need <= m->worker_cap)
        return KP_OK;
    if (kp_timer_heap_reserve(&m->jitter_timers, m->mem, cap) != KP_OK)
        return KP_ENOMEM;
    block = kp_mem_array(m->mem, 1, cap * sizeof *workers + CACHE_LINE_BYTES);
    if (!block)
        return KP_ENOMEM;
    workers = (void *)(block + (-(uintptr_t)block & (CACHE_LINE_BYTES - 1)));
    if (m->worker_count > 0)
        memcpy(workers, m->workers, m->worker_count * sizeof *workers);
    kp_mem_free(m->mem, m->workers_block);
    m->workers_block = block;
    m->workers = workers;
    m->worker_cap = cap;
    m->jitter_timers.timers = (void *)workers;
    m->tickers.nodes = (void *)workers;
    return KP_OK;
}

static enum kp_err grow_pods(struct kp_prober_manager *m, uint32_t need)
{
    void *pods = m->pods;
    enum kp_err err = grow(m->mem, &pods, sizeof *m->pods, &m->pod_cap, need);

    m->pods = pods;
    return err;
}

/* As many places as workers, rounded up to a power of two. */
static enum kp_err grow_by_n(struct kp_prober_manager *m, uint32_t workers)
{
    uint32_t size = m->by_n ? m->by_n_mask + 1 : 8;
    uint32_t *fresh;

    if (m->by_n && workers <= size)
        return KP_OK;
    while (size < workers)
        size *= 2;
    fresh = kp_mem_array(m->mem, size, sizeof *fresh);
    if (!fresh)
        return KP_ENOMEM;
    kp_mem_free(m->mem, m->by_n);
    m->by_n = fresh;
    m->by_n_mask = size - 1;
    for (uint32_t i = 0; i < m->worker_count; i++)
        if (m->workers[i].activity == KP_PROBING)
            kp_prober_enter_attempt(m, &m->workers[i]);
    return KP_OK;
}

/* What a probe needs beside its slot: a ring of its period, and its command expanded. */
static enum kp_err prepare(struct kp_prober_manager *m, const struct kp_container *container,
                           const struct kp_probe *probe)
{
    struct kp_expansion *expansion;
    struct kp_text_list *argv;
    uint32_t ring;

    if (kp_tickers_reserve(&m->tickers, m->mem, kp_prober_period_ns(probe), &ring) != KP_OK)
        return KP_ENOMEM;
    if (!probe->handler.exec)
        return KP_OK;
    if (kp_command_expand(m->mem, container, &probe->handler.exec->command, &argv) != KP_OK)
        return KP_ENOMEM;
    if (!argv)
        return KP_OK;
    expansion = kp_mem_array(m->mem, 1, sizeof *expansion);
    if (!expansion) {
        kp_mem_free(m->mem, argv);
        return KP_ENOMEM;
    }
    *expansion = (struct kp_expansion){m->expansions, probe, argv};
    m->expansions = expansion;
    return KP_OK;
}

/* P-150, P-151: who gets workers at all. */
static bool is_probed(const struct kp_prober_manager *m, const struct kp_container *container)
{
    return container->kind == KP_REGULAR ||
           (m->env.profile.sidecar_probes && kp_container_is_sidecar(container));
}

bool kp_prober_has_probe(const struct kp_prober_manager *m, const struct kp_container *container,
                         enum kp_probe_type type)
{
    if (type == KP_STARTUP &&
        !(m->env.profile.startup_probe_exists && m->env.profile.gates[KP_GATE_StartupProbe]))
        return false;
    return is_probed(m, container) && container->probes[type];
}

/* The API server lets nobody take away, rename or reorder init and regular containers. */
static bool same_names(const struct kp_prober_pod *pod, const struct kp_pod *spec)
{
    size_t count = pod->spec->init_count + pod->spec->regular_count;

    if (spec->init_count != pod->spec->init_count ||
        spec->regular_count != pod->spec->regular_count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!kp_text_equal(spec->containers[i].name, pod->spec->containers[i].name))
            return false;
    return true;
}

/* A pod has one worker for each container and type of probe (P-011). */
static uint32_t slot_key(const struct kp_worker *w)
{
    return w->container_index * KP_PROBE_TYPES + w->type;
}

struct kp_worker *kp_prober_find_slot(const struct kp_prober_manager *m, uint32_t pod,
                                      int container, enum kp_probe_type type)
{
    uint32_t key = (uint32_t)container * KP_PROBE_TYPES + type;
    uint32_t low = 0;
    uint32_t high = m->pods[pod].count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct kp_worker *w = &m->workers[m->pods[pod].first + middle];

        if (slot_key(w) < key)
            low = middle + 1;
        else if (slot_key(w) > key)
            high = middle;
        else
            return w;
    }
    return NULL;
}

/* Give each probe of `spec`, and each worker that there still is, a slot in one new row. */
static void lay_out(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec)
{
    uint32_t first = m->worker_count;

    for (size_t i = 0; i < spec->init_count + spec->regular_count; i++) {
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            struct kp_worker *old = kp_prober_find_slot(m, pod, (int)i, (enum kp_probe_type)type);
            struct kp_worker *slot;

            if (!old && !kp_prober_has_probe(m, &spec->containers[i], (enum kp_probe_type)type))
                continue;
            slot = &m->workers[m->worker_count++];
            slot->pod = pod;
            slot->container_index = (uint32_t)i;
            slot->type = (uint8_t)type;
            slot->cached = KP_RESULT_NONE;
            if (old)
                kp_prober_move_worker(m, old, slot);
        }
    }
    m->pods[pod] = (struct kp_prober_pod){spec, first, m->worker_count - first};
}

static uint32_t count_slots(const struct kp_prober_manager *m, uint32_t pod,
                            const struct kp_pod *spec, bool fresh_only)
{
    uint32_t count = 0;

    for (size_t i = 0; i < spec->init_count + spec->regular_count; i++)
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            bool there = kp_prober_find_slot(m, pod, (int)i, (enum kp_probe_type)type) != NULL;

            if (there ? !fresh_only
                      : kp_prober_has_probe(m, &spec->containers[i], (enum kp_probe_type)type))
                count++;
        }
    return count;
}

enum kp_err kp_prober_manager_reserve(struct kp_prober_manager *m, uint32_t pod,
                                      const struct kp_pod *spec)
{
    bool known;

    if (grow_pods(m, pod + 1) != KP_OK)
        return KP_ENOMEM;
    known = m->pods[pod].spec != NULL;
    if (known && !same_names(&m->pods[pod], spec))
        return KP_EINPUT;
    for (size_t i = 0; i < spec->init_count + spec->regular_count; i++)
        for (int type = 0; type < KP_PROBE_TYPES; type++)
            if (kp_prober_has_probe(m, &spec->containers[i], (enum kp_probe_type)type) &&
                prepare(m, &spec->containers[i], spec->containers[i].probes[type]) != KP_OK)
                return KP_ENOMEM;
    if (known && count_slots(m, pod, spec, true) == 0) {
        m->pods[pod].spec = spec;
        return KP_OK;
    }
    if (grow_workers(m, m->worker_count + count_slots(m, pod, spec, false)) != KP_OK ||
        grow_by_n(m, m->worker_cap) != KP_OK)
        return KP_ENOMEM;
    lay_out(m, pod, spec);
    return KP_OK;
}
