#include "core/base/mem.h"

#include "core/base/err.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdint.h>

/* Has nothing, and remembers how much was requested. */
static void *refuse(void *ctx, size_t bytes)
{
    *(size_t *)ctx = bytes;
    return NULL;
}

/* What is requested of the allocator; 0: it is not called. */
static size_t requested(size_t count, size_t size)
{
    size_t bytes = 0;
    struct kp_mem mem = {.alloc = refuse, .ctx = &bytes};

    CHECK(kp_mem_array(&mem, count, size) == NULL);
    return bytes;
}

static void an_array_of_too_many_is_none(void)
{
    CHECK_INT(requested(SIZE_MAX / 2, 3), 0);
    CHECK_INT(requested(SIZE_MAX / 2 + 1, 2), 0);
    CHECK(requested(SIZE_MAX / 2, 2) == SIZE_MAX - 1);
    CHECK(requested(SIZE_MAX, 1) == SIZE_MAX);
}

/* malloc(0) may be NULL, which would read as none left. */
static void an_empty_array_is_a_byte(void)
{
    CHECK_INT(requested(0, 8), 1);
    CHECK_INT(requested(8, 0), 1);
    CHECK_INT(requested(1, 1), 1);
    CHECK_INT(requested(2, 8), 16);
}

/* A power of two, of which there is no greater one than the half of all there is. */
static void room_is_a_power_of_two(void)
{
    static const size_t rows[][2] = {{0, 1}, {1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {9, 16}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(kp_room_for(rows[i][0]), rows[i][1]);
    CHECK(kp_room_for(SIZE_MAX / 2) == SIZE_MAX / 2 + 1);
    CHECK(kp_room_for(SIZE_MAX) == SIZE_MAX / 2 + 1);
}

static void what_has_room_does_not_grow(void)
{
    struct kp_mem mem = fake_alloc_plain();
    size_t cap = 0;
    int *items = kp_grow(&mem, NULL, &cap, 2, sizeof *items);
    int *grown;

    CHECK_INT(cap, 2);
    items[0] = 7;
    items[1] = 8;
    CHECK(kp_grow(&mem, items, &cap, 2, sizeof *items) == items);
    CHECK_INT(cap, 2);
    grown = kp_grow(&mem, items, &cap, 3, sizeof *items);
    CHECK_INT(cap, 4);
    CHECK_INT(grown[0], 7);
    CHECK_INT(grown[1], 8);
    CHECK_INT(grown[3], 0);
    kp_mem_free(&mem, grown);
}

static void what_cannot_grow_stays(void)
{
    struct fake_alloc state = {.fail_at = 1};
    struct kp_mem mem = fake_alloc_mem(&state);
    size_t cap = 0;
    int *items = kp_grow(&mem, NULL, &cap, 1, sizeof *items);
    int *grown;

    items[0] = 7;
    CHECK(kp_grow(&mem, items, &cap, 2, sizeof *items) == NULL);
    CHECK_INT(cap, 1);
    grown = kp_grow(&mem, items, &cap, 2, sizeof *items);
    CHECK_INT(grown[0], 7);
    kp_mem_free(&mem, grown);
    CHECK_INT(state.live, 0);
}

static void each_error_has_a_name(void)
{
    static const char *const names[] = {"ok", "out of memory", "bad input", "already there",
                                        "unknown"};

    for (int err = KP_OK; err <= KP_EUNKNOWN; err++)
        CHECK_STRING(kp_err_name((enum kp_err)err), names[err]);
}

const struct unit_test mem_test[] = {
    {"what cannot grow stays", what_cannot_grow_stays},
    {"each error has a name", each_error_has_a_name},
    {"room is a power of two", room_is_a_power_of_two},
    {"what has room does not grow", what_has_room_does_not_grow},
    {"an array of too many is none", an_array_of_too_many_is_none},
    {"an empty array is a byte", an_empty_array_is_a_byte},
    {0},
};
