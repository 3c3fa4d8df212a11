/*
 * session.h: one case that `serve` plays: an engine, its pods, and the memory of what it received.
 */
#pragma once

#include "conformance/protocol/wire.h"

#include "fakes/node.h"
#include "fakes/seed.h"

struct cf_session {
    const struct kp_mem *mem;
    struct cf_arena arena; /* pods and event texts, until the case is closed */
    struct fake_node node; /* open while a case is */
    const struct kp_profile *profile;
    struct cf_wire_pods pods; /* their handles are their places */
    int64_t now_ns;
    struct cf_jitter jitter;
    int64_t requeue_ppb;
    struct fake_seed seed;
    struct cf_out effects; /* of the current request: the items of a JSON list */
};

/* mem: outlives it. */
void cf_session_init(struct cf_session *session, const struct kp_mem *mem);
void cf_session_deinit(struct cf_session *session);
bool cf_session_is_open(const struct cf_session *session);

/*
 * Begin a case at time 0 and take its first turn.
 *
 * request:  the whole `open` request.
 * Returns:  false: nothing is open, and the reader says why.
 */
bool cf_session_open(struct cf_session *session, struct cf_reader *reader,
                     const struct cf_node *request, const struct kp_profile *profile,
                     uint64_t seed);
/* Apply the events and run.  false: the reader says why; the clock did not move. */
bool cf_session_advance(struct cf_session *session, struct cf_reader *reader,
                        const struct cf_node *request);
void cf_session_close(struct cf_session *session);
