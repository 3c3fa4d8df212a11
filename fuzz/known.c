/* known.c: bytes as a file of known failures: refused with a line that exists, or read, and then
 * written as it would be read. */
#include "conformance/judge/known.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"

#include <stdio.h>

/* "line 3: ..." */
static void check_why(struct kp_text why, struct kp_text bytes)
{
    unsigned long line = 0;
    unsigned long lines = 1;

    PROMISE(why.len > 0);
    for (size_t i = 0; i < bytes.len; i++)
        lines += bytes.bytes[i] == '\n';
    if (sscanf(why.bytes, "line %lu:", &line) == 1)
        PROMISE(line >= 1 && line <= lines + 1);
}

static void check_written(struct cf_arena *arena, const struct cf_known *known)
{
    const struct cf_result nothing_played = {0};
    struct cf_reader reader = {.arena = arena};
    struct cf_known again = {0};
    struct cf_out out = {0};

    cf_known_update(known, &nothing_played, &out);
    PROMISE(cf_known_read(&reader, cf_out_text(&out), &again));
    PROMISE(again.count == known->count);
    for (size_t i = 0; i < known->count; i++)
        PROMISE(kp_text_equal(known->entries[i].id, again.entries[i].id) &&
                kp_text_equal(known->entries[i].signature, again.entries[i].signature));
    cf_out_deinit(&out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_text bytes = {(const char *)data, size};
    struct cf_known known = {0};
    struct cf_reader reader;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    reader = (struct cf_reader){.arena = &arena};
    if (cf_known_read(&reader, bytes, &known))
        check_written(&arena, &known);
    else
        check_why(reader.why, bytes);
    cf_arena_deinit(&arena);
    return 0;
}
