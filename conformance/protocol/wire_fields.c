#include "conformance/protocol/wire_fields.h"

#include <string.h>

static const void *member_of(const void *record, const struct cf_field *field)
{
    return (const char *)record + field->at;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Members of four bytes are signed where their range is. */
static int64_t load(const void *record, const struct cf_field *field)
{
    const void *member = member_of(record, field);
    int32_t small;
    uint32_t unsigned_small;
    int64_t large;

    if (field->size == sizeof large) {
        memcpy(&large, member, sizeof large);
        return large;
    }
    if (field->type == CF_FIELD_INT && field->min >= 0) {
        memcpy(&unsigned_small, member, sizeof unsigned_small);
        return unsigned_small;
    }
    memcpy(&small, member, sizeof small);
    return small;
}

static bool is_there(const void *record, const struct cf_field *field)
{
    if (field->presence != CF_OPTIONAL)
        return true;
    if (field->flag > 0)
        return *((const bool *)record + field->flag);
    switch (field->type) {
    case CF_FIELD_TEXT:
        return ((const struct kp_text *)member_of(record, field))->len > 0;
    case CF_FIELD_BOOL:
        return *(const bool *)member_of(record, field);
    default:
        return load(record, field) != 0;
    }
}

static void put_state(struct cf_out *out, const char *name, const struct kp_state *state)
{
    struct cf_out text = {0};

    cf_put_state(&text, state);
    cf_json_text(out, name, cf_out_text(&text));
    cf_out_deinit(&text);
}

/* A failure that has no text is "failed". */
static struct kp_text text_of(const void *record, const struct cf_field *field)
{
    struct kp_text text = *(const struct kp_text *)member_of(record, field);

    return field->flag > 0 && text.len == 0 ? KP_TEXT("failed") : text;
}

static void put_field(struct cf_out *out, const struct cf_field *field, const void *record,
                      const struct kp_pod *pod)
{
    const void *member = member_of(record, field);
    int container;

    switch (field->type) {
    case CF_FIELD_CONTAINER:
        container = (int)load(record, field);
        cf_json_text(out, field->name,
                     container < 0 ? KP_TEXT_NONE : pod->containers[container].name);
        break;
    case CF_FIELD_TEXT:
    case CF_FIELD_ID:
        cf_json_text(out, field->name, text_of(record, field));
        break;
    case CF_FIELD_MESSAGE:
        cf_json_message(out, field->name, member);
        break;
    case CF_FIELD_STATE:
        put_state(out, field->name, *(const struct kp_state *const *)member);
        break;
    case CF_FIELD_BOOL:
        cf_json_bool(out, field->name, *(const bool *)member);
        break;
    case CF_FIELD_INT:
        cf_json_int(out, field->name, load(record, field));
        break;
    case CF_FIELD_MS:
        cf_json_int(out, field->name, load(record, field) / KP_NS_PER_MS);
        break;
    case CF_FIELD_WORD:
        cf_json_string(out, field->name, cf_word(field->words, (int)load(record, field)));
        break;
    case CF_FIELD_POD:
        cf_put_pod(out, *(const struct kp_pod *const *)member);
        break;
    }
}

void cf_put_fields(struct cf_out *out, const struct cf_field *fields, const void *record,
                   const struct kp_pod *pod)
{
    for (const struct cf_field *field = fields; field->name; field++)
        if (is_there(record, field))
            put_field(out, field, record, pod);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void store(void *member, const struct cf_field *field, int64_t number)
{
    int32_t small = (int32_t)(uint32_t)number;

    if (field->size == sizeof number)
        memcpy(member, &number, sizeof number);
    else
        memcpy(member, &small, sizeof small);
}

static bool read_container(struct cf_reader *reader, const struct cf_field *field,
                           struct kp_text name, const struct kp_pod *pod, void *member)
{
    int container = kp_pod_find_container(pod, name);

    if (container < 0 && (field->presence == CF_NEEDED || name.len > 0))
        return cf_reader_fail(reader, "the pod has no container \"%.*s\"", KP_ARG(name));
    store(member, field, container);
    return true;
}

/* One that is absent is the first of its list. */
static bool read_word(struct cf_reader *reader, const struct cf_field *field, struct kp_text text,
                      void *member)
{
    int value = text.bytes ? cf_find_word(field->words, text) : field->words->first;

    store(member, field, value);
    return value != CF_NO_WORD || cf_reader_no_word(reader, field->name, text, field->words);
}

static bool read_state(struct cf_reader *reader, const char *name, struct kp_text text,
                       const struct kp_state **out)
{
    struct kp_state *state = cf_arena_alloc(reader->arena, sizeof *state);

    *out = state;
    return state && (cf_read_state(text, state) ||
                     cf_reader_fail(reader, "`%s` is no state: \"%.*s\"", name, KP_ARG(text)));
}

/* What is text on the wire. */
static bool read_text(struct cf_reader *reader, const struct cf_node *node,
                      const struct cf_field *field, const struct kp_pod *pod, void *member)
{
    struct kp_text text = KP_TEXT_NONE;

    if (!cf_member_text(reader, node, field->name, &text))
        return false;
    switch (field->type) {
    case CF_FIELD_CONTAINER:
        return read_container(reader, field, text, pod, member);
    case CF_FIELD_WORD:
        return read_word(reader, field, text, member);
    case CF_FIELD_STATE:
        return read_state(reader, field->name, text, member);
    case CF_FIELD_MESSAGE:
        *(struct kp_message *)member =
            (struct kp_message){.parts = {{.kind = KP_PART_TEXT, .text = text}}, .count = 1};
        return true;
    case CF_FIELD_ID:
        if (text.len == 0)
            return cf_reader_fail(reader, "`%s` is missing", field->name);
        break;
    default:
        break;
    }
    *(struct kp_text *)member = text;
    return true;
}

static bool read_number(struct cf_reader *reader, const struct cf_node *node,
                        const struct cf_field *field, void *member)
{
    int64_t number = 0;

    if (!cf_member_int(reader, node, field->name, field->min, field->max, &number))
        return false;
    store(member, field, field->type == CF_FIELD_MS ? number * KP_NS_PER_MS : number);
    return true;
}

static bool read_field(struct cf_reader *reader, const struct cf_node *node,
                       const struct cf_field *field, const struct kp_pod *pod,
                       const struct cf_pod_reader *updates, void *member)
{
    const struct cf_node *object;

    switch (field->type) {
    case CF_FIELD_BOOL:
        return cf_member_bool(reader, node, field->name, member);
    case CF_FIELD_INT:
    case CF_FIELD_MS:
        return read_number(reader, node, field, member);
    case CF_FIELD_POD:
        if (!cf_member_node(reader, node, field->name, CF_MAP, &object))
            return false;
        *(const struct kp_pod **)member = updates->read(updates->ctx, reader, object);
        return *(const struct kp_pod **)member != NULL;
    default:
        return read_text(reader, node, field, pod, member);
    }
}

static bool has_member(const struct cf_node *node, const char *name)
{
    const struct cf_node *member = cf_node_find(node, name);

    return member && member->kind != CF_NULL && (member->kind != CF_STRING || member->text.len > 0);
}

bool cf_read_fields(struct cf_reader *reader, const struct cf_node *node,
                    const struct cf_field *fields, const struct kp_pod *pod,
                    const struct cf_pod_reader *updates, void *record)
{
    for (const struct cf_field *field = fields; field->name; field++) {
        const struct cf_node *member = cf_node_find(node, field->name);

        if (field->presence == CF_NEEDED && (!member || member->kind == CF_NULL))
            return cf_reader_fail(reader, "`%s` is missing", field->name);
        if (!read_field(reader, node, field, pod, updates, (char *)record + field->at))
            return false;
        if (field->flag > 0)
            *((bool *)record + field->flag) = has_member(node, field->name);
    }
    return true;
}

static bool is_field(const struct cf_field *fields, struct kp_text name, bool names_pod)
{
    for (; fields->name; fields++)
        if (kp_text_equal(kp_text_of(fields->name), name))
            return true;
    return kp_text_equal(name, KP_TEXT("e")) || (names_pod && kp_text_equal(name, KP_TEXT("pod")));
}

bool cf_check_fields(struct cf_reader *reader, const struct cf_node *node,
                     const struct cf_field *fields, const char *what, bool names_pod)
{
    for (const struct cf_node *member = node->first; member; member = member->next) {
        if (!is_field(fields, member->key, names_pod))
            return cf_reader_fail(reader, "`%s` has no field \"%.*s\"", what, KP_ARG(member->key));
        if (member->duplicate || member->kind == CF_NULL)
            return cf_reader_fail(reader, "`%.*s` is %s", KP_ARG(member->key),
                                  member->duplicate ? "there twice" : "null");
    }
    return true;
}
