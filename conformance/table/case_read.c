#include "conformance/table/case_read.h"
#include "conformance/table/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- faults ---------------------------------------------------------------------------------- */

static struct cf_suite_fault *add_fault(struct cf_suite *suite)
{
    struct cf_suite_fault *faults = cf_arena_grow(&suite->arena, suite->faults, &suite->fault_room,
                                                  suite->fault_count, sizeof *faults);

    if (!faults)
        return NULL;
    suite->faults = faults;
    return &suite->faults[suite->fault_count++];
}

void cf_fault_at(struct cf_reading *reading, struct cf_place at, const char *format, ...)
{
    char message[512];
    struct cf_suite_fault *fault = add_fault(reading->suite);
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    reading->failed = true;
    if (fault)
        *fault = (struct cf_suite_fault){reading->file, at,
                                         cf_arena_text(reading->arena, kp_text_of(message))};
}

/* A scalar as it was written. */
static struct kp_text source_of(const struct cf_node *node)
{
    return node->source.len > 0 ? node->source : node->text;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct kp_text cf_read_text(struct cf_reading *reading, const struct cf_node *node)
{
    if (!node)
        return KP_TEXT_NONE;
    if (node->kind == CF_STRING)
        return node->text;
    cf_fault_at(reading, node->at, "%.*s: wanted a text, found %s%s", KP_ARG(node->key),
                cf_node_kind_name(node->kind),
                node->kind == CF_NUMBER || node->kind == CF_BOOL ? ": put it in quotes" : "");
    return KP_TEXT_NONE;
}

bool cf_read_truth(struct cf_reading *reading, const struct cf_node *node)
{
    if (!node)
        return false;
    if (node->kind == CF_BOOL)
        return node->truth;
    cf_fault_at(reading, node->at, "%.*s: wanted true or false, found %s", KP_ARG(node->key),
                cf_node_kind_name(node->kind));
    return false;
}

struct kp_text_list cf_read_texts(struct cf_reading *reading, const struct cf_node *node)
{
    struct kp_text_list list = {NULL, 0};
    struct kp_text *items;

