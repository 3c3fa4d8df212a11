/* wire_names.c: the words of the protocol, one list each, for both directions. */
#include "conformance/protocol/wire.h"

#include <stdio.h>

const char *cf_word_of(const struct cf_words *words, int value)
{
    return words->list[value - words->first];
}

int cf_find_word(const struct cf_words *words, struct kp_text word)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->list[i] && kp_text_equal(kp_text_of(words->list[i]), word))
            return (int)i + words->first;
    return CF_NO_WORD;
}

#define WORDS(name, list, first)                                                                   \
    const struct cf_words cf_##name##_words = {list, sizeof list / sizeof *list, first};

static const char *const layers[] = {
    [CF_LAYER_PORT] = "port",     [CF_LAYER_CHECK] = "check",     [CF_LAYER_PROBE] = "probe",
    [CF_LAYER_POD] = "pod",       [CF_LAYER_ACTIONS] = "actions", [CF_LAYER_FIRE] = "fire",
    [CF_LAYER_EVENTS] = "events", [CF_LAYER_KUBECTL] = "kubectl",
};
WORDS(layer, layers, 0)

const char *cf_layer_name(enum cf_layer layer)
{
    return layers[layer];
}

static const char *const tiers[] = {"exact", "kubelet", "contract"};
WORDS(tier, tiers, 0)

const char *cf_tier_name(enum cf_tier tier)
{
    return tiers[tier];
}

static const char *const verdicts[] = {
#define VERDICT(name, word, conforms, sentence) word,
#include "conformance/protocol/verdict.def"
#undef VERDICT
};
WORDS(verdict, verdicts, 0)

static const char *const probe_types[] = {
    [KP_LIVENESS] = "liveness",
    [KP_READINESS] = "readiness",
    [KP_STARTUP] = "startup",
};
WORDS(probe_type, probe_types, 0)

static const char *const answers[] = {
    [KP_ANSWER_SUCCESS] = "success", [KP_ANSWER_FAILURE] = "failure",
    [KP_ANSWER_WARNING] = "warning", [KP_ANSWER_UNKNOWN] = "unknown",
    [KP_ANSWER_ERROR] = "error",     [KP_ANSWER_TIMEOUT] = "timeout",
    [KP_ANSWER_BROKEN] = "broken",
};
WORDS(answer, answers, 0)

static const char *const hooks[] = {[KP_PRE_STOP] = "preStop", [KP_POST_START] = "postStart"};
WORDS(hook, hooks, 0)

static const char *const kill_reasons[] = {
    [KP_KILL_NO_REASON] = "", [KP_KILL_LIVENESS] = "liveness", [KP_KILL_STARTUP] = "startup",
    [KP_KILL_SPEC] = "spec",  [KP_KILL_UNKNOWN] = "unknown",
};
WORDS(kill_reason, kill_reasons, 0)

static const char *const sandbox_verbs[] = {
    [KP_SANDBOX_CREATE] = "create",
    [KP_SANDBOX_STOP] = "stop",
};
WORDS(sandbox, sandbox_verbs, 0)

static const char *const phases[] = {
    [KP_PHASE_NONE] = "",         [KP_PENDING] = "Pending", [KP_RUNNING] = "Running",
    [KP_SUCCEEDED] = "Succeeded", [KP_FAILED] = "Failed",   [KP_PHASE_UNKNOWN] = "Unknown",
};
WORDS(phase, phases, 0)

static const char *const condition_statuses[] = {
    [KP_CONDITION_TRUE] = "True",
    [KP_CONDITION_FALSE] = "False",
    [KP_CONDITION_UNKNOWN] = "Unknown",
};
WORDS(condition, condition_statuses, 0)

static const char *const event_types[] = {[KP_NORMAL] = "Normal", [KP_WARNING] = "Warning"};
WORDS(event_type, event_types, 0)

static const char *const effects[] = {
#define EFFECT(kind, word, fields) [KP_EFFECT_##kind] = word,
#include "conformance/protocol/effects.def"
#undef EFFECT
};
WORDS(effect, effects, 0)

/* Kinds of effects, and the parts of an attempt. */
static const char *const observable[] = {
#define EFFECT(kind, word, fields) [KP_EFFECT_##kind] = word,
#include "conformance/protocol/effects.def"
#undef EFFECT
    [CF_EFFECT_KINDS + CF_FIRE_REQUEST] = "request",
    [CF_EFFECT_KINDS + CF_FIRE_TEXT] = "text",
};
WORDS(observable, observable, 0)

static const char *const events[] = {
#define EVENT(kind, word, fields) [KP_EVENT_##kind] = word,
#include "conformance/protocol/events.def"
#undef EVENT
};
WORDS(event, events, 0)

static const char *const results[] = {"unknown", "success", "failure"};
WORDS(result, results, KP_RESULT_UNKNOWN)

static const char *const features[] = {
    "any-state",   "broken",     "clock",     "exec",   "gates",   "go-release", "grpc",
    "h2",          "hook-ports", "http",      "jitter", "manager", "nostatus",   "odd-heads",
    "own-grid",    "phase",      "podpreset", "pods",   "restart", "sidecars",   "tcp",
    "termination", "tls",        "unknown",   "update", "warning",
};
WORDS(feature, features, 0)

static const char *const lackable[] = {
    "containers",        "errors",   "initial-delay", "liveness", "readiness", "startup",
    "success-threshold", "timeouts", "triggers",
};
WORDS(lack, lackable, 0)

bool cf_listed(const struct kp_text_list *list, struct kp_text text)
{
    for (size_t i = 0; i < list->count; i++)
        if (kp_text_equal(list->items[i], text))
            return true;
    return false;
}

bool cf_version_listed(const struct kp_text_list *list, const struct kp_profile *version)
{
    char name[24];
    int len = snprintf(name, sizeof name, "1.%d", version->minor);
    bool minor = cf_listed(list, kp_text_of(name));

    snprintf(name + len, sizeof name - (size_t)len, ".%d", version->patch);
    return minor || cf_listed(list, kp_text_of(name));
}
