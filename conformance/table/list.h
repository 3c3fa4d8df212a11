/* list.h: `probetest list`, `show` and `explain`: the table as a reference that people read. */
#ifndef CF_LIST_H
#define CF_LIST_H

#include "conformance/table/case.h"
#include "conformance/text/out.h"

int cf_list_command(int argc, char **argv);
int cf_show_command(int argc, char **argv);
int cf_explain_command(int argc, char **argv);

/* 36002 is 1.36.2; a patch of 0 at the beginning and of 999 at the end go without saying. */
void cf_put_version(struct cf_out *out, int version, bool end);
/*
 * The versions that a case is about: "1.22 to 1.31", "from 1.32", "to 1.20", "all"; with holes:
 * "from 1.22.11, not 1.23 to 1.23.7".
 */
void cf_put_versions(struct cf_out *out, const struct cf_case *item);
/*
 * A case as a person reads it: its sentence, what it shows, and the whole of it with the file's
 * defaults and the family's keys merged in.
 */
void cf_put_case(struct cf_out *out, struct cf_arena *arena, const struct cf_case *item);
/* A rule: its sentence, versions, place, issues, and its cases. */
void cf_put_rule(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule);

#endif
