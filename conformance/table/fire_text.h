/*
 * fire_text.h: texts of layer fire: placeholders filled in, what differs from run to run taken out
 * again, and the kinds of Go's own words.
 *
 *     ${PORT} ${OTHER}   the servers' ports           ${DIR}      the case's empty folder
 *     ${TIMEOUT}         as Go prints it: 300ms       ${VERSION}  1.36
 *     ${TEXT*N}          TEXT N times
 */
#pragma once

#include "conformance/protocol/wire.h"

/* What the placeholders stand for in one play. */
struct cf_fire_names {
    uint16_t ports[2]; /* 0: there is no such server */
    struct kp_text dir;
    struct kp_text timeout;
    struct kp_text version;
};

/* Fill in the placeholders. An unknown one stays. names: NULL: only ${TEXT*N} is one. */
struct kp_text cf_fire_expand(struct cf_arena *arena, const struct cf_fire_names *names,
                              struct kp_text text);
/* The other way: ports, folder and control characters as they may stand in a report; long texts
 * cut.
 */
struct kp_text cf_fire_display(struct cf_arena *arena, const struct cf_fire_names *names,
                               struct kp_text text);

enum cf_fire_class {
#define CLASS(name, word, what) CF_CLASS_##name,
#define WORDS(name, words)
#include "conformance/table/fire_classes.def"
#undef CLASS
#undef WORDS
    CF_FIRE_CLASSES
};

extern const struct cf_words cf_fire_class_words;
/* The class of Go's own words, -1: of none. */
int cf_fire_class_of(struct kp_text text);

/*
 * Does a text say what is wanted?
 *
 * wanted:   filled in; may end in <CLASS> or <CLASS|CLASS>, which stands for any words of those,
 *           or in <any>.
 * said:     the class that the implementation says its text is of, or -1.
 */
bool cf_fire_fits(struct kp_text wanted, struct kp_text got, int said);
/* The same for a line of a request; a * at the end of `wanted` stands for any rest. */
bool cf_fire_line_fits(struct kp_text wanted, struct kp_text got);
/* The same; of a header the name may be in other letters, capital or small (RFC 9110, 5.1). */
bool cf_fire_header_fits(struct kp_text wanted, struct kp_text got);
