#include "conformance/table/rule_table.h"

#include "conformance/table/list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kp_rule cf_rule_typed(const char *word)
{
    const char *name = strncmp(word, "KP_RULE_", 8) == 0 ? word + 8 : word;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        if (strcasecmp(kp_rule_get((enum kp_rule)rule)->id, word) == 0 ||
            strcmp(kp_rule_get((enum kp_rule)rule)->name, name) == 0)
            return (enum kp_rule)rule;
    return KP_RULE_NONE;
}

/* ---- places in the code ---------------------------------------------------------------------- */

static const struct cf_rule_place places[] = {
#define PLACE(rule, file, line, name) {KP_RULE_##rule, file, line, name},
#include "places.def"
#undef PLACE
};

enum { PLACES = sizeof places / sizeof *places };

const struct cf_rule_place *cf_rule_place_next(enum kp_rule rule, const struct cf_rule_place *last)
{
    for (const struct cf_rule_place *place = last ? last + 1 : places; place < places + PLACES;
         place++)
        if (place->rule == rule)
            return place;
    return NULL;
}

/* ---- cases ----------------------------------------------------------------------------------- */

const struct cf_case *cf_rule_case_next(const struct cf_suite *suite, enum kp_rule rule,
                                        const struct cf_case *last)
{
    for (size_t i = last ? (size_t)(last - suite->cases) + 1 : 0; i < suite->case_count; i++)
        if (cf_case_shows(&suite->cases[i], rule))
            return &suite->cases[i];
    return NULL;
}

/* ---- borders --------------------------------------------------------------------------------- */

#define V(minor, patch) ((minor)*1000 + (patch))
#define NONE V(1000, 0)

static const struct boundary_row {
    const char *rules;        /* separated by spaces */
    bool to_end_of_minor;     /* off again there, but for the last boundary */
    const int boundaries[12]; /* ended by 0 */
} boundary_rows[] = {
#define SWITCH(name, rules, ...) {rules, true, {__VA_ARGS__}},
#define SPANS(name, rules, ...) {rules, false, {__VA_ARGS__}},
#define LEVEL SPANS
#include "core/rules/profile.def"
#undef SWITCH
#undef SPANS
#undef LEVEL
#define GATE(name, rules, since, on, locked, gone) {rules, false, {on}},
#include "core/rules/gates.def"
#undef GATE
};

static int by_version(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* What comes behind the last patch of a minor is the next minor. */
static int version_behind(int version)
{
    return version % 1000 == 999 ? V(version / 1000 + 1, 0) : version + 1;
}

static int version_before(int version)
{
    return version % 1000 == 0 ? V(version / 1000 - 1, 999) : version - 1;
}

/* The borders of one rule, while they are put together. */
struct border_list {
    int first; /* the rule's own: outside of them it says nothing */
    int last;
    int *versions;
    size_t count;
};

/* Before 1.15 and behind the newest minor there is nothing to show. */
static void add_border(struct border_list *list, int version)
{
    if (version <= V(KP_MINOR_MIN, 0) || version / 1000 > KP_MINOR_MAX || version < list->first ||
        version > list->last || list->count == CF_BORDERS_MAX)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->versions[i] == version)
            return;
    list->versions[list->count++] = version;
}

static void add_boundaries(struct border_list *list, const struct boundary_row *row)
{
    for (const int *at = row->boundaries; *at; at++) {
        add_border(list, *at);
        if (row->to_end_of_minor && at[1])
            add_border(list, V(*at / 1000 + 1, 0));
    }
}

size_t cf_rule_borders(enum kp_rule rule, int borders[CF_BORDERS_MAX])
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    struct border_list list = {cf_version_number(kp_text_of(row->since), false), NONE, borders, 0};

    if (row->until[0])
        list.last = version_behind(cf_version_number(kp_text_of(row->until), true));
    add_border(&list, list.first);
    add_border(&list, list.last);
    for (size_t i = 0; i < sizeof boundary_rows / sizeof *boundary_rows; i++)
        if (strstr(boundary_rows[i].rules, row->id))
            add_boundaries(&list, &boundary_rows[i]);
    qsort(borders, list.count, sizeof *borders, by_version);
    return list.count;
}

/* ---- what is missing ------------------------------------------------------------------------- */

static size_t put_border_hole(struct cf_out *out, const char *id, int border, const char *does,
                              int version, bool end)
{
    cf_out_printf(out, "%s: no case of it %s with ", id, does);
    cf_put_version(out, version, end);
    cf_out_put_string(out, ", and at ");
    cf_put_version(out, border, false);
    cf_out_put_string(out, " it changes\n");
    return 1;
}

static size_t put_border_holes(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    int borders[CF_BORDERS_MAX];
    size_t border_count = cf_rule_borders(rule, borders);
    const char *id = kp_rule_get(rule)->id;
    size_t count = 0;

    for (size_t i = 0; i < border_count; i++) {
        int before = version_before(borders[i]);
        bool begins = false;
        bool ends = false;

        for (const struct cf_case *item = NULL;
             (item = cf_rule_case_next(suite, rule, item)) != NULL;) {
            bool has = cf_case_applies(item, borders[i]);
            bool had = cf_case_applies(item, before);

            begins |= has && !had;
            ends |= had && !has;
        }
        if (!begins)
            count += put_border_hole(out, id, borders[i], "begins", borders[i], false);
        if (!ends)
            count += put_border_hole(out, id, borders[i], "ends", before, true);
    }
    return count;
}

static size_t put_hole(struct cf_out *out, const char *id, bool hole, const char *what)
{
    if (hole)
        cf_out_printf(out, "%s: %s\n", id, what);
    return hole;
}

size_t cf_rule_put_holes(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    bool silent = kp_rule_silent(rule) != NULL;
    size_t count = put_hole(out, row->id, silent != (row->level == KP_LEVEL_PROSE),
                            "its level is PROSE just if rules_silent.def says why");

    if (silent)
        return count;
    count += put_hole(out, row->id, !cf_rule_case_next(suite, rule, NULL), "no case shows it");
    count += put_hole(out, row->id, !cf_rule_place_next(rule, NULL), "no code names it");
    return count + put_border_holes(out, suite, rule);
}
