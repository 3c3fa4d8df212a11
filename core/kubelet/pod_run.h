/*
 * pod_run.h: a pod as the kubelet runs it: what its modules share.
 *
 * engine.c owns the node and its pods; pod_workers.c decides when a pod is synced, sync_pod.c does
 * it, status_manager.c keeps and publishes what it says.
 */
#pragma once

#include "../model/config.h"
#include "../prober/prober_manager.h"
#include "backoff.h"
#include "runtime.h"
#include "runtime_state.h"
#include "status_box.h"

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
    bool ticked; /* the workers have had their ticks of this instant */
    int64_t wall_minus_now_ns;
    int64_t up_ns;    /* the kubelet is down until then */
    int64_t start_ns; /* of the kubelet process: the phase of its tickers */
    int64_t sync_frequency_ns;
    struct kp_runtime_state runtime;
};

struct kp_pod_worker;
struct kp_pod_killer;
struct kp_sync;
struct kp_pleg;
struct kp_statuses;

/* What the modules share of a pod, and, behind its pointer, what each keeps for itself. */
struct kp_pod_run {
    struct kp_node *node;
    uint32_t handle;
    size_t container_count;   /* with room for ephemeral ones */
    struct kp_text full_name; /* name_namespace(uid) */
    char *name_bytes;
    /* What the API server has: pod_config.c writes it, status_manager.c its status. */
    struct kp_pod api;
    const struct kp_pod_status *others; /* what others wrote into the object's status; or NULL */
    bool deletion_requested;            /* whether the sync loop has heard of it or not */
    bool gone;                          /* the object is deleted */
    /* What the node has, whether the kubelet has looked or not. */
    struct kp_runtime_view truth;
    bool has_cgroup; /* made by the first sync that does not kill; outlives the kubelet */
    bool orphaned;   /* a kubelet died: answers to its requests may still come */
    struct kp_status_boxes boxes;
    /* PodStateProvider, written by pod_workers.c alone. */
    bool terminating; /* SyncTerminatingPod was requested (IsPodTerminationRequested) */
    bool terminated;  /* it is over: no container can run (CouldHaveRunningContainers is false) */
    struct kp_pod_worker *worker; /* pod_workers.c */
    struct kp_sync *sync;         /* sync_state.h: the worker's */
    struct kp_sync *kill_sync;    /* the killer's */
    struct kp_pod_killer *killer; /* pod_killer.c; this and kill_sync: NULL where there is none */
    unsigned requests;            /* of kills and sandboxes, so far */
    struct kp_pleg *pleg;         /* pleg.c */
    struct kp_statuses *statuses; /* status_manager.c */
};

/* The last tick of that period, counted from the kubelet's start, not after now. */
static inline int64_t kp_node_last_tick(const struct kp_node *node, int64_t period_ns)
{
    return node->now_ns - (node->now_ns - node->start_ns) % period_ns;
}

static inline int64_t kp_node_wall_ns(const struct kp_node *node)
{
    return kp_later_ns(node->now_ns, node->wall_minus_now_ns);
}

/* An effect about a container, or KP_POD_ITSELF, ready to be filled in. */
struct kp_effect kp_run_effect(const struct kp_pod_run *run, enum kp_effect_kind kind,
                               int container, enum kp_rule rule);
void kp_run_emit(const struct kp_pod_run *run, const struct kp_effect *effect);
/* An event of that type, reason and message. */
void kp_run_record(const struct kp_pod_run *run, int container, enum kp_event_type type,
                   struct kp_text reason, const struct kp_message *message, enum kp_rule rule);
void kp_run_record_text(const struct kp_pod_run *run, int container, enum kp_event_type type,
                        struct kp_text reason, struct kp_text text, enum kp_rule rule);
/* Effect `hook`; returns its number. */
uint32_t kp_run_hook(struct kp_pod_run *run, int container, struct kp_text cid,
                     enum kp_hook_type type, enum kp_rule rule);
