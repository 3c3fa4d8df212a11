/* case_trace.c: what must come out of a story: `trace`, `any_of`, `never`, `watch`. */
#include "conformance/table/case_read.h"
#include "conformance/table/fire_text.h"
#include "conformance/table/note.h"

#include <string.h>

/* Wants being collected. */
struct collecting {
    struct cf_reading *reading;
    const struct cf_case *item;
    struct cf_want *wants;
    size_t count;
    size_t room;
};

static struct cf_want *add_want(struct collecting *c)
{
    if (c->count == c->room) {
        size_t room = c->room > 0 ? 2 * c->room : 4;
        struct cf_want *wants = cf_arena_array(c->reading->arena, room, sizeof *wants);

        if (!wants)
            return NULL;
        if (c->count > 0)
            memcpy(wants, c->wants, c->count * sizeof *wants);
        c->wants = wants;
        c->room = room;
    }
    return &c->wants[c->count++];
}

static void add_copy(struct collecting *c, const struct cf_want *pattern, int64_t at_ns,
                     int64_t until_ns)
{
    struct cf_want *want = add_want(c);

    if (!want)
        return;
    *want = *pattern;
    want->at_ns = at_ns;
    want->until_ns = until_ns;
}

/* Durations are told apart by what they mean: 1m20s and 80s are the same. */
static void normalise_duration(struct collecting *c, struct cf_word *word, struct cf_place at)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};
    int64_t duration_ns;

    if (!cf_parse_duration(word->text, &duration_ns)) {
        cf_fault_at(c->reading, at, "wanted a duration such as 30s, found '%.*s'",
                    (int)word->text.len, word->text.bytes);
        return;
    }
    kp_buf_put_duration(&buf, duration_ns);
    word->text = cf_arena_text(c->reading->arena, kp_buf_text(&buf));
}

/* The words behind the time.  false: complained of. */
static bool read_what(struct collecting *c, const struct cf_line *line, size_t from,
                      struct cf_want *want)
{
    const char *wanted;
    uint32_t pod;
    int container;

