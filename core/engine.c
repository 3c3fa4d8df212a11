#include "engine.h"

#include "kubelet/kubelet.h"

#include <assert.h>

struct kp_engine {
    const struct kp_mem *mem;
    struct kp_kubelet *kubelet;
    struct kp_sink sink; /* the caller's */
    bool has_effects;    /* since the last run ended */
    bool is_told;        /* of an event, since the last settle */
    int64_t now_ns;
};

static void count_effect(void *ctx, const struct kp_effect *effect)
{
    struct kp_engine *engine = ctx;

    engine->has_effects = true;
    engine->sink.effect(engine->sink.ctx, effect);
}

enum kp_err kp_engine_new(const struct kp_mem *mem, const struct kp_engine_config *config,
                          struct kp_engine **out)
{
    struct kp_engine_config inner = *config;
    struct kp_engine *engine = kp_mem_array(mem, 1, sizeof *engine);
    enum kp_err err;

    *out = NULL;
    if (!engine)
        return KP_ENOMEM;
    engine->mem = mem;
    engine->sink = config->sink;
    inner.sink = (struct kp_sink){count_effect, engine};
    err = kp_kubelet_new(mem, &inner, &engine->kubelet);
    if (err != KP_OK) {
        kp_mem_free(mem, engine);
        return err;
    }
    *out = engine;
    return KP_OK;
}

void kp_engine_free(struct kp_engine *engine)
{
    if (!engine)
        return;
    kp_kubelet_free(engine->kubelet);
    kp_mem_free(engine->mem, engine);
}

enum kp_err kp_engine_add_pod(struct kp_engine *engine, const struct kp_pod *pod, uint32_t *handle)
{
    return kp_kubelet_add_pod(engine->kubelet, pod, handle, engine->now_ns);
}

enum kp_err kp_engine_event(struct kp_engine *engine, const struct kp_event *event)
{
    enum kp_err err = kp_kubelet_event(engine->kubelet, event, engine->now_ns);

    engine->is_told = engine->is_told || err == KP_OK;
    return err;
}

int64_t kp_engine_next_ns(const struct kp_engine *engine)
{
    int64_t next_ns = kp_kubelet_next_ns(engine->kubelet);

    return engine->is_told || next_ns < engine->now_ns ? engine->now_ns : next_ns;
}

static void settle(struct kp_engine *engine, int64_t now_ns)
{
    engine->now_ns = now_ns;
    engine->is_told = false;
    kp_kubelet_settle(engine->kubelet, now_ns);
}

int64_t kp_engine_run(struct kp_engine *engine, int64_t to_ns)
{
    assert(to_ns >= engine->now_ns);
    do {
        int64_t next_ns = kp_engine_next_ns(engine);

        if (next_ns <= to_ns)
            settle(engine, next_ns);
        else
            engine->now_ns = to_ns; /* nothing is due by then */
    } while (!engine->has_effects && engine->now_ns < to_ns);
    engine->has_effects = false;
    return engine->now_ns;
}

const struct kp_pod_status *kp_engine_status(const struct kp_engine *engine, uint32_t pod)
{
    return kp_kubelet_status(engine->kubelet, pod);
}
