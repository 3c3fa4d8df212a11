#include "conformance/text/yaml_hint.h"

#include "conformance/text/arena.h"

#include <string.h>

/* A line that says something. */
struct line {
    int number;
    struct kp_text text;
    size_t indent; /* of its first character */
    size_t field;  /* of its first field: behind the dashes of a list */
};

/* false: it is empty or a comment. */
static bool look_at(struct line *line)
{
    size_t at = 0;

    while (at < line->text.len && line->text.bytes[at] == ' ')
        at++;
    line->indent = at;
    while (at + 1 < line->text.len && line->text.bytes[at] == '-' &&
           line->text.bytes[at + 1] == ' ')
        for (at++; at < line->text.len && line->text.bytes[at] == ' ';)
            at++;
    line->field = at;
    return at < line->text.len && line->text.bytes[at] != '#' && line->text.bytes[at] != '\r';
}

/* The next such line; false: there is none. */
static bool next_line(struct kp_text *rest, struct line *line)
{
    while (kp_text_next_line(rest, &line->text)) {
        line->number++;
        if (look_at(line))
            return true;
    }
    return false;
}

/* `{{` where a value or a line begins: in quotes it is a text like another, and more of them are
 * maps. */
static bool find_template(struct kp_text bytes, struct cf_place *at)
{
    struct line line = {0};

    while (next_line(&bytes, &line))
        for (size_t i = line.field; i < line.text.len; i++)
            if (kp_text_begins(kp_text_from(line.text, i), "{{") &&
                !kp_text_begins(kp_text_from(line.text, i), "{{{") &&
                (i == line.field || line.text.bytes[i - 1] == ' ') &&
                !memchr(line.text.bytes, '"', i) && !memchr(line.text.bytes, '\'', i) &&
                !memchr(line.text.bytes, '#', i)) {
                *at = (struct cf_place){line.number, (int)i + 1};
                return true;
            }
    return false;
}

/* The line of a fault, and the one before it.  false: there is none of that number. */
static bool find_lines(struct kp_text bytes, int number, struct line *line, struct line *before)
{
    *line = *before = (struct line){0};
    for (*line = (struct line){0}; next_line(&bytes, line); *before = *line)
        if (line->number >= number)
            return line->number == number;
    return false;
}

/* Does a field with its value end there, so that nothing can stand deeper below it? */
static bool is_whole(const struct line *line)
{
    struct kp_text field = kp_text_from(line->text, line->field);

    return kp_text_has(field, ": ") && !kp_text_has(field, ": |") && !kp_text_has(field, ": >") &&
           !kp_text_has(field, ": &") && !kp_text_has(field, ": #");
}

static bool stands_above(struct kp_text bytes, const struct line *line)
{
    struct line above = {0};

    while (next_line(&bytes, &above) && above.number < line->number)
        if (above.indent == line->indent || above.field == line->indent)
            return true;
    return false;
}

/* A line that is deeper than the field before it, which has its value. */
static bool is_too_deep(struct cf_arena *arena, const struct line *line, const struct line *before,
                        struct cf_fault *fault)
{
    if (before->number == 0 || !is_whole(before) || line->indent <= before->field)
        return false;
    fault->at.column = (int)line->indent + 1;
    fault->message = cf_arena_format(arena,
                                     "this line is indented by %zu, line %d by %zu: fields of one "
                                     "object stand in one column",
                                     line->indent, before->number, before->field);
    return true;
}

static void look_at_line(struct cf_arena *arena, struct kp_text bytes, bool has_colon,
                         struct cf_fault *fault)
{
    struct line line;
    struct line before;

    if (!find_lines(bytes, fault->at.line, &line, &before) ||
        is_too_deep(arena, &line, &before, fault))
        return;
    if (!has_colon && !stands_above(bytes, &line))
        fault->message = cf_arena_format(
            arena, "this line is indented by %zu, which is where no object above it stands",
            line.indent);
    else if (has_colon && fault->at.column > (int)line.field &&
             (size_t)fault->at.column < line.text.len &&
             kp_text_has((struct kp_text){line.text.bytes + line.field,
                                          (size_t)fault->at.column - 1 - line.field},
                         ": "))
        fault->message = KP_TEXT("a second ': ' in one line: a value that has one is quoted");
}

static bool is_tab(struct kp_text bytes, struct cf_place at)
{
    struct kp_text line;

    for (int number = 1; kp_text_next_line(&bytes, &line); number++)
        if (number == at.line)
            return at.column > 0 && (size_t)at.column <= line.len &&
                   line.bytes[at.column - 1] == '\t';
    return false;
}

void cf_yaml_hint(struct cf_arena *arena, struct kp_text bytes, struct cf_fault *fault)
{
    static const char mapping[] = "mapping values are not allowed";
    static const char key[] = "did not find expected key";

    if (find_template(bytes, &fault->at))
        fault->message =
            KP_TEXT("this is a template; pipe `helm template DIR | probetest COMMAND -`");
    else if (is_tab(bytes, fault->at))
        fault->message = KP_TEXT("a tab: YAML indents with spaces");
    else if (kp_text_begins(fault->message, mapping) || kp_text_begins(fault->message, key))
        look_at_line(arena, bytes, kp_text_begins(fault->message, mapping), fault);
}
