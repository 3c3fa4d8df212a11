/*
 * tcp.c: the TCP handler: connect and close.
 *
 * Upstream: pkg/probe/tcp/tcp.go DoTCPProbe.
 */
#include "conn.h"

/* Closed before it is reported: what was used just now costs least. */
static void opened(struct kp_flight *flight)
{
    kp_conn_close(flight->state);
    kp_flight_finish_text(flight, KP_ANSWER_SUCCESS, KP_TEXT(""));
}

static void ended(struct kp_flight *flight)
{
    const struct kp_conn *conn = flight->state;
    struct kp_message why = {0};

    kp_dial_add_error(&why, &flight->scratch, &conn->dial, conn->error);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
}

static const struct kp_conn_user user = {.opened = opened, .ended = ended};

/* What cannot be dialled at all is a failure (P-121). */
static bool find_target(struct kp_flight *flight, int64_t port)
{
    const struct kp_tcp_socket_action *action = flight->attempt.probe->handler.tcp_socket;
    struct kp_text host = action->host.len > 0 ? action->host : flight->attempt.pod_ip;
    struct kp_buf digits = kp_scratch_buf(&flight->scratch, 24);
    struct kp_conn *conn = flight->state;
    struct kp_message why = {0};

    kp_buf_put_int(&digits, port);
    if (kp_dial_init(&conn->dial, &flight->scratch, flight->attempt.profile, host,
                     kp_buf_text(&digits), &why))
        return true;
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
    return false;
}

/* Connects, and that is all: nothing is sent (P-120). */
static bool begin(struct kp_flight *flight)
{
    struct kp_conn *conn = kp_scratch_alloc(&flight->scratch, sizeof *conn);
    int64_t port;

    if (!conn)
        return false;
    flight->state = conn;
    if (!kp_flight_resolve_port(flight, &flight->attempt.probe->handler.tcp_socket->port, &port) ||
        !find_target(flight, port))
        return true;
    return kp_conn_dial(conn, flight, &user, false, KP_ALPN_NONE);
}

static void wake(struct kp_flight *flight, int64_t now_ns)
{
    const struct kp_conn *conn = flight->state;
    struct kp_message why = {0};

    (void)now_ns;
    kp_dial_add_timeout(&why, &flight->scratch, &conn->dial);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
}

/* A plain close, without reset (P-124). */
static void end(struct kp_flight *flight)
{
    if (flight->state)
        kp_conn_close(flight->state);
}

const struct kp_transport kp_transport_tcp = {begin, wake, end};
