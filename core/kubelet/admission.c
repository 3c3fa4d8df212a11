#include "admission.h"

#include "status_manager.h"

static const struct kp_container *forbidden(const struct kp_pod_run *run)
{
    const struct kp_profile *profile = &run->node->profile;

    if (!kp_gate_known(profile, KP_GATE_SidecarContainers) ||
        profile->gates[KP_GATE_SidecarContainers])
        return NULL;
    for (size_t i = 0; i < run->api.init_count; i++)
        if (kp_container_is_sidecar(&run->api.containers[i]))
            return &run->api.containers[i];
    return NULL;
}

/* Nothing of it has run or will: its phase is not held back. */
static void set_failed(struct kp_pod_run *run)
{
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    box->status.phase = KP_FAILED;
    run->terminated = true;
    kp_status_set(run, &run->api, box, false);
}

bool kp_admission_rejects(struct kp_pod_run *run)
{
    const struct kp_container *sidecar = forbidden(run);
    struct kp_message message = {.count = 0};

    if (!sidecar || (run->api.status && kp_phase_is_terminal(run->api.status->phase)))
        return false;
    kp_message_add(&message, KP_TEXT("Init container "));
    kp_message_add_quoted(&message, sidecar->name);
    kp_message_add(&message, KP_TEXT(" may not have a non-default restartPolicy"));
    kp_run_record(run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("InitContainerRestartPolicyForbidden"),
                  &message, KP_RULE_ADMISSION_SIDECARS);
    set_failed(run);
    return true;
}
