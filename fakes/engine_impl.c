#include "fakes/engine_impl.h"

#include "fakes/seed.h"

#include <assert.h>

/* 2024-01-01T00:00:00Z: where the wall clock of every case begins. */
#define CASE_EPOCH_NS (INT64_C(1704067200) * KP_NS_PER_S)
#define PPB INT64_C(1000000000)

static int64_t part_of(int64_t whole_ns, int64_t ppb)
{
    return whole_ns / PPB * ppb + whole_ns % PPB * ppb / PPB;
}

static int64_t draw_jitter(void *ctx, const struct kp_pod *pod, int container,
                           enum kp_probe_type type, int64_t period_ns)
{
    struct fake_engine_draws *draws = ctx;
    const struct fake_open *open = draws->open;

    if (draws->restarted && !open->jitter_again)
        return 0; /* what a restarted kubelet draws is prescribed by its event: nothing */
    if (open->jitter == FAKE_JITTER_FREE) {
        struct fake_seed seed = {draws->state};
        int64_t delay = fake_seed_below(&seed, period_ns);

        draws->state = seed.state;
        return delay / KP_NS_PER_MS * KP_NS_PER_MS;
    }
    for (size_t i = 0; i < open->jitter_row_count; i++) {
        const struct fake_jitter_row *row = &open->jitter_rows[i];

        /* The protocol rounds down to whole milliseconds. */
        if (row->type == type && kp_text_equal(row->container, pod->containers[container].name))
            return part_of(period_ns, row->delay_ppb) / KP_NS_PER_MS * KP_NS_PER_MS;
    }
    return 0;
}

static int64_t draw_requeue(void *ctx, int64_t range_ns)
{
    const struct fake_engine_draws *draws = ctx;

    assert(range_ns > 0);
    return part_of(range_ns, draws->open->requeue_ppb);
}

static void pass_on(void *ctx, const struct kp_effect *effect)
{
    struct fake_engine_impl *impl = ctx;

    impl->sink.effect(impl->sink.ctx, effect);
}

static bool failed(struct fake_engine_impl *impl, const char *error)
{
    impl->error = error;
    return false;
}

static bool engine_open(void *ctx, const struct fake_open *open, struct kp_sink sink,
                        int64_t *at_ns)
{
    struct fake_engine_impl *impl = ctx;
    struct kp_engine_config config = {.profile = open->profile,
                                      .uptime_ns = open->uptime_ns,
                                      .wall_ns = CASE_EPOCH_NS + open->wall_ns,
                                      .sync_frequency_ns = open->sync_frequency_ns,
                                      .sink = {pass_on, impl}};

    impl->draws = (struct fake_engine_draws){.open = open, .state = open->seed};
    impl->sink = sink;
    if (open->jitter != FAKE_JITTER_NONE)
        config.draws.jitter_ns = draw_jitter;
    config.draws.requeue_ns = draw_requeue;
    config.draws.ctx = &impl->draws;
    if (fake_node_open(&impl->node, open->layer, impl->mem, &config) != KP_OK)
        return failed(impl, "no memory for an engine");
    for (size_t i = 0; i < open->pod_count; i++)
        if (fake_node_add_pod(&impl->node, open->pods[i]) != KP_OK)
            return failed(impl, "the engine refuses the pod");
    *at_ns = fake_node_run(&impl->node, 0);
    return true;
}

static bool engine_advance(void *ctx, int64_t to_ns, const struct kp_event *events,
                           size_t event_count, struct kp_sink sink, int64_t *at_ns)
{
    struct fake_engine_impl *impl = ctx;

    impl->sink = sink;
    for (size_t i = 0; i < event_count; i++) {
        if (fake_node_event(&impl->node, &events[i]) != KP_OK)
            return failed(impl, "the engine refuses an event");
        if (events[i].kind == KP_EVENT_KUBELET_RESTART)
            impl->draws.restarted = true;
    }
    *at_ns = fake_node_run(&impl->node, to_ns);
    return true;
}

static void engine_close(void *ctx)
{
    struct fake_engine_impl *impl = ctx;

    fake_node_close(&impl->node);
}

struct fake_impl fake_engine_impl_interface(struct fake_engine_impl *impl)
{
    impl->node = (struct fake_node){0};
    impl->error = "";
    return (struct fake_impl){impl, engine_open, engine_advance, engine_close};
}
