#include "field_error.h"
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

void kp_field_error_put_detail(struct kp_buf *buf, const struct kp_field_error *error)
{
    const char *detail = error->detail;

    if (error->supported) {
        put_supported(buf, error->supported);
        return;
    }
    for (; detail && *detail; detail++) {
        if (detail[0] == '%' && detail[1] == 'd') {
            kp_buf_put_int(buf, error->detail_number);
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
                      const struct kp_field_error *error)
{
    if (error->value == KP_VALUE_NUMBER)
        kp_buf_put_int(buf, error->number);
    else if (error->value == KP_VALUE_RAW)
        kp_buf_put(buf, error->text);
    else if (error->value == KP_VALUE_NAMED && profile->field_values_as_json)
        put_json(buf, error->text);
    else
        kp_buf_put_quoted(buf, error->text);
}

void kp_field_error_put(struct kp_buf *buf, const struct kp_profile *profile,
                        const struct kp_field_error *error)
{
    static const char *const words[] = {
        [KP_FIELD_ERROR_REQUIRED] = "Required value",
        [KP_FIELD_ERROR_INVALID] = "Invalid value",
        [KP_FIELD_ERROR_FORBIDDEN] = "Forbidden",
        [KP_FIELD_ERROR_NOT_SUPPORTED] = "Unsupported value",
        [KP_FIELD_ERROR_DUPLICATE] = "Duplicate value",
        [KP_FIELD_ERROR_NOT_FOUND] = "Not found",
        [KP_FIELD_ERROR_TOO_LONG] = "Too long",
        [KP_FIELD_ERROR_TOO_MANY] = "Too many",
    };

    kp_path_put(buf, error->path);
    kp_buf_put(buf, KP_TEXT(": "));
    kp_buf_put(buf, kp_text_of(words[error->type]));
    if (error->value != KP_VALUE_NONE) {
        kp_buf_put(buf, KP_TEXT(": "));
        put_value(buf, profile, error);
    }
    if ((error->detail && error->detail[0]) || error->supported) {
        kp_buf_put(buf, KP_TEXT(": "));
        kp_field_error_put_detail(buf, error);
    }
}

const char *kp_field_error_type_name(enum kp_field_error_type type)
{
    static const char *const names[] = {
        [KP_FIELD_ERROR_REQUIRED] = "FieldValueRequired",
        [KP_FIELD_ERROR_INVALID] = "FieldValueInvalid",
        [KP_FIELD_ERROR_FORBIDDEN] = "FieldValueForbidden",
        [KP_FIELD_ERROR_NOT_SUPPORTED] = "FieldValueNotSupported",
        [KP_FIELD_ERROR_DUPLICATE] = "FieldValueDuplicate",
        [KP_FIELD_ERROR_NOT_FOUND] = "FieldValueNotFound",
        [KP_FIELD_ERROR_TOO_LONG] = "FieldValueTooLong",
        [KP_FIELD_ERROR_TOO_MANY] = "FieldValueTooMany",
    };

    return names[type];
}
