/*
 * restart_policy.h: when a dead container may live again: restart policies and exit code rules.
 *
 * Upstream: kubelet/container/helpers.go ShouldContainerBeRestarted, ShouldAllContainersRestart.
 */
#pragma once

#include "../rules/rules.h"
#include "runtime.h"

/* ShouldContainerBeRestarted (S-121..S-126): *rule says why. */
bool kp_container_should_restart(const struct kp_profile *profile, const struct kp_pod *pod,
                                 const struct kp_runtime_view *runtime, int container,
                                 enum kp_rule *rule);
/* Would it be restarted after exiting with that code, by rule or policy (S-124, S-125)? */
bool kp_container_returns(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                          int32_t exit_code);
bool kp_pod_policy_is(const struct kp_pod *pod, const char *policy);
/* ShouldAllContainersRestart (S-321).  old: the status said last, or NULL. */
bool kp_should_restart_all(const struct kp_profile *profile, const struct kp_pod *pod,
                           const struct kp_runtime_view *view, const struct kp_pod_status *old);
