/* wire_answers.c: the replies to questions: just the fields of protocol.md, sections 1 and 5. */
#include "conformance/protocol/wire.h"

struct field {
    const char *name; /* NULL: no more of them */
    enum { INTEGER, TRUTH, TEXT, TEXTS, OBJECT, OBJECTS } type;
    const struct field *inside; /* of an object, or of each in a list; NULL: anything */
    bool optional;
};

/* clang-format off */
#define FIELD(n, t) {.name = n, .type = t}
#define NEST(n, t, i) {.name = n, .type = t, .inside = i}
#define MAYBE(n, t) {.name = n, .type = t, .optional = true}

static const struct field errors[] = {
    FIELD("field", TEXT), FIELD("type", TEXT), FIELD("detail", TEXT), FIELD("text", TEXT), {0}};
static const struct field kills[] = {
    FIELD("container", TEXT), FIELD("cid", TEXT), FIELD("message", TEXT), FIELD("reason", TEXT),
    FIELD("restart", TRUTH), {0}};
static const struct field kept[] = {
    MAYBE("pod", TEXT), FIELD("container", TEXT), FIELD("type", TEXT), FIELD("reason", TEXT),
    FIELD("message", TEXT), FIELD("count", INTEGER), FIELD("first", INTEGER),
    FIELD("last", INTEGER), {0}};
static const struct field columns[] = {
    FIELD("READY", TEXT), FIELD("STATUS", TEXT), FIELD("RESTARTS", TEXT), {0}};

static const struct field port[] = {FIELD("port", INTEGER), {0}};
static const struct field check[] = {
    FIELD("pod", OBJECT), NEST("errors", OBJECTS, errors), FIELD("warnings", TEXTS), {0}};
static const struct field actions[] = {
    FIELD("killPod", TRUTH), FIELD("createSandbox", TRUTH), FIELD("sandboxAttempt", INTEGER),
    FIELD("start", TEXTS), FIELD("startInit", TEXTS), FIELD("startEphemeral", TEXTS),
    NEST("kill", OBJECTS, kills), {0}};
static const struct field events[] = {NEST("events", OBJECTS, kept), {0}};
static const struct field kubectl[] = {
    NEST("columns", OBJECT, columns), FIELD("describe", TEXTS), {0}};

static const struct {
    const struct field *fields;
    const char *instead; /* a text in place of all of them */
} shapes[CF_LAYERS] = {
    [CF_LAYER_PORT] = {port, "invalid"},
    [CF_LAYER_CHECK] = {check, "undecodable"},
    [CF_LAYER_ACTIONS] = {actions, NULL},
    [CF_LAYER_EVENTS] = {events, NULL},
    [CF_LAYER_KUBECTL] = {kubectl, NULL},
};
/* clang-format on */

static bool check_fields(struct cf_reader *reader, const char *what, const struct cf_node *map,
                         const struct field *fields);

/* Lists of texts and of objects. */
static bool check_items(struct cf_reader *reader, const struct field *field,
                        const struct cf_node *list)
{
    enum cf_node_kind kind = field->type == TEXTS ? CF_STRING : CF_MAP;

    for (const struct cf_node *item = list->first; item; item = item->next) {
        if (item->kind != kind)
            return cf_reader_fail(reader, "`%s` must be a list of %s", field->name,
                                  kind == CF_MAP ? "objects" : "strings");
        if (field->inside && !check_fields(reader, field->name, item, field->inside))
            return false;
    }
    return true;
}

static bool check_field(struct cf_reader *reader, const struct field *field,
                        const struct cf_node *node)
{
    static const enum cf_node_kind kinds[] = {CF_NUMBER, CF_BOOL, CF_STRING,
                                              CF_LIST,   CF_MAP,  CF_LIST};
    int64_t number;

    if (node->duplicate)
        return cf_reader_fail(reader, "`%s` is there twice", field->name);
    if (node->kind != kinds[field->type])
        return cf_reader_fail(reader, "`%s` must be %s, not %s", field->name,
                              cf_node_kind_name(kinds[field->type]), cf_node_kind_name(node->kind));
    if (field->type == INTEGER && !cf_number_int(node, &number))
        return cf_reader_fail(reader, "`%s` must be an integer", field->name);
    if (field->type == OBJECT && field->inside)
        return check_fields(reader, field->name, node, field->inside);
    return node->kind != CF_LIST || check_items(reader, field, node);
}

static bool check_fields(struct cf_reader *reader, const char *what, const struct cf_node *map,
                         const struct field *fields)
{
    for (const struct cf_node *member = map->first; member; member = member->next) {
        const struct field *field = fields;

        while (field->name && !kp_text_equal(member->key, kp_text_of(field->name)))
            field++;
        if (!field->name)
            return cf_reader_fail(reader, "`%s` has no field \"%.*s\"", what, KP_ARG(member->key));
        if (!check_field(reader, field, member))
            return false;
    }
    for (const struct field *field = fields; field->name; field++)
        if (!field->optional && !cf_node_find(map, field->name))
            return cf_reader_fail(reader, "`%s` lacks `%s`", what, field->name);
    return true;
}

bool cf_check_answer(struct cf_reader *reader, enum cf_layer layer, const struct cf_node *ok)
{
    const char *instead = shapes[layer].instead;
    const struct cf_node *text = instead ? cf_node_find(ok, instead) : NULL;

    if (!text)
        return check_fields(reader, "ok", ok, shapes[layer].fields);
    if (ok->count > 1)
        return cf_reader_fail(reader, "where there is `%s` there is nothing else", instead);
    return check_field(reader, &(struct field)FIELD(instead, TEXT), text);
}
