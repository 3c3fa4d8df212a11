/* lint.h: what the API server would refuse of the pods of a manifest, in its words. */
#pragma once

#include "conformance/pod/manifest.h"

enum { CF_LINT_NOTES_MAX = 1000 }; /* more are counted, not reported */

struct cf_lint_note {
    struct cf_place at;
    struct kp_text text; /* verbatim: field: Type: value: detail */
};

struct cf_lint {
    struct cf_lint_note *notes;
    size_t count;
    size_t room;
    size_t refused_count; /* also of those not reported */
};

/*
 * Put what is refused of a pod behind what there is, in the server's order.
 *
 * Returns:  KP_OK, whatever was found; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_lint_pod(struct cf_arena *arena, const struct kp_profile *profile,
                                    const struct cf_manifest_pod *pod, struct cf_lint *lint);

/*
 * The same of every pod, on stderr: file:line:column: text.
 *
 * Returns:  KP_OK: it takes all of it; KP_EINPUT; KP_ENOMEM, which is reported too.
 */
KP_MUST_USE enum kp_err cf_lint_refuse(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct cf_manifest *manifest);
