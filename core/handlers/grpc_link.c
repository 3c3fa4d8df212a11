#include "grpc_link.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define PREFACE_BYTES 24
#define GREETING_BYTES_MAX (PREFACE_BYTES + KP_H2_HEAD_BYTES + UINT8_MAX)

static void run_dry(struct kp_grpc_link *link)
{
    kp_flight_finish_text(link->peer.flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

/* A server of TLS that chose no HTTP/2 is none.  To be asked once bytes have passed. */
static bool chose_other(const struct kp_grpc_link *link)
{
    return link->peer.h2_alone && !kp_transfer_is_http2(&link->peer);
}

/* ---- to the server --------------------------------------------------------------------------- */

/*
 * There is room for it: nobody sends much.  Who floods us and takes no answer does not get them
 * whole; and where the connection is gone, what came before is still to be read.
 */
static void say(struct kp_grpc_link *link, const char *bytes, size_t len)
{
    size_t ignored;

    curl_easy_send(link->peer.easy, bytes, len, &ignored);
}

/*
 * Before the server has spoken it is sent the preface and SETTINGS alone; what follows stays where
 * it is.
 */
static void greet(struct kp_grpc_link *link)
{
    unsigned char bytes[GREETING_BYTES_MAX] = {0};
    ssize_t got = recv(link->feed.fd, bytes, sizeof bytes, MSG_PEEK);
    size_t len = PREFACE_BYTES + KP_H2_HEAD_BYTES;

    len += bytes[PREFACE_BYTES + 2]; /* libcurl's SETTINGS are short */
    if (got < (ssize_t)len)
        return;
    recv(link->feed.fd, bytes, len, 0);
    say(link, (const char *)bytes, len);
    link->greeted = true;
    if (chose_other(link))
        link->ended(link->peer.flight, KP_LINK_NONE);
    else if (!link->frames.speaks)
        kp_watch_pause(&link->feed);
}

static void on_feed(struct kp_watch *feed)
{
    struct kp_grpc_link *link =
        (struct kp_grpc_link *)((char *)feed - offsetof(struct kp_grpc_link, feed));
    char bytes[KP_RECV_BYTES];
    ssize_t got;

    if (!link->greeted) {
        greet(link);
        return;
    }
    got = recv(feed->fd, bytes, sizeof bytes, 0);
    if (got > 0)
        say(link, bytes, (size_t)got);
}

/* ---- from the server ------------------------------------------------------------------------- */

/* libcurl takes at once all that it is given, so that there is room each time. */
static void pass(struct kp_grpc_link *link, const char *bytes, size_t len)
{
    if (send(link->feed.fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len)
        kp_transfer_read(link->call);
    else
        run_dry(link);
}

static void take(struct kp_grpc_link *link, struct kp_text bytes)
{
    char passed[KP_RECV_BYTES + sizeof link->frames.head];
    bool waited = link->greeted && !link->frames.speaks;
    size_t len = 0;

    while (bytes.len > 0) {
        struct kp_text some;

        kp_h2_frames_take(&link->frames, &bytes, &some);
        if (some.len > 0)
            memcpy(passed + len, some.bytes, some.len);
        len += some.len;
    }
    if (link->frames.is_other || link->frames.refused) {
        link->ended(link->peer.flight, link->frames.refused ? KP_LINK_REFUSED : KP_LINK_NONE);
        return;
    }
    pass(link, passed, len);
    if (link->frames.was_reset && !link->peer.flight->done)
        link->ended(link->peer.flight, KP_LINK_LOST);
    else if (waited && link->frames.speaks && !kp_watch_begin(&link->feed, EPOLLIN))
        run_dry(link);
}

static void take_end(struct kp_grpc_link *link)
{
    if (!link->frames.speaks)
        link->ended(link->peer.flight, KP_LINK_NONE);
    else if (!link->frames.is_closed)
        link->ended(link->peer.flight, KP_LINK_LOST);
}

/* What a record of TLS holds is read at once: nobody would be told of its rest. */
static void on_peer(struct kp_transfer *peer)
{
    struct kp_grpc_link *link = (struct kp_grpc_link *)peer;
    char bytes[KP_RECV_BYTES];
    size_t got = 0;
    CURLcode code = curl_easy_recv(peer->easy, bytes, sizeof bytes, &got);

    if (code == CURLE_OK && got > 0)
        take(link, (struct kp_text){bytes, got});
    else if (code != CURLE_AGAIN)
        take_end(link);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void finished(struct kp_transfer *peer, CURLcode code)
{
    struct kp_grpc_link *link = (struct kp_grpc_link *)peer;

    if (code == CURLE_OK)
        code = kp_transfer_take(peer, on_peer);
    if (kp_dial_lacked_memory(link->dial, peer, code))
        return;
    if (code == CURLE_OK)
        link->connected(peer->flight);
    else
        link->ended(peer->flight, KP_LINK_NONE);
}

bool kp_grpc_link_dial(struct kp_grpc_link *link, struct kp_flight *flight,
                       const struct kp_dial *dial, bool is_tls)
{
    link->dial = dial;
    link->feed = (struct kp_watch){.flight = flight, .ready = on_feed, .fd = -1};
    link->greeted = false;
    if (!kp_transfer_begin(&link->peer, flight, finished))
        return false;
    link->peer.h2_alone = is_tls;
    kp_transfer_set_text(&link->peer, CURLOPT_URL, dial->url);
    curl_easy_setopt(link->peer.easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(link->peer.easy, CURLOPT_FORBID_REUSE, 0L);    /* by us */
    curl_easy_setopt(link->peer.easy, CURLOPT_SSL_ENABLE_ALPN, 0L); /* h2_alone does: libcurl
                                                                       would begin to speak it */
    return kp_transfer_send(&link->peer);
}

bool kp_grpc_link_carry(struct kp_grpc_link *link, struct kp_transfer *call)
{
    link->call = call;
    link->feed.fd = kp_transfer_send_to_us(call);
    return link->feed.fd >= 0 && kp_watch_begin(&link->feed, EPOLLIN);
}

void kp_grpc_link_end(struct kp_grpc_link *link)
{
    kp_watch_close(&link->feed);
    kp_transfer_end(&link->peer);
    link->frames = (struct kp_h2_frames){0};
}
