#include "conformance/judge/declared.h"

struct cf_declared cf_declared_by_kubelet(uint32_t observes)
{
    return (struct cf_declared){.observes = observes,
                                .initial = {CF_NO_WORD, CF_NO_WORD, CF_NO_WORD}};
}

enum kp_result cf_declared_kubelets_first(enum kp_probe_type type)
{
    static const enum kp_result firsts[] = {[KP_LIVENESS] = KP_RESULT_SUCCESS,
                                            [KP_READINESS] = KP_RESULT_FAILURE,
                                            [KP_STARTUP] = KP_RESULT_UNKNOWN};

    return firsts[type];
}

/* `web/1 result liveness success`: its type, where a first value of that is declared. */
static int declared_type(const struct cf_declared *declared, const struct cf_word *words)
{
    int type = cf_find_word(&cf_probe_type_words, words[2].text);

    return type != CF_NO_WORD && declared->initial[type] != CF_NO_WORD ? type : CF_NO_WORD;
}

static bool same_owner(const struct cf_word *a, const struct cf_word *b)
{
    return kp_text_equal(a[0].text, b[0].text) && kp_text_equal(a[2].text, b[2].text);
}

bool cf_declared_is_first_note(const struct cf_declared *declared, const struct cf_note *notes,
                               size_t i)
{
    const struct cf_word *words = notes[i].words;
    int type = notes[i].kind == KP_EFFECT_RESULT ? declared_type(declared, words) : CF_NO_WORD;

    if (type == CF_NO_WORD)
        return false;
    for (size_t k = 0; k <= i; k++) {
        int value = notes[k].kind == KP_EFFECT_RESULT && same_owner(notes[k].words, words)
                        ? cf_find_word(&cf_result_words, notes[k].words[3].text)
                        : declared->initial[type];

        if (value != declared->initial[type] &&
            value != (int)cf_declared_kubelets_first((enum kp_probe_type)type))
            return false;
    }
    return true;
}

bool cf_declared_is_first_want(const struct cf_declared *declared, const struct cf_trace *trace,
                               size_t i)
{
    const struct cf_want *want = &trace->wants[i];

    if (want->kind != KP_EFFECT_RESULT || declared_type(declared, want->words) == CF_NO_WORD)
        return false;
    for (size_t k = 0; k < i; k++)
        if (trace->wants[k].kind == KP_EFFECT_RESULT &&
            same_owner(trace->wants[k].words, want->words))
            return false;
    return true;
}
