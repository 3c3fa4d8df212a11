/*
 * tcp.c: the TCP handler: connect and close.
 *
 * Upstream: pkg/probe/tcp/tcp.go DoTCPProbe.
 */
#include "dial.h"

struct tcp {
    struct kp_transfer transfer;
    struct kp_dial dial;
};

static void finished(struct kp_transfer *transfer, CURLcode code)
{
    struct kp_flight *flight = transfer->flight;
    struct tcp *tcp = flight->state;
    struct kp_message why = {0};

    if (code == CURLE_OK) {
        kp_flight_finish_text(flight, KP_ANSWER_SUCCESS, KP_TEXT(""));
        return;
    }
    if (kp_dial_lacked_memory(&tcp->dial, transfer, code))
        return;
    kp_dial_add_error(&why, &flight->scratch, &tcp->dial, transfer);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
}

/* P-121. */
static bool find_target(struct kp_flight *flight, int64_t port)
{
    const struct kp_tcp_socket_action *action = flight->attempt.probe->handler.tcp_socket;
    struct kp_text host = action->host.len > 0 ? action->host : flight->attempt.pod_ip;
    struct kp_buf digits = kp_scratch_buf(&flight->scratch, 24);
    struct tcp *tcp = flight->state;
    struct kp_message why = {0};

    kp_buf_put_int(&digits, port);
    if (kp_dial_init(&tcp->dial, &flight->scratch, "http", host, kp_buf_text(&digits), &why))
        return true;
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
    return false;
}

/* P-120. */
static bool begin(struct kp_flight *flight)
{
    struct tcp *tcp = kp_scratch_alloc(&flight->scratch, sizeof *tcp);
    int64_t port;

    if (!tcp)
        return false;
    flight->state = tcp;
    if (!kp_flight_resolve_port(flight, &flight->attempt.probe->handler.tcp_socket->port, &port) ||
        !find_target(flight, port))
        return true;
    if (!kp_transfer_begin(&tcp->transfer, flight, finished))
        return false;
    kp_transfer_set_text(&tcp->transfer, CURLOPT_URL, tcp->dial.url);
    curl_easy_setopt(tcp->transfer.easy, CURLOPT_CONNECT_ONLY, 1L);
    return kp_transfer_send(&tcp->transfer);
}

static void wake(struct kp_flight *flight, int64_t now_ns)
{
    struct tcp *tcp = flight->state;
    struct kp_message why = {0};

    (void)now_ns;
    kp_dial_add_timeout(&why, &flight->scratch, &tcp->dial, &tcp->transfer);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &why);
}

/* P-124. */
static void end(struct kp_flight *flight)
{
    struct tcp *tcp = flight->state;

    if (tcp)
        kp_transfer_end(&tcp->transfer);
}

const struct kp_transport kp_transport_tcp = {begin, wake, end};
