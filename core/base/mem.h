/* mem.h: where the engine's memory comes from: always from whoever embeds it. */
#pragma once

#include <stddef.h>

/* An allocator handed in.  alloc returns NULL when there is none; free takes NULL. */
struct kp_mem {
    void *(*alloc)(void *ctx, size_t bytes);
    void (*free)(void *ctx, void *block);
    void *ctx;
};

/* Zeroed array of `count` items of `size` bytes, or NULL (also where the product overflows). */
void *kp_mem_array(const struct kp_mem *mem, size_t count, size_t size);
/* The power of two, at least `need`, that what grows piece by piece is made as large as. */
size_t kp_room_for(size_t need);
/*
 * Room for more items in an array of kp_mem_array's.
 *
 * items:    the array, or NULL where *cap is 0.
 * cap:      how many items of `size` bytes it holds; becomes kp_room_for(need).
 * need:     how many there must be room for.
 * Returns:  the array, or where it was too small a larger copy, zeroed behind it, the old one
 * freed; NULL: there is no memory, and all is as it was.
 */
void *kp_grow(const struct kp_mem *mem, void *items, size_t *cap, size_t need, size_t size);
void kp_mem_free(const struct kp_mem *mem, void *block);
