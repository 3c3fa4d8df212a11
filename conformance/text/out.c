#include "conformance/text/out.h"

#include "conformance/text/arena.h"
#include "core/base/duration.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cf_out_deinit(struct cf_out *out)
{
    free(out->bytes);
    *out = (struct cf_out){0};
}

void cf_out_clear(struct cf_out *out)
{
    out->len = 0;
}

void cf_out_reserve(struct cf_out *out, size_t more)
{
    size_t cap = out->cap ? out->cap : 256;

    if (out->bytes && out->cap - out->len >= more)
        return;
    while (cap - out->len < more)
        cap *= 2;
    out->bytes = realloc(out->bytes, cap);
    if (out->bytes == NULL)
        cf_out_of_memory();
    out->cap = cap;
}

void cf_out_put(struct cf_out *out, struct kp_text text)
{
    if (text.len == 0)
        return;
    cf_out_reserve(out, text.len);
    memcpy(out->bytes + out->len, text.bytes, text.len);
    out->len += text.len;
}

void cf_out_put_string(struct cf_out *out, const char *zero_terminated)
{
    cf_out_put(out, kp_text_of(zero_terminated));
}

void cf_out_put_char(struct cf_out *out, char c)
{
    cf_out_reserve(out, 1);
    out->bytes[out->len++] = c;
}

void cf_out_put_int(struct cf_out *out, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        digits[--at] = '-';
    cf_out_put(out, (struct kp_text){digits + at, sizeof digits - at});
}

void cf_out_printf(struct cf_out *out, const char *format, ...)
{
    va_list arguments;
    int need;

    va_start(arguments, format);
    need = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    cf_out_reserve(out, (size_t)need + 1);
    va_start(arguments, format);
    vsnprintf(out->bytes + out->len, (size_t)need + 1, format, arguments);
    va_end(arguments);
    out->len += (size_t)need;
}

struct kp_text cf_out_text(const struct cf_out *out)
{
    return (struct kp_text){out->bytes, out->len};
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t cf_utf8_length(struct kp_text text)
{
    unsigned char first = text.len > 0 ? (unsigned char)text.bytes[0] : 0xFF;
    unsigned char second = text.len > 1 ? (unsigned char)text.bytes[1] : 0;
    size_t len = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;

    if (first > 0xF4 || len == 0 || len > text.len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if (!is_continuation(text.bytes[i]))
            return 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
        return 0;
    return len;
}

static void put_escape(struct cf_out *out, char c)
{
    switch (c) {
    case '"':
    case '\\':
        cf_out_put_char(out, '\\');
        cf_out_put_char(out, c);
        break;
    case '\n':
        cf_out_put(out, KP_TEXT("\\n"));
        break;
    case '\r':
        cf_out_put(out, KP_TEXT("\\r"));
        break;
    case '\t':
        cf_out_put(out, KP_TEXT("\\t"));
        break;
    default:
        cf_out_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
    }
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7F && c != '"' && c != '\\';
}

void cf_out_put_json(struct cf_out *out, struct kp_text text)
{
    size_t at = 0;

    cf_out_reserve(out, text.len + 2);
    cf_out_put_char(out, '"');
    while (at < text.len) {
        size_t run = at;

        while (run < text.len && is_plain(text.bytes[run]))
            run++;
        cf_out_put(out, (struct kp_text){text.bytes + at, run - at});
        at = run;
        if (at == text.len)
            break;
        run = cf_utf8_length(kp_text_from(text, at));
        if (run > 1)
            cf_out_put(out, (struct kp_text){text.bytes + at, run});
        else if (run == 1)
            put_escape(out, text.bytes[at]);
        else
            cf_out_put(out, KP_TEXT("\xEF\xBF\xBD"));
        at += run > 1 ? run : 1;
    }
    cf_out_put_char(out, '"');
}

void cf_json_comma(struct cf_out *out)
{
    char last = out->len > 0 ? out->bytes[out->len - 1] : '{';

    if (last != '{' && last != '[' && last != ':' && last != '\n')
        cf_out_put_char(out, ',');
}

void cf_json_key(struct cf_out *out, const char *name)
{
    cf_json_comma(out);
    cf_out_put_char(out, '"');
    cf_out_put_string(out, name);
    cf_out_put(out, KP_TEXT("\":"));
}

void cf_json_open(struct cf_out *out, const char *name, char bracket)
{
    cf_json_key(out, name);
    cf_out_put_char(out, bracket);
}

void cf_json_text(struct cf_out *out, const char *name, struct kp_text value)
{
    cf_json_key(out, name);
    cf_out_put_json(out, value);
}

void cf_json_string(struct cf_out *out, const char *name, const char *value)
{
    cf_json_text(out, name, kp_text_of(value));
}

void cf_json_int(struct cf_out *out, const char *name, int64_t value)
{
    cf_json_key(out, name);
    cf_out_put_int(out, value);
}

void cf_json_ms(struct cf_out *out, const char *name, int64_t ns)
{
    if (ns != KP_NEVER) {
        cf_json_int(out, name, ns / KP_NS_PER_MS);
        return;
    }
    cf_json_key(out, name);
    cf_out_put_string(out, "null");
}

void cf_json_bool(struct cf_out *out, const char *name, bool value)
{
    cf_json_key(out, name);
    cf_out_put_string(out, value ? "true" : "false");
}

void cf_json_texts(struct cf_out *out, const char *name, struct kp_text_list values)
{
    cf_json_open(out, name, '[');
    for (size_t i = 0; i < values.count; i++) {
        cf_json_comma(out);
        cf_out_put_json(out, values.items[i]);
    }
    cf_out_put_char(out, ']');
}
