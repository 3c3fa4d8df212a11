/* prober_run.c: when a worker runs doProbe: jitter, ticker, trigger, stop.  Upstream: worker.go
 * run, stop. */
#include "prober_state.h"

#include <assert.h>

static int64_t period_ns(const struct kp_prober_manager *m, const struct kp_worker *w)
{
    return m->tickers.rings[w->ring].period_ns;
}

static void make_ready(struct kp_prober_manager *m, struct kp_worker *w, enum kp_activity activity)
{
    uint32_t index = kp_prober_index(m, w);

    w->activity = (uint8_t)activity;
    w->link = KP_TIMER_NONE;
    if (m->ready_head == KP_TIMER_NONE)
        m->ready_head = index;
    else
        m->workers[m->ready_tail].link = index;
    m->ready_tail = index;
}

/* Old versions always draw a start jitter (P-014), later ones only while the kubelet is younger
 * than the period (P-015). */
static int64_t draw_jitter_ns(const struct kp_prober_manager *m, const struct kp_worker *w,
                              int64_t now_ns)
{
    if (!m->draws.jitter_ns ||
        (m->env.profile.jitter_only_when_young && period_ns(m, w) <= now_ns - m->env.start_ns))
        return 0;
    return m->draws.jitter_ns(m->draws.ctx, w->spec, (int)w->container_index,
                              (enum kp_probe_type)w->type, period_ns(m, w));
}

/* The ticker begins when the sleep ends, and the first doProbe comes at once (P-017). */
static void wake(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    kp_tickers_start(&m->tickers, w->ring, kp_prober_index(m, w), now_ns);
    make_ready(m, w, KP_DUE);
}

/* The first sleep, which nothing cuts short (P-016); the ticker begins behind it, the first doProbe
 * is at once (P-017). */
void kp_prober_start_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    int64_t jitter_ns = draw_jitter_ns(m, w, now_ns);

    if (jitter_ns <= 0) {
        wake(m, w, now_ns);
        return;
    }
    w->activity = KP_SLEEPING;
    kp_timer_heap_add(&m->jitter_timers, kp_prober_index(m, w), now_ns + jitter_ns);
}

/* The worker ends, and its result goes with it (P-024), which nobody is notified of (P-141). */
static KP_SELDOM void finish(struct kp_prober_manager *m, struct kp_worker *w)
{
    kp_tickers_stop(&m->tickers, w->ring, kp_prober_index(m, w));
    w->cached = KP_RESULT_NONE;
    w->activity = KP_ABSENT;
}

/* doProbe at once, and from 1.32 the ticker begins anew (P-022), whatever comes of it (P-179). */
static void follow_trigger(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->triggered = false;
    if (m->env.profile.trigger_resets_ticker) {
        kp_tickers_stop(&m->tickers, w->ring, kp_prober_index(m, w));
        kp_tickers_start(&m->tickers, w->ring, kp_prober_index(m, w), now_ns);
    }
    make_ready(m, w, KP_DUE);
}

/* Go picks among several that are ready at random (P-020); here stop comes before the tick and the
 * tick before the trigger. */
static KP_SELDOM void proceed(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->stop_sent) {
        finish(m, w);
        return;
    }
    if (w->ticked) { /* one tick was kept, the others are lost (P-019) */
        w->ticked = false;
        make_ready(m, w, KP_DUE);
        return;
    }
    if (w->triggered)
        follow_trigger(m, w, now_ns);
}

/* The select between two calls of doProbe: goes on at once where a stop, a tick or a trigger is
 * kept. */
static void await(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->activity = KP_WAITING;
    if (w->stop_sent || w->ticked || w->triggered)
        proceed(m, w, now_ns);
}

/* A request (P-159) with room for one (P-007), which lets the probe that runs come to its end
 * (P-025). */
void kp_prober_stop_worker(struct kp_prober_manager *m, struct kp_worker *w)
{
    if (w->activity == KP_WAITING)
        make_ready(m, w, KP_STOPPING);
    else
        w->stop_sent = true; /* of one that is absent the next one knows nothing */
}

/* Of a readiness worker (P-023): it runs doProbe at once (P-021), or keeps one trigger until it
 * waits (P-007): that of its first result's sync has it probe twice (P-178). */
void kp_prober_trigger_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->activity == KP_WAITING)
        follow_trigger(m, w, now_ns);
    else
        w->triggered = true;
}

void kp_prober_resume_worker(struct kp_prober_manager *m, struct kp_worker *w)
{
    assert(w->activity == KP_SENDING);
    make_ready(m, w, KP_RESUMING);
}

static void emit_result(const struct kp_prober_manager *m, const struct kp_worker *w,
                        enum kp_rule rule)
{
    struct kp_effect effect;

