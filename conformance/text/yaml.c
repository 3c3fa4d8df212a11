#include "conformance/text/yaml.h"

#include "conformance/text/yaml_aliases.h"
#include "conformance/text/yaml_flow.h"
#include "conformance/text/yaml_scalar.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A node as the parser saw it, before aliases are expanded. */
struct raw {
    enum { SCALAR, SEQUENCE, MAPPING, ALIAS } kind; /* SCALAR: until it turns out to be another */
    struct cf_scalar scalar;
    struct raw *first; /* of a mapping: key, value, key, value ... */
    struct raw *last;
    struct raw *next;
    struct raw *target; /* of an alias */
    bool open;          /* being expanded: meeting it again is a loop */
};

struct anchor {
    struct kp_text name;
    struct raw *node;
    struct anchor *older;
};

struct reader {
    struct cf_arena *arena;
    struct cf_arena scratch; /* of what the parser saw, until it is expanded */
    struct cf_fault *fault;
    struct cf_yaml_options options;
    struct cf_colons *colons; /* and with them the bytes */
    bool is_colon_refused;    /* the one at that index */
    size_t colon_index;
    const struct raw *flow; /* the flow collection that is read; NULL: none is */
    yaml_parser_t parser;
    yaml_event_t event; /* nothing, until there is one */
    struct anchor *anchors;
    struct cf_aliases aliases;
    bool without_json; /* a number was met that JSON does not have */
};

static bool fail(struct reader *reader, struct cf_place at, const char *message)
{
    reader->fault->at = at;
    reader->fault->message = cf_arena_text(reader->arena, kp_text_of(message));
    reader->fault->go_text = cf_arena_format(reader->arena, "yaml: %s", message);
    return false;
}

static struct cf_place place_of(yaml_mark_t mark)
{
    return (struct cf_place){(int)mark.line + 1, (int)mark.column + 1};
}

