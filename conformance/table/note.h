/*
 * note.h: an effect as a line of words, the way a case's trace writes it:
 * `web/1 kill 30s liveness "Container web failed liveness probe, will be restarted"`.
 *
 * The forms, one for each kind, are in note.c; conformance/cases/README.md lists them.
 */
#pragma once

#include "conformance/table/case.h"

/* Something that happened. */
struct cf_note {
    int64_t at_ns;
    enum kp_effect_kind kind;
    enum kp_rule rule;
    uint32_t pod;
    struct cf_word words[10]; /* [0]: of whom */
    size_t word_count;
    struct kp_text key; /* of a value that replaces an earlier one: what it is a value of */
};

/*
 * Word an effect.  Its texts are copied into the arena.
 *
 * many:     the case has several pods: their names stand before whom an effect is about.
 */
void cf_note_init(struct cf_note *note, struct cf_arena *arena, const struct kp_effect *effect,
                  bool many);

/* Put words out as a line, without a time; quoted ones as Go quotes. */
void cf_words_put(struct kp_buf *buf, const struct cf_word *words, size_t count);
/* "10s", "0.5s": as a trace begins its lines. */
void cf_time_put(struct kp_buf *buf, int64_t at_ns);

/* The index of the word that distinguishes sorts of a kind (probe: its type); 0: nothing does. */
size_t cf_note_sort_at(enum kp_effect_kind kind);

/* The words of a trace line, behind its time, as the same kind of words that notes have.  false:
 * `wanted` (static) says how such a line reads. */
bool cf_note_check(struct cf_word *words, size_t *count, enum kp_effect_kind *kind,
                   const char **wanted);

/*
 * Does what happened fit what was wanted?  Word by word; quoted words that were not asked for are
 * not looked at, nor is a condition's reason.
 */
bool cf_note_fits(const struct cf_note *note, enum kp_effect_kind kind, const struct cf_word *words,
                  size_t count);
/* The same whatever the quoted words are; a condition's reason may be missing. */
bool cf_note_fits_in_any_words(const struct cf_note *note, enum kp_effect_kind kind,
                               const struct cf_word *words, size_t count);

/* The whole message, in the arena; empty without memory (arena->failed). */
struct kp_text cf_message_text(struct cf_arena *arena, const struct kp_message *message);
