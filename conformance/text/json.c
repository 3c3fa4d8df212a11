#include "conformance/text/json.h"

#include "conformance/text/yaml.h" /* CF_DEPTH_MAX */
#include "core/base/quote.h"

#include <string.h>

struct reader {
    struct cf_arena *arena;
    struct cf_fault *fault;
    struct kp_text bytes;
    size_t at;
    size_t line_start;
    int line;
};

static struct cf_place here(const struct reader *reader)
{
    return (struct cf_place){reader->line, (int)(reader->at - reader->line_start) + 1};
}

static bool fail(struct reader *reader, struct kp_text message)
{
    reader->fault->at = here(reader);
    reader->fault->message = message;
    reader->fault->go_text = message;
    return false;
}

/* "invalid character 'x' after array element", or that the text ends here. */
static bool fail_here(struct reader *reader, const char *context)
{
    char quoted[16];
    struct kp_buf buf = {quoted, sizeof quoted, 0};
    char c;
    struct kp_text name;

    if (reader->at >= reader->bytes.len)
        return fail(reader, KP_TEXT("unexpected end of JSON input"));
    c = reader->bytes.bytes[reader->at];
    if ((unsigned char)c < 0x80) {
        kp_buf_put_escaped(&buf, (struct kp_text){&c, 1});
    } else { /* Go takes the byte for a rune */
        char rune[2] = {(char)(0xc0 | (unsigned char)c >> 6), (char)(0x80 | (c & 0x3f))};

        kp_buf_put_escaped(&buf, (struct kp_text){rune, 2});
    }
    name = c == '\'' ? KP_TEXT("\\'") : c == '"' ? KP_TEXT("\"") : kp_buf_text(&buf);
    return fail(reader, cf_arena_format(reader->arena, "invalid character '%.*s' %s", KP_ARG(name),
                                        context));
}

static char peek(const struct reader *reader)
{
    return reader->at < reader->bytes.len ? reader->bytes.bytes[reader->at] : 0;
}

