/*
 * http.h: an HTTP attempt from inside: what its four files share.
 *
 * http.c is the kubelet's and Go's client: what is requested, what the reply means.  It calls the
 * others, and none of them calls it.  One exchange is http_exchange.c: a connection (conn.h), then
 * HTTP/1 (http1.h) or HTTP/2 (http2.h).  http_redirect.c says what is followed, http_fail.c has
 * Go's words.
 */
#pragma once

#include "conn.h"
#include "http1.h"
#include "http2.h"
#include "http_body.h"
#include "http_headers.h"
#include "url.h"

#define KP_HTTP_BODY_BYTES_MAX 10240
#define KP_HTTP_BODY_BYTES_UNLIMITED ((size_t)16 * 1024 * 1024)

struct kp_http {
    struct kp_headers headers; /* of the first request */
    struct kp_url url;         /* of the current request */
    struct kp_hop hop;
    int requests;
    bool follows; /* the reply is a redirect to `next` */
    struct kp_url next;
    /* The exchange. */
    struct kp_conn conn;
    struct kp_headers sent; /* with what this hop adds */
    struct kp_text target;
    bool in_http2; /* once it is open */
    struct kp_http1 http1;
    struct kp_http2 *http2; /* NULL: it is not spoken */
    struct kp_http_reply reply;
    struct kp_http_reply *trailers; /* of HTTP/2; NULL: none yet */
    struct kp_http_body body;
    uint64_t body_came;    /* bytes, of HTTP/2 */
    struct kp_text broken; /* Go's words for a bad body; empty: it is the connection that failed */
};

/* ---- http_exchange.c ------------------------------------------------------------------------- */

/* How far an exchange has come: http.c decides what follows. */
enum kp_exchange {
    KP_EXCHANGE_ON,   /* more is to come */
    KP_EXCHANGE_OVER, /* the head is there and the body is as far as it is wanted */
    KP_EXCHANGE_BAD,  /* the connection's fault, the stream's, or what the reply's `why` says */
    KP_EXCHANGE_DRY   /* no memory */
};

/* Begin: `sent`, `target` and conn.dial are set.  `user` hands on what the connection reports to
 * the four below.  false: no memory. */
bool kp_http_exchange(struct kp_flight *flight, const struct kp_conn_user *user);
enum kp_exchange kp_http_opened(struct kp_flight *flight);
enum kp_exchange kp_http_received(struct kp_flight *flight, struct kp_text bytes);
void kp_http_was_sent(struct kp_flight *flight);
enum kp_exchange kp_http_ended(struct kp_flight *flight);
/* Close and free what it has; nothing where it is closed. */
void kp_http_hang_up(struct kp_flight *flight);
bool kp_http_is_tls(const struct kp_http *http);

/* ---- http_redirect.c ------------------------------------------------------------------------- */

/* The head is there: how much of the body is wanted, unless `reply` is refused now.  false: no
 * memory. */
bool kp_http_take_head(struct kp_flight *flight);
/* Turn to `next`. */
void kp_http_turn(struct kp_flight *flight);

/* ---- http_fail.c ----------------------------------------------------------------------------- */

/* `Get "<url>": `, the URL unquoted up to Go 1.13 (P-117). */
void kp_http_add_wrapper(struct kp_flight *flight, struct kp_message *message, struct kp_text url);
/* A failure of the client, which is one of the probe (P-107); with the wrapper. */
void kp_http_fail(struct kp_flight *flight, const struct kp_message *cause);
void kp_http_fail_text(struct kp_flight *flight, const char *cause);
/* The exchange ended before the head was complete. */
void kp_http_fail_head(struct kp_flight *flight);
/* P-109: a body that cannot be read is an error beside a failure. */
void kp_http_err_body(struct kp_flight *flight, const char *text);
/* It ended while the body was read. */
void kp_http_err_in_body(struct kp_flight *flight);
