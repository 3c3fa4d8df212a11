#include "prober_manager.h"

#include "../api/port.h"
#include "../api/restart_rules.h"
#include "prober_state.h"

#include <assert.h>

/* ---- life of the manager ----------------------------------------------------------------------
 */

static void reset_lists(struct kp_prober_manager *m, int64_t now_ns)
{
    m->ready_head = KP_TIMER_NONE;
    m->now_ns = now_ns;
    kp_timer_heap_clear(&m->jitter_timers);
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
    kp_timer_heap_init(&m->jitter_timers, sizeof *m->workers);
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
    kp_timer_heap_deinit(&m->jitter_timers, m->mem);
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
        m->workers[i].cached_action = KP_CACHED_NONE; /* a delay that was over may not be (P-039) */
}

/* ---- the manager's methods --------------------------------------------------------------------
 */

static const enum kp_probe_type add_order[] = {KP_STARTUP, KP_READINESS, KP_LIVENESS};

/* false: a worker was there before (P-152). */
static bool add_container(struct kp_prober_manager *m, uint32_t pod, const struct kp_pod *spec,
                          size_t container, int64_t now_ns)
{
    for (size_t i = 0; i < sizeof add_order / sizeof add_order[0]; i++) {
        struct kp_worker *w;

        if (!kp_prober_has_probe(m, &spec->containers[container], add_order[i]))
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
    view.started = c->started;
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
        w->cached_action = KP_CACHED_NONE;
    }
}

/* ---- results ------------------------------------------------------------------------------- */

static void receive(struct kp_results_channel *channel, struct kp_results_update *update)
{
    *update = channel->queue[channel->first];
    channel->first = (channel->first + 1) % KP_RESULTS_CAPACITY;
    channel->count--;
}

/* There is room for one of those that wait in their send. */
static KP_SELDOM void take_update(struct kp_prober_manager *m, struct kp_results_channel *channel)
{
    struct kp_worker *sender = &m->workers[channel->sender_head];

    channel->sender_head = sender->link;
    (void)kp_results_send(channel, sender);
    kp_prober_resume_worker(m, sender);
}

bool kp_results_any(const struct kp_prober_manager *m)
{
    uint32_t count = 0;

    for (int type = 0; type < KP_PROBE_TYPES; type++)
        count |= m->channels[type].count;
    return count != 0;
}

bool kp_results_take(struct kp_prober_manager *m, enum kp_probe_type type,
                     struct kp_results_update *update)
{
    struct kp_results_channel *channel = &m->channels[type];

    if (channel->count == 0)
        return false;
    receive(channel, update);
    if (channel->sender_head != KP_TIMER_NONE)
        take_update(m, channel);
    return true;
}

/* The cached result, if it is of this container id (P-138). */
bool kp_results_get(const struct kp_prober_manager *m, enum kp_probe_type type, uint32_t pod,
                    int container, struct kp_text cid, enum kp_result *result)
{
    const struct kp_worker *w = kp_prober_find_slot(m, pod, container, type);

    if (!w || w->cached == KP_RESULT_NONE || !kp_text_equal(w->cid, cid))
        return false;
    *result = (enum kp_result)w->cached;
    return true;
}