static void skip_space(struct reader *reader)
{
    for (; reader->at < reader->bytes.len; reader->at++) {
        char c = reader->bytes.bytes[reader->at];

        if (c == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

/* Behind the opening quote; leaves `at` on the closing one. */
static bool scan_string(struct reader *reader)
{
    for (; peek(reader) != '"'; reader->at++) {
        if ((unsigned char)peek(reader) < 0x20)
            return fail_here(reader, "in string literal");
        if (peek(reader) != '\\')
            continue;
        reader->at++;
        if (!memchr("bfnrt\\/\"u", peek(reader), 9))
            return fail_here(reader, "in string escape code");
        for (int digits = peek(reader) == 'u' ? 4 : 0; digits > 0; digits--) {
            reader->at++;
            if (kp_hex_value(peek(reader)) < 0)
                return fail_here(reader, "in \\u hexadecimal character escape");
        }
    }
    return true;
}

static size_t put_utf8(char *out, uint32_t rune)
{
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    if (rune < 0x800) {
        out[0] = (char)(0xc0 | rune >> 6);
        out[1] = (char)(0x80 | (rune & 0x3f));
        return 2;
    }
    if (rune < 0x10000) {
        out[0] = (char)(0xe0 | rune >> 12);
        out[1] = (char)(0x80 | (rune >> 6 & 0x3f));
        out[2] = (char)(0x80 | (rune & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | rune >> 18);
    out[1] = (char)(0x80 | (rune >> 12 & 0x3f));
    out[2] = (char)(0x80 | (rune >> 6 & 0x3f));
    out[3] = (char)(0x80 | (rune & 0x3f));
    return 4;
}

static uint32_t read_hex(const char *digits)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++)
        value = value << 4 | (uint32_t)kp_hex_value(digits[i]);
    return value;
}

/* text is at a backslash; returns how many of its bytes the escape takes. */
static size_t unescape(struct kp_text text, uint32_t *rune)
{
    static const char named[] = "b\bf\fn\nr\rt\t";
    const char *found = strchr(named, text.bytes[1]);

    *rune = (unsigned char)text.bytes[1];
    if (text.bytes[1] != 'u') {
        if (found)
            *rune = (unsigned char)found[1];
        return 2;
    }
    *rune = read_hex(text.bytes + 2);
    if (*rune < 0xd800 || *rune >= 0xe000)
        return 6;
    if (*rune < 0xdc00 && text.len >= 12 && text.bytes[6] == '\\' && text.bytes[7] == 'u') {
        uint32_t low = read_hex(text.bytes + 8);

        if (low >= 0xdc00 && low < 0xe000) {
            *rune = 0x10000 + ((*rune & 0x3ff) << 10 | (low & 0x3ff));
            return 12;
        }
    }
    *rune = 0xfffd;
    return 6;
}

/* What stands between the quotes, checked by scan_string, with escapes undone. */
static struct kp_text unquote(struct cf_arena *arena, struct kp_text text)
{
    /* A bad byte becomes three. */
    char *bytes = text.len < SIZE_MAX / 3 ? cf_arena_alloc(arena, text.len * 3 + 1) : NULL;
    size_t len = 0;

    while (bytes && text.len > 0) {
        uint32_t rune = 0xfffd;
        size_t taken = text.bytes[0] == '\\' ? unescape(text, &rune) : kp_utf8_decode(text, &rune);

        if (taken == 0)
            rune = 0xfffd;
        len += put_utf8(bytes + len, rune);
        taken += taken == 0;
        text.bytes += taken;
        text.len -= taken;
    }
    return (struct kp_text){bytes ? bytes : "", len};
}

static bool plain_ascii(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.bytes[i] >= 0x80 || text.bytes[i] == '\\')
            return false;
    return true;
}

static bool read_string(struct reader *reader, struct kp_text *out)
{
    size_t start = ++reader->at;
    struct kp_text inside;

    if (!scan_string(reader))
        return false;
    inside = (struct kp_text){reader->bytes.bytes + start, reader->at - start};
    reader->at++;
    *out =
        plain_ascii(inside) ? cf_arena_text(reader->arena, inside) : unquote(reader->arena, inside);
    return true;
}

static bool take_digits(struct reader *reader, const char *context)
{
    if (!kp_is_digit(peek(reader)))
        return fail_here(reader, context);
    while (kp_is_digit(peek(reader)))
        reader->at++;
    return true;
}

static bool read_number(struct reader *reader, struct cf_node *node)
{
    size_t start = reader->at;

    reader->at += peek(reader) == '-';
    if (peek(reader) == '0')
        reader->at++;
    else if (!take_digits(reader, "in numeric literal"))
        return false;
    if (peek(reader) == '.') {
        reader->at++;
        if (!take_digits(reader, "after decimal point in numeric literal"))
            return false;
    }
    if (peek(reader) == 'e' || peek(reader) == 'E') {
        reader->at++;
        reader->at += peek(reader) == '-' || peek(reader) == '+';
        if (!take_digits(reader, "in exponent of numeric literal"))
            return false;
    }
    node->kind = CF_NUMBER;
    node->text = cf_arena_text(reader->arena,
                               (struct kp_text){reader->bytes.bytes + start, reader->at - start});
    return true;
}

static bool read_word(struct reader *reader, struct cf_node *node, const char *word)
{
    reader->at++;
    for (size_t i = 1; word[i]; i++, reader->at++)
        if (peek(reader) != word[i])
            return fail_here(
                reader,
                cf_arena_format(reader->arena, "in literal %s (expecting '%c')", word, word[i])
                    .bytes);
    node->kind = word[0] == 'n' ? CF_NULL : CF_BOOL;
    node->truth = word[0] == 't';
    node->text = kp_text_of(word);
    return true;
}

static bool read_value(struct reader *reader, struct cf_node **out, int depth);

static bool read_list(struct reader *reader, struct cf_node *list, int depth)
{
    list->kind = CF_LIST;
    reader->at++;
    skip_space(reader);
    if (peek(reader) == ']' && ++reader->at)
        return true;
    for (;;) {
        struct cf_node *child;

        if (!read_value(reader, &child, depth + 1))
            return false;
        cf_node_append(list, child);
        skip_space(reader);
        if (peek(reader) == ']' && ++reader->at)
            return true;
        if (peek(reader) != ',')
            return fail_here(reader, "after array element");
        reader->at++;
    }
}

static bool read_member(struct reader *reader, struct cf_node *map, int depth)
{
    struct cf_place key_at;
    struct kp_text key;
    struct cf_node *child;

    skip_space(reader);
    key_at = here(reader);
    if (peek(reader) != '"')
        return fail_here(reader, "looking for beginning of object key string");
    if (!read_string(reader, &key))
        return false;
    skip_space(reader);
    if (peek(reader) != ':')
        return fail_here(reader, "after object key");
    reader->at++;
    if (!read_value(reader, &child, depth + 1))
        return false;
    child->key_at = key_at;
    cf_node_put(map, key, child);
    return true;
}

/* Of a key given twice the last one wins: the first is marked as a duplicate (V-045). */
static bool read_map(struct reader *reader, struct cf_node *map, int depth)
{
    map->kind = CF_MAP;
    reader->at++;
    skip_space(reader);
    if (peek(reader) == '}' && ++reader->at)
        return true;
    for (;;) {
        if (!read_member(reader, map, depth))
            return false;
        skip_space(reader);
        if (peek(reader) == '}' && ++reader->at)
            return cf_node_mark_duplicates(reader->arena, map);
        if (peek(reader) != ',')
            return fail_here(reader, "after object key:value pair");
        reader->at++;
    }
}

static bool read_value(struct reader *reader, struct cf_node **out, int depth)
{
    struct cf_node *node;

    skip_space(reader);
    *out = node = cf_node_new(reader->arena, CF_STRING, here(reader));
    if (!node)
        return false;
    if (depth > CF_DEPTH_MAX)
        return fail(reader, KP_TEXT("nested deeper than 1000 levels"));
    switch (peek(reader)) {
    case '{':
        return read_map(reader, node, depth);
    case '[':
        return read_list(reader, node, depth);
    case '"':
        return read_string(reader, &node->text);
    case 't':
        return read_word(reader, node, "true");
    case 'f':
        return read_word(reader, node, "false");
    case 'n':
        return read_word(reader, node, "null");
    default:
        if (peek(reader) == '-' || kp_is_digit(peek(reader)))
            return read_number(reader, node);
        return fail_here(reader, "looking for beginning of value");
    }
}

enum kp_err cf_json_parse(struct cf_arena *arena, struct kp_text bytes, struct cf_node **out,
                          struct cf_fault *fault)
{
    struct reader reader = {.arena = arena, .fault = fault, .bytes = bytes, .line = 1};
    bool good;

    *fault = (struct cf_fault){0};
    good = read_value(&reader, out, 1);
    if (good) {
        skip_space(&reader);
        good = reader.at == bytes.len || fail_here(&reader, "after top-level value");
    }
    if (arena->failed)
        return KP_ENOMEM;
    return good ? KP_OK : KP_EINPUT;
}
