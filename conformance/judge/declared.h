/*
 * declared.h: what an implementation declares in its hello, and what a judgement allows it for that
 * (protocol.md 3.2).
 */
#pragma once

#include "conformance/protocol/wire.h"
#include "conformance/table/note.h"

/* All kinds of effects, as bits: what an implementation reports. */
#define CF_OBSERVES_ALL ((1u << (KP_EFFECT_SYNC + 1)) - 1)

struct cf_declared {
    uint32_t observes;           /* the kinds of effects that it reports; others are left out */
    int initial[KP_PROBE_TYPES]; /* first results that it declares; CF_NO_WORD: the kubelet's */
    int64_t noise_ns;            /* windows are so much wider, on either side */
    bool any_wording;            /* below tier exact: texts are not looked at */
};

/* That of the kubelet, reporting these kinds. */
struct cf_declared cf_declared_by_kubelet(uint32_t observes);
/* A new instance's result in the kubelet (P-012). */
enum kp_result cf_declared_kubelets_first(enum kp_probe_type type);
/*
 * Is the note a result of a type for which a first value is declared, of an instance that has
 * reported nothing yet but first values, the kubelet's or its own?
 */
bool cf_declared_is_first_note(const struct cf_declared *declared, const struct cf_note *notes,
                               size_t i);
/* Is it the first result of an instance, the kubelet's own, where another is declared? */
bool cf_declared_is_first_want(const struct cf_declared *declared, const struct cf_trace *trace,
                               size_t i);
