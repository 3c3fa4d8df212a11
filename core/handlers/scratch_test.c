#include "scratch.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* Pieces of all sizes, next to each other and beyond a block: each is whole, apart from the others
 * and where anything may stand. */
static void pieces_lie_apart(void)
{
    enum { PIECES = 300 };
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    unsigned char *pieces[PIECES];
    struct kp_scratch scratch;

    kp_scratch_init(&scratch, &mem);
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = kp_scratch_alloc(&scratch, i * 37 % 211);
        CHECK_INT((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        if (!CHECK(pieces[i] != NULL)) {
            kp_scratch_deinit(&scratch);
            return;
        }
        memset(pieces[i], (int)i, i * 37 % 211);
    }
    CHECK(state.calls > 5);
    CHECK(state.calls < 20); /* of a few blocks */
    for (size_t i = 0; i < PIECES; i++)
        for (size_t k = 0; k < i * 37 % 211; k++)
            CHECK_INT(pieces[i][k], (unsigned char)i);
    CHECK(kp_scratch_alloc(&scratch, 100000) != NULL);
    CHECK(!scratch.failed);
    kp_scratch_deinit(&scratch);
    CHECK_INT(state.live, 0);
}

static void what_there_is_no_memory_for_is_remembered(void)
{
    struct fake_alloc state = {.fail_at = 0};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_scratch scratch;

    kp_scratch_init(&scratch, &mem);
    CHECK(kp_scratch_alloc(&scratch, 8) == NULL);
    CHECK(scratch.failed);
    state.fail_at = state.calls;
    CHECK_TEXT(kp_scratch_copy(&scratch, KP_TEXT("a")), KP_TEXT(""));
    state.fail_at = state.calls;
    CHECK_TEXT(kp_scratch_errno(&scratch, ENOENT), KP_TEXT("errno not known"));
    kp_scratch_deinit(&scratch);
    CHECK_INT(state.live, 0);
}

/* What is added is all there, however often it grew for it, or none of it is. */
static void texts_grow(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_buf buf = {0};
    struct kp_scratch scratch;

    kp_scratch_init(&scratch, &mem);
    kp_scratch_put(&scratch, &buf, KP_TEXT(""));
    for (size_t i = 0; i < 1000; i++)
        kp_scratch_put(&scratch, &buf, (struct kp_text){"abcdefg", i % 8});
    CHECK_INT(buf.need, 1000 / 8 * 28);
    for (size_t i = 0, at = 0; i < 1000; at += i++ % 8)
        CHECK_TEXT(((struct kp_text){buf.bytes + at, i % 8}), ((struct kp_text){"abcdefg", i % 8}));
    state.fail_at = state.calls;
    kp_scratch_put(&scratch, &buf, (struct kp_text){buf.bytes, 1000});
    CHECK(scratch.failed);
    CHECK_INT(buf.need, 1000 / 8 * 28);
    kp_scratch_deinit(&scratch);
    CHECK_INT(state.live, 0);
}

/* As Go prints them: the first letter is small. */
static void errors_have_gos_words(void)
{
    struct fake_alloc state = {.fail_at = FAKE_ALLOC_NEVER};
    struct kp_mem mem = fake_alloc_mem(&state);
    struct kp_scratch scratch;
    struct kp_text behind;
    struct kp_buf buf;

    kp_scratch_init(&scratch, &mem);
    CHECK_TEXT(kp_scratch_errno(&scratch, ENOENT), KP_TEXT("no such file or directory"));
    CHECK_TEXT(kp_scratch_errno(&scratch, E2BIG), KP_TEXT("argument list too long"));
    CHECK_TEXT(kp_scratch_errno(&scratch, ELIBSCN), KP_TEXT(".lib section in a.out corrupted"));
    CHECK_TEXT(kp_scratch_errno(&scratch, 9999), KP_TEXT("errno not known"));
    CHECK_TEXT(kp_scratch_copy(&scratch, KP_TEXT("a")), KP_TEXT("a"));
    CHECK_INT(kp_scratch_copy(&scratch, KP_TEXT("abc")).bytes[3], 0);
    buf = kp_scratch_buf(&scratch, alignof(max_align_t));
    behind = kp_scratch_copy(&scratch, KP_TEXT("behind"));
    memset(buf.bytes, 'x', alignof(max_align_t));
    buf.bytes[alignof(max_align_t)] = '\0'; /* for which there is room, too */
    CHECK_TEXT(behind, KP_TEXT("behind"));
    kp_scratch_deinit(&scratch);
    state.fail_at = state.calls;
    kp_scratch_init(&scratch, &mem);
    CHECK_TEXT(kp_scratch_errno(&scratch, ENOENT), KP_TEXT("errno not known"));
    kp_scratch_deinit(&scratch);
    CHECK_INT(state.live, 0);
}

const struct unit_test scratch_test[] = {
    {"pieces lie apart", pieces_lie_apart},
    {"what there is no memory for is remembered", what_there_is_no_memory_for_is_remembered},
    {"texts grow", texts_grow},
    {"errors have Go's words", errors_have_gos_words},
    {0},
};
