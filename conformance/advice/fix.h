/*
 * fix.h: a change as YAML to paste: what a strategic merge patch of the pod's spec holds.
 *
 * The handlers are found in the containers' own nodes (kp_container.raw).
 */
#ifndef CF_FIX_H
#define CF_FIX_H

#include "conformance/text/arena.h"
#include "conformance/text/out.h"

/* "livenessProbe" */
const char *cf_probe_field(enum kp_probe_type type);

/* The head of a container's fields, which stand two columns in. */
void cf_fix_begin(struct cf_out *out, const struct kp_container *container);
/* The head of a probe's fields, which stand four columns in. */
void cf_fix_probe(struct cf_out *out, enum kp_probe_type type);
/* "    failureThreshold: 3" and the end of its line. */
void cf_fix_number(struct cf_out *out, const char *field, int64_t number);
/* The handler that a probe has now, for another one. */
void cf_fix_handler(struct cf_out *out, const struct kp_container *container,
                    enum kp_probe_type from);
/* What was put, in the arena; `out` is empty then. */
struct kp_text cf_fix_end(struct cf_arena *arena, struct cf_out *out);

/* The whole change where it is one number of one probe. */
struct kp_text cf_fix_one(struct cf_arena *arena, const struct kp_container *container,
                          enum kp_probe_type type, const char *field, int64_t number);

#endif
