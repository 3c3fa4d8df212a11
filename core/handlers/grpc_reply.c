#include "grpc_reply.h"

#include <string.h>

#define PREFIX_BYTES 5
#define MESSAGE_BYTES_MAX (4 * 1024 * 1024) /* grpc-go's */

void kp_grpc_reply_init(struct kp_grpc_reply *reply, struct kp_scratch *scratch)
{
    *reply = (struct kp_grpc_reply){.scratch = scratch, .reset = -1};
}

/* ---- codes ----------------------------------------------------------------------------------- */

void kp_grpc_add_code(struct kp_message *message, uint32_t code)
{
    static const char *const names[] = {
        "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
        "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
        "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
        "DataLoss", "Unauthenticated"};

    if (code < sizeof names / sizeof names[0]) {
        kp_message_add(message, kp_text_of(names[code]));
        return;
    }
    kp_message_add(message, KP_TEXT("Code("));
    kp_message_add_int(message, code);
    kp_message_add(message, KP_TEXT(")"));
}

static uint32_t code_of_http(int status)
{
    static const struct {
        int status;
        uint32_t code;
    } rows[] = {{400, KP_GRPC_INTERNAL},          {401, KP_GRPC_UNAUTHENTICATED},
                {403, KP_GRPC_PERMISSION_DENIED}, {404, KP_GRPC_UNIMPLEMENTED},
                {429, KP_GRPC_UNAVAILABLE},       {502, KP_GRPC_UNAVAILABLE},
                {503, KP_GRPC_UNAVAILABLE},       {504, KP_GRPC_UNAVAILABLE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            return rows[i].code;
    return KP_GRPC_UNKNOWN;
}

/* Upstream: grpc-go, internal/transport http_util.go http2ErrConvTab. */
static uint32_t code_of_reset(int reset)
{
    enum { FLOW_CONTROL = 3, REFUSED = 7, CANCEL = 8, CALM = 11, INADEQUATE = 12 };

    switch (reset) {
    case FLOW_CONTROL:
    case CALM:
        return KP_GRPC_RESOURCE_EXHAUSTED;
    case REFUSED:
        return KP_GRPC_UNAVAILABLE;
    case CANCEL:
        return KP_GRPC_CANCELED;
    case INADEQUATE:
        return KP_GRPC_PERMISSION_DENIED;
    default:
        return KP_GRPC_INTERNAL;
    }
}

/* ---- head and trailers ----------------------------------------------------------------------- */

static struct kp_text trimmed(struct kp_text text)
{
    while (text.len > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        text = (struct kp_text){text.bytes + 1, text.len - 1};
    while (text.len > 0 && strchr(" \t\r\n", text.bytes[text.len - 1]))
        text.len--;
    return text;
}

/* application/grpc, alone or with a subtype behind + or ;. */
static bool is_grpc_type(struct kp_text type)
{
    static const char base[] = "application/grpc";
    size_t len = sizeof base - 1;
    bool more = type.len > len && (type.bytes[len] == '+' || type.bytes[len] == ';');

    return kp_text_equal_any_case((struct kp_text){type.bytes, more ? len : type.len}, base);
}

static void read_status(struct kp_grpc_reply *reply, struct kp_text value)
{
    bool negative = value.len > 0 && value.bytes[0] == '-';
    size_t at = negative || (value.len > 0 && value.bytes[0] == '+');
    int64_t number = 0;

    reply->has_status = true;
    reply->bad_status = at == value.len;
    for (; at < value.len && !reply->bad_status; at++) {
        reply->bad_status = value.bytes[at] < '0' || value.bytes[at] > '9';
        number = 10 * number + (value.bytes[at] - '0');
        reply->bad_status |= number > INT32_MAX;
    }
    reply->status = negative ? -number : number;
}

/* grpc-message is percent-encoded; what is not well-formed stays as it is. */
static struct kp_text decoded(struct kp_scratch *scratch, struct kp_text text)
{
    struct kp_buf buf = kp_scratch_buf(scratch, text.len);

    for (size_t i = 0; i < text.len; i++) {
        int high = text.bytes[i] == '%' && i + 2 < text.len ? kp_hex_value(text.bytes[i + 1]) : -1;
        int low = high >= 0 ? kp_hex_value(text.bytes[i + 2]) : -1;

        if (low < 0) {
            kp_buf_put_char(&buf, text.bytes[i]);
            continue;
        }
        kp_buf_put_char(&buf, (char)(16 * high + low));
        i += 2;
    }
    return kp_buf_text(&buf);
}

static void take_header(struct kp_grpc_reply *reply, struct kp_text name, struct kp_text value)
{
    if (kp_text_equal_any_case(name, "content-type") && !reply->ended_head) {
        reply->is_grpc = is_grpc_type(value);
        reply->content_type = kp_scratch_copy(reply->scratch, value);
    } else if (kp_text_equal_any_case(name, "grpc-status")) {
        read_status(reply, value);
    } else if (kp_text_equal_any_case(name, "grpc-message")) {
        reply->status_message = decoded(reply->scratch, value);
    }
}

bool kp_grpc_reply_line(struct kp_grpc_reply *reply, struct kp_text line)
{
    struct kp_text text = trimmed(line);
    const char *colon;
    size_t name_len;

    if (text.len >= 10 && !reply->ended_head && memcmp(text.bytes, "HTTP/2 ", 7) == 0) {
        reply->http_status =
            100 * (text.bytes[7] - '0') + 10 * (text.bytes[8] - '0') + (text.bytes[9] - '0');
        return true;
    }
    if (text.len == 0) {
        reply->ended_head = reply->http_status / 100 != 1;
        return !reply->ended_head || reply->is_grpc;
    }
    colon = memchr(text.bytes, ':', text.len);
    if (!colon)
        return true;
    name_len = (size_t)(colon - text.bytes);
    take_header(reply, (struct kp_text){text.bytes, name_len},
                trimmed((struct kp_text){colon + 1, text.len - name_len - 1}));
    return true;
}

/* ---- the message ----------------------------------------------------------------------------- */

static size_t announced(const struct kp_grpc_reply *reply)
{
    size_t len = 0;

    for (size_t i = 1; i < PREFIX_BYTES; i++)
        len = len << 8 | reply->body[i];
    return len;
}

bool kp_grpc_reply_body(struct kp_grpc_reply *reply, struct kp_text bytes)
{
    size_t room = reply->len < sizeof reply->body ? sizeof reply->body - reply->len : 0;

    if (bytes.len > 0)
        memcpy(reply->body + (sizeof reply->body - room), bytes.bytes,
               bytes.len < room ? bytes.len : room);
    reply->len += bytes.len;
    return reply->len < PREFIX_BYTES || announced(reply) <= MESSAGE_BYTES_MAX;
}

static bool fail(struct kp_grpc_status *status, uint32_t code, const char *words)
{
    *status = (struct kp_grpc_status){.code = code, .message = kp_text_of(words)};
    return false;
}

/* A reply that is none of gRPC's: its HTTP status decides. */
static bool fail_http(const struct kp_grpc_reply *reply, struct kp_grpc_status *status)
{
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("unexpected HTTP status code received from server: "));
    kp_message_add_int(&message, reply->http_status);
    if (reply->content_type.len > 0) {
        kp_message_add(&message, KP_TEXT("; transport: received unexpected content-type "));
        kp_message_add_quoted(&message, reply->content_type);
    } else {
        kp_message_add(&message, KP_TEXT("; malformed header: missing HTTP content-type"));
    }
    fail(status, code_of_http(reply->http_status), "");
    status->message = kp_scratch_say(reply->scratch, &message);
    return false;
}

static bool take_message(struct kp_grpc_reply *reply, struct kp_grpc_status *status)
{
    size_t len = reply->len >= PREFIX_BYTES ? announced(reply) : 0;

    if (reply->len == 0)
        return fail(status, KP_GRPC_INTERNAL,
                    "cardinality violation: received no response message from "
                    "non-server-streaming RPC");
    if (len > MESSAGE_BYTES_MAX)
        return fail(status, KP_GRPC_RESOURCE_EXHAUSTED, "grpc: received message larger than max");
    if (reply->len < PREFIX_BYTES + len)
        return fail(status, KP_GRPC_INTERNAL, "unexpected EOF");
    if (reply->body[0] != 0)
        return fail(status, KP_GRPC_INTERNAL,
                    "grpc: compressed flag set with identity or empty encoding");
    if (reply->len > PREFIX_BYTES + len)
        return fail(status, KP_GRPC_INTERNAL,
                    "cardinality violation: expected <EOF> for non server-streaming RPCs, but "
                    "received another message");
    if (reply->len > sizeof reply->body)
        return fail(status, KP_GRPC_INTERNAL, "grpc: error unmarshalling: proto");
    reply->message = (struct kp_text){(const char *)reply->body + PREFIX_BYTES, len};
    return true;
}

bool kp_grpc_reply_end(struct kp_grpc_reply *reply, bool whole, struct kp_grpc_status *status)
{
    if (reply->ended_head && !reply->is_grpc)
        return fail_http(reply, status);
    if (reply->reset >= 0)
        return fail(status, code_of_reset(reply->reset), "stream terminated by RST_STREAM");
    if (!reply->ended_head)
        return fail(status, KP_GRPC_UNAVAILABLE, "error reading from server: EOF");
    if (reply->len >= PREFIX_BYTES && announced(reply) > MESSAGE_BYTES_MAX)
        return take_message(reply, status);
    if (!whole)
        return fail(status, KP_GRPC_UNAVAILABLE, "error reading from server: EOF");
    if (reply->bad_status)
        return fail(status, KP_GRPC_UNKNOWN, "transport: malformed grpc-status");
    if (!reply->has_status)
        return fail(status, KP_GRPC_INTERNAL, "server closed the stream without sending trailers");
    if (reply->status == KP_GRPC_OK)
        return take_message(reply, status);
    *status = (struct kp_grpc_status){(uint32_t)reply->status, reply->status_message, true};
    return false;
}
