/*
 * grpc.c: the gRPC handler: grpc.health.v1.Health/Check over libcurl's HTTP/2.
 *
 * Upstream: pkg/probe/grpc/grpc.go Probe; grpc-go for what a call says when it fails.
 */
#include "grpc_link.h"
#include "grpc_reply.h"
#include "health.h"
#include "url.h"

#include <string.h>

#define PREFIX_BYTES 5         /* of a message: compressed or not, length */
#define BACKOFF_NS KP_NS_PER_S /* before the second dial; none has the time for a third */

struct grpc {
    struct kp_grpc_link link;
    struct kp_transfer call;
    struct kp_dial dial;
    struct kp_text address; /* host:port as the kubelet prints it */
    struct curl_slist *lines;
    struct kp_text request;
    struct kp_grpc_reply reply;
    bool refused; /* once: it was called again */
};

static void dial_again(struct kp_flight *flight);

/* ---- ends ------------------------------------------------------------------------------------ */

static void run_dry(struct kp_flight *flight)
{
    kp_flight_finish_text(flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

/* P-130. */
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

/* ---- what libcurl tells ---------------------------------------------------------------------- */

static size_t on_head(char *bytes, size_t size, size_t count, void *ctx)
{
    struct grpc *grpc = ((struct kp_flight *)ctx)->state;

    (void)size;
    return kp_grpc_reply_line(&grpc->reply, (struct kp_text){bytes, count}) ? count : 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct grpc *grpc = ((struct kp_flight *)ctx)->state;

    (void)size;
    return kp_grpc_reply_body(&grpc->reply, (struct kp_text){bytes, count}) ? count : 0;
}

/* P-127. */
static bool is_tls(const struct kp_flight *flight)
{
    return flight->attempt.profile->gates[KP_GATE_GRPCContainerProbeTLS] &&
           kp_text_equal(flight->attempt.probe->handler.grpc->mode, KP_TEXT("TLS"));
}

/* ---- the ends of a call ---------------------------------------------------------------------- */

static void end_call(struct kp_flight *flight, bool whole)
{
    struct grpc *grpc = flight->state;
    struct kp_grpc_status status;

    if (grpc->link.frames.was_reset)
        grpc->reply.reset = (int)(grpc->link.frames.reset & INT32_MAX);
    grpc->reply.ended_by_head = grpc->link.frames.ended_by_head;
    if (kp_grpc_reply_end(&grpc->reply, whole, &status))
        read_health(flight, &status);
    else
        fail_call(flight, &status);
}

static void finished(struct kp_transfer *call, CURLcode code)
{
    struct grpc *grpc = call->flight->state;

    if (!kp_dial_lacked_memory(&grpc->dial, call, code))
        end_call(call->flight, code == CURLE_OK);
}

static void hang_up(struct grpc *grpc)
{
    kp_transfer_end(&grpc->call);
    kp_grpc_link_end(&grpc->link);
}

static void link_ended(struct kp_flight *flight, enum kp_link_end end)
{
    struct grpc *grpc = flight->state;

    if (end == KP_LINK_LOST || (end == KP_LINK_REFUSED && grpc->refused)) {
        end_call(flight, false);
        return;
    }
    hang_up(grpc);
    if (end == KP_LINK_REFUSED) {
        grpc->refused = true;
        dial_again(flight);
        return;
    }
    /* P-129: it is dialled again until the time is over. */
    kp_flight_wake_at(flight, kp_handlers_now_ns() + BACKOFF_NS);
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
    static const char *const releases[] = {"1.40.0", "1.40.0", "1.47.0", "1.56.3",
                                           "1.58.3", "1.65.0", "1.68.1", "1.72.1",
                                           "1.72.2", "1.79.3", "1.82.1"};

    kp_buf_put(buf, KP_TEXT("User-Agent: kube-probe/1."));
    kp_buf_put_int(buf, profile->minor);
    kp_buf_put(buf, KP_TEXT(" grpc-go/"));
    kp_buf_put(buf, kp_text_of(releases[profile->grpc_go_release]));
}

/* At most eight digits, as grpc-go's EncodeDuration. */
static void put_timeout(struct kp_buf *buf, int64_t left_ns)
{
    static const struct {
        int64_t ns;
        char unit;
    } units[] = {{1, 'n'},
                 {1000, 'u'},
                 {KP_NS_PER_MS, 'm'},
                 {KP_NS_PER_S, 'S'},
                 {60 * KP_NS_PER_S, 'M'},
                 {3600 * KP_NS_PER_S, 'H'}}; /* enough for any int64 */
    size_t i = 0;

    while ((left_ns + units[i].ns - 1) / units[i].ns > 99999999)
        i++;
    kp_buf_put(buf, KP_TEXT("grpc-timeout: "));
    kp_buf_put_int(buf, (left_ns + units[i].ns - 1) / units[i].ns);
    kp_buf_put_char(buf, units[i].unit);
}

/* Where there is no memory for it the call is not sent. */
static void add_line(struct grpc *grpc, const char *line)
{
    struct curl_slist *grown = line ? curl_slist_append(grpc->lines, line) : NULL;

    if (grown)
        grpc->lines = grown;
    else
        grpc->call.lacks_memory = true;
}

static void make_lines(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;
    struct kp_buf host = kp_scratch_buf(&flight->scratch, grpc->address.len + 8);
    struct kp_buf agent = kp_scratch_buf(&flight->scratch, 64);
    struct kp_buf timeout = kp_scratch_buf(&flight->scratch, 64);

    curl_slist_free_all(grpc->lines);
    grpc->lines = NULL;
    kp_buf_put(&host, KP_TEXT("Host: "));
    kp_buf_put(&host, grpc->address);
    put_user_agent(&agent, flight->attempt.profile);
    put_timeout(&timeout, flight->deadline_ns - kp_handlers_now_ns());
    add_line(grpc, host.bytes);
    add_line(grpc, "Content-Type: application/grpc");
    add_line(grpc, agent.bytes);
    add_line(grpc, "TE: trailers");
    add_line(grpc, timeout.bytes);
    add_line(grpc, "Accept:");
    add_line(grpc, "Content-Length:");
    if (is_tls(flight))
        add_line(grpc, ":scheme: https");
}

static void set_call(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;
    CURL *easy = grpc->call.easy;

    kp_transfer_set_text(&grpc->call, CURLOPT_REQUEST_TARGET, "/grpc.health.v1.Health/Check");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, grpc->lines);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, grpc->request.bytes);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)grpc->request.len);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, flight);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, flight);
}

