/* http_exchange.c: one request and its reply: HTTP/1 or 2, on a connection of its own. */
#include "http.h"
#include "http2_head.h"

#include <string.h>

static void show(struct kp_flight *flight, enum kp_wire direction, struct kp_text bytes)
{
    if (flight->attempt.wire)
        flight->attempt.wire(flight->attempt.ctx, direction, bytes);
}

static bool has_enough(const struct kp_http *http)
{
    return http->body.len >= http->body.limit;
}

static enum kp_exchange break_body(struct kp_http *http, struct kp_text why)
{
    http->broken = why;
    return KP_EXCHANGE_BAD;
}

/* Where its coding is not over it breaks off. */
static enum kp_exchange end_body(struct kp_http *http)
{
    return kp_http_body_is_whole(&http->body) ? KP_EXCHANGE_OVER
                                              : break_body(http, KP_TEXT("unexpected EOF"));
}

/* ---- HTTP/1 ---------------------------------------------------------------------------------- */

/* Some of the body.  Go reads no further than the kubelet wants: behind that nothing is wrong any
 * more, but for what came together with the last byte of a chunk that ends just there. */
static enum kp_exchange take_data(struct kp_http *http, struct kp_text data)
{
    size_t before = http->body.len;
    const char *why = NULL;

    if (kp_http_body_take(&http->body, data, &why) == KP_HTTP_BODY_BAD)
        return break_body(http, kp_text_of(why));
    return has_enough(http) && http->body.len - before != data.len ? KP_EXCHANGE_OVER
                                                                   : KP_EXCHANGE_ON;
}

static enum kp_exchange take_head(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;

    if (!kp_http_take_head(flight))
        return KP_EXCHANGE_DRY;
    return http->reply.refused ? KP_EXCHANGE_BAD : KP_EXCHANGE_ON;
}

static enum kp_exchange take_step(struct kp_flight *flight, enum kp_http1_step step,
                                  struct kp_text data)
{
    struct kp_http *http = flight->state;

    switch (step) {
    case KP_HTTP1_HEAD:
        return take_head(flight);
    case KP_HTTP1_DATA:
        return take_data(http, data);
    case KP_HTTP1_END:
        return end_body(http);
    case KP_HTTP1_BROKEN:
        return break_body(http, data);
    case KP_HTTP1_REFUSED:
        return KP_EXCHANGE_BAD;
    case KP_HTTP1_NO_MEMORY:
        return KP_EXCHANGE_DRY;
    default:
        return http->reply.complete && has_enough(http) ? KP_EXCHANGE_OVER : KP_EXCHANGE_ON;
    }
}

/* The connection has ended, which may be the end of the reply, or broken. */
static enum kp_http1_step end_http1(struct kp_http *http, struct kp_text *data)
{
    return http->conn.fault == KP_FAULT_END ? kp_http1_end(&http->http1, data)
                                            : kp_http1_break(&http->http1, data);
}

/* bytes:    NULL: nothing more comes. */
static enum kp_exchange take_http1(struct kp_flight *flight, struct kp_text *bytes)
{
    struct kp_http *http = flight->state;
    struct kp_text data = KP_TEXT("");
    enum kp_exchange exchange;
    enum kp_http1_step step;

    do {
        step = bytes ? kp_http1_take(&http->http1, bytes, &data) : end_http1(http, &data);
        exchange = take_step(flight, step, data);
    } while (exchange == KP_EXCHANGE_ON && step != KP_HTTP1_MORE);
    return flight->scratch.failed ? KP_EXCHANGE_DRY : exchange;
}

/* ---- HTTP/2 ---------------------------------------------------------------------------------- */

/* Behind the body they are trailers. */
static void on_head(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (!http->reply.complete) {
        if (!http->reply.refused)
            kp_http_reply_begin(&http->reply);
        return;
    }
    if (!http->trailers)
        http->trailers = kp_scratch_alloc(&flight->scratch, sizeof *http->trailers);
    if (http->trailers)
        kp_http_reply_init(http->trailers, &flight->scratch, flight->attempt.profile);
}

static void on_field(struct kp_flight *flight, struct kp_text name, struct kp_text value)
{
    struct kp_http *http = flight->state;

    if (!http->reply.complete)
        kp_http2_head_field(&http->reply, name, value);
    else if (http->trailers)
        kp_http2_head_field(http->trailers, name, value);
}

