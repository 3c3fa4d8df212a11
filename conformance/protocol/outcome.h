/* outcome.h: what came of one case at one version: verdict, signature, timeline. */
#pragma once

#include "core/base/text.h"

enum cf_verdict {
#define VERDICT(name, word, conforms, sentence) CF_##name,
#include "conformance/protocol/verdict.def"
#undef VERDICT
    CF_VERDICTS
};

/* Static texts. */
const char *cf_verdict_word(enum cf_verdict verdict);
const char *cf_verdict_sentence(enum cf_verdict verdict);
bool cf_verdict_conforms(enum cf_verdict verdict);

/* One line of the timeline, wanted and got side by side; empty: nothing on that side. */
struct cf_moment {
    int64_t at_ms;
    struct kp_text wanted;
    struct kp_text got;
};

/* All text is in the arena of whoever made it. */
struct cf_outcome {
    enum cf_verdict verdict;
    /*
     * Of the first divergence: the same for the same misbehaviour, run after run, and without
     * anything that depends on the machine.  Empty for a pass.
     */
    struct kp_text signature;
    struct kp_text why; /* one sentence: of the first divergence, or why it was skipped */
    const struct cf_moment *moments;
    size_t moment_count;
    size_t first;       /* index of the first moment whose sides differ */
    struct kp_text log; /* the end of what the implementation said on stderr, where it broke */
};
