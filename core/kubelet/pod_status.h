/*
 * pod_status.h: the PodStatus that the kubelet computes from what the runtime says.
 *
 * Upstream: kubelet_pods.go generateAPIPodStatus, convertToAPIContainerStatuses, getPhase.
 */
#ifndef KP_POD_STATUS_H
#define KP_POD_STATUS_H

#include "pod_run.h"

/*
 * Compute the status of run->sync.pod into run->scratch, started and ready by the prober manager.
 *
 * view:         the runtime snapshot.
 * is_terminal:  the pod can never run again.
 */
void kp_pod_status_generate(struct kp_pod_run *run, const struct kp_runtime_view *view,
                            bool is_terminal);
/* getPhase (S-308..S-311); statuses are in the order of pod->containers. */
enum kp_phase kp_phase_of(const struct kp_profile *profile, const struct kp_pod *pod,
                          const struct kp_container_status *statuses, bool is_terminal,
                          bool was_initialized);
/* Of a phase just computed what is published (S-312): one that was final before stays.  api, old:
 * what the API has and what was computed last; or NULL. */
enum kp_phase kp_phase_stays(const struct kp_profile *profile, const struct kp_pod_status *api,
                             const struct kp_pod_status *old, enum kp_phase phase);
/* generateAPIPodStatus looks back at this: the status manager's copy, else the API's; or NULL. */
const struct kp_pod_status *kp_pod_status_old(const struct kp_pod_run *run);
/* ShouldAllContainersRestart (S-321). */
bool kp_should_restart_all(const struct kp_profile *profile, const struct kp_pod *pod,
                           const struct kp_runtime_view *view, const struct kp_pod_status *old);

#endif
