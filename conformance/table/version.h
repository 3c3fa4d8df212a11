/* version.h: versions of Kubernetes as numbers, and as people write them. */
#pragma once

#include "conformance/table/case.h"
#include "conformance/text/out.h"

/*
 * "1.34.2" as 34002.  Without a patch the minor's first one, or, `last`, 999: whatever comes.
 *
 * Returns:  -1: it is no version from 1.15 to 1.37.
 */
int cf_version_number(struct kp_text version, bool last);

/* 36002 is 1.36.2; a patch of 0 at the beginning and of 999 at the end go without saying. */
void cf_put_version(struct cf_out *out, int version, bool end);
/*
 * The versions that a case is about: "1.22 to 1.31", "from 1.32", "to 1.20", "all"; with holes:
 * "from 1.22.11, not 1.23 to 1.23.7".
 */
void cf_put_versions(struct cf_out *out, const struct cf_case *item);
