#include "conformance/table/builtin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

/* TABLE_BYTES, unpacked, and the bytes. */
#include "table.def"
static const unsigned char packed[] = {TABLE};

static void *take(void *arena, unsigned count, unsigned size)
{
    return cf_arena_array(arena, count, size);
}

static void give_back(void *arena, void *block)
{
    (void)arena; /* takes all back at once */
    (void)block;
}

struct kp_text cf_builtin_table(struct cf_arena *arena)
{
    enum { GZIP = 16 + MAX_WBITS };
    char *table = cf_arena_alloc(arena, TABLE_BYTES);
    z_stream stream = {.next_in = packed,
                       .avail_in = sizeof packed,
                       .next_out = (unsigned char *)table,
                       .avail_out = TABLE_BYTES,
                       .zalloc = take,
                       .zfree = give_back,
                       .opaque = arena};
    int end;

    if (!table || inflateInit2(&stream, GZIP) != Z_OK)
        return KP_TEXT_NONE;
    end = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    assert(end == Z_STREAM_END || arena->failed);
    return end == Z_STREAM_END ? (struct kp_text){table, TABLE_BYTES} : KP_TEXT_NONE;
}

bool cf_builtin_next(struct kp_text *table, struct kp_text *name, struct kp_text *text)
{
    const char *space = table->len > 0 ? memchr(table->bytes, ' ', table->len) : NULL;
    char *behind;
    size_t head;

    if (!space)
        return false;
    *name = (struct kp_text){table->bytes, (size_t)(space - table->bytes)};
    text->len = strtoul(space + 1, &behind, 10);
    text->bytes = behind + 1;
    head = (size_t)(text->bytes - table->bytes);
    assert(text->len <= table->len - head);
    *table = (struct kp_text){text->bytes + text->len, table->len - head - text->len};
    return true;
}

struct kp_text cf_builtin_file(struct cf_arena *arena, const char *name)
{
    struct kp_text table = cf_builtin_table(arena);
    struct kp_text found;
    struct kp_text text;

    while (cf_builtin_next(&table, &found, &text))
        if (kp_text_equal(found, kp_text_of(name)))
            return text;
    return KP_TEXT_NONE;
}
