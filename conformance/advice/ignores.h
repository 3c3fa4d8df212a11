/*
 * ignores.h: comments that silence a rule of `lint`: `# probetest: ignore=RULE` behind a field, or
 * alone on the line above it; several rules have commas between them.
 */
#pragma once

#include "conformance/advice/findings.h"

struct cf_ignore {
    int line; /* the one that it speaks of */
    enum cf_lint_rule rule;
};

/* In the order of their lines, in the arena. */
struct cf_ignores {
    struct cf_ignore *list;
    size_t count;
    size_t room;
    struct cf_manifest_fault *faults; /* comments that name no rule */
    size_t fault_count;
    size_t fault_room;
};

/*
 * Find them in a file.
 *
 * bytes:    borrowed as long as the faults are used.
 * Returns:  KP_OK, whatever they say; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_ignores_read(struct cf_arena *arena, struct kp_text bytes,
                                        struct cf_ignores *out);

/* Is that rule silent on that line? */
bool cf_ignores_has(const struct cf_ignores *ignores, int line, enum cf_lint_rule rule);
