/*
 * fire.h: cases of layer fire played and judged: one real attempt of a handler against servers that
 * do what a script says (table/case_fire.h).
 */
#pragma once

#include "conformance/protocol/outcome.h"
#include "conformance/protocol/subject.h"
#include "conformance/table/case_fire.h"

struct cf_fire_names;

/* What was observed. */
struct cf_fire_seen {
    const struct cf_node *ok; /* NULL: see the subject's error; else of the right shape */
    struct kp_text requests;  /* what arrived, connection by connection */
    size_t open;              /* connections that the subject left open */
    struct kp_text_list left; /* files of `gone` whose process still ran */
    const struct cf_fire_names *names;
};

/*
 * Request one attempt of a subject, with the servers running meanwhile.
 *
 * version:  "1.36", as the subject was greeted.
 * slower:   a factor of all pauses and timeouts of the case: 1, or more where they were too short.
 * seen:     in the arena; ok is NULL where the subject failed.
 * Returns:  false: there were no sockets, threads or memory for it; errno says which.
 */
bool cf_fire_play(const struct cf_case *item, struct cf_subject *subject, struct kp_text version,
                  int slower, struct cf_arena *arena, struct cf_fire_seen *seen);
/* A factor of all pauses and timeouts, where everything takes longer: 1, but under valgrind. */
int cf_fire_slower(void);
/* Compare with what the case wants.  parts: which are looked at beside the result. */
void cf_fire_judge(const struct cf_case *item, const struct cf_fire_seen *seen,
                   const bool parts[CF_FIRE_PARTS], struct cf_arena *arena, struct cf_outcome *out);
