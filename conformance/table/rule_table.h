/*
 * rule_table.h: each rule with the cases that show it, its places in the project's code and the
 * versions at which it changes; and what of that is missing.
 *
 * A border is a version from which on a rule says something else than before: where it begins,
 * where it has ended, and in between each boundary of a switch of profile.def that names it and the
 * version from which on a gate of gates.def that names it is on.  On both sides of a border there
 * must be a case of the rule: one that begins with it, and one that ends with the version before.
 */
#pragma once

#include "conformance/table/case.h"
#include "conformance/text/out.h"

/* Where a rule stands in the code; places.awk finds them. */
struct cf_rule_place {
    enum kp_rule rule;
    const char *file; /* core/prober/worker.c */
    int line;
    const char *name; /* of the function, table or macro; "" where there is none */
};

enum { CF_BORDERS_MAX = 32 };

/* A rule as people type it: "P-046", "p-046", "BELOW_THRESHOLD", "KP_RULE_BELOW_THRESHOLD";
 * KP_RULE_NONE: there is none such. */
enum kp_rule cf_rule_typed(const char *word);
/* The next place of a rule behind `last`, the first one for NULL; NULL: there is none. */
const struct cf_rule_place *cf_rule_place_next(enum kp_rule rule, const struct cf_rule_place *last);
/* The next case that shows a rule, likewise. */
const struct cf_case *cf_rule_case_next(const struct cf_suite *suite, enum kp_rule rule,
                                        const struct cf_case *last);
/*
 * The first versions (minor * 1000 + patch) on the far side of each border, ascending.
 *
 * Returns:  how many.
 */
size_t cf_rule_borders(enum kp_rule rule, int borders[CF_BORDERS_MAX]);
/*
 * What a rule lacks, a line each: a case, a place in the code, a case at either side of a border,
 * the reason why no trace can show it.
 *
 * Returns:  how many lines.
 */
size_t cf_rule_put_holes(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule);
