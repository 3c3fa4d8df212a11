/* scratch.h: memory for the texts of one attempt: taken piece by piece, given back at once. */
#pragma once

#include "core/base/mem.h"
#include "core/model/trace.h"

struct kp_scratch_block;

struct kp_scratch {
    const struct kp_mem *mem;
    struct kp_scratch_block *blocks;
    char *room; /* of the newest one, or of what was lent */
    size_t left;
    bool failed; /* some piece could not be had: texts may be short */
};

void kp_scratch_init(struct kp_scratch *scratch, const struct kp_mem *mem);
/* Let it use this first, which is aligned for anything; borrowed. */
void kp_scratch_lend(struct kp_scratch *scratch, char *room, size_t bytes);
void kp_scratch_deinit(struct kp_scratch *scratch);

/* Zeroed; NULL where there is no memory, which `failed` remembers. */
void *kp_scratch_alloc(struct kp_scratch *scratch, size_t bytes);
/* More room for the *cap bytes at `bytes`, as kp_grow; the old room stays the scratch's. */
void *kp_scratch_grow(struct kp_scratch *scratch, void *bytes, size_t *cap, size_t need);
/* Add it to what `buf`, which has none of its own memory at first, grows for; nothing where there
 * is no memory. */
void kp_scratch_put(struct kp_scratch *scratch, struct kp_buf *buf, struct kp_text text);
/* A builder with room for `bytes`, or none. */
struct kp_buf kp_scratch_buf(struct kp_scratch *scratch, size_t bytes);
/* A copy that a zero byte follows. */
struct kp_text kp_scratch_copy(struct kp_scratch *scratch, struct kp_text text);
/* A sentence written out. */
struct kp_text kp_scratch_message(struct kp_scratch *scratch, const struct kp_message *message);
/* The C library's words for an errno, which are Go's but for the first letter. */
struct kp_text kp_scratch_errno(struct kp_scratch *scratch, int error);
