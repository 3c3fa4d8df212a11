/*
 * known.h: the file of known failures: which cases an implementation fails, how, and why that is
 * accepted.  It cannot rot: what passes again, fails otherwise or does not exist fails the run.
 *
 * A plain text file of blocks with an empty line between them; lines that begin with # are ignored:
 *
 *     case: hold-after-liveness-failure
 *     k8s: 1.35 1.36
 *     signature: at 40000 ms wanted ...
 *     reason: restarts are counted by the health checker itself
 *
 * `k8s` may be left out: then the block speaks of every version.
 */
#pragma once

#include "conformance/judge/result.h"

/* The reason of a failure that is new. */
#define CF_KNOWN_UNEXPLAINED "not explained yet"

struct cf_known_entry {
    struct kp_text id;
    struct kp_text k8s; /* versions between spaces; empty: all */
    struct kp_text signature;
    struct kp_text reason;
    size_t line; /* where the block begins, from 1 */
};

struct cf_known {
    const struct cf_known_entry *entries;
    size_t count;
};

/* false: the reader says "LINE:COLUMN: message".  Texts are borrowed from `bytes`. */
bool cf_known_read(struct cf_reader *reader, struct kp_text bytes, struct cf_known *known);

/*
 * Judge a case in the light of the file: a failure that is listed with its signature becomes xfail,
 * a listed pass xpass; one with another signature stays what it is, and `why` says so.
 *
 * arena: where the new `why` goes.
 */
void cf_known_apply(const struct cf_known *known, struct cf_arena *arena,
                    struct cf_result_case *item);

/*
 * The file as it should be after this run: what was not played is kept, what passed is gone, what
 * failed is there with its new signature and its old reason.
 *
 * result:   of the run, with or without cf_known_apply.
 */
void cf_known_update(const struct cf_known *known, const struct cf_result *result,
                     struct cf_out *out);