static void on_head_ended(struct kp_flight *flight, bool is_last)
{
    struct kp_http *http = flight->state;

    if (http->reply.complete) {
        if (http->trailers && http->broken.len == 0 && !has_enough(http))
            http->broken = kp_http2_trailers_end(http->trailers, is_last);
        return;
    }
    if (!kp_http2_head_end(&http->reply, is_last) || !http->reply.complete)
        return;
    if (!kp_http_take_head(flight))
        kp_flight_out_of_memory(flight);
}

static void on_data_ended(struct kp_flight *flight)
{
    struct kp_http_reply *reply = &((struct kp_http *)flight->state)->reply;

    if (reply->complete || reply->refused)
        return;
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT("stream error: stream ID 1; PROTOCOL_ERROR"));
}

/* Of more than was announced the rest is nobody's, and an error.  DATA before a head is refused at
 * its end. */
static void on_data(struct kp_flight *flight, struct kp_text data)
{
    struct kp_http *http = flight->state;
    const struct kp_http_reply *reply = &http->reply;
    uint64_t left = (uint64_t)reply->content_length - http->body_came;
    bool is_more = reply->content_length >= 0 && data.len > left;
    const char *why = NULL;

    if (http->broken.len > 0 || has_enough(http))
        return;
    if (is_more)
        data.len = (size_t)left;
    http->body_came += data.len;
    if (kp_http_body_take(&http->body, data, &why) == KP_HTTP_BODY_BAD)
        http->broken = kp_text_of(why);
    else if (is_more && !has_enough(http))
        http->broken =
            KP_TEXT("net/http: server replied with more than declared Content-Length; truncated");
}

static enum kp_exchange end_stream(struct kp_http *http)
{
    bool is_short =
        http->reply.content_length > 0 && http->body_came < (uint64_t)http->reply.content_length;

    return is_short ? break_body(http, KP_TEXT("unexpected EOF")) : end_body(http);
}

static enum kp_exchange look_at_stream(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (flight->done)
        return KP_EXCHANGE_DRY;
    if (http->reply.refused || http->broken.len > 0)
        return KP_EXCHANGE_BAD;
    if (http->reply.complete && has_enough(http))
        return KP_EXCHANGE_OVER;
    if (http->http2->end == KP_HTTP2_CLOSED)
        return end_stream(http);
    return http->http2->end == KP_HTTP2_OPEN ? KP_EXCHANGE_ON : KP_EXCHANGE_BAD;
}

/* The host that is asked for, as it was given.  HTTP/1 sends it cleaned. */
static struct kp_text authority(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;

    return kp_headers_ascii_host(&flight->scratch,
                                 http->hop.host.len > 0 ? http->hop.host : http->url.host);
}

/* Those of a connection of HTTP/1 do not go, nor those that have a place of their own; of a
 * User-Agent the first value, where it is not empty.  In any letters, if only Go's h2 asks. */
static bool goes(const struct kp_headers *headers, size_t at)
{
    static const char *const stay[] = {
        "Host",    "Content-Length",   "Connection", "Transfer-Encoding",
        "Upgrade", "Proxy-Connection", "Keep-Alive", NULL};
    struct kp_text key = headers->items[at].key;

    for (size_t i = 0; stay[i]; i++)
        if (kp_text_equal_any_case(key, stay[i]))
            return false;
    return !kp_text_equal_any_case(key, "User-Agent") ||
           (headers->items[at].value.len > 0 && !kp_text_equal(headers->items[at - 1].key, key));
}

static struct kp_text in_small_letters(struct kp_scratch *scratch, struct kp_text key)
{
    struct kp_buf buf = kp_scratch_buf(scratch, key.len);

    for (size_t i = 0; i < key.len; i++) {
        char c = key.bytes[i];

        kp_buf_put_char(&buf, c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c);
    }
    return kp_buf_text(&buf);
}

/* Where there is no room for it it is counted alone. */
static void add_field(struct kp_http2_request *request, struct kp_text name, struct kp_text value)
{
    if (request->fields)
        request->fields[request->count] = kp_http2_field(name, value);
    request->count++;
}

