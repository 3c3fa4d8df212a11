#include "conformance/table/selection.h"

#include "conformance/protocol/wire.h"
#include "conformance/table/index.h"
#include "conformance/table/rule_table.h"
#include "conformance/table/standing.h"

#include "conformance/text/versions.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- by name --------------------------------------------------------------------------------- */

/* A pattern, compiled. */
struct pattern {
    struct kp_text text;
    enum kp_rule rule; /* KP_RULE_NONE: it is no rule's id */
    int layer;         /* it is a layer: its cases, wherever they lie; CF_NO_WORD: none */
    bool topic;        /* it is a topic, or a folder of them: then it is no expression */
    regex_t regex;
    bool found; /* it chose something */
};

/* "pod/kill" is called so, or "kill", or by its folder, "pod". */
static bool is_topic(struct kp_text name, struct kp_text topic)
{
    const char *slash = memchr(topic.bytes, '/', topic.len);
    size_t folder = slash ? (size_t)(slash - topic.bytes) : 0;

    return kp_text_equal(name, topic) ||
           (slash && (kp_text_equal(name, (struct kp_text){topic.bytes, folder}) ||
                      kp_text_equal(name, (struct kp_text){slash + 1, topic.len - folder - 1})));
}

static bool fits(struct pattern *pattern, const struct cf_case *item)
{
    if (pattern->rule != KP_RULE_NONE)
        return cf_case_shows(item, pattern->rule);
    if (pattern->layer != CF_NO_WORD)
        return (int)item->layer == pattern->layer;
    if (pattern->topic)
        return is_topic(pattern->text, item->topic);
    return regexec(&pattern->regex, item->id.bytes, 0, NULL, 0) == 0;
}

/* What a case has to stand for besides. */
struct filter {
    const struct cf_upstream_row *upstream;
    const char *row; /* of that test, alone; NULL: all of it */
    const struct cf_bug_row *bug;
    enum cf_tier tier;
};

/* All patterns are tried, so that each knows whether it chose anything. */
static bool is_chosen(struct cf_selection *selection, const struct filter *filter,
                      struct pattern *patterns, const struct cf_case *item)
{
    bool chosen = selection->pattern_count == 0;
    struct pattern *without = &patterns[selection->pattern_count];

    if ((filter->upstream && !cf_upstream_has(filter->upstream, item)) ||
        (filter->row && !cf_upstream_names(item, kp_text_of(filter->row))) ||
        (selection->bug && !cf_bug_has(filter->bug, item)) || !cf_tier_has(filter->tier, item) ||
        (selection->without_bugs && cf_case_standing(item) == KP_STANDING_QUIRK))
        return false;
    for (size_t i = 0; i < selection->pattern_count; i++)
        if (fits(&patterns[i], item))
            chosen = patterns[i].found = true;
    if (selection->without && fits(without, item)) {
        without->found = true;
        return false;
    }
    return chosen;
}

/* ---- by version ------------------------------------------------------------------------------ */

/* What a run asks for; patches matter for which cases apply. */
struct wanted {
    struct cf_versions versions;
    bool newest; /* each case at the newest version that it applies to */
    bool all;    /* each case on every minor that it speaks of, or on their patches too */
};

/* Where the cases of the table begin and end, whatever the profile under test says. */
static bool insert_borders(struct cf_versions *versions, const struct cf_case *item)
{
    bool fine = cf_versions_insert(versions, item->since) &&
                (item->until / 1000 > KP_MINOR_MAX || cf_versions_insert(versions, item->until));

    for (size_t i = 0; i < item->hole_count; i++)
        fine = fine && cf_versions_insert(versions, item->holes[i].first - 1) &&
               cf_versions_insert(versions, item->holes[i].last + 1);
    return fine;
}

static bool read_versions(struct wanted *wanted, const char *k8s, const struct cf_suite *suite,
                          struct kp_text *bad)
{
    bool patches = k8s && strcmp(k8s, "patches") == 0;
    bool fine = cf_versions_read(&wanted->versions, k8s ? k8s : "all", bad);

    wanted->newest = k8s == NULL;
    wanted->all = k8s && (strcmp(k8s, "all") == 0 || patches);
    for (size_t i = 0; patches && i < suite->case_count; i++)
        fine = fine && insert_borders(&wanted->versions, &suite->cases[i]);
    return fine;
}

static void add_selected(struct cf_selection *selection, const struct cf_case *item,
                         const char *version)
{
    struct cf_selected *selected = &selection->list[selection->count++];

    selected->item = item;
    snprintf(selected->version, sizeof selected->version, "%s", version);
}

static void add_patch(struct cf_selection *selection, const struct cf_case *item, int version)
{
    char name[24];

    snprintf(name, sizeof name, "1.%d.%d", version / 1000, version % 1000);
    for (size_t i = selection->count; i > 0 && selection->list[i - 1].item == item; i--)
        if (strcmp(selection->list[i - 1].version, name) == 0)
            return;
    add_selected(selection, item, name);
}

/*
 * A case that only patch releases have which are not the last judged ones (K-14: 1.35.x, 1.36.3+)
 * is played at its `since`.
 */
