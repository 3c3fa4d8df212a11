/*
 * table_run.h: a selection of cases played on one implementation, by several processes of it at
 * once if need be, and reported in the order of the selection whoever was faster.
 */
#pragma once

#include "conformance/judge/known.h"
#include "conformance/table/selection.h"

#include "conformance/protocol/subject.h"

/* How long the timeline of a case that passed is kept. */
enum cf_keep {
    CF_KEEP_NOT,
    CF_KEEP_UNTIL_TOLD,
    CF_KEEP_TO_THE_END /* it is in the result, too */
};

struct cf_table_run {
    struct cf_selection *selection; /* narrowed to the tier that it claims, where of_tier */
    bool of_tier;
    char *const *adapter;                   /* ended by NULL; or NULL: the built-in engine */
    const struct cf_adapter_limits *limits; /* NULL: the defaults */
    uint64_t seed;
    int jobs;                     /* 0: one; with a real clock as many as mostly wait */
    const struct cf_known *known; /* NULL: there is no such file */
    enum cf_keep keeps_passes;
    /* Called once, before the first case. */
    void (*begin)(void *ctx, const struct cf_result_header *header);
    /* Called for each case, in order, one at a time, from any thread; with its timeline, if that is
     * kept. */
    void (*each)(void *ctx, const struct cf_result_case *item);
    void *ctx;
};

struct cf_table_run_end {
    struct cf_result result; /* in the arena */
    bool unobserved[CF_EFFECT_KINDS];
    struct kp_text unusable; /* why the implementation could not be judged at all; else empty */
    struct kp_text log;      /* the end of its stderr then */
};

/*
 * Play.  Every selected case is reported, those that were not run any more as such.
 *
 * header:   its tool, suite and selection are set; the rest is filled in.
 * arena:    of the result; nobody else may use it meanwhile.
 */
void cf_table_run_play(const struct cf_table_run *table_run, struct cf_result_header *header,
                       struct cf_arena *arena, struct cf_table_run_end *end);
/* A name for the table as it is: the same cases, the same name. */
void cf_suite_hash(const struct cf_suite *suite, char hex[CF_SHA256_HEX + 1]);
