#include "fakes/effect_log.h"

#include <assert.h>
#include <stdio.h>

static const char *type_name(enum kp_probe_type type)
{
    static const char *const names[] = {"liveness", "readiness", "startup"};

    return names[type];
}

static const char *result_name(enum kp_result value)
{
    if (value == KP_RESULT_UNKNOWN)
        return "unknown";
    return value == KP_RESULT_SUCCESS ? "success" : "failure";
}

static int put_event(char *at, size_t room, struct kp_text name, const struct kp_effect *effect)
{
    char words[2048];
    struct kp_buf buf = {.bytes = words, .cap = sizeof words};

    kp_message_put(&buf, &effect->u.event.message);
    return snprintf(at, room, "event %.*s %.*s %.*s", KP_ARG(name), KP_ARG(effect->u.event.reason),
                    (int)kp_buf_text(&buf).len, words);
}

static int put_effect(char *at, size_t room, const struct kp_effect *effect)
{
    struct kp_text name =
        effect->container < 0 ? KP_TEXT("pod") : effect->spec->containers[effect->container].name;
    int len = (int)name.len;
    int cid_len = (int)effect->cid.len;

    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        return snprintf(at, room, "probe %.*s/%s %.*s %d", len, name.bytes,
                        type_name(effect->u.probe.type), cid_len, effect->cid.bytes,
                        effect->u.probe.attempt);
    case KP_EFFECT_RESULT:
        return snprintf(at, room, "result %.*s/%s %.*s %s", len, name.bytes,
                        type_name(effect->u.result.type), cid_len, effect->cid.bytes,
                        result_name(effect->u.result.value));
    case KP_EFFECT_STARTED:
    case KP_EFFECT_READY:
        return snprintf(at, room, "%s %.*s %s",
                        effect->kind == KP_EFFECT_READY ? "ready" : "started", len, name.bytes,
                        effect->u.value ? "true" : "false");
    case KP_EFFECT_EVENT:
        return put_event(at, room, name, effect);
    default:
        return snprintf(at, room, "effect %d", (int)effect->kind);
    }
}

static void append(void *ctx, const struct kp_effect *effect)
{
    struct fake_effect_log *log = ctx;

    if (effect->kind == KP_EFFECT_PROBE)
        log->last_n = effect->u.probe.n;
    log->count++;
    log->len += (size_t)put_effect(log->text + log->len, sizeof log->text - log->len, effect);
    assert(log->len + 16 < sizeof log->text);
    log->len += (size_t)snprintf(log->text + log->len, sizeof log->text - log->len, " %s\n",
                                 kp_rule_get(effect->rule)->id);
}

struct kp_sink fake_effect_log_sink(struct fake_effect_log *log)
{
    return (struct kp_sink){append, log};
}

struct kp_text fake_effect_log_take(struct fake_effect_log *log)
{
    struct kp_text taken = {log->text, log->len > 0 ? log->len - 1 : 0};

    log->len = 0;
    return taken;
}
