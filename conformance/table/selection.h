/* selection.h: which cases of the table, at which versions: for run, list and show alike. */
#pragma once

#include "conformance/table/case.h"
#include "conformance/table/guard.h"
#include "conformance/table/standing.h"

/* A case at a version. */
struct cf_selected {
    const struct cf_case *item;
    char version[24]; /* "1.36", "1.34.2" */
};

struct cf_selection {
    struct cf_arena *arena;
    const char *k8s;      /* "1.36", "1.20,1.36", "1.34.2", "all", or NULL: each at its newest */
    const char *upstream; /* only cases that stand for this test of upstream's; or NULL */
    const char *bug;      /* only cases of this bug, K-10; or NULL */
    /* A layer, a topic or a folder of topics, an id, a rule's id, a regular expression of ids;
     * none: all.  A folder that is called like a layer stands for that. */
    char *const *patterns;
    size_t pattern_count;
    const char *tier;         /* only cases of it: "contract", "kubelet", "exact"; or NULL: all */
    bool without_bugs;        /* none that shows a known bug of the kubelet (KP_STANDING_QUIRK) */
    const char *without;      /* of the same words: what is left out; or NULL */
    struct cf_selected *list; /* out: in the order of the table, versions ascending */
    size_t count;
};

/*
 * Choose.
 *
 * Returns:  NULL, or what is wrong with the selection, for people, in the arena: an unknown
 * version, a bad expression, a pattern that selects nothing.
 */
const char *cf_select(struct cf_selection *selection, const struct cf_suite *suite);

/*
 * Each case that was selected at a version which is not among these ("1.36", a minor with all its
 * patches, or "1.36.4") comes at the newest of them that it applies to, if there is one.
 */
void cf_select_among(struct cf_selection *selection, struct kp_text_list played);
