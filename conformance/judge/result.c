#include "conformance/judge/result.h"

#include <string.h>

size_t cf_result_judged(const size_t totals[CF_VERDICTS])
{
    size_t judged = 0;

    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (verdict != CF_SKIP && verdict != CF_OBSERVED && verdict != CF_NOISY &&
            verdict != CF_NOT_RUN)
            judged += totals[verdict];
    return judged;
}

bool cf_result_conforms(const struct cf_result *result)
{
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (result->totals[verdict] > 0 && !cf_verdict_conforms((enum cf_verdict)verdict))
            return false;
    return !result->interrupted && cf_result_judged(result->totals) > 0;
}

/* ---- one line ----------------------------------------------------------------------------- */

static bool read_list(struct cf_reader *reader, const struct cf_node *map, const char *name,
                      struct kp_text_list *out)
{
    const struct cf_node *list;
    struct kp_text *items;

    *out = (struct kp_text_list){NULL, 0};
    if (!cf_member_node(reader, map, name, CF_LIST, &list) || list == NULL)
        return cf_reader_fail(reader, "`%s` must be a list", name);
    items = cf_arena_array(reader->arena, list->count, sizeof *items);
    out->items = items;
    for (const struct cf_node *item = list->first; item; item = item->next) {
        if (item->kind != CF_STRING)
            return cf_reader_fail(reader, "`%s` must be a list of strings", name);
        items[out->count++] = item->text;
    }
    return true;
}

static bool read_header(struct cf_reader *reader, const struct cf_node *line,
                        struct cf_result_header *header)
{
    const struct cf_node *adapter;
    int64_t format = 0;
    int64_t selected = -1;
    int64_t seed = 0;

    if (!cf_member_int(reader, line, "result", INT32_MIN, INT32_MAX, &format) ||
        format != CF_RESULT_FORMAT)
        return cf_reader_fail(reader, "this is no result file of format %d", CF_RESULT_FORMAT);
    if (!cf_member_text(reader, line, "probetest", &header->tool) ||
        !cf_member_text(reader, line, "suite", &header->suite) ||
        !read_list(reader, line, "k8s", &header->k8s) ||
        !cf_member_int(reader, line, "seed", 0, INT64_MAX, &seed) ||
        !cf_member_text(reader, line, "selection", &header->selection) ||
        !cf_member_int(reader, line, "selected", 0, INT32_MAX, &selected) ||
        !cf_member_node(reader, line, "adapter", CF_MAP, &adapter))
        return false;
    if (selected < 0 || adapter == NULL)
        return cf_reader_fail(reader, "the header lacks `selected` or `adapter`");
    header->selected = (size_t)selected;
    header->seed = (uint64_t)seed;
    return cf_read_hello_ok(reader, adapter, &header->about);
}

static bool read_moments(struct cf_reader *reader, const struct cf_node *line,
                         struct cf_outcome *outcome)
{
    const struct cf_node *list;
    struct cf_moment *moments;
    int64_t first = 0;

    if (!cf_member_node(reader, line, "timeline", CF_LIST, &list) ||
        !cf_member_int(reader, line, "first", 0, INT32_MAX, &first))
        return false;
    if (list == NULL)
        return true;
    moments = cf_arena_array(reader->arena, list->count, sizeof *moments);
    for (const struct cf_node *node = list->first; node; node = node->next) {
        struct cf_moment *moment = &moments[outcome->moment_count++];

        if (!cf_member_int(reader, node, "at", INT64_MIN, INT64_MAX, &moment->at_ms) ||
            !cf_member_text(reader, node, "wanted", &moment->wanted) ||
            !cf_member_text(reader, node, "got", &moment->got))
            return false;
    }
    outcome->moments = moments;
    outcome->first = (size_t)first;
    return outcome->first <= outcome->moment_count ||
           cf_reader_fail(reader, "`first` is beyond the timeline");
}

static bool read_case(struct cf_reader *reader, const struct cf_node *line,
                      struct cf_result_case *item)
{
    int verdict = 0;

