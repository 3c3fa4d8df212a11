/* http-reply.c: bytes as the head of an HTTP reply, line by line, as the http handler is given
 * them, and what is behind it as a body in chunks. */
#include "core/handlers/http_chunks.h"
#include "core/handlers/http_reply.h"
#include "fakes/alloc.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check(const struct kp_http_reply *reply, bool taken)
{
    PROMISE(taken || (reply->refused && reply->why.count > 0));
    PROMISE(reply->refused || (reply->status >= 0 && reply->status <= 999));
    PROMISE(reply->content_length >= -1);
    PROMISE(reply->location.len == 0 || reply->location.bytes);
    PROMISE(!reply->complete || reply->status >= 0 || reply->refused);
}

/* In one piece, and byte by byte: the same data, the same end. */
static void take_chunks(struct kp_text body, size_t step, bool old, size_t *data_len,
                        const char **why)
{
    struct kp_http_chunks chunks = {.lines_end_with_lf = old, .excess_counts = !old};
    enum kp_http_chunk what = KP_HTTP_CHUNK_MORE;
    struct kp_text data;

    *data_len = 0;
    *why = NULL;
    while (body.len > 0 && what == KP_HTTP_CHUNK_MORE) {
        struct kp_text piece = {body.bytes, body.len < step ? body.len : step};

        body = (struct kp_text){body.bytes + piece.len, body.len - piece.len};
        while ((what = kp_http_chunks_take(&chunks, &piece, &data, why)) == KP_HTTP_CHUNK_SOME)
            *data_len += data.len;
        PROMISE(what != KP_HTTP_CHUNK_MORE || piece.len == 0);
        PROMISE((what == KP_HTTP_CHUNK_BAD) == (*why != NULL));
    }
    if (what == KP_HTTP_CHUNK_MORE)
        *why = kp_http_chunks_end(&chunks);
}

static void check_body(struct kp_text body, bool old)
{
    const char *why[2];
    size_t len[2];

    take_chunks(body, body.len, old, &len[0], &why[0]);
    take_chunks(body, 1, old, &len[1], &why[1]);
    PROMISE(len[0] == len[1] && len[0] <= body.len && why[0] == why[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_mem mem = fake_alloc_plain();
    const char *at = (const char *)data;
    const char *end = at + size;
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    bool taken = true;
    bool old = size > 0 && data[0] & 8;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch);
    if (at < end)
        reply.multiplexed = *at++ % 8 == 7;
    if (end - at < 5 || memcmp(at, "HTTP/", 5) != 0)
        at = end; /* libcurl hands on nothing that does not begin so */
    while (at < end && taken && !reply.complete) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline + 1 : end;

        taken = kp_http_reply_line(&reply, (struct kp_text){at, (size_t)(stop - at)});
        check(&reply, taken);
        at = stop;
    }
    check_body((struct kp_text){at, (size_t)(end - at)}, old);
    kp_scratch_say(&scratch, &reply.why);
    kp_scratch_deinit(&scratch);
    return 0;
}
