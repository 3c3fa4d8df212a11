#include "http_relay.h"

#include "handlers.h"
#include "http.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_BYTES_MAX (1024 * 1024) /* by which a line is known; what follows is counted only */

/* ---- which heads are whose ------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* With a final status of three digits.  Others, and versions but 1.1, are not the same to Go. */
static bool is_ordinary(struct kp_text bytes)
{
    const char *at = bytes.bytes;

    return bytes.len > strlen("HTTP/1.1 200") && memcmp(at, "HTTP/1.1 ", 9) == 0 && at[9] >= '2' &&
           at[9] <= '9' && is_digit(at[10]) && is_digit(at[11]) && strchr(" \r\n", at[12]);
}

/* To its empty line, each line a name and a value of its own, and no byte 0: libcurl refuses it. */
static bool is_plain_head(struct kp_text bytes)
{
    const char *at = memchr(bytes.bytes, '\n', bytes.len);
    const char *end = bytes.bytes + bytes.len;

    while (at && ++at < end && !strchr(" \t", *at)) {
        const char *next = memchr(at, '\n', (size_t)(end - at));

        if (next && (next == at || (next == at + 1 && *at == '\r')))
            return !memchr(bytes.bytes, '\0', (size_t)(at - bytes.bytes));
        at = next && memchr(at, ':', (size_t)(next - at)) ? next : NULL;
    }
    return false;
}

/* What is behind the first such name at the beginning of a line; empty: there is none. */
static struct kp_text behind(struct kp_text bytes, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 1; i + len < bytes.len; i++)
        if (bytes.bytes[i - 1] == '\n' && strncasecmp(bytes.bytes + i, name, len) == 0)
            return (struct kp_text){bytes.bytes + i + len, bytes.len - i - len};
    return KP_TEXT("");
}

/* By one number, or by nothing at all.  A length that is empty libcurl refuses. */
static bool is_framed_plainly(struct kp_text bytes)
{
    struct kp_text length = behind(bytes, "Content-Length:");
    size_t blanks = 0;

    while (blanks < length.len && length.bytes[blanks] == ' ')
        blanks++;
    return behind(bytes, "Transfer-Encoding:").len == 0 &&
           behind(length, "Content-Length:").len == 0 &&
           (length.len == 0 || (blanks < length.len && is_digit(length.bytes[blanks])));
}

bool kp_http_relay_is_for_libcurl(struct kp_text bytes)
{
    return is_ordinary(bytes) && is_plain_head(bytes) && is_framed_plainly(bytes);
}

/* ---- to libcurl ------------------------------------------------------------------------------ */

