#include "conformance/text/arena.h"
#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdlib.h>
#include <string.h>

static void pieces_are_aligned_zeroed_and_apart(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    char *before = NULL;

    for (size_t size = 0; size < 40000; size = size * 2 + 1) {
        char *piece = cf_arena_alloc(&arena, size);

        CHECK(piece != NULL && piece != before);
        CHECK_INT((uintptr_t)piece % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            if (piece[i] != 0)
                CHECK(piece[i] == 0);
        memset(piece, 0xff, size);
        before = piece;
    }
    CHECK_TEXT(cf_arena_format(&arena, "%s-%d", "a", 5), KP_TEXT("a-5"));
    CHECK_TEXT(cf_arena_text(&arena, KP_TEXT("x\0y")), KP_TEXT("x\0y"));
    CHECK(!arena.failed);
    cf_arena_deinit(&arena);
}

static void no_memory_is_said_and_nothing_is_lost(void)
{
    for (int calls = 0; calls < 3; calls++) {
        struct fake_alloc state = {calls, 0, 0};
        struct kp_mem mem = fake_alloc_mem(&state);
        struct cf_arena arena;
        int got = 0;

        arena = (struct cf_arena){.mem = &mem};
        while (cf_arena_alloc(&arena, 10000))
            got++;
        CHECK_INT(got, calls);
        CHECK(arena.failed);
        CHECK_TEXT(cf_arena_text(&arena, kp_text_of(calls > 5 ? "a" : "")), KP_TEXT(""));
        cf_arena_deinit(&arena);
        CHECK_INT(state.live, 0);
    }
}

static void absurd_sizes_are_refused(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};

    CHECK(cf_arena_array(&arena, SIZE_MAX / 2, 4) == NULL);
    CHECK(cf_arena_alloc(&arena, SIZE_MAX - 3) == NULL);
    cf_arena_deinit(&arena);
    arena.bytes_max = 20000;
    CHECK(cf_arena_alloc(&arena, 100) != NULL);
    CHECK(cf_arena_alloc(&arena, 17000) == NULL);
    cf_arena_deinit(&arena);
}

const struct unit_test arena_test[] = {
    {"pieces are aligned, zeroed and apart", pieces_are_aligned_zeroed_and_apart},
    {"no memory is said and nothing is lost", no_memory_is_said_and_nothing_is_lost},
    {"absurd sizes are refused", absurd_sizes_are_refused},
    {0},
};
