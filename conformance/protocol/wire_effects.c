/* wire_effects.c: what the implementation tells (protocol.md, section 3). */
#include "conformance/protocol/wire_fields.h"

#include <stdio.h>
#include <string.h>

/* ---- texts -------------------------------------------------------------------------------- */

void cf_json_message(struct cf_out *out, const char *name, const struct kp_message *message)
{
    char small[512];
    struct kp_buf buf = {small, sizeof small, 0};
    struct cf_out large = {0};

    kp_message_put(&buf, message);
    if (buf.need <= buf.cap) {
        cf_json_text(out, name, kp_buf_text(&buf));
        return;
    }
    cf_out_reserve(&large, buf.need);
    buf = (struct kp_buf){large.bytes, large.cap, 0};
    kp_message_put(&buf, message);
    cf_json_text(out, name, kp_buf_text(&buf));
    cf_out_deinit(&large);
}

void cf_put_state(struct cf_out *out, const struct kp_state *state)
{
    switch (state->kind) {
    case KP_STATE_NONE:
        return;
    case KP_STATE_RUNNING:
        cf_out_put(out, KP_TEXT("running"));
        return;
    case KP_STATE_WAITING:
        cf_out_put(out, KP_TEXT("waiting:"));
        cf_out_put(out, state->reason);
        break;
    case KP_STATE_TERMINATED:
        cf_out_put(out, KP_TEXT("terminated:"));
        cf_out_put(out, state->reason);
        cf_out_put_char(out, ':');
        cf_out_put_int(out, state->exit_code);
        break;
    }
    if (state->message.len > 0) {
        cf_out_put(out, KP_TEXT(": "));
        cf_out_put(out, state->message);
    }
}

/* Text up to a separator; *rest is what follows it, or empty. */
static struct kp_text up_to(struct kp_text text, const char *separator, struct kp_text *rest)
{
    size_t width = strlen(separator);

    *rest = KP_TEXT_NONE;
    for (size_t i = 0; i + width <= text.len; i++)
        if (memcmp(text.bytes + i, separator, width) == 0) {
            *rest = (struct kp_text){text.bytes + i + width, text.len - i - width};
            return (struct kp_text){text.bytes, i};
        }
    return text;
}

static bool read_exit_code(struct kp_text text, int32_t *code)
{
    int64_t number = 0;
    bool negative = text.len > 0 && text.bytes[0] == '-';

    if (text.len == (size_t)negative || text.len > 11)
        return false;
    for (size_t i = negative; i < text.len; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        number = number * 10 + (text.bytes[i] - '0');
    }
    *code = (int32_t)(negative ? -number : number);
    return true;
}

bool cf_read_state(struct kp_text text, struct kp_state *state)
{
    struct kp_text rest;
    struct kp_text kind = up_to(text, ":", &rest);
    struct kp_text code;

    *state = (struct kp_state){.kind = KP_STATE_NONE};
    if (text.len == 0)
        return true;
    if (kp_text_equal(text, KP_TEXT("running"))) {
        state->kind = KP_STATE_RUNNING;
        return true;
    }
    if (kp_text_equal(kind, KP_TEXT("waiting"))) {
        state->kind = KP_STATE_WAITING;
        state->reason = up_to(rest, ": ", &state->message);
        return true;
    }
    if (!kp_text_equal(kind, KP_TEXT("terminated")))
        return false;
    state->kind = KP_STATE_TERMINATED;
    state->reason = up_to(rest, ":", &code);
    return read_exit_code(up_to(code, ": ", &state->message), &state->exit_code);
}

/* ---- effects ------------------------------------------------------------------------------ */

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
    return name.bytes
               ? cf_reader_fail(reader, "the case has no pod \"%.*s\"", (int)name.len, name.bytes)
               : cf_reader_fail(reader, "`pod` is missing");
}

static int find_effect(struct kp_text word)
{
    return cf_find_word(&cf_effect_words, word);
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
    if (!cf_member_word(reader, node, "e", find_effect, true, &kind))
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
