#include "conformance/judge/pairing.h"

#include <string.h>

/* A narrower window, or more words where it is as wide. */
static bool is_more_exact(const struct cf_want *want, const struct cf_want *than)
{
    int64_t window_ns = want->until_ns - want->at_ns;
    int64_t than_ns = than->until_ns - than->at_ns;

    return window_ns != than_ns ? window_ns < than_ns : want->word_count > than->word_count;
}

static bool fits(const struct cf_pairing *p, const struct cf_want *want, const struct cf_note *note)
{
    int64_t noise_ns = p->declared->noise_ns;

    return want->at_ns - noise_ns <= note->at_ns && note->at_ns <= want->until_ns + noise_ns &&
           (p->declared->any_wording ? cf_note_fits_in_any_words : cf_note_fits)(
               note, want->kind, want->words, want->word_count);
}

/* The most exact want that fits and is still open; the first of several. */
static size_t find_want(const struct cf_pairing *p, const struct cf_note *note)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < p->trace->want_count; i++) {
        const struct cf_want *want = &p->trace->wants[i];
        const struct cf_want *than = best == SIZE_MAX ? NULL : &p->trace->wants[best];

        if (want->at_ns - p->declared->noise_ns > note->at_ns)
            break;
        if (p->of_want[i] || !fits(p, want, note))
            continue;
        if (!than || is_more_exact(want, than))
            best = i;
    }
    return best;
}

static void pair(struct cf_pairing *p, size_t want, size_t note)
{
    p->of_want[want] = &p->notes[note];
    p->of_note[note] = want;
}

static bool find_note_for(struct cf_pairing *p, size_t want, bool *tried);

/* Leave a note to another want: what may be needs none. */
static bool gives_up(struct cf_pairing *p, size_t want, bool *tried)
{
    if (p->trace->wants[want].optional)
        p->of_want[want] = NULL;
    return p->trace->wants[want].optional || find_note_for(p, want, tried);
}

/* A note for that want, if need be another's whose want finds a new one.  tried: notes. */
static bool find_note_for(struct cf_pairing *p, size_t want, bool *tried)
{
    for (size_t i = 0; i < p->note_count; i++) {
        if (tried[i] || !fits(p, &p->trace->wants[want], &p->notes[i]))
            continue;
        tried[i] = true;
        if (p->of_note[i] == SIZE_MAX || gives_up(p, p->of_note[i], tried)) {
            pair(p, want, i);
            return true;
        }
    }
    return false;
}

/* The same from the other side.  tried: wants. */
static bool find_want_for(struct cf_pairing *p, size_t note, bool *tried)
{
    for (size_t i = 0; i < p->trace->want_count; i++) {
        if (tried[i] || !fits(p, &p->trace->wants[i], &p->notes[note]))
            continue;
        tried[i] = true;
        if (!p->of_want[i] || find_want_for(p, (size_t)(p->of_want[i] - p->notes), tried)) {
            pair(p, i, note);
            return true;
        }
    }
    return false;
}

/*
 * Noise makes windows overlap that do not, and the most exact want may then be the wrong one: what
 * must be is paired before what may be, and each note that has a want keeps one (augmenting paths).
 */
static bool mend_pairs(struct cf_pairing *p, struct cf_arena *arena)
{
    size_t want_count = p->trace->want_count;
    bool *tried = cf_arena_array(arena, want_count + p->note_count + 1, sizeof *tried);

    if (!tried)
        return false;
    for (size_t i = 0; i < want_count; i++)
        if (!p->of_want[i] && !p->trace->wants[i].optional) {
            memset(tried, 0, p->note_count * sizeof *tried);
            find_note_for(p, i, tried);
        }
    for (size_t i = 0; i < p->note_count; i++)
        if (p->of_note[i] == SIZE_MAX) {
            memset(tried, 0, want_count * sizeof *tried);
            find_want_for(p, i, tried);
        }
    return true;
}

enum { MANY = 1000 }; /* notes: no case in real time wants so many */

bool cf_pair(struct cf_pairing *p, struct cf_arena *arena)
{
    p->of_want = cf_arena_array(arena, p->trace->want_count + 1, sizeof *p->of_want);
    p->of_note = cf_arena_array(arena, p->note_count + 1, sizeof *p->of_note);
    if (!p->of_want || !p->of_note)
        return false;
    for (size_t i = 0; i < p->note_count; i++) {
        size_t want = find_want(p, &p->notes[i]);

        p->of_note[i] = want;
        if (want != SIZE_MAX)
            p->of_want[want] = &p->notes[i];
    }
    return p->declared->noise_ns == 0 || p->note_count > MANY || mend_pairs(p, arena);
}
