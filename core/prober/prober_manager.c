#include "prober_manager.h"

#include "../api/port.h"
#include "../api/restart_rules.h"
#include "prober.h"
#include "prober_state.h"

#include <assert.h>
#include <string.h>

#define CACHE_LINE_BYTES 64

/* ---- life of the manager ----------------------------------------------------------------------
 */

static void reset_lists(struct kp_prober_manager *m, int64_t now_ns)
{
    m->ready_head = KP_TIMER_NONE;
    m->now_ns = now_ns;
    kp_sleepers_clear(&m->sleepers);
    kp_tickers_clear(&m->tickers);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        kp_results_channel_init(&m->channels[type]);
}

enum kp_err kp_prober_manager_new(const struct kp_mem *mem, const struct kp_prober_config *config,
                                  struct kp_prober_manager **out)
{
    struct kp_prober_manager *m = mem->alloc(mem->ctx, sizeof *m);

    *out = m;
    if (!m)
        return KP_ENOMEM;
    *m = (struct kp_prober_manager){.mem = mem};
    m->env.profile = *config->profile;
    m->env.start_ns = config->start_ns;
    m->env.start_wall_ns = kp_later_ns(config->start_ns, config->wall_minus_now_ns);
    m->env.wall_minus_now_ns = config->wall_minus_now_ns;
    m->last_n = config->last_n;
    m->draws = config->draws;
    m->sink = config->sink;
    kp_tickers_init(&m->tickers, sizeof *m->workers);
    kp_sleepers_init(&m->sleepers, sizeof *m->workers);
    reset_lists(m, 0);
    return KP_OK;
}

void kp_prober_manager_free(struct kp_prober_manager *m)
{
    if (!m)
        return;
    while (m->expansions) {
        struct kp_expansion *next = m->expansions->next;

        kp_mem_free(m->mem, m->expansions->argv);
        kp_mem_free(m->mem, m->expansions);
        m->expansions = next;
    }
    kp_tickers_deinit(&m->tickers, m->mem);
    kp_sleepers_deinit(&m->sleepers, m->mem);
    kp_mem_free(m->mem, m->workers_block);
    kp_mem_free(m->mem, m->pods);
    kp_mem_free(m->mem, m->by_n);
    kp_mem_free(m->mem, m);
}

void kp_prober_manager_restart(struct kp_prober_manager *m, int64_t start_ns)
{
    m->env.start_ns = start_ns;
    m->env.start_wall_ns = kp_later_ns(start_ns, m->env.wall_minus_now_ns);
    reset_lists(m, start_ns);
    for (uint32_t i = 0; i < m->worker_count; i++) {
        if (m->workers[i].activity == KP_PROBING)
            kp_prober_leave_attempt(m, &m->workers[i]);
        m->workers[i].activity = KP_ABSENT;
        m->workers[i].cached = KP_RESULT_NONE;
        m->workers[i].started_here = false;
        m->workers[i].start_unseen = false;
        m->workers[i].view = (struct kp_view){0};
    }
}

void kp_prober_manager_set_wall(struct kp_prober_manager *m, int64_t wall_minus_now_ns)
{
    m->env.wall_minus_now_ns = wall_minus_now_ns;
    for (uint32_t i = 0; i < m->worker_count; i++)
        m->workers[i].habit = KP_HABIT_NONE; /* a delay that was over may not be (P-039) */
}

/* ---- room -------------------------------------------------------------------------------------
 */

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
    if (kp_sleepers_reserve(&m->sleepers, m->mem, cap) != KP_OK)
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
    m->sleepers.timers = (void *)workers;
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

