/*
 * bench.c: what a tick, a worker, a node's day and the tutorial's hour cost, beside the naive way
 * of doing it.
 *
 * `make bench` prints it.  Times are of this process on this machine; only the ratios, measured in
 * one run, can be compared between machines.
 */
#include "core/prober/prober_manager.h"
#include "core/prober/worker.h"
#include "fakes/alloc.h"
#include "fakes/engine_impl.h"
#include "fakes/shell.h"
#include "fakes/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_S 10
#define WALL_NS (INT64_C(1704067200) * KP_NS_PER_S)

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *must(void *block)
{
    if (!block) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return block;
}

/* Memory that is counted: what is held, in bytes, and how often it was requested. */
struct counted {
    int64_t calls;
    int64_t bytes;
};

#define HEADER_BYTES 16

static void *counted_alloc(void *ctx, size_t bytes)
{
    struct counted *counted = ctx;
    char *block = malloc(bytes + HEADER_BYTES);

    if (!block)
        return NULL;
    counted->calls++;
    counted->bytes += (int64_t)bytes;
    *(size_t *)(void *)block = bytes;
    return block + HEADER_BYTES;
}

static void counted_free(void *ctx, void *block)
{
    struct counted *counted = ctx;
    char *begin = block;

    if (!block)
        return;
    begin -= HEADER_BYTES;
    counted->bytes -= (int64_t) * (size_t *)(void *)begin;
    free(begin);
}

/* ---- pods: one container, three probes
 * ------------------------------------------------------------ */

static const struct kp_text words[] = {{"true", 4}};
static const struct kp_exec_action action = {{words, 1}};
static const struct kp_probe probe = {.handler = {.exec = &action},
                                      .timeout_s = 1,
                                      .period_s = PERIOD_S,
                                      .success_threshold = 1,
                                      .failure_threshold = 3};
static const struct kp_container container = {.name = {"app", 3},
                                              .kind = KP_REGULAR,
                                              .image = {"image", 5},
                                              .probes = {&probe, &probe, &probe}};

static struct kp_pod *make_pods(size_t count)
{
    struct kp_pod *pods = must(calloc(count, sizeof *pods));
    char(*uids)[16] = must(calloc(count, sizeof *uids));

    for (size_t i = 0; i < count; i++) {
        int len = snprintf(uids[i], sizeof uids[i], "uid-%zu", i);

        pods[i] = (struct kp_pod){.name = {uids[i], (size_t)len},
                                  .namespace_ = {"bench", 5},
                                  .uid = {uids[i], (size_t)len},
                                  .restart_policy = {"Always", 6},
                                  .has_grace = true,
                                  .grace_s = 30,
                                  .containers = &container,
                                  .regular_count = 1};
    }
    return pods;
}

static void free_pods(struct kp_pod *pods)
{
    free((void *)(uintptr_t)pods[0].uid.bytes);
    free(pods);
}

/* ---- ticks of the engine
 * --------------------------------------------------------------------------- */

/* Attempts that are out. */
struct answers {
    uint32_t *n;
    size_t count;
};

static void note_probe(void *ctx, const struct kp_effect *effect)
{
    struct answers *answers = ctx;

    if (effect->kind == KP_EFFECT_PROBE)
        answers->n[answers->count++] = effect->u.probe.n;
}

static void drain_results(struct kp_prober_manager *manager)
{
    struct kp_results_update update;

    if (!kp_results_any(manager))
        return;
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        while (kp_results_take(manager, (enum kp_probe_type)type, &update))
            ;
}

/* Every worker's turn until `until_ns`; each attempt is answered at once. */
static void run_until(struct kp_prober_manager *manager, struct answers *answers, int64_t until_ns)
{
    for (;;) {
        int64_t now_ns = kp_prober_manager_next_ns(manager);

        if (now_ns > until_ns)
            return;
        kp_prober_manager_run(manager, now_ns);
        drain_results(manager);
        for (size_t i = 0; i < answers->count; i++)
            kp_prober_manager_answer(manager, answers->n[i], KP_ANSWER_SUCCESS, KP_TEXT_NONE,
                                     now_ns);
        answers->count = 0;
    }
}

