/*
 * match.h: what happened against what was wanted: the judgement of one case.
 *
 * Notes of one instant have no order but for starts, sandboxes and the events Pulled, Created,
 * Started, BackOff and Failed of one pod (protocol.md 3.1).  In layer pod only the last published
 * value of an instant counts.
 */
#pragma once

#include "conformance/judge/declared.h"
#include "conformance/protocol/outcome.h"

/* Collects notes from a run of the world. */
struct cf_record {
    struct cf_arena *arena;
    bool many; /* the case has several pods */
    struct cf_note *notes;
    size_t count;
    size_t room;
    size_t dated; /* how many of them have their instant */
};

/* arena: of all notes; borrowed. */
void cf_record_init(struct cf_record *record, struct cf_arena *arena, const struct cf_case *item);
struct fake_observer cf_record_observer(struct cf_record *record);
/* "; at the end: ..., ..., ...": the last three notes, in the arena; nothing where there are none.
 */
struct kp_text cf_record_end(const struct cf_record *record);

/*
 * Judge a play or a scenario.
 *
 * arena:    of the outcome's texts.
 * out:      verdict pass, fail or observed.
 */
void cf_match(const struct cf_case *item, const struct cf_record *record,
              const struct cf_declared *declared, struct cf_arena *arena, struct cf_outcome *out);

/* Does the order of two effects of one pod count where they are of one instant? */
bool cf_match_keeps_order(const struct cf_want *first, const struct cf_want *second);

/* Is anything wanted of the case that an implementation reports which observes these kinds? */
bool cf_match_can_judge(const struct cf_case *item, uint32_t observes);
