#include "conformance/text/yaml_flow.h"

#include <string.h>

enum { STAND_IN_FIRST = 0xE000, STAND_IN_LAST = 0xF8FF, STAND_IN_BYTES = 3 };

size_t cf_flow_offset(struct kp_text bytes, size_t index)
{
    size_t at = kp_text_begins(bytes, "\xef\xbb\xbf") ? 3 : 0;

    for (size_t seen = 0; at < bytes.len; at++) {
        if (((unsigned char)bytes.bytes[at] & 0xC0) == 0x80)
            continue;
        if (seen++ == index)
            break;
    }
    return at;
}

static struct kp_text stand_in(const struct cf_colons *colons)
{
    return (struct kp_text){colons->stand_in, STAND_IN_BYTES};
}

static bool choose(struct cf_colons *colons)
{
    for (int code = STAND_IN_FIRST; code <= STAND_IN_LAST; code++) {
        char *bytes = colons->stand_in;

        bytes[0] = (char)(0xE0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (code & 0x3F));
        if (!kp_text_has(colons->bytes, bytes))
            return true;
    }
    colons->stand_in[0] = '\0';
    return false;
}

bool cf_colons_hide(struct cf_colons *colons, struct cf_arena *arena, size_t index)
{
    struct kp_text bytes = colons->bytes;
    size_t at = cf_flow_offset(bytes, index);
    struct kp_buf hidden;

    colons->read_bytes += bytes.len;
    if (at >= bytes.len || bytes.bytes[at] != ':' || colons->read_bytes > CF_COLONS_BYTES_MAX ||
        (colons->stand_in[0] == '\0' && !choose(colons)))
        return false;
    hidden = (struct kp_buf){cf_arena_alloc(arena, bytes.len + STAND_IN_BYTES),
                             bytes.len + STAND_IN_BYTES, 0};
    if (!hidden.bytes)
        return false;
    kp_buf_put(&hidden, (struct kp_text){bytes.bytes, at});
    kp_buf_put(&hidden, stand_in(colons));
    kp_buf_put(&hidden, kp_text_from(bytes, at + 1));
    colons->bytes = kp_buf_text(&hidden);
    return true;
}

struct kp_text cf_colons_show(const struct cf_colons *colons, struct cf_arena *arena,
                              struct kp_text text)
{
    struct kp_buf shown; /* there is room: a colon is shorter than what stands for it */
    size_t at;

    if (!kp_text_has(text, colons->stand_in))
        return text;
    shown = (struct kp_buf){cf_arena_alloc(arena, text.len), text.len, 0};
    if (!shown.bytes)
        return text;
    while ((at = kp_text_find(text, stand_in(colons))) < text.len) {
        kp_buf_put(&shown, (struct kp_text){text.bytes, at});
        kp_buf_put_char(&shown, ':');
        text = kp_text_from(text, at + STAND_IN_BYTES);
    }
    kp_buf_put(&shown, text);
    return kp_buf_text(&shown);
}
