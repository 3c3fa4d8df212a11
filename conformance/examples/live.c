/*
 * live.c: the prober with real probes in a program of your own.
 *
 * A container runs on this machine: its readiness probe dials a port that listens, its liveness
 * probe runs a command that fails. The prober says which probe is due, the handlers fire it, and
 * what comes of it goes back to the prober. Exit code 0: it became ready and its liveness probe
 * failed.
 *
 *     cc live.c $(pkg-config --cflags --libs libkubeprobe-handlers)
 */
#define _POSIX_C_SOURCE 200809L
#include <handlers/handler.h>
#include <prober/prober_manager.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
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
    struct kp_prober_manager *prober;
    struct kp_handlers *handlers;
    int64_t began_ns; /* by the handlers' clock: the prober's begins there, at 0 */
    int64_t now_ns;   /* as far as the prober has run */
    uint32_t last_n;
    bool ready;
    int failures;
};

/* An attempt under way. */
struct fired {
    struct node *node;
    uint32_t n;
};

static void finished(void *ctx, const struct kp_attempt_result *result)
{
    struct fired *fired = ctx;
    struct node *node = fired->node;

    kp_prober_manager_answer(node->prober, fired->n, result->answer, result->output, node->now_ns);
    free(fired);
}

/* Of what the prober emits, this program wants the attempts alone. */
static void on_effect(void *ctx, const struct kp_effect *effect)
{
    const struct kp_container *container;
    struct kp_attempt attempt;
    struct fired *fired;
    kp_attempt_id id;

    if (effect->kind != KP_EFFECT_PROBE)
        return;
    fired = calloc(1, sizeof *fired);
    if (!fired)
        abort();
    *fired = (struct fired){.node = ctx, .n = effect->u.probe.n};
    container = &effect->spec->containers[effect->container];
    attempt = (struct kp_attempt){.profile = &fired->node->profile,
                                  .probe = container->probes[effect->u.probe.type],
                                  .container = container,
                                  .pod_ip = {"127.0.0.1", 9},
                                  .finished = finished,
                                  .ctx = fired};
    if (kp_handlers_start(fired->node->handlers, &attempt, &id) != KP_OK)
        abort();
}

/* A node agent would publish the one and restart the container for the other. */
static void take_results(struct node *node)
{
    struct kp_results_update update;

    while (kp_results_take(node->prober, KP_READINESS, &update))
        node->ready = update.result == KP_RESULT_SUCCESS;
    while (kp_results_take(node->prober, KP_LIVENESS, &update))
        node->failures += update.result == KP_RESULT_FAILURE;
}

/* It wants a run at each instant at which something is due. */
static void run_prober(struct node *node, int64_t to_ns)
{
    while (node->now_ns < to_ns) {
        int64_t next_ns = kp_prober_manager_next_ns(node->prober);

        if (next_ns > node->now_ns)
            node->now_ns = next_ns < to_ns ? next_ns : to_ns;
        kp_prober_manager_run(node->prober, node->now_ns);
        take_results(node);
    }
}

/* Prober and handlers by turns: neither is ever late by more than the other takes. */
static void run_for(struct node *node, int64_t span_ns)
{
    while (node->now_ns < span_ns) {
        int64_t due_ns = kp_prober_manager_next_ns(node->prober);

        if (due_ns > span_ns)
            due_ns = span_ns;
        kp_handlers_step(node->handlers, node->began_ns + due_ns);
        run_prober(node, kp_handlers_now_ns() - node->began_ns);
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
    struct kp_container_status status = {
        .name = container.name, .container_id = {"c1", 2}, .state = {.kind = KP_STATE_RUNNING}};
    struct kp_pod_status running = {.phase = KP_RUNNING, .statuses = &status, .status_count = 1};
    struct node node = {.began_ns = kp_handlers_now_ns()};
    struct kp_prober_config config = {.profile = &node.profile,
                                      .start_ns = -3600 * KP_NS_PER_S,
                                      .last_n = &node.last_n,
                                      .sink = {on_effect, &node}};

    if (kp_profile_init(&node.profile, kp_text_of("1.36")) != KP_OK ||
        kp_handlers_new(&mem, &node.handlers) != KP_OK ||
        kp_prober_manager_new(&mem, &config, &node.prober) != KP_OK ||
        kp_prober_manager_reserve(node.prober, 0, &pod) != KP_OK)
        return 1;
    /* The container runs: the prober says whether it has started, and reads that with the rest. */
    kp_prober_manager_update_pod_status(node.prober, 0, &pod, &running, 0);
    kp_prober_manager_store_status(node.prober, 0, &running);
    kp_prober_manager_add_pod(node.prober, 0, &pod, 0);
    run_for(&node, 3500 * KP_NS_PER_MS);
    kp_prober_manager_free(node.prober);
    kp_handlers_free(node.handlers);
    printf("%s, liveness failed %d time, in real time\n", node.ready ? "ready" : "not ready",
           node.failures);
    return node.ready && node.failures >= 1 ? 0 : 1;
}