static void add_pods(struct kp_prober_manager *manager, struct kp_pod *pods, size_t count)
{
    static struct kp_container_status running = {
        .name = {"app", 3},
        .container_id = {"c1", 2},
        .state = {.kind = KP_STATE_RUNNING, .started_at_ns = WALL_NS},
        .has_started = true,
        .started = true};
    const struct kp_pod_status status = {
        .phase = KP_RUNNING, .statuses = &running, .status_count = 1};

    for (size_t i = 0; i < count; i++)
        if (kp_prober_manager_reserve(manager, (uint32_t)i, &pods[i]) != KP_OK)
            must(NULL);
    for (size_t i = 0; i < count; i++) {
        /* Pods come one after another, so that their grids spread over the period. */
        int64_t at_ns =
            (int64_t)i * PERIOD_S * KP_NS_PER_S / (int64_t)count / KP_NS_PER_MS * KP_NS_PER_MS;

        kp_prober_manager_run(manager, at_ns);
        kp_prober_manager_add_pod(manager, (uint32_t)i, &pods[i], at_ns);
        kp_prober_manager_store_status(manager, (uint32_t)i, &status);
    }
}

/* A manager with its workers, all of them past their first turns. */
struct engine {
    struct kp_pod *pods;
    struct answers answers;
    struct counted counted;
    struct kp_mem mem;
    struct kp_profile profile;
    struct kp_prober_manager *manager;
    uint32_t last_n;
    int64_t now_ns;
    size_t workers;
};

static void open_engine(struct engine *engine, size_t workers)
{
    size_t pod_count = workers / KP_PROBE_TYPES;
    struct kp_prober_config config = {.profile = &engine->profile,
                                      .start_ns = -3600 * KP_NS_PER_S,
                                      .wall_minus_now_ns = WALL_NS,
                                      .last_n = &engine->last_n,
                                      .sink = {note_probe, &engine->answers}};

    *engine = (struct engine){.pods = make_pods(pod_count),
                              .answers = {.n = must(calloc(workers, sizeof *engine->answers.n))},
                              .mem = {counted_alloc, counted_free, &engine->counted},
                              .now_ns = 3 * PERIOD_S * KP_NS_PER_S,
                              .workers = pod_count * KP_PROBE_TYPES};
    if (kp_profile_init(&engine->profile, KP_TEXT("1.31")) != KP_OK ||
        kp_prober_manager_new(&engine->mem, &config, &engine->manager) != KP_OK)
        must(NULL);
    add_pods(engine->manager, engine->pods, pod_count);
    run_until(engine->manager, &engine->answers, engine->now_ns);
    engine->counted.calls = 0;
}

static void close_engine(struct engine *engine)
{
    kp_prober_manager_free(engine->manager);
    free(engine->answers.n);
    free_pods(engine->pods);
}

/* Nanoseconds a tick: turns of workers, of which two in three probe; the startup worker only looks.
 */
static double time_engine(struct engine *engine, int64_t ticks)
{
    int64_t done = 0;
    double begun = seconds_now();

    for (; done < ticks; done += (int64_t)engine->workers) {
        engine->now_ns += PERIOD_S * KP_NS_PER_S;
        run_until(engine->manager, &engine->answers, engine->now_ns);
    }
    return (seconds_now() - begun) * 1e9 / (double)done;
}

/* ---- the naive way: a binary heap of callbacks
 * --------------------------------------------------- */

struct timer {
    int64_t due_ns;
    uint64_t seq;
    void (*fire)(struct timer *timer, int64_t now_ns);
    struct kp_worker worker;
};

struct naive {
    struct timer **heap;
    size_t workers;
    uint64_t seq;
};

static struct kp_prober_env naive_env;
static int64_t naive_ticks;

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->seq < b->seq;
}

static void sift_down(struct timer **heap, size_t count, size_t at)
{
    struct timer *moving = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], moving))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void fire(struct timer *timer, int64_t now_ns)
{
    struct kp_step step;

