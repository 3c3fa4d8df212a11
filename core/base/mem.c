#include "mem.h"

#include <stdint.h>
#include <string.h>

void *kp_mem_array(const struct kp_mem *mem, size_t count, size_t size)
{
    void *block;

    if (size > 0 && count > SIZE_MAX / size)
        return NULL;
    block = mem->alloc(mem->ctx, count * size > 0 ? count * size : 1);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void kp_mem_free(const struct kp_mem *mem, void *block)
{
    mem->free(mem->ctx, block);
}
