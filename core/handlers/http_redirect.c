/*
 * http_redirect.c: what the head of a reply leads to: how much of its body is read, or another
 * request.
 *
 * Upstream: pkg/probe/http/http.go RedirectChecker; Go, net/http client.go redirectBehavior.
 */
#include "http.h"

#define SLURP_BYTES_MAX 2048 /* of the body of a redirect that is followed */

/* Other codes from 300 to 399 are never followed (P-100), nor these without Location (P-101). */
static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* A Location that cannot be parsed fails the attempt (P-102). */
static void refuse_location(struct kp_http *http, struct kp_text location, struct kp_message *why)
{
    struct kp_text cause = kp_scratch_message(http->reply.scratch, why);

    http->reply.refused = true;
    kp_message_add(&http->reply.why, KP_TEXT("failed to parse Location header "));
    kp_message_add_quoted(&http->reply.why, location);
    kp_message_add(&http->reply.why, KP_TEXT(": "));
    kp_message_add(&http->reply.why, cause);
}

/* Is this reply to be followed (P-098)?  Not to another host (P-099), nor after the tenth request
 * (P-010).  Sets `follows` and `next`, or refuses the reply, whose location is no URL. */
static void look_for_redirect(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_http_reply *reply = &http->reply;
    struct kp_message why = {0};
    struct kp_url location;

    if (!is_redirect(reply->status))
        return;
    if (reply->location.len == 0) {
        if (flight->attempt.profile->with_go_119 || reply->status >= 307)
            return;
        reply->refused = true;
        kp_message_add_int(&reply->why, reply->status);
        kp_message_add(&reply->why, KP_TEXT(" response missing Location header"));
        return;
    }
    if (!kp_url_parse(&flight->scratch, flight->attempt.profile, reply->location, &location,
                      &why)) {
        refuse_location(http, reply->location, &why);
        return;
    }
    kp_url_resolve(&flight->scratch, flight->attempt.profile, &http->url, &location, &http->next);
    http->follows = kp_text_equal(kp_url_hostname(&http->next), kp_url_hostname(&http->url));
    if (location.scheme.len > 0 || kp_text_equal(http->hop.host, http->url.host))
        http->hop.host = KP_TEXT("");
}

/* P-108: in 1.15 there was no limit; here it is what an exec's output has there too. */
static size_t body_bytes_max(const struct kp_flight *flight)
{
    return flight->attempt.profile->body_limited ? KP_HTTP_BODY_BYTES_MAX
                                                 : KP_HTTP_BODY_BYTES_UNLIMITED;
}

/* Of the body of a redirect that is followed Go reads a little, or nothing where it is long; how
 * long one is that it unpacks it does not know. */
static size_t bytes_wanted(const struct kp_flight *flight, bool unpacks)
{
    const struct kp_http *http = flight->state;

    if (!http->follows)
        return body_bytes_max(flight);
    return http->reply.content_length > SLURP_BYTES_MAX && !unpacks ? 0 : SLURP_BYTES_MAX;
}

bool kp_http_take_head(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    bool unpacks =
        http->reply.has_gzip && kp_headers_ask_for_gzip(&http->headers, flight->attempt.profile);

    flight->result.code = http->reply.status;
    look_for_redirect(flight);
    kp_http_body_init(&http->body, &flight->scratch, bytes_wanted(flight, unpacks));
    return !unpacks || kp_http_body_unpack(&http->body);
}

/* refererForURL (P-103): not from https to http; from Go 1.21 on the first one that the pod sets
 * is kept. */
static struct kp_text referer(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_text own = kp_headers_get(&http->headers, "Referer");

    if (kp_text_equal(http->url.scheme, KP_TEXT("https")) &&
        kp_text_equal(http->next.scheme, KP_TEXT("http")))
        return KP_TEXT("");
    if (flight->attempt.profile->with_go_121 && own.len > 0)
        return own;
    return kp_url_text(&flight->scratch, &http->url, KP_URL_NO_USER);
}

/* Up to Go 1.20 secrets do not go from one port to another (shouldCopyHeaderOnRedirect, to which
 * they are parts of the address); from there on they go again. */
void kp_http_turn(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    http->hop.without_secrets =
        !flight->attempt.profile->with_go_121 &&
        !kp_text_equal(kp_url_dialled_port(&http->next), kp_url_dialled_port(&http->url));
    http->hop.without_body_headers |=
        flight->attempt.profile->redirect_drops_body_headers && http->reply.status < 307;
    http->hop.referer = referer(flight);
    http->url = http->next;
}
