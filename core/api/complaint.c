#include "complaint.h"
#include "../base/quote.h"

void kp_path_put(struct kp_buf *buf, const struct kp_path *path)
{
    if (!path)
        return;
    kp_path_put(buf, path->up);
    if (path->name) {
        if (path->up)
            kp_buf_put_char(buf, '.');
        kp_buf_put(buf, kp_text_of(path->name));
        return;
    }
    kp_buf_put_char(buf, '[');
    kp_buf_put_int(buf, (int64_t)path->index);
    kp_buf_put_char(buf, ']');
}

static void put_supported(struct kp_buf *buf, const char *const *supported)
{
    kp_buf_put(buf, KP_TEXT("supported values: "));
    for (size_t i = 0; supported[i]; i++) {
        if (i > 0)
            kp_buf_put(buf, KP_TEXT(", "));
        kp_buf_put_quoted(buf, kp_text_of(supported[i]));
    }
}

void kp_complaint_put_detail(struct kp_buf *buf, const struct kp_complaint *complaint)
{
    const char *detail = complaint->detail;

    if (complaint->supported) {
        put_supported(buf, complaint->supported);
        return;
    }
    for (; detail && *detail; detail++) {
        if (detail[0] == '%' && detail[1] == 'd') {
            kp_buf_put_int(buf, complaint->detail_number);
            detail++;
        } else {
            kp_buf_put_char(buf, *detail);
        }
    }
}

/* The letter behind encoding/json's backslash; 0: the rune has none. */
static char json_letter(uint32_t rune)
{
    switch (rune) {
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '"':
    case '\\':
        return (char)rune;
    default:
        return 0;
    }
}

/* Of HTML's characters and of the ends of lines that JavaScript knows, too. */
static bool has_json_number(uint32_t rune)
{
    return rune < 0x20 || rune == '<' || rune == '>' || rune == '&' || rune == 0x2028 ||
           rune == 0x2029;
}

/* As encoding/json quotes. */
static void put_json(struct kp_buf *buf, struct kp_text text)
{
    kp_buf_put_char(buf, '"');
    while (text.len > 0) {
        uint32_t rune = 0;
        size_t len = kp_utf8_decode(text, &rune);

        if (len == 0) {
            kp_buf_put(buf, KP_TEXT("\\ufffd"));
            len = 1;
        } else if (json_letter(rune)) {
            kp_buf_put_char(buf, '\\');
            kp_buf_put_char(buf, json_letter(rune));
        } else if (has_json_number(rune)) {
            kp_buf_put(buf, KP_TEXT("\\u"));
            kp_buf_put_hex(buf, rune, 4);
        } else {
            kp_buf_put(buf, (struct kp_text){text.bytes, len});
        }
        text.bytes += len;
        text.len -= len;
    }
    kp_buf_put_char(buf, '"');
}

static void put_value(struct kp_buf *buf, const struct kp_profile *profile,
                      const struct kp_complaint *complaint)
{
    if (complaint->value == KP_VALUE_NUMBER)
        kp_buf_put_int(buf, complaint->number);
    else if (complaint->value == KP_VALUE_RAW)
        kp_buf_put(buf, complaint->text);
    else if (complaint->value == KP_VALUE_NAMED && profile->complaint_values_as_json)
        put_json(buf, complaint->text);
    else
        kp_buf_put_quoted(buf, complaint->text);
}

void kp_complaint_put(struct kp_buf *buf, const struct kp_profile *profile,
                      const struct kp_complaint *complaint)
{
    static const char *const words[] = {
        [KP_COMPLAINT_REQUIRED] = "Required value",
        [KP_COMPLAINT_INVALID] = "Invalid value",
        [KP_COMPLAINT_FORBIDDEN] = "Forbidden",
        [KP_COMPLAINT_UNSUPPORTED] = "Unsupported value",
        [KP_COMPLAINT_DUPLICATE] = "Duplicate value",
        [KP_COMPLAINT_NOT_FOUND] = "Not found",
        [KP_COMPLAINT_TOO_LONG] = "Too long",
        [KP_COMPLAINT_TOO_MANY] = "Too many",
    };

    kp_path_put(buf, complaint->path);
    kp_buf_put(buf, KP_TEXT(": "));
    kp_buf_put(buf, kp_text_of(words[complaint->type]));
    if (complaint->value != KP_VALUE_NONE) {
        kp_buf_put(buf, KP_TEXT(": "));
        put_value(buf, profile, complaint);
    }
    if ((complaint->detail && complaint->detail[0]) || complaint->supported) {
        kp_buf_put(buf, KP_TEXT(": "));
        kp_complaint_put_detail(buf, complaint);
    }
}

const char *kp_complaint_type_name(enum kp_complaint_type type)
{
    static const char *const names[] = {
        [KP_COMPLAINT_REQUIRED] = "FieldValueRequired",
        [KP_COMPLAINT_INVALID] = "FieldValueInvalid",
        [KP_COMPLAINT_FORBIDDEN] = "FieldValueForbidden",
        [KP_COMPLAINT_UNSUPPORTED] = "FieldValueNotSupported",
        [KP_COMPLAINT_DUPLICATE] = "FieldValueDuplicate",
        [KP_COMPLAINT_NOT_FOUND] = "FieldValueNotFound",
        [KP_COMPLAINT_TOO_LONG] = "FieldValueTooLong",
        [KP_COMPLAINT_TOO_MANY] = "FieldValueTooMany",
    };

    return names[type];
}
