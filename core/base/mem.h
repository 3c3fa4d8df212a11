/* mem.h: where the engine's memory comes from: always from whoever embeds it. */
#ifndef KP_MEM_H
#define KP_MEM_H

#include <stddef.h>

/* An allocator handed in.  alloc returns NULL when there is none; free takes NULL. */
struct kp_mem {
    void *(*alloc)(void *ctx, size_t bytes);
    void (*free)(void *ctx, void *block);
    void *ctx;
};

/* Zeroed array of `count` items of `size` bytes, or NULL (also where the product overflows). */
void *kp_mem_array(const struct kp_mem *mem, size_t count, size_t size);
void kp_mem_free(const struct kp_mem *mem, void *block);

#endif
