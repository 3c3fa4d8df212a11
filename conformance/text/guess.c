#include "conformance/text/guess.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 63 };

/* How many letters have to be added, left out or exchanged (Levenshtein). */
static size_t distance(struct kp_text a, const char *b)
{
    size_t row[WORD_MAX + 1];
    size_t width = strlen(b);

    if (a.len > WORD_MAX || width > WORD_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t best = diagonal + (a.bytes[i - 1] != b[j - 1]);

            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[width];
}

struct cf_guess cf_guess_begin(struct kp_text typed)
{
    return (struct cf_guess){.typed = typed, .nearest = typed.len / 2 < 3 ? typed.len / 2 : 3};
}

void cf_guess_try(struct cf_guess *guess, const char *name)
{
    size_t far = distance(guess->typed, name);

    if (far < guess->nearest) {
        guess->nearest = far;
        guess->meant = name;
    }
}
