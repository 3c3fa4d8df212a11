#include "conformance/table/guard.h"

#include "conformance/text/file.h"
#include "conformance/text/sha256.h"

#include <string.h>
#include <unistd.h>

#define MANIFEST_BYTES_MAX ((size_t)1 << 20)

/* "<64 digits>  name"; false: it is no such line. */
static bool take_line(struct cf_guard *guard, struct kp_text line)
{
    struct kp_text name = {line.bytes + CF_SHA256_HEX + 2, 0};

    if (line.len <= CF_SHA256_HEX + 2 || line.bytes[CF_SHA256_HEX] != ' ')
        return false;
    name.len = line.len - CF_SHA256_HEX - 2;
    guard->files[guard->count++] = (struct cf_guarded){name, {line.bytes, CF_SHA256_HEX}, false};
    return name.bytes[0] != '/' && name.bytes[0] != '.';
}

static const char *take_file(struct cf_guard *guard, struct cf_arena *arena, const char *path)
{
    struct kp_text text = KP_TEXT_NONE;
    struct kp_text line;
    const char *why = cf_file_read(arena, path, MANIFEST_BYTES_MAX, &text);

    if (why)
        return why;
    guard->files = cf_arena_array(arena, text.len / CF_SHA256_HEX + 1, sizeof *guard->files);
    guard->guarded = guard->files != NULL;
    while (guard->files && kp_text_next_line(&text, &line))
        if (!take_line(guard, line))
            return "wanted lines as sha256sum writes them";
    return NULL;
}

const char *cf_guard_begin(struct cf_guard *guard, struct cf_arena *arena, const char *folder)
{
    const char *path = cf_arena_format(arena, "%s/MANIFEST", folder).bytes;

    *guard = (struct cf_guard){0};
    return path && access(path, F_OK) == 0 ? take_file(guard, arena, path) : NULL;
}

const char *cf_guard_check(struct cf_guard *guard, const char *name, struct kp_text text)
{
    char hash[CF_SHA256_HEX + 1];
    struct cf_sha256 sha;

    if (!guard->guarded)
        return NULL;
    for (size_t i = 0; i < guard->count; i++) {
        if (!kp_text_equal(guard->files[i].name, kp_text_of(name)))
            continue;
        guard->files[i].seen = true;
        cf_sha256_init(&sha);
        cf_sha256_put(&sha, text);
        cf_sha256_take(&sha, hash);
        if (kp_text_equal(guard->files[i].hash, kp_text_of(hash)))
            return NULL;
        return "it is not the file whose hash stands in MANIFEST";
    }
    return "it is not in MANIFEST";
}

const char *cf_guard_missing(struct cf_guard *guard, struct cf_arena *arena)
{
    for (size_t i = 0; i < guard->count; i++) {
        if (guard->files[i].seen)
            continue;
        guard->files[i].seen = true;
        return cf_arena_text(arena, guard->files[i].name).bytes;
    }
    return NULL;
}
