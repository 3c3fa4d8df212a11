/* guess.h: what a misspelt word was meant to be, of the names that there are. */
#pragma once

#include "core/base/text.h"

/* The name that the fewest letters make of a word. */
struct cf_guess {
    struct kp_text typed;
    size_t nearest;    /* a name has to be nearer than that */
    const char *meant; /* NULL: none is that near */
};

/* Begin: a letter of three may be added, left out or exchanged, two at most. */
struct cf_guess cf_guess_begin(struct kp_text typed);
/* One of the names; borrowed. */
void cf_guess_try(struct cf_guess *guess, const char *name);
