/*
 * grpc.c: the gRPC handler: grpc.health.v1.Health/Check over HTTP/2 (http2.h).
 *
 * Upstream: pkg/probe/grpc/grpc.go Probe; grpc-go for what a call says when it fails.
 */
#include "grpc_reply.h"
#include "grpc_timeout.h"
#include "health.h"
#include "http2.h"
#include "url.h"

#include <string.h>

#define PREFIX_BYTES 5         /* of a message: compressed or not, length */
#define BACKOFF_NS KP_NS_PER_S /* before the second dial */
#define BACKOFF_NS_MAX (120 * KP_NS_PER_S)

struct grpc {
    struct kp_conn conn;
    struct kp_http2 http2;
    struct kp_text address; /* host:port as the kubelet prints it */
    struct kp_text request;
    struct kp_grpc_reply reply;
    bool was_refused;   /* once: it was called again */
    int64_t backoff_ns; /* before the next dial */
};

static void dial_again(struct kp_flight *flight);

/* ---- ends ------------------------------------------------------------------------------------ */

/* A dial that did not come about in time is a failure, not an error (P-130). */
static void fail_dial(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("timeout: failed to connect service "));
    kp_message_add_quoted(&message, grpc->address);
    kp_message_add(&message, KP_TEXT(" within "));
    kp_message_add_duration(&message, kp_flight_timeout_ns(flight));
    kp_message_add(&message, KP_TEXT(": context deadline exceeded"));
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

static void fail_late(struct kp_flight *flight)
{
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("timeout: health rpc did not complete within "));
    kp_message_add_duration(&message, kp_flight_timeout_ns(flight));
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

