/* status_input.h: what a pod's status is computed from. */
#pragma once

#include "../prober/prober_manager.h"
#include "runtime.h"
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
    /* Started and ready come from there, and its readiness workers are triggered. */
    struct kp_prober_manager *probers;
    uint32_t handle;
    int64_t now_ns;
};
