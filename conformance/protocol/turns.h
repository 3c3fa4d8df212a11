/*
 * turns.h: what the replies to `open` and `advance` of one case have to be, one after the other
 * (protocol.md, sections 1, 3 and 6): instants that never go back, effects of a known shape, each
 * `n` once, and an end at each instant.
 */
#pragma once

#include "conformance/protocol/pace.h"
#include "conformance/protocol/wire.h"

struct cf_turns {
    const struct cf_wire_pods *pods; /* of the case; borrowed, as is: */
    struct cf_pace *pace;
    int rounds_max;  /* replies with effects at one instant */
    int effects_max; /* at one instant */
    /* ours: */
    int64_t now_ns;
    int rounds;
    int effects;
    struct cf_out numbers; /* the `n` of its attempts and hooks, four bytes each, the least first */
};

enum cf_turn { CF_TURN_FINE, CF_TURN_BROKEN, CF_TURN_ENDLESS };

/* A case begins, at 0. */
void cf_turns_begin(struct cf_turns *turns);
void cf_turns_deinit(struct cf_turns *turns);
/*
 * A reply: its effects go to the sink, and now_ns to its instant.
 *
 * ok:       the value of `ok`.
 * to_ns:    what the request allowed; of `open` 0.
 * Returns:  BROKEN, ENDLESS: the reader says why; effects before that one have been given.
 */
enum cf_turn cf_turns_take(struct cf_turns *turns, struct cf_reader *reader,
                           const struct cf_node *ok, int64_t to_ns, struct kp_sink sink);
