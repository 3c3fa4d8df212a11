/*
 * http_body.h: as much of a reply's body as is wanted, unpacked where it is gzip.
 *
 * Upstream: Go, net/http transport.go gzipReader; compress/gzip gunzip.go.
 */
#pragma once

#include "scratch.h"

#include <zlib.h>

struct kp_http_body {
    struct kp_scratch *scratch;
    size_t limit;
    char *bytes;
    size_t len;
    size_t cap;
    z_stream *gzip; /* NULL: it comes as it is */
    bool in_member; /* of gzip: something of it came, and not its end */
};

enum kp_http_body_end { KP_HTTP_BODY_MORE, KP_HTTP_BODY_ENOUGH, KP_HTTP_BODY_BAD };

/* An empty one.  limit: bytes that are wanted, unpacked. */
void kp_http_body_init(struct kp_http_body *body, struct kp_scratch *scratch, size_t limit);
/* What comes is gzip.  false: no memory. */
bool kp_http_body_unpack(struct kp_http_body *body);
/*
 * Take some of it.
 *
 * why:      KP_HTTP_BODY_BAD: Go's words, static text.
 * Returns:  KP_HTTP_BODY_ENOUGH: nothing more is wanted.  Where there is no memory, which the
 *           scratch remembers, nothing more is, either.
 */
enum kp_http_body_end kp_http_body_take(struct kp_http_body *body, struct kp_text bytes,
                                        const char **why);
/* Is it over where it may be? */
bool kp_http_body_is_whole(const struct kp_http_body *body);
void kp_http_body_deinit(struct kp_http_body *body);
