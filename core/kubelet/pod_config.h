/*
 * pod_config.h: what the API server says of a pod, on its way to the sync loop (S-004).
 *
 * It waits for the loop's next turn, while the loop sleeps (S-003) until it wakes.
 * Upstream: pkg/kubelet/config/config.go, kubelet.go HandlePodUpdates, HandlePodReconcile.
 */
#pragma once

#include "../base/err.h"
#include "../model/spec.h"

struct kp_pod_run;

/* What waits for the loop. */
struct kp_pod_config {
    bool deleted;
    int64_t grace_s;
    const struct kp_pod *updated; /* NULL: no other object */
};

/* The pod's deletion was requested, with that grace. */
void kp_pod_config_delete(struct kp_pod_config *config, int64_t grace_s);
/*
 * The object is another one.
 *
 * pod:      borrowed until the engine is freed.
 * Returns:  KP_OK; KP_EINPUT: its init and regular containers are not the same; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err kp_pod_config_update(struct kp_pod_config *config,
                                             const struct kp_pod_run *run,
                                             const struct kp_pod *pod);
/* The loop, or a new kubelet, takes what has waited into run->api.  true: it asks for a sync. */
bool kp_pod_config_take(struct kp_pod_config *config, struct kp_pod_run *run);
