#include "http1.h"

#include <string.h>

#define LINE_BYTES_MAX (1024 * 1024) /* by which a line is known; what follows is counted only */

void kp_http1_init(struct kp_http1 *http1, struct kp_http_reply *reply, const struct kp_mem *mem)
{
    *http1 = (struct kp_http1){.reply = reply, .mem = mem};
}

void kp_http1_deinit(struct kp_http1 *http1)
{
    if (http1->line)
        kp_mem_free(http1->mem, http1->line);
    http1->line = NULL;
}

static struct kp_text take(struct kp_text *bytes, size_t len)
{
    struct kp_text first = {bytes->bytes, len};

    *bytes = kp_text_from(*bytes, len);
    return first;
}

/* ---- the head -------------------------------------------------------------------------------- */

static bool grow_line(struct kp_http1 *http1, size_t needed)
{
    size_t need = needed > 256 ? needed : 256;
    char *grown = kp_grow(http1->mem, http1->line, &http1->line_cap, need, 1);

    if (grown)
        http1->line = grown;
    return grown != NULL;
}

/* A piece of a line, which is kept as far as anybody looks at it. */
static bool keep(struct kp_http1 *http1, struct kp_text piece)
{
    size_t room = LINE_BYTES_MAX - http1->line_len;
    size_t kept = piece.len < room ? piece.len : room;

    if (!grow_line(http1, http1->line_len + kept))
        return false;
    if (kept > 0)
        memcpy(http1->line + http1->line_len, piece.bytes, kept);
    http1->line_len += kept;
    http1->reply->head_bytes += piece.len - kept;
    return true;
}

static bool has_no_body(int status)
{
    return status == 101 || status == 204 || status == 304;
}

static bool begin_chunks(struct kp_http1 *http1)
{
    http1->at = KP_HTTP1_CHUNKED;
    http1->chunks = kp_scratch_alloc(http1->reply->scratch, sizeof *http1->chunks);
    if (!http1->chunks)
        return false;
    http1->chunks->profile = http1->reply->profile;
    return true;
}

static bool begin_body(struct kp_http1 *http1)
{
    const struct kp_http_reply *reply = http1->reply;

    if (kp_http_reply_switches(reply))
        http1->at = KP_HTTP1_TO_THE_END;
    else if (has_no_body(reply->status) || reply->content_length == 0) /* -1 where in chunks */
        http1->at = KP_HTTP1_IS_OVER;
    else if (reply->has_encoding)
        return begin_chunks(http1);
    else if (reply->content_length > 0)
        http1->at = KP_HTTP1_COUNTED;
    else
        http1->at = KP_HTTP1_TO_THE_END;
    http1->left = (uint64_t)reply->content_length;
    return true;
}

static enum kp_http1_step take_line(struct kp_http1 *http1, struct kp_text line)
{
    http1->line_len = 0;
    if (!kp_http_reply_line(http1->reply, line))
        return KP_HTTP1_REFUSED;
    if (!http1->reply->complete)
        return KP_HTTP1_MORE;
    return begin_body(http1) ? KP_HTTP1_HEAD : KP_HTTP1_NO_MEMORY;
}

/* Is the line so long that Go has enough of it? */
static bool is_enough(const struct kp_http1 *http1)
{
    return http1->reply->head_bytes + http1->line_len > KP_HTTP_HEAD_BYTES_MAX;
}

/* A line, which mostly comes whole. */
static enum kp_http1_step take_head(struct kp_http1 *http1, struct kp_text *bytes)
{
    const char *newline = memchr(bytes->bytes, '\n', bytes->len);
    struct kp_text piece = take(bytes, newline ? (size_t)(newline - bytes->bytes) + 1 : bytes->len);

    if (newline && http1->line_len == 0)
        return take_line(http1, piece);
    if (!keep(http1, piece))
        return KP_HTTP1_NO_MEMORY;
    if (!newline && !is_enough(http1))
        return KP_HTTP1_MORE;
    return take_line(http1, (struct kp_text){http1->line, http1->line_len});
}

