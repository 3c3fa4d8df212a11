#!/bin/sh
# embed_test.sh CC: install into a scratch root, then build and run a program that knows only pkg-config.
set -eu
stage=build/stage
rm -rf "$stage"
(umask 077 && make -s install DESTDIR="$stage" PREFIX=/usr >/dev/null)
hidden=$(find "$stage/usr" ! -perm -o+r)
[ -z "$hidden" ] || { echo "embed: others cannot read: $hidden" >&2; exit 1; }
cat > "$stage/program.c" <<'PROGRAM'
/* A readiness probe of a container that nobody has started yet: the engine runs, and nothing is probed. */
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

static void count(void *ctx, const struct kp_effect *effect)
{
    *(int *)ctx += effect->kind == KP_EFFECT_PROBE;
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
    int probes = 0;
    struct kp_profile profile;
    struct kp_engine *engine;
    uint32_t handle;

    if (kp_profile_init(&profile, kp_text_of("1.36")) != KP_OK)
        return 1;
    struct kp_engine_config config = {.layer = KP_LAYER_PROBE, .profile = &profile, .uptime_ns = 3600 * KP_NS_PER_S,
                                      .sync_frequency_ns = 60 * KP_NS_PER_S, .sink = {count, &probes}};
    if (kp_engine_new(&mem, &config, &engine) != KP_OK || kp_engine_add_pod(engine, &pod, &handle) != KP_OK)
        return 1;
    while (kp_engine_run(engine, 60 * KP_NS_PER_S) < 60 * KP_NS_PER_S)
        ;
    struct kp_event running = {.kind = KP_EVENT_RUNNING, .pod = handle, .container = 0, .cid = {"c1", 2}};
    if (kp_engine_event(engine, &running) != KP_OK)
        return 1;
    while (kp_engine_run(engine, 120 * KP_NS_PER_S) < 120 * KP_NS_PER_S)
        ;
    kp_engine_free(engine);
    printf("%d probe begun by the embedded engine\n", probes);
    return probes == 1 ? 0 : 1;
}
PROGRAM
cp conformance/examples/live.c "$stage/live.c"
export PKG_CONFIG_LIBDIR="$stage/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
# shellcheck disable=SC2046
"$1" -std=c11 -Wall -Wextra -Werror -o "$stage/program" "$stage/program.c" \
    $(pkg-config --cflags --libs libkubeprobe)
"$stage/program"
# The optional part: the same engine with probes that are fired.
export PKG_CONFIG_PATH="$PKG_CONFIG_LIBDIR"
unset PKG_CONFIG_LIBDIR
# shellcheck disable=SC2046
"$1" -std=c11 -Wall -Wextra -Werror -fno-lto -o "$stage/live" "$stage/live.c" \
    $(pkg-config --cflags --libs libkubeprobe-handlers)
"$stage/live"
