#include "conformance/protocol/outcome.h"

static const struct {
    const char *word;
    bool conforms;
    const char *sentence;
} rows[CF_VERDICTS] = {
#define VERDICT(name, word, conforms, sentence) {word, conforms, sentence},
#include "conformance/protocol/verdict.def"
#undef VERDICT
};

const char *cf_verdict_word(enum cf_verdict verdict)
{
    return rows[verdict].word;
}

const char *cf_verdict_sentence(enum cf_verdict verdict)
{
    return rows[verdict].sentence;
}

bool cf_verdict_conforms(enum cf_verdict verdict)
{
    return rows[verdict].conforms;
}
