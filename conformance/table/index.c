#include "conformance/table/index.h"
#include "conformance/table/builtin.h"
#include "conformance/table/version.h"
#include "conformance/text/human.h"

#include <string.h>
#include <strings.h>

static const struct cf_bug_row bug_rows[] = {
#define BUG(id, issues, since, until, what, cases) {id, issues, since, until, what, cases},
#include "conformance/table/bugs.def"
#undef BUG
};

enum { BUG_ROWS = sizeof bug_rows / sizeof *bug_rows };

/* Cut the line's next cell off, where its tab or its end is. */
static const char *take_cell(char **line)
{
    char *cell = *line;

    *line += strcspn(cell, "\t\n");
    if (**line)
        *(*line)++ = '\0';
    return cell;
}

const struct cf_upstream_row *cf_upstream_rows(struct cf_arena *arena)
{
    struct kp_text packed = cf_builtin_file(arena, "table/upstream.tsv");
    char *text = cf_arena_alloc(arena, packed.len + 1);
    struct cf_upstream_row *rows = NULL;
    size_t count = 0;
    size_t room = 0;

    if (!text || packed.len == 0)
        cf_out_of_memory();
    memcpy(text, packed.bytes, packed.len);
    text[packed.len] = '\0';
    for (;;) {
        rows = cf_arena_grow(arena, rows, &room, count, sizeof *rows);
        if (!rows)
            cf_out_of_memory();
        if (!*text)
            return rows;
        if (*text == '#')
            text += strcspn(text, "\n") + 1;
        else {
            rows[count].name = take_cell(&text);
            rows[count].file = take_cell(&text);
            rows[count].what = take_cell(&text);
            rows[count++].cases = take_cell(&text);
        }
    }
}

const struct cf_bug_row *cf_bug_at(size_t index)
{
    return index < BUG_ROWS ? &bug_rows[index] : NULL;
}

/* "TestX", or "TestX: one of its rows". */
static bool is_of(const struct cf_upstream_row *row, struct kp_text name)
{
    size_t len = strlen(row->name);

    return kp_text_begins(name, row->name) &&
           (name.len == len ||
            (name.len > len + 2 && kp_text_begins(kp_text_from(name, len), ": ")));
}

const struct cf_upstream_row *cf_upstream_find(const struct cf_upstream_row *rows,
                                               struct kp_text name)
{
    for (const struct cf_upstream_row *row = rows; row->name; row++)
        if (kp_text_equal(kp_text_of(row->name), name))
            return row;
    for (const struct cf_upstream_row *row = rows; row->name; row++)
        if (is_of(row, name))
            return row;
    return NULL;
}

const struct cf_bug_row *cf_bug_find(const char *id)
{
    for (size_t i = 0; i < BUG_ROWS; i++)
        if (strcasecmp(bug_rows[i].id, id) == 0)
            return &bug_rows[i];
    return NULL;
}

/* ---- which cases ----------------------------------------------------------------------------- */

/* The next word of *rest; empty: there is none. */
static struct kp_text take_word(const char **rest)
{
    struct kp_text word;

    *rest += strspn(*rest, " ");
    word = (struct kp_text){*rest, strcspn(*rest, " ")};
    *rest += word.len;
    return word;
}

/* A case's own id, its family's, or a rule that it shows (or KP_RULE_NONE). */
static bool is_meant(struct kp_text word, enum kp_rule rule, const struct cf_case *item)
{
    if (rule != KP_RULE_NONE)
        return cf_case_shows(item, rule);
    return item->id.len >= word.len &&
           kp_text_equal((struct kp_text){item->id.bytes, word.len}, word) &&
           (item->id.len == word.len || item->id.bytes[word.len] == '.');
}

static bool lists(const char *words, const struct cf_case *item)
{
    for (;;) {
        struct kp_text word = take_word(&words);

        if (word.len == 0)
            return false;
        if (is_meant(word, kp_rule_find(word), item))
            return true;
    }
}

bool cf_upstream_has(const struct cf_upstream_row *row, const struct cf_case *item)
{
    for (size_t i = 0; i < item->upstream.count; i++)
        if (is_of(row, item->upstream.items[i]))
            return true;
    return lists(row->cases, item);
}

bool cf_upstream_names(const struct cf_case *item, struct kp_text name)
{
    for (size_t i = 0; i < item->upstream.count; i++)
        if (kp_text_equal(item->upstream.items[i], name))
            return true;
    return false;
}

