/*
 * pod_run.h: a pod as the kubelet of layer `pod` runs it: what its modules share.
 *
 * kubelet.c owns the node and its pods; pod_workers.c decides when a pod is synced, sync_pod.c does
 * it, status_manager.c keeps and publishes what it says.
 */
#ifndef KP_POD_RUN_H
#define KP_POD_RUN_H

#include "../model/config.h"
#include "../prober/prober_manager.h"
#include "backoff.h"
#include "kill_container.h"
#include "pod_actions.h"
#include "pod_config.h"
#include "pod_status.h"
#include "runtime_state.h"

/* What all pods of a node share. */
struct kp_node {
    const struct kp_mem *mem;
    struct kp_profile profile;
    struct kp_sink sink;
    struct kp_draws draws;
    struct kp_prober_manager *probers;
    struct kp_backoff_limits limits;
    uint32_t last_n; /* number of the last attempt or hook */
    int64_t now_ns;
    int64_t wall_minus_now_ns;
    int64_t up_ns;    /* end of a restart under way */
    int64_t start_ns; /* of the kubelet process: the phase of its tickers */
    int64_t sync_frequency_ns;
    struct kp_runtime_state runtime;
};

struct kp_backoff_text {
    int64_t delay_ns;
    struct kp_text text;
    char *bytes;
    size_t room;
};

#define KP_HOOK_TEXTS 6

/* Buffers for what is said of failed hooks, used in turn. */
struct kp_hook_texts {
    char *bytes;
    size_t room;
    size_t at;
};

#define KP_LATE_HOOKS 4

/* A preStop that was given up at its deadline: it runs on, and may still fail aloud (S-214). */
struct kp_late_hook {
    uint32_t n;            /* 0: there is none */
    enum kp_answer answer; /* success: nothing is left to be said */
    int32_t code;
    struct kp_text output;
};

/* All that is remembered of one container besides its instances. */
struct kp_container_run {
    struct kp_backoff backoff;
    struct kp_backoff_text texts[KP_BACKOFF_WINDOWS];
    struct kp_kill kill;
    struct kp_late_hook late_hooks[KP_LATE_HOOKS]; /* in turn: of more the oldest is forgotten */
    unsigned late_count;
    struct kp_hook_texts hook_texts;
    unsigned orphan_starts; /* asked by kubelets that died, and not answered yet */
};

enum kp_work_type {
    KP_WORK_SYNC,
    KP_WORK_TERMINATING,
    KP_WORK_TERMINATED,
    KP_WORK_UNWANTED /* housekeeping kills what runs of a pod that is over, up to 1.21 */
};

/* Where a sync stands.  Between two of them lies a call that takes time, or nothing. */
enum kp_sync_step {
    KP_SYNC_END, /* it is over, or there is none */
    KP_SYNC_KILL_POD,
    KP_SYNC_STOP_SANDBOXES,
    KP_SYNC_KILL_SOME,
    KP_SYNC_RESET,
    KP_SYNC_CREATE_SANDBOX,
    KP_SYNC_START,
    KP_SYNC_POST_START,
    KP_SYNC_POST_START_KILL
};

struct kp_sync {
    enum kp_work_type type;
    enum kp_sync_step step;
    bool waiting;       /* for the world, in this step */
    size_t at;          /* index within the step's list */
    bool failed;        /* the result carries an error */
    bool did_something; /* the result carries an entry (S-018) */
    int64_t expiry_ns;  /* earliest end of a back-off among the errors, virtual time; KP_NEVER */
    bool terminal;      /* the sync says so (S-025) */
    bool only_kills;    /* of a deleted or failed pod, up to 1.21, from then on */
    bool has_override;
    int64_t override_s;
    bool restarting_all;
    bool removed_some; /* a restart of all removed a container (S-224) */
    /* What the world has answered since the last step. */
    bool start_answered;
    struct kp_event start_event;
    struct kp_text started_cid;
    bool sandbox_answered;
    bool sandbox_failed;
    struct kp_text sandbox_error;
    uint32_t hook_n; /* postStart */
    bool hook_answered;
    enum kp_answer hook_answer;
    int32_t hook_code;
    struct kp_text hook_output;
    int64_t until_ns;  /* of a postStart that only sleeps; KP_NEVER: none */
    struct kp_pod pod; /* the object it works on */
};

