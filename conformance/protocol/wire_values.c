/* wire_values.c: messages, states and pods, as members of any record. */
#include "conformance/protocol/wire.h"

#include <string.h>

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
    size_t at = kp_text_find(text, kp_text_of(separator));

    *rest = at < text.len ? kp_text_from(text, at + strlen(separator)) : KP_TEXT_NONE;
    return (struct kp_text){text.bytes, at};
}

static bool read_exit_code(struct kp_text text, int32_t *code)
{
    bool negative = text.len > 0 && text.bytes[0] == '-';
    uint64_t number;

    if (!kp_text_number(kp_text_from(text, negative), (uint64_t)INT32_MAX + negative, &number))
        return false;
    *code = (int32_t)(negative ? -(int64_t)number : (int64_t)number);
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

static void put_raw(struct cf_out *out, const struct kp_pod *pod)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};

    cf_out_put(out, pod->raw ? cf_node_json(&arena, pod->raw) : KP_TEXT("{}"));
    cf_arena_deinit(&arena);
}

void cf_put_pod(struct cf_out *out, const struct kp_pod *pod)
{
    cf_json_key(out, "pod");
    put_raw(out, pod);
}

void cf_put_pods(struct cf_out *out, const struct cf_wire_pods *pods)
{
    if (pods->count == 1) {
        cf_put_pod(out, pods->list[0]);
        return;
    }
    cf_json_open(out, "pods", '[');
    for (size_t i = 0; i < pods->count; i++) {
        cf_json_comma(out);
        put_raw(out, pods->list[i]);
    }
    cf_out_put_char(out, ']');
}