/* How many bytes break a line there, as the parser counts lines. */
static size_t break_at(struct kp_text bytes, size_t i)
{
    static const char *const breaks[] = {"\n",       "\r\n",         "\r",
                                         "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    struct kp_text rest = kp_text_from(bytes, i);

    for (size_t k = 0; k < sizeof breaks / sizeof *breaks; k++)
        if (kp_text_begins(rest, breaks[k]))
            return strlen(breaks[k]);
    return 0;
}

bool cf_yaml_next_line(struct kp_text *left, struct kp_text *line)
{
    size_t len = 0;
    size_t end = 0;

    while (len < left->len && (end = break_at(*left, len)) == 0)
        len++;
    *line = (struct kp_text){left->bytes, len};
    *left = kp_text_from(*left, len + end);
    return len + end > 0;
}

/* The reader knows only an offset; a column counts characters. */
static struct cf_place place_at(struct kp_text bytes, size_t offset)
{
    struct cf_place at = {1, 1};

    for (size_t i = 0; i < offset && i < bytes.len;) {
        size_t len = break_at(bytes, i);

        at.line += len > 0;
        at.column = len > 0 ? 1 : at.column + ((bytes.bytes[i] & 0xc0) != 0x80);
        i += len + (len == 0);
    }
    return at;
}

/* How many bytes stand before a line's content, the dashes of a sequence too; 0: it has none. */
static size_t indent_of(struct kp_text bytes, int number)
{
    struct kp_text line = KP_TEXT_NONE;
    struct kp_text content;

    for (int i = 0; i < number; i++)
        (void)cf_yaml_next_line(&bytes, &line);
    content = kp_text_trim(line, " -");
    return (size_t)(content.bytes - line.bytes);
}

/* What is not closed is reported where it begins: the parser finds out at its end, in a line that
 * is indented no more. */
static void report_open(const struct reader *reader, const char *problem)
{
    struct cf_place open = place_of(reader->parser.context_mark);
    struct cf_fault *fault = reader->fault;

    if (strcmp(problem, "found unexpected end of stream") == 0) {
        fault->at = open;
        fault->message = KP_TEXT("a quote that is not closed");
    } else if (strstr(problem, "',' or '") && open.line < fault->at.line) {
        const char *bracket = strchr(problem, '}') ? "{" : "[";
        struct kp_text bytes = reader->colons->bytes;

        bool closed = indent_of(bytes, fault->at.line) > indent_of(bytes, open.line);

        fault->message =
            closed ? cf_arena_format(reader->arena, "%s of the %s in line %d", problem, bracket,
                                     open.line)
                   : cf_arena_format(reader->arena, "a %s that is not closed before line %d",
                                     bracket, fault->at.line);
        fault->at = closed ? fault->at : open;
    }
}

/* The parser's own error, with the line that go-yaml counts. */
static bool fail_parse(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    size_t line = parser->problem_mark.line;

    if (parser->error == YAML_MEMORY_ERROR) {
        reader->arena->failed = true;
        return false;
    }
    reader->is_colon_refused = strcmp(parser->problem, "found unexpected ':'") == 0;
    reader->colon_index = parser->problem_mark.index;
    fail(reader,
         parser->error == YAML_READER_ERROR
             ? place_at(reader->colons->bytes, parser->problem_offset)
             : place_of(parser->problem_mark),
         parser->problem);
    report_open(reader, parser->problem);
    if (line != 0)
        reader->fault->go_text =
            cf_arena_format(reader->arena, "yaml: line %d: %s",
                            (int)line + (parser->error == YAML_SCANNER_ERROR), parser->problem);
    return false;
}

static bool next_event(struct reader *reader)
{
    yaml_event_delete(&reader->event);
    return yaml_parser_parse(&reader->parser, &reader->event) != 0 || fail_parse(reader);
}

static struct kp_text copy_bytes(struct reader *reader, const yaml_char_t *bytes, size_t len)
{
    return cf_arena_text(reader->arena, (struct kp_text){(const char *)bytes, len});
}

static struct kp_text copy_name(struct reader *reader, const yaml_char_t *name)
{
    return name ? copy_bytes(reader, name, strlen((const char *)name)) : KP_TEXT("");
}

static bool add_anchor(struct reader *reader, const yaml_char_t *name, struct raw *node)
{
    struct anchor *anchor;

    if (!name)
        return true;
    if (reader->options.plain)
        return fail(reader, node->scalar.at, "anchors are not allowed here");
    anchor = cf_arena_alloc(&reader->scratch, sizeof *anchor);
    if (!anchor)
        return false;
    *anchor = (struct anchor){copy_name(reader, name), node, reader->anchors};
    reader->anchors = anchor;
    return true;
}

/* In a flow collection go-yaml ends a plain scalar at a question mark, and expects none there. */
static bool fail_question(struct reader *reader)
{
    struct kp_text bytes = reader->colons->bytes;
    size_t from = cf_flow_offset(bytes, reader->event.start_mark.index);
    struct cf_place at =
        place_at(bytes, from + kp_text_find(kp_text_from(bytes, from), KP_TEXT("?")));

    fail(reader, at,
         reader->flow->kind == MAPPING ? "did not find expected ',' or '}'"
                                       : "did not find expected ',' or ']'");
    if (at.line > 1)
        reader->fault->go_text = cf_arena_format(reader->arena, "yaml: line %d: %s", at.line - 1,
                                                 reader->fault->message.bytes);
    return false;
}

static bool read_scalar(struct reader *reader, struct raw *node)
{
    const yaml_event_t *event = &reader->event;

    node->scalar.value =
        cf_colons_show(reader->colons, reader->arena,
                       copy_bytes(reader, event->data.scalar.value, event->data.scalar.length));
    if (reader->flow && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        kp_text_has(node->scalar.value, "?"))
        return fail_question(reader);
    node->scalar.tag = copy_name(reader, event->data.scalar.tag);
    node->scalar.plain = event->data.scalar.plain_implicit != 0;
    if (reader->options.plain && node->scalar.tag.len > 0)
        return fail(reader, node->scalar.at, "tags are not allowed here");
    return add_anchor(reader, event->data.scalar.anchor, node);
}

static bool read_alias(struct reader *reader, struct raw *node)
{
    struct kp_text name = copy_name(reader, reader->event.data.alias.anchor);
    struct anchor *anchor = reader->anchors;

    node->kind = ALIAS;
    node->scalar.value = name;
    if (reader->options.plain)
        return fail(reader, node->scalar.at, "aliases are not allowed here");
    while (anchor && !kp_text_equal(anchor->name, name))
        anchor = anchor->older;
    if (!anchor)
        return fail(
            reader, node->scalar.at,
            cf_arena_format(reader->arena, "unknown anchor '%s' referenced", name.bytes).bytes);
    node->target = anchor->node;
    return true;
}

static bool read_node(struct reader *reader, struct raw **out, int depth);

static bool read_children(struct reader *reader, struct raw *node, bool is_flow, int depth)
{
    yaml_event_type_t end =
        node->kind == MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    const struct raw *around = reader->flow;

    reader->flow = is_flow ? node : NULL;
    while (next_event(reader)) {
        struct raw *child;

        if (reader->event.type == end) {
            reader->flow = around;
            return true;
        }
        if (!read_node(reader, &child, depth + 1))
            return false;
        if (node->last)
            node->last->next = child;
        else
            node->first = child;
        node->last = child;
    }
    return false;
}

static bool read_node(struct reader *reader, struct raw **out, int depth)
{
    struct raw *node = cf_arena_alloc(&reader->scratch, sizeof *node);
    bool is_flow;

    *out = node;
    if (!node)
        return false;
    node->scalar.at = place_of(reader->event.start_mark);
    if (depth > CF_DEPTH_MAX)
        return fail(reader, node->scalar.at, "nested deeper than 1000 levels");
    switch (reader->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, node);
    case YAML_ALIAS_EVENT:
        return read_alias(reader, node);
    case YAML_SEQUENCE_START_EVENT:
        node->kind = SEQUENCE;
        is_flow = reader->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        return add_anchor(reader, reader->event.data.sequence_start.anchor, node) &&
               read_children(reader, node, is_flow, depth);
    default:
        assert(reader->event.type == YAML_MAPPING_START_EVENT);
        node->kind = MAPPING;
        is_flow = reader->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        return add_anchor(reader, reader->event.data.mapping_start.anchor, node) &&
               read_children(reader, node, is_flow, depth);
    }
}