bool cf_bug_has(const struct cf_bug_row *row, const struct cf_case *item)
{
    return lists(row->cases, item);
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* Every word of a row means some case. */
static size_t put_words(struct cf_out *out, const struct cf_suite *suite, const char *name,
                        const char *words)
{
    size_t count = 0;

    for (;;) {
        struct kp_text word = take_word(&words);
        enum kp_rule rule = kp_rule_find(word);
        bool found = false;

        if (word.len == 0)
            return count;
        for (size_t i = 0; !found && i < suite->case_count; i++)
            found = is_meant(word, rule, &suite->cases[i]);
        if (!found) {
            cf_out_printf(out, "%s: no case is called %.*s\n", name, KP_ARG(word));
            count++;
        }
    }
}

static size_t put_upstream(struct cf_out *out, const struct cf_suite *suite,
                           const struct cf_upstream_row *row)
{
    bool found = false;

    for (size_t i = 0; !found && i < suite->case_count; i++)
        found = cf_upstream_has(row, &suite->cases[i]);
    if (!found)
        cf_out_printf(out, "%s: no case checks what it checks\n", row->name);
    return put_words(out, suite, row->name, row->cases) + !found;
}

/* Has the case one of the bug's numbers? */
static bool has_issue(const struct cf_bug_row *row, const struct cf_case *item)
{
    const char *rest = row->issues;

    for (;;) {
        struct kp_text number = take_word(&rest);

        if (number.len == 0)
            return false;
        for (size_t i = 0; i < item->issues.count; i++)
            if (kp_text_equal(item->issues.items[i], number))
                return true;
    }
}

/* Does the case play on a version that has the bug? */
static bool plays(const struct cf_bug_row *row, const struct cf_case *item)
{
    int since = cf_version_number(kp_text_of(row->since), false);
    int until = row->until[0] ? cf_version_number(kp_text_of(row->until), true) : item->since;

    return cf_bug_has(row, item) && item->until >= since && item->since <= until;
}

static size_t put_bug(struct cf_out *out, const struct cf_suite *suite,
                      const struct cf_bug_row *row)
{
    bool silent = strncmp(row->what, "silent: ", 8) == 0;
    bool found = silent;
    bool named = silent || !row->issues[0];

    for (size_t i = 0; i < suite->case_count; i++) {
        found |= plays(row, &suite->cases[i]);
        named |= plays(row, &suite->cases[i]) && has_issue(row, &suite->cases[i]);
    }
    if (!found)
        cf_out_printf(out, "%s: no case plays it on a version that has it\n", row->id);
    else if (!named)
        cf_out_printf(out, "%s: none of its cases has one of its issues\n", row->id);
    return put_words(out, suite, row->id, row->cases) + !(found && named);
}

size_t cf_index_put_holes(struct cf_out *out, const struct cf_suite *suite,
                          const struct cf_upstream_row *upstream)
{
    size_t count = 0;

    for (const struct cf_upstream_row *row = upstream; row->name; row++)
        count += put_upstream(out, suite, row);
    for (size_t i = 0; i < BUG_ROWS; i++)
        count += put_bug(out, suite, &bug_rows[i]);
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct cf_case *item = &suite->cases[i];

        for (size_t k = 0; k < item->upstream.count; k++)
            if (!cf_upstream_find(upstream, item->upstream.items[k])) {
                cf_out_printf(out, "%s:%d: upstream.tsv does not list '%.*s'\n", item->file,
                              item->at.line, KP_ARG(item->upstream.items[k]));
                count++;
            }
    }
    return count;
}

/* ---- a bug ------------------------------------------------------------------------------------
 */

void cf_put_bug(struct cf_out *out, const struct cf_suite *suite, const struct cf_bug_row *row)
{
    const char *name = "  cases     ";

    cf_out_printf(out, "%s\n", row->id);
    cf_put_wrapped(out, 2, 2, kp_text_of(row->what));
    cf_out_printf(out, "\n  versions  %s%s%s\n", row->since, row->until[0] ? " to " : " and later",
                  row->until);
    if (row->issues[0])
        cf_out_printf(out, "  issues    %s\n", row->issues);
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct cf_case *item = &suite->cases[i];

        if (!cf_bug_has(row, item))
            continue;
        cf_out_printf(out, "%s%.*s\n", name, KP_ARG(item->id));
        cf_put_wrapped(out, 12, 12, item->why);
        name = "            ";
    }
}
