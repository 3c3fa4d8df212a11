/*
 * live.c: the engine with real probes in a program of your own.
 *
 * A pod runs on this machine: its readiness probe asks a port that listens, its liveness probe runs
 * a command that fails. The engine says which probe is due, the handlers fire it, and what comes of
 * it goes back to the engine. Exit code 0: it became ready and its liveness probe failed.
 *
 *     cc live.c $(pkg-config --cflags --libs libkubeprobe-handlers)
 */
#define _POSIX_C_SOURCE 200809L
#include <engine.h>
#include <handlers/handler.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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

struct node {
    struct kp_profile profile;
    struct kp_engine *engine;
    struct kp_handlers *handlers;
    int64_t began_ns;
    bool ready;
    int failures;
};

/* An attempt under way; it stays, as the engine keeps what it was told. */
struct asked {
    struct node *node;
    uint32_t n;
    struct kp_event answer;
    char output[200]; /* the engine keeps it */
};

/* The answer is told at the instant at which it came. */
static void finished(void *ctx, const struct kp_attempt_result *result)
{
    struct asked *asked = ctx;
    struct node *node = asked->node;
    size_t len =
        result->output.len < sizeof asked->output ? result->output.len : sizeof asked->output;

    memcpy(asked->output, result->output.bytes, len);
    asked->answer = (struct kp_event){
        .kind = KP_EVENT_ANSWER, .container = -1, .message = {asked->output, len}};
    asked->answer.u.answer.n = asked->n;
    asked->answer.u.answer.result = result->answer;
    if (kp_engine_event(node->engine, &asked->answer) != KP_OK)
        abort();
}

static void fire(struct node *node, const struct kp_effect *effect)
{
    const struct kp_container *container = &effect->spec->containers[effect->container];
    struct asked *asked = calloc(1, sizeof *asked);
    struct kp_attempt attempt = {.profile = &node->profile,
                                 .probe = container->probes[effect->u.probe.type],
                                 .container = container,
                                 .pod_ip = {"127.0.0.1", 9},
                                 .finished = finished,
                                 .ctx = asked};
    kp_attempt_id id;

    *asked = (struct asked){.node = node, .n = effect->u.probe.n};
    if (kp_handlers_start(node->handlers, &attempt, &id) != KP_OK)
        abort();
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct node *node = ctx;

    if (effect->kind == KP_EFFECT_PROBE)
        fire(node, effect);
    if (effect->kind == KP_EFFECT_READY)
        node->ready = effect->u.value;
    if (effect->kind == KP_EFFECT_RESULT && effect->u.result.type == KP_LIVENESS)
        node->failures += effect->u.result.value == KP_RESULT_FAILURE;
}

/* Engine and handlers by turns: neither is ever late by more than the other takes. */
static void run_for(struct node *node, int64_t span_ns)
{
    int64_t now_ns = 0;

    while (now_ns < span_ns) {
        int64_t due_ns;

        while (kp_engine_run(node->engine, now_ns) < now_ns)
            ;
        due_ns = kp_engine_next_ns(node->engine);
        if (due_ns > span_ns)
            due_ns = span_ns;
        kp_handlers_step(node->handlers, node->began_ns + due_ns);
        now_ns = kp_handlers_now_ns() - node->began_ns;
    }
}

static int listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 16) != 0 || getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        abort();
    return ntohs(address.sin_port);
}

int main(void)
{
    static const struct kp_mem mem = {take, give_back, NULL};
    static const struct kp_text words[] = {{"false", 5}};
    static const struct kp_exec_action exec = {{words, 1}};
    struct kp_tcp_socket_action tcp = {
        .port = {.kind = KP_INTSTR_INT, .number = listen_somewhere()}};
    struct kp_probe ready = {.handler = {.tcp_socket = &tcp},
                             .timeout_s = 1,
                             .period_s = 1,
                             .success_threshold = 1,
                             .failure_threshold = 1};
    struct kp_probe alive = {.handler = {.exec = &exec},
                             .timeout_s = 1,
                             .period_s = 1,
                             .success_threshold = 1,
                             .failure_threshold = 2};
    struct kp_container container = {.name = {"app", 3},
                                     .kind = KP_REGULAR,
                                     .probes = {[KP_READINESS] = &ready, [KP_LIVENESS] = &alive}};
    struct kp_pod pod = {.name = {"web", 3},
                         .namespace_ = {"default", 7},
                         .uid = {"u", 1},
                         .restart_policy = {"Always", 6},
                         .containers = &container,
                         .regular_count = 1};
    struct kp_event running = {.kind = KP_EVENT_RUNNING, .cid = {"c1", 2}};
    struct node node = {.began_ns = kp_handlers_now_ns()};
    uint32_t handle;

    if (kp_profile_init(&node.profile, kp_text_of("1.36")) != KP_OK ||
        kp_handlers_new(&mem, &node.handlers) != KP_OK)
        return 1;
    struct kp_engine_config config = {.layer = KP_LAYER_PROBE,
                                      .profile = &node.profile,
                                      .uptime_ns = 3600 * KP_NS_PER_S,
                                      .sync_frequency_ns = 60 * KP_NS_PER_S,
                                      .sink = {on_effect, &node}};
    if (kp_engine_new(&mem, &config, &node.engine) != KP_OK ||
        kp_engine_add_pod(node.engine, &pod, &handle) != KP_OK ||
        kp_engine_event(node.engine, &running) != KP_OK)
        return 1;
    run_for(&node, 3500 * KP_NS_PER_MS);
    kp_engine_free(node.engine);
    kp_handlers_free(node.handlers);
    printf("%s, liveness failed %d time, in real time\n", node.ready ? "ready" : "not ready",
           node.failures);
    return node.ready && node.failures >= 1 ? 0 : 1;
}
