/*
 * lookup.h: connections to names: libcurl resolves, and tries one address after another, or two at
 * once where there are both kinds (happy eyeballs); then its socket is ours.
 *
 * Addresses, which nearly all probes have, are connected to without it (conn.h), and TLS is
 * OpenSSL's own (tls.h): a transfer of libcurl's that did no more than connect took 25 us of a core
 * where a bare socket took 18, and one in flight 18 KiB where an attempt takes 3 (make bench, both
 * in one run); and of a handshake that fails libcurl does not say how.
 */
#pragma once

#include "dial.h"
#include "flight.h"

#include <curl/curl.h>

/* The owner embeds it; zeroed it has not begun. */
struct kp_lookup {
    struct kp_flight *flight;
    struct kp_dial *dial;
    CURL *easy;
    bool lacks_descriptors;
    int first;       /* the socket of the first address; -1: it is closed */
    int first_error; /* its errno; 0: it is not known */
    int fd;          /* what is connected, and is not libcurl's to close; -1: nothing */
    void (*finished)(void *ctx, CURLcode code);
    void *ctx;
    struct kp_lookup *next; /* of the set's, under way */
    struct kp_lookup **link;
};

/*
 * Begin.
 *
 * dial:     borrowed; with a URL.  The first address that is tried becomes its `address`.
 * finished: is called from a later step, with CURLE_OK: lookup->fd is the caller's.
 * Returns:  false: no memory.
 */
bool kp_lookup_begin(struct kp_lookup *lookup, struct kp_flight *flight, struct kp_dial *dial,
                     void (*finished)(void *ctx, CURLcode code), void *ctx);
/* errno of the first address, whose error Go reports; 0: it is not known. */
int kp_lookup_errno(const struct kp_lookup *lookup);
/* Give it up, or what it took back.  Nothing where it has not begun, or is NULL. */
void kp_lookup_end(struct kp_lookup *lookup);