    if (!cf_member_text(reader, line, "case", &item->id) ||
        !cf_member_text(reader, line, "k8s", &item->k8s) ||
        !cf_member_text(reader, line, "topic", &item->topic) ||
        !cf_member_text(reader, line, "layer", &item->layer) ||
        !cf_member_text(reader, line, "sentence", &item->sentence) ||
        !cf_member_text(reader, line, "place", &item->place) ||
        !read_list(reader, line, "rules", &item->rules) ||
        !read_list(reader, line, "issues", &item->issues) ||
        !cf_member_word(reader, line, "verdict", &cf_verdict_words, true, &verdict) ||
        !cf_member_text(reader, line, "signature", &item->outcome.signature) ||
        !cf_member_text(reader, line, "why", &item->outcome.why) ||
        !cf_member_text(reader, line, "reason", &item->reason) ||
        !cf_member_text(reader, line, "log", &item->outcome.log))
        return false;
    item->outcome.verdict = (enum cf_verdict)verdict;
    return item->id.len > 0 ? read_moments(reader, line, &item->outcome)
                            : cf_reader_fail(reader, "`case` is missing");
}

/* ---- the footer --------------------------------------------------------------------------- */

static bool check_totals(struct cf_reader *reader, const struct cf_node *line,
                         const struct cf_result *result)
{
    const struct cf_node *totals;

    if (!cf_member_node(reader, line, "totals", CF_MAP, &totals) || totals == NULL)
        return cf_reader_fail(reader, "`totals` must be an object");
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++) {
        const char *word = cf_verdict_word((enum cf_verdict)verdict);
        int64_t total = 0;

        if (!cf_member_int(reader, totals, word, 0, INT32_MAX, &total))
            return false;
        if (total != (int64_t)result->totals[verdict])
            return cf_reader_fail(reader, "the footer counts %lld %s, the lines %zu",
                                  (long long)total, word, result->totals[verdict]);
    }
    return result->case_count == result->header.selected ||
           cf_reader_fail(reader, "%zu cases were selected, there are %zu lines",
                          result->header.selected, result->case_count);
}

/* The last line ends in `"sha256":"<hex>"}\n`. */
static bool check_seal(struct cf_reader *reader, struct kp_text bytes)
{
    static const char before[] = "\"sha256\":\"";
    const size_t tail = CF_SHA256_HEX + 3;
    char hex[CF_SHA256_HEX + 1];
    struct cf_sha256 sha;
    size_t sealed = bytes.len > tail ? bytes.len - tail : 0;

    if (sealed < sizeof before || memcmp(bytes.bytes + bytes.len - 3, "\"}\n", 3) != 0 ||
        memcmp(bytes.bytes + sealed - (sizeof before - 1), before, sizeof before - 1) != 0)
        return cf_reader_fail(reader, "the file does not end in a seal: it is truncated");
    cf_sha256_init(&sha);
    cf_sha256_put(&sha, (struct kp_text){bytes.bytes, sealed});
    cf_sha256_take(&sha, hex);
    return memcmp(hex, bytes.bytes + sealed, CF_SHA256_HEX) == 0 ||
           cf_reader_fail(reader, "the seal does not fit: the file was edited");
}

static bool read_footer(struct cf_reader *reader, const struct cf_node *line,
                        struct cf_result *result)
{
    return cf_member_bool(reader, line, "interrupted", &result->interrupted) &&
           read_list(reader, line, "unobserved", &result->unobserved) &&
           check_totals(reader, line, result);
}

/* ---- the file ----------------------------------------------------------------------------- */

static bool read_line(struct cf_reader *reader, struct kp_text text, struct cf_result *result,
                      struct cf_result_case *cases, size_t number, bool *ended)
{
    const struct cf_node *line = cf_read_line(reader, text);

    if (line == NULL)
        return false;
    if (number == 1)
        return read_header(reader, line, &result->header);
    if (*ended)
        return cf_reader_fail(reader, "there are lines behind the footer");
    *ended = cf_node_find(line, "end") != NULL;
    if (*ended)
        return read_footer(reader, line, result);
    if (!read_case(reader, line, &cases[result->case_count]))
        return false;
    result->totals[cases[result->case_count++].outcome.verdict]++;
    return true;
}

bool cf_result_read(struct cf_reader *reader, struct kp_text bytes, struct cf_result *result)
{
    struct cf_result_case *cases =
        cf_arena_array(reader->arena, kp_text_count_lines(bytes), sizeof *cases);
    struct kp_text left = bytes;
    struct kp_text text;
    bool ended = false;

    *result = (struct cf_result){.cases = cases};
    for (size_t number = 1; kp_text_next_line(&left, &text); number++) {
        struct cf_reader inner = {.arena = reader->arena};

        if (!read_line(&inner, text, result, cases, number, &ended))
            return cf_reader_fail(reader, "line %zu: %.*s", number, KP_ARG(inner.why));
    }
    if (!ended)
        return cf_reader_fail(reader, "the file has no footer: it is truncated");
    return check_seal(reader, bytes);
}
