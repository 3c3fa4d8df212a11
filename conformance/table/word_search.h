/*
 * word_search.h: rules and cases by the words that people have for them: a field of the API, a word
 * of kubectl, a sentence.
 */
#pragma once

#include "conformance/table/case.h"

enum { CF_FOUND_RULES_MAX = 12 };

/*
 * The rules that fit best, the best first: by the names that a field has in their sentences, and by
 * how many of the words stand in the sentence: more than half of them, and those that are in many
 * rules count little.
 *
 * words:    "initialDelaySeconds", "readiness during termination".
 * Returns:  how many, at most CF_FOUND_RULES_MAX; 0: no rule has any of the words.
 */
size_t cf_search_rules(const struct cf_suite *suite, struct kp_text words,
                       enum kp_rule rules[CF_FOUND_RULES_MAX]);

/* What people ask for by name: a field, a reason, an exit code (words.def). */
struct cf_word_row {
    const char *name;
    const char *words; /* how sentences call it; "": they do not */
    enum kp_rule best; /* that says most of it; KP_RULE_NONE: none does */
    const char *what;  /* what it is */
};

/* The first that is among the words; NULL: there is none. */
const struct cf_word_row *cf_word_find(struct kp_text words);

enum { CF_SAID_IN_DATA = 3 };

/*
 * Does a case say all of the words?
 *
 * Returns:  0 to 2: its sentence does, 0 the best; CF_SAID_IN_DATA: only what goes in or comes out
 *           does; -1: no.
 */
int cf_case_says(struct cf_arena *arena, const struct cf_case *item, struct kp_text words);
