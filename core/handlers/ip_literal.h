/* ip_literal.h: what may stand between the brackets of a URL's host, as Go reads it. */
#pragma once

#include "core/model/trace.h"

/*
 * An IPv6 address, perhaps with a zone behind a percent sign.
 *
 * text:     decoded, without its brackets.
 * why:      gets Go's text where it is none: `invalid host: ParseAddr("x"): ...`, or for an IPv4
 *           address `invalid IP-literal`; borrows from text.
 * Upstream: net/url parseHost, net/netip ParseAddr.
 */
bool kp_ip_literal_check(struct kp_text text, struct kp_message *why);
