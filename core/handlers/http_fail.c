/*
 * http_fail.c: what Go says when an HTTP exchange fails.
 *
 * Upstream: Go, net/http client.go, transport.go.
 */
#include "http.h"

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
    kp_message_add(&message, kp_scratch_say(&flight->scratch, cause));
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

/* P-118. */
void kp_http_err_body(struct kp_flight *flight, const char *text)
{
    struct kp_message message = {0};

    kp_message_add(&message, kp_text_of(text));
    err_with(flight, &message);
}

#define RECORD_HEAD_BYTES 5 /* of TLS; and "HTTP/" */

/* P-115. */
static bool looks_like_http(const struct kp_transfer *transfer)
{
    return memcmp(transfer->first, "HTTP/", RECORD_HEAD_BYTES) == 0;
}

/* Upstream: Go, crypto/tls alert.go. */
static const char *alert_text(int alert)
{
    static const struct {
        int alert;
        const char *text;
    } rows[] = {
        {10, "unexpected message"},
        {20, "bad record MAC"},
        {21, "decryption failed"},
        {22, "record overflow"},
        {30, "decompression failure"},
        {40, "handshake failure"},
        {42, "bad certificate"},
        {43, "unsupported certificate"},
        {44, "revoked certificate"},
        {45, "expired certificate"},
        {46, "unknown certificate"},
        {47, "illegal parameter"},
        {48, "unknown certificate authority"},
        {49, "access denied"},
        {50, "error decoding message"},
        {51, "error decrypting message"},
        {60, "export restriction"},
        {70, "protocol version not supported"},
        {71, "insufficient security level"},
        {80, "internal error"},
        {86, "inappropriate fallback"},
        {90, "user canceled"},
        {100, "no renegotiation"},
        {109, "missing extension"},
        {110, "unsupported extension"},
        {112, "unrecognized name"},
        {113, "bad certificate status response"},
        {115, "unknown PSK identity"},
        {116, "certificate required"},
        {120, "no application protocol"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].alert == alert)
            return rows[i].text;
    return NULL;
}

/* An alert; of what else is wrong with what came, Go has words of its own. */
static void fail_record(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    const char *text = alert_text(http->transfer.alert);
    struct kp_message why = {0};

    kp_message_add(&why, KP_TEXT("remote error: tls: "));
    if (text || http->transfer.alert == 0) {
        kp_message_add(&why, kp_text_of(text ? text : "handshake failure"));
    } else {
        kp_message_add(&why, KP_TEXT("alert("));
        kp_message_add_int(&why, http->transfer.alert);
        kp_message_add(&why, KP_TEXT(")"));
    }
    if (http->transfer.alert == 0)
        flight->result.class_word = "tls";
    kp_http_fail(flight, &why);
}

/* Is it a record of those with which a server begins?  Upstream: Go, crypto/tls conn.go
 * readRecordOrCCS. */
static bool looks_like_tls(const struct kp_transfer *transfer)
{
    return (transfer->first[0] == 21 || transfer->first[0] == 22) &&
           (unsigned char)transfer->first[1] < 0x10;
}

/*
 * The connection ended, in order or not: libcurl's words for that.  An alert that is only a warning
 * Go reads over, as OpenSSL does.
 */
static const char *end_of_handshake(const struct kp_transfer *transfer)
{
    if (strstr(transfer->words, "SSL_ERROR_ZERO_RETURN"))
        return "EOF";
    if (!strstr(transfer->words, "SSL_ERROR_SYSCALL"))
        return NULL;
    return transfer->alert ? "EOF" : "unexpected EOF";
}

/* Not a byte came; of a reset that it has seen libcurl has only its words. */
static void fail_silent(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};

    if (http->transfer.read_error == 0 && !strstr(http->transfer.words, "reset by peer")) {
        kp_http_fail_text(flight, "EOF");
        return;
    }
    kp_dial_add_read_error(&why, &flight->scratch, &http->transfer);
    kp_http_fail(flight, &why);
}