/* The server is there. */
static void call(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    if (!kp_transfer_begin(&grpc->call, flight, finished)) {
        run_dry(flight);
        return;
    }
    make_lines(flight);
    set_call(flight);
    if (!kp_grpc_link_carry(&grpc->link, &grpc->call))
        run_dry(flight);
}

/* P-131, P-136. */
static bool dial(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    kp_grpc_reply_init(&grpc->reply, &flight->scratch, flight->attempt.profile);
    return kp_grpc_link_dial(&grpc->link, flight, &grpc->dial, is_tls(flight));
}

static void dial_again(struct kp_flight *flight)
{
    if (!dial(flight))
        run_dry(flight);
}

static bool begin(struct kp_flight *flight)
{
    const struct kp_attempt *attempt = &flight->attempt;
    struct grpc *grpc = kp_scratch_alloc(&flight->scratch, sizeof *grpc);
    struct kp_buf address = kp_scratch_buf(&flight->scratch, attempt->pod_ip.len + 24);
    struct kp_buf port = kp_scratch_buf(&flight->scratch, 16);
    struct kp_message ignored = {0};

    if (!grpc || !address.bytes || !port.bytes)
        return false;
    flight->state = grpc;
    grpc->link.connected = call;
    grpc->link.ended = link_ended;
    kp_put_host_port(&address, attempt->pod_ip, attempt->probe->handler.grpc->port);
    kp_buf_put_int(&port, attempt->probe->handler.grpc->port);
    grpc->address = kp_buf_text(&address);
    kp_dial_init(&grpc->dial, &flight->scratch, is_tls(flight) ? "https" : "http", attempt->pod_ip,
                 kp_buf_text(&port), &ignored); /* no such address: it is dialled all the same */
    make_request(flight);
    return dial(flight);
}

static void wake(struct kp_flight *flight, int64_t now_ns)
{
    const struct grpc *grpc = flight->state;

    if (now_ns < flight->deadline_ns)
        dial_again(flight);
    else if (grpc->link.frames.speaks)
        fail_late(flight);
    else
        fail_dial(flight);
}

static void end(struct kp_flight *flight)
{
    struct grpc *grpc = flight->state;

    if (!grpc)
        return;
    hang_up(grpc);
    curl_slist_free_all(grpc->lines);
}

const struct kp_transport kp_transport_grpc = {begin, wake, end};
