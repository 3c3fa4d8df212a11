/* spares_test.c: blocks have the room that was requested, keep what is in them, and are used again.
 */
#include "spares.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_MAX = 32768, GUARD = 64 };

/* ---- an allocator that knows how much was requested ------------------------------------------ */

struct counted {
    size_t bytes; /* the newest block's */
    size_t calls;
    unsigned char *block;
};

static void *note_alloc(void *ctx, size_t bytes)
{
    struct counted *counted = ctx;

    counted->calls++;
    counted->bytes = bytes;
    counted->block = malloc(bytes + GUARD);
    memset(counted->block, 0x5a, bytes + GUARD);
    return counted->block;
}

static void note_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static bool guard_stands(const struct counted *counted)
{
    for (size_t i = 0; i < GUARD; i++)
        if (counted->block[counted->bytes + i] != 0x5a)
            return false;
    return true;
}

static void a_block_has_the_room_that_was_requested(void)
{
    for (size_t size = 1; size <= 2 * ROOM_MAX; size = size % 2 ? size + 1 : 2 * size - 1) {
        for (size_t more = 0; more < 3; more++) {
            struct counted counted = {0};
            const struct kp_mem mem = {note_alloc, note_free, &counted};
            struct kp_spares spares = {.mem = &mem};
            void *bytes = kp_spares_alloc(&spares, size + more);

            CHECK((uintptr_t)bytes % _Alignof(max_align_t) == 0);
            memset(bytes, 'x', size + more);
            CHECK(guard_stands(&counted));
            kp_spares_free(&spares, bytes);
            kp_spares_deinit(&spares);
        }
    }
}

/* ---- what is given back ---------------------------------------------------------------------- */

static void what_is_given_back_is_used_again(void)
{
    static const struct {
        size_t first;
        size_t second;
        bool same;
    } rows[] = {{1, 32, true},        {32, 1, true},        {33, 64, true},
                {32, 33, false},      {33, 32, false},      {8193, 16384, true},
                {16384, 16384, true}, {16384, 8192, false}, {16385, 16385, false},
                {40000, 40000, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
        const struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_spares spares = {.mem = &mem};
        void *first = kp_spares_alloc(&spares, rows[i].first);
        void *second;

        kp_spares_free(&spares, first);
        second = kp_spares_alloc(&spares, rows[i].second);
        CHECK_INT(state.calls, rows[i].same ? 1 : 2);
        kp_spares_free(&spares, second);
        kp_spares_free(&spares, NULL);
        kp_spares_deinit(&spares);
        CHECK_INT(state.live, 0);
    }
}

/* The last one first, and each once. */
static void several_of_a_size_are_kept(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    const struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_spares spares = {.mem = &mem};
    void *blocks[3];

    for (size_t i = 0; i < 3; i++)
        blocks[i] = kp_spares_alloc(&spares, 100);
    for (size_t i = 0; i < 3; i++)
        kp_spares_free(&spares, blocks[i]);
    CHECK_INT(spares.bytes, 3 * 128);
    for (size_t i = 3; i > 0; i--)
        CHECK(kp_spares_alloc(&spares, 128) == blocks[i - 1]);
    CHECK_INT(spares.bytes, 0);
    CHECK_INT(state.calls, 3);
    for (size_t i = 0; i < 3; i++)
        kp_spares_free(&spares, blocks[i]);
    kp_spares_deinit(&spares);
    CHECK_INT(state.live, 0);
}

static void no_more_is_kept_than_a_quarter_of_a_mebibyte(void)
{
    enum { FIT = KP_SPARE_BYTES / 16384 };
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    const struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_spares spares = {.mem = &mem};
    void *blocks[FIT + 1];

    for (size_t i = 0; i <= FIT; i++)
        blocks[i] = kp_spares_alloc(&spares, 16384);
    for (size_t i = 0; i <= FIT; i++)
        kp_spares_free(&spares, blocks[i]);
    CHECK_INT(spares.bytes, KP_SPARE_BYTES);
    CHECK_INT(state.live, FIT);
    kp_spares_deinit(&spares);
    CHECK_INT(state.live, 0);
}

/* ---- another size ---------------------------------------------------------------------------- */

static void a_block_that_is_resized_keeps_its_bytes(void)
{
    static const struct {
        size_t before;
        size_t after;
        bool stays; /* where it is: there is room */
    } rows[] = {{1, 32, true},         {32, 33, false},      {33, 64, true},
                {64, 65, false},       {100, 10000, false},  {10000, 100, true},
                {16384, 16385, false}, {20000, 20000, true}, {20000, 20001, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
        const struct kp_mem mem = fake_alloc_mem(&state);
        struct kp_spares spares = {.mem = &mem};
        size_t kept = rows[i].before < rows[i].after ? rows[i].before : rows[i].after;
        char *before = kp_spares_resize(&spares, NULL, rows[i].before);
        char *after;
        bool same = true;

        for (size_t k = 0; k < rows[i].before; k++)
            before[k] = (char)(k % 251);
        after = kp_spares_resize(&spares, before, rows[i].after);
        CHECK_INT(after == before, rows[i].stays);
        for (size_t k = 0; k < kept; k++)
            same = same && after[k] == (char)(k % 251);
        CHECK(same);
        kp_spares_free(&spares, after);
        kp_spares_deinit(&spares);
        CHECK_INT(state.live, 0);
    }
}

static void without_memory_the_old_block_stays(void)
{
    struct fake_alloc state = {.fail_at = 1};
    const struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_spares spares = {.mem = &mem};
    char *bytes = kp_spares_alloc(&spares, 1);

    bytes[0] = 'x';
    CHECK(kp_spares_resize(&spares, bytes, 1000) == NULL);
    CHECK_INT(bytes[0], 'x');
    kp_spares_free(&spares, bytes);
    kp_spares_deinit(&spares);
    CHECK_INT(state.live, 0);
}

const struct unit_test spares_test[] = {
    {"a block has the room that was requested", a_block_has_the_room_that_was_requested},
    {"what is given back is used again", what_is_given_back_is_used_again},
    {"several of a size are kept", several_of_a_size_are_kept},
    {"no more is kept than a quarter of a mebibyte", no_more_is_kept_than_a_quarter_of_a_mebibyte},
    {"a block that is resized keeps its bytes", a_block_that_is_resized_keeps_its_bytes},
    {"without memory the old block stays", without_memory_the_old_block_stays},
    {0},
};
