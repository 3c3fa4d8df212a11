/*
 * restart_rules.h: would a container come back after exiting with that code?
 *
 * Upstream: pkg/api/v1/pod/util.go ContainerShouldRestart, IsContainerRestartable,
 * FindMatchingContainerRestartRule, AllContainersCouldRestart.
 */
#pragma once

#include "../model/spec.h"
#include "../rules/profile.h"

/* The first rule that matches the exit code, or NULL (S-126). */
const struct kp_restart_rule *kp_restart_rule_find(const struct kp_container *container,
                                                   int32_t exit_code);

/* ContainerShouldRestart: by rule, else the container's restartPolicy, else the pod's (S-124,
 * S-125). */
bool kp_exit_restarts(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                      int32_t exit_code);

/* Is the rule that matches the exit code one that restarts all containers (S-139)? */
bool kp_exit_restarts_all(const struct kp_container *container, int32_t exit_code);

/* IsContainerRestartable: is there any exit code after which it would come back? */
bool kp_container_may_restart(const struct kp_pod *pod, int container);

/* AllContainersCouldRestart: has any container a rule that restarts them all? */
bool kp_all_containers_could_restart(const struct kp_pod *pod);
