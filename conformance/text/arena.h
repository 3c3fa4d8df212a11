/*
 * arena.h: memory for one document: taken piece by piece, given back all at once.
 *
 * A parsed case or pod owns all its text and structs in one arena.  Memory comes from the struct
 * kp_mem handed in. When that has none, the call returns NULL (or an empty text) and `failed` stays
 * set, so a long job may check once, at its end.
 */
#pragma once

#include "core/base/mem.h"
#include "core/base/text.h"

struct cf_arena_block;

/* {.mem = cf_libc_mem()} is an empty one. */
struct cf_arena {
    const struct kp_mem *mem; /* borrowed until deinit */
    struct cf_arena_block *blocks;
    size_t used;      /* of the newest block */
    size_t bytes;     /* taken from mem so far, in all */
    size_t bytes_max; /* 0: no limit; else allocation fails beyond it */
    bool failed;
};

void cf_arena_deinit(struct cf_arena *arena);
/* What `from` holds lives on in `arena`, which must have the same memory; `from` is empty then. */
void cf_arena_adopt(struct cf_arena *arena, struct cf_arena *from);

/* Zeroed and aligned for any type; NULL: there is none. */
void *cf_arena_alloc(struct cf_arena *arena, size_t bytes);
/* The same for `count` items of `size` bytes; NULL also where the product overflows. */
void *cf_arena_array(struct cf_arena *arena, size_t count, size_t size);
/*
 * Room for one item more than `count`: the array itself, or where all its *cap items are taken a
 * copy in a larger one, zeroed behind them; *cap says how large.  NULL: there is no memory.
 */
void *cf_arena_grow(struct cf_arena *arena, void *items, size_t *cap, size_t count, size_t size);
/* A copy with a NUL behind it (which len does not count), so that it also serves as a C string. */
struct kp_text cf_arena_text(struct cf_arena *arena, struct kp_text text);
/* An empty text with room for so many bytes, and a NUL behind them; with none where there is no
 * memory. */
struct kp_buf cf_arena_buf(struct cf_arena *arena, size_t bytes);
/* As printf. */
struct kp_text cf_arena_format(struct cf_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The C library's allocator as a struct kp_mem: where it has no memory the process ends. */
const struct kp_mem *cf_libc_mem(void);
/* Say so on stderr and end the process, with the exit code of bad input; what was printed stays. */
_Noreturn void cf_out_of_memory(void);