static struct cf_node *expand(struct reader *reader, struct raw *raw, int depth);

static struct cf_node *expand_alias(struct reader *reader, struct raw *raw, int depth)
{
    struct cf_node *node;

    if (raw->target->open) {
        fail(reader, raw->scalar.at,
             cf_arena_format(reader->arena, "anchor '%s' value contains itself",
                             raw->scalar.value.bytes)
                 .bytes);
        return NULL;
    }
    reader->aliases.depth++;
    node = expand(reader, raw->target, depth);
    reader->aliases.depth--;
    if (node)
        node->at = raw->scalar.at;
    return node;
}

static bool is_merge(const struct raw *key)
{
    return key->kind == SCALAR && kp_text_equal(key->scalar.value, KP_TEXT("<<")) &&
           (key->scalar.plain ||
            kp_text_equal(key->scalar.tag, KP_TEXT("tag:yaml.org,2002:merge")));
}

static bool merge_one(struct reader *reader, struct raw *raw, struct cf_node *into, int depth)
{
    const struct raw *target = raw->kind == ALIAS ? raw->target : raw;
    struct cf_node *from;

    if (target->kind != MAPPING)
        return fail(reader, raw->scalar.at,
                    "map merge requires map or sequence of maps as the value");
    from = expand(reader, raw, depth);
    for (struct cf_node *child = from ? from->first : NULL; child;) {
        struct cf_node *next = child->next;

        cf_node_append(into, child);
        child = next;
    }
    return from != NULL;
}

