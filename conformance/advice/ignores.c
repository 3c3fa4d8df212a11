#include "conformance/advice/ignores.h"

#include "conformance/text/yaml.h"

#include <string.h>

#define NAME "probetest:"
#define WORD "ignore="

/* One comment under way. */
struct reading {
    struct cf_arena *arena;
    struct cf_ignores *out;
    int line; /* of the comment */
    int column;
    int of; /* the line that it speaks of */
};

/* What the comments right above speak of is further down. */
static void pass_on(struct cf_ignores *ignores, int line)
{
    for (size_t i = ignores->count; i > 0 && ignores->list[i - 1].line == line; i--)
        ignores->list[i - 1].line++;
}

static void skip_blanks(struct kp_text *text)
{
    while (text->len > 0 && (text->bytes[0] == ' ' || text->bytes[0] == '\t'))
        *text = kp_text_from(*text, 1);
}

/* Whether a text begins with a word, and blanks behind it; they are taken off. */
static bool take(struct kp_text *text, const char *word)
{
    if (!kp_text_begins(*text, word))
        return false;
    *text = kp_text_from(*text, strlen(word));
    skip_blanks(text);
    return true;
}

/* Where a comment to this program begins in a line, and what it says; the line's length: none. */
static size_t find_mark(struct kp_text line, struct kp_text *says)
{
    const char *end = line.bytes + line.len;

    for (const char *at = line.bytes; (at = memchr(at, '#', (size_t)(end - at))); at++) {
        *says = (struct kp_text){at, (size_t)(end - at)};
        if (take(says, "#") && take(says, NAME))
            return (size_t)(at - line.bytes);
    }
    return line.len;
}

static bool is_comment(struct kp_text line)
{
    size_t at = 0;

    while (at < line.len && (line.bytes[at] == ' ' || line.bytes[at] == '\t'))
        at++;
    return at < line.len && line.bytes[at] == '#';
}

/* Twice the room, with what was there. */
static void *grown(struct cf_arena *arena, const void *list, size_t count, size_t *room,
                   size_t size)
{
    void *more;

    *room = *room * 2 + 8;
    more = cf_arena_array(arena, *room, size);
    if (more && count > 0)
        memcpy(more, list, count * size);
    return more;
}

static void add_fault(struct reading *reading, struct kp_text text)
{
    struct cf_ignores *out = reading->out;

    if (out->fault_count == out->fault_room)
        out->faults = grown(reading->arena, out->faults, out->fault_count, &out->fault_room,
                            sizeof *out->faults);
    if (out->faults)
        out->faults[out->fault_count++] = (struct cf_manifest_fault){
            .at = {reading->line, reading->column}, .text = text, .warning = true};
}

static void add(struct reading *reading, struct kp_text id)
{
    struct cf_ignores *out = reading->out;
    enum cf_lint_rule rule = cf_lint_find(id);

    if (rule == CF_LINT_RULES || cf_lint_row(rule)->error) {
        add_fault(reading,
                  cf_arena_format(reading->arena,
                                  "no rule \"%.*s\" to ignore; `probetest lint --rules` lists them",
                                  KP_ARG(id)));
        return;
    }
    if (out->count == out->room)
        out->list = grown(reading->arena, out->list, out->count, &out->room, sizeof *out->list);
    if (out->list)
        out->list[out->count++] = (struct cf_ignore){reading->of, rule};
}

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || kp_is_digit(c) || c == '-';
}

/* Of names with commas between them; behind the last one may stand why. */
static void read_names(struct reading *reading, struct kp_text says)
{
    do {
        struct kp_text name = {says.bytes, 0};

        while (name.len < says.len && in_name(says.bytes[name.len]))
            name.len++;
        says = kp_text_from(says, name.len);
        skip_blanks(&says);
        add(reading, name);
    } while (!reading->arena->failed && take(&says, ","));
}

enum kp_err cf_ignores_read(struct cf_arena *arena, struct kp_text bytes, struct cf_ignores *out)
{
    struct reading reading = {.arena = arena, .out = out};
    struct kp_text line;

    *out = (struct cf_ignores){0};
    while (!arena->failed && cf_yaml_next_line(&bytes, &line)) {
        struct kp_text says;
        size_t mark = find_mark(line, &says);
        bool alone = is_comment(line);

        reading.line++;
        if (alone)
            pass_on(out, reading.line);
        if (mark == line.len)
            continue;
        reading.column = (int)mark + 1;
        reading.of = reading.line + alone;
        if (take(&says, WORD))
            read_names(&reading, says);
        else
            add_fault(&reading, KP_TEXT("not understood; it is `# probetest: ignore=RULE`"));
    }
    return arena->failed ? KP_ENOMEM : KP_OK;
}

bool cf_ignores_has(const struct cf_ignores *ignores, int line, enum cf_lint_rule rule)
{
    size_t low = 0;
    size_t high = ignores->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ignores->list[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < ignores->count && ignores->list[low].line == line)
        if (ignores->list[low++].rule == rule)
            return true;
    return false;
}
