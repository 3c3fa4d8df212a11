/*
 * conditions.h: the pod conditions that the kubelet owns.
 *
 * Upstream: status/generate.go.
 */
#pragma once

#include "status_input.h"

/* Fill in the conditions of `box` from its statuses and phase. */
void kp_conditions_generate(struct kp_status_box *box, const struct kp_status_input *in);
/* Ready and ContainersReady alone, after one container's ready changed (S-306); what others wrote
 * of the pod's gates is asked of box->others (S-314). */
void kp_conditions_update_ready(struct kp_status_box *box, const struct kp_profile *profile,
                                const struct kp_pod *pod);
/* Replace or add a condition. */
void kp_condition_put(struct kp_status_box *box, struct kp_text type,
                      enum kp_condition_status status, struct kp_text reason,
                      struct kp_text message);
bool kp_condition_equal(const struct kp_condition *a, const struct kp_condition *b);
/* Conditions that the kubelet sets and nobody else. */
bool kp_condition_is_ours(struct kp_text type);
/* Bytes of text that the conditions of a pod can take at most. */
size_t kp_conditions_text_max(const struct kp_pod *pod);
/* Does one of the regular containers run, or has it run? */
bool kp_any_regular_began(const struct kp_pod *pod, const struct kp_container_status *statuses);
