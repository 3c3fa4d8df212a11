/* wire_effects.c: what the implementation tells (protocol.md, section 3). */
#include "conformance/protocol/wire.h"

#include <stdio.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------------ */

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

static void put_state_text(struct cf_out *out, const char *name, const struct kp_state *state)
{
    struct cf_out text = {0};

    cf_put_state(&text, state);
    cf_json_text(out, name, cf_out_text(&text));
    cf_out_deinit(&text);
}

static struct kp_text container_name(const struct kp_effect *effect)
{
    return effect->container < 0 ? KP_TEXT_NONE : effect->spec->containers[effect->container].name;
}

static bool has_container(enum kp_effect_kind kind)
{
    return kind != KP_EFFECT_SANDBOX && kind != KP_EFFECT_PHASE && kind != KP_EFFECT_CONDITION &&
           kind != KP_EFFECT_APIDELETE && kind != KP_EFFECT_SYNC;
}

static bool has_cid(enum kp_effect_kind kind)
{
    return kind == KP_EFFECT_PROBE || kind == KP_EFFECT_RESULT || kind == KP_EFFECT_HOOK ||
           kind == KP_EFFECT_KILL;
}

static void put_of_container(struct cf_out *out, const struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        cf_json_string(out, "type", cf_probe_type_word(effect->u.probe.type));
        cf_json_int(out, "attempt", effect->u.probe.attempt);
        break;
    case KP_EFFECT_RESULT:
        cf_json_string(out, "type", cf_probe_type_word(effect->u.result.type));
        cf_json_string(out, "value", cf_result_word(effect->u.result.value));
        break;
    case KP_EFFECT_HOOK:
        cf_json_string(out, "type", cf_hook_word(effect->u.hook.type));
        break;
    case KP_EFFECT_KILL:
        cf_json_int(out, "grace", effect->u.kill.grace_s);
        cf_json_message(out, "message", &effect->u.kill.message);
        cf_json_string(out, "reason", cf_kill_reason_word(effect->u.kill.reason));
        break;
    case KP_EFFECT_START:
        cf_json_int(out, "restart", effect->u.restart);
        break;
    case KP_EFFECT_BACKOFF:
        cf_json_int(out, "delay", effect->u.delay_ns / KP_NS_PER_MS);
        break;
    case KP_EFFECT_STATE:
        put_state_text(out, "state", effect->u.state.state);
        put_state_text(out, "last", effect->u.state.last);
        cf_json_int(out, "restarts", effect->u.state.restarts);
        break;
    default: /* started, ready */
        cf_json_bool(out, "value", effect->u.value);
    }
}

static void put_of_pod(struct cf_out *out, const struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_SANDBOX:
        cf_json_string(out, "do", cf_sandbox_word(effect->u.sandbox.what));
        cf_json_int(out, "attempt", effect->u.sandbox.attempt);
        break;
    case KP_EFFECT_PHASE:
        cf_json_string(out, "value", cf_phase_word(effect->u.phase));
        break;
    case KP_EFFECT_CONDITION:
        cf_json_text(out, "type", effect->u.condition->type);
        cf_json_string(out, "status", cf_condition_word(effect->u.condition->status));
        cf_json_text(out, "reason", effect->u.condition->reason);
        cf_json_text(out, "message", effect->u.condition->message);
        break;
    case KP_EFFECT_SYNC:
        cf_json_text(out, "cause", effect->u.cause);
        break;
    default: /* apidelete */
        break;
    }
}

static void put_event_members(struct cf_out *out, const struct kp_effect *effect)
{
    cf_json_string(out, "type", cf_event_type_word(effect->u.event.type));
    cf_json_text(out, "reason", effect->u.event.reason);
    cf_json_message(out, "message", &effect->u.event.message);
}

