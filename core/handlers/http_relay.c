#include "http_relay.h"

#include "handlers.h"
#include "http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CHUNK_BYTES 16384
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
           at[9] <= '9' && is_digit(at[10]) && is_digit(at[11]) && strchr(" \r\n", at[12]) &&
           at[12] != '\0';
}

static bool has_end(struct kp_text bytes)
{
    for (size_t i = 0; i + 1 < bytes.len; i++)
        if (bytes.bytes[i] == '\n' &&
            (bytes.bytes[i + 1] == '\n' ||
             (i + 2 < bytes.len && memcmp(bytes.bytes + i + 1, "\r\n", 2) == 0)))
            return true;
    return false;
}

bool kp_http_relay_is_for_libcurl(struct kp_text bytes)
{
    size_t len = bytes.len < 5 ? bytes.len : 5;

    return memcmp(bytes.bytes, "HTTP/", len) != 0 || (is_ordinary(bytes) && has_end(bytes));
}

/* ---- to libcurl ------------------------------------------------------------------------------ */

static struct kp_http *http_of(const struct kp_http_relay *relay)
{
    return relay->peer.flight->state;
}

static void end_with(struct kp_http_relay *relay, CURLcode code)
{
    struct kp_transfer *transfer = &http_of(relay)->transfer;

    transfer->finished(transfer, code);
}

/* libcurl takes at once all that it is given, so that there is room each time, or has enough. */
static void feed(struct kp_http_relay *relay, const char *bytes, size_t len)
{
    if (len == 0 || send(relay->feed, bytes, len, MSG_NOSIGNAL) == (ssize_t)len)
        kp_transfer_read(&http_of(relay)->transfer);
    else if (errno != EPIPE)
        kp_flight_finish_text(relay->peer.flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

/* What libcurl has to know of the head: is there a body, and where does it end? */
static void feed_head(struct kp_http_relay *relay)
{
    const struct kp_http_reply *reply = &http_of(relay)->reply;
    char head[160];
    int len =
        snprintf(head, sizeof head, "HTTP/1.1 %d x\r\n", reply->status < 200 ? 200 : reply->status);

    relay->fed_lines = 2;
    if (reply->has_encoding)
        len += snprintf(head + len, sizeof head - (size_t)len, "Transfer-Encoding: chunked\r\n");
    else if (reply->content_length >= 0)
        len += snprintf(head + len, sizeof head - (size_t)len, "Content-Length: %lld\r\n",
                        (long long)reply->content_length);
    relay->fed_lines += reply->has_encoding || reply->content_length >= 0;
    if (reply->has_gzip)
        len += snprintf(head + len, sizeof head - (size_t)len, "Content-Encoding: gzip\r\n");
    relay->fed_lines += reply->has_gzip;
    len += snprintf(head + len, sizeof head - (size_t)len, "\r\n");
    http_of(relay)->transfer.unshown = relay->fed_lines;
    kp_transfer_release(&http_of(relay)->transfer);
    feed(relay, head, (size_t)len);
}

/* ---- from the peer --------------------------------------------------------------------------- */

static bool grow_line(struct kp_http_relay *relay, size_t needed)
{
    const struct kp_mem *mem = relay->peer.flight->set->mem;
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

/* false: the attempt is over. */
static bool take_line(struct kp_http_relay *relay)
{
    struct kp_flight *flight = relay->peer.flight;
    struct kp_text line = {relay->line, relay->line_len};

    relay->line_len = 0;
    if (flight->attempt.wire)
        flight->attempt.wire(flight->attempt.ctx, KP_WIRE_RECEIVED, line);
    if (!kp_http_take_head_line(flight, line)) {
        end_with(relay, CURLE_WRITE_ERROR);
        return false;
    }
    relay->head_over = http_of(relay)->reply.complete;
    return true;
}

/* Is the line so long that Go has enough of it? */
static bool is_enough(const struct kp_http_relay *relay)
{
    return http_of(relay)->reply.head_bytes + relay->line_len > KP_HTTP_HEAD_BYTES_MAX;
}

/* One line, or what there is of it; returns how many bytes it had, 0: the attempt is over. */
static size_t take_part(struct kp_http_relay *relay, const char *bytes, size_t len)
{
    const char *newline = memchr(bytes, '\n', len);
    size_t taken = newline ? (size_t)(newline - bytes) + 1 : len;
    size_t room = LINE_BYTES_MAX - relay->line_len;
    size_t kept = taken < room ? taken : room;

    if (!grow_line(relay, relay->line_len + kept)) {
        kp_flight_finish_text(relay->peer.flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
        return 0;
    }
    memcpy(relay->line + relay->line_len, bytes, kept);
    relay->line_len += kept;
    http_of(relay)->reply.head_bytes += taken - kept;
    if (!newline && !is_enough(relay))
        return taken;
    return take_line(relay) ? taken : 0;
}

static void take(struct kp_http_relay *relay, const char *bytes, size_t len)
{
    while (len > 0 && !relay->head_over) {
        size_t taken = take_part(relay, bytes, len);

        if (taken == 0)
            return;
        bytes += taken;
        len -= taken;
        if (relay->head_over)
            feed_head(relay);
    }
    if (len > 0 && !relay->peer.flight->done)
        feed(relay, bytes, len);
}

/* The end of the connection ends a line, too. */
static void take_end(struct kp_http_relay *relay)
{
    bool is_status_line = http_of(relay)->reply.status == 0 && relay->line_len > 0;

    kp_watch_close(&relay->peer);
    if (relay->head_over) {
        shutdown(relay->feed, SHUT_WR);
        feed(relay, NULL, 0);
    } else if (!is_status_line || take_line(relay)) {
        end_with(relay, CURLE_PARTIAL_FILE);
    }
}

static void ready(struct kp_watch *watch)
{
    struct kp_http_relay *relay = (struct kp_http_relay *)(void *)watch;
    char bytes[CHUNK_BYTES];
    ssize_t got = recv(watch->fd, bytes, sizeof bytes, MSG_DONTWAIT);

    if (got > 0)
        take(relay, bytes, (size_t)got);
    else if (got == 0)
        take_end(relay);
    else if (errno != EAGAIN && errno != EINTR) {
        http_of(relay)->transfer.read_error = errno;
        end_with(relay, CURLE_RECV_ERROR);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

void kp_http_relay_init(struct kp_http_relay *relay, struct kp_flight *flight)
{
    *relay = (struct kp_http_relay){.peer = {flight, ready, -1}, .feed = -1};
}

void kp_http_relay_begin(struct kp_http_relay *relay, int fd)
{
    http_of(relay)->reply.is_ours = true;
    if (!kp_transfer_swap(&http_of(relay)->transfer, fd, &relay->peer.fd, &relay->feed) ||
        !kp_watch_begin(&relay->peer, EPOLLIN))
        kp_flight_finish_text(relay->peer.flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

void kp_http_relay_end(struct kp_http_relay *relay)
{
    kp_watch_close(&relay->peer);
    if (relay->feed >= 0)
        close(relay->feed);
    relay->feed = -1;
    kp_mem_free(relay->peer.flight->set->mem, relay->line);
    relay->line = NULL;
    relay->line_cap = 0;
}