static void fail_handshake(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (http->transfer.first_len == 0)
        fail_silent(flight);
    else if (http->transfer.first_len < RECORD_HEAD_BYTES)
        kp_http_fail_text(flight, "unexpected EOF");
    else if (looks_like_http(&http->transfer))
        kp_http_fail_text(flight, "http: server gave HTTP response to HTTPS client");
    else if ((unsigned char)http->transfer.first[0] == 0x80)
        kp_http_fail_text(flight, "tls: unsupported SSLv2 handshake received");
    else if (!looks_like_tls(&http->transfer))
        kp_http_fail_text(flight, "tls: first record does not look like a TLS handshake");
    else if (end_of_handshake(&http->transfer))
        kp_http_fail_text(flight, end_of_handshake(&http->transfer));
    else
        fail_record(flight);
}

/* What libcurl refuses of what Go might not. P-116. */
static void fail_malformed(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};

    flight->result.class_word = "malformed"; /* how much of it Go quotes is not known */
    kp_message_add(&why, KP_TEXT(KP_HTTP_BROKEN "malformed HTTP response "));
    kp_message_add_quoted(&why, (struct kp_text){http->transfer.first, http->transfer.first_len});
    kp_http_fail(flight, &why);
}

/* Was it asked in HTTP/2?  Without TLS no reply is waited for then. */
static bool is_http2(const struct kp_http *http)
{
    return http->transfer.hold == KP_HOLD_NONE || kp_transfer_is_http2(&http->transfer);
}

static void fail_stream(struct kp_flight *flight)
{
    kp_http_fail_text(flight, "stream error: stream ID 1; INTERNAL_ERROR; received from peer");
}

bool kp_http_is_tls(const struct kp_http *http)
{
    return kp_text_equal(http->url.scheme, KP_TEXT("https"));
}

/* Before the head was complete. */
void kp_http_fail_head(struct kp_flight *flight, CURLcode code)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};
    int error = 0;

    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
        kp_dial_add_error(&why, &flight->scratch, &http->dial, &http->transfer);
        kp_http_fail(flight, &why);
        return;
    case CURLE_GOT_NOTHING:
        if (http->transfer.first_len > 0 && http->reply.status == 0)
            break;
        flight->result.class_word = "closed";
        kp_http_fail_text(flight, "EOF");
        return;
    case CURLE_SSL_CONNECT_ERROR:
        fail_handshake(flight);
        return;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        error = kp_transfer_errno(&http->transfer);
        if (error == 0 && kp_http_is_tls(http)) {
            fail_record(flight);
            return;
        }
        if (error == 0)
            break; /* a line longer than libcurl takes */
        kp_dial_add_read_error(&why, &flight->scratch, &http->transfer);
        kp_http_fail(flight, &why);
        return;
    case CURLE_OK:
    case CURLE_PARTIAL_FILE:
        flight->result.class_word = "closed"; /* or a reset, as it happens */
        kp_http_fail_text(flight, KP_HTTP_BROKEN "unexpected EOF");
        return;
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        fail_stream(flight);
        return;
    default:
        break;
    }
    if (is_http2(http))
        fail_stream(flight);
    else
        fail_malformed(flight);
}

/* While the body was read. */
void kp_http_err_in_body(struct kp_flight *flight, CURLcode code)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};
    int error = kp_transfer_errno(&http->transfer);

    if (http->broken)
        kp_message_add(&why, kp_text_of(http->broken));
    else if (code == CURLE_RECV_ERROR && error != 0)
        kp_dial_add_read_error(&why, &flight->scratch, &http->transfer);
    else if (code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM)
        kp_message_add(&why,
                       KP_TEXT("stream error: stream ID 1; INTERNAL_ERROR; received from peer"));
    else
        kp_message_add(&why, KP_TEXT("unexpected EOF"));
    err_with(flight, &why);
}
