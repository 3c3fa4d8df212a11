/*
 * case_kept.c: layers events and kubectl: events as lines of a case, as the protocol's objects, and
 * back.
 */
#include "conformance/protocol/wire.h"
#include "conformance/table/case_question.h"
#include "conformance/table/fire_text.h"

#include <string.h>

/* Lines of one block being read into objects. */
struct block {
    struct cf_reading *reading;
    struct cf_arena *arena;
    struct cf_node *list;
    bool recorded; /* each instant is an event; else one line is one object of the API */
    const struct cf_line *line;
    size_t who;    /* index of the word behind the times */
    int64_t count; /* x2 */
    int64_t last_ns;
};

static const char recorded_form[] = "TIMES [xCOUNT] WHO Normal|Warning REASON \"message\"";
static const char kept_form[] = "FIRST[..LAST] [xCOUNT] WHO Normal|Warning REASON \"message\"";

static void put_ms(struct block *b, struct cf_node *map, const char *key, int64_t ns)
{
    cf_node_put(map, kp_text_of(key), cf_node_int(b->arena, ns / KP_NS_PER_MS));
}

static void put_word(struct block *b, struct cf_node *map, const char *key, struct kp_text word)
{
    cf_node_put(map, kp_text_of(key), cf_node_string(b->arena, word));
}

/* "web", "pod", "p2:web": the container, empty for the pod, and the pod where it is said. */
static void put_who(struct block *b, struct cf_node *map, struct kp_text who)
{
    const char *colon = memchr(who.bytes, ':', who.len);

    if (colon) {
        size_t len = (size_t)(colon - who.bytes);

        put_word(b, map, "pod", (struct kp_text){who.bytes, len});
        who = (struct kp_text){colon + 1, who.len - len - 1};
    }
    put_word(b, map, "container", kp_text_equal(who, KP_TEXT("pod")) ? KP_TEXT("") : who);
}

static struct cf_node *add_object(struct block *b)
{
    struct cf_node *map = cf_node_new(b->arena, CF_MAP, b->line->at);

    if (!map)
        return NULL;
    put_who(b, map, cf_line_word(b->line, b->who));
    put_word(b, map, "type", cf_line_word(b->line, b->who + 1));
    put_word(b, map, "reason", cf_line_word(b->line, b->who + 2));
    put_word(b, map, "message", cf_fire_expand(b->arena, NULL, cf_line_word(b->line, b->who + 3)));
    cf_node_append(b->list, map);
    return map;
}

static void add_recorded(void *ctx, int64_t at_ns, int64_t until_ns)
{
    struct block *b = ctx;

    (void)until_ns;
    if (at_ns < b->last_ns)
        cf_fault_at(b->reading, b->line->at, "time goes back");
    b->last_ns = at_ns;
    for (int64_t i = 0; i < b->count; i++) {
        struct cf_node *map = add_object(b);

        if (map)
            put_ms(b, map, "at", at_ns);
    }
}

static bool add_kept(struct block *b, struct kp_text span)
{
    int64_t first_ns;
    int64_t last_ns;
    struct cf_node *map;

    if (!cf_parse_span(span, &first_ns, &last_ns))
        return false;
    map = add_object(b);
    if (!map)
        return true;
    cf_node_put(map, KP_TEXT("count"), cf_node_int(b->arena, b->count));
    put_ms(b, map, "first", first_ns);
    put_ms(b, map, "last", last_ns);
    return true;
}

/* x25; a line without it is about one. */
static bool read_count(struct block *b)
{
    struct kp_text word = cf_line_word(b->line, 1);

    b->who = 1;
    b->count = 1;
    if (word.len < 2 || word.bytes[0] != 'x' || word.bytes[1] < '0' || word.bytes[1] > '9')
        return true;
    b->count = 0;
    for (size_t i = 1; i < word.len && b->count < 1000; i++) {
        if (word.bytes[i] < '0' || word.bytes[i] > '9')
            return false;
        b->count = 10 * b->count + (word.bytes[i] - '0');
    }
    b->who = 2;
    return b->count > 0 && b->count <= 1000;
}

static void read_line(struct block *b)
{
    const struct cf_line *line = b->line;
    struct kp_text times = cf_line_word(line, 0);
    bool well = read_count(b) && line->count == b->who + 4 && line->words[b->who + 3].quoted &&
                cf_find_word(&cf_event_type_words, cf_line_word(line, b->who + 1)) != CF_NO_WORD;

    if (well)
        well = b->recorded ? cf_parse_times(times, add_recorded, b) : add_kept(b, times);
    if (!well)
        cf_fault_at(b->reading, line->at, "wanted '%s', as in: %s web Warning Unhealthy \"...\"",
                    b->recorded ? recorded_form : kept_form,
                    b->recorded ? "35s,40s" : "35s..40s x2");
}

/* The lines of a block as objects; an empty list where there is none. */
static struct cf_node *read_block(struct cf_reading *reading, struct cf_arena *arena,
                                  const struct cf_node *node, bool recorded)
{
    struct block b = {.reading = reading, .arena = arena, .recorded = recorded};
    struct cf_lines lines;
    struct cf_line line;

    b.list = cf_node_new(arena, CF_LIST, (struct cf_place){0, 0});
    cf_lines_begin(&lines, reading, node);
    while (b.list && cf_lines_next(&lines, &line)) {
        b.line = &line;
        read_line(&b);
    }
    return b.list;
}

