#include "fakes/alloc.h"

#include <stdlib.h>

static void *counted_alloc(void *ctx, size_t bytes)
{
    struct fake_alloc *state = ctx;
    void *block = NULL;

    if (state->calls++ != state->fail_at)
        block = malloc(bytes > 0 ? bytes : 1);
    state->live += block != NULL;
    return block;
}

static void counted_free(void *ctx, void *block)
{
    struct fake_alloc *state = ctx;

    state->live -= block != NULL;
    free(block);
}

struct kp_mem fake_alloc_mem(struct fake_alloc *state)
{
    return (struct kp_mem){counted_alloc, counted_free, state};
}

static void *plain_alloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes > 0 ? bytes : 1);
}

static void plain_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

struct kp_mem fake_alloc_plain(void)
{
    return (struct kp_mem){plain_alloc, plain_free, NULL};
}
