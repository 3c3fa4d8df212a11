/*
 * http_headers.h: the headers of a probe's request, in the order in which the kubelet writes them.
 *
 * Upstream: pkg/probe/http/request.go (prober.go up to 1.25); Go, net/http request.go, header.go.
 */
#pragma once

#include "core/rules/profile.h"
#include "scratch.h"

struct kp_header {
    struct kp_text key; /* canonical, or as written before 1.28 */
    struct kp_text value;
};

/* By key; values of one key in the order given. */
struct kp_headers {
    struct kp_header *items;
    size_t count;
    struct kp_text host; /* the first Host value; empty: the URL's host is written */
};

/* P-097, P-173: what the pod says, and what is added to it. */
void kp_headers_init(struct kp_headers *headers, struct kp_scratch *scratch,
                     const struct kp_profile *profile, const struct kp_http_get_action *action);

/*
 * Is there a name or a value that net/http refuses to send?
 *
 * why:      gets its words.
 * Upstream: transport.go validateHeaders.
 */
bool kp_headers_check(const struct kp_headers *headers, const struct kp_profile *profile,
                      struct kp_message *why);
/* Does that value leave anything of a host?  Else it is the URL's.  Upstream: Go, net/http
 * request.go write. */
bool kp_headers_has_host(const struct kp_profile *profile, struct kp_text value);
/* May that be a host, once it is written in ASCII?  Of the Host line of HTTP/1 Go 1.20.6 and 1.20.7
 * want it, later ones leave the line empty (P-097).  Upstream: httpguts.ValidHostHeader. */
bool kp_headers_is_host(struct kp_text text);
/* Punycode beyond ASCII; a port stays.  Upstream: httpguts.PunycodeHostPort. */
struct kp_text kp_headers_ascii_host(struct kp_scratch *scratch, struct kp_text text);

/* RFC 9110: a byte of a token, as names are; the bytes of a value, no control but the tab. */
bool kp_headers_is_token_byte(char c);
bool kp_headers_is_value(struct kp_text text);
/* Xx-Yy; what is no token stays.  Upstream: net/textproto CanonicalMIMEHeaderKey. */
struct kp_text kp_headers_canonical_name(struct kp_scratch *scratch, struct kp_text name);
/* First value of a canonical key; bytes NULL: there is none. */
struct kp_text kp_headers_get(const struct kp_headers *headers, const char *key);
/* Does a comma-separated list hold that token, in any case?  Upstream: httpguts
 * HeaderValuesContainsToken. */
bool kp_headers_list_has_token(struct kp_text list, const char *token);
/* Does the first value of a canonical key, between blanks and commas?  Upstream: Go, net/http
 * hasToken. */
bool kp_headers_first_has_token(const struct kp_headers *headers, const char *key,
                                const char *token);

/* What one request adds to the headers of the first one. */
struct kp_hop {
    struct kp_text host;          /* for the Host line, not yet cleaned */
    struct kp_text referer;       /* empty: none */
    struct kp_text authorization; /* from the URL's user; empty: none */
    bool without_body_headers;    /* after 301, 302 and 303 */
    bool without_secrets;         /* Authorization, Cookie and their like */
};

/* Is gzip offered for the kubelet's own sake?  Then its replies are unpacked.  P-174. */
bool kp_headers_ask_for_gzip(const struct kp_headers *headers, const struct kp_profile *profile);
/*
 * The headers of a request, in the order in which HTTP/1 has them; the first is Host.
 *
 * Returns:  in the scratch, which remembers where there is no memory.
 */
struct kp_headers kp_headers_of_hop(const struct kp_headers *headers, struct kp_scratch *scratch,
                                    const struct kp_profile *profile, const struct kp_hop *hop);
/* A whole GET of HTTP/1.1 with them; nothing where there is no memory.  Upstream: Go, net/http
 * request.go write. */
struct kp_text kp_headers_request(struct kp_scratch *scratch, struct kp_text target,
                                  const struct kp_headers *headers);
