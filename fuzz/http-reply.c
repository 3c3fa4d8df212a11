/* http-reply.c: bytes as the head of an HTTP reply, line by line, as the http handler is given
 * them, and what is behind it as a body in chunks, to the Go of some release; the first byte says
 * which. */
#include "core/handlers/http_chunks.h"
#include "core/handlers/http_reply.h"
#include "fakes/alloc.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/profile.h"

#include <string.h>

/* A release for each way that Go has read a head or chunks. */
static const char *const versions[] = {KP_NEWEST, "1.15", "1.24", "1.29",
                                       "1.30",    "1.31", "1.33", "1.35"};

static void check(const struct kp_http_reply *reply, bool taken)
{
    PROMISE(taken || (reply->refused && reply->why.count > 0));
    PROMISE(reply->refused || (reply->status >= 0 && reply->status <= 999));
    PROMISE(reply->content_length >= -1);
    PROMISE(reply->location.len == 0 || reply->location.bytes);
    PROMISE(!reply->complete || reply->status >= 0 || reply->refused);
}

/* What became of a body in chunks. */
struct body {
    size_t data_len;
    const char *why;
    struct kp_text trailer; /* what is said of it */
};

static struct body take_chunks(const struct kp_http_reply *reply, struct kp_text bytes, size_t step)
{
    struct kp_http_chunks chunks = {.profile = reply->profile};
    enum kp_http_chunk what = KP_HTTP_CHUNK_MORE;
    struct body body = {0};
    struct kp_text data;

    while (bytes.len > 0 && what == KP_HTTP_CHUNK_MORE) {
        struct kp_text piece = {bytes.bytes, bytes.len < step ? bytes.len : step};

        bytes = (struct kp_text){bytes.bytes + piece.len, bytes.len - piece.len};
        while ((what = kp_http_chunks_take(&chunks, &piece, &data, &body.why)) ==
               KP_HTTP_CHUNK_SOME)
            body.data_len += data.len;
        PROMISE(what != KP_HTTP_CHUNK_MORE || piece.len == 0);
        PROMISE((what == KP_HTTP_CHUNK_BAD) == (body.why != NULL));
    }
    if (what == KP_HTTP_CHUNK_MORE)
        body.why = kp_http_chunks_end(&chunks);
    if (what == KP_HTTP_CHUNK_LAST)
        body.trailer = kp_http_reply_trailer(reply, kp_http_chunks_trailer(&chunks));
    return body;
}

/* In one piece, and byte by byte: the same data, the same end. */
static void check_body(const struct kp_http_reply *reply, struct kp_text bytes)
{
    struct body whole = take_chunks(reply, bytes, bytes.len);
    struct body slow = take_chunks(reply, bytes, 1);

    PROMISE(whole.data_len == slow.data_len && whole.data_len <= bytes.len);
    PROMISE(whole.why == slow.why && kp_text_equal(whole.trailer, slow.trailer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_mem mem = fake_alloc_plain();
    const char *at = (const char *)data;
    const char *end = at + size;
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    bool taken = true;
    const struct kp_profile *profile = fuzz_profile(versions[size > 0 ? data[0] / 8 % 8 : 0]);

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch, profile);
    at += at < end;
    while (at < end && taken && !reply.complete) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline + 1 : end;

        taken = kp_http_reply_line(&reply, (struct kp_text){at, (size_t)(stop - at)});
        check(&reply, taken);
        at = stop;
    }
    check_body(&reply, (struct kp_text){at, (size_t)(end - at)});
    kp_scratch_message(&scratch, &reply.why);
    kp_scratch_deinit(&scratch);
    return 0;
}
