/* columns.h: what was wanted and what came, line beside line: the outcome of one answer. */
#pragma once

#include "conformance/protocol/outcome.h"
#include "conformance/text/arena.h"

struct cf_columns {
    struct cf_arena *arena;
    struct cf_moment *moments;
    size_t count;
    size_t room;
    size_t first; /* index of the first difference, or SIZE_MAX */
};

/* room: rows, at most.  false: no memory; *out says so then. */
bool cf_columns_begin(struct cf_columns *c, struct cf_arena *arena, size_t room,
                      struct cf_outcome *out);
/* One row; both texts live in the arena.  Rows beyond the room are dropped. */
void cf_columns_add(struct cf_columns *c, struct kp_text wanted, struct kp_text got);
/* "wanted ..., got ...", for people: of long texts what is about their first difference. */
struct kp_text cf_difference(struct cf_arena *arena, struct kp_text wanted, struct kp_text got);
/* Pass, or fail with the first difference. */
void cf_columns_end(const struct cf_columns *c, struct cf_outcome *out);
