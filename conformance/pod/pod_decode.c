#include "conformance/pod/pod_tree.h"
#include "conformance/text/guess.h"

enum { WARNINGS_MAX = 100 };

/* How deep the decoder is: what the error texts and the warnings print. */
struct where {
    const struct where *up;
    const struct cf_api_field *field; /* NULL: an item or a map's value */
    size_t index;                     /* of an item */
};

struct decoder {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct cf_pod *out;
    struct kp_text prefix; /* of every path: where a template stands in its object */
    bool fatal;            /* an error that ends decoding; else the first error waits for the end */
    struct cf_warning *warnings;
    size_t warning_room;
};

static struct cf_node *decode_struct(struct decoder *decoder, const struct where *where,
                                     enum cf_api_type type, const struct cf_node *source,
                                     struct cf_node *into);

static void put_error_path(struct kp_buf *buf, struct kp_text prefix, const struct where *where,
                           bool embedded)
{
    if (!where) {
        kp_buf_put(buf, prefix);
        return;
    }
    put_error_path(buf, prefix, where->up, embedded);
    if (!where->field)
        return;
    if (buf->need > 0)
        kp_buf_put_char(buf, '.');
    if (embedded && where->field->embedded[0]) {
        kp_buf_put(buf, kp_text_of(where->field->embedded));
        kp_buf_put_char(buf, '.');
    }
    kp_buf_put(buf, kp_text_of(where->field->name));
}

static void put_strict_path(struct kp_buf *buf, struct kp_text prefix, const struct where *where)
{
    if (!where) {
        kp_buf_put(buf, prefix);
        return;
    }
    put_strict_path(buf, prefix, where->up);
    if (!where->field) {
        kp_buf_put_char(buf, '[');
        kp_buf_put_int(buf, (int64_t)where->index);
        kp_buf_put_char(buf, ']');
        return;
    }
    if (buf->need > 0)
        kp_buf_put_char(buf, '.');
    kp_buf_put(buf, kp_text_of(where->field->name));
}

/* Room for a text that was counted with an empty buffer. */
static struct kp_buf room_for(struct cf_arena *arena, const struct kp_buf *counted)
{
    struct kp_buf buf = cf_arena_buf(arena, counted->need);

    if (!buf.bytes)
        buf.cap = 0;
    return buf;
}

static const char *struct_name(const struct where *where)
{
    while (where && !where->field)
        where = where->up;
    return where ? cf_api_type_name(where->field->owner) : "";
}

static void put_type_error(struct kp_buf *buf, struct kp_text value, const char *type,
                           struct kp_text path, const char *owner)
{
    kp_buf_put(buf, KP_TEXT("json: cannot unmarshal "));
    kp_buf_put(buf, value);
    kp_buf_put(buf, KP_TEXT(" into Go struct field "));
    kp_buf_put(buf, kp_text_of(owner));
    kp_buf_put_char(buf, '.');
    kp_buf_put(buf, path);
    kp_buf_put(buf, KP_TEXT(" of type "));
    kp_buf_put(buf, kp_text_of(type));
}

static void fail_text(struct decoder *decoder, const struct cf_node *source, bool fatal,
                      struct kp_text text)
{
    struct cf_fault *fault = &decoder->out->fault;

    /* The first error counts, but one that ends decoding goes before those that wait. */
    if (fault->go_text.len > 0 && !fatal)
        return;
    fault->at = source->at;
    fault->go_text = text;
    fault->message = text;
    decoder->fatal = fatal; /* behind one that is, nothing is decoded */
}

/* json: cannot unmarshal bool into Go struct field Probe.spec.containers... of type int32 (V-044)
 */
static void fail_type(struct decoder *decoder, const struct where *where,
                      const struct cf_node *source, struct kp_text value, const char *type,
                      bool fatal)
{
    struct kp_buf path = {0};
    struct kp_buf text = {0};
    bool embedded = decoder->profile->json_path_embedded;

    put_error_path(&path, decoder->prefix, where, embedded);
    path = room_for(decoder->arena, &path);
    put_error_path(&path, decoder->prefix, where, embedded);
    put_type_error(&text, value, type, kp_buf_text(&path), struct_name(where));
    text = room_for(decoder->arena, &text);
    put_type_error(&text, value, type, kp_buf_text(&path), struct_name(where));
    fail_text(decoder, source, fatal, kp_buf_text(&text));
}

