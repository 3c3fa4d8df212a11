/*
 * prober_manager.h: all probe workers of a node, their results, and what they make of a pod's
 * status.
 *
 * Upstream: pkg/kubelet/prober/prober_manager.go, worker.go, prober.go, results/results_manager.go.
 * The kubelet (engine.c) stands on this header alone, and so does who embeds the prober without
 * it: give it pods and what their status says, run it, fire the attempts that it emits, hand
 * in their answers, and take the results that changed.
 *
 * Workers read the status manager's copy in each doProbe. So that one costs nothing but its own
 * worker, that copy is pushed: who keeps it calls kp_prober_manager_store_status after each change.
 */
#pragma once

#include "../base/mem.h"
#include "../model/config.h"

struct kp_prober_config {
    const struct kp_profile *profile; /* copied */
    int64_t start_ns;                 /* of the kubelet process (P-015, P-008); may be negative */
    int64_t wall_minus_now_ns;        /* wall clock minus virtual time, at that start */
    uint32_t *last_n; /* the caller's: number of the last attempt; the kubelet's hooks share it */
    struct kp_draws draws;
    struct kp_sink sink;
};

struct kp_prober_manager;

/* mem is borrowed until the manager is freed.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_prober_manager_new(const struct kp_mem *mem,
                                              const struct kp_prober_config *config,
                                              struct kp_prober_manager **out);
void kp_prober_manager_free(struct kp_prober_manager *manager);

/* Wall clock minus virtual time from now on; running ages are wall-clock differences (P-039,
 * P-040). */
void kp_prober_manager_set_wall(struct kp_prober_manager *manager, int64_t wall_minus_now_ns);

/*
 * Make room for a pod's workers, so that add_pod cannot fail.  Once for each pod object that
 * add_pod will see.
 *
 * pod:      handles are small and dense.
 * spec:     borrowed until the manager is freed.
 * Returns:  KP_OK; KP_ENOMEM; KP_EINPUT where the containers' names are not those of the pod's
 * earlier object: then nothing is changed.
 */
KP_MUST_USE enum kp_err kp_prober_manager_reserve(struct kp_prober_manager *manager, uint32_t pod,
                                                  const struct kp_pod *spec);

/* The kubelet process restarts: as a new manager at start_ns, with the same pods reserved. */
void kp_prober_manager_restart(struct kp_prober_manager *manager, int64_t start_ns);

/* This kubelet started a container: its events have something to refer to (P-074). */
void kp_prober_manager_note_start(struct kp_prober_manager *manager, uint32_t pod, int container);
/* Its kill is over, whether it stopped or not: nothing is left to refer to.  cid: the instance. */
void kp_prober_manager_note_kill(struct kp_prober_manager *manager, uint32_t pod, int container,
                                 struct kp_text cid);

/*
 * AddPod: make the workers that are missing (P-150 .. P-154).  They run their first doProbe in the
 * next run.
 *
 * spec:     the object reserved last, or a copy of it whose deletionTimestamp differs; read during
 * the call.
 */
void kp_prober_manager_add_pod(struct kp_prober_manager *manager, uint32_t pod,
                               const struct kp_pod *spec, int64_t now_ns);
/* StopLivenessAndStartup (P-155). */
void kp_prober_manager_stop_liveness_and_startup(struct kp_prober_manager *manager, uint32_t pod);
/* RemovePod (P-156), and CleanupPods for one pod that is not desired any more (P-158). */
void kp_prober_manager_remove_pod(struct kp_prober_manager *manager, uint32_t pod);
/* Termination begins: the context of the pod's syncs is cancelled. Matters only where workers live
 * on that context (P-160, K-14). */
void kp_prober_manager_cancel_pod(struct kp_prober_manager *manager, uint32_t pod, int64_t now_ns);

/*
 * The status manager's copy of the pod's status is this from now on; NULL: it has none (P-027).
 *
 * status:   read during the call; its container ids must live until the manager is freed.
 */
void kp_prober_manager_store_status(struct kp_prober_manager *manager, uint32_t pod,
                                    const struct kp_pod_status *status);

/*
 * UpdatePodStatus: fill in started and ready of a status being computed, and trigger readiness
 * workers (P-161 .. P-170).  Those that are triggered run doProbe in the next run.
 *
 * spec:     the pod object handed in; its ->status is the API's copy (incoming conditions, P-165).
 * status:   in and out.
 */
void kp_prober_manager_update_pod_status(struct kp_prober_manager *manager, uint32_t pod,
                                         const struct kp_pod *spec, struct kp_pod_status *status,
                                         int64_t now_ns);

/* Run doProbe at once for those that are ready already: new ones, and those that were triggered. */
void kp_prober_manager_run_ready(struct kp_prober_manager *manager, int64_t now_ns);
/* Run the workers that are due at now_ns until each of them waits. */
void kp_prober_manager_run(struct kp_prober_manager *manager, int64_t now_ns);
/* The next instant at which a worker is due or a ticker fires (also that of a worker which is
 * probing), or KP_NEVER; there must be a run at that instant before time goes on. */
int64_t kp_prober_manager_next_ns(const struct kp_prober_manager *manager);

/*
 * The outcome of attempt n: what it comes to is emitted at once, and the worker goes on in the next
 * run.
 *
 * output:   borrowed for the call.
 * Returns:  false: nobody waits for it (given up, or n is a hook's).
 */
bool kp_prober_manager_answer(struct kp_prober_manager *manager, uint32_t n, enum kp_answer answer,
                              struct kp_text output, int64_t now_ns);

/* A result that changed, on its way to the sync loop. */
struct kp_results_update {
    uint32_t pod;
    int container; /* index into the pod's containers */
    struct kp_text cid;
    enum kp_result result;
};

/* Has one of the three channels something to receive? */
bool kp_results_any(const struct kp_prober_manager *manager);
/* Receive from the manager's channel of that type (capacity 20, P-006; senders beyond wait, P-140).
 * false: empty. */
bool kp_results_take(struct kp_prober_manager *manager, enum kp_probe_type type,
                     struct kp_results_update *update);
/* results.Manager.Get: false: no entry for that container id. */
bool kp_results_get(const struct kp_prober_manager *manager, enum kp_probe_type type, uint32_t pod,
                    int container, struct kp_text cid, enum kp_result *result);
