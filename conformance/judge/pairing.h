/*
 * pairing.h: which effect that was emitted is which of those that are wanted.
 */
#pragma once

#include "conformance/judge/declared.h"

/* One alternative against the notes.  All is borrowed but the two lists of partners. */
struct cf_pairing {
    const struct cf_case *item;
    const struct cf_trace *trace;
    const struct cf_declared *declared;
    const struct cf_note *notes;
    size_t note_count;
    const struct cf_note **of_want; /* the note that each want got, or NULL */
    size_t *of_note;                /* index of the want that each note met, or SIZE_MAX */
};

/*
 * Give each note the most exact want that fits and is still open.  In real time, where windows
 * are widened by the noise that is declared and overlap, no want that must be misses a note for one
 * that may be.
 *
 * arena:    of both lists of partners.
 * Returns:  false: out of memory.
 */
bool cf_pair(struct cf_pairing *p, struct cf_arena *arena);
