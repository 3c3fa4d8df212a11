#include "http2_fields.h"

#include "http_headers.h"

/* Small letters alone.  Upstream: x/net, http2 validWireHeaderFieldName. */
static bool is_wire_name(struct kp_text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!kp_headers_is_token_byte(name.bytes[i]) ||
            (name.bytes[i] >= 'A' && name.bytes[i] <= 'Z'))
            return false;
    return name.len > 0;
}

static struct kp_text fault_of(struct kp_scratch *scratch, const char *fault, struct kp_text name)
{
    struct kp_message message = {0};

    kp_message_add(&message, kp_text_of(fault));
    kp_message_add_quoted(&message, name);
    return kp_scratch_message(scratch, &message);
}

/* Up to December 2021 the value is told, then its name. */
static struct kp_text fault_of_value(struct kp_scratch *scratch, const struct kp_profile *profile,
                                     struct kp_text name, struct kp_text value)
{
    return profile->field_value_is_hidden
               ? fault_of(scratch, "invalid header field value for ", name)
               : fault_of(scratch, "invalid header field value ", value);
}

/* The first fault of these is told where all other fields are good. */
static void take_pseudo(struct kp_http2_fields *fields, struct kp_scratch *scratch,
                        struct kp_text name)
{
    static const char *const names[] = {":status", ":method",    ":path",
                                        ":scheme", ":authority", ":protocol"};
    const char *fault = NULL;
    unsigned at = 0;

    while (at < sizeof names / sizeof names[0] && !kp_text_equal(name, kp_text_of(names[at])))
        at++;
    if (at == sizeof names / sizeof names[0])
        fault = "invalid pseudo-header ";
    else if (fields->pseudos & 1u << at)
        fault = "duplicate pseudo-header ";
    if (fault && fields->pseudo_fault.len == 0)
        fields->pseudo_fault = fault_of(scratch, fault, name);
    fields->pseudos |= 1u << at;
}

bool kp_http2_fields_take(struct kp_http2_fields *fields, struct kp_scratch *scratch,
                          const struct kp_profile *profile, struct kp_text name,
                          struct kp_text value)
{
    bool is_pseudo = name.len > 0 && name.bytes[0] == ':';

    if (fields->fault.len > 0)
        return false;
    if (!is_pseudo && !is_wire_name(name))
        fields->fault = fault_of(scratch, "invalid header field name ", name);
    else if (is_pseudo && fields->in_regular)
        fields->fault = KP_TEXT("pseudo header field after regular");
    else if (!kp_headers_is_value(value))
        fields->fault = fault_of_value(scratch, profile, name, value);
    else if (is_pseudo)
        take_pseudo(fields, scratch, name);
    else
        fields->in_regular = true;
    return fields->fault.len == 0;
}

struct kp_text kp_http2_fields_end(const struct kp_http2_fields *fields)
{
    if (fields->fault.len > 0)
        return fields->fault;
    if (fields->pseudo_fault.len > 0)
        return fields->pseudo_fault;
    return (fields->pseudos & 1) && fields->pseudos != 1
               ? KP_TEXT("mix of request and response pseudo headers")
               : KP_TEXT("");
}
