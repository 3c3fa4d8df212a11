/*
 * http_relay.h: heads that Go's net/http reads and libcurl refuses before anybody sees them.
 *
 * libcurl waits with reading until the reply has been looked at (kp_transfer_hold).  What is
 * HTTP/1.1 with an ordinary status, and is all there, it reads itself.  From any other head that
 * begins as one its socket is taken away: the lines are read here and judged as all are
 * (http_reply.h), and libcurl is told on a socket of its own that the body follows, and how it is
 * framed.  The body itself passes through.
 */
#ifndef KP_HTTP_RELAY_H
#define KP_HTTP_RELAY_H

#include "flight.h"

struct kp_http_relay {
    struct kp_watch peer; /* fd -1: there is no relay, or the peer has closed */
    int feed;             /* our end of what libcurl reads; -1: none */
    bool head_over;
    char *line; /* so far, from the set's memory */
    size_t line_len;
    size_t line_cap;
    size_t fed_lines; /* of ours that libcurl has not shown yet */
};

void kp_http_relay_init(struct kp_http_relay *relay, struct kp_flight *flight);
/* May libcurl read this reply, of which `bytes` are there? */
bool kp_http_relay_is_for_libcurl(struct kp_text bytes);
/* Take the socket `fd` of the attempt's transfer; where there are no descriptors for it the attempt
 * is finished. */
void kp_http_relay_begin(struct kp_http_relay *relay, int fd);
/* Close what it has. */
void kp_http_relay_end(struct kp_http_relay *relay);

#endif
