#include "conformance/table/rule_table.h"

#include "conformance/table/list.h"
#include "conformance/table/version.h"
#include "conformance/text/versions.h"

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

/* What rules change with: a row of profile.def or a gate, a byte of the profile. */
static const struct change {
    const char *rules; /* separated by spaces */
    size_t at;
} changes[] = {
#define SWITCH(name, rules, ...) {rules, offsetof(struct kp_profile, name)},
#define SPANS SWITCH
#define LEVEL SWITCH
#include "core/rules/profile.def"
#undef SWITCH
#undef SPANS
#undef LEVEL
#define GATE(name, rules, since, on, locked, gone)                                                 \
    {rules, offsetof(struct kp_profile, gates) + KP_GATE_##name * sizeof(bool)},
#include "core/rules/gates.def"
#undef GATE
};

_Static_assert(sizeof(bool) == 1, "a byte of the profile");

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

/* The profiles of all versions at which anything changes, ascending: made when they are first asked
 * for. */
static const struct kp_profile *changing_profiles(size_t *count)
{
    static struct kp_profile profiles[CF_VERSIONS_MAX];
    static struct cf_versions versions;

    if (versions.count == 0 && cf_versions_read(&versions, "patches", NULL))
        for (size_t i = 0; i < versions.count; i++)
            (void)cf_version_read(&profiles[i], versions.list[i].name);
    *count = versions.count;
    return profiles;
}

/* Where what the rule changes with is other than in the version before. */
static void add_changes(struct border_list *list, const char *id)
{
    size_t count;
    const struct kp_profile *profiles = changing_profiles(&count);

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (size_t k = 1; k < count && strstr(changes[i].rules, id); k++)
            if (((const char *)&profiles[k])[changes[i].at] !=
                ((const char *)&profiles[k - 1])[changes[i].at])
                add_border(list, V(profiles[k].minor, profiles[k].patch));
}

size_t cf_rule_borders(enum kp_rule rule, int borders[CF_BORDERS_MAX])
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    struct border_list list = {cf_version_number(kp_text_of(row->since), false), NONE, borders, 0};

    if (row->until[0])
        list.last = version_behind(cf_version_number(kp_text_of(row->until), true));
    add_border(&list, list.first);
    add_border(&list, list.last);
    add_changes(&list, row->id);
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