static void run_dry(struct kp_flight *flight)
{
    kp_flight_finish_text(flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

static void end_with(struct kp_flight *flight, CURLcode code)
{
    struct kp_transfer *transfer = &((struct kp_http *)flight->state)->transfer;

    transfer->finished(transfer, code);
}

static void body_finished(struct kp_transfer *body, CURLcode code)
{
    struct kp_transfer *transfer = &((struct kp_http *)body->flight->state)->transfer;

    memcpy(transfer->words, body->words, sizeof transfer->words);
    transfer->finished(transfer, code);
}

/* libcurl takes at once all that it is given, so that there is room each time, or has enough. */
static void feed(struct kp_flight *flight, struct kp_text bytes)
{
    struct kp_http_relay *relay = &((struct kp_http *)flight->state)->relay;

    if (send(relay->feed, bytes.bytes, bytes.len, MSG_NOSIGNAL) == (ssize_t)bytes.len)
        kp_transfer_read(relay->body);
    else if (errno != EPIPE)
        run_dry(flight);
}

/* What libcurl has to know of the head: is there a body, and where does it end? */
static void feed_head(struct kp_flight *flight)
{
    const struct kp_http_reply *reply = &((struct kp_http *)flight->state)->reply;
    struct kp_buf head = kp_scratch_buf(&flight->scratch, 160);

    kp_buf_put(&head, KP_TEXT("HTTP/1.1 "));
    kp_buf_put_int(&head, reply->status < 200 ? 200 : reply->status);
    kp_buf_put(&head, KP_TEXT(" x\r\n"));
    if (reply->content_length >= 0) {
        kp_buf_put(&head, KP_TEXT("Content-Length: "));
        kp_buf_put_int(&head, reply->content_length);
        kp_buf_put(&head, KP_TEXT("\r\n"));
    }
    if (reply->has_gzip)
        kp_buf_put(&head, KP_TEXT("Content-Encoding: gzip\r\n"));
    kp_buf_put(&head, KP_TEXT("\r\n"));
    feed(flight, kp_buf_text(&head));
}

static bool begin_chunks(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (!http->reply.has_encoding)
        return true;
    http->relay.chunks = kp_scratch_alloc(&flight->scratch, sizeof *http->relay.chunks);
    if (!http->relay.chunks)
        return false;
    http->relay.chunks->profile = flight->attempt.profile;
    return true;
}

/* false: there is no memory for it, or there are no descriptors. */
static bool begin_body(struct kp_flight *flight)
{
    struct kp_http_relay *relay = &((struct kp_http *)flight->state)->relay;
    struct kp_transfer *body = kp_scratch_alloc(&flight->scratch, sizeof *body);

    if (!begin_chunks(flight) || !body || !kp_transfer_begin(body, flight, body_finished))
        return false;
    relay->body = body;
    kp_http_set_body(flight, body);
    curl_easy_setopt(body->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(body->easy, CURLOPT_VERBOSE, 0L);
    relay->feed = kp_transfer_send_to_us(body);
    return relay->feed >= 0;
}

/* ---- from the peer --------------------------------------------------------------------------- */

static bool grow_line(struct kp_flight *flight, size_t needed)
{
    struct kp_http_relay *relay = &((struct kp_http *)flight->state)->relay;
    const struct kp_mem *mem = flight->set->mem;
    size_t cap = relay->line_cap > 0 ? relay->line_cap : 256;
    char *grown;

    if (needed <= relay->line_cap)
        return true;
    while (cap < needed)
        cap *= 2;
    grown = kp_mem_array(mem, cap, 1);
    if (!grown)
        return false;
    if (relay->line_len > 0)
        memcpy(grown, relay->line, relay->line_len);
    kp_mem_free(mem, relay->line);
    relay->line = grown;
    relay->line_cap = cap;
    return true;
}

static void show(struct kp_flight *flight, struct kp_text bytes)
{
    if (flight->attempt.wire)
        flight->attempt.wire(flight->attempt.ctx, KP_WIRE_RECEIVED, bytes);
}

/* false: the attempt is over. */
static bool take_line(struct kp_flight *flight)
{
    struct kp_http_relay *relay = &((struct kp_http *)flight->state)->relay;
    struct kp_text line = {relay->line, relay->line_len};

    relay->line_len = 0;
    show(flight, line);
    if (kp_http_take_head_line(flight, line))
        return true;
    end_with(flight, CURLE_WRITE_ERROR);
    return false;
}

/* Is the line so long that Go has enough of it? */
static bool is_enough(const struct kp_http *http)
{
    return http->reply.head_bytes + http->relay.line_len > KP_HTTP_HEAD_BYTES_MAX;
}

/* One line, or what there is of it; returns how many bytes it had, 0: the attempt is over. */
static size_t take_part(struct kp_flight *flight, struct kp_text bytes)
{
    struct kp_http *http = flight->state;
    struct kp_http_relay *relay = &http->relay;
    const char *newline = memchr(bytes.bytes, '\n', bytes.len);
    size_t taken = newline ? (size_t)(newline - bytes.bytes) + 1 : bytes.len;
    size_t room = LINE_BYTES_MAX - relay->line_len;
    size_t kept = taken < room ? taken : room;

    if (!grow_line(flight, relay->line_len + kept)) {
        run_dry(flight);
        return 0;
    }
    memcpy(relay->line + relay->line_len, bytes.bytes, kept);
    relay->line_len += kept;
    http->reply.head_bytes += taken - kept;
    if (!newline && !is_enough(http))
        return taken;
    return take_line(flight) ? taken : 0;
}

/* The body that libcurl reads has ended. */
static void end_body(const struct kp_http *http)
{
    shutdown(http->relay.feed, SHUT_WR);
}

static void break_body(struct kp_flight *flight, struct kp_text why)
{
    ((struct kp_http *)flight->state)->broken = why;
    end_with(flight, CURLE_PARTIAL_FILE);
}

/*
 * Go reads no further than the kubelet wants: behind that nothing is wrong any more, but for what
 * came together with the last byte of a chunk that ends just there.
 */
static void take_chunks(struct kp_flight *flight, struct kp_text bytes)
{
    struct kp_http *http = flight->state;
    enum kp_http_chunk what;
    bool looks = true;
    struct kp_text data;
    struct kp_text wrong = KP_TEXT("");
    const char *why;

    while ((what = kp_http_chunks_take(http->relay.chunks, &bytes, &data, &why)) ==
           KP_HTTP_CHUNK_SOME) {
        size_t before = http->body_len;

        feed(flight, data);
        looks = !kp_http_has_enough(flight) || http->body_len - before == data.len;
    }
    if (what == KP_HTTP_CHUNK_BAD)
        wrong = kp_text_of(why);
    if (what == KP_HTTP_CHUNK_LAST)
        wrong = kp_http_reply_trailer(&http->reply, kp_http_chunks_trailer(http->relay.chunks));
    if (wrong.len > 0 && looks)
        break_body(flight, wrong);
    else if (what == KP_HTTP_CHUNK_LAST)
        end_body(http);
}

static void take_body(struct kp_flight *flight, struct kp_text bytes)
{
    show(flight, bytes);
    if (((struct kp_http *)flight->state)->relay.chunks)
        take_chunks(flight, bytes);
    else
        feed(flight, bytes);
}

static void take(struct kp_flight *flight, struct kp_text bytes)
{
    struct kp_http *http = flight->state;

    while (bytes.len > 0 && !http->reply.complete) {
        size_t taken = take_part(flight, bytes);

        if (taken == 0)
            return;
        bytes = (struct kp_text){bytes.bytes + taken, bytes.len - taken};
    }
    if (!http->reply.complete)
        return;
    if (!http->relay.body) {
        if (!begin_body(flight)) {
            run_dry(flight);
            return;
        }
        feed_head(flight);
    }
    if (bytes.len > 0)
        take_body(flight, bytes);
}

/* The end of the connection ends a line, too. */
static void end_in_head(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;

    if (http->relay.line_len == 0 || take_line(flight))
        end_with(flight,
                 kp_http_reply_break(&http->reply) ? CURLE_PARTIAL_FILE : CURLE_WRITE_ERROR);
}

static void take_end(struct kp_flight *flight)
{
    const struct kp_http *http = flight->state;
    const char *why = http->relay.chunks ? kp_http_chunks_end(http->relay.chunks) : NULL;

    if (why)
        break_body(flight, kp_text_of(why));
    else if (http->reply.complete)
        end_body(http);
    else
        end_in_head(flight);
}

void kp_http_relay_read(struct kp_flight *flight)
{
    struct kp_http *http = flight->state;
    char bytes[KP_RECV_BYTES];
    ssize_t got = kp_transfer_recv(&http->transfer, bytes);

    if (got > 0)
        take(flight, (struct kp_text){bytes, (size_t)got});
    else if (got == 0)
        take_end(flight);
    else if (errno != EAGAIN)
        kp_transfer_fail(&http->transfer);
}

/* ---- life ------------------------------------------------------------------------------------ */

void kp_http_relay_init(struct kp_http_relay *relay)
{
    *relay = (struct kp_http_relay){.feed = -1};
}

void kp_http_relay_end(struct kp_flight *flight)
{
    struct kp_http_relay *relay = &((struct kp_http *)flight->state)->relay;

    if (relay->body)
        kp_transfer_end(relay->body);
    if (relay->feed >= 0)
        close(relay->feed);
    kp_mem_free(flight->set->mem, relay->line);
    kp_http_relay_init(relay);
}