static void add_newest(struct cf_selection *selection, const struct cf_versions *versions,
                       const struct cf_case *item)
{
    for (size_t i = versions->count; i > 0; i--) {
        const struct cf_version *version = &versions->list[i - 1];

        if (!cf_case_applies(item, version->number))
            continue;
        add_selected(selection, item, version->name);
        return;
    }
    add_patch(selection, item, item->since);
}

/* Does one of the case's rules change between the two (the first of them not included)? */
static bool changes(const struct cf_case *item, int from, int to)
{
    for (size_t i = 0; i < item->rule_count; i++) {
        int borders[CF_BORDERS_MAX];
        size_t count = cf_rule_borders(item->rules[i], borders);

        for (size_t k = 0; k < count; k++)
            if (borders[k] > from && borders[k] <= to)
                return true;
    }
    return false;
}

/*
 * An attempt takes real time and a real network: of the minors it takes the first, the last, and
 * those at a border of its rules; of the patches on the way those at which one changes.
 */
static bool is_worth_it(const struct cf_case *item, const struct cf_version *version)
{
    int minor = version->number / 1000;

    if (item->layer != CF_LAYER_FIRE)
        return true;
    if (!cf_version_is_last(version))
        return changes(item, version->number - 1, version->number);
    return minor == item->since / 1000 || minor == item->until / 1000 ||
           changes(item, minor * 1000 - 1, (minor + 1) * 1000);
}

/* Of a minor the version nearest to its last judged patch that the case speaks of; -1: none. */
static int nearest(const struct cf_case *item, int last)
{
    int minor = last / 1000;

    if (item->until < minor * 1000 || item->since > minor * 1000 + 999)
        return -1;
    for (int at = last; at >= minor * 1000; at--)
        if (cf_case_applies(item, at))
            return at;
    for (int at = last; at <= minor * 1000 + 999; at++)
        if (cf_case_applies(item, at))
            return at;
    return -1;
}

static void add_begin(struct cf_selection *selection, const struct cf_case *item, int version)
{
    if (version % 1000 > 0 && cf_case_applies(item, version))
        add_patch(selection, item, version);
}

/*
 * Of a minor whose last patch the case does not speak of, the nearest one that it does.  An attempt
 * that begins with a patch is also made there: all others are on each patch, by `patches`.
 */
static void add_all(struct cf_selection *selection, const struct cf_versions *versions,
                    const struct cf_case *item)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct cf_version *version = &versions->list[i];
        int other = -1;

        if (!is_worth_it(item, version))
            continue;
        if (cf_case_applies(item, version->number))
            add_selected(selection, item, version->name);
        else if (cf_version_is_last(version))
            other = nearest(item, version->number);
        if (other >= 0)
            add_patch(selection, item, other);
    }
    if (item->layer == CF_LAYER_FIRE)
        add_begin(selection, item, item->since);
    for (size_t i = 0; item->layer == CF_LAYER_FIRE && i < item->hole_count; i++)
        add_begin(selection, item, item->holes[i].last + 1);
}

static void add_versions(struct cf_selection *selection, const struct wanted *wanted,
                         const struct cf_case *item)
{
    const struct cf_versions *versions = &wanted->versions;

    if (wanted->newest)
        add_newest(selection, versions, item);
    else if (wanted->all)
        add_all(selection, versions, item);
    for (size_t i = 0; !wanted->newest && !wanted->all && i < versions->count; i++)
        if (cf_case_applies(item, versions->list[i].number))
            add_selected(selection, item, versions->list[i].name);
}

/* ---- by what it stands for ------------------------------------------------------------------- */

