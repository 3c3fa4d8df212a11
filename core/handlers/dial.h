/* dial.h: where a probe connects to, and what Go's net package says when it cannot. */
#ifndef KP_DIAL_H
#define KP_DIAL_H

#include "flight.h"

/* A place to connect to. */
struct kp_dial {
    struct kp_text host; /* as the probe or the redirect names it, without brackets; may be empty */
    int64_t port;
    const char *url; /* scheme://host:port/ for libcurl */
    bool is_address; /* there is nothing to look up */
};

/*
 * Make the URL that libcurl connects to.
 *
 * port:     decimal digits.
 * why:      gets Go's text where nothing can be dialled: brackets in the host, a port out of range,
 *           a name that none can be.
 */
bool kp_dial_init(struct kp_dial *dial, struct kp_scratch *scratch, const char *scheme,
                  struct kp_text host, struct kp_text port, struct kp_message *why);

/* `dial tcp 127.0.0.1:1: connect: connection refused`, or why the name could not be resolved. */
void kp_dial_add_error(struct kp_message *message, struct kp_scratch *scratch,
                       const struct kp_dial *dial, const struct kp_transfer *transfer);
/* Did libcurl find no memory?  Then the attempt is finished. */
bool kp_dial_lacked_memory(const struct kp_dial *dial, const struct kp_transfer *transfer,
                           CURLcode code);
/* `dial tcp 10.0.0.1:80: i/o timeout`. */
void kp_dial_add_timeout(struct kp_message *message, struct kp_scratch *scratch,
                         const struct kp_dial *dial, const struct kp_transfer *transfer);
/* `read tcp 127.0.0.1:4711->127.0.0.1:80: read: connection reset by peer` (E: errno). */
void kp_dial_add_read_error(struct kp_message *message, struct kp_scratch *scratch,
                            const struct kp_transfer *transfer);

/*
 * Cut host:port as a dialler does.
 *
 * Returns:  NULL, or what is wrong with it.
 * Upstream: Go, net.SplitHostPort.
 */
const char *kp_split_host_port(struct kp_text text, struct kp_text *host, struct kp_text *port);

#endif