    if (kp_worker_do_probe(&timer->worker, &naive_env, now_ns, &step) == KP_PROBE) {
        kp_worker_count(&timer->worker, &naive_env, KP_RESULT_SUCCESS, &step);
        naive_ticks++;
    }
    timer->due_ns += PERIOD_S * KP_NS_PER_S;
}

static void open_naive(struct naive *naive, size_t workers)
{
    static struct kp_pod pod = {
        .restart_policy = {"Always", 6}, .containers = &container, .regular_count = 1};

    *naive = (struct naive){must(calloc(workers, sizeof(struct timer *))), workers, 0};
    naive_env = (struct kp_prober_env){.wall_minus_now_ns = WALL_NS};
    if (kp_profile_init(&naive_env.profile, KP_TEXT("1.31")) != KP_OK)
        must(NULL);
    for (size_t i = 0; i < workers; i++) {
        struct timer *timer = must(calloc(1, sizeof *timer));

        kp_worker_init(&timer->worker, &pod, 0, KP_READINESS);
        timer->worker.view = (struct kp_view){.cid = {"c1", 2},
                                              .running_since_ns = WALL_NS,
                                              .state = KP_STATE_RUNNING,
                                              .pod_known = true,
                                              .started = true};
        timer->due_ns = (int64_t)i * PERIOD_S * KP_NS_PER_S / (int64_t)workers;
        timer->seq = naive->seq++;
        timer->fire = fire;
        naive->heap[i] = timer;
    }
}

static void close_naive(struct naive *naive)
{
    for (size_t i = 0; i < naive->workers; i++)
        free(naive->heap[i]);
    free(naive->heap);
}

static double time_naive(struct naive *naive, int64_t ticks)
{
    double begun = seconds_now();

    naive_ticks = 0;
    while (naive_ticks < ticks) {
        struct timer *first = naive->heap[0];

        first->fire(first, first->due_ns);
        first->seq = naive->seq++;
        sift_down(naive->heap, naive->workers, 0);
    }
    return (seconds_now() - begun) * 1e9 / (double)naive_ticks;
}

/* ---- a node's day, the tutorial's hour
 * ------------------------------------------------------------ */

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    *(int64_t *)ctx += effect->kind == KP_EFFECT_PROBE;
}

static void ignore_instant(void *ctx, int64_t at_ns)
{
    (void)ctx;
    (void)at_ns;
}

/* Returns: seconds of processor time. */
static double play(const struct kp_pod *pods, size_t pod_count, const struct fake_script *script,
                   int64_t span_ns, int64_t *probes)
{
    struct kp_mem mem = fake_alloc_plain();
    struct fake_engine_impl impl = {.mem = &mem};
    const struct kp_pod **list = must(calloc(pod_count, sizeof *list));
    struct kp_profile profile;
    struct fake_run run = {
        .impl = fake_engine_impl_interface(&impl),
        .open = {.layer = FAKE_LAYER_POD,
                 .profile = &profile,
                 .pods = list,
                 .pod_count = pod_count,
                 .uptime_ns = 120500 * KP_NS_PER_MS,
                 .sync_frequency_ns = 60 * KP_NS_PER_S},
        .script = *script,
        .observer = {.effect = count_effect, .instant = ignore_instant, .ctx = probes},
        .end_ns = span_ns};
    double begun;

    for (size_t i = 0; i < pod_count; i++)
        list[i] = &pods[i];
    if (kp_profile_init(&profile, KP_TEXT("1.36")) != KP_OK)
        must(NULL);
    *probes = 0;
    begun = seconds_now();
    if (fake_world_run(&run, &mem) != FAKE_END_DONE)
        must(NULL);
    begun = seconds_now() - begun;
    free(list);
    return begun;
}

static void bench_node(void)
{
    static const struct fake_script quiet = {0};
    struct kp_pod *pods = make_pods(110);
    int64_t probes;
    double seconds = play(pods, 110, &quiet, 24 * 3600 * KP_NS_PER_S, &probes);

    printf("a day of a node, 110 pods, 3 probes each, period 10 s  %8.3f s   budget 0.5 s    %lld "
           "probes\n",
           seconds, (long long)probes);
    free_pods(pods);
}

