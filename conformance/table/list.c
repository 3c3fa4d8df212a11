#include "conformance/table/list.h"

#include "conformance/table/rule_table.h"
#include "conformance/table/standing.h"
#include "conformance/table/version.h"
#include "conformance/text/human.h"

#include <string.h>

/* ---- a case ---------------------------------------------------------------------------------- */

/* Keys that the heading shows, and not the body. */
static bool is_in_heading(struct kp_text key)
{
    static const char *const heading[] = {"id",     "why",   "rules",    "since",  "until",
                                          "source", "layer", "upstream", "issues", "level"};

    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        if (kp_text_equal(key, kp_text_of(heading[i])))
            return true;
    return false;
}

static void put_indent(struct cf_out *out, int depth)
{
    for (int i = 0; i < depth; i++)
        cf_out_put_string(out, "  ");
}

static void put_block(struct cf_out *out, struct kp_text text, int depth)
{
    struct kp_text line;

    cf_out_put_string(out, " |\n");
    while (kp_text_next_line(&text, &line)) {
        put_indent(out, depth + 1);
        cf_out_put(out, line);
        cf_out_put_char(out, '\n');
    }
}

/* Would YAML read the text back as it is, without quotation marks? */
static bool is_plain(struct kp_text text)
{
    bool letter = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        letter |= word;
        if (!word && !kp_is_digit(c) && !strchr("/._ ,-", c))
            return false;
        if ((i == 0 || i + 1 == text.len) && strchr("-, ", c))
            return false;
    }
    return letter && text.len > 3; /* y, no, on and null are not texts */
}

static void put_value(struct cf_out *out, struct cf_arena *arena, const struct cf_node *node,
                      int depth);

static void put_members(struct cf_out *out, struct cf_arena *arena, const struct cf_node *node,
                        int depth)
{
    for (const struct cf_node *one = node->first; one; one = one->next) {
        if (depth == 2 && node->kind == CF_MAP && is_in_heading(one->key))
            continue;
        put_indent(out, depth);
        if (node->kind == CF_MAP) {
            cf_out_put(out, one->key);
            cf_out_put_char(out, ':');
        } else {
            cf_out_put_char(out, '-');
        }
        put_value(out, arena, one, depth);
    }
}

/* Short enough for a line: no blocks, few members. */
static bool fits_line(const struct cf_node *node, struct kp_text json)
{
    return node->count == 0 || (json.len <= 76 && !memchr(json.bytes, '\\', json.len));
}

static void put_value(struct cf_out *out, struct cf_arena *arena, const struct cf_node *node,
                      int depth)
{
    struct kp_text json = cf_node_json(arena, node);

    if (node->kind == CF_STRING &&
        memchr(node->text.bytes ? node->text.bytes : "", '\n', node->text.len)) {
        put_block(out, node->text, depth);
        return;
    }
    if ((node->kind == CF_MAP || node->kind == CF_LIST) && !fits_line(node, json)) {
        cf_out_put_char(out, '\n');
        put_members(out, arena, node, depth + 1);
        return;
    }
    cf_out_put_char(out, ' ');
    cf_out_put(out, node->kind == CF_STRING && is_plain(node->text) ? node->text : json);
    cf_out_put_char(out, '\n');
}

static void put_list(struct cf_out *out, const char *name, const struct kp_text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        cf_out_printf(out, "%s%.*s", i == 0 ? name : ", ", KP_ARG(list->items[i]));
    if (list->count > 0)
        cf_out_put_char(out, '\n');
}

static void put_rules(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item)
{
    for (size_t i = 0; i < item->rule_count; i++) {
        const struct kp_rule_row *row = kp_rule_get(item->rules[i]);

        cf_put_named(out, "rule", cf_arena_format(arena, "%-6s %s", row->id, row->sentence));
    }
}

void cf_put_case(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item)
{
    cf_out_printf(out, "%.*s\n", KP_ARG(item->id));
    cf_put_wrapped(out, 2, 2, item->why);
    cf_out_put_char(out, '\n');
    put_rules(out, arena, item);
    cf_out_put_string(out, "  versions  ");
    cf_put_versions(out, item);
    cf_out_printf(out, "\n  layer     %s%s\n", cf_layer_name(item->layer),
                  item->observed ? ", observed: recorded and not judged" : "");
    put_list(out, "  needs     ", &item->features);
    put_list(out, "  asks for  ", &item->plain);
    if (item->source.len > 0)
        cf_out_printf(out, "  source    %.*s\n", KP_ARG(item->source));
    put_list(out, "  upstream  ", &item->upstream);
    put_list(out, "  issues    ", &item->issues);
    cf_out_printf(out, "  file      %s:%d\n\n", item->file, item->at.line);
    put_members(out, arena, item->node, 2);
}

/* ---- a rule ---------------------------------------------------------------------------------- */

static void put_places(struct cf_out *out, enum kp_rule rule)
{
    const char *name = "  code      ";

    for (const struct cf_rule_place *place = NULL;
         (place = cf_rule_place_next(rule, place)) != NULL;) {
        cf_out_printf(out, "%s%s:%d %s\n", name, place->file, place->line, place->name);
        name = "            ";
    }
}

static void put_changes(struct cf_out *out, enum kp_rule rule)
{
    int borders[CF_BORDERS_MAX];
    size_t count = cf_rule_borders(rule, borders);

    for (size_t i = 0; i < count; i++) {
        cf_out_put_string(out, i == 0 ? "  changes   with " : ", ");
        cf_put_version(out, borders[i], false);
    }
    if (count > 0)
        cf_out_put_char(out, '\n');
}