void cf_put_effect(struct cf_out *out, const struct kp_effect *effect, bool names_pod)
{
    cf_json_comma(out);
    cf_out_put_char(out, '{');
    cf_json_string(out, "e", cf_effect_word(effect->kind));
    if (names_pod)
        cf_json_text(out, "pod", effect->spec->name);
    if (effect->kind == KP_EFFECT_PROBE)
        cf_json_int(out, "n", effect->u.probe.n);
    if (effect->kind == KP_EFFECT_HOOK)
        cf_json_int(out, "n", effect->u.hook.n);
    if (has_container(effect->kind))
        cf_json_text(out, "container", container_name(effect));
    if (has_cid(effect->kind))
        cf_json_text(out, "cid", effect->cid);
    if (effect->kind == KP_EFFECT_EVENT)
        put_event_members(out, effect);
    else if (has_container(effect->kind))
        put_of_container(out, effect);
    else
        put_of_pod(out, effect);
    cf_out_put_char(out, '}');
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The fields of each kind, one space around each; those with a question mark may be left out where
 * they are empty. */
static const char *const members[CF_EFFECT_KINDS] = {
    [KP_EFFECT_PROBE] = " e n container cid type attempt ",
    [KP_EFFECT_RESULT] = " e container cid type value ",
    [KP_EFFECT_STARTED] = " e container value ",
    [KP_EFFECT_READY] = " e container value ",
    [KP_EFFECT_HOOK] = " e n container cid type ",
    [KP_EFFECT_KILL] = " e container cid grace message? reason? ",
    [KP_EFFECT_SANDBOX] = " e do attempt ",
    [KP_EFFECT_START] = " e container restart ",
    [KP_EFFECT_BACKOFF] = " e container delay ",
    [KP_EFFECT_EVENT] = " e container? type reason message? ",
    [KP_EFFECT_STATE] = " e container state last? restarts ",
    [KP_EFFECT_PHASE] = " e value ",
    [KP_EFFECT_CONDITION] = " e type status reason? message? ",
    [KP_EFFECT_APIDELETE] = " e ",
    [KP_EFFECT_SYNC] = " e cause? ",
};

/* The place of a name in such a list, or NULL. */
static const char *find_member(const char *names, struct kp_text name)
{
    const char *at = names;

    while ((at = strchr(at, ' ')) != NULL && at[1] != '\0') {
        at++;
        if (strncmp(at, name.bytes, name.len) == 0 && (at[name.len] == ' ' || at[name.len] == '?'))
            return at;
    }
    return NULL;
}

/* Every member is known, every one without a question mark is there, none is there twice. */
static bool check_members(struct cf_reader *reader, const struct cf_node *node, const char *fields,
                          const char *kind, bool names_pod)
{
    char names[80];
    size_t missing = 0;

    snprintf(names, sizeof names, "%s%s", names_pod ? " pod" : "", fields);

    for (const char *c = names; c[1]; c++)
        missing += *c == ' ';
    for (const char *c = names; *c; c++)
        missing -= *c == '?';
    for (const struct cf_node *member = node->first; member; member = member->next) {
        const char *at = member->key.len > 0 ? find_member(names, member->key) : NULL;

        if (at == NULL)
            return cf_reader_fail(reader, "effect `%s` has no field \"%.*s\"", kind,
                                  (int)member->key.len, member->key.bytes);
        if (member->duplicate || member->kind == CF_NULL)
            return cf_reader_fail(reader, "`%.*s` is %s", (int)member->key.len, member->key.bytes,
                                  member->duplicate ? "there twice" : "null");
        missing -= at[member->key.len] == ' ';
    }
    return missing == 0 ||
           cf_reader_fail(reader, "effect `%s` lacks one of its fields:%s", kind, names);
}

static bool read_named_container(struct cf_reader *reader, const struct cf_node *node,
                                 const struct kp_pod *pod, struct kp_effect *effect)
{
    struct kp_text name = KP_TEXT_NONE;

    effect->container = -1;
    if (!cf_member_text(reader, node, "container", &name))
        return false;
    if (name.len == 0 && effect->kind == KP_EFFECT_EVENT)
        return true;
    effect->container = kp_pod_find_container(pod, name);
    return effect->container >= 0 ||
           cf_reader_fail(reader, "the pod has no container \"%.*s\"", (int)name.len, name.bytes);
}

static bool read_message(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_message *message)
{
    struct kp_text text = KP_TEXT_NONE;

    if (!cf_member_text(reader, node, "message", &text))
        return false;
    *message = (struct kp_message){.count = 1};
    message->parts[0] = (struct kp_part){.kind = KP_PART_TEXT, .text = text};
    return true;
}

static bool read_n(struct cf_reader *reader, const struct cf_node *node, uint32_t *n)
{
    int64_t number = -1;

    if (!cf_member_int(reader, node, "n", 0, UINT32_MAX, &number))
        return false;
    *n = (uint32_t)number;
    return true;
}

static bool read_probe(struct cf_reader *reader, const struct cf_node *node,
                       struct kp_effect *effect)
{
    int64_t attempt = 0;
    int type = 0;

    if (!read_n(reader, node, &effect->u.probe.n) ||
        !cf_member_word(reader, node, "type", cf_probe_type_find, true, &type) ||
        !cf_member_int(reader, node, "attempt", 1, 3, &attempt))
        return false;
    effect->u.probe.type = (enum kp_probe_type)type;
    effect->u.probe.attempt = (int)attempt;
    return true;
}

static bool read_result(struct cf_reader *reader, const struct cf_node *node,
                        struct kp_effect *effect)
{
    int type = 0;
    int value = 0;

    if (!cf_member_word(reader, node, "type", cf_probe_type_find, true, &type) ||
        !cf_member_word(reader, node, "value", cf_result_find, true, &value))
        return false;
    effect->u.result.type = (enum kp_probe_type)type;
    effect->u.result.value = (enum kp_result)value;
    return true;
}

static bool read_hook(struct cf_reader *reader, const struct cf_node *node,
                      struct kp_effect *effect)
{
    int type = 0;

    if (!read_n(reader, node, &effect->u.hook.n) ||
        !cf_member_word(reader, node, "type", cf_hook_find, true, &type))
        return false;
    effect->u.hook.type = (enum kp_hook_type)type;
    return true;
}

static bool read_kill(struct cf_reader *reader, const struct cf_node *node,
                      struct kp_effect *effect)
{
    int reason = 0;

    if (!cf_member_int(reader, node, "grace", INT64_MIN, INT64_MAX, &effect->u.kill.grace_s) ||
        !read_message(reader, node, &effect->u.kill.message) ||
        !cf_member_word(reader, node, "reason", cf_kill_reason_find, true, &reason))
        return false;
    effect->u.kill.reason = (enum kp_kill_reason)reason;
    return true;
}

static bool read_sandbox(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_effect *effect)
{
    int64_t attempt = 0;
    int what = 0;

    if (!cf_member_word(reader, node, "do", cf_sandbox_find, true, &what) ||
        !cf_member_int(reader, node, "attempt", 0, UINT32_MAX, &attempt))
        return false;
    effect->u.sandbox.what = (enum kp_sandbox_do)what;
    effect->u.sandbox.attempt = (uint32_t)attempt;
    return true;
}

static bool read_event(struct cf_reader *reader, const struct cf_node *node,
                       struct kp_effect *effect)
{
    int type = 0;

    if (!cf_member_word(reader, node, "type", cf_event_type_find, true, &type) ||
        !cf_member_text(reader, node, "reason", &effect->u.event.reason))
        return false;
    effect->u.event.type = (enum kp_event_type)type;
    return read_message(reader, node, &effect->u.event.message);
}

/* Text up to a separator; *rest is what follows it, or empty. */
static struct kp_text cut(struct kp_text text, const char *separator, struct kp_text *rest)
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
    struct kp_text kind = cut(text, ":", &rest);
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
        state->reason = cut(rest, ": ", &state->message);
        return true;
    }
    if (!kp_text_equal(kind, KP_TEXT("terminated")))
        return false;
    state->kind = KP_STATE_TERMINATED;
    state->reason = cut(rest, ":", &code);
    return read_exit_code(cut(code, ": ", &state->message), &state->exit_code);
}

