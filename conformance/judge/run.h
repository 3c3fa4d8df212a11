/* run.h: one case, at one version, played on one subject and judged. */
#pragma once

#include "conformance/judge/match.h"
#include "conformance/protocol/subject.h"

struct cf_fire_seen;

struct cf_run {
    struct cf_subject *subject;
    const struct kp_mem *mem;  /* for what is gone when a case is over */
    uint64_t seed;             /* of free jitter */
    enum cf_tier tier;         /* below exact, no texts of a trace are looked at */
    struct cf_fire_seen *seen; /* gets what an attempt saw; may be NULL */
};

/*
 * Play and judge.  A subject that does not claim the case's layer, one of its features or any of
 * the effects that it looks at is not judged: verdict skip, and out->why says which.
 *
 * version:  one that the case applies to.
 * arena:    of the outcome's texts.
 * out:      pass, fail, observed, skip, or the verdict of the subject's error.
 */
void cf_run_case(const struct cf_run *run, const struct cf_case *item, struct kp_text version,
                 struct cf_arena *arena, struct cf_outcome *out);
