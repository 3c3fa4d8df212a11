/*
 * http1.h: a reply of HTTP/1, taken apart as it comes, as Go's net/http reads it.
 *
 *     HEAD --+-- a length ----> COUNTED --+
 *      ^ |   +-- in chunks ---> CHUNKED --+--> OVER
 *      +-+   +-- neither -----> TO_THE_END     (the end of the connection is its own)
 *      1xx   +-- no body ---------------------> OVER
 *
 * Upstream: Go, net/http response.go, transfer.go.
 */
#pragma once

#include "http_chunks.h"
#include "http_reply.h"

struct kp_http1 {
    struct kp_http_reply *reply;
    const struct kp_mem *mem;
    enum {
        KP_HTTP1_IN_HEAD,
        KP_HTTP1_COUNTED,
        KP_HTTP1_CHUNKED,
        KP_HTTP1_TO_THE_END,
        KP_HTTP1_IS_OVER
    } at;
    uint64_t left;                 /* COUNTED */
    struct kp_http_chunks *chunks; /* CHUNKED */
    char *line;                    /* of the head, so far; from mem */
    size_t line_len;
    size_t line_cap;
};

enum kp_http1_step {
    KP_HTTP1_MORE,    /* all of it was taken */
    KP_HTTP1_HEAD,    /* the reply's is there */
    KP_HTTP1_DATA,    /* some of the body */
    KP_HTTP1_END,     /* the reply is over */
    KP_HTTP1_REFUSED, /* reply->why says what Go would */
    KP_HTTP1_BROKEN,  /* the body is: `data` are Go's words */
    KP_HTTP1_NO_MEMORY
};

/* reply:    borrowed, and filled in.  mem: for lines that come in pieces. */
void kp_http1_init(struct kp_http1 *http1, struct kp_http_reply *reply, const struct kp_mem *mem);
/*
 * Take the next piece.
 *
 * bytes:    what was taken is cut off.
 * data:     borrowed from bytes, or from the reply's scratch.
 */
enum kp_http1_step kp_http1_take(struct kp_http1 *http1, struct kp_text *bytes,
                                 struct kp_text *data);
/* The connection has ended: HEAD, END, REFUSED, BROKEN; MORE: the head is cut off. */
enum kp_http1_step kp_http1_end(struct kp_http1 *http1, struct kp_text *data);
/*
 * It broke.  Where a line was begun, or a trailer, that is an end to Go, whose readers of lines
 * forget an error.
 *
 * Returns:  REFUSED, BROKEN; MORE: what broke it is what is wrong.
 * Upstream: bufio.Reader.ReadLine; net/http transfer.go readTrailer.
 */
enum kp_http1_step kp_http1_break(struct kp_http1 *http1, struct kp_text *data);
void kp_http1_deinit(struct kp_http1 *http1);