static void fail_call(struct kp_flight *flight, const struct kp_grpc_status *status)
{
    struct kp_message message = {0};

    if (status->code == KP_GRPC_DEADLINE_EXCEEDED) {
        fail_late(flight);
        return;
    }
    if (!status->by_server)
        flight->result.class_word = status->is_no_status ? "closed" : "grpc";
    if (status->is_no_status) {
        kp_message_add(&message, KP_TEXT("error: health rpc probe failed: "));
    } else if (status->code == KP_GRPC_UNIMPLEMENTED) {
        kp_message_add(&message, KP_TEXT("error: this server does not implement the grpc health "
                                         "protocol (grpc.health.v1.Health): "));
    } else {
        kp_message_add(&message, KP_TEXT("error: health rpc probe failed: rpc error: code = "));
        kp_grpc_add_code(&message, status->code);
        kp_message_add(&message, KP_TEXT(" desc = "));
    }
    kp_message_add(&message, status->message);
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

static void judge_health(struct kp_flight *flight, int32_t status)
{
    static const char *const names[] = {"UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"};
    struct kp_message message = {0};
    struct kp_buf digits = kp_scratch_buf(&flight->scratch, 16);

    if (status == 1) {
        kp_flight_finish_text(flight, KP_ANSWER_SUCCESS, KP_TEXT("service healthy"));
        return;
    }
    kp_buf_put_int(&digits, status);
    kp_message_add(&message, KP_TEXT("service unhealthy (responded with "));
    kp_message_add_quoted(&message, status >= 0 && status < 4 ? kp_text_of(names[status])
                                                              : kp_buf_text(&digits));
    kp_message_add(&message, KP_TEXT(")"));
    kp_flight_finish(flight, KP_ANSWER_FAILURE, &message);
}

/* The message of a call that went well, or was said not to behind it. */
static void read_health(struct kp_flight *flight, const struct kp_grpc_status *end)
{
    struct grpc *grpc = flight->state;
    int32_t status;

    if (!kp_health_read_response(grpc->reply.message, &status)) {
        struct kp_grpc_status broken = {.code = KP_GRPC_INTERNAL,
                                        .message = KP_TEXT("grpc: error unmarshalling: proto")};

        fail_call(flight, &broken);
        return;
    }
    if (end->code == KP_GRPC_OK)
        judge_health(flight, status);
    else
        fail_call(flight, end);
}

/* Plaintext, but for mode TLS where the gate is on (P-127). */
static bool is_tls(const struct kp_flight *flight)
{
    return flight->attempt.profile->gates[KP_GATE_GRPCContainerProbeTLS] &&
           kp_text_equal(flight->attempt.probe->handler.grpc->mode, KP_TEXT("TLS"));
}

/* ---- what of the reply comes ----------------------------------------------------------------- */

static void on_head(struct kp_flight *flight)
{
    kp_grpc_reply_head(&((struct grpc *)flight->state)->reply);
}

/* Behind what has ended the call nothing counts. */
static void on_field(struct kp_flight *flight, struct kp_text name, struct kp_text value)
{
    struct grpc *grpc = flight->state;

    if (!grpc->reply.has_enough)
        kp_grpc_reply_field(&grpc->reply, name, value);
}

static void on_head_ended(struct kp_flight *flight, bool is_last)
{
    struct grpc *grpc = flight->state;

    if (!grpc->reply.has_enough)
        grpc->reply.has_enough = !kp_grpc_reply_head_ended(&grpc->reply, is_last);
}

static void on_data(struct kp_flight *flight, struct kp_text bytes)
{
    struct grpc *grpc = flight->state;

    if (!grpc->reply.has_enough)
        grpc->reply.has_enough = !kp_grpc_reply_body(&grpc->reply, bytes);
}

static const struct kp_http2_user stream_user = {on_head, on_field, on_head_ended,
                                                 on_data, NULL,     .passes_pushes = true};

/* ---- the ends of a call ---------------------------------------------------------------------- */

static void hang_up(struct grpc *grpc)
{
    kp_conn_close(&grpc->conn);
    kp_http2_end(&grpc->http2);
}

static void end_call(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;
    struct kp_grpc_status status;

    hang_up(grpc);
    if (grpc->http2.end == KP_HTTP2_RESET)
        grpc->reply.reset = (int)(grpc->http2.code & INT32_MAX);
    grpc->reply.ended_by_head = grpc->http2.ended_by_head;
    grpc->reply.ended_by_nothing = grpc->http2.ended_by_nothing;
    if (kp_grpc_reply_end(&grpc->reply, grpc->http2.end == KP_HTTP2_CLOSED, &status))
        read_health(flight, &status);
    else
        fail_call(flight, &status);
}

/* Each is longer than the one before it by three fifths, without the chance that grpc-go adds to
 * those behind the first.  Upstream: grpc-go, internal/backoff Exponential. */
static void back_off(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    kp_flight_wake_at(flight, kp_handlers_now_ns() + grpc->backoff_ns);
    grpc->backoff_ns += grpc->backoff_ns / 5 * 3;
    if (grpc->backoff_ns > BACKOFF_NS_MAX)
        grpc->backoff_ns = BACKOFF_NS_MAX;
}

/* P-129: there is no server of gRPC's: it is dialled again until the time is over.  But a call that
 * was refused ends, since it does not wait for another connection.  Upstream: grpc-go,
 * picker_wrapper.go pick. */
static void wait_for_server(struct kp_flight *flight)
{
    const struct kp_grpc_status gone = {.code = KP_GRPC_UNAVAILABLE,
                                        .message = KP_TEXT("connection error")};
    struct grpc *grpc = flight->state;

    hang_up(grpc);
    if (grpc->was_refused)
        fail_call(flight, &gone);
    else
        back_off(flight);
}

/* Who says that it did not look at the call is called once more, whatever it said before in one
 * read with it: grpc-go's reader has seen both before anybody else has seen the first. */
static bool is_refused(const struct kp_http2 *http2)
{
    return http2->end == KP_HTTP2_DENIED ||
           (http2->end == KP_HTTP2_RESET && http2->code == NGHTTP2_REFUSED_STREAM);
}

static void look_at_call(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    if (flight->done)
        return;
    if (!grpc->http2.speaks && grpc->http2.end != KP_HTTP2_OPEN) {
        wait_for_server(flight);
    } else if (is_refused(&grpc->http2) && !grpc->was_refused) {
        grpc->was_refused = true;
        hang_up(grpc);
        dial_again(flight);
    } else if (grpc->reply.has_enough || grpc->http2.end != KP_HTTP2_OPEN) {
        end_call(flight);
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

/* P-126.  Without memory for it there is none, which scratch.failed says. */
static void make_request(struct kp_flight *flight)
{
    const struct kp_grpc_action *action = flight->attempt.probe->handler.grpc;
    struct grpc *grpc = flight->state;
    size_t len = kp_health_request_len(action->service);
    struct kp_buf buf = kp_scratch_buf(&flight->scratch, PREFIX_BYTES + len);

    kp_buf_put_char(&buf, 0); /* not compressed */
    for (size_t i = 1; i < PREFIX_BYTES; i++)
        kp_buf_put_char(&buf, (char)(len >> (8 * (PREFIX_BYTES - 1 - i)) & 0xff));
    kp_health_put_request(&buf, action->service);
    grpc->request = kp_buf_text(&buf);
}

/* P-128: grpc-go of the release that the kubelet was built with. */
static void put_user_agent(struct kp_buf *buf, const struct kp_profile *profile)
{
    kp_buf_put(buf, KP_TEXT("kube-probe/1."));
    kp_buf_put_int(buf, profile->minor);
    kp_buf_put(buf, KP_TEXT(" grpc-go/1."));
    kp_buf_put_int(buf, profile->grpc_go / 1000);
    kp_buf_put_char(buf, '.');
    kp_buf_put_int(buf, profile->grpc_go % 1000);
}

static void add(struct kp_http2_request *request, const char *name, struct kp_text value)
{
    request->fields[request->count++] = kp_http2_field(kp_text_of(name), value);
}

/* The request for grpc.health.v1.Health/Check (P-126). */
static bool make_call(struct kp_flight *flight, struct kp_http2_request *call)
{
    const struct grpc *grpc = flight->state;
    struct kp_buf agent = kp_scratch_buf(&flight->scratch, 64);
    struct kp_buf timeout = kp_scratch_buf(&flight->scratch, 64);

    call->fields = kp_scratch_alloc(&flight->scratch, 8 * sizeof *call->fields);
    if (flight->scratch.failed)
        return false;
    put_user_agent(&agent, flight->attempt.profile);
    kp_grpc_put_timeout(&timeout, flight->deadline_ns - kp_handlers_now_ns());
    add(call, ":method", KP_TEXT("POST"));
    add(call, ":scheme", is_tls(flight) ? KP_TEXT("https") : KP_TEXT("http"));
    add(call, ":path", KP_TEXT("/grpc.health.v1.Health/Check"));
    add(call, ":authority", grpc->address);
    add(call, "content-type", KP_TEXT("application/grpc"));
    add(call, "user-agent", kp_buf_text(&agent));
    add(call, "te", KP_TEXT("trailers"));
    add(call, "grpc-timeout", kp_buf_text(&timeout));
    call->body = grpc->request;
    call->waits = true; /* as grpc-go does */
    return true;
}

/* ---- the connection -------------------------------------------------------------------------- */

static void opened(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;
    struct kp_http2_request call = {0};

    if (grpc->conn.tls && !kp_conn_is_http2(&grpc->conn))
        wait_for_server(flight);
    else if (!make_call(flight, &call) ||
             !kp_http2_begin(&grpc->http2, flight, &grpc->conn, &stream_user, &call))
        kp_flight_out_of_memory(flight);
}

static void received(struct kp_flight *flight, struct kp_text bytes)
{
    kp_http2_take(&((struct grpc *)flight->state)->http2, bytes);
    look_at_call(flight);
}

static void sent(struct kp_flight *flight)
{
    kp_http2_was_sent(&((struct grpc *)flight->state)->http2);
}

static void ended(struct kp_flight *flight)
{
    const struct grpc *grpc = flight->state;

    if (grpc->http2.speaks)
        end_call(flight);
    else
        wait_for_server(flight);
}

static const struct kp_conn_user conn_user = {opened, received, sent, ended};

/* Straight to the address, without a proxy (P-131) and whatever the port (P-136). */
static bool dial(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    grpc->http2 = (struct kp_http2){0};
    kp_grpc_reply_init(&grpc->reply, &flight->scratch, flight->attempt.profile);
    return kp_conn_dial(&grpc->conn, flight, &conn_user, is_tls(flight), KP_ALPN_H2_ALONE);
}

static void dial_again(struct kp_flight *flight)
{
    if (!dial(flight))
        kp_flight_out_of_memory(flight);
}

/* What is no address cannot be dialled, and is until the time is over. */
static bool find_target(struct kp_flight *flight)
{
    const struct kp_attempt *attempt = &flight->attempt;
    struct grpc *grpc = flight->state;
    struct kp_buf address = kp_scratch_buf(&flight->scratch, attempt->pod_ip.len + 24);
    struct kp_buf port = kp_scratch_buf(&flight->scratch, 16);
    struct kp_message ignored = {0};

    if (flight->scratch.failed)
        return false;
    kp_put_host_port(&address, attempt->pod_ip, attempt->probe->handler.grpc->port);
    kp_buf_put_int(&port, attempt->probe->handler.grpc->port);
    grpc->address = kp_buf_text(&address);
    return kp_dial_init(&grpc->conn.dial, &flight->scratch, flight->attempt.profile,
                        attempt->pod_ip, kp_buf_text(&port), &ignored) ||
           !flight->scratch.failed;
}

static bool begin(struct kp_flight *flight)
{
    struct grpc *grpc = kp_scratch_alloc(&flight->scratch, sizeof *grpc);

    flight->state = grpc;
    if (!grpc || !find_target(flight))
        return false;
    grpc->backoff_ns = BACKOFF_NS;
    make_request(flight);
    return (!grpc->conn.dial.is_address && !grpc->conn.dial.url) || dial(flight);
}

static void wake(struct kp_flight *flight, int64_t now_ns)
{
    const struct grpc *grpc = flight->state;

    if (now_ns < flight->deadline_ns) {
        if (grpc->conn.state == KP_CONN_CLOSED)
            dial_again(flight);
    } else if (grpc->http2.speaks || grpc->was_refused) {
        fail_late(flight);
    } else {
        fail_dial(flight);
    }
}

static void end(struct kp_flight *flight)
{
    if (flight->state)
        hang_up(flight->state);
}

const struct kp_transport kp_transport_grpc = {begin, wake, end};
