/* wire_read.c: members of protocol messages, typed and in range, with one sentence for what is not.
 */
#include "conformance/protocol/wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cf_reader_fail(struct cf_reader *reader, const char *format, ...)
{
    va_list arguments;
    char text[512];
    int len;

    if (reader->why.len > 0)
        return false;
    va_start(arguments, format);
    len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (len > (int)sizeof text - 1)
        len = (int)sizeof text - 1;
    reader->why = cf_arena_text(reader->arena, (struct kp_text){text, (size_t)len});
    return false;
}

bool cf_number_int(const struct cf_node *node, int64_t *number)
{
    char digits[64];
    double value;

    if (cf_node_int_value(node, number))
        return true;
    if (node->kind != CF_NUMBER || node->text.len >= sizeof digits)
        return false;
    memcpy(digits, node->text.bytes, node->text.len);
    digits[node->text.len] = '\0';
    value = strtod(digits, NULL);
    if (!(value >= -9e18 && value <= 9e18) || (double)(int64_t)value != value)
        return false;
    *number = (int64_t)value;
    return true;
}

static const struct cf_node *find(const struct cf_node *map, const char *name)
{
    const struct cf_node *node = cf_node_find(map, name);

    return node && node->kind != CF_NULL ? node : NULL;
}

bool cf_member_node(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    enum cf_node_kind kind, const struct cf_node **out)
{
    static const char *const kinds[] = {
        [CF_NULL] = "null",       [CF_BOOL] = "true or false", [CF_NUMBER] = "a number",
        [CF_STRING] = "a string", [CF_LIST] = "a list",        [CF_MAP] = "an object"};

    *out = find(map, name);
    if (*out == NULL || (*out)->kind == kind)
        return true;
    return cf_reader_fail(reader, "`%s` must be %s, not %s", name, kinds[kind],
                          kinds[(*out)->kind]);
}

bool cf_member_int(struct cf_reader *reader, const struct cf_node *map, const char *name,
                   int64_t min, int64_t max, int64_t *out)
{
    const struct cf_node *node = find(map, name);
    int64_t number;

    if (node == NULL)
        return true;
    if (!cf_number_int(node, &number))
        return cf_reader_fail(reader, "`%s` must be an integer", name);
    if (number < min || number > max)
        return cf_reader_fail(reader,
                              "`%s` is %" PRId64 ", which is not between %" PRId64 " and %" PRId64,
                              name, number, min, max);
    *out = number;
    return true;
}

bool cf_member_ms(struct cf_reader *reader, const struct cf_node *map, const char *name,
                  int64_t *out_ns)
{
    const struct cf_node *node = find(map, name);
    int64_t ms = *out_ns / KP_NS_PER_MS;

    if (find(map, name) == NULL)
        return true;
    if (node && !cf_number_int(node, &ms))
        return cf_reader_fail(reader, "`%s` must be an integer, of milliseconds", name);
    if (!cf_member_int(reader, map, name, -CF_TIME_MS_MAX, CF_TIME_MS_MAX, &ms))
        return false;
    *out_ns = ms * KP_NS_PER_MS;
    return true;
}

bool cf_member_text(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    struct kp_text *out)
{
    const struct cf_node *node;

    if (!cf_member_node(reader, map, name, CF_STRING, &node))
        return false;
    if (node)
        *out = node->text;
    return true;
}

bool cf_member_bool(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    bool *out)
{
    const struct cf_node *node;

    if (!cf_member_node(reader, map, name, CF_BOOL, &node))
        return false;
    if (node)
        *out = node->truth;
    return true;
}

bool cf_reader_no_word(struct cf_reader *reader, const char *name, struct kp_text word,
                       const struct cf_words *words)
{
    char list[300];
    struct kp_buf buf = {list, sizeof list, 0};

    for (size_t i = 0; i < words->count; i++)
        if (words->list[i] && words->list[i][0]) {
            kp_buf_put(&buf, buf.need > 0 ? KP_TEXT(", ") : KP_TEXT_NONE);
            kp_buf_put(&buf, kp_text_of(words->list[i]));
        }
    if (buf.need > sizeof list)
        memcpy(list + sizeof list - 3, "...", 3);
    return cf_reader_fail(reader, "`%s` cannot be \"%.*s\", but %.*s", name, KP_ARG(word),
                          (int)kp_buf_text(&buf).len, list);
}

bool cf_member_word(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    const struct cf_words *words, bool required, int *out)
{
    const struct cf_node *node;
    int found;

    if (!cf_member_node(reader, map, name, CF_STRING, &node))
        return false;
    if (node == NULL)
        return !required || cf_reader_fail(reader, "`%s` is missing", name);
    found = cf_find_word(words, node->text);
    if (found == CF_NO_WORD)
        return cf_reader_no_word(reader, name, node->text, words);
    *out = found;
    return true;
}
