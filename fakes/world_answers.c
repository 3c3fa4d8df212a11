#include "fakes/world_state.h"

#include "fakes/deadline.h"

#define NOT_RUNNING                                                                                \
    KP_TEXT("rpc error: code = Unknown desc = failed to exec in container: container is in "       \
            "CONTAINER_EXITED state")

static const struct kp_container *container_of(const struct fake_world *world,
                                               const struct fake_request *request)
{
    return &world->run->open.pods[request->pod]->containers[request->container];
}

static const struct fake_instance *instance_at(const struct fake_world *world, size_t index)
{
    const struct fake_instance *instances = world->instances.items;

    return &instances[index];
}

static bool fits(const struct fake_answers *answers, const struct fake_request *request,
                 const struct kp_pod *pod)
{
    return answers->pod == request->pod && answers->call == request->call &&
           (answers->container.len == 0 ||
            kp_text_equal(answers->container, pod->containers[request->container].name));
}

/* The newest script that fits. */
static struct fake_cursor *find(struct fake_world *world, const struct fake_request *request)
{
    struct fake_cursor *cursors = world->cursors.items;
    const struct kp_pod *pod = world->run->open.pods[request->pod];

    for (size_t i = world->cursors.count; i > 0; i--)
        if (fits(cursors[i - 1].answers, request, pod))
            return &cursors[i - 1];
    return NULL;
}

static bool speaks_of_age(const struct fake_answers *answers)
{
    for (size_t i = 0; i < answers->step_count; i++)
        if (answers->steps[i].until == FAKE_UNTIL_AGE)
            return true;
    return false;
}

static bool is_over(const struct fake_step *step, const struct fake_cursor *cursor,
                    const struct fake_instance *instance, int64_t now_ns)
{
    switch (step->until) {
    case FAKE_FOREVER:
        return false;
    case FAKE_TIMES:
        return cursor->used >= step->bound;
    case FAKE_UNTIL_AGE:
        return now_ns - instance->since_ns >= step->bound;
    case FAKE_UNTIL_TIME:
        return now_ns >= step->bound;
    case FAKE_UNTIL_REPLACED:
        return instance->number > step->bound || (step->until_ns > 0 && now_ns >= step->until_ns);
    }
    return false;
}

static const struct fake_step *next_step(struct fake_world *world,
                                         const struct fake_request *request)
{
    const struct fake_instance *instance = instance_at(world, request->instance);
    struct fake_cursor *cursor = find(world, request);
    const struct fake_answers *answers;

    if (!cursor)
        return NULL;
    answers = cursor->answers;
    if (request->attempt > 1)
        return &answers->steps[cursor->step];
    if (speaks_of_age(answers) && !kp_text_equal(cursor->cid, instance->cid)) {
        cursor->step = 0;
        cursor->used = 0;
    }
    cursor->cid = instance->cid;
    while (cursor->step + 1 < answers->step_count &&
           is_over(&answers->steps[cursor->step], cursor, instance, world->now_ns)) {
        cursor->step++;
        cursor->used = 0;
    }
    cursor->used++;
    return &answers->steps[cursor->step];
}

