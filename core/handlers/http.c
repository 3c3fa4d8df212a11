/*
 * http.c: the HTTP handler: what is requested, and what a reply means.  Redirects are followed
 * here, one exchange each.
 *
 * Upstream: pkg/probe/http/http.go DoHTTPProbe; Go, net/http client.go do.
 */
#include "http.h"

#include <string.h>

#define REQUESTS_MAX 10

static bool send_request(struct kp_flight *flight);

/* ---- ends ------------------------------------------------------------------------------------ */

static struct kp_text body_of(const struct kp_http *http)
{
    return (struct kp_text){http->body.bytes, http->body.len};
}

/* What the status says, once the body is read (P-105); a warning has words of its own (P-104). */
static void judge(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_message message = {0};
    int status = http->reply.status;

    if (status >= 200 && status < 300) {
        kp_flight_finish_text(flight, KP_ANSWER_SUCCESS, body_of(http));
        return;
    }
    if (status >= 300 && status < 400) {
        if (flight->attempt.profile->warning_has_prefix)
            kp_message_add(&message, KP_TEXT("Probe terminated redirects, Response body: "));
        kp_message_add(&message, body_of(http));
        kp_flight_finish(flight, KP_ANSWER_WARNING, &message);
        return;
    }
    kp_message_add(&message, KP_TEXT("HTTP probe failed with statuscode: "));
    kp_message_add_int(&message, status);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* The next one, on another connection. */
static void request(struct kp_flight *flight)
{
    if (!send_request(flight))
        kp_flight_out_of_memory(flight);
}

static void follow(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_message message = {0};

    if (http->requests >= REQUESTS_MAX) {
        kp_http_add_wrapper(flight, &message, http->reply.location);
        kp_message_add(&message, KP_TEXT("stopped after 10 redirects"));
        kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
        return;
    }
    kp_http_turn(flight);
    request(flight);
}

/* The head is there and the body is as far as it is wanted. */
static void conclude(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    kp_http_hang_up(flight);
    if (http->follows)
        follow(flight);
    else
        judge(flight);
}

/* P-113: Go's client sends it again, on another connection, where the server says that it did not
 * hear. Upstream: x/net, http2 transport.go canRetryError, setGoAway. */
static bool is_sent_again(const struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    const struct kp_profile *profile = flight->attempt.profile;

    if (!http->http2 || http->reply.complete || http->reply.refused)
        return false;
    if (http->http2->end == KP_HTTP2_DENIED)
        return http->http2->code == NGHTTP2_NO_ERROR || !profile->goaway_error_is_final;
    if (http->http2->end != KP_HTTP2_RESET)
        return false;
    return http->http2->code == NGHTTP2_REFUSED_STREAM ||
           (http->http2->code == NGHTTP2_PROTOCOL_ERROR && profile->protocol_error_is_retried);
}

static void send_again(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    kp_http_hang_up(flight);
    http->requests--;
    request(flight);
}

/* It ended otherwise: the connection's fault, the stream's, or what the reply's `why` says. */
static void end_badly(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (is_sent_again(flight))
        send_again(flight);
    else if (http->reply.refused)
        kp_http_fail(flight, &http->reply.why);
    else if (!http->reply.complete)
        kp_http_fail_head(flight);
    else if (http->follows)
        conclude(flight);
    else
        kp_http_err_in_body(flight);
}

static void decide(struct kp_flight *flight, enum kp_exchange exchange)
{
    if (exchange == KP_EXCHANGE_OVER)
        conclude(flight);
    else if (exchange == KP_EXCHANGE_BAD)
        end_badly(flight);
    else if (exchange == KP_EXCHANGE_DRY)
        kp_flight_out_of_memory(flight);
}

static void opened(struct kp_flight *flight)
{
    decide(flight, kp_http_opened(flight));
}

static void received(struct kp_flight *flight, struct kp_text bytes)
{
    decide(flight, kp_http_received(flight, bytes));
}

static void ended(struct kp_flight *flight)
{
    decide(flight, kp_http_ended(flight));
}

static const struct kp_conn_user conn_user = {opened, received, kp_http_was_sent, ended};

/* ---- one request ----------------------------------------------------------------------------- */

static struct kp_text basic_authorization(struct kp_flight *flight)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const struct kp_http *http = flight->state;
    struct kp_buf plain;
    struct kp_buf buf;
    struct kp_text text;

    if (!http->url.has_user ||
        (kp_headers_get(&http->headers, "Authorization").len > 0 && !http->hop.without_secrets))
        return KP_TEXT("");
    plain = kp_scratch_buf(&flight->scratch, http->url.username.len + http->url.password.len + 1);
    kp_buf_put(&plain, http->url.username);
    kp_buf_put_char(&plain, ':');
    kp_buf_put(&plain, http->url.password);
    text = kp_buf_text(&plain);
    buf = kp_scratch_buf(&flight->scratch, text.len * 2 + 16);
    kp_buf_put(&buf, KP_TEXT("Basic "));
    for (size_t i = 0; i < text.len; i += 3) {
        uint32_t group = 0;

        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < text.len ? (unsigned char)text.bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            kp_buf_put_char(&buf, i + j > text.len ? '=' : digits[group >> (18 - 6 * j) & 63]);
    }
    return kp_buf_text(&buf);
}

