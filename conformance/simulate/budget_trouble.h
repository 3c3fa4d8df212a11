/* budget_trouble.h: what comes of a container that hangs or fails, in words for people. */
#pragma once

#include "conformance/simulate/budget_lines.h"

/* One line or more; failures behind them, where they are joined. */
void cf_budget_put_hangs(struct cf_budget_lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget);
/* One line. */
void cf_budget_put_fails(struct cf_budget_lines *lines, const struct kp_container *container,
                         const struct cf_container_budget *budget);
/* Are failures printed behind a hang, and not in a line of their own? */
bool cf_budget_joins_fails(const struct cf_budget_lines *lines,
                           const struct kp_container *container,
                           const struct cf_container_budget *budget);

/* A connection is accepted by the kernel: what hangs is not seen as long as its port listens. */
bool cf_probe_only_connects(const struct kp_probe *probe);
/* Does a kubelet run its preStop?  One over tcpSocket fails at once (S-226). */
bool cf_budget_has_hook(const struct kp_container *container);
/* A readiness probe that is never sent: its port is not declared (E-010). */
bool cf_budget_is_unsent(const struct cf_container_budget *budget);
/* An exec probe's timeoutSeconds that nobody looks at. */
bool cf_budget_is_untimed(const struct kp_probe *probe, const struct cf_tolerance *tolerance);