/* A cookie's pairs are fields of their own. */
static void add_cookies(struct kp_http2_request *request, struct kp_text value)
{
    const struct kp_text name = KP_TEXT("cookie");
    const char *semicolon;

    while (value.len > 0 && (semicolon = memchr(value.bytes, ';', value.len))) {
        size_t len = (size_t)(semicolon - value.bytes);

        add_field(request, name, (struct kp_text){value.bytes, len});
        do
            len++;
        while (len < value.len && value.bytes[len] == ' ');
        value = kp_text_from(value, len);
    }
    if (value.len > 0)
        add_field(request, name, value);
}

/* Upstream: x/net, http2 transport.go encodeHeaders. */
static void add_fields(struct kp_flight *flight, struct kp_http2_request *request)
{
    struct kp_http *http = flight->state;

    request->count = 0;
    add_field(request, KP_TEXT(":authority"), authority(flight));
    add_field(request, KP_TEXT(":method"), KP_TEXT("GET"));
    add_field(request, KP_TEXT(":path"), http->target);
    add_field(request, KP_TEXT(":scheme"), http->url.scheme);
    for (size_t i = 0; i < http->sent.count; i++) {
        const struct kp_header *header = &http->sent.items[i];

        if (kp_text_equal_any_case(header->key, "Cookie"))
            add_cookies(request, header->value);
        else if (goes(&http->sent, i))
            add_field(request, in_small_letters(&flight->scratch, header->key), header->value);
    }
}

static bool make_fields(struct kp_flight *flight, struct kp_http2_request *request)
{
    add_fields(flight, request);
    request->fields = kp_scratch_alloc(&flight->scratch, request->count * sizeof *request->fields);
    if (request->fields)
        add_fields(flight, request);
    return !flight->scratch.failed;
}

/* The values of a key as Go prints a list: ["a" "b"].  Returns: how many there are. */
static size_t put_values(struct kp_buf *buf, const struct kp_headers *headers, const char *key)
{
    size_t count = 0;

    kp_buf_put_char(buf, '[');
    for (size_t i = 0; i < headers->count; i++) {
        if (!kp_text_equal(headers->items[i].key, kp_text_of(key)))
            continue;
        if (count++ > 0)
            kp_buf_put_char(buf, ' ');
        kp_buf_put_quoted(buf, headers->items[i].value);
    }
    kp_buf_put_char(buf, ']');
    return count;
}

static void refuse_header(struct kp_flight *flight, const char *key)
{
    struct kp_http *http = flight->state;
    struct kp_message *why = &http->reply.why;
    struct kp_buf values = {0};

    put_values(&values, &http->headers, key);
    values = kp_scratch_buf(&flight->scratch, values.need);
    put_values(&values, &http->headers, key);
    http->reply.refused = true;
    kp_message_add(why, KP_TEXT("http2: invalid "));
    kp_message_add(why, kp_text_of(key));
    kp_message_add(why, KP_TEXT(" request header: "));
    kp_message_add(why, kp_buf_text(&values));
}

static bool check_host(struct kp_flight *flight, const char *error)
{
    struct kp_http_reply *reply = &((struct kp_http *)flight->state)->reply;

    if (kp_headers_is_host(authority(flight)))
        return true;
    reply->refused = true;
    kp_message_add(&reply->why, kp_text_of(error));
    return false;
}

static bool is_chunked(struct kp_text value)
{
    return kp_text_equal(value, KP_TEXT("chunked"));
}

static bool is_close_or_keep_alive(struct kp_text value)
{
    return kp_text_equal_any_case(value, "close") || kp_text_equal_any_case(value, "keep-alive");
}

/* P-113: what is said of the connection has no place in HTTP/2, but for one value that says what it
 * does anyway.  Upstream: x/net, http2 transport.go checkConnHeaders. */
static bool check_request(struct kp_flight *flight)
{
    static const struct {
        const char *key;
        bool (*is_fine)(struct kp_text value); /* NULL: none is, and the first alone counts */
    } rows[] = {{"Upgrade", NULL},
                {"Transfer-Encoding", is_chunked},
                {"Connection", is_close_or_keep_alive}};
    const struct kp_headers *headers = &((struct kp_http *)flight->state)->headers;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text first = kp_headers_get(headers, rows[i].key);
        struct kp_buf ignored = {0};
        bool several = put_values(&ignored, headers, rows[i].key) > 1;
        bool fine = first.len == 0 || (rows[i].is_fine && rows[i].is_fine(first));

        if (fine && !(several && rows[i].is_fine))
            continue;
        refuse_header(flight, rows[i].key);
        return false;
    }
    return !flight->attempt.profile->authority_checked ||
           check_host(flight, "http2: invalid Host header");
}

