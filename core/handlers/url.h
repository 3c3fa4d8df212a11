/*
 * url.h: URLs as Go's net/url reads and writes them: what a probe's path or a Location header
 * means.
 *
 * Texts of a URL are borrowed from what was parsed or from the scratch.  Upstream: Go, net/url.
 */
#pragma once

#include "core/rules/profile.h"
#include "scratch.h"

struct kp_url {
    struct kp_text scheme;
    struct kp_text opaque; /* encoded */
    bool has_user;
    bool has_password;
    struct kp_text username;
    struct kp_text password;
    struct kp_text host;     /* with port, brackets kept */
    struct kp_text path;     /* decoded */
    struct kp_text raw_path; /* as written, where encoding `path` gives something else */
    bool force_query;        /* there is a `?`, be it with nothing behind it */
    struct kp_text query;    /* encoded */
    struct kp_text fragment;
    struct kp_text raw_fragment; /* as written; this and raw_path decode to the two values */
    bool omit_host;              /* no `//` was written: behind a scheme it is scheme:/path */
};

/*
 * Parse a URL or a reference.
 *
 * text:     borrowed as long as the URL.
 * why:      gets Go's text where it is no URL: `parse "<text>": ...`.
 * Upstream: url.Parse.
 */
bool kp_url_parse(struct kp_scratch *scratch, const struct kp_profile *profile, struct kp_text text,
                  struct kp_url *url, struct kp_message *why);

/* A reference against a base that has a host, as one that was requested has; dot segments are
 * removed; out is neither of them.  Upstream: URL.ResolveReference. */
void kp_url_resolve(struct kp_scratch *scratch, const struct kp_profile *profile,
                    const struct kp_url *base, const struct kp_url *ref, struct kp_url *out);

/* How a URL's user information is written. */
enum kp_url_user {
    KP_URL_USER,   /* in full: URL.String */
    KP_URL_MASKED, /* the password as ***: what errors show (client.go stripPassword) */
    KP_URL_NO_USER /* left out: Referer */
};

/* Of a URL with a scheme or a host: before a colon in its path no `./` is put. Upstream:
 * URL.String. */
struct kp_text kp_url_text(struct kp_scratch *scratch, const struct kp_url *url,
                           enum kp_url_user user);
/* What stands between the method and the version; of a URL with a host, which is not opaque.
 * Upstream: URL.RequestURI. */
struct kp_text kp_url_request_uri(struct kp_scratch *scratch, const struct kp_url *url);

/* Without port and brackets. */
struct kp_text kp_url_hostname(const struct kp_url *url);
/* Digits, or empty. */
struct kp_text kp_url_port(const struct kp_url *url);
/* The port, or that of the scheme.  Upstream: Go, net/http canonicalAddr. */
struct kp_text kp_url_dialled_port(const struct kp_url *url);

/* Append the host, in brackets where it has a colon. */
void kp_put_host(struct kp_buf *buf, struct kp_text host);
/* Append host:port, the host in brackets where it has a colon.  Upstream: net.JoinHostPort. */
void kp_put_host_port(struct kp_buf *buf, struct kp_text host, int64_t port);
