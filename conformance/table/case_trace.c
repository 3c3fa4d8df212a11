/* case_trace.c: what must come out of a scenario: `trace`, `any_of`, `never`, `watch`. */
#include "conformance/protocol/wire.h"
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
    struct cf_want *wants =
        cf_arena_grow(c->reading->arena, c->wants, &c->room, c->count, sizeof *wants);

    if (!wants)
        return NULL;
    c->wants = wants;
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
static void normalise_duration(struct collecting *c, const struct cf_want *want,
                               struct cf_word *word, struct cf_place at)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};
    int64_t value;
    bool grace = want->kind == KP_EFFECT_KILL;

    if (!(grace ? cf_parse_grace : cf_parse_duration)(word->text, &value)) {
        cf_fault_at(c->reading, at, "wanted a duration such as 30s, found '%.*s'",
                    KP_ARG(word->text));
        return;
    }
    (grace ? cf_put_grace : kp_buf_put_duration)(&buf, value);
    word->text = cf_arena_text(c->reading->arena, kp_buf_text(&buf));
}

/* More than any line that means something has. */
enum { WORDS_MAX = 24 };

/* In layer `probe` nobody decides on containers: what it cannot show would be missed, or never
 * come. */
static void check_layer(struct cf_reading *reading, const struct cf_case *item,
                        enum kp_effect_kind kind, struct cf_place at)
{
    static const bool of_probe[KP_EFFECT_SYNC + 1] = {
        [KP_EFFECT_PROBE] = true, [KP_EFFECT_RESULT] = true, [KP_EFFECT_STARTED] = true,
        [KP_EFFECT_READY] = true, [KP_EFFECT_EVENT] = true,  [KP_EFFECT_SYNC] = true};

    if (item->layer == CF_LAYER_PROBE && !of_probe[kind])
        cf_fault_at(reading, at, "'%s' is an effect of layer pod", cf_word(&cf_effect_words, kind));
}

/* The words behind the time.  false: an error was reported, or no memory. */
static bool read_what(struct collecting *c, const struct cf_line *line, size_t from,
                      struct cf_want *want)
{
    size_t count = line->count - from;
    struct cf_word *words = cf_arena_array(c->reading->arena, count, sizeof *words);
    const char *wanted;
    uint32_t pod;
    int container;

    *want = (struct cf_want){.at = line->at,
                             .line = line->text,
                             .optional = want->optional,
                             .words = words,
                             .word_count = count};
    if (count > WORDS_MAX)
        cf_fault_at(c->reading, line->places[WORDS_MAX], "too many words in one line");
    if (count > WORDS_MAX || !words)
        return false;
    memcpy(words, line->words + from, count * sizeof *words);
    for (size_t i = 0; i < count; i++)
        if (words[i].quoted)
            words[i].text = cf_fire_expand(c->reading->arena, NULL, words[i].text);
    if (!cf_note_check(words, &want->word_count, &want->kind, &wanted)) {
        cf_fault_at(c->reading, from < line->count ? line->places[from] : line->at, "wanted '%s'",
                    wanted);
        return false;
    }
    check_layer(c->reading, c->item, want->kind, line->places[from + 1]);
    if (want->kind == KP_EFFECT_KILL || want->kind == KP_EFFECT_BACKOFF)
        normalise_duration(c, want, &words[2], line->places[from + 2]);
    return cf_case_subject(c->reading, c->item, line, from, &pod, &container);
}

/* A line's want, and where its copies go, one for each of its times. */
struct timed {
    struct collecting *c;
    const struct cf_want *want;
};

static void add_timed(void *ctx, int64_t at_ns, int64_t until_ns)
{
    const struct timed *timed = ctx;

    add_copy(timed->c, timed->want, at_ns, until_ns);
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
    struct timed timed = {c, &want};
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
    if (!cf_parse_times(line->words[from - 1].text, add_timed, &timed)) {
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
        int kind;

        if (!cf_line_split(reading, list.items[i], at, &line))
            continue;
        kind = cf_find_word(&cf_effect_words, cf_line_word(&line, 0));
        watch->kind = (enum kp_effect_kind)kind;
        if (kind == CF_NO_WORD || line.count > 2 ||
            (line.count == 2 && cf_note_sort_at(watch->kind) == 0)) {
            cf_fault_at(reading, at, "watch: '%.*s' is no effect", KP_ARG(list.items[i]));
            continue;
        }
        check_layer(reading, item, watch->kind, at);
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
    for (size_t i = 0; i < item->script.script_event_count; i++)
        if (item->script.script_events[i].at_ns > last_ns)
            last_ns = item->script.script_events[i].at_ns;
    return last_ns;
}

void cf_case_read_traces(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *trace = cf_node_find(item->node, "trace");
    const struct cf_node *list = cf_node_find(item->node, "any_of");
    const struct cf_node *until = cf_node_find(item->node, "for");
    struct cf_trace *alone;

    if ((trace != NULL) + (list != NULL) != 1) {
        cf_fault_at(reading, item->at, "a scenario needs one of trace and any_of");
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