struct kp_pod_worker {
    bool pending;
    const char *pending_cause;
    bool pending_again;  /* with the object that the worker has */
    bool waiting_relist; /* an update is taken, the cache is too old for it */
    bool syncing;
    enum kp_work_type taken;
    const char *cause;
    bool terminating;
    bool terminated;
    bool finished;
    bool has_grace;  /* the update carries a grace period for termination */
    int64_t grace_s; /* effective, 0: not calculated yet */
    bool pending_has_grace;
    bool synced_once;
    int64_t last_end_ns; /* end of the last sync */
    bool observed_since; /* a relist on demand came after it */
    int64_t requeue_ns;  /* due in the work queue, or KP_NEVER */
    /* The object as it was when the update came, and the one that the worker works with: what
     * others wrote into its status, and what we did. */
    const struct kp_pod *pending_given;
    const struct kp_pod_status *pending_status;
    struct kp_status_box *pending_box; /* that holds the status, or NULL */
    const struct kp_pod *given;
    struct kp_status_box *box;
};

struct kp_statuses;

struct kp_pod_run {
    struct kp_node *node;
    uint32_t handle;
    bool orphaned;              /* a kubelet died: answers to what it asked may still come */
    bool gone;                  /* the API object is deleted */
    struct kp_pod api;          /* the pod manager's copy */
    const struct kp_pod *given; /* the object as it came last */
    size_t container_count;
    bool has_hooks; /* some container has */
    struct kp_runtime_view truth;
    struct kp_runtime_view cache; /* what the last relist that saw a change saw */
    struct kp_runtime_view work;  /* what the sync under way works on */
    /* The address that goes with cache and work, as in kp_status_box. */
    uint32_t cache_address;
    uint32_t work_address;
    bool dirty;           /* the truth changed since the last relist */
    unsigned pleg_events; /* on their way to the sync loop */
    bool *died;           /* per container: a relist saw one die */
    bool any_died;        /* a relist saw a container or a sandbox die */
    bool relist_asked;    /* on demand, by the sync that ended (S-018) */
    int64_t wake_ns;      /* the next instant that it wants by itself */
    /* For the sync loop: what came in from the API server and the work queue. */
    struct kp_pod_config config;
    bool added;
    bool updated;
    bool requeued;
    bool probes_cleaned; /* housekeeping stopped the workers, up to 1.21 */
    bool has_cgroup;     /* made by the first sync that does not kill; outlives the kubelet */
    bool active;         /* in the kubelet's list of pods with something to do */
    struct kp_pod_run *next_active;
    struct kp_pod_actions actions;
    struct kp_container_run *containers;
    struct kp_reason *reasons; /* by container */
    struct kp_status_boxes boxes;
    struct kp_statuses *statuses; /* the status manager's */
    struct kp_text full_name;     /* name_namespace(uid) */
    char *name_bytes;
    struct kp_pod_worker worker;
    struct kp_sync sync;
    unsigned kills_over; /* so far */
};

/* The last tick of that period, counted from the kubelet's start, not after now. */
int64_t kp_node_last_tick(const struct kp_node *node, int64_t period_ns);

static inline int64_t kp_node_wall_ns(const struct kp_node *node)
{
    return kp_later_ns(node->now_ns, node->wall_minus_now_ns);
}

/* An effect about a container, or KP_POD_ITSELF, ready to be filled in. */
struct kp_effect kp_run_effect(const struct kp_pod_run *run, enum kp_effect_kind kind,
                               int container, enum kp_rule rule);
void kp_run_emit(const struct kp_pod_run *run, const struct kp_effect *effect);
/* An event of that type, reason and message. */
void kp_run_say(const struct kp_pod_run *run, int container, enum kp_event_type type,
                struct kp_text reason, const struct kp_message *message, enum kp_rule rule);
void kp_run_say_text(const struct kp_pod_run *run, int container, enum kp_event_type type,
                     struct kp_text reason, struct kp_text text, enum kp_rule rule);
/* Effect `hook`; returns its number. */
uint32_t kp_run_hook(struct kp_pod_run *run, int container, struct kp_text cid,
                     enum kp_hook_type type, enum kp_rule rule);

KP_MUST_USE enum kp_err kp_pod_run_init(struct kp_pod_run *run, struct kp_node *node,
                                        const struct kp_pod *pod, uint32_t handle);
void kp_pod_run_deinit(struct kp_pod_run *run);
/* The kubelet process dies: all that it knew is gone; what the API server and the runtime know
 * stays. */
void kp_pod_run_forget(struct kp_pod_run *run);

#endif
