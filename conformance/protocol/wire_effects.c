/* wire_effects.c: what the implementation emits (protocol.md, section 3). */
#include "conformance/protocol/wire_fields.h"

#include <stdio.h>
#include <string.h>

#define RECORD struct kp_effect
#define EFFECT(kind, word, fields) static const struct cf_field kind##_fields[] = {fields{0}};
#include "conformance/protocol/effects.def"
#undef EFFECT

static const struct cf_field *const fields_of[CF_EFFECT_KINDS] = {
#define EFFECT(kind, word, fields) [KP_EFFECT_##kind] = kind##_fields,
#include "conformance/protocol/effects.def"
#undef EFFECT
};

void cf_put_effect(struct cf_out *out, const struct kp_effect *effect, bool names_pod)
{
    bool is_condition = effect->kind == KP_EFFECT_CONDITION;
    const void *record = is_condition ? (const void *)effect->u.condition : effect;

    cf_json_comma(out);
    cf_out_put_char(out, '{');
    cf_json_string(out, "e", cf_word(&cf_effect_words, effect->kind));
    if (names_pod)
        cf_json_text(out, "pod", effect->spec->name);
    cf_put_fields(out, fields_of[effect->kind], record, effect->spec);
    cf_out_put_char(out, '}');
}

bool cf_read_pod_name(struct cf_reader *reader, const struct cf_node *node,
                      const struct cf_wire_pods *pods, uint32_t *pod)
{
    struct kp_text name = KP_TEXT_NONE;

    *pod = 0;
    if (pods->count == 1)
        return true;
    if (!cf_member_text(reader, node, "pod", &name))
        return false;
    for (; *pod < pods->count; ++*pod)
        if (name.bytes && kp_text_equal(pods->list[*pod]->name, name))
            return true;
    return name.bytes ? cf_reader_fail(reader, "the case has no pod \"%.*s\"", KP_ARG(name))
                      : cf_reader_fail(reader, "`pod` is missing");
}

bool cf_read_effect(struct cf_reader *reader, const struct cf_node *node,
                    const struct cf_wire_pods *pods, struct kp_effect *effect)
{
    struct kp_condition *condition = cf_arena_alloc(reader->arena, sizeof *condition);
    void *record = effect;
    int kind = 0;

    *effect = (struct kp_effect){.container = -1};
    if (!condition)
        return false;
    if (node->kind != CF_MAP)
        return cf_reader_fail(reader, "an effect must be an object");
    if (!cf_member_word(reader, node, "e", &cf_effect_words, true, &kind))
        return false;
    effect->kind = (enum kp_effect_kind)kind;
    if (!cf_check_fields(reader, node, fields_of[kind], cf_word(&cf_effect_words, kind),
                         pods->count > 1) ||
        !cf_read_pod_name(reader, node, pods, &effect->pod))
        return false;
    effect->spec = pods->list[effect->pod];
    if (effect->kind == KP_EFFECT_CONDITION)
        effect->u.condition = record = condition;
    return cf_read_fields(reader, node, fields_of[kind], effect->spec, NULL, record);
}