    kp_prober_begin_effect(w, &effect);
    effect.kind = KP_EFFECT_RESULT;
    effect.rule = rule;
    effect.u.result.type = (enum kp_probe_type)w->type;
    effect.u.result.value = (enum kp_result)w->cached;
    kp_prober_emit(m, &effect);
}

/* The worker waits in its send; what follows it is put away. */
static void block(struct kp_prober_manager *m, struct kp_worker *w, const struct kp_step *step,
                  uint32_t done)
{
    struct kp_results_channel *channel = &m->channels[w->type];
    uint32_t index = kp_prober_index(m, w);

    w->u.pending = (struct kp_pending){.action = (uint8_t)step->action};
    for (uint32_t i = done; i < step->set_count; i++) {
        w->u.pending.rules[w->u.pending.set_count] = (uint16_t)step->sets[i].rule;
        w->u.pending.values[w->u.pending.set_count++] = (int8_t)step->sets[i].value;
    }
    w->activity = KP_SENDING;
    w->link = KP_TIMER_NONE;
    if (channel->sender_head == KP_TIMER_NONE)
        channel->sender_head = index;
    else
        m->workers[channel->sender_tail].link = index;
    channel->sender_tail = index;
}

static KP_SELDOM void unpack(const struct kp_pending *pending, struct kp_step *step)
{
    *step = (struct kp_step){.action = (enum kp_action)pending->action,
                             .set_count = pending->set_count};
    for (uint32_t i = 0; i < pending->set_count; i++)
        step->sets[i] =
            (struct kp_set){(enum kp_result)pending->values[i], (enum kp_rule)pending->rules[i]};
}

static void apply(struct kp_prober_manager *m, struct kp_worker *w, const struct kp_step *step,
                  int64_t now_ns);

static void count(struct kp_prober_manager *m, struct kp_worker *w, enum kp_result result,
                  int64_t now_ns)
{
    struct kp_step step;

    kp_worker_count(w, &m->env, result, &step);
    apply(m, w, &step, now_ns);
}

/* The worker goes on behind its execution, as far as that has come. */
static void handle(struct kp_prober_manager *m, struct kp_worker *w, enum kp_execution execution,
                   int64_t now_ns)
{
    switch (execution) {
    case KP_EXECUTION_OUT:
        return;
    case KP_EXECUTION_DISCARDED:
        await(m, w, now_ns);
        return;
    case KP_EXECUTION_SUCCESS:
        count(m, w, KP_RESULT_SUCCESS, now_ns);
        return;
    case KP_EXECUTION_FAILURE:
        count(m, w, KP_RESULT_FAILURE, now_ns);
        return;
    }
}

static void act(struct kp_prober_manager *m, struct kp_worker *w, enum kp_action action,
                int64_t now_ns)
{
    switch (action) {
    case KP_PROBE:
        handle(m, w, kp_prober_probe(m, w), now_ns);
        return;
    case KP_END:
        finish(m, w);
        return;
    case KP_WAIT:
        await(m, w, now_ns);
        return;
    }
}

/* The sets of a step; only those that change something are sent (S-014).  One that finds the
 * channel full holds up all that follows. */
static KP_SELDOM void apply_sets(struct kp_prober_manager *m, struct kp_worker *w,
                                 const struct kp_step *step, int64_t now_ns)
{
    for (uint32_t i = 0; i < step->set_count; i++) {
        if (!kp_results_set(w, step->sets[i].value))
            continue;
        emit_result(m, w, step->sets[i].rule);
        if (kp_results_send(&m->channels[w->type], w))
            continue;
        block(m, w, step, i + 1);
        return;
    }
    act(m, w, step->action, now_ns);
}

/* Most sets say what is cached already and change nothing (P-139).  Where there are several, they
 * are a new container's, and the first of them does change it. */
static void apply(struct kp_prober_manager *m, struct kp_worker *w, const struct kp_step *step,
                  int64_t now_ns)
{
    if (step->set_count > 0 && step->sets[0].value != (enum kp_result)w->cached)
        apply_sets(m, w, step, now_ns);
    else
        act(m, w, step->action, now_ns);
}

/* Where no delay runs (P-039), only a change makes the next doProbe come to something else: what
 * this one sets is set by then. */
static KP_SELDOM void decide(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    struct kp_step step;

    kp_worker_do_probe(w, &m->env, now_ns, &step);
    if (step.rule != KP_RULE_INITIAL_DELAY)
        w->cached_action = step.action == KP_PROBE ? KP_CACHED_PROBE : KP_CACHED_WAIT;
    apply(m, w, &step, now_ns);
}

static void do_probe(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->cached_action == KP_CACHED_PROBE)
        handle(m, w, kp_prober_probe(m, w), now_ns);
    else if (w->cached_action == KP_CACHED_WAIT)
        await(m, w, now_ns);
    else
        decide(m, w, now_ns);
}

