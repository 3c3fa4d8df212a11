/*
 * thin_kubelet_state.h: what layer `probe` keeps around the prober manager; for thin_kubelet*.c
 * alone.
 */
#pragma once

#include "core/prober/prober_manager.h"
#include "fakes/thin_kubelet.h"

/* What the runtime runs. */
struct fake_thin_instance {
    struct kp_state state;
    struct kp_text cid; /* of the last instance, or empty */
};

struct fake_thin_pod {
    struct kp_pod object; /* as the API has it: that of the last update, with its deletion */
    const struct kp_pod *reserved;
    uint32_t handle;
    size_t count;                       /* init and regular containers */
    struct fake_thin_instance *runtime; /* [count] */
    struct kp_pod_status view; /* the one status: statuses[count] is the API's copy; the status
                                  manager's too while `stored` */
    struct kp_container_status *statuses; /* [count] */
    struct kp_container_status *computed; /* [count]: the status being computed */
    bool *reported_started;               /* [count]: as last reported */
    bool *reported_ready;                 /* [count] */
    struct kp_condition ready;            /* Ready, in the pod object that syncs are given */
    bool published_ready;                 /* what the API server has been sent */
    int64_t published_at_ns;
    struct kp_pod_status api; /* what the pod object handed in says of it */
    enum kp_phase phase;
    bool stored;       /* the status manager has a copy */
    bool no_status;    /* it has none, until the next event of the runner */
    bool api_statuses; /* the API's copy names containers */
    bool opening;      /* its first sync comes before any worker's turn */
    bool sync_wanted;
    bool stop_wanted; /* termination began: stop after the sync */
    bool deleted;
    bool over;           /* no container comes back */
    int64_t syncs_at_ns; /* the instant whose syncs are counted */
    int sync_count;
};

struct fake_thin {
    const struct kp_mem *mem;
    struct kp_profile profile;
    struct kp_sink sink;   /* counts, and hands on */
    struct kp_sink caller; /* the caller's */
    bool has_effects;      /* since the last run ended */
    bool is_unsettled;     /* by a pod or an event, since the last settle */
    int64_t now_ns;
    struct kp_prober_manager *manager;
    struct fake_thin_pod **pods; /* by handle */
    uint32_t pod_count;
    size_t pod_cap;
    uint32_t last_n;
    int64_t wall_minus_now_ns;
    int64_t down_until_ns; /* the kubelet is away until then, or KP_NEVER: it is here */
};

/* NULL: there is none of that handle. */
static inline struct fake_thin_pod *fake_thin_find_pod(const struct fake_thin *layer,
                                                       uint32_t handle)
{
    return handle < layer->pod_count ? layer->pods[handle] : NULL;
}

/* ---- thin_kubelet_sync.c */

/* The thin pod sync: UpdatePodStatus, store, AddPod. */
void fake_thin_sync(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns);
/* What was published comes back with the pod object, but not within the instant. */
void fake_thin_receive(struct fake_thin_pod *pod, int64_t now_ns);
/* HandlePodAdditions: the first sync is wanted, and up to 1.21 AddPod comes before it. */
void fake_thin_open_pod(struct fake_thin *layer, struct fake_thin_pod *pod, int64_t now_ns);
/* Take what a channel holds, into the stored status and into wanted syncs. true: there was some. */
bool fake_thin_take_updates(struct fake_thin *layer, enum kp_probe_type type, int64_t now_ns);

/* ---- thin_kubelet_events.c */

/* The object that syncs are given: `object`, its status as published, its deletion. */
void fake_thin_use_object(struct fake_thin_pod *pod, const struct kp_pod *object);
enum kp_err fake_thin_take_event(struct fake_thin *layer, const struct kp_event *event,
                                 int64_t now_ns);
