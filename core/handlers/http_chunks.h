/*
 * http_chunks.h: a body in chunks, taken apart as Go's net/http does.
 *
 * Upstream: Go, net/http/internal chunked.go; net/http transfer.go readTrailer.
 */
#pragma once

#include "core/rules/profile.h"
#include "scratch.h"

#define KP_HTTP_CHUNK_LINE_BYTES_MAX 4096 /* of a line with a length; of all that is behind */

struct kp_http_chunks {
    const struct kp_profile *profile; /* whose Go reads it; borrowed */
    enum { KP_CHUNK_LENGTH, KP_CHUNK_DATA, KP_CHUNK_DATA_END, KP_CHUNK_TRAILER, KP_CHUNK_OVER } at;
    uint64_t left; /* of a chunk's data */
    int64_t excess;
    size_t line_len; /* what has come of a line, of the end of a chunk, of a trailer */
    char line[KP_HTTP_CHUNK_LINE_BYTES_MAX];
};

enum kp_http_chunk {
    KP_HTTP_CHUNK_MORE,
    KP_HTTP_CHUNK_SOME,
    KP_HTTP_CHUNK_LAST,
    KP_HTTP_CHUNK_BAD
};

/*
 * Take from `bytes` what comes before the next data, and that.
 *
 * bytes:    is left with what was not taken.
 * data:     KP_HTTP_CHUNK_SOME: borrowed from bytes.
 * why:      KP_HTTP_CHUNK_BAD: Go's words, static text.
 * Returns:  KP_HTTP_CHUNK_MORE: all of it was taken; KP_HTTP_CHUNK_LAST: the body is over,.
 */
enum kp_http_chunk kp_http_chunks_take(struct kp_http_chunks *chunks, struct kp_text *bytes,
                                       struct kp_text *data, const char **why);
/* Behind KP_HTTP_CHUNK_LAST: the lines of the trailer, the empty one included. */
struct kp_text kp_http_chunks_trailer(const struct kp_http_chunks *chunks);
/* The connection has ended.  Go's words, static text; NULL: the body had ended before. */
const char *kp_http_chunks_end(const struct kp_http_chunks *chunks);