/* The members of a merged map are laid where its << stands; of several maps the first one wins. */
static bool merge(struct reader *reader, struct raw *raw, struct cf_node *into, int depth)
{
    size_t items = 0;

    if (reader->options.plain)
        return fail(reader, raw->scalar.at, "merge keys are not allowed here");
    if (raw->kind != SEQUENCE)
        return merge_one(reader, raw, into, depth);
    for (struct raw *item = raw->first; item; item = item->next)
        items++;
    for (; items > 0; items--) {
        struct raw *item = raw->first;

        for (size_t i = 1; i < items; i++)
            item = item->next;
        if (!merge_one(reader, item, into, depth))
            return false;
    }
    return true;
}

/* .inf, -.inf and .nan: Go's other numbers begin with a digit. */
static bool has_no_json(const struct cf_node *node)
{
    return node->kind == CF_NUMBER &&
           (node->text.bytes[0] == '.' || strncmp(node->text.bytes, "-.", 2) == 0);
}

/* Why Go's JSON has no such key; NULL: it has. */
static const char *no_key(const struct cf_node *key)
{
    int64_t number;

    return key->kind == CF_MAP || key->kind == CF_LIST ? "a map key must be a scalar"
           : key->kind == CF_NULL                      ? "a map key must not be null"
           : key->kind == CF_NUMBER && !key->is_float && !cf_node_int_value(key, &number)
               ? "a map key that is a number must be below 9223372036854775808"
               : NULL;
}

/* A key becomes a string: 80 -> "80", yes -> "true". */
static struct cf_node *expand_key(struct reader *reader, struct raw *raw, int depth)
{
    struct cf_node *key = expand(reader, raw, depth);
    const char *wrong = key ? no_key(key) : NULL;

    if (wrong) {
        fail(reader, raw->scalar.at, wrong);
        return NULL;
    }
    if (key && key->is_float && !has_no_json(key))
        key->text = cf_go_float_key(reader->arena, strtod(key->text.bytes, NULL));
    return key;
}

static struct cf_node *expand_mapping(struct reader *reader, struct raw *raw, int depth)
{
    struct cf_node *map = cf_node_new(reader->arena, CF_MAP, raw->scalar.at);

    for (struct raw *key = raw->first; map && key; key = key->next->next) {
        struct cf_node *name;
        struct cf_node *value;

        if (is_merge(key)) {
            if (!merge(reader, key->next, map, depth))
                return NULL;
            continue;
        }
        name = expand_key(reader, key, depth);
        value = name ? expand(reader, key->next, depth + 1) : NULL;
        if (!value)
            return NULL;
        value->key_at = key->scalar.at;
        value->key_kind = name->kind;
        cf_node_put(map, name->text, value);
    }
    return map && cf_node_mark_duplicates(reader->arena, map) ? map : NULL;
}

static struct cf_node *expand_sequence(struct reader *reader, struct raw *raw, int depth)
{
    struct cf_node *list = cf_node_new(reader->arena, CF_LIST, raw->scalar.at);

    for (struct raw *item = raw->first; list && item; item = item->next) {
        struct cf_node *child = expand(reader, item, depth + 1);

        if (!child)
            return NULL;
        cf_node_append(list, child);
    }
    return list;
}

static struct cf_node *expand(struct reader *reader, struct raw *raw, int depth)
{
    struct cf_node *node;

    if (!cf_aliases_count(&reader->aliases)) {
        fail(reader, raw->scalar.at, "document contains excessive aliasing");
        return NULL;
    }
    if (depth > CF_DEPTH_MAX) {
        fail(reader, raw->scalar.at, "nested deeper than 1000 levels");
        return NULL;
    }
    if (raw->kind == SCALAR) {
        node = cf_scalar_resolve(reader->arena, &raw->scalar, reader->fault);
        reader->without_json = reader->without_json || (node && has_no_json(node));
        return node;
    }
    if (raw->kind == ALIAS)
        return expand_alias(reader, raw, depth);
    raw->open = true;
    node = raw->kind == MAPPING ? expand_mapping(reader, raw, depth)
                                : expand_sequence(reader, raw, depth);
    raw->open = false;
    return node;
}

