#include "conformance/table/export.h"

#include "conformance/protocol/wire.h"
#include "conformance/table/case_question.h"
#include "conformance/table/index.h"
#include "conformance/table/list.h"
#include "conformance/table/rule_table.h"
#include "conformance/table/version.h"
#include "conformance/text/yaml.h"
#include "core/base/version.h"

#include <string.h>

/* ---- pieces ---------------------------------------------------------------------------------- */

static void put_version(struct cf_out *out, const char *name, int version, bool end)
{
    struct cf_out text = {0};

    cf_put_version(&text, version, end);
    cf_json_text(out, name, cf_out_text(&text));
    cf_out_deinit(&text);
}

static void put_key(struct cf_out *out, struct kp_text key)
{
    cf_json_comma(out);
    cf_out_put_json(out, key);
    cf_out_put_char(out, ':');
}

/* Words with spaces between, as a list. */
static void put_words(struct cf_out *out, const char *name, const char *words)
{
    cf_json_open(out, name, '[');
    while (*(words += strspn(words, " ")) != '\0') {
        size_t len = strcspn(words, " ");
        size_t mark = words[0] == '#'; /* of an issue's number */

        cf_json_comma(out);
        cf_out_put_json(out, (struct kp_text){words + mark, len - mark});
        words += len;
    }
    cf_out_put_char(out, ']');
}