static size_t count_cases(const struct cf_suite *suite, enum kp_rule rule)
{
    size_t count = 0;

    for (const struct cf_case *item = NULL; (item = cf_rule_case_next(suite, rule, item)) != NULL;)
        count++;
    return count;
}

/* Of the cases that show a rule one that the documentation promises, and of those the first one
 * that shows least else. */
static const struct cf_case *find_example(const struct cf_suite *suite, enum kp_rule rule)
{
    const struct cf_case *best = NULL;

    for (const struct cf_case *item = NULL; (item = cf_rule_case_next(suite, rule, item)) != NULL;)
        if (!best || cf_case_in_contract(item) > cf_case_in_contract(best) ||
            (cf_case_in_contract(item) == cf_case_in_contract(best) &&
             item->rule_count < best->rule_count))
            best = item;
    return best;
}

/* Of its text no more lines than so many, each of 80 columns; 0: all. */
static void cut_lines(struct cf_out *out, size_t from, size_t lines, const struct cf_case *item)
{
    struct kp_text rest = {out->bytes + from, out->len - from};
    struct kp_text line;

    if (lines == 0)
        return;
    while (lines > 0 && kp_text_next_line(&rest, &line))
        lines--;
    if (rest.len > 0) {
        out->len -= rest.len;
        cf_out_printf(out, "    ... `probetest show %.*s`\n", KP_ARG(item->id));
    }
    cf_cut_lines(out, from, 80);
}

static void put_example(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule,
                        size_t lines)
{
    const struct cf_case *item = find_example(suite, rule);
    struct cf_out title = {0};
    size_t from;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    if (item) {
        cf_out_printf(&title, "for example %.*s: %.*s", KP_ARG(item->id), KP_ARG(item->why));
        cf_out_put_char(out, '\n');
        cf_put_wrapped(out, 2, 4, cf_out_text(&title));
        cf_out_put_char(out, '\n');
        from = out->len;
        put_members(out, &arena, item->node, 2);
        cut_lines(out, from, lines, item);
    }
    cf_out_deinit(&title);
    cf_arena_deinit(&arena);
}

static const char *confidence_word(char letter)
{
    return letter == 'H'   ? "high: read in the source, or measured"
           : letter == 'M' ? "middling: inferred from the source and from dates"
                           : "low: to be verified";
}

/* Where it stands upstream, as of the newest release that has it. */
static void put_source(struct cf_out *out, const struct kp_rule_row *row)
{
    static const struct {
        const char *name;
        const char *folder;
        int since;
    } files[] = {
#define FILE(name, folder, since) {name, folder, since},
#include "conformance/table/upstream_files.def"
#undef FILE
    };
    size_t len = strcspn(row->place, " ");
    struct kp_profile profile;

    cf_out_put_string(out, "  source    ");
    if (kp_profile_init(&profile, kp_text_of(row->until[0] ? row->until : KP_NEWEST)) == KP_OK)
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
            if (strlen(files[i].name) == len && memcmp(files[i].name, row->place, len) == 0 &&
                profile.minor >= files[i].since) {
                cf_out_printf(out, "%s/%s, at v1.%d.%d\n", files[i].folder, row->place,
                              profile.minor, profile.patch);
                return;
            }
    cf_out_printf(out, "%s\n", row->place);
}

static void put_title(struct cf_out *out, const struct kp_rule_row *row)
{
    cf_out_printf(out, "%s  %s\n", row->id, row->name);
    cf_put_wrapped(out, 2, 2, kp_text_of(row->sentence));
}

void cf_put_rule(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    const struct kp_rule_row *row = kp_rule_get(rule);

    put_title(out, row);
    cf_out_printf(out, "\n  versions  %s%s%s\n", row->since, row->until[0] ? " to " : " and later",
                  row->until);
    put_changes(out, rule);
    put_source(out, row);
    cf_out_printf(out, "  sure      %s\n", confidence_word(row->confidence));
    cf_out_printf(out, "  standing  %s%s%s\n", kp_standing_name(kp_rule_standing(rule)),
                  kp_rule_evidence(rule)[0] ? ": " : "", kp_rule_evidence(rule));
    if (row->issues[0])
        cf_out_printf(out, "  issues    %s\n", row->issues);
    put_places(out, rule);
    if (kp_rule_silent(rule))
        cf_out_printf(out, "  silent    %s\n", kp_rule_silent(rule));
    else if (row->level == KP_LEVEL_OBSERVED)
        cf_out_put_string(out, "  level     observed: recorded and not judged\n");
    cf_out_printf(out, "  cases     %zu, `probetest list %s`\n", count_cases(suite, rule), row->id);
    put_example(out, suite, rule, 0);
}

void cf_put_word(struct cf_out *out, const struct cf_suite *suite, const struct cf_word_row *word,
                 const enum kp_rule *rules, size_t count)
{
    enum { OTHERS = 3, LINES = 5 };
    const struct kp_rule_row *best = count > 0 ? kp_rule_get(rules[0]) : NULL;
    size_t from;

    if (word) {
        cf_out_printf(out, "%s\n", word->name);
        cf_put_wrapped(out, 2, 2, kp_text_of(word->what));
    }
    if (!best)
        return;
    if (word)
        cf_out_put_char(out, '\n');
    put_title(out, best);
    put_example(out, suite, rules[0], LINES);
    from = out->len;
    for (size_t i = 1; i < count && i <= OTHERS; i++)
        cf_out_printf(out, "%s%-7s %s\n", i == 1 ? "\nalso:\n  " : "  ", kp_rule_get(rules[i])->id,
                      kp_rule_get(rules[i])->sentence);
    cf_cut_lines(out, from, 80);
    cf_out_printf(out, "cases: %zu, `probetest list %s`; source: `probetest explain %s`\n",
                  count_cases(suite, rules[0]), best->id, best->id);
}
