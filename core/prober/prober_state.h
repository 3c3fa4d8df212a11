/* prober_state.h: what the prober manager is made of; for prober_*.c alone. */
#pragma once

#include "../base/timer_heap.h"
#include "results.h"

/* A pod's slots: one for each probe that its workers may have, by container and type. */
struct kp_prober_pod {
    const struct kp_pod *spec; /* NULL: never reserved */
    uint32_t first;
    uint32_t count;
};

/* The command of an exec probe, where expansion changes it (P-077). */
struct kp_expansion {
    struct kp_expansion *next;
    const struct kp_probe *probe;
    struct kp_text_list *argv;
};

struct kp_prober_manager {
    const struct kp_mem *mem;
    struct kp_prober_env env;
    uint32_t *last_n;
    struct kp_draws draws;
    struct kp_sink sink;
    void *workers_block;
    struct kp_worker *workers; /* in the block */
    uint32_t worker_count;
    uint32_t worker_cap;
    struct kp_prober_pod *pods;
    uint32_t pod_cap;
    struct kp_tickers tickers;
    struct kp_timer_heap jitter_timers; /* until their jitter is over */
    int64_t now_ns;
    uint32_t ready_head; /* workers that are due in this instant, by kp_worker.link */
    uint32_t ready_tail; /* where there is a head */
    uint32_t *by_n;      /* attempts that are out: 1 + the first worker of each place; n & mask */
    uint32_t by_n_mask;
    struct kp_results_channel channels[KP_PROBE_TYPES];
    struct kp_expansion *expansions;
};

/* ---- prober_run.c: the life of one worker */

/* A ticker of no period would be the end of the kubelet (P-026); validation keeps it away, and here
 * it is a second. */
static inline int64_t kp_prober_period_ns(const struct kp_probe *probe)
{
    return kp_seconds_ns(probe->period_s > 0 ? probe->period_s : 1);
}

static inline uint32_t kp_prober_index(const struct kp_prober_manager *m, const struct kp_worker *w)
{
    return (uint32_t)(w - m->workers);
}

/* A fresh worker goes to sleep for its jitter, or runs its first doProbe. */
void kp_prober_start_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns);
/* stop() and the manual trigger: both are channels of one (P-007). */
void kp_prober_stop_worker(struct kp_prober_manager *m, struct kp_worker *w);
void kp_prober_trigger_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns);
/* Its context is cancelled: an exec that is out comes back with that error. */
void kp_prober_cancel_worker(struct kp_prober_manager *m, struct kp_worker *w, int64_t now_ns);
/* Its update has found room in the channel. */
void kp_prober_resume_worker(struct kp_prober_manager *m, struct kp_worker *w);
/* The same worker, in another slot from now on. */
void kp_prober_move_worker(struct kp_prober_manager *m, struct kp_worker *from,
                           struct kp_worker *to);

/* ---- prober.c: attempts that are out, and what comes back */

/* How far an execution has come. */
enum kp_execution {
    KP_EXECUTION_OUT, /* an attempt is out: its answer comes later */
    KP_EXECUTION_DISCARDED,
    KP_EXECUTION_SUCCESS,
    KP_EXECUTION_FAILURE
};

/* One execution of the probe begins. */
enum kp_execution kp_prober_probe(struct kp_prober_manager *m, struct kp_worker *w);
/* The attempt that was out has its answer. */
enum kp_execution kp_prober_conclude(struct kp_prober_manager *m, struct kp_worker *w,
                                     enum kp_answer answer, struct kp_text output);
/* The worker of attempt n, which is out no more; NULL: none is. */
struct kp_worker *kp_prober_take_attempt(struct kp_prober_manager *m, uint32_t n);
/* The worker's attempt (u.out.n) is on the list of those that are out, or is taken off it. */
void kp_prober_enter_attempt(struct kp_prober_manager *m, struct kp_worker *w);
void kp_prober_leave_attempt(struct kp_prober_manager *m, const struct kp_worker *w);
/* An effect of this worker, to be filled in further. */
static inline void kp_prober_begin_effect(const struct kp_worker *w, struct kp_effect *effect)
{
    effect->pod = w->pod;
    effect->spec = w->spec;
    effect->container = (int)w->container_index;
    effect->cid = w->cid;
}
static inline void kp_prober_emit(const struct kp_prober_manager *m, const struct kp_effect *effect)
{
    m->sink.effect(m->sink.ctx, effect);
}

/* ---- prober_slots.c: room for pods, probes and workers */

/* The slot of a probe, or NULL; its worker may be absent. */
struct kp_worker *kp_prober_find_slot(const struct kp_prober_manager *m, uint32_t pod,
                                      int container, enum kp_probe_type type);
/* Does it get a worker in this version (P-150, P-151)? */
bool kp_prober_has_probe(const struct kp_prober_manager *m, const struct kp_container *container,
                         enum kp_probe_type type);
