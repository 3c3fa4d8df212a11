/*
 * pod_status.h: the PodStatus that the kubelet computes from what the runtime says.
 *
 * Upstream: kubelet_pods.go generateAPIPodStatus, convertToAPIContainerStatuses, getPhase.
 */
#pragma once

#include "../prober/prober_manager.h"
#include "pod_actions.h"
#include "status_box.h"

/* Why a container could not be started last time (S-317). */
struct kp_reason {
    bool known;
    struct kp_text reason;
    struct kp_text message;
};

/* What a status is made of.  All of it is borrowed for the call. */
struct kp_status_input {
    const struct kp_profile *profile;
    const struct kp_pod *pod;           /* as the pod worker has it, its ->status the API's */
    const struct kp_pod_status *others; /* what others wrote into the object's status; or NULL */
    const struct kp_pod_status *old;    /* looked back at: computed last, else the API's; or NULL */
    const struct kp_runtime_view *view;
    uint32_t address;                /* of the pod's sandbox, as in kp_status_box */
    const struct kp_reason *reasons; /* in the order of pod->containers */
    bool is_terminal;                /* the pod can never run again */
    bool past_deadline;              /* it fails for that (S-345) */
    /* Started and ready come from there, and its readiness workers are poked. */
    struct kp_prober_manager *probers;
    uint32_t handle;
    int64_t now_ns;
};

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

/* Does one of the regular containers run, or has it run? */
bool kp_any_regular_began(const struct kp_pod *pod, const struct kp_container_status *statuses);
