#include "http_body.h"

#include <string.h>

#define GZIP_ALONE (16 + MAX_WBITS) /* what inflateInit2 calls it */

void kp_http_body_init(struct kp_http_body *body, struct kp_scratch *scratch, size_t limit)
{
    *body = (struct kp_http_body){.scratch = scratch, .limit = limit};
}

/* ---- as it comes ----------------------------------------------------------------------------- */

static bool grow(struct kp_http_body *body, size_t needed)
{
    size_t need = needed > 256 ? needed : 256;
    char *grown = kp_scratch_grow(body->scratch, body->bytes, &body->cap, need);

    if (grown)
        body->bytes = grown;
    return grown != NULL;
}

static enum kp_http_body_end keep(struct kp_http_body *body, struct kp_text bytes)
{
    size_t room = body->limit - body->len;
    size_t taken = room < bytes.len ? room : bytes.len;

    if (!grow(body, body->len + taken))
        return KP_HTTP_BODY_ENOUGH;
    if (taken > 0)
        memcpy(body->bytes + body->len, bytes.bytes, taken);
    body->len += taken;
    return body->len < body->limit ? KP_HTTP_BODY_MORE : KP_HTTP_BODY_ENOUGH;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static void *alloc_for_zlib(void *ctx, uInt count, uInt size)
{
    return kp_mem_array(ctx, count, size);
}

static void free_for_zlib(void *ctx, void *block)
{
    kp_mem_free(ctx, block);
}

bool kp_http_body_unpack(struct kp_http_body *body)
{
    z_stream *gzip = kp_scratch_alloc(body->scratch, sizeof *gzip);

    if (!gzip)
        return false;
    gzip->zalloc = alloc_for_zlib;
    gzip->zfree = free_for_zlib;
    gzip->opaque = (void *)(uintptr_t)body->scratch->mem;
    if (inflateInit2(gzip, GZIP_ALONE) != Z_OK)
        return false;
    body->gzip = gzip;
    return true;
}

/* zlib's words in Go's; of bytes that make no sense Go says where they are, and this does not. */
static const char *go_words(const char *words)
{
    if (!words)
        return "flate: corrupt input";
    return strstr(words, "header") || strstr(words, "compression method") ? "gzip: invalid header"
           : strstr(words, "check")                                       ? "gzip: invalid checksum"
                                                                          : "flate: corrupt input";
}

/* One step of zlib's: what comes of it is kept.  Several files may stand behind each other. */
static enum kp_http_body_end inflate_some(struct kp_http_body *body, const char **why)
{
    z_stream *gzip = body->gzip;
    unsigned char out[4096];
    enum kp_http_body_end end;
    int result;

    gzip->next_out = out;
    gzip->avail_out = sizeof out;
    body->in_member = true;
    result = inflate(gzip, Z_NO_FLUSH);
    end = keep(body, (struct kp_text){(const char *)out, sizeof out - gzip->avail_out});
    if (end == KP_HTTP_BODY_ENOUGH || result == Z_OK)
        return end;
    if (result == Z_STREAM_END && inflateReset(gzip) == Z_OK) {
        body->in_member = false;
        return KP_HTTP_BODY_MORE;
    }
    body->scratch->failed |= result == Z_MEM_ERROR;
    *why = go_words(gzip->msg);
    return KP_HTTP_BODY_BAD;
}

/* What zlib may hold back without any input left, four matches at most, comes with the next bytes:
 * a file's last ones are its checksum. */
enum kp_http_body_end kp_http_body_take(struct kp_http_body *body, struct kp_text bytes,
                                        const char **why)
{
    enum kp_http_body_end end = KP_HTTP_BODY_MORE;

    if (!body->gzip)
        return keep(body, bytes);
    body->gzip->next_in = (unsigned char *)(uintptr_t)bytes.bytes;
    body->gzip->avail_in = (uInt)bytes.len;
    while (end == KP_HTTP_BODY_MORE && body->gzip->avail_in > 0)
        end = inflate_some(body, why);
    return end;
}

bool kp_http_body_is_whole(const struct kp_http_body *body)
{
    return !body->in_member;
}

void kp_http_body_deinit(struct kp_http_body *body)
{
    if (body->gzip)
        inflateEnd(body->gzip);
}
