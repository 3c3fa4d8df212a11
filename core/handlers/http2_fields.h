/*
 * http2_fields.h: the fields of a head in HTTP/2, or of trailers, as far as Go's framer judges
 * them: before anybody reads what they say.
 *
 * Upstream: x/net, http2 frame.go readMetaFrame, checkPseudos.
 */
#pragma once

#include "core/rules/profile.h"
#include "scratch.h"

/* Of the head that comes; zeroed none has begun. */
struct kp_http2_fields {
    bool in_regular;      /* behind the pseudo header fields */
    unsigned pseudos;     /* a bit each; the lowest is :status */
    struct kp_text fault; /* the first field's that has one, in the scratch; empty: none has */
    struct kp_text pseudo_fault; /* told where none has */
};

/* profile: whose x/net judges it.  Returns: false: it has a fault, or one before it has. */
bool kp_http2_fields_take(struct kp_http2_fields *fields, struct kp_scratch *scratch,
                          const struct kp_profile *profile, struct kp_text name,
                          struct kp_text value);
/* They are over.  Returns: what is wrong with them, in the scratch; empty: nothing. */
struct kp_text kp_http2_fields_end(const struct kp_http2_fields *fields);
