/*
 * fire_link.h: one connection of a fault server, plain or TLS: every wait ends when the server is
 * told to stop, though not before what had arrived by then was looked at.
 */
#pragma once

#include "conformance/text/out.h"

#include <sys/types.h>

/* Shared by the connections of a server. */
struct cf_fire_stop {
    int fd;           /* readable: stop */
    int64_t until_ms; /* 0: not yet to stop; else nothing is waited for beyond it */
};

struct cf_fire_tls;

struct cf_fire_link {
    int fd; /* not blocking */
    struct cf_fire_tls *tls;
    struct cf_fire_stop *stop;
    const int *listeners; /* a new connection there ends cf_fire_link_await_close */
    size_t listener_count;
};

enum { CF_FIRE_GIVEN_UP = -2 };

/*
 * Wait for the descriptor, or for a time.
 *
 * events:   of poll; 0: only the time passes, and that no longer once the server was told to stop.
 * wait_ms:  -1: without end.
 * Returns:  false: nothing came.
 */
bool cf_fire_link_wait(struct cf_fire_link *link, short events, int wait_ms);
/* Bytes read; 0: the other side closed; -1: it reset; CF_FIRE_GIVEN_UP. */
ssize_t cf_fire_link_read(struct cf_fire_link *link, void *bytes, size_t size);
/* The same, and what was read is read once more. */
ssize_t cf_fire_link_peek(struct cf_fire_link *link, void *bytes, size_t size);
/* false: the other side does not take it. */
bool cf_fire_link_write(struct cf_fire_link *link, struct kp_text bytes);

/* What a TLS server insists on. */
struct cf_fire_tls_options {
    struct kp_text alpn;    /* empty: http/1.1 if offered; "-": none */
    struct kp_text version; /* "1.1", "1.2": no newer; empty: any */
    bool requests_certificate;
};

/*
 * Shake hands as a server, with a certificate that expired long ago and names nobody.
 *
 * saw:      gets a line `tls sni NAME alpn A,B`, - where there is none.
 * Returns:  false: it came to nothing.
 */
bool cf_fire_link_tls(struct cf_fire_link *link, const struct cf_fire_tls_options *options,
                      struct cf_out *saw);
/* Ask for another handshake, and await none. */
void cf_fire_link_renegotiate(struct cf_fire_link *link);
/* End our half: close_notify where there is TLS, then FIN. */
void cf_fire_link_shut(struct cf_fire_link *link);
/*
 * Wait until the other side closes, or a new connection comes.
 *
 * extra:    gets what still arrives, where it is not TLS.
 * Returns:  "fin", "reset", "open" (it had not closed when all was over), "" (it was not waited
 * for).
 */
const char *cf_fire_link_await_close(struct cf_fire_link *link, struct cf_out *extra);
void cf_fire_link_close(struct cf_fire_link *link);
