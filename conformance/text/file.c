#include "conformance/text/file.h"

#include "conformance/text/out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES 65536

static const char *read_all(struct cf_arena *arena, FILE *file, size_t bytes_max,
                            struct kp_text *out)
{
    struct cf_out read = {0};
    const char *why = NULL;
    size_t got;

    do {
        cf_out_reserve(&read, CHUNK_BYTES);
        got = fread(read.bytes + read.len, 1, CHUNK_BYTES, file);
        read.len += got;
    } while (got > 0 && read.len <= bytes_max);
    if (ferror(file))
        why = cf_arena_text(arena, kp_text_of(strerror(errno))).bytes;
    else if (read.len > bytes_max) {
        why = cf_arena_format(arena, "larger than %zu bytes", bytes_max).bytes;
        *out = (struct kp_text){NULL, read.len};
    } else
        *out = cf_arena_text(arena, cf_out_text(&read));
    cf_out_deinit(&read);
    return arena->failed ? "out of memory" : why;
}

const char *cf_file_read(struct cf_arena *arena, const char *name, size_t bytes_max,
                         struct kp_text *out)
{
    bool standard = strcmp(name, "-") == 0;
    FILE *file = standard ? stdin : fopen(name, "rb");
    const char *why;

    *out = KP_TEXT_NONE;
    if (!file)
        return cf_arena_text(arena, kp_text_of(strerror(errno))).bytes;
    why = read_all(arena, file, bytes_max, out);
    if (!standard)
        fclose(file);
    return why;
}
