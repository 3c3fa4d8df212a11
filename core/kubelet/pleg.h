/*
 * pleg.h: what a relist makes of the runtime's state: events for the sync loop and a fresh cache.
 *
 * Upstream: pleg/generic.go, container/cache.go.
 */
#ifndef KP_PLEG_H
#define KP_PLEG_H

#include "pod_run.h"

/* Relist one pod now.  Events that a sync follows are counted in run->pleg_events (S-015, S-016).
 */
void kp_pleg_relist(struct kp_pod_run *run);
/* Has a good relist come after the pod's last sync (S-020)? */
bool kp_pleg_is_newer(const struct kp_pod_run *run);
/* What a ContainerDied leaves behind: older dead ones of that container are removed. */
void kp_pleg_clean_up(struct kp_pod_run *run);
/* Container GC, once a minute (S-341). */
void kp_pleg_collect(struct kp_pod_run *run);

#endif
