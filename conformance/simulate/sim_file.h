/*
 * sim_file.h: the script file of `simulate` and its --answers: what the world does, in the words of
 * the cases.
 *
 * A map with the keys `answers`, `world` and `events` of a scenario of layer pod
 * (conformance/cases/README.md).
 */
#pragma once

#include "conformance/simulate/sim_script.h"
#include "conformance/table/case.h"

/*
 * Read a script file and put it over what is assumed: what the file says of a container counts, the
 * rest stays.
 *
 * suite:    where faults go; its arena owns what was read.
 * pod:      the pod's tree, for the names of its containers.
 * script:   in and out.
 * Returns:  KP_OK; KP_EINPUT: the suite has faults; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_sim_file_read(struct cf_suite *suite, const char *name,
                                         struct kp_text bytes, const struct cf_node *pod,
                                         struct fake_script *script);
/* The same of what `answers` alone holds, a line each: `web/liveness: success until 60s, failure`.
 */
KP_MUST_USE enum kp_err cf_sim_answers_read(struct cf_suite *suite, const char *name,
                                            struct kp_text lines, const struct cf_node *pod,
                                            struct fake_script *script);
