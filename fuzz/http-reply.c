/* http-reply.c: bytes as the head of an HTTP reply, line by line, as the http handler is given
 * them. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kp_mem mem = fake_alloc_plain();
    const char *at = (const char *)data;
    const char *end = at + size;
    struct kp_http_reply reply;
    struct kp_scratch scratch;
    bool taken = true;

    kp_scratch_init(&scratch, &mem);
    kp_http_reply_init(&reply, &scratch);
    if (at < end)
        reply.multiplexed = *at++ % 8 == 7;
    if (end - at < 5 || memcmp(at, "HTTP/", 5) != 0)
        at = end;               /* libcurl hands on nothing that does not begin so */
    while (at < end && taken) { /* behind the head: trailers */
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline + 1 : end;

        taken = kp_http_reply_line(&reply, (struct kp_text){at, (size_t)(stop - at)});
        check(&reply, taken);
        at = stop;
    }
    kp_scratch_say(&scratch, &reply.why);
    kp_scratch_deinit(&scratch);
    return 0;
}