    if (!node)
        return list;
    if (node->kind != CF_LIST) {
        cf_fault_at(reading, node->at, "%.*s: wanted a list, found %s", KP_ARG(node->key),
                    cf_node_kind_name(node->kind));
        return list;
    }
    items = cf_arena_array(reading->arena, node->count + 1, sizeof *items);
    for (const struct cf_node *item = node->first; items && item; item = item->next) {
        if (item->kind == CF_NUMBER)
            items[list.count++] = source_of(item);
        else if (item->kind == CF_STRING)
            items[list.count++] = item->text;
        else
            cf_fault_at(reading, item->at, "%.*s: wanted a text, found %s", KP_ARG(node->key),
                        cf_node_kind_name(item->kind));
    }
    list.items = items;
    return list;
}

int64_t cf_read_duration(struct cf_reading *reading, const struct cf_node *node, int64_t otherwise)
{
    int64_t duration_ns;

    if (!node)
        return otherwise;
    if (node->kind == CF_STRING && cf_parse_duration(node->text, &duration_ns))
        return duration_ns;
    cf_fault_at(reading, node->at,
                "%.*s: wanted a duration such as 10s, 1.5s, 500ms or 1m30s, found '%.*s'",
                KP_ARG(node->key), KP_ARG(node->text));
    return otherwise;
}

int64_t cf_read_ppb(struct cf_reading *reading, const struct cf_node *node)
{
    struct kp_text text;
    int64_t ppb;

    if (!node)
        return 0;
    text = node->text;
    if (node->kind == CF_NUMBER && cf_take_decimal(&text, 9, &ppb) && text.len == 0 &&
        ppb <= INT64_C(1000000000))
        return ppb;
    cf_fault_at(reading, node->at,
                "%.*s: wanted a part from 0 to 1 with at most 9 decimals, found '%.*s'",
                KP_ARG(node->key), KP_ARG(node->text));
    return 0;
}

int cf_read_version(struct cf_reading *reading, const struct cf_node *node, struct kp_text key,
                    bool last, int otherwise)
{
    int version;

    if (node->kind == CF_NUMBER) {
        cf_fault_at(reading, node->at, "%.*s: put the version in quotes: \"%.*s\" (1.20 is 1.2)",
                    KP_ARG(key), KP_ARG(source_of(node)));
        return otherwise;
    }
    version = node->kind == CF_STRING ? cf_version_number(node->text, last) : -1;
    if (version >= 0)
        return version;
    cf_fault_at(reading, node->at, "%.*s: '%.*s' is no version from " KP_OLDEST " to " KP_NEWEST,
                KP_ARG(key), KP_ARG(node->text));
    return otherwise;
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct kp_text cf_file_line(const struct cf_reading *reading, int number)
{
    return number >= 1 && number <= reading->file_line_count ? reading->file_lines[number - 1]
                                                             : KP_TEXT_NONE;
}

bool cf_is_quoted(const struct cf_reading *reading, const struct cf_node *node)
{
    struct kp_text line = cf_file_line(reading, node->at.line);
    size_t at = (size_t)node->at.column - 1;

    return node->at.column > 0 && at < line.len &&
           (line.bytes[at] == '"' || line.bytes[at] == '\'');
}

void cf_lines_begin(struct cf_lines *lines, struct cf_reading *reading, const struct cf_node *node)
{
    struct kp_text first;

    *lines = (struct cf_lines){.reading = reading, .rest = cf_read_text(reading, node)};
    if (!node)
        return;
    lines->at = node->at;
    first = cf_file_line(reading, node->at.line);
    lines->literal = node->at.column > 0 && (size_t)node->at.column <= first.len &&
                     first.bytes[node->at.column - 1] == '|';
    if (lines->literal)
        lines->at = (struct cf_place){node->at.line + 1, 1};
}

bool cf_lines_next(struct cf_lines *lines, struct cf_line *line)
{
    struct kp_text text;

    while (kp_text_next_line(&lines->rest, &text)) {
        struct cf_place at = lines->at;
        size_t blank = 0;

        while (blank < text.len && text.bytes[blank] == ' ')
            blank++;
        text = kp_text_from(text, blank);
        if (lines->literal) {
            size_t whole = cf_file_line(lines->reading, at.line).len;

            at.column = whole > text.len ? (int)(whole - text.len) + 1 : 1;
            lines->at.line++;
        }
        if (text.len == 0 || text.bytes[0] == '#')
            continue;
        if (cf_line_split(lines->reading, text, at, line))
            return true;
    }
    return false;
}

/* xNN: a byte in small hexadecimal; false: it is none. */
static bool take_hex(const char *at, size_t len, char *byte)
{
    if (len < 3 || at[0] != 'x' || kp_hex_value(at[1]) < 0 || kp_hex_value(at[2]) < 0)
        return false;
    *byte = (char)(16 * kp_hex_value(at[1]) + kp_hex_value(at[2]));
    return true;
}

/* One character of a quoted word, from behind its backslash. */
static char unescape(char c)
{
    return (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c);
}

/* A quoted word that begins at `from`; its end, or 0: it has none. */
static size_t take_quoted(struct cf_reading *reading, struct kp_text text, size_t from,
                          struct kp_text *word)
{
    char *bytes = cf_arena_alloc(reading->arena, text.len - from + 1);
    size_t len = 0;
    size_t i = from + 1;

    if (!bytes)
        return 0;
    while (i < text.len && text.bytes[i] != '"') {
        if (text.bytes[i] == '\\' && take_hex(text.bytes + i + 1, text.len - i - 1, &bytes[len])) {
            len++;
            i += 3;
        } else if (text.bytes[i] == '\\' && i + 1 < text.len)
            bytes[len++] = unescape(text.bytes[++i]);
        else
            bytes[len++] = text.bytes[i];
        i++;
    }
    *word = (struct kp_text){bytes, len};
    return i < text.len ? i + 1 : 0;
}

/*
 * How far behind `at` the text begins in its line of the file: 1 behind a quotation mark.  -1: the
 * file has it otherwise, folded or escaped, and no place inside of it is known.
 */
static int begins_behind(const struct cf_reading *reading, struct cf_place at, struct kp_text text)
{
    struct kp_text line = cf_file_line(reading, at.line);
    size_t from = at.column > 0 ? (size_t)at.column - 1 : line.len;
    int quote = from < line.len && (line.bytes[from] == '"' || line.bytes[from] == '\'') &&
                line.bytes[from] != text.bytes[0];

    from += (size_t)quote;
    return from < line.len && text.len <= line.len - from &&
                   memcmp(line.bytes + from, text.bytes, text.len) == 0
               ? quote
               : -1;
}

bool cf_line_split(struct cf_reading *reading, struct kp_text text, struct cf_place at,
                   struct cf_line *line)
{
    int behind = text.len > 0 ? begins_behind(reading, at, text) : -1;
    size_t i = 0;

    line->text = text;
    line->at = at;
    line->count = 0;
    for (;;) {
        struct cf_word *word = &line->words[line->count];
        size_t from;

        while (i < text.len && text.bytes[i] == ' ')
            i++;
        if (i == text.len)
            return true;
        from = i;
        line->starts[line->count] = (uint32_t)i;
        line->places[line->count] =
            (struct cf_place){at.line, at.column + (behind < 0 ? 0 : behind + (int)i)};
        if (line->count == CF_LINE_WORDS_MAX - 1) {
            cf_fault_at(reading, line->places[line->count], "too many words in one line");
            return false;
        }
        word->quoted = text.bytes[i] == '"';
        if (word->quoted) {
            i = take_quoted(reading, text, from, &word->text);
            if (i == 0) {
                cf_fault_at(reading, line->places[line->count], "a quotation mark is not closed");
                return false;
            }
        } else {
            while (i < text.len && text.bytes[i] != ' ')
                i++;
            word->text = (struct kp_text){text.bytes + from, i - from};
        }
        line->count++;
    }
}

bool cf_line_is(const struct cf_line *line, size_t k, const char *word)
{
    return k < line->count && !line->words[k].quoted &&
           kp_text_equal(line->words[k].text, kp_text_of(word));
}

struct kp_text cf_line_rest(const struct cf_line *line, size_t k)
{
    return kp_text_from(line->text, line->starts[k]);
}

struct kp_text cf_line_word(const struct cf_line *line, size_t k)
{
    return k < line->count ? line->words[k].text : KP_TEXT_NONE;
}

static struct cf_place word_place(const struct cf_line *line, size_t k)
{
    return k < line->count ? line->places[k] : line->at;
}

int64_t cf_line_duration(struct cf_reading *reading, const struct cf_line *line, size_t k)
{
    struct kp_text word = cf_line_word(line, k);
    int64_t duration_ns = 0;

    if (!cf_parse_duration(word, &duration_ns))
        cf_fault_at(reading, word_place(line, k), "wanted a duration such as 10s, found '%.*s'",
                    KP_ARG(word));
    return duration_ns;
}

bool cf_line_int(struct cf_reading *reading, const struct cf_line *line, size_t k, int64_t *number)
{
    struct kp_text word = cf_line_word(line, k);
    bool minus = word.len > 0 && word.bytes[0] == '-';
    size_t i = minus;

    *number = 0;
    for (; i < word.len && i < 12 && kp_is_digit(word.bytes[i]); i++)
        *number = 10 * *number + (word.bytes[i] - '0');
    if (i < word.len || i == (size_t)minus) {
        cf_fault_at(reading, word_place(line, k), "wanted a whole number, found '%.*s'",
                    KP_ARG(word));
        return false;
    }
    if (minus)
        *number = -*number;
    return true;
}
