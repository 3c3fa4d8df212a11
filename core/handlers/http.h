/* http.h: an HTTP attempt from inside: what http.c and http_fail.c share. */
#ifndef KP_HTTP_H
#define KP_HTTP_H

#include "dial.h"
#include "http_headers.h"
#include "http_relay.h"
#include "http_reply.h"
#include "url.h"

#define KP_HTTP_BODY_BYTES_MAX 10240
#define KP_HTTP_BODY_BYTES_UNLIMITED ((size_t)16 * 1024 * 1024)

struct kp_http {
    struct kp_transfer transfer;
    struct kp_headers headers; /* of the first request */
    struct kp_url url;         /* of the current request */
    struct kp_text first_host;
    struct kp_hop hop;
    struct kp_dial dial;
    struct curl_slist *lines;
    int requests;
    struct kp_http_reply reply;
    struct kp_http_relay relay;
    bool follows; /* the reply is a redirect to `next` */
    struct kp_url next;
    char *body; /* up to the version's limit */
    size_t body_len;
    size_t body_cap;
    struct kp_text broken; /* Go's words for a bad body; empty: it is libcurl's to say */
};

/* One line of a head or behind a body, its end included; false: enough was read. */
bool kp_http_take_head_line(struct kp_flight *flight, struct kp_text line);

/* Is as much of the body there as is wanted? */
bool kp_http_has_enough(const struct kp_flight *flight);
/* A transfer that brings the body of the reply: how libcurl is to read it. */
void kp_http_set_body(struct kp_flight *flight, struct kp_transfer *transfer);

bool kp_http_is_tls(const struct kp_http *http);

/* `Get "<url>": `, the URL unquoted up to Go 1.13 (P-117). */
void kp_http_add_wrapper(struct kp_flight *flight, struct kp_message *message, struct kp_text url);
/* A failure of the client, which is one of the probe (P-107); with the wrapper. */
void kp_http_fail(struct kp_flight *flight, const struct kp_message *cause);
void kp_http_fail_text(struct kp_flight *flight, const char *cause);
/* The transfer ended before the head was complete. */
void kp_http_fail_head(struct kp_flight *flight, CURLcode code);
/* P-109: a body that cannot be read is an error beside a failure. */
void kp_http_err_body(struct kp_flight *flight, const char *text);
/* The transfer ended while the body was read. */
void kp_http_err_in_body(struct kp_flight *flight, CURLcode code);

#endif