static const struct cf_node *first_without_json(const struct cf_node *node)
{
    const struct cf_node *found = has_no_json(node) ? node : NULL;

    for (const struct cf_node *child = node->first; !found && child; child = child->next)
        found = first_without_json(child);
    return found;
}

/* json.Marshal goes through the keys in order and does not see what a repeated key overwrote. */
static bool becomes_json(struct reader *reader, const struct cf_node *document)
{
    const struct cf_node *sorted = cf_node_sorted(reader->arena, document);
    const struct cf_node *bad = sorted ? first_without_json(sorted) : NULL;
    struct cf_fault *fault = reader->fault;

    if (!bad)
        return sorted != NULL;
    fault->at = bad->at;
    fault->message = cf_arena_format(reader->arena, "unsupported value: %s",
                                     kp_text_equal(bad->text, KP_TEXT(".nan"))   ? "NaN"
                                     : kp_text_equal(bad->text, KP_TEXT(".inf")) ? "+Inf"
                                                                                 : "-Inf");
    fault->go_text = cf_arena_format(reader->arena, "json: %s", fault->message.bytes);
    return false;
}

/* The event is a document's start. */
static bool read_document(struct reader *reader, struct cf_node *documents)
{
    struct raw *raw;
    struct cf_node *node;

    reader->anchors = NULL;
    reader->aliases = (struct cf_aliases){.decoded = 1}; /* the document */
    if (!next_event(reader) || !read_node(reader, &raw, 1) || !next_event(reader))
        return false;
    node = expand(reader, raw, 1);
    cf_node_append(documents, node);
    return node && (!reader->without_json || becomes_json(reader, node));
}

static bool read_stream(struct reader *reader, struct cf_node *documents)
{
    while (next_event(reader)) {
        if (reader->event.type == YAML_STREAM_END_EVENT)
            return true;
        if (reader->event.type == YAML_STREAM_START_EVENT)
            continue;
        if (!read_document(reader, documents))
            return false;
        if (reader->options.first_only)
            return true;
    }
    return false;
}

/* Once.  reader->is_colon_refused: libyaml refused what go-yaml takes. */
static enum kp_err parse(struct reader *reader, struct cf_node **out)
{
    struct cf_arena *arena = reader->arena;
    struct kp_text bytes = reader->colons->bytes;
    bool good;

    reader->scratch = (struct cf_arena){.mem = arena->mem};
    *reader->fault = (struct cf_fault){0};
    *out = cf_node_new(arena, CF_LIST, (struct cf_place){1, 1});
    if (!*out || !yaml_parser_initialize(&reader->parser)) {
        arena->failed = true;
        return KP_ENOMEM;
    }
    yaml_parser_set_input_string(
        &reader->parser, (const unsigned char *)(bytes.len > 0 ? bytes.bytes : ""), bytes.len);
    good = read_stream(reader, *out);
    yaml_event_delete(&reader->event);
    yaml_parser_delete(&reader->parser);
    arena->failed = arena->failed || reader->scratch.failed;
    cf_arena_deinit(&reader->scratch);
    if (arena->failed)
        return KP_ENOMEM;
    return good ? KP_OK : KP_EINPUT;
}

enum kp_err cf_yaml_parse(struct cf_arena *arena, struct kp_text bytes,
                          struct cf_yaml_options options, struct cf_node **out,
                          struct cf_fault *fault)
{
    struct cf_colons colons = {.bytes = bytes};
    struct reader reader;
    enum kp_err err;

    do {
        reader =
            (struct reader){.arena = arena, .fault = fault, .options = options, .colons = &colons};
        err = parse(&reader, out);
    } while (err == KP_EINPUT && reader.is_colon_refused &&
             cf_colons_hide(&colons, arena, reader.colon_index));
    return arena->failed ? KP_ENOMEM : err;
}