void cf_kept_check(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *recorded = cf_node_find(item->node, "recorded");
    const struct cf_node *kept = cf_node_find(item->node, "kept");
    const struct cf_node *columns = cf_node_find(item->node, "columns");

    cf_read_texts(reading, cf_node_find(item->node, "describe"));
    cf_read_duration(reading, cf_node_find(item->node, "now"), 0);
    if (recorded)
        read_block(reading, reading->arena, recorded, true);
    if (kept)
        read_block(reading, reading->arena, kept, false);
    if (columns && columns->kind != CF_MAP)
        cf_fault_at(reading, columns->at, "columns: wanted a map such as {STATUS: Running}");
    for (const struct cf_node *one = columns ? columns->first : NULL; one; one = one->next)
        if (!kp_text_equal(one->key, KP_TEXT("READY")) &&
            !kp_text_equal(one->key, KP_TEXT("STATUS")) &&
            !kp_text_equal(one->key, KP_TEXT("RESTARTS")))
            cf_fault_at(reading, one->key_at, "columns: wanted READY, STATUS or RESTARTS");
}

/* The case has been read once without a fault: nobody reads the errors. */
struct cf_node *cf_kept_objects(struct cf_arena *arena, const struct cf_node *node, bool recorded)
{
    struct cf_suite suite;
    struct cf_reading reading = {.suite = &suite, .arena = arena};
    struct cf_node *list;

    suite = (struct cf_suite){.arena.mem = arena->mem};
    list = read_block(&reading, arena, node, recorded);
    cf_suite_deinit(&suite);
    return list;
}

void cf_kept_members(const struct cf_case *item, struct cf_arena *arena, struct cf_node *request)
{
    const struct cf_node *kept = cf_node_find(item->node, "kept");
    const struct cf_node *now = cf_node_find(item->node, "now");
    int64_t now_ns = 0;

    if (item->layer == CF_LAYER_EVENTS) {
        cf_node_put(request, KP_TEXT("recorded"),
                    cf_kept_objects(arena, cf_node_find(item->node, "recorded"), true));
        return;
    }
    if (now)
        cf_parse_duration(now->text, &now_ns);
    cf_node_put(request, KP_TEXT("now"), cf_node_int(arena, now_ns / KP_NS_PER_MS));
    if (kept)
        cf_node_put(request, KP_TEXT("events"), cf_kept_objects(arena, kept, false));
}

static int64_t number_of(const struct cf_node *object, const char *key)
{
    int64_t number = 0;

    cf_node_int_value(cf_node_find(object, key), &number);
    return number;
}

static void put_text(struct kp_buf *buf, const struct cf_node *object, const char *key)
{
    const struct cf_node *node = cf_node_find(object, key);

    kp_buf_put(buf, node ? node->text : KP_TEXT_NONE);
}

static void put_times(struct kp_buf *buf, const struct cf_node *object)
{
    int64_t first = number_of(object, "first");
    int64_t last = number_of(object, "last");
    int64_t count = number_of(object, "count");

    kp_buf_put_duration(buf, first * KP_NS_PER_MS);
    if (last != first) {
        kp_buf_put(buf, KP_TEXT(".."));
        kp_buf_put_duration(buf, last * KP_NS_PER_MS);
    }
    if (count == 1)
        return;
    kp_buf_put(buf, KP_TEXT(" x"));
    kp_buf_put_int(buf, count);
}

static void put_line(struct kp_buf *buf, const struct cf_node *object)
{
    const struct cf_node *pod = cf_node_find(object, "pod");
    const struct cf_node *container = cf_node_find(object, "container");
    const struct cf_node *message = cf_node_find(object, "message");

    put_times(buf, object);
    kp_buf_put_char(buf, ' ');
    if (pod) {
        kp_buf_put(buf, pod->text);
        kp_buf_put_char(buf, ':');
    }
    kp_buf_put(buf, container && container->text.len > 0 ? container->text : KP_TEXT("pod"));
    kp_buf_put_char(buf, ' ');
    put_text(buf, object, "type");
    kp_buf_put_char(buf, ' ');
    put_text(buf, object, "reason");
    kp_buf_put_char(buf, ' ');
    kp_buf_put_quoted(buf, message ? message->text : KP_TEXT_NONE);
}

static struct kp_text line_of(struct cf_arena *arena, const struct cf_node *object)
{
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf buf;

    put_line(&measure, object);
    buf = cf_arena_buf(arena, measure.need);
    if (!buf.bytes)
        return KP_TEXT_NONE;
    put_line(&buf, object);
    return kp_buf_text(&buf);
}

struct cf_node *cf_kept_lines(struct cf_arena *arena, const struct cf_node *events)
{
    struct cf_node *list = cf_node_new(arena, CF_LIST, (struct cf_place){0, 0});

    for (const struct cf_node *one = events ? events->first : NULL; list && one; one = one->next)
        cf_node_append(list, cf_node_string(arena, line_of(arena, one)));
    return list;
}

struct cf_node *cf_kept_wanted(const struct cf_case *item, struct cf_arena *arena)
{
    return cf_kept_lines(arena, cf_kept_objects(arena, cf_node_find(item->node, "kept"), false));
}