static void put_text_item(struct cf_out *out, struct kp_text text)
{
    cf_json_comma(out);
    cf_out_put_json(out, text);
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* Keys that stand in the line's own members, and those that say what must come out. */
static const char *const of_heading[] = {"id",       "why",    "rules", "since",  "until",
                                         "level",    "layer",  "gates", "source", "features",
                                         "upstream", "issues", NULL};
static const char *const of_traces[] = {"trace", "any_of", "never", NULL};
static const char *const of_answer[] = {"saw",     "told",    "unordered",   "watch",    "is",
                                        "invalid", "errors",  "undecodable", "warnings", "stored",
                                        "does",    "request", "result",      "output",   "error",
                                        "gone",    "columns", "describe",    NULL};

/* The lines of a text, without empty ones and those that begin with #. */
static void put_lines(struct cf_out *out, struct kp_text text)
{
    struct kp_text line;

    cf_out_put_char(out, '[');
    while (kp_text_next_line(&text, &line)) {
        while (line.len > 0 && line.bytes[0] == ' ')
            line = kp_text_from(line, 1);
        if (line.len > 0 && line.bytes[0] != '#')
            put_text_item(out, line);
    }
    cf_out_put_char(out, ']');
}

/* Events that the API server has are what layer events wants, and what layer kubectl begins with.
 */
static bool is_answer(const struct cf_case *item, struct kp_text key)
{
    return kp_text_is_one_of(key, of_answer) ||
           (kp_text_equal(key, KP_TEXT("kept")) && item->layer == CF_LAYER_EVENTS);
}

static void put_member(struct cf_out *out, struct cf_arena *arena, const struct cf_node *one)
{
    bool recorded = kp_text_equal(one->key, KP_TEXT("recorded"));

    put_key(out, one->key);
    if (recorded || kp_text_equal(one->key, KP_TEXT("kept")))
        cf_out_put(out, cf_node_json(arena, cf_kept_objects(arena, one, recorded)));
    else if (kp_text_equal(one->key, KP_TEXT("events")) && one->kind == CF_STRING)
        put_lines(out, one->text);
    else
        cf_out_put(out, cf_node_json(arena, cf_node_sorted(arena, one)));
}

static void put_given(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item)
{
    static const char *const of_pods[] = {"probe", "pod", "pods", NULL};

    cf_json_open(out, "given", '{');
    for (const struct cf_node *one = item->node->first; one; one = one->next)
        if (!kp_text_is_one_of(one->key, of_heading) && !kp_text_is_one_of(one->key, of_traces) &&
            !is_answer(item, one->key) &&
            !(item->pod_count > 0 && kp_text_is_one_of(one->key, of_pods)))
            put_member(out, arena, one);
    if (item->pod_count > 0) {
        cf_json_open(out, "pods", '[');
        for (size_t i = 0; i < item->pod_count; i++) {
            cf_json_comma(out);
            cf_out_put(out, cf_node_json(arena, cf_node_sorted(arena, item->pods[i])));
        }
        cf_out_put_char(out, ']');
    }
    cf_out_put_char(out, '}');
}

static void put_want(struct cf_out *out, const struct cf_want *want, bool timed)
{
    cf_json_comma(out);
    cf_out_put_char(out, '{');
    if (timed) {
        cf_json_int(out, "at", want->at_ns / KP_NS_PER_MS);
        if (want->until_ns > want->at_ns)
            cf_json_int(out, "until", want->until_ns / KP_NS_PER_MS);
        if (want->optional)
            cf_json_bool(out, "maybe", true);
    }
    cf_json_string(out, "effect", cf_word(&cf_effect_words, want->kind));
    cf_json_open(out, "words", '[');
    for (size_t i = 0; i < want->word_count; i++)
        put_text_item(out, want->words[i].text);
    cf_out_put(out, KP_TEXT("]}"));
}

static void put_wants(struct cf_out *out, const char *name, const struct cf_want *wants,
                      size_t count, bool timed)
{
    cf_json_open(out, name, '[');
    for (size_t i = 0; i < count; i++)
        put_want(out, &wants[i], timed);
    cf_out_put_char(out, ']');
}

static void put_traces(struct cf_out *out, const struct cf_case *item)
{
    cf_json_open(out, "traces", '[');
    for (size_t i = 0; i < item->trace_count; i++) {
        const struct cf_trace *trace = &item->traces[i];

        cf_json_comma(out);
        cf_out_put_char(out, '{');
        if (trace->name.len > 0)
            cf_json_text(out, "as", trace->name);
        put_wants(out, "effects", trace->wants, trace->want_count, true);
        cf_out_put_char(out, '}');
    }
    cf_out_put_char(out, ']');
}

static void put_wanted(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item)
{
    cf_json_open(out, "wanted", '{');
    for (const struct cf_node *one = item->node->first; one; one = one->next)
        if (is_answer(item, one->key))
            put_member(out, arena, one);
    if (item->kind == CF_SCENARIO) {
        put_traces(out, item);
        put_wants(out, "never", item->nevers, item->never_count, false);
        cf_json_int(out, "end", item->end_ns / KP_NS_PER_MS);
    }
    cf_out_put_char(out, '}');
}

static void put_gates(struct cf_out *out, const struct cf_case *item)
{
    cf_json_open(out, "gates", '{');
    for (size_t i = 0; i < item->gate_count; i++) {
        put_key(out, item->gates[i].name);
        cf_out_put_string(out, item->gates[i].on ? "true" : "false");
    }
    cf_out_put_char(out, '}');
}

/* "except":[{"since":"1.23","until":"1.23.7"}], where there are any. */
static void put_holes(struct cf_out *out, const struct cf_case *item)
{
    if (item->hole_count == 0)
        return;
    cf_json_open(out, "except", '[');
    for (size_t i = 0; i < item->hole_count; i++) {
        cf_json_comma(out);
        cf_out_put_char(out, '{');
        put_version(out, "since", item->holes[i].first, false);
        put_version(out, "until", item->holes[i].last, true);
        cf_out_put_char(out, '}');
    }
    cf_out_put_char(out, ']');
}

void cf_export_case(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item)
{
    cf_out_put_char(out, '{');
    cf_json_text(out, "id", item->id);
    cf_json_text(out, "topic", item->topic);
    cf_json_text(out, "why", item->why);
    cf_json_open(out, "rules", '[');
    for (size_t i = 0; i < item->rule_count; i++)
        put_text_item(out, kp_text_of(kp_rule_get(item->rules[i])->id));
    cf_out_put_char(out, ']');
    put_version(out, "since", item->since, false);
    put_version(out, "until", item->until, true);
    put_holes(out, item);
    cf_json_string(out, "level", item->observed ? "observed" : "must");
    cf_json_string(out, "layer", cf_layer_name(item->layer));
    cf_json_texts(out, "features", item->features);
    put_gates(out, item);
    cf_json_text(out, "source", item->source);
    cf_json_texts(out, "upstream", item->upstream);
    cf_json_texts(out, "issues", item->issues);
    put_given(out, arena, item);
    put_wanted(out, arena, item);
    cf_out_put(out, KP_TEXT("}\n"));
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void put_rule_cases(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    cf_json_open(out, "cases", '[');
    for (const struct cf_case *item = NULL; (item = cf_rule_case_next(suite, rule, item)) != NULL;)
        put_text_item(out, item->id);
    cf_out_put_char(out, ']');
}

static void put_places(struct cf_out *out, enum kp_rule rule)
{
    cf_json_open(out, "code", '[');
    for (const struct cf_rule_place *place = NULL;
         (place = cf_rule_place_next(rule, place)) != NULL;) {
        cf_json_comma(out);
        cf_out_put_char(out, '{');
        cf_json_string(out, "file", place->file);
        cf_json_int(out, "line", place->line);
        cf_json_string(out, "name", place->name);
        cf_out_put_char(out, '}');
    }
    cf_out_put_char(out, ']');
}

static void put_changes(struct cf_out *out, enum kp_rule rule)
{
    int borders[CF_BORDERS_MAX];
    size_t count = cf_rule_borders(rule, borders);

    cf_json_open(out, "changes", '[');
    for (size_t i = 0; i < count; i++) {
        cf_json_comma(out);
        cf_out_put_char(out, '"');
        cf_put_version(out, borders[i], false);
        cf_out_put_char(out, '"');
    }
    cf_out_put_char(out, ']');
}

static void put_rule(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    static const char *const levels[] = {
        [KP_LEVEL_MUST] = "must", [KP_LEVEL_OBSERVED] = "observed", [KP_LEVEL_PROSE] = "silent"};
    const struct kp_rule_row *row = kp_rule_get(rule);
    const char confidence[] = {row->confidence, '\0'};

    cf_out_put_char(out, '{');
    cf_json_string(out, "id", row->id);
    cf_json_string(out, "name", row->name);
    cf_json_string(out, "sentence", row->sentence);
    cf_json_string(out, "since", row->since);
    if (row->until[0])
        cf_json_string(out, "until", row->until);
    put_changes(out, rule);
    cf_json_string(out, "source", row->place);
    cf_json_string(out, "confidence", confidence);
    put_words(out, "issues", row->issues);
    cf_json_string(out, "level", levels[row->level]);
    cf_json_string(out, "standing", kp_standing_name(kp_rule_standing(rule)));
    if (kp_rule_evidence(rule)[0])
        cf_json_string(out, "evidence", kp_rule_evidence(rule));
    if (kp_rule_silent(rule))
        cf_json_string(out, "silent", kp_rule_silent(rule));
    put_places(out, rule);
    put_rule_cases(out, suite, rule);
    cf_out_put_char(out, '}');
}

/* The cases of a bug or of one of upstream's tests; the other one is NULL. */
static void put_cases_of(struct cf_out *out, const struct cf_suite *suite,
                         const struct cf_bug_row *bug, const struct cf_upstream_row *upstream)
{
    cf_json_open(out, "cases", '[');
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct cf_case *item = &suite->cases[i];

        if (bug ? cf_bug_has(bug, item) : cf_upstream_has(upstream, item))
            put_text_item(out, item->id);
    }
    cf_out_put_char(out, ']');
}

static void put_bug(struct cf_out *out, const struct cf_suite *suite, const struct cf_bug_row *row)
{
    cf_out_put_char(out, '{');
    cf_json_string(out, "id", row->id);
    cf_json_string(out, "what", row->what);
    cf_json_string(out, "since", row->since);
    if (row->until[0])
        cf_json_string(out, "until", row->until);
    put_words(out, "issues", row->issues);
    put_cases_of(out, suite, row, NULL);
    cf_out_put_char(out, '}');
}

static void put_upstream(struct cf_out *out, const struct cf_suite *suite,
                         const struct cf_upstream_row *row)
{
    cf_out_put_char(out, '{');
    cf_json_string(out, "name", row->name);
    cf_json_string(out, "file", row->file);
    cf_json_string(out, "what", row->what);
    put_cases_of(out, suite, NULL, row);
    cf_out_put_char(out, '}');
}

void cf_export_rules(struct cf_out *out, const struct cf_suite *suite,
                     const struct cf_upstream_row *upstream)
{
    cf_out_put_char(out, '{');
    cf_json_string(out, "probetest", PROBETEST_VERSION);
    cf_json_open(out, "rules", '[');
    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        cf_out_put_string(out, rule > KP_RULE_NONE + 1 ? ",\n" : "\n");
        put_rule(out, suite, (enum kp_rule)rule);
    }
    cf_out_put(out, KP_TEXT("\n],\"bugs\":["));
    for (size_t i = 0; cf_bug_at(i); i++) {
        cf_out_put_string(out, i > 0 ? ",\n" : "\n");
        put_bug(out, suite, cf_bug_at(i));
    }
    cf_out_put(out, KP_TEXT("\n],\"upstream\":["));
    for (const struct cf_upstream_row *row = upstream; row->name; row++) {
        cf_out_put_string(out, row > upstream ? ",\n" : "\n");
        put_upstream(out, suite, row);
    }
    cf_out_put(out, KP_TEXT("\n]}\n"));
}