const char *cf_json_kind(enum cf_node_kind kind)
{
    static const char *const names[] = {
        [CF_NULL] = "null",     [CF_BOOL] = "bool",  [CF_NUMBER] = "number",
        [CF_STRING] = "string", [CF_LIST] = "array", [CF_MAP] = "object",
    };

    return names[kind];
}

/* What the value is called in an error; numbers are printed where a number is wanted. */
static struct kp_text describe(struct decoder *decoder, const struct cf_node *source,
                               bool wants_number)
{
    if (source->kind == CF_NUMBER && wants_number)
        return cf_arena_format(decoder->arena, "number %.*s", KP_ARG(source->text));
    return kp_text_of(cf_json_kind(source->kind));
}

static void put_field_path(struct kp_buf *buf, struct kp_text prefix, const struct where *where,
                           struct kp_text field)
{
    put_strict_path(buf, prefix, where);
    if (buf->need > 0)
        kp_buf_put_char(buf, '.');
    kp_buf_put(buf, field);
}

/* unknown field "spec.foo": each once, a hundred in all (V-041) */
static void warn(struct decoder *decoder, const char *kind, const struct where *where,
                 const struct cf_node *member, const char *meant, int since)
{
    struct cf_pod *out = decoder->out;
    struct kp_buf path = {0};
    struct kp_buf text = {0};
    struct cf_warning *warnings;

    if (out->warning_count >= WARNINGS_MAX || !decoder->profile->strict_warnings)
        return;
    put_field_path(&path, decoder->prefix, where, member->key);
    path = room_for(decoder->arena, &path);
    put_field_path(&path, decoder->prefix, where, member->key);
    for (int pass = 0; pass < 2; pass++) {
        text = pass == 0 ? text : room_for(decoder->arena, &text);
        kp_buf_put(&text, kp_text_of(kind));
        kp_buf_put_char(&text, ' ');
        kp_buf_put_quoted(&text, kp_buf_text(&path));
    }
    for (size_t i = 0; i < out->warning_count; i++)
        if (kp_text_equal(decoder->warnings[i].text, kp_buf_text(&text)))
            return;
    warnings = cf_arena_grow(decoder->arena, decoder->warnings, &decoder->warning_room,
                             out->warning_count, sizeof *warnings);
    if (!warnings)
        return;
    out->warnings = decoder->warnings = warnings;
    warnings[out->warning_count++] =
        (struct cf_warning){kp_buf_text(&text), meant, since, member->key_at};
}

/* Places are the source's business. */
static struct cf_node *make(struct decoder *decoder, enum cf_node_kind kind, struct kp_text text)
{
    struct cf_node *node = cf_node_new(decoder->arena, kind, (struct cf_place){0});

    if (node)
        node->text = text;
    return node;
}

/* Go knows no negative zero of an integer. */
static struct cf_node *make_number(struct decoder *decoder, const struct cf_node *source)
{
    return make(decoder, CF_NUMBER,
                kp_text_equal(source->text, KP_TEXT("-0")) ? KP_TEXT("0") : source->text);
}

static bool integer_fits(const struct cf_node *source, int64_t least, int64_t most, int64_t *value)
{
    return cf_node_int_value(source, value) && *value >= least && *value <= most;
}

static struct cf_node *decode_int(struct decoder *decoder, const struct where *where,
                                  const struct cf_api_field *field, const struct cf_node *source)
{
    bool wide = field->kind == CF_API_INT64;
    int64_t value;

    if (!integer_fits(source, wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, &value)) {
        fail_type(decoder, where, source, describe(decoder, source, true), field->go_type, false);
        return NULL;
    }
    return make_number(decoder, source);
}

/* Its own unmarshaler: what is no string must be an int32 (E-001). */
static struct cf_node *decode_intstr(struct decoder *decoder, const struct where *where,
                                     const struct cf_node *source)
{
    int64_t value;

    if (source->kind == CF_STRING)
        return make(decoder, CF_STRING, source->text);
    if (!integer_fits(source, INT32_MIN, INT32_MAX, &value)) {
        fail_type(decoder, where, source, describe(decoder, source, true), "int32", true);
        return NULL;
    }
    return make_number(decoder, source);
}

static struct cf_node *decode_quantity(struct decoder *decoder, const struct cf_node *source)
{
    struct kp_text text;

    /* A number as it is written; true, a list and a map are none, whatever their text. */
    if (!cf_quantity_canonical(decoder->arena, source->text, &text)) {
        fail_text(decoder, source, true, text);
        return NULL;
    }
    return make(decoder, CF_STRING, text);
}

