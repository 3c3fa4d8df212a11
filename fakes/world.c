#include "fakes/world_state.h"

#include <string.h>

#define ROUNDS_MAX 10000 /* where nobody says otherwise */

const char *fake_end_name(enum fake_end end)
{
    static const char *const names[] = {"done", "implementation failed", "livelock",
                                        "protocol broken", "no memory"};

    return names[end];
}

/* ---- making and unmaking -------------------------------------------------------------------- */

static const struct fake_behaviour *find_behaviour(const struct fake_script *script, uint32_t pod,
                                                   struct kp_text container)
{
    for (size_t i = script->behaviour_count; i > 0; i--) {
        const struct fake_behaviour *behaviour = &script->behaviours[i - 1];

        if (behaviour->pod == pod && kp_text_equal(behaviour->container, container))
            return behaviour;
    }
    return NULL;
}

static bool make_pod(struct fake_world *world, uint32_t pod)
{
    const struct kp_pod *spec = world->run->open.pods[pod];
    size_t count = kp_pod_container_count(spec);
    struct fake_container *containers = kp_mem_array(world->mem, count + 1, sizeof *containers);

    world->containers[pod] = containers;
    if (!containers)
        return false;
    for (size_t i = 0; i < count; i++)
        containers[i].behaviour =
            find_behaviour(&world->run->script, pod, spec->containers[i].name);
    return true;
}

static bool make(struct fake_world *world)
{
    size_t count = world->run->open.pod_count + 1;

    world->containers = kp_mem_array(world->mem, count, sizeof *world->containers);
    world->sandboxes = kp_mem_array(world->mem, count, sizeof *world->sandboxes);
    if (!world->containers || !world->sandboxes)
        return false;
    for (uint32_t pod = 0; pod + 1 < count; pod++)
        if (!make_pod(world, pod))
            return false;
    for (size_t i = 0; i < world->run->script.answers_count; i++)
        fake_answers_add(world, &world->run->script.answers[i]);
    return !world->no_memory;
}

static void unmake(struct fake_world *world)
{
    struct fake_list *lists[] = {&world->instances, &world->pending, &world->due_acks,
                                 &world->batch,     &world->cursors, &world->requests};
    char **texts = world->texts.items;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        kp_mem_free(world->mem, lists[i]->items);
    for (size_t i = 0; i < world->texts.count; i++)
        kp_mem_free(world->mem, texts[i]);
    kp_mem_free(world->mem, world->texts.items);
    for (size_t i = 0; world->containers && i < world->run->open.pod_count; i++)
        kp_mem_free(world->mem, world->containers[i]);
    kp_mem_free(world->mem, world->containers);
    kp_mem_free(world->mem, world->sandboxes);
}

/* ---- one call of the implementation --------------------------------------------------------- */

struct watch {
    struct fake_world *world;
    bool saw;
};

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct watch *watch = ctx;
    const struct fake_observer *observer = &watch->world->run->observer;

    watch->saw = true;
    observer->effect(observer->ctx, effect);
    fake_runtime_note(watch->world, effect);
}

/* What is left to do after a call that reached at_ns.  `quiet`: out. */
static enum fake_end settle(struct fake_world *world, const struct watch *watch, int64_t to_ns,
                            int64_t at_ns, bool *quiet)
{
    if (at_ns < world->now_ns || at_ns > to_ns)
        world->error = "the implementation stopped before now or after `to`";
    if (at_ns < to_ns && !watch->saw)
        world->error = "the implementation stopped early without an effect";
    if (world->error)
        return FAKE_END_PROTOCOL;
    world->now_ns = at_ns;
    if (watch->saw)
        world->run->observer.instant(world->run->observer.ctx, at_ns);
    fake_runtime_serve(world);
    *quiet = !watch->saw;
    return world->no_memory ? FAKE_END_NOMEM : FAKE_END_DONE;
}

static enum fake_end advance(struct fake_world *world, int64_t to_ns, bool *quiet)
{
    struct watch watch = {world, false};
    struct fake_impl *impl = &world->run->impl;
    const struct fake_observer *observer = &world->run->observer;
    const struct kp_event *events = world->batch.items;
    size_t count = world->batch.count;
    int64_t at_ns = world->now_ns;

    if (world->no_memory)
        return FAKE_END_NOMEM;
    for (size_t i = 0; observer->event && i < count; i++)
        observer->event(observer->ctx, world->now_ns, &events[i]);
    world->batch.count = 0;
    if (!impl->advance(impl->ctx, to_ns, events, count, (struct kp_sink){on_effect, &watch},
                       &at_ns))
        return FAKE_END_IMPL;
    return settle(world, &watch, to_ns, at_ns, quiet);
}

