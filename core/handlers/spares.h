/*
 * spares.h: blocks of memory for a library that resizes them and requests the same few sizes again
 * and again, as nghttp2 does for each session: what one gives back is kept for the next.
 */
#pragma once

#include "core/base/mem.h"

#define KP_SPARE_SIZES 10                   /* powers of two, from 32 bytes on */
#define KP_SPARE_BYTES ((size_t)256 * 1024) /* that are kept at most */

struct kp_spare;

struct kp_spares {
    const struct kp_mem *mem;
    struct kp_spare *by_size[KP_SPARE_SIZES];
    size_t bytes; /* that are kept */
};

/* Aligned for anything; NULL: there is no memory. */
void *kp_spares_alloc(struct kp_spares *spares, size_t size);
/* bytes:    NULL: a new one.  Returns: NULL: there is no memory, and `bytes` stays. */
void *kp_spares_resize(struct kp_spares *spares, void *bytes, size_t size);
/* Keep it, or give it back; nothing where it is NULL. */
void kp_spares_free(struct kp_spares *spares, void *bytes);
/* Give back what is kept. */
void kp_spares_deinit(struct kp_spares *spares);
