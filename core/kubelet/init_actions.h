/*
 * init_actions.h: which init containers a pod sync starts or kills, and whether they are over.
 *
 * A part of pod_actions.h of its own.
 * Upstream: kuberuntime_container.go computeInitContainerActions, findNextInitContainerToRun.
 */
#pragma once

#include "pod_actions.h"

/* Adds to `actions`; true: initialization is over and regular containers may be looked at. */
bool kp_init_actions(struct kp_pod_actions *actions, const struct kp_actions_input *input);
/* Does this release look at that pod with sidecars in mind (S-110)? */
bool kp_init_knows_sidecars(const struct kp_profile *profile, const struct kp_pod *pod);
/* For a pod without a good sandbox: was it initialized before (S-104)? */
bool kp_init_is_over(const struct kp_actions_input *input);
