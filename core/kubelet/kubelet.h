/*
 * kubelet.h: the whole kubelet: sync loop, PLEG, pod workers, status, with its prober.
 *
 * It is told the instant with every call; engine.c owns that, and what is seen from outside.
 * Upstream: kubelet.go syncLoopIteration, HandlePod*, handleProbeSync; kubelet_pods.go
 * HandlePodCleanups.
 */
#ifndef KP_KUBELET_H
#define KP_KUBELET_H

#include "../base/err.h"
#include "../base/mem.h"
#include "../model/config.h"

struct kp_kubelet;

/* As kp_engine_new, kp_engine_free. */
KP_MUST_USE enum kp_err kp_kubelet_new(const struct kp_mem *mem,
                                       const struct kp_engine_config *config,
                                       struct kp_kubelet **out);
void kp_kubelet_free(struct kp_kubelet *kubelet);

/* As kp_engine_add_pod: all memory for the pod is taken here. */
KP_MUST_USE enum kp_err kp_kubelet_add_pod(struct kp_kubelet *kubelet, const struct kp_pod *pod,
                                           uint32_t *handle, int64_t now_ns);
/* As kp_engine_event: take note; the consequences belong to the next settle. */
KP_MUST_USE enum kp_err kp_kubelet_event(struct kp_kubelet *kubelet, const struct kp_event *event,
                                         int64_t now_ns);
/* Do everything that is due at now_ns, until the instant is quiet.  Called where an event or a pod
 * came, and at the instants of next_ns: at no other. */
void kp_kubelet_settle(struct kp_kubelet *kubelet, int64_t now_ns);
/* The next instant at which something is due without any event, or KP_NEVER.  Not later than the
 * last settle where that has left something to do. */
int64_t kp_kubelet_next_ns(const struct kp_kubelet *kubelet);
/* As kp_engine_status. */
const struct kp_pod_status *kp_kubelet_status(const struct kp_kubelet *kubelet, uint32_t pod);

#endif
