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

/* Nothing of it has run or will: its phase is not held back.  terminated stays: gates are as they
 * are for as long as a node is there, so that no kubelet of it has started anything of the pod. */
static void set_failed(struct kp_pod_run *run)
{
    struct kp_status_box *box = kp_status_box_take(&run->boxes);

    box->status.phase = KP_FAILED;
    run->terminated = true;
    kp_status_set(run, &run->api, box, false);
}

/* One that is over is not admitted once more by the next kubelet; before, it was. */
static bool needs_admission(const struct kp_pod_run *run)
{
    const struct kp_pod_status *api = run->api.status;

    return !api || !kp_phase_is_terminal(api->phase) || !run->node->profile.terminal_not_readmitted;
}

bool kp_admission_rejects(struct kp_pod_run *run)
{
    const struct kp_container *sidecar = forbidden(run);
    struct kp_message message = {.count = 0};

    if (!sidecar || !needs_admission(run))
        return false;
    kp_message_add(&message, KP_TEXT("Init container "));
    kp_message_add_quoted(&message, sidecar->name);
    kp_message_add(&message, KP_TEXT(" may not have a non-default restartPolicy"));
    kp_run_record(run, KP_POD_ITSELF, KP_WARNING, KP_TEXT("InitContainerRestartPolicyForbidden"),
                  &message, KP_RULE_ADMISSION_SIDECARS);
    set_failed(run);
    return true;
}

bool kp_admission_terminal_to_delete(const struct kp_pod_run *run)
{
    return run->terminated && !run->terminating && run->api.has_deletion;
}