/* ---- the body -------------------------------------------------------------------------------- */

static enum kp_http1_step break_body(struct kp_text *data, struct kp_text why)
{
    *data = why;
    return KP_HTTP1_BROKEN;
}

static enum kp_http1_step end_chunks(struct kp_http1 *http1, struct kp_text *data)
{
    struct kp_text why = kp_http_reply_trailer(http1->reply, kp_http_chunks_trailer(http1->chunks));

    http1->at = KP_HTTP1_IS_OVER;
    return why.len > 0 ? break_body(data, why) : KP_HTTP1_END;
}

static enum kp_http1_step take_chunks(struct kp_http1 *http1, struct kp_text *bytes,
                                      struct kp_text *data)
{
    const char *why = NULL;

    switch (kp_http_chunks_take(http1->chunks, bytes, data, &why)) {
    case KP_HTTP_CHUNK_SOME:
        return KP_HTTP1_DATA;
    case KP_HTTP_CHUNK_LAST:
        return end_chunks(http1, data);
    case KP_HTTP_CHUNK_BAD:
        return break_body(data, kp_text_of(why));
    default:
        return KP_HTTP1_MORE;
    }
}

static enum kp_http1_step take_counted(struct kp_http1 *http1, struct kp_text *bytes,
                                       struct kp_text *data)
{
    if (http1->left == 0)
        return KP_HTTP1_END;
    if (bytes->len == 0)
        return KP_HTTP1_MORE;
    *data = take(bytes, http1->left < bytes->len ? (size_t)http1->left : bytes->len);
    http1->left -= data->len;
    return KP_HTTP1_DATA;
}

enum kp_http1_step kp_http1_take(struct kp_http1 *http1, struct kp_text *bytes,
                                 struct kp_text *data)
{
    enum kp_http1_step step = KP_HTTP1_MORE;

    switch (http1->at) {
    case KP_HTTP1_IN_HEAD:
        while (step == KP_HTTP1_MORE && bytes->len > 0)
            step = take_head(http1, bytes);
        return step;
    case KP_HTTP1_COUNTED:
        return take_counted(http1, bytes, data);
    case KP_HTTP1_CHUNKED:
        return take_chunks(http1, bytes, data);
    case KP_HTTP1_TO_THE_END:
        if (bytes->len == 0)
            return KP_HTTP1_MORE;
        *data = take(bytes, bytes->len);
        return KP_HTTP1_DATA;
    default:
        return KP_HTTP1_END;
    }
}

/* ---- the end of the connection --------------------------------------------------------------- */

/* It ends a line, too. */
static enum kp_http1_step end_head(struct kp_http1 *http1)
{
    enum kp_http1_step step = KP_HTTP1_MORE;

    if (http1->line_len > 0)
        step = take_line(http1, (struct kp_text){http1->line, http1->line_len});
    return kp_http_reply_break(http1->reply) ? step : KP_HTTP1_REFUSED;
}

enum kp_http1_step kp_http1_end(struct kp_http1 *http1, struct kp_text *data)
{
    const char *why = http1->at == KP_HTTP1_COUNTED && http1->left > 0 ? "unexpected EOF" : NULL;

    if (http1->at == KP_HTTP1_IN_HEAD)
        return end_head(http1);
    if (http1->at == KP_HTTP1_CHUNKED)
        why = kp_http_chunks_end(http1->chunks);
    return why ? break_body(data, kp_text_of(why)) : KP_HTTP1_END;
}

enum kp_http1_step kp_http1_break(struct kp_http1 *http1, struct kp_text *data)
{
    bool in_trailer = http1->at == KP_HTTP1_CHUNKED && http1->chunks->at == KP_CHUNK_TRAILER;

    if (http1->at == KP_HTTP1_IN_HEAD)
        return end_head(http1);
    return in_trailer ? kp_http1_end(http1, data) : KP_HTTP1_MORE;
}