static bool read_one_state(struct cf_reader *reader, const struct cf_node *node, const char *name,
                           const struct kp_state **out)
{
    struct kp_state *state = cf_arena_alloc(reader->arena, sizeof *state);
    struct kp_text text = KP_TEXT_NONE;

    if (state == NULL || !cf_member_text(reader, node, name, &text))
        return false;
    *out = state;
    return cf_read_state(text, state) ||
           cf_reader_fail(reader, "`%s` is no state: \"%.*s\"", name, (int)text.len, text.bytes);
}

static bool read_state(struct cf_reader *reader, const struct cf_node *node,
                       struct kp_effect *effect)
{
    return read_one_state(reader, node, "state", &effect->u.state.state) &&
           read_one_state(reader, node, "last", &effect->u.state.last) &&
           cf_member_int(reader, node, "restarts", 0, INT32_MAX, &effect->u.state.restarts);
}

static bool read_phase(struct cf_reader *reader, const struct cf_node *node,
                       struct kp_effect *effect)
{
    int phase = 0;

    if (!cf_member_word(reader, node, "value", cf_phase_find, true, &phase))
        return false;
    effect->u.phase = (enum kp_phase)phase;
    return true;
}

static bool read_condition(struct cf_reader *reader, const struct cf_node *node,
                           struct kp_effect *effect)
{
    struct kp_condition *condition = cf_arena_alloc(reader->arena, sizeof *condition);
    int status = 0;

