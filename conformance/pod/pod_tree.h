/* pod_tree.h: the steps between a document and a pod; for pod_decode.c and its neighbours. */
#pragma once

#include "conformance/pod/pod_api.h"
#include "conformance/pod/pod_decode.h"

/* What Go's JSON calls it: "bool", "array". */
const char *cf_json_kind(enum cf_node_kind kind);

/*
 * Decode a tree as a struct of the API: known fields only, types checked.
 *
 * prefix:   of the paths in errors and warnings: "spec.template" or "".
 * Returns:  the tree; NULL: out->fault says why, or arena->failed.  Warnings go to out, behind
 *           those that are there.
 */
struct cf_node *cf_api_decode(struct cf_arena *arena, const struct kp_profile *profile,
                              enum cf_api_type type, struct kp_text prefix,
                              const struct cf_node *source, struct cf_pod *out);

/* Take out what gates that are off do not let through (V-034). */
void cf_api_drop_gated(const struct kp_profile *profile, enum cf_api_type type,
                       struct cf_node *node);

/* Write the defaults of fields that the engine does not read, from a struct of the API down. */
void cf_api_default(struct cf_arena *arena, const struct kp_profile *profile, enum cf_api_type type,
                    struct cf_node *node);

/* A struct of the API as Go's encoder writes it; NULL: no memory. */
struct cf_node *cf_api_print(struct cf_arena *arena, const struct kp_profile *profile,
                             enum cf_api_type type, const struct cf_node *node);

/* Fill in a pod from its tree; NULL: no memory. */
struct kp_pod *cf_pod_bind(struct cf_arena *arena, const struct cf_node *tree);
/* Write what defaulting changed in the pod back into the tree it was filled from. */
void cf_pod_write_back(struct cf_arena *arena, const struct kp_pod *pod, struct cf_node *tree);
/* The pod's and its containers' hashes over the tree as it is now. */
void cf_pod_hash(struct kp_pod *pod);

/* The status of a pod's tree, in the order of its containers; NULL: none, or no memory. */
const struct kp_pod_status *cf_pod_bind_status(struct cf_arena *arena, const struct kp_pod *pod,
                                               const struct cf_node *status);

/* An instant: seconds since 1970, before it negative, and nanoseconds from 0 on. */
struct cf_time {
    int64_t seconds;
    int64_t fraction_ns;
};

/* RFC 3339, as Go reads it: an hour of one digit and a comma before the fraction, too.  false: it
 * is none. */
bool cf_time_parse(struct kp_text text, struct cf_time *time);
/* What Go says of a text that is no time; empty: it is one, or no memory. */
struct kp_text cf_time_fault(struct cf_arena *arena, struct kp_text text);
/* Nanoseconds since 1970, cut to what int64 holds: no container starts in the year 1162.  0: it is
 * no time. */
int64_t cf_time_ns(struct kp_text text);
/* As the API prints it: seconds, UTC; a zone may have moved it out of the years 0 to 9999. */
struct kp_text cf_time_format(struct cf_arena *arena, const struct cf_time *time);

/* Canonical form of a quantity: "1000m" -> "1"; false: go_text of the error in *out. */
bool cf_quantity_canonical(struct cf_arena *arena, struct kp_text text, struct kp_text *out);
/* What is finer than a thousandth is rounded up to it.  Upstream: defaults.go
 * SetDefaults_ResourceList. */
struct kp_text cf_quantity_in_milli(struct cf_arena *arena, struct kp_text text);
