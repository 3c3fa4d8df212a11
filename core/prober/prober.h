/*
 * prober.h: one execution of a probe: up to three attempts, what they come to, and the event.
 *
 * Upstream: pkg/kubelet/prober/prober.go, pkg/probe/exec/exec.go.
 */
#pragma once

#include "../base/mem.h"
#include "../model/trace.h"
#include "../rules/profile.h"

#define KP_PROBE_ATTEMPTS 3

/* probe.Result and error of one attempt, after the handler. */
enum kp_outcome {
    KP_OUTCOME_SUCCESS,
    KP_OUTCOME_WARNING,
    KP_OUTCOME_FAILURE,
    KP_OUTCOME_UNKNOWN, /* without an error */
    KP_OUTCOME_ERROR,
    KP_OUTCOME_BROKEN /* an error too, beside the result failure */
};

/* With an error: it is tried again, and counts as nothing. */
static inline bool kp_outcome_is_error(enum kp_outcome outcome)
{
    return outcome == KP_OUTCOME_ERROR || outcome == KP_OUTCOME_BROKEN;
}

/* What a handler makes of an answer: an exec timeout is a failure or an error (P-083 .. P-085). */
enum kp_outcome kp_prober_outcome(const struct kp_profile *profile, enum kp_answer answer);

/*
 * The text that comes with it: the answer's output, or what the kubelet says of a timeout (P-086).
 *
 * argv:     of an exec probe, expanded; NULL for other handlers.
 */
void kp_prober_add_output(struct kp_message *message, const struct kp_profile *profile,
                          enum kp_answer answer, struct kp_text output,
                          const struct kp_text_list *argv, int64_t timeout_ns);

/* How the event's sentence begins, with its reason and rule. false: there is no event. */
bool kp_prober_begin_event(const struct kp_profile *profile, enum kp_probe_type type,
                           enum kp_outcome outcome, struct kp_effect *effect);

/* The result that the worker counts (P-065); not for an error. */
enum kp_result kp_prober_result(enum kp_outcome outcome);

/*
 * ExpandContainerCommandOnlyStatic (P-077): $(NAME) by the container's literal env.
 *
 * out:      *out is NULL where nothing is to be expanded; else one block of mem's, the caller's.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err kp_command_expand(const struct kp_mem *mem,
                                          const struct kp_container *container,
                                          const struct kp_text_list *command,
                                          struct kp_text_list **out);
