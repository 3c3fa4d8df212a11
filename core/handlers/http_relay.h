/*
 * http_relay.h: heads that Go's net/http reads and libcurl refuses before anybody sees them, and
 * bodies in chunks, of which it is the other way round.
 *
 * libcurl waits with reading until the reply has been looked at (kp_transfer_hold).  What is
 * HTTP/1.1 with an ordinary status, not in chunks, and is all there, it reads itself.  Any other
 * head that begins as one is read here, line by line, and judged as all are (http_reply.h); a
 * second transfer, whose request ends here, is then told that the body follows, and how long it is.
 * The body passes through; chunks are taken apart before (http_chunks.h).
 */
#ifndef KP_HTTP_RELAY_H
#define KP_HTTP_RELAY_H

#include "flight.h"
#include "http_chunks.h"

struct kp_http_relay {
    struct kp_transfer *body;      /* the second transfer; NULL: none yet */
    int feed;                      /* where it reads from; -1: nowhere */
    struct kp_http_chunks *chunks; /* NULL: the body is not in any */
    char *line;                    /* so far, from the set's memory */
    size_t line_len;
    size_t line_cap;
};

void kp_http_relay_init(struct kp_http_relay *relay);
/* May libcurl read this reply, of which `bytes` are there? */
bool kp_http_relay_is_for_libcurl(struct kp_text bytes);
/* Of an HTTP attempt whose reply libcurl does not read: take what has come of it. */
void kp_http_relay_read(struct kp_flight *flight);
/* Close and free what its relay has. */
void kp_http_relay_end(struct kp_flight *flight);

#endif
