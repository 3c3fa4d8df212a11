/* budget_print.h: a container's budget in at most six lines for people, and as JSON. */
#pragma once

#include "conformance/simulate/budget.h"
#include "conformance/text/out.h"

/* The head line (name/container, version) and at most six lines of 80 columns: what a start, a
 * hang, failures, a slow answer, an update and a kubelet's restart come to, each with a rule.
 */
void cf_budget_put_text(struct cf_out *out, const struct kp_profile *profile, struct kp_text name,
                        const struct kp_pod *pod, const struct cf_container_budget *budget);

/* "0 to 5 s after it answers": when it is ready; the budget has it. */
void cf_budget_put_ready(struct cf_out *out, const struct cf_container_budget *budget);

/* The head of a table of many, and a row of it; budget: NULL where there is no probe. */
void cf_budget_put_heading(struct cf_out *out);
void cf_budget_put_row(struct cf_out *out, struct kp_text name, const struct kp_pod *pod,
                       const struct cf_container_budget *budget);

/* One object, a line; times in milliseconds, null for never. */
void cf_budget_put_json(struct cf_out *out, const struct kp_profile *profile, struct kp_text name,
                        const struct kp_pod *pod, const struct cf_container_budget *budget);
