/* protocol-serve.c: lines of requests to `probetest serve`: each gets exactly one line in return.
 */
#include "conformance/protocol/serve.h"
#include "conformance/text/arena.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());
    const char *at = (const char *)data;
    const char *end = at + size;

    while (serve && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct kp_text reply = cf_serve_line(serve, (struct kp_text){at, (size_t)(stop - at)});

        PROMISE(reply.len > 0 &&
                memchr(reply.bytes, '\n', reply.len) == reply.bytes + reply.len - 1);
        at = newline ? newline + 1 : end;
    }
    cf_serve_free(serve);
    return 0;
}
