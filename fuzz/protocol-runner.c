/*
 * protocol-runner.c: lines as an adapter replies them: what is refused has a reason; an effect or a
 * hello that is taken is written as it would be read again.
 */
#include "conformance/pod/check.h"
#include "conformance/protocol/wire.h"
#include "fuzz/fuzz.h"
#include "fuzz/shared/mutate.h"
#include "fuzz/shared/profile.h"

#include <string.h>

static const struct kp_pod *pod_of(struct cf_arena *arena)
{
    static const char yaml[] =
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: "
        "[{name: web, image: i}, {name: app, image: i}]}}";
    struct cf_check_reply reply = {0};

    PROMISE(cf_check_yaml(arena, fuzz_profile(KP_NEWEST), kp_text_of(yaml), &reply) == KP_OK &&
            reply.pod);
    return reply.decoded.pod;
}

static void read_effect(struct cf_arena *arena, const struct cf_node *node,
                        const struct cf_wire_pods *pods)
{
    struct cf_reader reader = {.arena = arena};
    struct kp_effect effect = {.spec = pods->list[0]};
    struct cf_out first = {0};
    struct cf_out again = {0};

    if (!cf_read_effect(&reader, node, pods, &effect)) {
        PROMISE(reader.why.len > 0);
        return;
    }
    cf_put_effect(&first, &effect, pods->count > 1);
    node = cf_read_line(&reader, cf_out_text(&first));
    PROMISE(node && cf_read_effect(&reader, node, pods, &effect));
    cf_put_effect(&again, &effect, pods->count > 1);
    PROMISE(kp_text_equal(cf_out_text(&first), cf_out_text(&again)));
    cf_out_deinit(&first);
    cf_out_deinit(&again);
}

static void read_hello(struct cf_arena *arena, const struct cf_node *node)
{
    struct cf_reader reader = {.arena = arena};
    struct cf_hello_ok about = {0};
    struct cf_out out = {0};

    if (!cf_read_hello_ok(&reader, node, &about)) {
        PROMISE(reader.why.len > 0);
        return;
    }
    cf_put_hello_ok(&out, &about);
    node = cf_read_line(&reader, cf_out_text(&out));
    PROMISE(node && cf_read_hello_ok(&reader, node, &about));
    cf_out_deinit(&out);
}

static void read_reply(struct cf_arena *arena, const struct kp_pod *pod, struct kp_text line)
{
    struct cf_reader reader = {.arena = arena};
    const struct cf_node *reply = cf_read_line(&reader, line);
    const struct cf_node *ok = cf_node_find(reply, "ok");
    const struct cf_node *effects = cf_node_find(ok, "effects");
    struct kp_pod other = *pod;
    const struct kp_pod *list[] = {pod, &other};

    other.name = KP_TEXT("q");
    PROMISE(reply || reader.why.len > 0);
    if (ok)
        read_hello(arena, ok);
    for (const struct cf_node *one = effects ? effects->first : NULL; one; one = one->next)
        for (size_t count = 1; count <= 2; count++)
            read_effect(arena, one, &(struct cf_wire_pods){list, count});
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_lines(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;
    const char *end = at + size;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    const struct kp_pod *pod;

    pod = pod_of(&arena);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        read_reply(&arena, pod, (struct kp_text){at, (size_t)(stop - at)});
        at = newline ? newline + 1 : end;
    }
    cf_arena_deinit(&arena);
    return 0;
}