static void bench_tutorial(void)
{
    static const struct kp_text cat[] = {{"cat", 3}, {"/tmp/healthy", 12}};
    static const struct kp_exec_action look = {{cat, 2}};
    static const struct kp_probe liveness = {.handler = {.exec = &look},
                                             .initial_delay_s = 5,
                                             .timeout_s = 1,
                                             .period_s = 5,
                                             .success_threshold = 1,
                                             .failure_threshold = 3};
    static const struct kp_container tutorial = {.name = {"liveness", 8},
                                                 .kind = KP_REGULAR,
                                                 .image = {"busybox", 7},
                                                 .probes = {&liveness}};
    static const struct kp_pod pod = {.name = {"liveness-exec", 13},
                                      .namespace_ = {"default", 7},
                                      .uid = {"u", 1},
                                      .restart_policy = {"Always", 6},
                                      .has_grace = true,
                                      .grace_s = 30,
                                      .containers = &tutorial,
                                      .regular_count = 1};
    static const struct fake_step steps[] = {
        {.attempts = {KP_ANSWER_SUCCESS},
         .attempt_count = 1,
         .until = FAKE_UNTIL_AGE,
         .bound = 30 * KP_NS_PER_S},
        {.attempts = {KP_ANSWER_FAILURE}, .attempt_count = 1, .code = 1},
    };
    static const struct fake_answers answers = {
        .container = {"liveness", 8}, .steps = steps, .step_count = 2};
    static const struct fake_stop stop = {.kind = FAKE_STOP_IGNORES};
    static const struct fake_done start = {.takes_ns = 2300 * KP_NS_PER_MS};
    static const struct fake_behaviour behaviour = {.container = {"liveness", 8},
                                                    .starts = &start,
                                                    .start_count = 1,
                                                    .stops = &stop,
                                                    .stop_count = 1};
    static const struct fake_script script = {
        .answers = &answers, .answers_count = 1, .behaviours = &behaviour, .behaviour_count = 1};
    const int rounds = 100;
    double seconds = 0;
    int64_t probes;

    for (int i = 0; i < rounds; i++)
        seconds += play(&pod, 1, &script, 3600 * KP_NS_PER_S, &probes);
    printf("an hour of the tutorial's pod                          %8.3f ms  budget 1 ms\n",
           seconds * 1e3 / rounds);
}

/* ---- a tick, many times over
 * ----------------------------------------------------------------------- */

#define ROUNDS 21

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Engine and heap by turns, so that both see the same machine. */
static void bench_ticks(size_t workers, double budget_ns)
{
    double engine_ns[ROUNDS];
    double naive_ns[ROUNDS];
    struct engine engine;
    struct naive naive;

    open_engine(&engine, workers);
    open_naive(&naive, workers);
    for (int i = 0; i < ROUNDS; i++) {
        engine_ns[i] = time_engine(&engine, 1000000);
        naive_ns[i] = time_naive(&naive, 400000);
    }
    qsort(engine_ns, ROUNDS, sizeof *engine_ns, by_size);
    qsort(naive_ns, ROUNDS, sizeof *naive_ns, by_size);
    printf("a tick at %7zu workers                               %8.1f ns  budget %.0f ns   least "
           "%.1f, "
           "binary heap %.1f: %.1f times as long\n",
           engine.workers, engine_ns[ROUNDS / 2], budget_ns, engine_ns[0], naive_ns[ROUNDS / 2],
           naive_ns[ROUNDS / 2] / engine_ns[ROUNDS / 2]);
    printf("memory of a worker                                     %8.0f B   budget 160 B    "
           "allocations in steps: %lld\n",
           (double)engine.counted.bytes / (double)engine.workers, (long long)engine.counted.calls);
    close_naive(&naive);
    close_engine(&engine);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_ticks(10000, 25);
    bench_ticks(1000000, 40);
    bench_node();
    bench_tutorial();
    return 0;
}
