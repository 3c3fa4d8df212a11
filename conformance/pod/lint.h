/*
 * lint.h: what is wrong with the pods of a manifest, in the API server's words, and what is unwise
 * about their probes, each with the rule that makes it so.
 */
#ifndef CF_LINT_H
#define CF_LINT_H

#include "conformance/pod/manifest.h"

enum { CF_LINT_NOTES_MAX = 1000 }; /* more are counted, not told */

struct cf_lint_note {
    struct cf_place at;
    bool refused;        /* the API server would not take it; else advice */
    const char *rule;    /* of advice: "P-019"; else NULL */
    struct kp_text text; /* for refusals verbatim: field: Type: value: detail */
};

struct cf_lint {
    struct cf_lint_note *notes;
    size_t count;
    size_t room;
    size_t refused_count; /* also of those not told */
};

/*
 * Lint every pod of a manifest: refusals in the server's order, then advice in the pod's.
 *
 * Returns:  KP_OK, whatever was found; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_lint_manifest(struct cf_arena *arena, const struct kp_profile *profile,
                                         const struct cf_manifest *manifest, struct cf_lint *out);

/* `probetest lint`. */
int cf_lint_command(int argc, char **argv);

/*
 * What the API server would not take, on stderr in its words: file:line:column: text.
 *
 * Returns:  KP_OK: it takes all of it; KP_EINPUT; KP_ENOMEM, which is told too.
 */
KP_MUST_USE enum kp_err cf_lint_refuse(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct cf_manifest *manifest);

#endif
