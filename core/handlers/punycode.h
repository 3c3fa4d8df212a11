/*
 * punycode.h: host names beyond ASCII, as Go's net/http writes them: what is ASCII stays, no letter
 * is mapped, nothing is refused.  A label that begins with xn-- is taken as it is; Go decodes it
 * and encodes it anew.
 */
#pragma once

#include "scratch.h"

/*
 * Encode each label that is not ASCII.
 *
 * host:     without a port; bytes that are not UTF-8 count as U+FFFD.
 * Returns:  a text of the scratch.
 * Upstream: golang.org/x/net/idna ToASCII; RFC 3492, 6.3.
 */
struct kp_text kp_punycode(struct kp_scratch *scratch, struct kp_text host);