void fake_answers_add(struct fake_world *world, const struct fake_answers *answers)
{
    struct fake_cursor *cursor = fake_list_add(world, &world->cursors, sizeof *cursor);

    if (cursor)
        cursor->answers = answers;
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* An exec is a request to the runtime; http, tcp and grpc go to the container itself. */
static bool needs_runtime(const struct fake_world *world, const struct fake_request *request)
{
    const struct kp_container *container = container_of(world, request);
    const struct kp_handler *hook =
        request->call == FAKE_CALL_PRE_STOP ? container->pre_stop : container->post_start;

    if (request->call >= FAKE_CALL_PRE_STOP)
        return hook && hook->exec;
    return container->probes[request->call] && container->probes[request->call]->handler.exec;
}

/* The words of an attempt that was ended: made once for each probe. */
static struct kp_text late_text(struct fake_world *world, const struct fake_request *request,
                                const struct kp_container *container, enum kp_answer *result)
{
    const struct kp_probe *probe = container->probes[request->call];
    struct kp_text *kept = &world->containers[request->pod][request->container].late[request->call];
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf text;

    *result = fake_deadline_answer(world->run->open.profile, container, probe, &measure);
    if (kept->len == 0 && measure.need > 0) {
        text = fake_runtime_keep_room(world, measure.need);
        fake_deadline_answer(world->run->open.profile, container, probe, &text);
        *kept = kp_buf_text(&text);
    }
    return *kept;
}

/*
 * As on a node: an attempt that would take too long ends there.
 *
 * Returns: whether it does; the event and takes_ns say how.
 */
static bool ends_late(struct fake_world *world, const struct fake_request *request,
                      const struct fake_step *step, struct kp_event *event, int64_t *takes_ns)
{
    const struct kp_container *container = container_of(world, request);
    const struct kp_probe *probe =
        request->call < FAKE_CALL_PRE_STOP ? container->probes[request->call] : NULL;
    int64_t deadline_ns;
    bool waits;

    if (!world->run->script.as_on_node || !probe)
        return false;
    waits = step->attempt_count == 0 || event->u.answer.result == KP_ANSWER_TIMEOUT;
    deadline_ns = fake_deadline_ns(world->run->open.profile, probe);
    if (deadline_ns == KP_NEVER && step->attempt_count > 0 && waits && *takes_ns == 0)
        *takes_ns = probe->timeout_s * KP_NS_PER_S; /* a runtime that ends it all the same */
    if (deadline_ns == KP_NEVER || (!waits && step->takes_ns < deadline_ns))
        return false;
    event->message = late_text(world, request, container, &event->u.answer.result);
    *takes_ns = deadline_ns;
    return true;
}

static void serve_step(struct fake_world *world, const struct fake_request *request,
                       const struct fake_step *step, struct kp_event event)
{
    size_t attempt = (size_t)request->attempt;
    int64_t takes_ns = step->takes_ns;

    if (attempt > step->attempt_count)
        attempt = step->attempt_count;
    if (attempt > 0)
        event.u.answer.result = step->attempts[attempt - 1];
    event.u.answer.code = step->code;
    event.message = step->output;
    event.cid = instance_at(world, request->instance)->cid;
    if (!ends_late(world, request, step, &event, &takes_ns) && attempt == 0)
        return;
    fake_runtime_acknowledge(world, takes_ns, &event);
    if (!step->replaces)
        return;
    event.kind = KP_EVENT_RUNNING;
    event.message = event.cid = KP_TEXT_NONE;
    fake_runtime_expect(world, world->now_ns + takes_ns + KP_NS_PER_S, false, true, &event);
}

/* The newest instance of a container that runs; SIZE_MAX: none does. */
static size_t find_running(const struct fake_world *world, const struct fake_request *request)
{
    for (size_t i = world->instances.count; i > 0; i--) {
        const struct fake_instance *instance = instance_at(world, i - 1);

        if (instance->pod == request->pod && instance->container == request->container &&
            instance->running)
            return i - 1;
    }
    return SIZE_MAX;
}

/*
 * As on a node: a kubelet that waits for a hook or a pull goes on to probe what it killed.  Over
 * the network whoever runs by then is asked; a command needs the instance itself.
 *
 * Returns: false: nobody is there.
 */
static bool find_asked(const struct fake_world *world, struct fake_request *request)
{
    if (!world->run->script.as_on_node || request->call >= FAKE_CALL_PRE_STOP ||
        !instance_at(world, request->instance)->over)
        return true;
    if (!needs_runtime(world, request))
        request->instance = find_running(world, request);
    else
        request->instance = SIZE_MAX;
    return request->instance != SIZE_MAX;
}

/* P-118: a port that nobody listens on; of a command the runtime's error. */
static void serve_nobody(struct fake_world *world, const struct fake_request *request,
                         struct kp_event event)
{
    const struct kp_container *container = container_of(world, request);
    const struct kp_probe *probe = container->probes[request->call];
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf text;
    int64_t takes_ns;

    event.u.answer.result = KP_ANSWER_ERROR;
    event.message = NOT_RUNNING;
    if (probe->handler.exec) {
        fake_runtime_acknowledge(world, 0, &event);
        return;
    }
    fake_refused(world->run->open.profile, container, probe, &measure);
    text = fake_runtime_keep_room(world, measure.need);
    takes_ns = fake_refused(world->run->open.profile, container, probe, &text);
    event.u.answer.result = KP_ANSWER_FAILURE;
    event.message = kp_buf_text(&text);
    fake_runtime_acknowledge(world, takes_ns, &event);
}

void fake_answers_serve(struct fake_world *world, struct fake_request *request)
{
    struct kp_event event = {
        .kind = KP_EVENT_ANSWER, .pod = request->pod, .container = request->container};
    const struct fake_step *step;

    event.u.answer.n = request->n;
    if (!find_asked(world, request)) {
        serve_nobody(world, request, event);
        return;
    }
    step = next_step(world, request);
    if (world->runtime_down && needs_runtime(world, request)) {
        event.u.answer.result =
            request->call < FAKE_CALL_PRE_STOP ? KP_ANSWER_ERROR : KP_ANSWER_FAILURE;
        event.message = FAKE_RUNTIME_DOWN;
        fake_runtime_acknowledge(world, 0, &event);
        return;
    }
    if (step)
        serve_step(world, request, step, event);
    else
        fake_runtime_acknowledge(world, 0, &event);
}
