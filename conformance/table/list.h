/* list.h: `probetest list`, `show` and `explain`: the table as a reference that people read. */
#pragma once

#include "conformance/table/case.h"
#include "conformance/table/word_search.h"
#include "conformance/text/out.h"

/*
 * A case as a person reads it: its sentence, what it shows, and the whole of it with the file's
 * defaults and the family's keys merged in.
 */
void cf_put_case(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item);
/* A rule: its sentence, versions, place, issues, how many cases, and one of them. */
void cf_put_rule(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule);
/*
 * What a word means and the rules that speak of it, in some 25 lines of 80 columns.
 *
 * word:   NULL: no row has it.
 * rules:  so many, the best first; 0: of a word that no rule speaks of.
 */
void cf_put_word(struct cf_out *out, const struct cf_suite *suite, const struct cf_word_row *word,
                 const enum kp_rule *rules, size_t count);
