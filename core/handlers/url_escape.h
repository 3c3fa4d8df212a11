/* url_escape.h: percent-encoding by part of the URL.  Upstream: Go, net/url escape, unescape. */
#pragma once

#include "scratch.h"

enum kp_escape {
    KP_ESCAPE_PATH,
    KP_ESCAPE_HOST,
    KP_ESCAPE_ZONE,
    KP_ESCAPE_USER,
    KP_ESCAPE_FRAGMENT
};

struct kp_text kp_url_escape(struct kp_scratch *scratch, struct kp_text text, enum kp_escape mode);
/* false: a text that Go refuses, and its words are added to `why`. */
bool kp_url_unescape(struct kp_scratch *scratch, struct kp_text text, enum kp_escape mode,
                     struct kp_text *out, struct kp_message *why);
/* Could this be the encoded form of something? */
bool kp_url_is_encoded(struct kp_text text, enum kp_escape mode);
