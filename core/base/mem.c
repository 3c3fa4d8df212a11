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

size_t kp_room_for(size_t need)
{
    size_t room = 1;

    while (room < need && room <= SIZE_MAX / 2)
        room *= 2;
    return room;
}

void *kp_grow(const struct kp_mem *mem, void *items, size_t *cap, size_t need, size_t size)
{
    size_t larger = kp_room_for(need);
    void *grown;

    if (need <= *cap)
        return items;
    grown = kp_mem_array(mem, larger, size);
    if (!grown)
        return NULL;
    if (*cap > 0)
        memcpy(grown, items, *cap * size);
    kp_mem_free(mem, items);
    *cap = larger;
    return grown;
}

void kp_mem_free(const struct kp_mem *mem, void *block)
{
    mem->free(mem->ctx, block);
}
