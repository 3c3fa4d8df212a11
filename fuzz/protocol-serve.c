/* protocol-serve.c: lines of requests to `probetest serve`: each gets exactly one line in return,
 * which a runner can read: `ok`, or an error with a code. */
#include "conformance/protocol/serve.h"
#include "conformance/protocol/wire.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

static void check(struct kp_text reply)
{
    struct cf_reader reader = {0};
    const struct cf_node *node;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    PROMISE(reply.len > 0 && memchr(reply.bytes, '\n', reply.len) == reply.bytes + reply.len - 1);
    reader.arena = &arena;
    node = cf_read_line(&reader, (struct kp_text){reply.bytes, reply.len - 1});
    PROMISE(node && (cf_node_find(node, "ok") != NULL) !=
                        (cf_node_find(cf_node_find(node, "error"), "code") != NULL));
    cf_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_serve *serve = cf_serve_new(cf_libc_mem());
    const char *at = (const char *)data;
    const char *end = at + size;

    while (serve && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        check(cf_serve_line(serve, (struct kp_text){at, (size_t)(stop - at)}));
        at = newline ? newline + 1 : end;
    }
    cf_serve_free(serve);
    return 0;
}