/* NULL, or why not: with the names that have the word in them. */
static const char *find_filter(struct cf_selection *selection, struct filter *filter)
{
    const struct cf_upstream_row *rows;
    struct kp_text near = KP_TEXT_NONE;
    size_t count = 0;
    int tier =
        selection->tier ? cf_find_word(&cf_tier_words, kp_text_of(selection->tier)) : CF_TIER_EXACT;

    if (tier < 0)
        return cf_arena_format(selection->arena,
                               "there is no tier '%s': contract, kubelet or exact", selection->tier)
            .bytes;
    filter->tier = (enum cf_tier)tier;
    if (selection->bug && !(filter->bug = cf_bug_find(selection->bug)))
        return cf_arena_format(selection->arena, "there is no bug '%s'", selection->bug).bytes;
    if (!selection->upstream)
        return NULL;
    rows = cf_upstream_rows(selection->arena);
    filter->upstream = cf_upstream_find(rows, kp_text_of(selection->upstream));
    if (filter->upstream) {
        if (strcmp(filter->upstream->name, selection->upstream) != 0)
            filter->row = selection->upstream;
        return NULL;
    }
    for (; rows->name; rows++)
        if (strstr(rows->name, selection->upstream) && count++ < 5)
            near = cf_arena_format(selection->arena, "%.*s%s'%s'", (int)near.len,
                                   near.bytes ? near.bytes : "",
                                   near.len > 0 ? ", " : "; there is ", rows->name);
    return cf_arena_format(selection->arena, "no test of upstream is called '%s'%.*s%s",
                           selection->upstream, (int)near.len, near.bytes ? near.bytes : "",
                           count > 5 ? " ..." : "")
        .bytes;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void free_patterns(struct pattern *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        regfree(&patterns[i].regex);
}

/* All that was said: the patterns, and behind them what is left out. */
static size_t said_count(const struct cf_selection *selection)
{
    return selection->pattern_count + (selection->without != NULL);
}

static const char *said_at(const struct cf_selection *selection, size_t i)
{
    return i < selection->pattern_count ? selection->patterns[i] : selection->without;
}

static const char *compile(struct cf_selection *selection, struct pattern *patterns)
{
    for (size_t i = 0; i < said_count(selection); i++) {
        const char *text = said_at(selection, i);
        char reason[80];
        int err;

        patterns[i].text = kp_text_of(text);
        patterns[i].rule = cf_rule_typed(text);
        patterns[i].layer = cf_find_word(&cf_layer_words, patterns[i].text);
        if (text[0] == '\0') { /* as an expression it would be all cases: hardly what is meant */
            free_patterns(patterns, i);
            return "'' chooses no case";
        }
        err = regcomp(&patterns[i].regex, text, REG_EXTENDED | REG_NOSUB);
        if (err == 0)
            continue;
        if (err == REG_ESPACE)
            cf_out_of_memory();
        regerror(err, &patterns[i].regex, reason, sizeof reason);
        free_patterns(patterns, i);
        return cf_arena_format(selection->arena, "'%s': %s", text, reason).bytes;
    }
    return NULL;
}

static const char *choose(struct cf_selection *selection, const struct cf_suite *suite,
                          const struct wanted *wanted, const struct filter *filter,
                          struct pattern *patterns)
{
    for (size_t i = 0; i < said_count(selection); i++)
        for (size_t k = 0; k < suite->case_count; k++)
            patterns[i].topic |= is_topic(patterns[i].text, suite->cases[k].topic);
    for (size_t i = 0; i < suite->case_count; i++)
        if (is_chosen(selection, filter, patterns, &suite->cases[i]))
            add_versions(selection, wanted, &suite->cases[i]);
    for (size_t i = 0; i < said_count(selection); i++)
        if (!patterns[i].found)
            return cf_arena_format(selection->arena, "no case%s%s is called '%s'",
                                   selection->tier ? " of tier " : "",
                                   selection->tier ? selection->tier : "", said_at(selection, i))
                .bytes;
    if (selection->count == 0)
        return selection->upstream || selection->bug ? "no case stands for that"
               : selection->without || selection->tier || selection->without_bugs
                   ? "no case is left of that"
                   : "no case applies to that version";
    return NULL;
}

const char *cf_select(struct cf_selection *selection, const struct cf_suite *suite)
{
    struct wanted wanted;
    struct filter filter = {0};
    struct kp_text bad = KP_TEXT_NONE;
    struct pattern *patterns =
        cf_arena_array(selection->arena, selection->pattern_count + 2, sizeof *patterns);
    const char *error;

    selection->count = 0;
    if (!read_versions(&wanted, selection->k8s, suite, &bad))
        return cf_arena_format(selection->arena,
                               "--k8s: '%.*s' is no version from " KP_OLDEST " to " KP_NEWEST,
                               KP_ARG(bad))
            .bytes;
    selection->list = cf_arena_array(
        selection->arena, suite->case_count * (wanted.versions.count + 2 + CF_HOLES_MAX) + 1,
        sizeof *selection->list);
    if (!patterns || !selection->list)
        return "no memory";
    error = find_filter(selection, &filter);
    if (!error)
        error = compile(selection, patterns);
    if (error)
        return error;
    error = choose(selection, suite, &wanted, &filter, patterns);
    free_patterns(patterns, said_count(selection));
    return error;
}

/* ---- what an implementation plays ------------------------------------------------------------ */

/* The newest of a minor, or the patch itself, that the case applies to; -1: none. */
static int newest_at(const struct cf_case *item, struct kp_text version)
{
    struct kp_profile profile;
    char minor[12];
    int number;

    if (kp_profile_init(&profile, version) != KP_OK)
        return -1;
    number = profile.minor * 1000 + profile.patch;
    snprintf(minor, sizeof minor, "1.%d", profile.minor);
    if (kp_text_equal(version, kp_text_of(minor)))
        return nearest(item, number);
    return cf_case_applies(item, number) ? number : -1;
}

void cf_select_among(struct cf_selection *selection, struct kp_text_list played)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct cf_selected *selected = &selection->list[i];
        struct kp_profile profile;
        int newest = -1;

        for (size_t k = 0; k < played.count; k++) {
            int number = newest_at(selected->item, played.items[k]);

            newest = number > newest ? number : newest;
        }
        if (newest < 0 || kp_profile_init(&profile, kp_text_of(selected->version)) != KP_OK ||
            cf_version_listed(&played, &profile))
            continue;
        snprintf(selected->version, sizeof selected->version,
                 newest % 1000 == kp_profile_last_patch(newest / 1000) ? "1.%d" : "1.%d.%d",
                 newest / 1000, newest % 1000);
    }
}
