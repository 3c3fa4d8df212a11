/* prober_run.c: when a worker looks: jitter, ticker, trigger, stop.  Upstream: worker.go run, stop.
 */
#include "prober_state.h"

#include <assert.h>

static int64_t period_ns(const struct kp_worker *w)
{
    return w->period_s * KP_NS_PER_S;
}

static void make_ready(struct kp_prober_manager *m, struct kp_worker *w, enum kp_activity activity)
{
    uint32_t index = kp_prober_index(m, w);

    w->activity = (uint8_t)activity;
    w->node.next = KP_WHEEL_NONE;
    if (m->ready_head == KP_WHEEL_NONE)
        m->ready_head = index;
    else
        m->workers[m->ready_tail].node.next = index;
    m->ready_tail = index;
}

/* P-014, P-015: drawn always in old versions, then only by a kubelet younger than the period. */
static int64_t draw_jitter_ns(const struct kp_prober_manager *m, const struct kp_worker *w,
                              int64_t now_ns)
{
    if (!m->draws.jitter_ns)
        return 0;
    if (m->env.profile.jitter_only_when_young && period_ns(w) <= now_ns - m->env.start_ns)
        return 0;
    return m->draws.jitter_ns(m->draws.ctx, w->spec, (int)w->container_index,
                              (enum kp_probe_type)w->type, period_ns(w));
}

void kp_prober_start_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    int64_t jitter_ns = draw_jitter_ns(m, w, now_ns);

    if (jitter_ns > 0) {
        w->activity = KP_SLEEPING;
        kp_wheel_insert(&m->wheel, kp_prober_index(m, w), now_ns + jitter_ns);
        return;
    }
    w->node.due_ns = now_ns + period_ns(w);
    make_ready(m, w, KP_LOOKING);
}

/* P-024: its result goes with it. */
static void finish(struct kp_worker *w)
{
    w->cached = KP_RESULT_NONE;
    w->activity = KP_ABSENT;
}

/*
 * The select between two looks. Go picks among several that are ready at random (P-020); here stop
 * comes before the tick and the tick before the trigger.
 */
static void await(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->stop_sent) {
        finish(w);
        return;
    }
    if (w->node.due_ns <= now_ns) { /* one tick was kept, the others are lost (P-019) */
        w->node.due_ns += period_ns(w) * (1 + (now_ns - w->node.due_ns) / period_ns(w));
        make_ready(m, w, KP_LOOKING);
        return;
    }
    if (w->triggered) {
        w->triggered = false;
        if (m->env.profile.trigger_resets_ticker)
            w->node.due_ns = now_ns + period_ns(w);
        make_ready(m, w, KP_LOOKING);
        return;
    }
    w->activity = KP_WAITING;
    kp_wheel_insert(&m->wheel, kp_prober_index(m, w), w->node.due_ns);
}

void kp_prober_stop_worker(struct kp_prober_manager *m, struct kp_worker *w)
{
    if (w->activity == KP_ABSENT)
        return;
    if (w->activity != KP_WAITING) {
        w->stop_sent = true;
        return;
    }
    kp_wheel_remove(&m->wheel, kp_prober_index(m, w));
    make_ready(m, w, KP_STOPPING);
}

void kp_prober_trigger_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->activity != KP_WAITING) {
        w->triggered = true;
        return;
    }
    kp_wheel_remove(&m->wheel, kp_prober_index(m, w));
    if (m->env.profile.trigger_resets_ticker)
        w->node.due_ns = now_ns + period_ns(w);
    make_ready(m, w, KP_LOOKING);
}

void kp_prober_resume_worker(struct kp_prober_manager *m, struct kp_worker *w)
{
    assert(w->activity == KP_SENDING);
    w->resuming = true;
    make_ready(m, w, KP_LOOKING);
}

static void send(struct kp_prober_manager *m, struct kp_worker *w)
{
    struct kp_results_channel *channel = &m->channels[w->type];
    uint32_t index = kp_prober_index(m, w);

    w->activity = KP_SENDING;
    w->node.next = KP_WHEEL_NONE;
    if (channel->sender_head == KP_WHEEL_NONE)
        channel->sender_head = index;
    else
        m->workers[channel->sender_tail].node.next = index;
    channel->sender_tail = index;
}

void kp_prober_begin_effect(const struct kp_worker *w, struct kp_effect *effect)
{
    effect->pod = w->pod;
    effect->spec = w->spec;
    effect->container = (int)w->container_index;
    effect->cid = w->cid;
}

static void tell_result(const struct kp_prober_manager *m, const struct kp_worker *w,
                        enum kp_rule rule)
{
    struct kp_effect effect;

    kp_prober_begin_effect(w, &effect);
    effect.kind = KP_EFFECT_RESULT;
    effect.rule = rule;
    effect.u.result.type = (enum kp_probe_type)w->type;
    effect.u.result.value = (enum kp_result)w->cached;
    kp_prober_tell(m, &effect);
}

