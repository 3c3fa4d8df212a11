/*
 * pod_status.h: the PodStatus that the kubelet computes from what the runtime says.
 *
 * Upstream: kubelet_pods.go generateAPIPodStatus, convertToAPIContainerStatuses, getPhase.
 */
#pragma once

#include "pod_actions.h"
#include "status_input.h"

/* Fill in a box that was just taken. */
void kp_pod_status_generate(struct kp_status_box *box, const struct kp_status_input *in);
/* getPhase (S-308..S-311); statuses are in the order of pod->containers. */
enum kp_phase kp_phase_of(const struct kp_profile *profile, const struct kp_pod *pod,
                          const struct kp_container_status *statuses, bool is_terminal,
                          bool was_initialized);
/* Of a phase just computed what is published (S-312): one that was final before stays.  api, old:
 * what the API has and what was computed last; or NULL. */
enum kp_phase kp_phase_stays(const struct kp_profile *profile, const struct kp_pod_status *api,
                             const struct kp_pod_status *old, enum kp_phase phase);