static const struct kp_http2_user stream_user = {on_head, on_field,      on_head_ended,
                                                 on_data, on_data_ended, false};

/* ---- the connection -------------------------------------------------------------------------- */

static enum kp_exchange open_http2(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_http2_request request = {0};

    if (!check_request(flight))
        return KP_EXCHANGE_BAD;
    http->http2 = kp_scratch_alloc(&flight->scratch, sizeof *http->http2);
    return http->http2 && make_fields(flight, &request) &&
                   kp_http2_begin(http->http2, flight, &http->conn, &stream_user, &request)
               ? KP_EXCHANGE_ON
               : KP_EXCHANGE_DRY;
}

/* P-119.  Over TLS the server chooses. */
static bool is_http2_alone(const struct kp_flight *flight)
{
    const struct kp_http_get_action *action = flight->attempt.probe->handler.http_get;

    return kp_text_equal(action->protocol, KP_TEXT("HTTP2")) &&
           flight->attempt.profile->gates[KP_GATE_H2CContainerProbe];
}

enum kp_exchange kp_http_opened(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    const struct kp_profile *profile = flight->attempt.profile;
    struct kp_text request;

    http->in_http2 = http->conn.tls ? kp_conn_is_http2(&http->conn) : is_http2_alone(flight);
    if (http->in_http2)
        return open_http2(flight);
    if (profile->host_header_checked && !profile->bad_host_header_emptied &&
        !check_host(flight, "http: invalid Host header"))
        return KP_EXCHANGE_BAD;
    request = kp_headers_request(&flight->scratch, http->target, &http->sent);
    if (flight->scratch.failed)
        return KP_EXCHANGE_DRY;
    show(flight, KP_WIRE_SENT, request);
    kp_conn_send(&http->conn, request);
    return KP_EXCHANGE_ON;
}

enum kp_exchange kp_http_received(struct kp_flight *flight, struct kp_text bytes)
{
    struct kp_http *http = flight->state;

    if (http->in_http2) {
        kp_http2_take(http->http2, bytes);
        return look_at_stream(flight);
    }
    show(flight, KP_WIRE_RECEIVED, bytes);
    return take_http1(flight, &bytes);
}

void kp_http_was_sent(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (http->http2)
        kp_http2_was_sent(http->http2);
}

enum kp_exchange kp_http_ended(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    enum kp_exchange exchange = KP_EXCHANGE_ON;

    if (http->conn.state == KP_CONN_OPEN && !http->in_http2)
        exchange = take_http1(flight, NULL);
    return exchange == KP_EXCHANGE_ON ? KP_EXCHANGE_BAD : exchange;
}

/* Such a request must not become one of HTTP/2.  Upstream: Go, net/http requiresHTTP1. */
static bool upgrades(const struct kp_http *http)
{
    struct kp_text upgrade = kp_headers_get(&http->headers, "Upgrade");

    return kp_text_equal_any_case(upgrade, "websocket") &&
           kp_headers_first_has_token(&http->headers, "Connection", "upgrade");
}

bool kp_http_is_tls(const struct kp_http *http)
{
    return kp_text_equal(http->url.scheme, KP_TEXT("https"));
}

bool kp_http_exchange(struct kp_flight *flight, const struct kp_conn_user *user)
{
    struct kp_http *http = flight->state;

    http->body_came = 0;
    http->broken = KP_TEXT("");
    kp_http_reply_init(&http->reply, &flight->scratch, flight->attempt.profile);
    kp_http1_init(&http->http1, &http->reply, flight->scratch.mem);
    return kp_conn_dial(&http->conn, flight, user, kp_http_is_tls(http),
                        upgrades(http) ? KP_ALPN_NONE : KP_ALPN_HTTP);
}

void kp_http_hang_up(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    kp_conn_close(&http->conn);
    kp_http1_deinit(&http->http1);
    kp_http_body_deinit(&http->body);
    if (http->http2)
        kp_http2_end(http->http2);
    http->http2 = NULL;
}