    if (condition == NULL || !cf_member_text(reader, node, "type", &condition->type) ||
        !cf_member_word(reader, node, "status", cf_condition_find, true, &status) ||
        !cf_member_text(reader, node, "reason", &condition->reason) ||
        !cf_member_text(reader, node, "message", &condition->message))
        return false;
    condition->status = (enum kp_condition_status)status;
    effect->u.condition = condition;
    return true;
}

static bool read_backoff(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_effect *effect)
{
    return cf_member_ms(reader, node, "delay", &effect->u.delay_ns);
}

static bool read_members(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        return read_probe(reader, node, effect);
    case KP_EFFECT_RESULT:
        return read_result(reader, node, effect);
    case KP_EFFECT_STARTED:
    case KP_EFFECT_READY:
        return cf_member_bool(reader, node, "value", &effect->u.value);
    case KP_EFFECT_HOOK:
        return read_hook(reader, node, effect);
    case KP_EFFECT_KILL:
        return read_kill(reader, node, effect);
    case KP_EFFECT_SANDBOX:
        return read_sandbox(reader, node, effect);
    case KP_EFFECT_START:
        return cf_member_int(reader, node, "restart", 0, INT32_MAX, &effect->u.restart);
    case KP_EFFECT_BACKOFF:
        return read_backoff(reader, node, effect);
    case KP_EFFECT_EVENT:
        return read_event(reader, node, effect);
    case KP_EFFECT_STATE:
        return read_state(reader, node, effect);
    case KP_EFFECT_PHASE:
        return read_phase(reader, node, effect);
    case KP_EFFECT_CONDITION:
        return read_condition(reader, node, effect);
    case KP_EFFECT_SYNC:
        return cf_member_text(reader, node, "cause", &effect->u.cause);
    case KP_EFFECT_APIDELETE:
        return true;
    }
    return true;
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

bool cf_read_effect(struct cf_reader *reader, const struct cf_node *node,
                    const struct cf_wire_pods *pods, struct kp_effect *effect)
{
    int kind = 0;

    *effect = (struct kp_effect){.container = -1};
    if (node->kind != CF_MAP)
        return cf_reader_fail(reader, "an effect must be an object");
    if (!cf_member_word(reader, node, "e", cf_effect_find, true, &kind))
        return false;
    effect->kind = (enum kp_effect_kind)kind;
    if (!check_members(reader, node, members[kind], cf_effect_word(effect->kind),
                       pods->count > 1) ||
        !cf_read_pod_name(reader, node, pods, &effect->pod))
        return false;
    effect->spec = pods->list[effect->pod];
    if (has_container(effect->kind) && !read_named_container(reader, node, effect->spec, effect))
        return false;
    if (has_cid(effect->kind) && !cf_member_text(reader, node, "cid", &effect->cid))
        return false;
    return read_members(reader, node, effect);
}