/* The sets of a step.  false: one of them waits for room in the channel, the rest with it. */
static bool apply_sets(struct kp_prober_manager *m, struct kp_worker *w, const struct kp_step *step)
{
    for (uint8_t i = 0; i < step->set_count; i++) {
        if (!kp_results_set(w, (enum kp_result)step->sets[i].value))
            continue;
        tell_result(m, w, (enum kp_rule)step->sets[i].rule);
        if (kp_results_send(&m->channels[w->type], w))
            continue;
        w->u.pending = (struct kp_step){.rule = step->rule, .action = step->action};
        for (uint8_t rest = (uint8_t)(i + 1); rest < step->set_count; rest++)
            w->u.pending.sets[w->u.pending.set_count++] = step->sets[rest];
        send(m, w);
        return false;
    }
    return true;
}

void kp_prober_apply(struct kp_prober_manager *m, struct kp_worker *w, struct kp_step step,
                     int64_t now_ns)
{
    if (step.set_count > 0 && !apply_sets(m, w, &step))
        return;
    switch ((enum kp_action)step.action) {
    case KP_PROBE:
        kp_prober_probe(m, w, now_ns);
        return;
    case KP_END:
        finish(w);
        return;
    case KP_WAIT:
        await(m, w, now_ns);
        return;
    }
}

static void look(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->activity = KP_LOOKING;
    if (w->resuming) {
        w->resuming = false;
        kp_prober_apply(m, w, w->u.pending, now_ns);
        return;
    }
    kp_prober_apply(m, w, kp_worker_tick(w, &m->env, now_ns), now_ns);
}

static void take_turn(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    switch ((enum kp_activity)w->activity) {
    case KP_SLEEPING: /* P-017: the ticker begins when the sleep ends */
    case KP_WAITING:
        w->node.due_ns = now_ns + period_ns(w);
        look(m, w, now_ns);
        return;
    case KP_LOOKING:
        look(m, w, now_ns);
        return;
    case KP_STOPPING:
        finish(w);
        return;
    case KP_ABSENT:
    case KP_SENDING:
    case KP_PROBING:
        break;
    }
    assert(!"a worker of that kind is not in the ready list");
}

/* Those that the wheel hands out are ready; what they wait for is told by their activity. */
static void take_due(struct kp_prober_manager *m, int64_t now_ns)
{
    uint32_t head = kp_wheel_advance(&m->wheel, now_ns);
    uint32_t tail;

    if (head == KP_WHEEL_NONE)
        return;
    tail = m->workers[head].node.prev;
    m->workers[tail].node.next = KP_WHEEL_NONE;
    if (m->ready_head == KP_WHEEL_NONE)
        m->ready_head = head;
    else
        m->workers[m->ready_tail].node.next = head;
    m->ready_tail = tail;
}

void kp_prober_manager_run(struct kp_prober_manager *m, int64_t now_ns)
{
    take_due(m, now_ns);
    while (m->ready_head != KP_WHEEL_NONE) {
        struct kp_worker *w = &m->workers[m->ready_head];

        m->ready_head = w->node.next;
        take_turn(m, w, now_ns);
    }
}

int64_t kp_prober_manager_next_ns(const struct kp_prober_manager *m)
{
    return m->ready_head != KP_WHEEL_NONE ? m->wheel.now_ns : kp_wheel_next_ns(&m->wheel);
}

/* ---- moving --------------------------------------------------------------------------------- */

/* In a list that begins at *head, `to` takes the place of `from`. */
static void replace(struct kp_prober_manager *m, uint32_t *head, uint32_t *tail, uint32_t from,
                    uint32_t to)
{
    uint32_t *link = head;

    while (*link != KP_WHEEL_NONE && *link != from)
        link = &m->workers[*link].node.next;
    if (*link == KP_WHEEL_NONE)
        return;
    *link = to;
    if (*tail == from)
        *tail = to;
}

void kp_prober_move_worker(struct kp_prober_manager *m, struct kp_worker *from,
                           struct kp_worker *to)
{
    uint32_t old_index = kp_prober_index(m, from);
    uint32_t new_index = kp_prober_index(m, to);
    bool in_wheel = from->activity == KP_WAITING || from->activity == KP_SLEEPING;

    if (in_wheel)
        kp_wheel_remove(&m->wheel, old_index);
    if (from->activity == KP_PROBING)
        kp_prober_leave_attempt(m, from);
    *to = *from;
    if (in_wheel)
        kp_wheel_insert(&m->wheel, new_index, to->node.due_ns);
    if (from->activity == KP_LOOKING || from->activity == KP_STOPPING)
        replace(m, &m->ready_head, &m->ready_tail, old_index, new_index);
    if (from->activity == KP_SENDING)
        replace(m, &m->channels[from->type].sender_head, &m->channels[from->type].sender_tail,
                old_index, new_index);
    if (from->activity == KP_PROBING)
        kp_prober_enter_attempt(m, new_index);
    from->activity = KP_ABSENT;
}
