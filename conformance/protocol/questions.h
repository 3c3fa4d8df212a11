/*
 * questions.h: the layers of the protocol that have no time: one question, one answer.
 *
 * Each reads its request and writes the value of `ok`; false: the request makes no sense, and the
 * reader says why.
 */
#pragma once

#include "conformance/protocol/wire.h"

/* Which port does a probe's `port` mean? */
bool cf_question_port(struct cf_reader *reader, const struct kp_profile *profile,
                      const struct cf_node *request, struct cf_out *ok);
/* What does the API server make of a pod? */
bool cf_question_check(struct cf_reader *reader, const struct kp_profile *profile,
                       const struct cf_node *request, struct cf_out *ok);
/* What does computePodActions decide? */
bool cf_question_actions(struct cf_reader *reader, const struct kp_profile *profile,
                         const struct cf_node *request, struct cf_out *ok);
/* Was this built with real probes?  (`make PROBES=0` leaves them out: without_probes.c.) */
bool cf_has_probes(void);
/* What does one attempt of a probe come to?  Takes as long as the attempt. */
bool cf_question_fire(struct cf_reader *reader, const struct kp_profile *profile,
                      const struct cf_node *request, struct cf_out *ok);
/* What of the events that a kubelet records does the API server keep? */
bool cf_question_events(struct cf_reader *reader, const struct kp_profile *profile,
                        const struct cf_node *request, struct cf_out *ok);
/* What do `kubectl get pod` and `kubectl describe pod` show? */
bool cf_question_kubectl(struct cf_reader *reader, const struct kp_profile *profile,
                         const struct cf_node *request, struct cf_out *ok);