static enum fake_end open(struct fake_world *world, bool *quiet)
{
    struct watch watch = {world, false};
    struct fake_run *run = world->run;
    int64_t at_ns = 0;

    if (!run->impl.open(run->impl.ctx, &run->open, (struct kp_sink){on_effect, &watch}, &at_ns))
        return FAKE_END_IMPL;
    return settle(world, &watch, 0, at_ns, quiet);
}

/* ---- what to send when ---------------------------------------------------------------------- */

static void put(struct fake_world *world, struct kp_event event, bool has_restarts)
{
    struct kp_event *sent;

    if (!fake_runtime_send(world, &event, has_restarts))
        return;
    sent = fake_list_add(world, &world->batch, sizeof *sent);
    if (sent)
        *sent = event;
}

static void put_due_acks(struct fake_world *world)
{
    struct kp_event *acks = world->due_acks.items;

    for (size_t i = 0; i < world->due_acks.count; i++)
        put(world, acks[i], true);
    world->due_acks.count = 0;
}

/* Take what is due out of the list of what comes, in order of seq (the list is in that order). */
static void put_due(struct fake_world *world, bool acknowledgements)
{
    for (size_t i = 0; i < world->pending.count;) {
        struct fake_pending_event *pending = world->pending.items;
        struct fake_pending_event event = pending[i];

        if (event.at_ns > world->now_ns || event.acknowledges != acknowledgements) {
            i++;
            continue;
        }
        world->pending.count--;
        memmove(&pending[i], &pending[i + 1], (world->pending.count - i) * sizeof *pending);
        put(world, event.event, !event.replaces);
    }
}

static void put_script_events(struct fake_world *world)
{
    const struct fake_script *script = &world->run->script;

    while (world->next_script_event < script->script_event_count) {
        const struct fake_script_event *script_event =
            &script->script_events[world->next_script_event];

        if (script_event->at_ns > world->now_ns)
            return;
        world->next_script_event++;
        if (script_event->answers)
            fake_answers_add(world, script_event->answers);
        else
            put(world, script_event->event, script_event->has_restarts);
    }
}

/* The next instant at which the world has something to do, or the end. */
static int64_t next_ns(const struct fake_world *world)
{
    const struct fake_script *script = &world->run->script;
    const struct fake_pending_event *pending = world->pending.items;
    int64_t next = world->run->end_ns;

    for (size_t i = 0; i < world->pending.count; i++)
        if (pending[i].at_ns < next)
            next = pending[i].at_ns;
    if (world->next_script_event < script->script_event_count &&
        script->script_events[world->next_script_event].at_ns < next)
        next = script->script_events[world->next_script_event].at_ns;
    return next > world->now_ns ? next : world->now_ns;
}

/*
 * All is quiet: fill the batch with what is due now, answers before the world's own.  false:
 * nothing is.
 */
static bool gather(struct fake_world *world)
{
    size_t happened = world->next_script_event;

    put_due(world, true);
    put_due_acks(world);
    if (world->batch.count > 0)
        return true;
    put_due(world, false);
    put_script_events(world);
    put_due_acks(world);
    return world->batch.count > 0 || world->next_script_event > happened;
}

static enum fake_end play(struct fake_world *world)
{
    bool quiet = false;
    enum fake_end end = open(world, &quiet);
    int rounds_max = world->run->rounds_max > 0 ? world->run->rounds_max : ROUNDS_MAX;
    int64_t instant_ns = 0;
    int rounds = 0;

    while (end == FAKE_END_DONE) {
        int64_t to_ns = world->now_ns;

        put_due_acks(world);
        if (world->batch.count == 0) {
            if (!quiet || !gather(world))
                to_ns = next_ns(world);
            if (quiet && world->batch.count == 0 && to_ns == world->now_ns &&
                to_ns >= world->run->end_ns)
                return end;
        }
        rounds = world->now_ns == instant_ns ? rounds + 1 : 0;
        instant_ns = world->now_ns;
        if (rounds > rounds_max)
            return FAKE_END_LIVELOCK;
        end = advance(world, to_ns, &quiet);
    }
    return end;
}

enum fake_end fake_world_run(struct fake_run *run, const struct kp_mem *mem)
{
    struct fake_world world = {.run = run, .mem = mem};
    enum fake_end end = FAKE_END_NOMEM;

    if (make(&world)) {
        fake_runtime_adopt(&world);
        end = world.no_memory ? FAKE_END_NOMEM : play(&world);
        run->impl.close(run->impl.ctx);
    }
    run->at_ns = world.now_ns;
    run->error = world.error ? world.error : "";
    unmake(&world);
    return end;
}
