#include "conformance/simulate/live.h"

/* One attempt under way: which answer it is. */
struct cf_live_attempt {
    struct cf_live *live;
    uint32_t n;
    struct cf_live_attempt *next;
};

/* ---- probes ---------------------------------------------------------------------------------- */

static struct kp_event *add_answer(struct cf_live *live)
{
    size_t room = live->answer_room > 0 ? 2 * live->answer_room : 16;
    struct kp_event *more;

    if (live->answer_count < live->answer_room)
        return &live->answers[live->answer_count++];
    more = cf_arena_array(live->arena, room, sizeof *more);
    live->failed |= more == NULL;
    if (more == NULL)
        return NULL;
    for (size_t i = 0; i < live->answer_count; i++)
        more[i] = live->answers[i];
    live->answers = more;
    live->answer_room = room;
    return &live->answers[live->answer_count++];
}

static void on_finished(void *ctx, const struct kp_attempt_result *result)
{
    struct cf_live_attempt *own = ctx;
    struct cf_live *live = own->live;
    struct kp_event *event = add_answer(live);

    own->next = live->idle;
    live->idle = own;
    if (event == NULL)
        return;
    *event = (struct kp_event){.kind = KP_EVENT_ANSWER,
                               .container = -1,
                               .message = cf_arena_text(&live->texts, result->output)};
    event->u.answer.n = own->n;
    event->u.answer.result = result->answer;
    event->u.answer.code = result->code < 0 ? 0 : result->code;
}

static struct cf_live_attempt *take_attempt(struct cf_live *live)
{
    struct cf_live_attempt *own = live->idle;

    if (own == NULL)
        return cf_arena_alloc(live->arena, sizeof *own);
    live->idle = own->next;
    return own;
}

static void fire(struct cf_live *live, const struct kp_effect *effect)
{
    struct cf_live_attempt *own = take_attempt(live);
    const struct kp_container *container = &live->pod->containers[effect->container];
    struct kp_attempt attempt = {.profile = live->profile,
                                 .probe = container->probes[effect->u.probe.type],
                                 .container = container,
                                 .pod_ip = live->pod_ip,
                                 .finished = on_finished,
                                 .ctx = own};
    kp_attempt_id id;

    if (own != NULL)
        *own = (struct cf_live_attempt){live, effect->u.probe.n, NULL};
    live->failed |= own == NULL || kp_handlers_start(live->handlers, &attempt, &id) != KP_OK;
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct cf_live *live = ctx;

    live->effects = true;
    if (effect->kind == KP_EFFECT_PROBE)
        fire(live, effect);
    live->sink.effect(live->sink.ctx, effect);
}

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t real_ns(const struct cf_live *live)
{
    return (kp_handlers_now_ns() - live->began_ns) * live->speed;
}

/* Run the engine to an instant, or to the first one with effects. */
static bool run(struct cf_live *live, int64_t to_ns, const struct kp_event *events, size_t count)
{
    struct kp_sink sink = {on_effect, live};

    live->effects = false;
    return live->engine.advance(live->engine.ctx, to_ns, events, count, sink, &live->at_ns) &&
           !live->failed;
}

/* What was answered is reported, and forgotten: a watch may last for days. */
static bool pass_on_answers(struct cf_live *live)
{
    size_t count = live->answer_count;
    bool good;

    for (size_t i = 0; i < count; i++)
        live->listener.event(live->listener.ctx, live->at_ns, &live->answers[i]);
    live->answer_count = 0;
    good = run(live, live->at_ns, live->answers, count) && !live->texts.failed;
    cf_arena_deinit(&live->texts);
    return good;
}

static void wait(struct cf_live *live, int64_t to_ns)
{
    int64_t due_ns = kp_engine_next_ns(live->impl->node.engine);

    if (due_ns > to_ns)
        due_ns = to_ns;
    kp_handlers_step(live->handlers, live->began_ns + due_ns / live->speed);
}

static bool live_advance(void *ctx, int64_t to_ns, const struct kp_event *events,
                         size_t event_count, struct kp_sink sink, int64_t *at_ns)
{
    struct cf_live *live = ctx;
    bool good;

    live->sink = sink;
    good = run(live, live->at_ns, events, event_count);
    while (good && !live->effects && live->at_ns < to_ns) {
        int64_t now_ns = real_ns(live);

        if (now_ns > live->at_ns)
            good = run(live, now_ns < to_ns ? now_ns : to_ns, NULL, 0);
        if (good && !live->effects && live->answer_count > 0)
            good = pass_on_answers(live);
        else if (good && !live->effects && live->at_ns < to_ns)
            wait(live, to_ns);
        good = good && *live->stop == 0;
    }
    *at_ns = live->at_ns;
    return good;
}

/* ---- the interface
 * -------------------------------------------------------------------------------- */

static bool live_open(void *ctx, const struct fake_open *open, struct kp_sink sink, int64_t *at_ns)
{
    struct cf_live *live = ctx;
    struct kp_sink own = {on_effect, live};

    live->sink = sink;
    live->speed = live->speed > 0 ? live->speed : 1;
    live->began_ns = kp_handlers_now_ns();
    live->at_ns = 0;
    return live->engine.open(live->engine.ctx, open, own, at_ns);
}

static void live_close(void *ctx)
{
    struct cf_live *live = ctx;

    live->engine.close(live->engine.ctx);
    cf_arena_deinit(&live->texts);
}

struct fake_impl cf_live_interface(struct cf_live *live, struct fake_engine_impl *impl,
                                   struct cf_live_listener listener)
{
    live->impl = impl;
    live->listener = listener;
    live->texts = (struct cf_arena){.mem = live->arena->mem};
    live->engine = fake_engine_impl_interface(impl);
    return (struct fake_impl){live, live_open, live_advance, live_close};
}
