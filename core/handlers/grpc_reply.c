#include "grpc_reply.h"

#include <string.h>

#define PREFIX_BYTES 5
#define PAGE_BYTES_MAX 1024
#define MESSAGE_BYTES_MAX (4 * 1024 * 1024) /* grpc-go's */

void kp_grpc_reply_init(struct kp_grpc_reply *reply, struct kp_scratch *scratch,
                        const struct kp_profile *profile)
{
    *reply = (struct kp_grpc_reply){.scratch = scratch, .profile = profile, .reset = -1};
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

/* Upstream: Go, net/http StatusText. */
static const char *name_of_http(int status)
{
    static const struct {
        int status;
        const char *name;
    } rows[] = {{100, "Continue"},
                {101, "Switching Protocols"},
                {102, "Processing"},
                {103, "Early Hints"},
                {200, "OK"},
                {201, "Created"},
                {202, "Accepted"},
                {203, "Non-Authoritative Information"},
                {204, "No Content"},
                {205, "Reset Content"},
                {206, "Partial Content"},
                {207, "Multi-Status"},
                {208, "Already Reported"},
                {226, "IM Used"},
                {300, "Multiple Choices"},
                {301, "Moved Permanently"},
                {302, "Found"},
                {303, "See Other"},
                {304, "Not Modified"},
                {305, "Use Proxy"},
                {307, "Temporary Redirect"},
                {308, "Permanent Redirect"},
                {400, "Bad Request"},
                {401, "Unauthorized"},
                {402, "Payment Required"},
                {403, "Forbidden"},
                {404, "Not Found"},
                {405, "Method Not Allowed"},
                {406, "Not Acceptable"},
                {407, "Proxy Authentication Required"},
                {408, "Request Timeout"},
                {409, "Conflict"},
                {410, "Gone"},
                {411, "Length Required"},
                {412, "Precondition Failed"},
                {413, "Request Entity Too Large"},
                {414, "Request URI Too Long"},
                {415, "Unsupported Media Type"},
                {416, "Requested Range Not Satisfiable"},
                {417, "Expectation Failed"},
                {418, "I'm a teapot"},
                {421, "Misdirected Request"},
                {422, "Unprocessable Entity"},
                {423, "Locked"},
                {424, "Failed Dependency"},
                {425, "Too Early"},
                {426, "Upgrade Required"},
                {428, "Precondition Required"},
                {429, "Too Many Requests"},
                {431, "Request Header Fields Too Large"},
                {451, "Unavailable For Legal Reasons"},
                {500, "Internal Server Error"},
                {501, "Not Implemented"},
                {502, "Bad Gateway"},
                {503, "Service Unavailable"},
                {504, "Gateway Timeout"},
                {505, "HTTP Version Not Supported"},
                {506, "Variant Also Negotiates"},
                {507, "Insufficient Storage"},
                {508, "Loop Detected"},
                {510, "Not Extended"},
                {511, "Network Authentication Required"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            return rows[i].name;
    return "";
}

/* Upstream: grpc-go, internal/transport http_util.go HTTPStatusConvTab. */
static uint32_t code_of_http(int status)
{
    switch (status) {
    case 400:
        return KP_GRPC_INTERNAL;
    case 401:
        return KP_GRPC_UNAUTHENTICATED;
    case 403:
        return KP_GRPC_PERMISSION_DENIED;
    case 404:
        return KP_GRPC_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
        return KP_GRPC_UNAVAILABLE;
    default:
        return KP_GRPC_UNKNOWN;
    }
}

/* Upstream: grpc-go, internal/transport http_util.go http2ErrConvTab. */
static uint32_t code_of_reset(int reset)
{
    enum { FLOW_CONTROL = 3, REFUSED = 7, CANCEL = 8, CALM = 11, INADEQUATE = 12, LAST = 13 };

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
    default: /* grpc-go has no name for what HTTP/2 has none for */
        return reset > LAST ? KP_GRPC_UNKNOWN : KP_GRPC_INTERNAL;
    }
}

/* ---- head and trailers ----------------------------------------------------------------------- */

/* application/grpc, alone or with a subtype behind + or ;. */
static bool is_grpc_type(struct kp_text type)
{
    static const char base[] = "application/grpc";
    size_t len = sizeof base - 1;
    bool more = type.len > len && (type.bytes[len] == '+' || type.bytes[len] == ';');

    return kp_text_equal((struct kp_text){type.bytes, more ? len : type.len}, KP_TEXT(base));
}

/* What strconv.ParseInt takes, of 32 bits. */
static bool read_int32(struct kp_text value, int64_t *number)
{
    bool negative = value.len > 0 && value.bytes[0] == '-';
    size_t at = negative || (value.len > 0 && value.bytes[0] == '+');

    *number = 0;
    if (at == value.len)
        return false;
    for (; at < value.len; at++) {
        if (!kp_is_digit(value.bytes[at]))
            return false;
        *number = 10 * *number + (negative ? '0' - value.bytes[at] : value.bytes[at] - '0');
        if (*number != (int32_t)*number)
            return false;
    }
    return true;
}

/* One that is no number ends the call. */
static void read_status(struct kp_grpc_reply *reply, struct kp_text value)
{
    reply->has_status = true;
    reply->bad_status |= !read_int32(value, &reply->status);
}

/* An empty one is as none from grpc-go 1.79 on. */
static void read_http_status(struct kp_grpc_reply *reply, struct kp_text value)
{
    int64_t status;

    if (reply->profile->grpc_type_decides && value.len == 0)
        return;
    reply->has_http_status = true;
    reply->is_200 = kp_text_equal(value, KP_TEXT("200"));
    reply->bad_http_status = !read_int32(value, &status);
    reply->http_status = reply->bad_http_status ? 0 : (int)status;
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

/* With padding where the length is a multiple of four, and without where it is not. */
static bool is_base64(struct kp_text text)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = text.len;

    if (len > 0 && len % 4 == 0 && text.bytes[len - 1] == '=')
        len -= text.bytes[len - 2] == '=' ? 2 : 1;
    for (size_t i = 0; i < len; i++)
        if (!memchr(alphabet, text.bytes[i], sizeof alphabet - 1))
            return false;
    return len % 4 != 1;
}

static void take_header(struct kp_grpc_reply *reply, struct kp_text name, struct kp_text value)
{
    if (kp_text_equal(name, KP_TEXT("content-type")) && !reply->ended_head) {
        reply->is_grpc |= is_grpc_type(value); /* one of several is enough */
        reply->has_type = true;
        reply->content_type = kp_scratch_copy(reply->scratch, value);
    } else if (kp_text_equal(name, KP_TEXT("grpc-encoding")) && !reply->ended_head) {
        reply->encoding = kp_scratch_copy(reply->scratch, value);
    } else if (kp_text_ends(name, "-bin")) {
        reply->bad_binary |= !is_base64(value);
    } else if (kp_text_equal(name, KP_TEXT("grpc-status"))) {
        read_status(reply, value);
    } else if (kp_text_equal(name, KP_TEXT("grpc-message"))) {
        reply->status_message = decoded(reply->scratch, value);
    }
}

/* Up to grpc-go 1.72 the HTTP status has to be 200, whatever the content type. */
static bool is_taken(const struct kp_grpc_reply *reply)
{
    return reply->is_grpc && (reply->profile->grpc_type_decides || reply->is_200);
}

/* What ends the call, whatever follows. */
static bool is_bad(const struct kp_grpc_reply *reply)
{
    return reply->bad_status || reply->bad_middle || reply->bad_informational ||
           (reply->bad_binary && reply->ended_head && is_taken(reply));
}

/* What goes before a head, where it is none itself by its type. */
static bool is_informational(const struct kp_grpc_reply *reply)
{
    return reply->http_status / 100 == 1 && reply->profile->grpc_type_decides && !reply->is_grpc;
}

/* What is none of gRPC's: whatever stands in another head says nothing of it. */
static bool is_page(const struct kp_grpc_reply *reply)
{
    return reply->ended_head && !is_taken(reply) && !reply->bad_status;
}

bool kp_grpc_reply_head_ended(struct kp_grpc_reply *reply, bool is_last)
{
    reply->fault = kp_http2_fields_end(&reply->fields);
    reply->fields = (struct kp_http2_fields){0};
    if (reply->fault.len > 0)
        return false;
    if (is_page(reply))
        return true;
    reply->bad_middle |= reply->ended_head && !is_last;
    reply->ended_head |= !is_informational(reply);
    reply->bad_informational |= !reply->ended_head && is_last;
    if (is_bad(reply))
        return false;
    return !reply->ended_head || is_taken(reply) ||
           (reply->profile->grpc_page_is_read && !reply->bad_http_status);
}

/* A status in a head is the call's where no trailers follow it.  What a head that was passed over
 * said does not count. */
void kp_grpc_reply_head(struct kp_grpc_reply *reply)
{
    reply->goes_on = reply->ended_head;
    reply->has_status = false;
    reply->status_message = KP_TEXT("");
    if (reply->goes_on)
        return;
    reply->content_type = reply->encoding = KP_TEXT("");
    reply->has_http_status = reply->has_type = reply->bad_binary = false;
    reply->http_status = 0;
}

void kp_grpc_reply_field(struct kp_grpc_reply *reply, struct kp_text name, struct kp_text value)
{
    if (!kp_http2_fields_take(&reply->fields, reply->scratch, reply->profile, name, value) ||
        is_page(reply))
        return;
    if (!kp_text_equal(name, KP_TEXT(":status")))
        take_header(reply, name, value);
    else if (!reply->ended_head)
        read_http_status(reply, value);
}

/* ---- the message ----------------------------------------------------------------------------- */

/* The length in the prefix at `at`. */
static size_t announced(const struct kp_grpc_reply *reply, size_t at)
{
    size_t len = 0;

    for (size_t i = 1; i < PREFIX_BYTES; i++)
        len = len << 8 | reply->body[at + i];
    return len;
}

bool kp_grpc_reply_body(struct kp_grpc_reply *reply, struct kp_text bytes)
{
    size_t room = reply->len < KP_GRPC_MESSAGE_BYTES ? KP_GRPC_MESSAGE_BYTES - reply->len : 0;
    size_t kept = bytes.len < room ? bytes.len : room;

    if (kept > 0) {
        unsigned char *body =
            kp_scratch_grow(reply->scratch, reply->body, &reply->cap, reply->len + kept);

        if (!body)
            return false;
        reply->body = body;
        memcpy(body + reply->len, bytes.bytes, kept);
    }
    reply->len += bytes.len;
    if (is_page(reply))
        return reply->len < PAGE_BYTES_MAX;
    return reply->len < PREFIX_BYTES || announced(reply, 0) <= MESSAGE_BYTES_MAX;
}

static bool fail(struct kp_grpc_status *status, uint32_t code, const char *words)
{
    *status = (struct kp_grpc_status){.code = code, .message = kp_text_of(words)};
    return false;
}

/* A reply that is none of gRPC's: its HTTP status decides. */
static bool fail_http(const struct kp_grpc_reply *reply, struct kp_grpc_status *status)
{
    uint32_t code = code_of_http(reply->http_status);
    struct kp_message message = {0};

    if (reply->bad_http_status)
        return fail(status, KP_GRPC_INTERNAL, "transport: malformed http-status");
    if (!reply->has_http_status) {
        code = KP_GRPC_INTERNAL;
        kp_message_add(&message, KP_TEXT("malformed header: missing HTTP status"));
    } else if (reply->profile->grpc_type_decides || !reply->is_200) {
        kp_message_add(&message, KP_TEXT("unexpected HTTP status code received from server: "));
        kp_message_add_int(&message, reply->http_status);
        kp_message_add(&message, KP_TEXT(" ("));
        kp_message_add(&message, kp_text_of(name_of_http(reply->http_status)));
        kp_message_add(&message, KP_TEXT(")"));
    }
    if (message.count > 0 && !reply->is_grpc)
        kp_message_add(&message, KP_TEXT("; "));
    if (!reply->is_grpc && reply->has_type) {
        kp_message_add(&message, KP_TEXT("transport: received unexpected content-type "));
        kp_message_add_quoted(&message, reply->content_type);
    } else if (!reply->is_grpc) {
        kp_message_add(&message, KP_TEXT("malformed header: missing HTTP content-type"));
    }
    if (reply->profile->grpc_page_is_read && (reply->goes_on || !reply->ended_by_head)) {
        kp_message_add(&message, KP_TEXT("\ndata: "));
        kp_message_add_quoted(
            &message, (struct kp_text){(const char *)reply->body,
                                       reply->len < PAGE_BYTES_MAX ? reply->len : PAGE_BYTES_MAX});
    }
    fail(status, code, "");
    status->message = kp_scratch_message(reply->scratch, &message);
    return false;
}

/*
 * How the stream ended.
 *
 * Returns: true: in order; `status` is what the server says of the call, which may be that it is
 * fine.
 */
static bool read_end(const struct kp_grpc_reply *reply, bool whole, struct kp_grpc_status *status)
{
    if (reply->fault.len > 0) {
        *status = (struct kp_grpc_status){.code = KP_GRPC_INTERNAL, .message = reply->fault};
        return false;
    }
    if (reply->bad_status && !reply->bad_middle)
        return fail(status, reply->profile->grpc_type_decides ? KP_GRPC_UNKNOWN : KP_GRPC_INTERNAL,
                    "transport: malformed grpc-status");
    if (is_bad(reply))
        return fail(status, KP_GRPC_INTERNAL,
                    reply->bad_middle ? "a HEADERS frame cannot appear in the middle of a stream"
                    : reply->bad_informational
                        ? "protocol error: informational header must not have END_STREAM set"
                        : "transport: malformed -bin header");
    if (reply->reset >= 0)
        return fail(status, code_of_reset(reply->reset), "stream terminated by RST_STREAM");
    if (!reply->ended_head || !whole)
        return fail(status, KP_GRPC_UNAVAILABLE, "error reading from server: EOF");
    if (!reply->ended_by_head)
        fail(status, KP_GRPC_INTERNAL, "server closed the stream without sending trailers");
    else
        *status =
            (struct kp_grpc_status){reply->has_status ? (uint32_t)reply->status : KP_GRPC_UNKNOWN,
                                    reply->status_message, .by_server = true};
    return true;
}

/* Nobody here can decompress anything: what the kubelet's gRPC is built with decides there. */
static bool fail_compressed(const struct kp_grpc_reply *reply, struct kp_grpc_status *status)
{
    struct kp_message message = {0};

    if (reply->encoding.len == 0 || kp_text_equal(reply->encoding, KP_TEXT("identity")))
        return fail(status, KP_GRPC_INTERNAL,
                    "grpc: compressed flag set with identity or empty encoding");
    kp_message_add(&message, KP_TEXT("grpc: Decompressor is not installed for grpc-encoding "));
    kp_message_add_quoted(&message, reply->encoding);
    fail(status, reply->profile->grpc_prefix_may_be_cut ? KP_GRPC_INTERNAL : KP_GRPC_UNIMPLEMENTED,
         "");
    status->message = kp_scratch_message(reply->scratch, &message);
    return false;
}

static bool fail_format(const struct kp_grpc_reply *reply, size_t at, struct kp_grpc_status *status)
{
    struct kp_message message = {0};

    kp_message_add(&message, KP_TEXT("grpc: received unexpected payload format "));
    kp_message_add_int(&message, reply->body[at]);
    fail(status, KP_GRPC_INTERNAL, "");
    status->message = kp_scratch_message(reply->scratch, &message);
    return false;
}

/*
 * The stream ended in the midst of what began.  Where it ended in order, or by a reset that is not
 * told, grpc-go's reader sees no more than that.
 */
static bool fail_cut(const struct kp_grpc_reply *reply, bool in_order,
                     struct kp_grpc_status *status)
{
    if (in_order || (reply->reset >= 0 && !reply->profile->grpc_reset_is_reported))
        fail(status, KP_GRPC_INTERNAL, "unexpected EOF");
    return false;
}

/*
 * The length of the message whose prefix is at `at`.
 *
 * Returns: false: there is none; where it is a wrong one, `status` says so.
 */
static bool take_message(const struct kp_grpc_reply *reply, size_t at, bool in_order, size_t *len,
                         struct kp_grpc_status *status)
{
    size_t left = reply->len - at;
    bool is_kept = at + PREFIX_BYTES <= KP_GRPC_MESSAGE_BYTES;

    if (left < PREFIX_BYTES)
        return left > 0 && !reply->profile->grpc_prefix_may_be_cut &&
               fail_cut(reply, in_order, status);
    *len = is_kept ? announced(reply, at) : 0;
    if (*len > MESSAGE_BYTES_MAX)
        return fail(status, KP_GRPC_RESOURCE_EXHAUSTED, "grpc: received message larger than max");
    if (left < PREFIX_BYTES + *len)
        return fail_cut(reply, in_order, status);
    if (!is_kept || reply->body[at] == 0)
        return true;
    return reply->body[at] == 1 ? fail_compressed(reply, status) : fail_format(reply, at, status);
}

/* Upstream: grpc-go, stream.go csAttempt.recvMsg. */
bool kp_grpc_reply_end(struct kp_grpc_reply *reply, bool whole, struct kp_grpc_status *status)
{
    size_t len;
    size_t another;
    bool in_order;

    if (is_page(reply) && (!reply->profile->grpc_page_is_read || reply->bad_http_status ||
                           reply->len >= PAGE_BYTES_MAX))
        return fail_http(reply, status);
    in_order = read_end(reply, whole, status);
    if (is_page(reply))
        return in_order && !reply->ended_by_nothing && fail_http(reply, status);
    if (!take_message(reply, 0, in_order, &len, status)) {
        if (status->code != KP_GRPC_OK)
            return false;
        fail(status, KP_GRPC_INTERNAL,
             "cardinality violation: received no response message from non-server-streaming RPC");
        if (!reply->profile->grpc_type_decides)
            *status = (struct kp_grpc_status){.message = KP_TEXT("EOF"), .is_no_status = true};
        return false;
    }
    if (PREFIX_BYTES + len > KP_GRPC_MESSAGE_BYTES)
        return fail(status, KP_GRPC_INTERNAL, "grpc: error unmarshalling: proto");
    reply->message = (struct kp_text){(const char *)reply->body + PREFIX_BYTES, len};
    if (take_message(reply, PREFIX_BYTES + len, in_order, &another, status))
        fail(status, reply->profile->grpc_type_decides ? KP_GRPC_INTERNAL : KP_GRPC_UNKNOWN,
             reply->profile->grpc_type_decides
                 ? "cardinality violation: expected <EOF> for non server-streaming RPCs, but "
                   "received another message"
                 : "grpc: client streaming protocol violation: get <nil>, want <EOF>");
    return true;
}