static struct cf_node *decode_time(struct decoder *decoder, const struct where *where,
                                   const struct cf_node *source)
{
    struct cf_time time;

    if (source->kind != CF_STRING) {
        fail_type(decoder, where, source, describe(decoder, source, false), "string", true);
        return NULL;
    }
    if (!cf_time_parse(source->text, &time)) {
        fail_text(decoder, source, true, cf_time_fault(decoder->arena, source->text));
        return NULL;
    }
    return make(decoder, CF_STRING, cf_time_format(decoder->arena, &time));
}

/* A single value that is not null. */
static struct cf_node *decode_value(struct decoder *decoder, const struct where *where,
                                    const struct cf_api_field *field, const struct cf_node *source,
                                    struct cf_node *old)
{
    static const enum cf_node_kind wanted[] = {
        [CF_API_STRING] = CF_STRING, [CF_API_BOOL] = CF_BOOL,  [CF_API_INT32] = CF_NUMBER,
        [CF_API_INT64] = CF_NUMBER,  [CF_API_STRUCT] = CF_MAP,
    };

    if (field->kind == CF_API_INTSTR)
        return decode_intstr(decoder, where, source);
    if (field->kind == CF_API_QUANTITY)
        return decode_quantity(decoder, source);
    if (field->kind == CF_API_TIME)
        return decode_time(decoder, where, source);
    if (field->kind == CF_API_RAW)
        return cf_node_copy(decoder->arena, source);
    if (source->kind != wanted[field->kind]) {
        const char *type = field->shape == CF_API_MAP ? "string" : field->go_type;

        fail_type(decoder, where, source, describe(decoder, source, false), type, false);
        return NULL;
    }
    if (field->kind == CF_API_STRUCT)
        return decode_struct(decoder, where, field->of, source,
                             old ? old : make(decoder, CF_MAP, KP_TEXT("")));
    if (field->kind == CF_API_BOOL) {
        struct cf_node *node = make(decoder, CF_BOOL, source->text);

        if (node)
            node->truth = source->truth;
        return node;
    }
    if (field->kind == CF_API_STRING)
        return make(decoder, CF_STRING, source->text);
    return decode_int(decoder, where, field, source);
}

/* Go's zero value, for null as an item or as a map's value. */
static struct cf_node *zero_value(struct decoder *decoder, const struct cf_api_field *field)
{
    switch (field->kind) {
    case CF_API_STRUCT:
        return make(decoder, CF_MAP, KP_TEXT(""));
    case CF_API_INT32:
    case CF_API_INT64:
    case CF_API_INTSTR:
        return make(decoder, CF_NUMBER, KP_TEXT("0"));
    case CF_API_QUANTITY:
        return make(decoder, CF_STRING, KP_TEXT("0"));
    default:
        return make(decoder, CF_STRING, KP_TEXT(""));
    }
}

static struct cf_node *decode_item(struct decoder *decoder, const struct where *where,
                                   const struct cf_api_field *field, const struct cf_node *source)
{
    return source->kind == CF_NULL ? zero_value(decoder, field)
                                   : decode_value(decoder, where, field, source, NULL);
}

static struct cf_node *decode_list(struct decoder *decoder, const struct where *where,
                                   const struct cf_api_field *field, const struct cf_node *source)
{
    struct cf_node *list = make(decoder, CF_LIST, KP_TEXT(""));
    size_t index = 0;

    for (const struct cf_node *child = source->first; child && !decoder->fatal;
         child = child->next) {
        struct where item = {.up = where, .index = index++};

        cf_node_append(list, decode_item(decoder, &item, field, child));
    }
    return list;
}

static struct cf_node *decode_map(struct decoder *decoder, const struct where *where,
                                  const struct cf_api_field *field, const struct cf_node *source,
                                  struct cf_node *old)
{
    struct cf_node *map = old ? old : make(decoder, CF_MAP, KP_TEXT(""));

    for (const struct cf_node *child = source->first; map && child && !decoder->fatal;
         child = child->next) {
        struct where value = {.up = where};
        struct cf_node *made;

        if (child->duplicate)
            warn(decoder, "duplicate field", where, child, NULL, 0);
        made = decode_item(decoder, &value, field, child);
        if (old || child->duplicate)
            cf_node_set(map, child->key, made);
        else
            cf_node_put(map, child->key, made);
    }
    return map;
}

