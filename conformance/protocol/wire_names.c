/* wire_names.c: the words of the protocol, one list each, for both directions. */
#include "conformance/protocol/wire.h"

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

static const char *const fire_parts[] = {
    [CF_FIRE_REQUEST] = "request",
    [CF_FIRE_TEXT] = "text",
};
WORDS(fire_part, fire_parts, 0)

static const char *const events[] = {
#define EVENT(kind, word, fields) [KP_EVENT_##kind] = word,
#include "conformance/protocol/events.def"
#undef EVENT
};
WORDS(event, events, 0)

static const char *const results[] = {"unknown", "success", "failure"};
WORDS(result, results, KP_RESULT_UNKNOWN)

#define FEATURE(name)                                                                              \
    {                                                                                              \
        name, sizeof name - 1                                                                      \
    }

struct kp_text_list cf_features(void)
{
    static const struct kp_text names[] = {
        FEATURE("any-state"),  FEATURE("broken"),      FEATURE("clock"),    FEATURE("exec"),
        FEATURE("gates"),      FEATURE("go-release"),  FEATURE("grpc"),     FEATURE("h2"),
        FEATURE("hook-ports"), FEATURE("http"),        FEATURE("jitter"),   FEATURE("manager"),
        FEATURE("nostatus"),   FEATURE("odd-heads"),   FEATURE("own-grid"), FEATURE("phase"),
        FEATURE("podpreset"),  FEATURE("pods"),        FEATURE("restart"),  FEATURE("sidecars"),
        FEATURE("tcp"),        FEATURE("termination"), FEATURE("tls"),      FEATURE("unknown"),
        FEATURE("update"),     FEATURE("warning"),
    };

    return (struct kp_text_list){names, sizeof names / sizeof *names};
}

struct kp_text_list cf_lackable(void)
{
    static const struct kp_text names[] = {
        FEATURE("containers"),        FEATURE("errors"),    FEATURE("initial-delay"),
        FEATURE("liveness"),          FEATURE("readiness"), FEATURE("startup"),
        FEATURE("success-threshold"), FEATURE("timeouts"),  FEATURE("triggers"),
    };

    return (struct kp_text_list){names, sizeof names / sizeof *names};
}

#undef FEATURE

bool cf_listed(const struct kp_text_list *list, struct kp_text text)
{
    for (size_t i = 0; i < list->count; i++)
        if (kp_text_equal(list->items[i], text))
            return true;
    return false;
}
