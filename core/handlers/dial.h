/* dial.h: where a probe connects to, and what Go's net package says when it cannot. */
#pragma once

#include "core/model/trace.h"
#include "core/rules/profile.h"
#include "scratch.h"

#include <sys/socket.h>

/* A place to connect to. */
struct kp_dial {
    struct kp_text host; /* as the probe or the redirect names it, without brackets; may be empty */
    int64_t port;
    bool is_address; /* there is nothing to look up: `address` is it */
    bool tried;      /* an address was: `address` is the first one, or the one that answered */
    bool no_socket;  /* nor could one be had for it */
    struct sockaddr_storage address;
    const char *url; /* of a name: http://name:port for libcurl */
};

/*
 * Read host and port.
 *
 * profile:  whose Go reads them.
 * port:     decimal digits.
 * why:      gets Go's text where nothing can be dialled: brackets in the host, a port out of range,
 *           a name that none can be.
 */
bool kp_dial_init(struct kp_dial *dial, struct kp_scratch *scratch,
                  const struct kp_profile *profile, struct kp_text host, struct kp_text port,
                  struct kp_message *why);

/* Does this errno of socket say that descriptors or memory are short? */
bool kp_dial_is_short(int error);

/*
 * `dial tcp 127.0.0.1:1: connect: connection refused`, or that nobody knows the name.
 *
 * error:    errno of connect; 0: it is not known, and taken for a refusal.
 */
void kp_dial_add_error(struct kp_message *message, struct kp_scratch *scratch,
                       const struct kp_dial *dial, int error);
/* `dial tcp 10.0.0.1:80: i/o timeout`. */
void kp_dial_add_timeout(struct kp_message *message, struct kp_scratch *scratch,
                         const struct kp_dial *dial);
/* `read tcp 127.0.0.1:4711->127.0.0.1:80: read: connection reset by peer`, of that socket. */
void kp_dial_add_read_error(struct kp_message *message, struct kp_scratch *scratch,
                            const struct kp_dial *dial, int fd, int error);

/*
 * Cut host:port as a dialler does.
 *
 * Returns:  NULL, or what is wrong with it.
 * Upstream: Go, net.SplitHostPort.
 */
const char *kp_split_host_port(struct kp_text text, struct kp_text *host, struct kp_text *port);
