/*
 * http2_head.h: heads of a reply in HTTP/2, and trailers, as Go reads them.
 *
 * Upstream: x/net, http2 frame.go readMetaFrame, transport.go handleResponse, processTrailers.
 */
#pragma once

#include "http_reply.h"

/* A field of the head that kp_http_reply_begin began, or of trailers. */
void kp_http2_head_field(struct kp_http_reply *reply, struct kp_text name, struct kp_text value);
/* It is over, and is_last: nothing follows it.  Returns: false: Go refuses it. */
bool kp_http2_head_end(struct kp_http_reply *reply, bool is_last);
/*
 * So is a head behind the body, which kp_http_reply_init began.
 *
 * Returns:  what Go says of the body for it, in the scratch; empty: nothing.
 */
struct kp_text kp_http2_trailers_end(struct kp_http_reply *trailers, bool is_last);
