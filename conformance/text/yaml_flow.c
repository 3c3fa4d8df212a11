#include "conformance/text/yaml_flow.h"

#include <string.h>

#define READ_BYTES_MAX ((size_t)32 * 1024 * 1024)
enum { STAND_IN_FIRST = 0xE000, STAND_IN_LAST = 0xF8FF, STAND_IN_BYTES = 3 };

size_t cf_flow_offset(struct kp_text bytes, size_t index)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t at = bytes.len >= 3 && memcmp(bytes.bytes, mark, 3) == 0 ? 3 : 0;

    for (size_t seen = 0; at < bytes.len; at++) {
        if (((unsigned char)bytes.bytes[at] & 0xC0) == 0x80)
            continue;
        if (seen++ == index)
            break;
    }
    return at;
}

static const char *find(struct kp_text text, const char *stand_in)
{
    const char *at = text.bytes;

    while (text.len >= STAND_IN_BYTES &&
           (at = memchr(text.bytes, stand_in[0], text.len - STAND_IN_BYTES + 1)) != NULL) {
        if (memcmp(at, stand_in, STAND_IN_BYTES) == 0)
            return at;
        text.len -= (size_t)(at + 1 - text.bytes);
        text.bytes = at + 1;
    }
    return NULL;
}

/* A character for private use that the document does not have. */
static bool choose(struct cf_colons *colons)
{
    for (int code = STAND_IN_FIRST; code <= STAND_IN_LAST; code++) {
        char *bytes = colons->stand_in;

        bytes[0] = (char)(0xE0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (code & 0x3F));
        if (!find(colons->bytes, bytes))
            return true;
    }
    colons->stand_in[0] = '\0';
    return false;
}

bool cf_colons_hide(struct cf_colons *colons, struct cf_arena *arena, size_t index)
{
    struct kp_text bytes = colons->bytes;
    size_t at = cf_flow_offset(bytes, index);
    char *hidden;

    colons->read_bytes += bytes.len;
    if (at >= bytes.len || bytes.bytes[at] != ':' || colons->read_bytes > READ_BYTES_MAX ||
        (colons->stand_in[0] == '\0' && !choose(colons)))
        return false;
    hidden = cf_arena_alloc(arena, bytes.len + STAND_IN_BYTES - 1);
    if (!hidden)
        return false;
    memcpy(hidden, bytes.bytes, at);
    memcpy(hidden + at, colons->stand_in, STAND_IN_BYTES);
    memcpy(hidden + at + STAND_IN_BYTES, bytes.bytes + at + 1, bytes.len - at - 1);
    colons->bytes = (struct kp_text){hidden, bytes.len + STAND_IN_BYTES - 1};
    return true;
}

struct kp_text cf_colons_show(const struct cf_colons *colons, struct cf_arena *arena,
                              struct kp_text text)
{
    const char *at = colons->stand_in[0] ? find(text, colons->stand_in) : NULL;
    char *shown = at ? cf_arena_alloc(arena, text.len + 1) : NULL;
    size_t len = 0;

    if (!shown)
        return text;
    for (; at; at = find(text, colons->stand_in)) {
        size_t before = (size_t)(at - text.bytes);

        memcpy(shown + len, text.bytes, before);
        shown[len + before] = ':';
        len += before + 1;
        text.bytes += before + STAND_IN_BYTES;
        text.len -= before + STAND_IN_BYTES;
    }
    memcpy(shown + len, text.bytes, text.len);
    shown[len + text.len] = '\0';
    return (struct kp_text){shown, len + text.len};
}
