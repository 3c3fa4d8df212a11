/*
 * export.h: `probetest export`: the table and the rules for other people's programs, as JSON that
 * conformance/schema describes, and the rules as a page.
 */
#pragma once

#include "conformance/table/index.h"
#include "conformance/text/out.h"

/*
 * A case as one line (export.case.json): families and defaults merged in, pods completed, traces as
 * lists of effects with their instants.
 *
 * arena:    for what is needed meanwhile.
 */
void cf_export_case(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item);
/* All rules, known bugs and tests of upstream's (cf_upstream_rows), each with its cases
 * (export.rules.json). */
void cf_export_rules(struct cf_out *out, const struct cf_suite *suite,
                     const struct cf_upstream_row *upstream);
/* The same rules as Markdown: a table a letter. */
void cf_export_rules_markdown(struct cf_out *out, const struct cf_suite *suite);
