#include "conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>

#define RECV_BYTES 16384
#define HANDSHAKE_NS_MAX (10 * KP_NS_PER_S) /* apimachinery SetTransportDefaults */

static void fail_out_of_memory(struct kp_conn *conn)
{
    kp_flight_out_of_memory(conn->watch.flight);
}

static void fail(struct kp_conn *conn, enum kp_conn_fault fault, int error)
{
    if (error == ENOMEM) {
        fail_out_of_memory(conn);
        return;
    }
    conn->fault = fault;
    conn->error = error;
    conn->user->ended(conn->watch.flight);
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct kp_text unsent(const struct kp_conn *conn)
{
    return conn->tls ? kp_tls_unsent(conn->tls) : conn->unsent;
}

static void was_sent(struct kp_conn *conn, size_t len)
{
    if (conn->tls)
        kp_tls_was_sent(conn->tls, len);
    else
        conn->unsent = kp_text_from(conn->unsent, len);
}

static void watch_for(struct kp_conn *conn, uint32_t events)
{
    if (conn->watched_for != events)
        kp_watch_for(&conn->watch, events);
    conn->watched_for = events;
}

/* What the peer takes at once.  What cannot be sent at all is forgotten. */
static void push(struct kp_conn *conn)
{
    struct kp_text bytes = unsent(conn);
    ssize_t sent;

    if (bytes.len == 0)
        return;
    sent = send(conn->watch.fd, bytes.bytes, bytes.len, MSG_NOSIGNAL);
    if (sent >= 0)
        was_sent(conn, (size_t)sent);
    else if (errno != EAGAIN && errno != EINTR)
        was_sent(conn, bytes.len);
}

/* Returns: whether nothing is unsent. */
static bool flush(struct kp_conn *conn)
{
    const int on = 1;

    push(conn);
    if (unsent(conn).len == 0) {
        watch_for(conn, EPOLLIN);
        return true;
    }
    /* Its last bytes are not to wait for an acknowledgement. */
    setsockopt(conn->watch.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch_for(conn, EPOLLIN | EPOLLOUT);
    return false;
}

void kp_conn_send(struct kp_conn *conn, struct kp_text bytes)
{
    if (!conn->tls)
        conn->unsent = bytes;
    else if (!kp_tls_write(conn->tls, bytes))
        fail_out_of_memory(conn);
    flush(conn);
}

bool kp_conn_is_sending(const struct kp_conn *conn)
{
    return unsent(conn).len > 0;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void open(struct kp_conn *conn)
{
    conn->state = KP_CONN_OPEN;
    conn->user->opened(conn->watch.flight);
}

/* Closing sends the peer an alert. */
static void fail_tls(struct kp_conn *conn, enum kp_tls_end end)
{
    fail(conn, KP_FAULT_TLS, end == KP_TLS_NO_MEMORY ? ENOMEM : 0);
}

static void handshake(struct kp_conn *conn)
{
    enum kp_tls_end end = kp_tls_handshake(conn->tls);

    if (end == KP_TLS_BROKEN || end == KP_TLS_NO_MEMORY) {
        fail_tls(conn, end);
        return;
    }
    if (end == KP_TLS_CLOSE_NOTIFY) {
        fail(conn, KP_FAULT_END, 0);
        return;
    }
    flush(conn);
    if (end == KP_TLS_FINE)
        open(conn);
}

/* An answer may end the attempt, or dial again: then what is left is nobody's. */
static bool is_heard(const struct kp_conn *conn, const struct kp_tls *tls)
{
    return conn->tls == tls && !conn->watch.flight->done;
}

static void decrypt(struct kp_conn *conn, struct kp_tls *tls, char *bytes)
{
    enum kp_tls_end end = KP_TLS_FINE;
    size_t len;

    while (is_heard(conn, tls) && end == KP_TLS_FINE) {
        end = kp_tls_read(tls, bytes, RECV_BYTES, &len);
        if (end == KP_TLS_FINE)
            conn->user->received(conn->watch.flight, (struct kp_text){bytes, len});
    }
    if (!is_heard(conn, tls))
        return;
    if (end == KP_TLS_CLOSE_NOTIFY)
        fail(conn, KP_FAULT_END, 0);
    else if (end != KP_TLS_MORE)
        fail_tls(conn, end);
}

static void take(struct kp_conn *conn, char *bytes, size_t len)
{
    struct kp_tls *tls = conn->tls;

    if (!tls) {
        conn->user->received(conn->watch.flight, (struct kp_text){bytes, len});
        return;
    }
    if (!kp_tls_take(tls, (struct kp_text){bytes, len})) {
        fail_out_of_memory(conn);
        return;
    }
    if (conn->state == KP_CONN_HANDSHAKE)
        handshake(conn);
    if (conn->state == KP_CONN_OPEN)
        decrypt(conn, tls, bytes);
}

static void receive(struct kp_conn *conn)
{
    char bytes[RECV_BYTES];
    ssize_t got = recv(conn->watch.fd, bytes, sizeof bytes, 0);

    if (got > 0)
        take(conn, bytes, (size_t)got);
    else if (got == 0)
        fail(conn, conn->tls && kp_tls_is_cut(conn->tls) ? KP_FAULT_CUT : KP_FAULT_END, 0);
    else if (errno != EAGAIN && errno != EINTR)
        fail(conn, KP_FAULT_READ, errno);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static bool begin_tls(struct kp_conn *conn)
{
    struct kp_flight *flight = conn->watch.flight;

    return kp_tls_begin(conn->tls, flight, conn->dial.host, conn->alpn);
}

static void connected(struct kp_conn *conn)
{
    if (!conn->tls) {
        open(conn);
        return;
    }
    conn->state = KP_CONN_HANDSHAKE;
    kp_flight_wake_at(conn->watch.flight, kp_handlers_now_ns() + HANDSHAKE_NS_MAX);
    if (begin_tls(conn))
        handshake(conn);
    else
        fail_out_of_memory(conn);
}

static void end_connect(struct kp_conn *conn, uint32_t events)
{
    int error = 0;
    socklen_t len = sizeof error;

    if (events & (EPOLLERR | EPOLLHUP))
        getsockopt(conn->watch.fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error != 0)
        fail(conn, KP_FAULT_DIAL, error);
    else
        connected(conn);
}

static void on_ready(struct kp_watch *watch, uint32_t events)
{
    struct kp_conn *conn = (struct kp_conn *)watch;

    if (conn->state == KP_CONN_CONNECT)
        end_connect(conn, events);
    else if ((conn->watched_for & events & EPOLLOUT) && flush(conn))
        conn->user->sent(conn->watch.flight);
    else
        receive(conn);
}

static bool watch(struct kp_conn *conn, int fd, uint32_t events)
{
    conn->watch.fd = fd;
    conn->watched_for = events;
    return kp_watch_begin(&conn->watch, events);
}

/* ---- dialling -------------------------------------------------------------------------------- */

/* Of several addresses the one that answered is the connection's other end. */
static void looked_up(void *ctx, CURLcode code)
{
    struct kp_conn *conn = ctx;
    int error = kp_lookup_errno(conn->lookup);
    int fd = conn->lookup->fd;
    socklen_t len = sizeof conn->dial.address;

    kp_lookup_end(conn->lookup);
    if (code == CURLE_OK)
        getpeername(fd, (struct sockaddr *)&conn->dial.address, &len);
    if (code == CURLE_OUT_OF_MEMORY)
        fail_out_of_memory(conn);
    else if (code != CURLE_OK)
        fail(conn, KP_FAULT_DIAL, error);
    else if (watch(conn, fd, EPOLLIN))
        connected(conn);
    else
        fail_out_of_memory(conn);
}

static bool look_up(struct kp_conn *conn)
{
    struct kp_flight *flight = conn->watch.flight;

    conn->state = KP_CONN_LOOKUP;
    conn->lookup = kp_scratch_alloc(&flight->scratch, sizeof *conn->lookup);
    return conn->lookup && kp_lookup_begin(conn->lookup, flight, &conn->dial, looked_up, conn);
}

/* Called again, the kernel mostly has connected to who is on this machine, as pods are.  Returns: 0
 * or errno. */
static int connect_at_once(int fd, const struct sockaddr *to)
{
    socklen_t len =
        to->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);

    for (int i = 0; i < 2; i++) {
        if (connect(fd, to, len) == 0)
            return 0;
        if (errno != EINPROGRESS)
            return errno;
    }
    return EINPROGRESS;
}

/* SO_LINGER of one second (P-009) is not set: it changes nothing that a peer sees, it lets close()
 * wait for the peer, and here nothing waits. */
static bool connect_to_address(struct kp_conn *conn)
{
    const struct sockaddr *to = (const struct sockaddr *)&conn->dial.address;
    int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error;

    conn->state = KP_CONN_CONNECT;
    conn->dial.tried = true;
    conn->dial.no_socket = fd < 0;
    if (conn->dial.no_socket) {
        if (kp_dial_is_short(errno))
            return false;
        fail(conn, KP_FAULT_DIAL, errno); /* there is no such family here */
        return true;
    }
    conn->watch.fd = fd;
    error = connect_at_once(fd, to);
    if (error == EINPROGRESS || error == EALREADY)
        return watch(conn, fd, EPOLLOUT);
    if (error != 0) {
        fail(conn, KP_FAULT_DIAL, error);
        return true;
    }
    if (conn->user->received && !watch(conn, fd, EPOLLIN))
        return false;
    connected(conn);
    return true;
}

bool kp_conn_dial(struct kp_conn *conn, struct kp_flight *flight, const struct kp_conn_user *user,
                  bool is_tls, enum kp_alpn alpn)
{
    *conn = (struct kp_conn){.watch = {.flight = flight, .ready = on_ready, .fd = -1},
                             .user = user,
                             .dial = conn->dial,
                             .alpn = alpn};
    if (is_tls) {
        conn->tls = kp_scratch_alloc(&flight->scratch, sizeof *conn->tls);
        if (!conn->tls)
            return false;
    }
    return conn->dial.is_address ? connect_to_address(conn) : look_up(conn);
}

bool kp_conn_is_http2(const struct kp_conn *conn)
{
    return conn->tls && kp_tls_is_http2(conn->tls);
}

void kp_conn_close(struct kp_conn *conn)
{
    if (conn->state == KP_CONN_CLOSED)
        return;
    kp_lookup_end(conn->lookup);
    if (conn->tls && conn->tls->ssl) {
        kp_tls_send_close_notify(conn->tls);
        push(conn);
        kp_tls_end(conn->tls);
    }
    conn->tls = NULL;
    conn->state = KP_CONN_CLOSED;
    kp_watch_close(&conn->watch);
}
