#include "url_escape.h"

#include <string.h>

/* What stands for itself besides letters, digits and -._~ in each part of a URL. */
static const char *const plain[] = {
    [KP_ESCAPE_PATH] = "$&+,/:;=@",          [KP_ESCAPE_HOST] = "!\"$&'()*+,:;<=>[]",
    [KP_ESCAPE_ZONE] = "!\"$&'()*+,:;<=>[]", [KP_ESCAPE_USER] = "$&+,;=",
    [KP_ESCAPE_FRAGMENT] = "!$&()*+,/:;=?@",
};

static bool is_in(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kp_is_digit(c) || is_in(c, "-._~");
}

static bool must_escape(char c, enum kp_escape mode)
{
    return !is_unreserved(c) && !is_in(c, plain[mode]);
}

struct kp_text kp_url_escape(struct kp_scratch *scratch, struct kp_text text, enum kp_escape mode)
{
    static const char hex[] = "0123456789ABCDEF";
    struct kp_buf buf = kp_scratch_buf(scratch, 3 * text.len);

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if (!must_escape(text.bytes[i], mode)) {
            kp_buf_put_char(&buf, text.bytes[i]);
            continue;
        }
        kp_buf_put_char(&buf, '%');
        kp_buf_put_char(&buf, hex[c >> 4]);
        kp_buf_put_char(&buf, hex[c & 15]);
    }
    return kp_buf_text(&buf);
}

static bool refuse_escape(struct kp_message *why, struct kp_text rest)
{
    kp_message_add(why, KP_TEXT("invalid URL escape "));
    kp_message_add_quoted(why, (struct kp_text){rest.bytes, rest.len < 3 ? rest.len : 3});
    return false;
}

/* A host may escape only what is not ASCII, and the percent sign of a zone. */
static bool may_be_escaped(unsigned char c, enum kp_escape mode)
{
    if (mode == KP_ESCAPE_HOST)
        return c >= 0x80 || c == '%';
    if (mode == KP_ESCAPE_ZONE)
        return c == '%' || c == ' ' || !must_escape((char)c, KP_ESCAPE_HOST);
    return true;
}

bool kp_url_unescape(struct kp_scratch *scratch, struct kp_text text, enum kp_escape mode,
                     struct kp_text *out, struct kp_message *why)
{
    bool of_host = mode == KP_ESCAPE_HOST || mode == KP_ESCAPE_ZONE;
    struct kp_buf buf = kp_scratch_buf(scratch, text.len);

    for (size_t i = 0; i < text.len; i++) {
        struct kp_text rest = {text.bytes + i, text.len - i};
        int c = (unsigned char)rest.bytes[0];

        if (c != '%') {
            if (of_host && c < 0x80 && must_escape((char)c, mode)) {
                kp_message_add(why, KP_TEXT("invalid character "));
                kp_message_add_quoted(why, (struct kp_text){rest.bytes, 1});
                kp_message_add(why, KP_TEXT(" in host name"));
                return false;
            }
            kp_buf_put_char(&buf, (char)c);
            continue;
        }
        if (rest.len < 3 || kp_hex_value(rest.bytes[1]) < 0 || kp_hex_value(rest.bytes[2]) < 0)
            return refuse_escape(why, rest);
        c = 16 * kp_hex_value(rest.bytes[1]) + kp_hex_value(rest.bytes[2]);
        if (!may_be_escaped((unsigned char)c, mode))
            return refuse_escape(why, rest);
        kp_buf_put_char(&buf, (char)c);
        i += 2;
    }
    *out = kp_buf_text(&buf);
    return true;
}

bool kp_url_is_encoded(struct kp_text text, enum kp_escape mode)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_in(text.bytes[i], "!$&'()*+,;=:@[]%") && must_escape(text.bytes[i], mode))
            return false;
    return true;
}
