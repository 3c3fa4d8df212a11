#include "complaint.h"

#include <string.h>

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

/* U+2028 or U+2029, which end lines in JavaScript: their last digit; 0: another character. */
static char line_end_at(struct kp_text text, size_t i)
{
    if (text.len - i < 3 || memcmp(text.bytes + i, "\xe2\x80", 2) != 0)
        return 0;
    return text.bytes[i + 2] == '\xa8' ? '8' : text.bytes[i + 2] == '\xa9' ? '9' : 0;
}

/* As encoding/json quotes: with HTML's characters and JavaScript's ends of lines escaped. */
static void put_json(struct kp_buf *buf, struct kp_text text)
{
    static const char hex[] = "0123456789abcdef";

    kp_buf_put_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        const char *named = c < 0x20 ? memchr("\bb\ff\nn\rr\tt", c, 10) : NULL;

        if (line_end_at(text, i)) {
            kp_buf_put(buf, KP_TEXT("\\u202"));
            kp_buf_put_char(buf, line_end_at(text, i));
            i += 2;
        } else if (named || c == '"' || c == '\\') {
            kp_buf_put_char(buf, '\\');
            kp_buf_put_char(buf, named ? named[1] : (char)c);
        } else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
            kp_buf_put(buf, KP_TEXT("\\u00"));
            kp_buf_put_char(buf, hex[c >> 4]);
            kp_buf_put_char(buf, hex[c & 15]);
        } else {
            kp_buf_put_char(buf, (char)c);
        }
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