    want->at = line->at;
    want->line = line->text;
    if (line->count - from > CF_WORDS_MAX) {
        cf_fault_at(c->reading, line->places[CF_WORDS_MAX], "too many words in one line");
        return false;
    }
    want->word_count = line->count - from;
    memcpy(want->words, line->words + from, want->word_count * sizeof *want->words);
    for (size_t i = 0; i < want->word_count; i++)
        if (want->words[i].quoted)
            want->words[i].text = cf_fire_expand(c->reading->arena, NULL, want->words[i].text);
    if (!cf_note_check(want->words, &want->word_count, &want->kind, &wanted)) {
        cf_fault_at(c->reading, from < line->count ? line->places[from] : line->at, "wanted '%s'",
                    wanted);
        return false;
    }
    if (want->kind == KP_EFFECT_KILL || want->kind == KP_EFFECT_BACKOFF)
        normalise_duration(c, &want->words[2], line->places[from + 2]);
    return cf_case_subject(c->reading, c->item, line, from, &pod, &container);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* The times of a line, being read from its first word. */
struct times {
    struct kp_text rest;
    struct kp_text part; /* up to the next comma */
};

static bool next_part(struct times *times)
{
    const char *comma;
    size_t len;

    if (times->rest.len == 0)
        return false;
    comma = memchr(times->rest.bytes, ',', times->rest.len);
    len = comma ? (size_t)(comma - times->rest.bytes) : times->rest.len;
    times->part = (struct kp_text){times->rest.bytes, len};
    len += comma != NULL;
    times->rest = (struct kp_text){times->rest.bytes + len, times->rest.len - len};
    return true;
}

/* "10s..12s" or "10s". */
static bool read_span(struct kp_text part, int64_t *at_ns, int64_t *until_ns)
{
    for (size_t i = 1; i + 2 < part.len; i++)
        if (part.bytes[i] == '.' && part.bytes[i + 1] == '.')
            return cf_parse_duration((struct kp_text){part.bytes, i}, at_ns) &&
                   cf_parse_duration((struct kp_text){part.bytes + i + 2, part.len - i - 2},
                                     until_ns) &&
                   *until_ns > *at_ns;
    if (!cf_parse_duration(part, at_ns))
        return false;
    *until_ns = *at_ns;
    return true;
}

/* "10s", "10s..12s", "10s,20s", "10s,20s,...,90s": one want each. */
static bool add_times(struct collecting *c, struct kp_text word, const struct cf_want *want)
{
    struct times times = {word, KP_TEXT_NONE};
    int64_t before_ns = -1;
    int64_t last_ns = -1;
    bool going_on = false;

    while (next_part(&times)) {
        int64_t at_ns;
        int64_t until_ns;

        if (kp_text_equal(times.part, KP_TEXT("...")) && before_ns >= 0 && !going_on) {
            going_on = true;
            continue;
        }
        if (!read_span(times.part, &at_ns, &until_ns) || at_ns < 0 || at_ns <= last_ns)
            return false;
        if (going_on) {
            int64_t step_ns = last_ns - before_ns;

            if ((at_ns - last_ns) % step_ns != 0)
                return false;
            for (int64_t t = last_ns + step_ns; t < at_ns; t += step_ns)
                add_copy(c, want, t, t);
            going_on = false;
        }
        add_copy(c, want, at_ns, until_ns);
        before_ns = last_ns;
        last_ns = at_ns;
    }
    return !going_on && last_ns >= 0;
}

/* ---- a trace --------------------------------------------------------------------------------- */

/* By time; equal times stay in the order of the lines. */
static void sort_wants(struct cf_want *wants, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct cf_want want = wants[i];
        size_t k = i;

        for (; k > 0 && wants[k - 1].at_ns > want.at_ns; k--)
            wants[k] = wants[k - 1];
        wants[k] = want;
    }
}

static void read_trace_line(struct collecting *c, const struct cf_line *line, int64_t *last_ns)
{
    struct cf_want want = {0};
    size_t from = 1;
    size_t before = c->count;

    want.optional = cf_line_is(line, 0, "maybe");
    from += want.optional;
    if (line->count < from + 2) {
        cf_fault_at(c->reading, line->at,
                    "wanted 'TIME WHO WHAT ...', as in: 10s web/1 probe "
                    "liveness");
        return;
    }
    if (!read_what(c, line, from, &want))
        return;
    if (!add_times(c, line->words[from - 1].text, &want)) {
        cf_fault_at(c->reading, line->places[from - 1],
                    "'%.*s': wanted a time such as 10s, 10s..12s, 10s,20s or 10s,20s,...,90s",
                    (int)line->words[from - 1].text.len, line->words[from - 1].text.bytes);
        return;
    }
    if (c->count > before && c->wants[before].at_ns < *last_ns)
        cf_fault_at(c->reading, line->at, "time goes back");
    else if (c->count > before)
        *last_ns = c->wants[before].at_ns;
}

static struct cf_trace read_trace(struct cf_reading *reading, const struct cf_case *item,
                                  const struct cf_node *node)
{
    struct collecting c = {.reading = reading, .item = item};
    struct cf_lines lines;
    struct cf_line line;
    int64_t last_ns = 0;

    cf_lines_begin(&lines, reading, node);
    while (cf_lines_next(&lines, &line))
        read_trace_line(&c, &line, &last_ns);
    sort_wants(c.wants, c.count);
    return (struct cf_trace){KP_TEXT_NONE, c.wants, c.count};
}

