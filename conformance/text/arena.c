#define _DEFAULT_SOURCE /* madvise */
#include "conformance/text/arena.h"

#include "conformance/text/cli.h"
#include "core/base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An arena that has grown large, such as the table's, grows by a huge page. */
enum { BLOCK_BYTES = 16 * 1024, HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

struct cf_arena_block {
    struct cf_arena_block *older;
    size_t cap;
    max_align_t storage[];
};

void cf_arena_deinit(struct cf_arena *arena)
{
    while (arena->blocks) {
        struct cf_arena_block *older = arena->blocks->older;

        kp_mem_free(arena->mem, arena->blocks);
        arena->blocks = older;
    }
    *arena = (struct cf_arena){.mem = arena->mem};
}

/* Behind the newest block, which goes on being filled. */
void cf_arena_adopt(struct cf_arena *arena, struct cf_arena *from)
{
    struct cf_arena_block *oldest = from->blocks;

    if (!oldest)
        return;
    while (oldest->older)
        oldest = oldest->older;
    if (arena->blocks) {
        oldest->older = arena->blocks->older;
        arena->blocks->older = from->blocks;
    } else {
        arena->blocks = from->blocks;
        arena->used = from->used;
    }
    arena->bytes += from->bytes;
    *from = (struct cf_arena){.mem = from->mem};
}

static bool add_block(struct cf_arena *arena, size_t bytes)
{
    bool large = arena->bytes_max == 0 && arena->bytes >= HUGE_PAGE_BYTES;
    size_t least = large ? HUGE_PAGE_BYTES - sizeof(struct cf_arena_block) : BLOCK_BYTES;
    size_t cap = bytes > least ? bytes : least;
    size_t whole = sizeof(struct cf_arena_block) + cap;
    struct cf_arena_block *block = NULL;

    if (whole > cap && (arena->bytes_max == 0 || whole <= arena->bytes_max - arena->bytes))
        block = arena->mem->alloc(arena->mem->ctx, whole);
    if (!block)
        return false;
    block->older = arena->blocks;
    block->cap = cap;
    arena->blocks = block;
    arena->used = 0;
    arena->bytes += whole;
    kp_pool_poison(block->storage, cap);
    return true;
}

void *cf_arena_alloc(struct cf_arena *arena, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    size_t taken = bytes > SIZE_MAX - KP_POOL_GAP - align
                       ? SIZE_MAX
                       : (bytes + (bytes == 0) + KP_POOL_GAP + align - 1) / align * align;
    char *at;

    if (!arena->blocks || taken > arena->blocks->cap - arena->used) {
        if (arena->failed || taken == SIZE_MAX || !add_block(arena, taken)) {
            arena->failed = true;
            return NULL;
        }
    }
    at = (char *)arena->blocks->storage + arena->used;
    arena->used += taken;
    kp_pool_unpoison(at, bytes);
    return memset(at, 0, bytes);
}

void *cf_arena_array(struct cf_arena *arena, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size) {
        arena->failed = true;
        return NULL;
    }
    return cf_arena_alloc(arena, count * size);
}

void *cf_arena_grow(struct cf_arena *arena, void *items, size_t *cap, size_t count, size_t size)
{
    size_t larger = *cap > 0 ? 2 * *cap : 8;
    void *grown;

    if (count < *cap)
        return items;
    grown = cf_arena_array(arena, larger, size);
    if (!grown)
        return NULL;
    if (count > 0)
        memcpy(grown, items, count * size);
    *cap = larger;
    return grown;
}

struct kp_text cf_arena_text(struct cf_arena *arena, struct kp_text text)
{
    char *bytes = text.len < SIZE_MAX ? cf_arena_alloc(arena, text.len + 1) : NULL;

    if (!bytes)
        return KP_TEXT("");
    if (text.len > 0)
        memcpy(bytes, text.bytes, text.len);
    return (struct kp_text){bytes, text.len};
}

struct kp_buf cf_arena_buf(struct cf_arena *arena, size_t bytes)
{
    char *room = cf_arena_alloc(arena, bytes + 1);

    return (struct kp_buf){.bytes = room, .cap = room ? bytes : 0};
}

struct kp_text cf_arena_format(struct cf_arena *arena, const char *format, ...)
{
    va_list args;
    char *bytes;
    int len;

    va_start(args, format);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    bytes = len < 0 ? NULL : cf_arena_alloc(arena, (size_t)len + 1);
    if (!bytes)
        return KP_TEXT("");
    va_start(args, format);
    vsnprintf(bytes, (size_t)len + 1, format, args);
    va_end(args);
    return (struct kp_text){bytes, (size_t)len};
}

_Noreturn void cf_out_of_memory(void)
{
    fputs("probetest: out of memory\n", stderr);
    exit(CF_EXIT_USAGE);
}

/* The kernel gives a page at a time otherwise, and that is a third of what reading the table takes.
 */
static void *alloc_huge(size_t bytes)
{
    void *block = NULL;

    if (posix_memalign(&block, HUGE_PAGE_BYTES, bytes) != 0)
        return NULL;
    (void)madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static void *libc_alloc(void *ctx, size_t bytes)
{
    void *block = bytes >= HUGE_PAGE_BYTES ? alloc_huge(bytes) : malloc(bytes > 0 ? bytes : 1);

    (void)ctx;
    if (!block)
        cf_out_of_memory();
    return block;
}

static void libc_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

const struct kp_mem *cf_libc_mem(void)
{
    static const struct kp_mem mem = {libc_alloc, libc_free, NULL};

    return &mem;
}