bool kp_prober_manager_answer(struct kp_prober_manager *m, uint32_t n, enum kp_answer answer,
                              struct kp_text output, int64_t now_ns)
{
    struct kp_worker *w = kp_prober_take_attempt(m, n);

    if (!w)
        return false;
    handle(m, w, kp_prober_conclude(m, w, answer, output), now_ns);
    return true;
}

void kp_prober_cancel_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    w->cancelled = true;
    if (w->activity != KP_PROBING || !w->is_exec)
        return;
    kp_prober_leave_attempt(m, w);
    handle(m, w, kp_prober_conclude(m, w, KP_ANSWER_ERROR, KP_TEXT("context canceled")), now_ns);
}

static KP_SELDOM void proceed_ready(struct kp_prober_manager *m, struct kp_worker *w,
                                    int64_t now_ns)
{
    struct kp_step step;

    if (w->activity == KP_STOPPING) {
        finish(m, w);
        return;
    }
    if (w->activity == KP_DUE) {
        do_probe(m, w, now_ns);
        return;
    }
    assert(w->activity == KP_RESUMING);
    unpack(&w->u.pending, &step);
    apply(m, w, &step, now_ns);
}

/* The ticker fires (P-018).  A worker that waits runs doProbe at once, or behind those that are
 * ready already. */
static void tick(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns)
{
    if (w->activity != KP_WAITING)
        w->ticked = true;
    else if (m->ready_head != KP_TIMER_NONE)
        make_ready(m, w, KP_DUE);
    else
        do_probe(m, w, now_ns);
}

static void fire_timers(struct kp_prober_manager *m, int64_t now_ns)
{
    uint32_t index;

    while ((index = kp_timer_heap_take(&m->jitter_timers, now_ns)) != KP_TIMER_NONE)
        wake(m, &m->workers[index], now_ns);
}

void kp_prober_manager_run_ready(struct kp_prober_manager *m, int64_t now_ns)
{
    while (m->ready_head != KP_TIMER_NONE) {
        struct kp_worker *w = &m->workers[m->ready_head];

        m->ready_head = w->link;
        proceed_ready(m, w, now_ns);
    }
}

void kp_prober_manager_run(struct kp_prober_manager *m, int64_t now_ns)
{
    uint32_t index;
    uint32_t last;

    m->now_ns = now_ns;
    while ((index = kp_tickers_take(&m->tickers, now_ns, &last)) != KP_TIMER_NONE) {
        uint32_t next = index;

        do {
            struct kp_worker *w = &m->workers[next];

            index = next;
            next = w->timer.next; /* w may end in its doProbe */
            tick(m, w, now_ns);
        } while (index != last);
    }
    fire_timers(m, now_ns);
    kp_prober_manager_run_ready(m, now_ns);
}

int64_t kp_prober_manager_next_ns(const struct kp_prober_manager *m)
{
    int64_t tick_ns = kp_tickers_next_ns(&m->tickers);
    int64_t wake_ns = kp_timer_heap_next_ns(&m->jitter_timers);

    if (m->ready_head != KP_TIMER_NONE)
        return m->now_ns;
    return tick_ns < wake_ns ? tick_ns : wake_ns;
}

/* ---- moving --------------------------------------------------------------------------------- */

/* In a list that begins at *head, `to` takes the place of `from`. */
static void replace(struct kp_prober_manager *m, uint32_t *head, uint32_t *tail, uint32_t from,
                    uint32_t to)
{
    uint32_t *link = head;

    while (*link != from) {
        assert(*link != KP_TIMER_NONE);
        link = &m->workers[*link].link;
    }
    *link = to;
    if (*tail == from)
        *tail = to;
}

void kp_prober_move_worker(struct kp_prober_manager *m, struct kp_worker *from,
                           struct kp_worker *to)
{
    uint32_t old_index = kp_prober_index(m, from);
    uint32_t new_index = kp_prober_index(m, to);

    if (from->activity == KP_PROBING)
        kp_prober_leave_attempt(m, from);
    *to = *from;
    if (from->activity == KP_SLEEPING) {
        kp_timer_heap_rename(&m->jitter_timers, new_index);
    } else if (from->activity != KP_ABSENT) {
        kp_tickers_rename(&m->tickers, from->ring, old_index, new_index);
    }
    if (from->activity == KP_DUE || from->activity == KP_RESUMING || from->activity == KP_STOPPING)
        replace(m, &m->ready_head, &m->ready_tail, old_index, new_index);
    if (from->activity == KP_SENDING)
        replace(m, &m->channels[from->type].sender_head, &m->channels[from->type].sender_tail,
                old_index, new_index);
    if (from->activity == KP_PROBING)
        kp_prober_enter_attempt(m, to);
    from->activity = KP_ABSENT;
}
