/*
 * pleg.h: what a relist makes of the runtime's state: events for the sync loop and a fresh cache.
 *
 * Upstream: pleg/generic.go, container/cache.go.
 */
#pragma once

#include "pod_run.h"

/* *out is for kp_pleg_free also after an error.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_pleg_new(const struct kp_mem *mem, size_t container_count,
                                    struct kp_pleg **out);
void kp_pleg_free(struct kp_pleg *pleg, const struct kp_mem *mem);
/* The kubelet process dies. */
void kp_pleg_forget(struct kp_pleg *pleg);

/* Relist one pod now. */
void kp_pleg_relist(struct kp_pleg *pleg, struct kp_runtime_view *truth);
/* How many events that a sync follows have come since they were taken last (S-015, S-016). */
unsigned kp_pleg_take_events(struct kp_pleg *pleg);
/* What the last relist that saw a change saw, and the address of the pod's sandbox. */
const struct kp_runtime_view *kp_pleg_cache(const struct kp_pleg *pleg);
uint32_t kp_pleg_address(const struct kp_pleg *pleg);
/* How many containers and sandboxes have died since it was cleaned up last. */
unsigned kp_pleg_deaths(const struct kp_pleg *pleg);
/* Has something started since this was called last (lastContainerStartedTime)? */
bool kp_pleg_take_started(struct kp_pleg *pleg);
/* What a ContainerDied leaves behind: older dead ones of that container are removed; of a pod that
 * is known by then and over, up to 1.21, all that is dead. */
void kp_pleg_clean_up(struct kp_pod_run *run, bool known);
/* Container GC, once a minute (S-341). */
void kp_pleg_collect(struct kp_pod_run *run, bool known);
