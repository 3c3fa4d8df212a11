/*
 * index.h: the table found from outside: by the names of upstream's own tests (upstream.tsv) and by
 * the bugs that people know (bugs.def).
 */
#pragma once

#include "conformance/table/case.h"
#include "conformance/text/out.h"

/* What one of Kubernetes' own tests is about. */
struct cf_upstream_row {
    const char *name; /* TestDoProbe */
    const char *file; /* worker_test.go */
    const char *what;
    const char *cases; /* ids, families and rules, with spaces between */
};

/* A behaviour that has been reported as a bug. */
struct cf_bug_row {
    const char *id;     /* K-10 */
    const char *issues; /* upstream's numbers, with spaces between; or "" */
    const char *since;
    const char *until; /* last version that has it; "": the newest still has */
    const char *what;
    const char *cases; /* as above; "": no trace can show it */
};

/* The rows in order, in the arena, ended by one without a name.  Never NULL. */
const struct cf_upstream_row *cf_upstream_rows(struct cf_arena *arena);
/* NULL: there is none of that name.  "TestX: a row of it" is of TestX. */
const struct cf_upstream_row *cf_upstream_find(const struct cf_upstream_row *rows,
                                               struct kp_text name);
/* By its id in whatever case: "K-10", "k-10"; NULL: there is none. */
const struct cf_bug_row *cf_bug_find(const char *id);
/* The rows in order; NULL behind the last one. */
const struct cf_bug_row *cf_bug_at(size_t index);

/* Does the case stand for that test?  By the row, or by what the case itself says. */
bool cf_upstream_has(const struct cf_upstream_row *row, const struct cf_case *item);
/* Does the case itself name just that test, or row of one? */
bool cf_upstream_names(const struct cf_case *item, struct kp_text name);
bool cf_bug_has(const struct cf_bug_row *row, const struct cf_case *item);

/*
 * What the two lists lack, a line each: rows without a case, ids that are none, cases that name a
 * test which is not listed, bugs without a case on a version that has them.
 *
 * upstream: cf_upstream_rows.
 * Returns:  how many lines.
 */
size_t cf_index_put_holes(struct cf_out *out, const struct cf_suite *suite,
                          const struct cf_upstream_row *upstream);

/* A bug as people read it: what happens, versions, issues, cases. */
void cf_put_bug(struct cf_out *out, const struct cf_suite *suite, const struct cf_bug_row *row);