static void read_alternatives(struct cf_reading *reading, struct cf_case *item,
                              const struct cf_node *list)
{
    struct cf_trace *traces;

    if (list->kind != CF_LIST || list->count < 2) {
        cf_fault_at(reading, list->at, "any_of: wanted a list of two traces or more");
        return;
    }
    traces = cf_arena_array(reading->arena, list->count, sizeof *traces);
    for (const struct cf_node *one = list->first; traces && one; one = one->next) {
        struct cf_trace *trace = &traces[item->trace_count++];
        const struct cf_node *lines = cf_node_find(one, "trace");

        if (!cf_node_find(one, "as") || !lines || one->count != 2) {
            cf_fault_at(reading, one->at, "any_of: each has two keys, as (its name) and trace");
            continue;
        }
        *trace = read_trace(reading, item, lines);
        trace->name = cf_read_text(reading, cf_node_find(one, "as"));
    }
    item->traces = traces;
}

static void read_nevers(struct cf_reading *reading, struct cf_case *item)
{
    struct collecting c = {.reading = reading, .item = item};
    struct cf_lines lines;
    struct cf_line line;

    cf_lines_begin(&lines, reading, cf_node_find(item->node, "never"));
    while (cf_lines_next(&lines, &line)) {
        struct cf_want want = {0};

        if (read_what(&c, &line, 0, &want))
            add_copy(&c, &want, 0, 0);
    }
    item->nevers = c.wants;
    item->never_count = c.count;
}

/* [kill, start, event Killing] */
static void read_watch(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *node = cf_node_find(item->node, "watch");
    struct kp_text_list list = cf_read_texts(reading, node);
    struct cf_watch *watches = cf_arena_array(reading->arena, list.count + 1, sizeof *watches);

    for (size_t i = 0; watches && i < list.count; i++) {
        struct cf_watch *watch = &watches[item->watch_count];
        struct cf_place at = cf_node_at(node, i)->at;
        struct cf_line line;

        if (!cf_line_split(reading, list.items[i], at, &line))
            continue;
        if (line.count < 1 || line.count > 2 ||
            !cf_note_kind_find(line.words[0].text, &watch->kind) ||
            (line.count == 2 && cf_note_sort_at(watch->kind) == 0)) {
            cf_fault_at(reading, at, "watch: '%.*s' is no effect", (int)list.items[i].len,
                        list.items[i].bytes);
            continue;
        }
        watch->sort = cf_line_word(&line, 1);
        item->watch_count++;
    }
    item->watches = watches;
}

static int64_t last_instant(const struct cf_case *item)
{
    int64_t last_ns = 0;

    for (size_t i = 0; i < item->trace_count; i++)
        for (size_t k = 0; k < item->traces[i].want_count; k++)
            if (item->traces[i].wants[k].until_ns > last_ns)
                last_ns = item->traces[i].wants[k].until_ns;
    for (size_t i = 0; i < item->script.happening_count; i++)
        if (item->script.happenings[i].at_ns > last_ns)
            last_ns = item->script.happenings[i].at_ns;
    return last_ns;
}

void cf_case_read_traces(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *trace = cf_node_find(item->node, "trace");
    const struct cf_node *list = cf_node_find(item->node, "any_of");
    const struct cf_node *until = cf_node_find(item->node, "for");
    struct cf_trace *alone;

    if ((trace != NULL) + (list != NULL) != 1) {
        cf_fault_at(reading, item->at, "a story needs one of trace and any_of");
        return;
    }
    read_watch(reading, item);
    read_nevers(reading, item);
    item->unordered = cf_read_truth(reading, cf_node_find(item->node, "unordered"));
    alone = trace ? cf_arena_array(reading->arena, 1, sizeof *alone) : NULL;
    if (list)
        read_alternatives(reading, item, list);
    if (alone) {
        *alone = read_trace(reading, item, trace);
        item->traces = alone;
        item->trace_count = 1;
    }
    item->end_ns = cf_read_duration(reading, until, last_instant(item));
    if (until && item->end_ns < last_instant(item))
        cf_fault_at(reading, until->at, "for: the trace or the events go on after it");
}
