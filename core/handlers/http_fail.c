/*
 * http_fail.c: what Go says when an HTTP exchange fails.
 *
 * Upstream: Go, net/http client.go, transport.go.
 */
#include "http.h"

#include "../base/quote.h"

#include <errno.h>
#include <openssl/ssl3.h>
#include <string.h>

/* `Get "<url>": `, the URL unquoted up to Go 1.13 (P-117). */
void kp_http_add_wrapper(struct kp_flight *flight, struct kp_message *message, struct kp_text url)
{
    kp_message_add(message, KP_TEXT("Get "));
    if (flight->attempt.profile->error_url_quoted)
        kp_message_add_quoted(message, url);
    else
        kp_message_add(message, url);
    kp_message_add(message, KP_TEXT(": "));
}

/* A failure of the client, which is one of the probe (P-107). */
void kp_http_fail(struct kp_flight *flight, const struct kp_message *cause)
{
    struct kp_http *http = flight->state;
    struct kp_message message = {0};

    kp_http_add_wrapper(flight, &message, kp_url_text(&flight->scratch, &http->url, KP_URL_MASKED));
    kp_message_add(&message, kp_scratch_message(&flight->scratch, cause));
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

void kp_http_fail_text(struct kp_flight *flight, const char *cause)
{
    struct kp_message message = {0};

    kp_message_add(&message, kp_text_of(cause));
    kp_http_fail(flight, &message);
}

/* P-109: a body that cannot be read is an error beside a failure. */
static void err_with(struct kp_flight *flight, const struct kp_message *message)
{
    kp_flight_finish(flight, KP_ANSWER_BROKEN, message);
}

/* A body that cannot be read is an error with Go's text (P-118). */
void kp_http_err_body(struct kp_flight *flight, const char *text)
{
    struct kp_message message = {0};

    kp_message_add(&message, kp_text_of(text));
    err_with(flight, &message);
}

/* Upstream: Go, crypto/tls alert.go. */
static const char *alert_text(const struct kp_profile *profile, int alert)
{
    static const struct {
        int alert;
        const char *text;
        bool later; /* than Go 1.13 */
    } rows[] = {
        {10, "unexpected message", false},
        {20, "bad record MAC", false},
        {21, "decryption failed", false},
        {22, "record overflow", false},
        {30, "decompression failure", false},
        {40, "handshake failure", false},
        {42, "bad certificate", false},
        {43, "unsupported certificate", false},
        {44, "revoked certificate", false},
        {45, "expired certificate", false},
        {46, "unknown certificate", false},
        {47, "illegal parameter", false},
        {48, "unknown certificate authority", false},
        {49, "access denied", false},
        {50, "error decoding message", false},
        {51, "error decrypting message", false},
        {60, "export restriction", true},
        {70, "protocol version not supported", false},
        {71, "insufficient security level", false},
        {80, "internal error", false},
        {86, "inappropriate fallback", false},
        {90, "user canceled", false},
        {100, "no renegotiation", false},
        {109, "missing extension", false},
        {110, "unsupported extension", false},
        {111, "certificate unobtainable", true},
        {112, "unrecognized name", true},
        {113, "bad certificate status response", true},
        {114, "bad certificate hash value", true},
        {115, "unknown PSK identity", true},
        {116, "certificate required", true},
        {120, "no application protocol", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].alert == alert && (profile->with_go_115 || !rows[i].later))
            return rows[i].text;
    return NULL;
}

/* Of another length, or of a level that there is none of. */
static bool is_odd_alert(const struct kp_tls *tls)
{
    return tls->head[0] == SSL3_RT_ALERT && tls->alert_level != SSL3_AL_FATAL;
}

static void add_hex(struct kp_flight *flight, struct kp_message *message, int value)
{
    struct kp_buf buf = kp_scratch_buf(&flight->scratch, 4);

    kp_buf_put_hex(&buf, (uint32_t)value,
                   value < 0x10     ? 1
                   : value < 0x100  ? 2
                   : value < 0x1000 ? 3
                                    : 4);
    kp_message_add(message, kp_buf_text(&buf));
}

/* Upstream: Go, crypto/tls conn.go readRecordOrCCS. */
static void add_version_error(struct kp_flight *flight, struct kp_message *why)
{
    const struct kp_tls *tls = ((struct kp_http *)flight->state)->conn.tls;

    kp_message_add(why, KP_TEXT("tls: received record with version "));
    add_hex(flight, why, tls->odd_version);
    kp_message_add(why, KP_TEXT(" when expecting version "));
    add_hex(flight, why, kp_tls_record_version(tls));
}

static void add_alert(struct kp_flight *flight, struct kp_message *why)
{
    const struct kp_tls *tls = ((struct kp_http *)flight->state)->conn.tls;
    const char *text = alert_text(flight->attempt.profile, tls->alert);

    if (tls->alert_level != SSL3_AL_FATAL) {
        flight->result.class_word = "tls";
        text = "handshake failure";
    }
    kp_message_add(why, KP_TEXT("remote error: tls: "));
    if (text) {
        kp_message_add(why, kp_text_of(text));
    } else {
        kp_message_add(why, KP_TEXT("alert("));
        kp_message_add_int(why, tls->alert);
        kp_message_add(why, KP_TEXT(")"));
    }
}

/* It was sent an alert, or does not like what came: of that Go has words of its own. */
static void add_record_error(struct kp_flight *flight, struct kp_message *why)
{
    const struct kp_tls *tls = ((struct kp_http *)flight->state)->conn.tls;

    if (tls->odd_version >= 0)
        add_version_error(flight, why);
    else if (is_odd_alert(tls))
        kp_message_add(why, KP_TEXT("local error: tls: unexpected message"));
    else if (tls->requested_anew)
        kp_message_add(why, KP_TEXT("local error: tls: no renegotiation"));
    else
        add_alert(flight, why);
}

/*
 * What is wrong with the head of a record that came before the server's hello; NULL: nothing.
 * P-115.  Upstream: Go, crypto/tls conn.go readRecordOrCCS.
 */
static const char *head_error(const struct kp_tls *tls)
{
    const unsigned char *head = tls->head;

    if (tls->record_bytes == 0)
        return NULL;
    if (memcmp(head, "HTTP/", KP_TLS_HEAD_BYTES) == 0)
        return "http: server gave HTTP response to HTTPS client";
    if (head[0] == 0x80)
        return "tls: unsupported SSLv2 handshake received";
    if ((head[0] != SSL3_RT_ALERT && head[0] != SSL3_RT_HANDSHAKE) || head[1] >= 0x10)
        return "tls: first record does not look like a TLS handshake";
    return NULL;
}

/* `read tcp ...: connection reset by peer`. */
static void add_read_error(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_conn *conn = &((struct kp_http *)flight->state)->conn;

    kp_dial_add_read_error(message, &flight->scratch, &conn->dial, conn->watch.fd, conn->error);
}

/* ---- HTTP/2 ---------------------------------------------------------------------------------- */

/* A GOAWAY came, and then the connection's end.  Upstream: x/net, http2 GoAwayError. */
static void add_goaway(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_http2 *http2 = ((struct kp_http *)flight->state)->http2;

    kp_message_add(message, KP_TEXT("http2: server sent GOAWAY and closed the connection; "
                                    "LastStreamID="));
    kp_message_add_int(message, http2->last_stream);
    kp_message_add(message, KP_TEXT(", ErrCode="));
    kp_http2_add_code(message, &flight->scratch, http2->away_code);
    kp_message_add(message, KP_TEXT(", debug=\"\""));
}

static void add_stream_error(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_http2 *http2 = ((struct kp_http *)flight->state)->http2;

    kp_message_add(message, KP_TEXT("stream error: stream ID 1; "));
    kp_http2_add_code(message, &flight->scratch, http2->code);
    if (http2->end == KP_HTTP2_RESET && flight->attempt.profile->with_go_116)
        kp_message_add(message, KP_TEXT("; received from peer"));
}

static void add_denial(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_http2 *http2 = ((struct kp_http *)flight->state)->http2;

    if (http2->code == NGHTTP2_NO_ERROR) {
        kp_message_add(message,
                       KP_TEXT("http2: Transport received Server's graceful shutdown GOAWAY"));
        return;
    }
    kp_message_add(message, KP_TEXT("http2: Transport received GOAWAY from server ErrCode:"));
    kp_http2_add_code(message, &flight->scratch, http2->code);
}

static void add_connection_error(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_http2 *http2 = ((struct kp_http *)flight->state)->http2;

    flight->result.class_word = "h2-stream"; /* what of a frame is wrong Go says in other words */
    kp_message_add(message, KP_TEXT("connection error: "));
    kp_http2_add_code(message, &flight->scratch, http2->code);
}

/* What became of the stream, or else of the connection. */
static void add_http2_error(struct kp_flight *flight, struct kp_message *message)
{
    const struct kp_http *http = flight->state;
    const struct kp_http2 *http2 = http->http2;

    if (http2->end == KP_HTTP2_RESET || http2->end == KP_HTTP2_STREAM_ERROR || http2->early_data)
        add_stream_error(flight, message);
    else if (http2->end == KP_HTTP2_DENIED)
        add_denial(flight, message);
    else if (http2->end == KP_HTTP2_BROKEN)
        add_connection_error(flight, message);
    else if (http2->went_away)
        add_goaway(flight, message);
    else if (http->conn.fault == KP_FAULT_READ)
        add_read_error(flight, message);
    else
        kp_message_add(message, KP_TEXT("unexpected EOF"));
}

/* In HTTP/1.  A reader of lines forgets what broke the connection, and finds its end; TLS alone
 * says the same once more, unless it was asked for another handshake.  Up to Go 1.17 that of the
 * line's end behind a chunk forgets it, too. */
static bool is_forgotten(const struct kp_http *http)
{
    const struct kp_tls *tls = http->conn.tls;
    const struct kp_http_chunks *chunks = http->http1.chunks;
    bool in_head = http->reply.in_head || http->http1.line_len > 0;
    bool behind_chunk = chunks && chunks->at == KP_CHUNK_DATA_END && !chunks->profile->with_go_118;

    return (in_head || behind_chunk) && (!tls || tls->requested_anew);
}

/* ---- before the head was complete ------------------------------------------------------------ */

static void fail_handshake(struct kp_flight *flight)
{
    const struct kp_conn *conn = &((struct kp_http *)flight->state)->conn;
    const char *error = head_error(conn->tls);
    struct kp_message why = {0};

    if (error) {
        kp_http_fail_text(flight, error);
    } else if (conn->fault == KP_FAULT_READ) {
        add_read_error(flight, &why);
        kp_http_fail(flight, &why);
    } else if (conn->fault == KP_FAULT_END || conn->fault == KP_FAULT_CUT) {
        kp_http_fail_text(flight, conn->fault == KP_FAULT_END ? "EOF" : "unexpected EOF");
    } else {
        add_record_error(flight, &why);
        kp_http_fail(flight, &why);
    }
}

/* In HTTP/1.  Go knows a connection that ended before anything came by another name. */
static void fail_http1(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    enum kp_conn_fault fault = http->conn.fault;
    bool is_first = !http->reply.in_head && http->reply.status == 0 && http->http1.line_len == 0;
    bool is_end = fault == KP_FAULT_END || fault == KP_FAULT_CUT || is_forgotten(http);
    struct kp_message why = {0};

    if (!is_first)
        kp_message_add(&why, KP_TEXT(KP_HTTP_BROKEN));
    if (is_end)
        flight->result.class_word = "closed"; /* or a reset, as it happens */
    if (is_end)
        kp_message_add(&why, is_first && fault == KP_FAULT_END ? KP_TEXT("EOF")
                                                               : KP_TEXT("unexpected EOF"));
    else if (fault == KP_FAULT_TLS)
        add_record_error(flight, &why);
    else
        add_read_error(flight, &why);
    kp_http_fail(flight, &why);
}

void kp_http_fail_head(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    const struct kp_conn *conn = &http->conn;
    struct kp_message why = {0};

    if (conn->fault == KP_FAULT_DIAL) {
        kp_dial_add_error(&why, &flight->scratch, &conn->dial, conn->error);
    } else if (conn->state == KP_CONN_HANDSHAKE) {
        fail_handshake(flight);
        return;
    } else if (!http->in_http2) {
        fail_http1(flight);
        return;
    } else if (conn->fault == KP_FAULT_TLS) {
        add_record_error(flight, &why);
    } else {
        add_http2_error(flight, &why);
    }
    kp_http_fail(flight, &why);
}

/* ---- while the body was read ----------------------------------------------------------------- */

void kp_http_err_in_body(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    struct kp_message why = {0};

    if (http->broken.len > 0)
        kp_message_add(&why, http->broken);
    else if (http->conn.fault == KP_FAULT_TLS)
        add_record_error(flight, &why);
    else if (http->in_http2)
        add_http2_error(flight, &why);
    else if (http->conn.fault == KP_FAULT_READ && !is_forgotten(http))
        add_read_error(flight, &why);
    else
        kp_message_add(&why, KP_TEXT("unexpected EOF"));
    err_with(flight, &why);
}
