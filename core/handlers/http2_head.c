#include "http2_head.h"

#include "http_headers.h"

/* A number without a sign; -1: it is none. */
static int64_t decimal(struct kp_text text)
{
    int64_t number = text.len > 0 ? 0 : -1;

    for (size_t i = 0; i < text.len; i++) {
        int digit = text.bytes[i] - '0';

        if (!kp_is_digit(text.bytes[i]) || number > (INT64_MAX - digit) / 10)
            return -1;
        number = 10 * number + digit;
    }
    return number;
}

static bool refuse_stream(struct kp_http_reply *reply, const char *cause)
{
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT("stream error: stream ID 1; PROTOCOL_ERROR; "));
    kp_message_add(&reply->why, kp_text_of(cause));
    return false;
}

/* Small letters alone.  Upstream: x/net, http2 validWireHeaderFieldName. */
static bool is_wire_name(struct kp_text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!kp_headers_is_token_byte(name.bytes[i]) ||
            (name.bytes[i] >= 'A' && name.bytes[i] <= 'Z'))
            return false;
    return name.len > 0;
}

/* What is wrong with such fields is told where all others are good, the first of it alone.
 * Upstream: frame.go checkPseudos. */
static void note_fault(struct kp_http_reply *reply, const char *fault, struct kp_text name)
{
    struct kp_message message = {0};

    if (reply->pseudo_fault.len > 0)
        return;
    kp_message_add(&message, kp_text_of(fault));
    kp_message_add_quoted(&message, name);
    reply->pseudo_fault = kp_scratch_message(reply->scratch, &message);
}

static void take_pseudo(struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    static const char *const names[] = {":status", ":method",    ":path",
                                        ":scheme", ":authority", ":protocol"};
    unsigned at = 0;

    while (at < sizeof names / sizeof names[0] && !kp_text_equal(name, kp_text_of(names[at])))
        at++;
    if (at == sizeof names / sizeof names[0])
        note_fault(reply, "invalid pseudo-header ", name);
    else if (reply->pseudos & 1u << at)
        note_fault(reply, "duplicate pseudo-header ", name);
    reply->pseudos |= 1u << at;
    if (at == 0)
        reply->status_text = kp_scratch_copy(reply->scratch, value);
}

/* What strconv.Atoi takes, as far as an int32 holds it. */
static bool read_status(struct kp_http_reply *reply)
{
    struct kp_text text = reply->status_text;
    bool is_signed = text.bytes[0] == '-' || text.bytes[0] == '+';
    int64_t number = decimal((struct kp_text){text.bytes + is_signed, text.len - is_signed});

    reply->status = (int)(text.bytes[0] == '-' ? -number : number);
    return number >= 0 && number <= INT32_MAX;
}

/* Of a field, or of its value, the name is told; but up to December 2021 of a value that. */
static void refuse_field(struct kp_http_reply *reply, const char *fault, struct kp_text told)
{
    refuse_stream(reply, fault);
    kp_message_add_quoted(&reply->why, kp_scratch_copy(reply->scratch, told));
}

void kp_http2_head_field(struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    bool is_pseudo = name.len > 0 && name.bytes[0] == ':';

    if (reply->refused)
        return;
    if (!is_pseudo && !is_wire_name(name)) {
        refuse_field(reply, "invalid header field name ", name);
    } else if (is_pseudo && reply->in_fields) {
        refuse_stream(reply, "pseudo header field after regular");
    } else if (!kp_headers_is_value(value)) {
        bool untold = reply->profile->field_value_untold;

        refuse_field(reply,
                     untold ? "invalid header field value for " : "invalid header field value ",
                     untold ? name : value);
    } else if (is_pseudo) {
        take_pseudo(reply, name, value);
    } else {
        reply->in_fields = true;
        kp_http_reply_take(reply, name, value);
    }
}

/* false: the fields that are told of first, or their faults, refuse it. */
static bool check_pseudos(struct kp_http_reply *reply)
{
    if (!reply->refused && reply->pseudo_fault.len > 0) {
        refuse_stream(reply, "");
        kp_message_add(&reply->why, reply->pseudo_fault);
    } else if (!reply->refused && (reply->pseudos & 1) && reply->pseudos != 1) {
        refuse_stream(reply, "mix of request and response pseudo headers");
    }
    return !reply->refused;
}

bool kp_http2_head_end(struct kp_http_reply *reply, bool is_last)
{
    if (!check_pseudos(reply))
        return false;
    if (reply->status_text.len == 0)
        return refuse_stream(reply, "malformed response from server: missing status pseudo header");
    if (!read_status(reply))
        return refuse_stream(
            reply, "malformed response from server: malformed non-numeric status pseudo header");
    reply->complete = reply->status / 100 != 1;
    if (!reply->complete && is_last)
        return refuse_stream(reply, "1xx informational response with END_STREAM flag");
    if (reply->length_count == 1 && !(is_last && !reply->profile->missing_body_told))
        reply->content_length = decimal(reply->length);
    return true;
}

struct kp_text kp_http2_trailers_end(struct kp_http_reply *trailers, bool is_last)
{
    if (!check_pseudos(trailers))
        return kp_scratch_message(trailers->scratch, &trailers->why);
    return is_last && trailers->pseudos == 0 ? KP_TEXT("")
                                             : KP_TEXT("connection error: PROTOCOL_ERROR");
}