static bool has_probe(const struct kp_prober_manager *m, const struct kp_container *container,
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

/* Give each probe of `spec`, and each worker that there still is, a slot in one new row. */
static void lay_out(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec)
{
    uint32_t first = m->worker_count;

    for (size_t i = 0; i < spec->init_count + spec->regular_count; i++) {
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            struct kp_worker *old = kp_prober_find_slot(m, pod, (int)i, (enum kp_probe_type)type);
            struct kp_worker *slot;

            if (!old && !has_probe(m, &spec->containers[i], (enum kp_probe_type)type))
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

            if (there ? !fresh_only : has_probe(m, &spec->containers[i], (enum kp_probe_type)type))
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
            if (has_probe(m, &spec->containers[i], (enum kp_probe_type)type) &&
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

/* ---- the manager's methods --------------------------------------------------------------------
 */

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

static const enum kp_probe_type add_order[] = {KP_STARTUP, KP_READINESS, KP_LIVENESS};

/* false: a worker was there before (P-152). */
static bool add_container(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec,
                          size_t container, int64_t now_ns)
{
    for (size_t i = 0; i < sizeof add_order / sizeof add_order[0]; i++) {
        struct kp_worker *w;

        if (!has_probe(m, &spec->containers[container], add_order[i]))
            continue;
        w = kp_prober_find_slot(m, pod, (int)container, add_order[i]);
        assert(w);
        if (w->activity != KP_ABSENT)
            return false;
        kp_worker_init(w, spec, (uint32_t)container, add_order[i]);
        w->has_handler = kp_handler_is_known(
            &m->env.profile, &spec->containers[container].probes[add_order[i]]->handler);
        w->ring = kp_tickers_find(
            &m->tickers, kp_prober_period_ns(spec->containers[container].probes[add_order[i]]));
        w->spec = m->pods[pod].spec;
        kp_prober_start_worker(m, w, now_ns);
    }
    return true;
}

static bool add_range(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec,
                      size_t first, size_t count, int64_t now_ns)
{
    for (size_t i = first; i < first + count; i++)
        if (!add_container(m, pod, spec, i, now_ns) && !m->env.profile.add_pod_skips_container)
            return false;
    return true;
}

void kp_prober_manager_add_pod(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec,
                               int64_t now_ns)
{
    assert(pod < m->pod_cap && m->pods[pod].spec);
    if (add_range(m, pod, spec, spec->init_count, spec->regular_count, now_ns))
        add_range(m, pod, spec, 0, spec->init_count, now_ns);
}

/* Of regular containers (P-155); sidecars are probed on (S-028). */
void kp_prober_manager_stop_liveness_and_startup(struct kp_prober_manager *m, uint32_t pod)
{
    for (uint32_t i = 0; i < m->pods[pod].count; i++) {
        struct kp_worker *w = &m->workers[m->pods[pod].first + i];

        if (w->type != KP_READINESS &&
            m->pods[pod].spec->containers[w->container_index].kind == KP_REGULAR) /* K-17 */
            kp_prober_stop_worker(m, w);
    }
}

/* All containers are dead (P-156), or housekeeping finds that the pod is not wanted (P-158): every
 * worker is told to stop. */
void kp_prober_manager_remove_pod(struct kp_prober_manager *m, uint32_t pod)
{
    for (uint32_t i = 0; i < m->pods[pod].count; i++)
        kp_prober_stop_worker(m, &m->workers[m->pods[pod].first + i]);
}

void kp_prober_manager_cancel_pod(struct kp_prober_manager *m, uint32_t pod, int64_t now_ns)
{
    if (!m->env.profile.worker_context_cancelled)
        return;
    for (uint32_t i = 0; i < m->pods[pod].count; i++)
        kp_prober_cancel_worker(m, &m->workers[m->pods[pod].first + i], now_ns);
}

void kp_prober_manager_note_start(struct kp_prober_manager *m, uint32_t pod, int container)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        struct kp_worker *w = kp_prober_find_slot(m, pod, container, (enum kp_probe_type)type);

        if (!w)
            continue;
        if (!w->start_unseen)
            w->seen_has_ref = w->started_here;
        w->start_unseen = true;
        w->started_here = true;
    }
}

void kp_prober_manager_note_kill(struct kp_prober_manager *m, uint32_t pod, int container,
                                 struct kp_text cid)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++) {
        struct kp_worker *w = kp_prober_find_slot(m, pod, container, (enum kp_probe_type)type);

        if (!w)
            continue;
        if (w->start_unseen && kp_text_equal(w->view.cid, cid))
            w->seen_has_ref = false;
        else
            w->started_here = false;
        w->has_ref = w->has_ref && !kp_text_equal(w->cid, cid);
    }
}

/* ---- what the workers see ---------------------------------------------------------------------
 */

static struct kp_view view_of(const struct kp_pod_status *status,
                              const struct kp_container_status *c)
{
    struct kp_view view = {.pod_known = true};

    view.pod_terminal = kp_phase_is_terminal(status->phase);
    if (!c)
        return view;
    view.cid = c->container_id;
    view.state = (uint8_t)c->state.kind;
    view.running_since_ns = c->state.started_at_ns;
    view.exit_code = c->state.exit_code;
    view.started = c->has_started && c->started;
    return view;
}

/* ShouldAllContainersRestart: somebody's exit matched a rule that restarts them all. */
static bool restarts_all(const struct kp_prober_manager *m, const struct kp_pod *spec,
                         const struct kp_pod_status *status)
{
    if (!m->env.profile.gates[KP_GATE_RestartAllContainersOnContainerExits])
        return false;
    if (kp_status_is_true(status, "AllContainersRestarting"))
        return true;
    for (size_t i = 0; i < spec->init_count + spec->regular_count; i++) {
        const struct kp_container_status *c = kp_status_find(status, spec->containers[i].name);

        if (c && c->state.kind == KP_STATE_TERMINATED &&
            kp_exit_restarts_all(&spec->containers[i], c->state.exit_code))
            return true;
    }
    return false;
}

void kp_prober_manager_store_status(struct kp_prober_manager *m, uint32_t pod,
                                    const struct kp_pod_status *status)
{
    const struct kp_prober_pod *row = &m->pods[pod];
    bool all = status && restarts_all(m, row->spec, status);

    for (uint32_t i = 0; i < row->count; i++) {
        struct kp_worker *w = &m->workers[row->first + i];
        struct kp_text name = row->spec->containers[w->container_index].name;
        struct kp_text seen = w->view.cid;

        w->view = status ? view_of(status, kp_status_find(status, name)) : (struct kp_view){0};
        w->start_unseen = w->start_unseen && kp_text_equal(seen, w->view.cid);
        w->all_restarting = all;
        w->habit = KP_HABIT_NONE;
    }
}
