/* wire_names.c: the words of the protocol, one list each, for both directions. */
#include "conformance/protocol/wire.h"

/* A word that a value has; the empty word is a word too. */
static int find(const char *const *words, size_t count, struct kp_text word)
{
    for (size_t i = 0; i < count; i++)
        if (words[i] && kp_text_equal(kp_text_of(words[i]), word))
            return (int)i;
    return CF_NO_WORD;
}

/* For each list: x_word(value) and x_find(word). */
#define WORDS(name, type, list)                                                                    \
    const char *cf_##name##_word(type value)                                                       \
    {                                                                                              \
        return list[value];                                                                        \
    }                                                                                              \
    int cf_##name##_find(struct kp_text word)                                                      \
    {                                                                                              \
        return find(list, sizeof list / sizeof list[0], word);                                     \
    }

static const char *const probe_types[] = {
    [KP_LIVENESS] = "liveness",
    [KP_READINESS] = "readiness",
    [KP_STARTUP] = "startup",
};
WORDS(probe_type, enum kp_probe_type, probe_types)

static const char *const answers[] = {
    [KP_ANSWER_SUCCESS] = "success", [KP_ANSWER_FAILURE] = "failure",
    [KP_ANSWER_WARNING] = "warning", [KP_ANSWER_UNKNOWN] = "unknown",
    [KP_ANSWER_ERROR] = "error",     [KP_ANSWER_TIMEOUT] = "timeout",
    [KP_ANSWER_BROKEN] = "broken",
};
WORDS(answer, enum kp_answer, answers)

static const char *const hooks[] = {[KP_PRE_STOP] = "preStop", [KP_POST_START] = "postStart"};
WORDS(hook, enum kp_hook_type, hooks)

static const char *const kill_reasons[] = {
    [KP_KILL_NO_REASON] = "", [KP_KILL_LIVENESS] = "liveness", [KP_KILL_STARTUP] = "startup",
    [KP_KILL_SPEC] = "spec",  [KP_KILL_UNKNOWN] = "unknown",
};
WORDS(kill_reason, enum kp_kill_reason, kill_reasons)

static const char *const sandbox_verbs[] = {
    [KP_SANDBOX_CREATE] = "create",
    [KP_SANDBOX_STOP] = "stop",
};
WORDS(sandbox, enum kp_sandbox_do, sandbox_verbs)

static const char *const phases[] = {
    [KP_PHASE_NONE] = "",         [KP_PENDING] = "Pending", [KP_RUNNING] = "Running",
    [KP_SUCCEEDED] = "Succeeded", [KP_FAILED] = "Failed",   [KP_PHASE_UNKNOWN] = "Unknown",
};
WORDS(phase, enum kp_phase, phases)

static const char *const condition_statuses[] = {
    [KP_CONDITION_TRUE] = "True",
    [KP_CONDITION_FALSE] = "False",
    [KP_CONDITION_UNKNOWN] = "Unknown",
};
WORDS(condition, enum kp_condition_status, condition_statuses)

static const char *const event_types[] = {[KP_NORMAL] = "Normal", [KP_WARNING] = "Warning"};
WORDS(event_type, enum kp_event_type, event_types)

static const char *const effects[] = {
    [KP_EFFECT_PROBE] = "probe",         [KP_EFFECT_RESULT] = "result",
    [KP_EFFECT_STARTED] = "started",     [KP_EFFECT_READY] = "ready",
    [KP_EFFECT_HOOK] = "hook",           [KP_EFFECT_KILL] = "kill",
    [KP_EFFECT_SANDBOX] = "sandbox",     [KP_EFFECT_START] = "start",
    [KP_EFFECT_BACKOFF] = "backoff",     [KP_EFFECT_EVENT] = "event",
    [KP_EFFECT_STATE] = "state",         [KP_EFFECT_PHASE] = "phase",
    [KP_EFFECT_CONDITION] = "condition", [KP_EFFECT_APIDELETE] = "apidelete",
    [KP_EFFECT_SYNC] = "sync",
};
WORDS(effect, enum kp_effect_kind, effects)

static const char *const fire_parts[] = {
    [CF_FIRE_REQUEST] = "request",
    [CF_FIRE_TEXT] = "text",
};
WORDS(fire_part, enum cf_fire_part, fire_parts)

static const char *const events[] = {
    [KP_EVENT_ANSWER] = "answer",
    [KP_EVENT_RUNNING] = "running",
    [KP_EVENT_EXITED] = "exited",
    [KP_EVENT_WAITING] = "waiting",
    [KP_EVENT_STARTFAIL] = "startfail",
    [KP_EVENT_KILLFAIL] = "killfail",
    [KP_EVENT_SANDBOX] = "sandbox",
    [KP_EVENT_SYNC] = "sync",
    [KP_EVENT_PHASE] = "phase",
    [KP_EVENT_NOSTATUS] = "nostatus",
    [KP_EVENT_DELETE] = "delete",
    [KP_EVENT_REMOVE] = "remove",
    [KP_EVENT_CLEANUP] = "cleanup",
    [KP_EVENT_UPDATE] = "update",
    [KP_EVENT_KUBELET_RESTART] = "kubelet-restart",
    [KP_EVENT_CLOCK] = "clock",
    [KP_EVENT_RUNTIME_DOWN] = "runtime-down",
    [KP_EVENT_RUNTIME_UP] = "runtime-up",
    [KP_EVENT_STOP] = "stop",
    [KP_EVENT_ADDPOD] = "addpod",
};
WORDS(event, enum kp_event_kind, events)

const char *cf_result_word(enum kp_result result)
{
    return result == KP_RESULT_UNKNOWN ? "unknown" : answers[result];
}

int cf_result_find(struct kp_text word)
{
    int found = find(answers, KP_ANSWER_WARNING, word);

    return kp_text_equal(word, KP_TEXT("unknown")) ? KP_RESULT_UNKNOWN : found;
}

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
