#!/bin/sh
# embed_test.sh CC: install into a scratch root, then build and run a program that knows only pkg-config.
set -eu
stage=build/stage
rm -rf "$stage"
(umask 077 && make -s install DESTDIR="$stage" PREFIX=/usr >/dev/null)
hidden=$(find "$stage/usr" ! -perm -o+r)
[ -z "$hidden" ] || { echo "embed: others cannot read: $hidden" >&2; exit 1; }
cat > "$stage/program.c" <<'PROGRAM'
/* A container with a readiness probe: the kubelet asks for a sandbox, then for its start; once it runs it is probed. */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>

static void *take(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void give_back(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

/* The last thing that was asked of the runtime, and the probes. */
struct seen {
    enum kp_effect_kind asked;
    int probes;
};

static void see(void *ctx, const struct kp_effect *effect)
{
    struct seen *seen = ctx;

    if (effect->kind == KP_EFFECT_SANDBOX || effect->kind == KP_EFFECT_START)
        seen->asked = effect->kind;
    seen->probes += effect->kind == KP_EFFECT_PROBE;
}

static void run(struct kp_engine *engine, int64_t to_ns)
{
    while (kp_engine_run(engine, to_ns) < to_ns)
        ;
}

int main(void)
{
    static const struct kp_mem mem = {take, give_back, NULL};
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    static const struct kp_probe probe = {
        .handler = {.exec = &exec}, .timeout_s = 60, .period_s = 10, .success_threshold = 1, .failure_threshold = 3};
    static const struct kp_container container = {.name = {"app", 3}, .kind = KP_REGULAR, .probes = {NULL, &probe}};
    static const struct kp_pod pod = {.name = {"web", 3}, .namespace_ = {"default", 7}, .uid = {"u", 1},
                                      .restart_policy = {"Always", 6}, .containers = &container, .regular_count = 1};
    struct kp_event sandbox = {.kind = KP_EVENT_SANDBOX, .container = -1, .u.sandbox = {.what = KP_SANDBOX_CREATE}};
    struct kp_event running = {.kind = KP_EVENT_RUNNING, .cid = {"c1", 2}};
    struct seen seen = {0};
    struct kp_profile profile;
    struct kp_engine *engine;
    uint32_t handle;

    if (kp_profile_init(&profile, kp_text_of("1.36")) != KP_OK)
        return 1;
    struct kp_engine_config config = {.profile = &profile, .uptime_ns = 3600 * KP_NS_PER_S,
                                      .sync_frequency_ns = 60 * KP_NS_PER_S, .sink = {see, &seen}};
    if (kp_engine_new(&mem, &config, &engine) != KP_OK || kp_engine_add_pod(engine, &pod, &handle) != KP_OK)
        return 1;
    run(engine, KP_NS_PER_S);
    if (seen.asked != KP_EFFECT_SANDBOX || kp_engine_event(engine, &sandbox) != KP_OK)
        return 1;
    run(engine, 2 * KP_NS_PER_S);
    if (seen.asked != KP_EFFECT_START || kp_engine_event(engine, &running) != KP_OK)
        return 1;
    run(engine, 30 * KP_NS_PER_S);
    kp_engine_free(engine);
    printf("%d probe begun by the embedded engine\n", seen.probes);
    return seen.probes == 1 ? 0 : 1;
}
PROGRAM
cp conformance/examples/live.c "$stage/live.c"
export PKG_CONFIG_LIBDIR="$stage/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
# shellcheck disable=SC2046
"$1" -std=c11 -Wall -Wextra -Werror -o "$stage/program" "$stage/program.c" \
    $(pkg-config --cflags --libs libkubeprobe)
"$stage/program"
# The optional part: the prober alone, with probes that are fired.
export PKG_CONFIG_PATH="$PKG_CONFIG_LIBDIR"
unset PKG_CONFIG_LIBDIR
# shellcheck disable=SC2046
"$1" -std=c11 -Wall -Wextra -Werror -fno-lto -o "$stage/live" "$stage/live.c" \
    $(pkg-config --cflags --libs libkubeprobe-handlers)
"$stage/live"
