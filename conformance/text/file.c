#include "conformance/text/file.h"

#include "conformance/text/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK_BYTES 65536
#define WRITER_NAPS 60 /* three seconds */

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

/* A pipe has an end at once while nobody has opened it to write: for that we wait, but not for
 * ever. Returns: its first byte, or EOF. */
static int await_writer(int fd)
{
    const struct timespec nap = {.tv_nsec = 50000000};
    unsigned char byte;
    ssize_t got = read(fd, &byte, 1);

    for (int naps = 0; got == 0 && naps < WRITER_NAPS; naps++) {
        nanosleep(&nap, NULL);
        got = read(fd, &byte, 1);
    }
    errno = got == 0 ? ETIMEDOUT : errno;
    return got == 1 ? byte : EOF;
}

static FILE *open_to_read(const char *name)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about = {0};
    FILE *file;
    int first = EOF;

    if (fd < 0)
        return NULL;
    fstat(fd, &about);
    errno = 0;
    if (S_ISFIFO(about.st_mode))
        first = await_writer(fd);
    fcntl(fd, F_SETFL, O_RDONLY);
    file = errno == ETIMEDOUT ? NULL : fdopen(fd, "rb");
    if (!file)
        close(fd);
    if (file && first != EOF)
        ungetc(first, file);
    return file;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static bool is_packed(struct kp_text bytes)
{
    return bytes.len > 2 && memcmp(bytes.bytes, "\x1f\x8b", 2) == 0;
}

static int inflate_all(z_stream *stream, size_t bytes_max, struct cf_out *out)
{
    int end;

    do {
        cf_out_reserve(out, CHUNK_BYTES);
        stream->next_out = (Bytef *)(out->bytes + out->len);
        stream->avail_out = CHUNK_BYTES;
        end = inflate(stream, Z_NO_FLUSH);
        out->len += CHUNK_BYTES - stream->avail_out;
    } while (end == Z_OK && out->len <= bytes_max);
    return end;
}

/* What gzip packed stands in its place, unpacked. */
static const char *unpack(struct cf_arena *arena, size_t bytes_max, struct kp_text *bytes)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes->bytes, .avail_in = (uInt)bytes->len};
    struct cf_out out = {0};
    const char *why = NULL;
    int end;

    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        return "out of memory";
    end = inflate_all(&stream, bytes_max, &out);
    inflateEnd(&stream);
    if (out.len > bytes_max)
        why = cf_arena_format(arena, "larger than %zu bytes when unpacked", bytes_max).bytes;
    else if (end != Z_STREAM_END)
        why = "no whole gzip file";
    else
        *bytes = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    if (why)
        *bytes = KP_TEXT_NONE;
    return arena->failed ? "out of memory" : why;
}

const char *cf_file_read(struct cf_arena *arena, const char *name, size_t bytes_max,
                         struct kp_text *out)
{
    bool standard = strcmp(name, "-") == 0;
    FILE *file = standard ? stdin : open_to_read(name);
    const char *why;

    *out = KP_TEXT_NONE;
    if (!file && errno == ETIMEDOUT)
        return "nobody writes to this pipe";
    if (!file)
        return cf_arena_text(arena, kp_text_of(strerror(errno))).bytes;
    why = read_all(arena, file, bytes_max, out);
    if (!standard)
        fclose(file);
    return !why && is_packed(*out) ? unpack(arena, bytes_max, out) : why;
}
