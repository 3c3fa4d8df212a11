#include "spares.h"

#include "core/base/pool.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LEAST_SIZE ((size_t)32)

/* What stands before a block: a kp_mem does not say how long one is, which to resize it takes. */
struct kp_spare {
    alignas(max_align_t) size_t size; /* that it has room for */
    struct kp_spare *next;            /* while it is kept */
};

/* Of the smallest size that holds so many bytes; KP_SPARE_SIZES: none does. */
static unsigned size_index(size_t size)
{
    unsigned index = 0;

    while (index < KP_SPARE_SIZES && LEAST_SIZE << index < size)
        index++;
    return index;
}

static struct kp_spare *take(struct kp_spares *spares, unsigned index)
{
    struct kp_spare *spare = spares->by_size[index];

    if (spare) {
        spares->by_size[index] = spare->next;
        spares->bytes -= spare->size;
        kp_pool_unpoison(spare + 1, spare->size);
    }
    return spare;
}

void *kp_spares_alloc(struct kp_spares *spares, size_t size)
{
    unsigned index = size_index(size);
    bool is_kept = index < KP_SPARE_SIZES;
    struct kp_spare *spare = is_kept ? take(spares, index) : NULL;

    if (is_kept)
        size = LEAST_SIZE << index;
    if (!spare)
        spare = spares->mem->alloc(spares->mem->ctx, sizeof *spare + size);
    if (!spare)
        return NULL;
    spare->size = size;
    return spare + 1;
}

void *kp_spares_resize(struct kp_spares *spares, void *bytes, size_t size)
{
    size_t before = bytes ? ((struct kp_spare *)bytes - 1)->size : 0;
    void *resized = size > before ? kp_spares_alloc(spares, size) : bytes;

    if (resized && resized != bytes && bytes) {
        memcpy(resized, bytes, before);
        kp_spares_free(spares, bytes);
    }
    return resized;
}

void kp_spares_free(struct kp_spares *spares, void *bytes)
{
    struct kp_spare *spare;
    unsigned index;

    if (!bytes)
        return;
    spare = (struct kp_spare *)bytes - 1;
    index = size_index(spare->size);
    if (index == KP_SPARE_SIZES || spares->bytes + spare->size > KP_SPARE_BYTES) {
        kp_mem_free(spares->mem, spare);
        return;
    }
    spare->next = spares->by_size[index];
    spares->by_size[index] = spare;
    spares->bytes += spare->size;
    kp_pool_poison(spare + 1, spare->size);
}

void kp_spares_deinit(struct kp_spares *spares)
{
    for (unsigned i = 0; i < KP_SPARE_SIZES; i++) {
        while (spares->by_size[i])
            kp_mem_free(spares->mem, take(spares, i));
    }
}