/* What null makes of a field that is no pointer: nothing, but for those with an unmarshaler. */
static struct cf_node *old_or_zero(struct decoder *decoder, const struct cf_api_field *field,
                                   struct cf_node *old)
{
    if (field->kind == CF_API_TIME)
        return NULL;
    if (field->kind == CF_API_INTSTR && !(old && old->kind == CF_NUMBER))
        return zero_value(decoder, field);
    return old;
}

/* The new value of a field, or NULL: nil, or an error. */
static struct cf_node *decode_field(struct decoder *decoder, const struct where *where,
                                    const struct cf_api_field *field, const struct cf_node *source,
                                    struct cf_node *old)
{
    if (source->kind == CF_NULL && field->shape == CF_API_ONE)
        return old_or_zero(decoder, field, old);
    if (source->kind == CF_NULL)
        return NULL;
    if (field->shape == CF_API_ONE || field->shape == CF_API_PTR)
        return decode_value(decoder, where, field, source, old);
    if (source->kind == (field->shape == CF_API_LIST ? CF_LIST : CF_MAP))
        return field->shape == CF_API_LIST ? decode_list(decoder, where, field, source)
                                           : decode_map(decoder, where, field, source, old);
    fail_type(decoder, where, source, describe(decoder, source, false),
              field->shape == CF_API_MAP
                  ? field->go_type
                  : cf_arena_format(decoder->arena, "[]%s", field->go_type).bytes,
              false);
    return NULL;
}

/* What a name that is none of a struct's may be meant to be. */
static const char *meant_field(const struct decoder *decoder, enum cf_api_type type,
                               struct kp_text name)
{
    struct cf_guess guess = cf_guess_begin(name);

    for (const struct cf_api_field *field = cf_api_fields(type); field->owner == type; field++)
        if (cf_api_has(field, decoder->profile->minor))
            cf_guess_try(&guess, field->name);
    return guess.meant;
}

/* The minor from which a field exists that is not there yet; 0: there is none. */
static int first_minor(const struct decoder *decoder, enum cf_api_type type, struct kp_text name)
{
    for (const struct cf_api_field *field = cf_api_fields(type); field->owner == type; field++)
        if (decoder->profile->minor < field->since && kp_text_equal(name, kp_text_of(field->name)))
            return field->since;
    return 0;
}

/* Names compare with their case; a member of no known name is dropped and noted (V-040). */
static void decode_member(struct decoder *decoder, const struct where *where, enum cf_api_type type,
                          const struct cf_node *member, struct cf_node *into)
{
    const struct cf_api_field *field = cf_api_find(type, member->key, decoder->profile->minor);
    struct where inner = {.up = where, .field = field};
    struct cf_node *old;
    struct cf_node *made;

    if (!field) {
        int since = first_minor(decoder, type, member->key);

        warn(decoder, "unknown field", where, member,
             since > 0 ? NULL : meant_field(decoder, type, member->key), since);
        return;
    }
    if (member->duplicate)
        warn(decoder, "duplicate field", where, member, NULL, 0);
    old = cf_node_find(into, field->name);
    made = decode_field(decoder, &inner, field, member, old);
    if (!made) {
        cf_node_remove(into, kp_text_of(field->name));
        return;
    }
    cf_node_set(into, kp_text_of(field->name), made);
}

static struct cf_node *decode_struct(struct decoder *decoder, const struct where *where,
                                     enum cf_api_type type, const struct cf_node *source,
                                     struct cf_node *into)
{
    for (const struct cf_node *member = source->first; into && member && !decoder->fatal;
         member = member->next)
        decode_member(decoder, where, type, member, into);
    return into;
}

struct cf_node *cf_api_decode(struct cf_arena *arena, const struct kp_profile *profile,
                              enum cf_api_type type, struct kp_text prefix,
                              const struct cf_node *source, struct cf_pod *out)
{
    struct decoder decoder = {.arena = arena, .profile = profile, .out = out, .prefix = prefix};
    struct cf_node *tree;

    if (source->kind != CF_MAP) {
        fail_type(&decoder, NULL, source, describe(&decoder, source, false),
                  cf_arena_format(arena, "v1.%s", cf_api_type_name(type)).bytes, true);
        return NULL;
    }
    tree = decode_struct(&decoder, NULL, type, source, make(&decoder, CF_MAP, KP_TEXT("")));
    return out->fault.go_text.len > 0 ? NULL : tree;
}
