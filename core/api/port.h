/*
 * port.h: which port a probe's `port` means: a number, or the name of one of its container's ports.
 */
#pragma once

#include "../model/spec.h"
#include "../rules/profile.h"

/*
 * Resolve the port of an HTTP or TCP probe, or of a hook of 1.26 and later (E-003..E-009, P-132..).
 *
 * container: its ports alone are looked at, in order.
 * port:     set to the number; on error to what the kubelet's function returns besides it (E-007).
 * error:    gets the kubelet's text where there is no port.
 * Returns:  whether there is one.
 * Upstream: prober.go extractPort, pkg/probe/util.go ResolveContainerPort.
 */
bool kp_port_resolve(const struct kp_profile *profile, const struct kp_int_or_string *param,
                     const struct kp_container *container, int64_t *port, struct kp_buf *error);

/* Has the kubelet one of the probe's handlers?  In 1.23 it has no gRPC, unless its gate is on
 * (P-062, P-125). */
bool kp_handler_is_known(const struct kp_profile *profile, const struct kp_handler *handler);

/*
 * The same for a lifecycle hook: up to 1.25 a number is taken before a name, and no range is
 * checked (E-011).  The dump of the container that ends the error text is cut to its name.
 *
 * Upstream: lifecycle/handlers.go resolvePort.
 */
bool kp_port_resolve_hook(const struct kp_profile *profile, const struct kp_int_or_string *param,
                          const struct kp_container *container, int64_t *port,
                          struct kp_buf *error);