/* What net/http refuses before it dials.  Upstream: transport.go roundTrip, client.go send. */
static bool check_request(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    bool is_http = kp_text_equal(http->url.scheme, KP_TEXT("http")) ||
                   kp_text_equal(http->url.scheme, KP_TEXT("https"));
    struct kp_message why = {0};

    if (!is_http) {
        kp_message_add(&why, KP_TEXT("unsupported protocol scheme "));
        kp_message_add_quoted(&why, http->url.scheme);
    } else if (kp_headers_check(&http->headers, flight->attempt.profile, &why) &&
               http->url.host.len == 0) {
        kp_message_add(&why, KP_TEXT("http: no Host in request URL"));
    }
    if (why.count == 0)
        return true;
    kp_http_fail(flight, &why);
    return false;
}

static bool make_request(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_hop hop = http->hop;

    hop.authorization = basic_authorization(flight);
    if (!kp_headers_has_host(flight->attempt.profile, hop.host))
        hop.host = http->url.host;
    http->sent = kp_headers_of_hop(&http->headers, &flight->scratch, flight->attempt.profile, &hop);
    http->target = kp_url_request_uri(&flight->scratch, &http->url);
    return !flight->scratch.failed;
}

/* false: no memory.  Whatever else is wrong with the request is a result. */
static bool send_request(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};

    http->requests++;
    http->follows = false;
    if (!check_request(flight))
        return true;
    if (!kp_dial_init(&http->conn.dial, &flight->scratch, flight->attempt.profile,
                      kp_url_hostname(&http->url), kp_url_dialled_port(&http->url), &why)) {
        kp_http_fail(flight, &why);
        return true;
    }
    return make_request(flight) && kp_http_exchange(flight, &conn_user);
}

/* ---- the first request ----------------------------------------------------------------------- */

/* A request that cannot be built (P-096), as of a host that makes no URL (P-092). */
static void fail_build(struct kp_flight *flight, const struct kp_message *why)
{
    kp_flight_finish(
        flight, flight->attempt.profile->build_error_is_error ? KP_ANSWER_ERROR : KP_ANSWER_FAILURE,
        why);
}

static struct kp_text scheme_of(struct kp_flight *flight)
{
    struct kp_text scheme = flight->attempt.probe->handler.http_get->scheme;
    struct kp_buf buf = kp_scratch_buf(&flight->scratch, scheme.len);

    if (scheme.len == 0)
        return flight->attempt.profile->build_error_is_error ? KP_TEXT("http") : scheme;
    for (size_t i = 0; i < scheme.len; i++) {
        char c = scheme.bytes[i];

        kp_buf_put_char(&buf, c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c);
    }
    return kp_buf_text(&buf);
}

/* formatURL, then what http.NewRequest makes of its text (P-093). E-012, P-091. */
static bool make_url(struct kp_flight *flight, int64_t port, struct kp_url *url,
                     struct kp_message *why)
{
    const struct kp_http_get_action *action = flight->attempt.probe->handler.http_get;
    struct kp_text host = action->host.len > 0 ? action->host : flight->attempt.pod_ip;
    struct kp_buf host_port = kp_scratch_buf(&flight->scratch, host.len + 24);
    struct kp_message ignored = {0};

    if (!kp_url_parse(&flight->scratch, flight->attempt.profile, action->path, url, &ignored))
        *url = (struct kp_url){.path = action->path};
    kp_put_host_port(&host_port, host, port);
    url->scheme = scheme_of(flight);
    url->host = kp_buf_text(&host_port);
    return kp_url_parse(&flight->scratch, flight->attempt.profile,
                        kp_url_text(&flight->scratch, url, KP_URL_USER), url, why);
}

/* It is the first that a flight has room for, so that there always is some. */
_Static_assert(sizeof(struct kp_http) <= KP_FLIGHT_ROOM - sizeof(max_align_t), "KP_FLIGHT_ROOM");

static bool begin(struct kp_flight *flight)
{
    struct kp_http *http = kp_scratch_alloc(&flight->scratch, sizeof *http);
    struct kp_message why = {0};
    int64_t port;

    flight->state = http;
    if (!kp_flight_resolve_port(flight, &flight->attempt.probe->handler.http_get->port, &port))
        return true;
    if (!make_url(flight, port, &http->url, &why)) {
        fail_build(flight, &why);
        return true;
    }
    kp_headers_init(&http->headers, &flight->scratch, flight->attempt.profile,
                    flight->attempt.probe->handler.http_get);
    http->hop.host = http->headers.host;
    return send_request(flight);
}

/* ---- the clock ------------------------------------------------------------------------------- */

static void wake(struct kp_flight *flight, int64_t now_ns)
{
    struct kp_http *http = flight->state;
    bool with_go_115 = flight->attempt.profile->with_go_115;

    if (now_ns < flight->deadline_ns) {
        if (http->conn.state == KP_CONN_HANDSHAKE)
            kp_http_fail_text(flight, "net/http: TLS handshake timeout");
        return;
    }
    if (http->reply.complete && !http->follows) {
        kp_http_err_body(
            flight,
            with_go_115
                ? "context deadline exceeded (Client.Timeout or context cancellation while reading "
                  "body)"
                : "net/http: request canceled (Client.Timeout exceeded while reading body)");
        return;
    }
    if (http->follows) /* its body stalled: the next request is too late */
        http->url = http->next;
    if (with_go_115)
        kp_http_fail_text(
            flight, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
    else if (http->follows || http->conn.state != KP_CONN_OPEN)
        kp_http_fail_text(flight, "net/http: request canceled while waiting for connection "
                                  "(Client.Timeout exceeded while awaiting headers)");
    else
        kp_http_fail_text(
            flight, "net/http: request canceled (Client.Timeout exceeded while awaiting headers)");
}

static void end(struct kp_flight *flight)
{
    if (flight->state)
        kp_http_hang_up(flight);
}

const struct kp_transport kp_transport_http = {begin, wake, end};
