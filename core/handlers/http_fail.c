/*
 * http_fail.c: what Go says when an HTTP exchange fails.
 *
 * Upstream: Go, net/http client.go, transport.go.
 */
#include "http.h"

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
static bool is_odd_alert(const struct kp_transfer *transfer)
{
    return transfer->handshake.head[0] == SSL3_RT_ALERT && transfer->alert_level != SSL3_AL_FATAL;
}

/* It was sent an alert, or does not like what came: of that Go has words of its own. */
static void fail_record(struct kp_flight *flight)
{
    const struct kp_transfer *transfer = &((struct kp_http *)flight->state)->transfer;
    const char *text = alert_text(flight->attempt.profile, transfer->alert);
    struct kp_message why = {0};

    if (is_odd_alert(transfer)) {
        kp_http_fail_text(flight, "local error: tls: unexpected message");
        return;
    }
    if (transfer->alert_level == 0) {
        flight->result.class_word = "tls";
        text = "handshake failure";
    }
    kp_message_add(&why, KP_TEXT("remote error: tls: "));
    if (text) {
        kp_message_add(&why, kp_text_of(text));
    } else {
        kp_message_add(&why, KP_TEXT("alert("));
        kp_message_add_int(&why, transfer->alert);
        kp_message_add(&why, KP_TEXT(")"));
    }
    kp_http_fail(flight, &why);
}

/*
 * What is wrong with the head of a record that came before the server's hello; NULL: nothing.
 * P-115.  Upstream: Go, crypto/tls conn.go readRecordOrCCS.
 */
static const char *head_error(const struct kp_handshake *handshake)
{
    const unsigned char *head = handshake->head;

    if (handshake->record_bytes == 0)
        return NULL;
    if (memcmp(head, "HTTP/", KP_RECORD_HEAD_BYTES) == 0)
        return "http: server gave HTTP response to HTTPS client";
    if (head[0] == 0x80)
        return "tls: unsupported SSLv2 handshake received";
    if ((head[0] != SSL3_RT_ALERT && head[0] != SSL3_RT_HANDSHAKE) || head[1] >= 0x10)
        return "tls: first record does not look like a TLS handshake";
    return NULL;
}

/* Of a reset that it has seen libcurl has only its words. */
static bool was_reset(const struct kp_transfer *transfer)
{
    return transfer->read_error != 0 || strstr(transfer->words, "reset by peer");
}

/* In libcurl's words, and whether TLS said so or not. */
static bool has_ended(const struct kp_transfer *transfer)
{
    return strstr(transfer->words, "SSL_ERROR_ZERO_RETURN") ||
           strstr(transfer->words, "SSL_ERROR_SYSCALL");
}

static void fail_handshake(struct kp_flight *flight)
{
    const struct kp_transfer *transfer = &((struct kp_http *)flight->state)->transfer;
    const struct kp_handshake *handshake = &transfer->handshake;
    const char *error = head_error(handshake);
    struct kp_message why = {0};

    if (error) {
        kp_http_fail_text(flight, error);
    } else if (was_reset(transfer)) {
        kp_dial_add_read_error(&why, &flight->scratch, transfer);
        kp_http_fail(flight, &why);
    } else if (has_ended(transfer)) {
        kp_http_fail_text(flight,
                          handshake->bytes == handshake->record_bytes ? "EOF" : "unexpected EOF");
    } else {
        fail_record(flight);
    }
}

/* What libcurl refuses of what Go might not. P-116. */
static void fail_malformed(struct kp_flight *flight)
{
    flight->result.class_word = "malformed"; /* how much of it Go quotes is not known */
    kp_http_fail_text(flight, KP_HTTP_BROKEN "malformed HTTP response");
}

/* Was it asked in HTTP/2?  Without TLS no reply is waited for then. */
static bool is_http2(const struct kp_http *http)
{
    return http->transfer.hold == KP_HOLD_NONE || http->transfer.in_http2;
}

static const char *stream_error(const struct kp_flight *flight)
{
    return flight->attempt.profile->with_go_116
               ? "stream error: stream ID 1; INTERNAL_ERROR; received from peer"
               : "stream error: stream ID 1; INTERNAL_ERROR";
}

static void fail_stream(struct kp_flight *flight)
{
    kp_http_fail_text(flight, stream_error(flight));
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
        if (is_http2(http))
            break; /* frames came, and no reply in them */
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
        kp_http_fail_text(flight,
                          is_http2(http) ? "unexpected EOF" : KP_HTTP_BROKEN "unexpected EOF");
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

/* zlib's words in those of libcurl; of bytes that make no sense Go tells where they are, and it
 * does not. */
static const char *gzip_error(const char *words)
{
    return strstr(words, "header") || strstr(words, "compression method") ? "gzip: invalid header"
           : strstr(words, "check")                                       ? "gzip: invalid checksum"
                                                                          : "flate: corrupt input";
}

/* While the body was read. */
void kp_http_err_in_body(struct kp_flight *flight, CURLcode code)
{
    struct kp_http *http = flight->state;
    struct kp_message why = {0};
    int error = kp_transfer_errno(&http->transfer);

    if (http->broken.len > 0)
        kp_message_add(&why, http->broken);
    else if (code == CURLE_RECV_ERROR && error != 0)
        kp_dial_add_read_error(&why, &flight->scratch, &http->transfer);
    else if (code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM)
        kp_message_add(&why, kp_text_of(stream_error(flight)));
    else if (code == CURLE_BAD_CONTENT_ENCODING)
        kp_message_add(&why, kp_text_of(gzip_error(http->transfer.words)));
    else
        kp_message_add(&why, KP_TEXT("unexpected EOF"));
    err_with(flight, &why);
}
