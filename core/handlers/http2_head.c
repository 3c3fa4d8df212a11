#include "http2_head.h"

static bool refuse_stream(struct kp_http_reply *reply, struct kp_text cause)
{
    reply->refused = true;
    kp_message_add(&reply->why, KP_TEXT("stream error: stream ID 1; PROTOCOL_ERROR; "));
    kp_message_add(&reply->why, cause);
    return false;
}

/* What strconv.Atoi takes, as far as an int32 holds it. */
static bool read_status(struct kp_http_reply *reply)
{
    struct kp_text text = reply->status_text;
    bool is_signed = text.bytes[0] == '-' || text.bytes[0] == '+';
    uint64_t number;

    if (!kp_text_number(kp_text_from(text, is_signed), INT32_MAX, &number))
        return false;
    reply->status = text.bytes[0] == '-' ? -(int)number : (int)number;
    return true;
}

void kp_http2_head_field(struct kp_http_reply *reply, struct kp_text name, struct kp_text value)
{
    if (reply->refused)
        return;
    if (!kp_http2_fields_take(&reply->fields, reply->scratch, reply->profile, name, value))
        refuse_stream(reply, reply->fields.fault);
    else if (kp_text_equal(name, KP_TEXT(":status")))
        reply->status_text = kp_scratch_copy(reply->scratch, value);
    else if (name.bytes[0] != ':')
        kp_http_reply_take(reply, name, value);
}

/* false: Go's framer refuses its fields. */
static bool check_fields(struct kp_http_reply *reply)
{
    struct kp_text fault = kp_http2_fields_end(&reply->fields);

    return !reply->refused && (fault.len == 0 || refuse_stream(reply, fault));
}

bool kp_http2_head_end(struct kp_http_reply *reply, bool is_last)
{
    uint64_t length;

    if (!check_fields(reply))
        return false;
    if (reply->status_text.len == 0)
        return refuse_stream(
            reply, KP_TEXT("malformed response from server: missing status pseudo header"));
    if (!read_status(reply))
        return refuse_stream(
            reply,
            KP_TEXT("malformed response from server: malformed non-numeric status pseudo header"));
    reply->complete = reply->status / 100 != 1;
    if (!reply->complete && is_last)
        return refuse_stream(reply, KP_TEXT("1xx informational response with END_STREAM flag"));
    if (reply->length_count == 1 && !(is_last && !reply->profile->missing_body_is_error) &&
        kp_text_number(reply->length, INT64_MAX, &length))
        reply->content_length = (int64_t)length;
    return true;
}

struct kp_text kp_http2_trailers_end(struct kp_http_reply *trailers, bool is_last)
{
    if (!check_fields(trailers))
        return kp_scratch_message(trailers->scratch, &trailers->why);
    return is_last && trailers->fields.pseudos == 0 ? KP_TEXT("")
                                                    : KP_TEXT("connection error: PROTOCOL_ERROR");
}
