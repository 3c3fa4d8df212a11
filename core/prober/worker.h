/*
 * worker.h: one container's probe: what one doProbe does, and what its answers come to.
 *
 * Upstream's doProbe blocks in the middle while the probe runs. Here it is cut at that point:
 * kp_worker_do_probe decides, the prober manager probes and lets virtual time pass, kp_worker_count
 * counts. When a worker runs it (jitter, ticker, trigger, stop) is the manager's business.
 */
#pragma once

#include "../base/tickers.h"
#include "../model/trace.h"
#include "../rules/profile.h"

/* What the status manager's copy says of the worker's container (P-027 .. P-041). */
struct kp_view {
    struct kp_text cid;       /* empty: none yet */
    int64_t running_since_ns; /* wall clock; of a running container */
    int32_t exit_code;        /* of a terminated one */
    uint8_t state;            /* enum kp_state_kind */
    bool pod_known;           /* the pod has a status at all */
    bool pod_terminal;        /* its phase is Failed or Succeeded */
    bool started;             /* Started is there, and true */
};

/* What a worker is doing; the manager's. */
enum kp_activity {
    KP_ABSENT,   /* there is no such worker: the slot is free */
    KP_SLEEPING, /* start jitter: neither stop nor trigger wakes it (P-016) */
    KP_DUE,      /* about to run doProbe, in this instant */
    KP_RESUMING, /* about to continue after its send: with u.pending */
    KP_SENDING,  /* its update finds the channel full (P-140) */
    KP_PROBING,  /* an attempt is out */
    KP_WAITING,  /* for stop, tick or trigger */
    KP_STOPPING  /* woken by stop: ends in this instant */
};

enum kp_action { KP_WAIT, KP_PROBE, KP_END };

/*
 * The action that doProbe would return until the view, the hold or the wall clock changes.  The
 * manager uses it to skip doProbe.
 */
enum kp_cached_action { KP_CACHED_NONE, KP_CACHED_WAIT, KP_CACHED_PROBE };

/* A value for the results cache, and why. */
struct kp_set {
    enum kp_result value;
    enum kp_rule rule;
};

#define KP_STEP_SETS 3

/* What one doProbe comes to: first the sets, then the action. */
struct kp_step {
    enum kp_action action;
    enum kp_rule rule; /* of the action */
    uint32_t set_count;
    struct kp_set sets[KP_STEP_SETS];
};

/* What is left of a step whose first set waits for room, packed. */
struct kp_pending {
    uint8_t action;
    uint8_t set_count;
    uint16_t rules[KP_STEP_SETS - 1];
    int8_t values[KP_STEP_SETS - 1];
};

#define KP_RESULT_NONE 2 /* no entry in the results cache */

struct kp_gap_before_int64 {
    char c;
    int64_t number;
};

struct kp_worker {
    struct kp_timer timer; /* first; its ticker, or the end of its jitter */
    uint32_t link;         /* next in the list of those that are ready, or are sending */
    uint8_t activity;      /* enum kp_activity */
    uint8_t type;          /* enum kp_probe_type */
    int8_t last_result;    /* enum kp_result */
    int8_t cached;         /* its entry in the results cache, or KP_RESULT_NONE */
    uint8_t attempt;       /* 1..3 */
    bool on_hold : 1;
    bool stop_sent : 1;    /* the stop channel is full */
    bool triggered : 1;    /* the manual trigger channel is full */
    bool ticked : 1;       /* the ticker's channel is (P-019) */
    bool pod_deleting : 1; /* the pod had a deletionTimestamp at AddPod (K-07) */
    bool sidecar : 1;
    bool cancelled : 1;      /* its context is (K-14) */
    bool started_here : 1;   /* this kubelet started the container's newest instance (P-074) */
    bool start_unseen : 1;   /* no status has that instance yet ... */
    bool seen_has_ref : 1;   /* ... and this kubelet started, and did not kill, what it has */
    bool has_ref : 1;        /* ... and that of `cid` */
    bool all_restarting : 1; /* some container's rule restarts them all (P-037) */
    bool has_handler : 1; /* the kubelet has one of the probe's (P-062); whoever inits it sets it */
    bool is_exec : 1;
    uint8_t cached_action; /* enum kp_cached_action */
    int32_t result_run;
    uint32_t pod;              /* handle */
    const struct kp_pod *spec; /* as it was at AddPod (P-013) */
    struct kp_text cid;        /* last seen; empty: none */
    struct kp_view view;
    union {
        struct {
            uint32_t n;    /* PROBING: the attempt's number */
            uint32_t next; /* another worker whose attempt shares the place: 1 + index, or 0 */
        } out;
        struct kp_pending pending; /* SENDING, RESUMING: what is left to do */
        /* As large as with the six longer pointers and sizes of a 64-bit machine, and the longer
         * gap before its int64_t. */
        unsigned char
            room[8 + 6 * (8 - sizeof(void *)) + 8 - offsetof(struct kp_gap_before_int64, number)];
    } u;
    uint32_t container_index;
    uint32_t ring; /* of its ticker */
    int32_t initial_delay_s;
    int32_t success_threshold;
    int32_t failure_threshold;
};
_Static_assert(sizeof(struct kp_worker) == 128, "a ticker finds a worker by a shift");

/* What all workers of a manager share. */
struct kp_prober_env {
    struct kp_profile profile;
    int64_t start_ns;          /* virtual time of the manager's construction */
    int64_t start_wall_ns;     /* wall clock then */
    int64_t wall_minus_now_ns; /* at present */
};

/* newWorker: a fresh worker for a probe; it keeps what its slot knows of pod and container. */
void kp_worker_init(struct kp_worker *w, const struct kp_pod *spec, uint32_t container_index,
                    enum kp_probe_type type);

/*
 * Decide what the worker does: doProbe up to its attempts.
 *
 * now_ns:   virtual time.
 * step:     out: the values to cache and the action, each with its rule.
 * Returns:  step->action.
 * Upstream: pkg/kubelet/prober/worker.go, doProbe, up to the call of probe().
 */
enum kp_action kp_worker_do_probe(struct kp_worker *w, const struct kp_prober_env *env,
                                  int64_t now_ns, struct kp_step *step);

/*
 * Count a result that the prober did not discard.
 *
 * Upstream: pkg/kubelet/prober/worker.go, doProbe, after the call of probe().
 */
enum kp_action kp_worker_count(struct kp_worker *w, const struct kp_prober_env *env,
                               enum kp_result result, struct kp_step *step);

/* The kubelet was restarted since this instant of the wall clock (P-008, P-030, P-165); 0: no
 * instant. */
bool kp_prober_is_old(const struct kp_prober_env *env, int64_t started_at_ns);