/* ---- a page -----------------------------------------------------------------------------------
 */

static const char *family_title(char letter)
{
    switch (letter) {
    case 'P':
        return "Prober: workers, probes, results (P)";
    case 'S':
        return "Sync: what the kubelet does about them (S)";
    case 'D':
        return "Defaults (D)";
    case 'V':
        return "Validation and decoding (V)";
    case 'E':
        return "Ports and URLs (E)";
    default:
        return "PodPresets (A)";
    }
}

/* A bar would end the cell. */
static void put_cell(struct cf_out *out, const char *text)
{
    cf_out_put(out, KP_TEXT("| "));
    for (; *text; text++) {
        if (*text == '|' || *text == '<' || *text == '*')
            cf_out_put_char(out, '\\');
        cf_out_put_char(out, *text);
    }
    cf_out_put_char(out, ' ');
}

static void put_rule_row(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    const struct cf_rule_place *place = cf_rule_place_next(rule, NULL);
    const struct cf_case *first = cf_rule_case_next(suite, rule, NULL);
    size_t count = 0;

    for (const struct cf_case *item = first; item; item = cf_rule_case_next(suite, rule, item))
        count++;
    put_cell(out, row->id);
    put_cell(out, row->sentence);
    cf_out_printf(out, "| %s%s%s ", row->since, row->until[0] ? " to " : "+", row->until);
    put_cell(out, row->place);
    cf_out_printf(out, "| %c ", row->confidence);
    put_cell(out, row->issues);
    if (place)
        cf_out_printf(out, "| %s `%s` ", place->file, place->name);
    else
        put_cell(out, "");
    if (first)
        cf_out_printf(out, "| %zu: `%.*s`%s |\n", count, KP_ARG(first->id),
                      count > 1 ? " ..." : "");
    else
        cf_out_printf(out, "| %s |\n", kp_rule_silent(rule) ? kp_rule_silent(rule) : "");
}

void cf_export_rules_markdown(struct cf_out *out, const struct cf_suite *suite)
{
    char letter = '\0';

    cf_out_printf(out, "# The rules of probetest %s\n", PROBETEST_VERSION);
    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        const char *id = kp_rule_get((enum kp_rule)rule)->id;

        if (id[0] != letter)
            cf_out_printf(out,
                          "\n## %s\n\n| rule | what the kubelet does | versions | source | sure | "
                          "issues | code | cases |\n|---|---|---|---|---|---|---|---|\n",
                          family_title(id[0]));
        letter = id[0];
        put_rule_row(out, suite, (enum kp_rule)rule);
    }
}
