/*
 * standing.h: how firmly what a case shows is promised: which cases are for implementations that
 * are no kubelet, and the contract as a document.
 *
 * The contract is the folder contract/ of the table: a topic is a chapter, a family of cases a
 * sentence.  Its cases speak in windows, and show nothing but rules of that standing.
 */
#pragma once

#include "conformance/table/case.h"
#include "conformance/text/out.h"

/* Does it stand in the contract, and speak in windows? */
bool cf_case_in_contract(const struct cf_case *item);
/*
 * The weakest standing of what a case shows: of its rules, of the bugs that name it, and
 * KP_STANDING_KUBELET at the firmest where it does not stand in the contract, since it gives exact
 * instants.
 */
enum kp_standing cf_case_standing(const struct cf_case *item);
bool cf_tier_has(enum cf_tier tier, const struct cf_case *item);

/*
 * The contract as people read it: chapters, numbered sentences, each with its rules, what says so
 * and its cases.
 *
 * Returns:  how many cases it has; 0: this table has no contract.
 */
size_t cf_put_contract(struct cf_out *out, const struct cf_suite *suite);

/*
 * What the contract lacks, a line each: a rule that is documented and shown by none of its cases, a
 * case of it that shows another rule.
 *
 * Returns:  how many lines.
 */
size_t cf_contract_put_holes(struct cf_out *out, const struct cf_suite *suite);
