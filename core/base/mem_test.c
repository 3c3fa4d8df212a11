#include "core/base/mem.h"

#include "fakes/unit.h"

#include <stdint.h>

/* Has nothing, and remembers how much it was asked for. */
static void *refuse(void *ctx, size_t bytes)
{
    *(size_t *)ctx = bytes;
    return NULL;
}

/* What the allocator is asked for; 0: it is not. */
static size_t asked_for(size_t count, size_t size)
{
    size_t asked = 0;
    struct kp_mem mem = {.alloc = refuse, .ctx = &asked};

    CHECK(kp_mem_array(&mem, count, size) == NULL);
    return asked;
}

static void an_array_of_too_many_is_none(void)
{
    CHECK_INT(asked_for(SIZE_MAX / 2, 3), 0);
    CHECK_INT(asked_for(SIZE_MAX / 2 + 1, 2), 0);
    CHECK(asked_for(SIZE_MAX / 2, 2) == SIZE_MAX - 1);
    CHECK(asked_for(SIZE_MAX, 1) == SIZE_MAX);
}

/* malloc(0) may be NULL, which would read as none left. */
static void an_empty_array_is_a_byte(void)
{
    CHECK_INT(asked_for(0, 8), 1);
    CHECK_INT(asked_for(8, 0), 1);
    CHECK_INT(asked_for(1, 1), 1);
    CHECK_INT(asked_for(2, 8), 16);
}

const struct unit_test mem_test[] = {
    {"an array of too many is none", an_array_of_too_many_is_none},
    {"an empty array is a byte", an_empty_array_is_a_byte},
    {0},
};
