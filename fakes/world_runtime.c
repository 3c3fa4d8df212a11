#include "fakes/world_state.h"

#define GIVEN_UP KP_TEXT("rpc error: code = DeadlineExceeded desc = context deadline exceeded")
#define SIGKILLED 137
#define SIGTERMED 143

/* ---- instances ------------------------------------------------------------------------------ */

static const struct kp_pod *pod_of(const struct fake_world *world, uint32_t pod)
{
    return world->run->open.pods[pod];
}

static struct fake_instance *instance_at(const struct fake_world *world, size_t index)
{
    struct fake_instance *instances = world->instances.items;

    return &instances[index];
}

/* Index of the instance of that cid, or of the newest one where the cid is empty; SIZE_MAX: none.
 */
static size_t find_instance(const struct fake_world *world, uint32_t pod, int container,
                            struct kp_text cid)
{
    for (size_t i = world->instances.count; i > 0; i--) {
        const struct fake_instance *instance = instance_at(world, i - 1);

        if (instance->pod == pod && instance->container == container &&
            (cid.len == 0 || kp_text_equal(instance->cid, cid)))
            return i - 1;
    }
    return SIZE_MAX;
}

struct kp_buf fake_runtime_keep_room(struct fake_world *world, size_t bytes)
{
    struct kp_buf buf = {NULL, 0, 0};
    char **kept = fake_list_add(world, &world->texts, sizeof *kept);

    if (!kept)
        return buf;
    *kept = kp_mem_array(world->mem, bytes, 1);
    if (*kept)
        buf = (struct kp_buf){*kept, bytes, 0};
    else
        world->no_memory = true;
    return buf;
}

/* "web-1": the container's name and the instance's number. */
static struct kp_text name_instance(struct fake_world *world, struct kp_text container,
                                    uint32_t number)
{
    struct kp_buf buf = fake_runtime_keep_room(world, container.len + 12);

    kp_buf_put(&buf, container);
    kp_buf_put_char(&buf, '-');
    kp_buf_put_int(&buf, number);
    return kp_buf_text(&buf);
}

/* A new instance, not running yet.  SIZE_MAX: no memory. */
static size_t add_instance(struct fake_world *world, uint32_t pod, int container,
                           struct kp_text cid)
{
    struct fake_container *of = &world->containers[pod][container];
    struct fake_instance *instance = fake_list_add(world, &world->instances, sizeof *instance);

    if (!instance)
        return SIZE_MAX;
    instance->pod = pod;
    instance->container = container;
    instance->number = ++of->instances;
    instance->cid = cid;
    if (cid.len == 0)
        instance->cid =
            name_instance(world, pod_of(world, pod)->containers[container].name, instance->number);
    return world->instances.count - 1;
}

void fake_runtime_expect(struct fake_world *world, int64_t at_ns, bool acknowledges, bool replaces,
                         const struct kp_event *event)
{
    struct fake_pending_event *pending = fake_list_add(world, &world->pending, sizeof *pending);

    if (!pending)
        return;
    *pending =
        (struct fake_pending_event){at_ns, world->next_seq++, acknowledges, replaces, *event};
}

void fake_runtime_acknowledge(struct fake_world *world, int64_t takes_ns,
                              const struct kp_event *event)
{
    struct kp_event *request;

    if (takes_ns > 0) {
        fake_runtime_expect(world, kp_later_ns(world->now_ns, takes_ns), true, false, event);
        return;
    }
    request = fake_list_add(world, &world->due_acks, sizeof *request);
    if (request)
        *request = *event;
}

/* The entry for the k-th time, counted from 1: the last entry goes for all later ones. */
static size_t entry(size_t count, uint32_t k)
{
    return k < count ? k - 1 : count - 1;
}

/* It runs from now on; by itself it ends as its script says. */
static void begin(struct fake_world *world, size_t index)
{
    struct fake_instance *instance = instance_at(world, index);
    struct fake_container *of = &world->containers[instance->pod][instance->container];
    const struct fake_behaviour *behaviour = of->behaviour;
    const struct fake_exit *exit;
    struct kp_event event = {.kind = KP_EVENT_EXITED,
                             .pod = instance->pod,
                             .container = instance->container,
                             .cid = instance->cid};

    instance->running = true;
    instance->since_ns = world->now_ns;
    of->runs++;
    if (!behaviour || behaviour->exit_count == 0)
        return;
    exit = &behaviour->exits[entry(behaviour->exit_count, of->runs)];
    if (exit->never)
        return;
    event.reason = exit->reason;
    event.u.exit_code = exit->code;
    if (exit->after_ns > 0)
        fake_runtime_expect(world, world->now_ns + exit->after_ns, false, false, &event);
    else
        fake_runtime_acknowledge(world, 0, &event); /* in the same request that says it runs */
}

static const struct kp_container_status *status_of(const struct kp_pod *pod, int container)
{
    return pod->status ? kp_status_find(pod->status, pod->containers[container].name) : NULL;
}

void fake_runtime_adopt(struct fake_world *world)
{
    for (uint32_t pod = 0; pod < world->run->open.pod_count; pod++) {
        const struct kp_pod *spec = pod_of(world, pod);
        int count = (int)kp_pod_container_count(spec);

        for (int container = 0; container < count; container++) {
            const struct kp_container_status *status = status_of(spec, container);
            size_t index;

            if (!status || status->container_id.len == 0)
                continue;
            index = add_instance(world, pod, container, status->container_id);
            if (index == SIZE_MAX)
                return;
            if (status->state.kind == KP_STATE_RUNNING)
                begin(world, index);
            else
                instance_at(world, index)->over = true;
        }
    }
}

/* ---- what comes of requests ------------------------------------------------------------------ */

static void serve_start(struct fake_world *world, const struct fake_request *request)
{
    static const struct fake_done at_once = {.takes_ns = 0};
    struct fake_container *of = &world->containers[request->pod][request->container];
    const struct fake_behaviour *behaviour = of->behaviour;
    const struct fake_done *done = &at_once;
    struct kp_event event = {
        .kind = KP_EVENT_RUNNING, .pod = request->pod, .container = request->container};
    int64_t pull_ns = behaviour && of->starts == 0 ? behaviour->pull_ns : 0;
    size_t index;

    of->starts++;
    if (behaviour && behaviour->start_count > 0)
        done = &behaviour->starts[entry(behaviour->start_count, of->starts)];
    if (world->runtime_down || done->fails) {
        event.kind = KP_EVENT_STARTFAIL;
        event.reason = world->runtime_down ? KP_TEXT("CreateContainerError") : done->reason;
        event.message = world->runtime_down ? FAKE_RUNTIME_DOWN : done->message;
        if (!kp_text_equal(event.reason, KP_TEXT("RunContainerError"))) {
            fake_runtime_acknowledge(world, done->takes_ns + pull_ns, &event);
            return;
        }
    } else {
        event.u.running.restarts = request->restart;
    }
    index = add_instance(world, request->pod, request->container, KP_TEXT_NONE);
    if (index == SIZE_MAX)
        return;
    event.cid = instance_at(world, index)->cid;
    fake_runtime_acknowledge(world, done->takes_ns + pull_ns, &event);
}

/* The kubelet's CRI client gives the call two minutes more than the grace.  The sum wraps as well:
 * then the call is over before it is made.  cri-client remote_runtime.go StopContainer. */
static bool is_given_up(int64_t grace_ns)
{
    return (int64_t)((uint64_t)grace_ns + (uint64_t)kp_seconds_ns(120)) <= 0;
}

static void serve_kill(struct fake_world *world, const struct fake_request *request)
{
    static const struct fake_stop at_once = {.kind = FAKE_STOP_EXITS, .code = SIGTERMED};
    const struct fake_instance *instance = instance_at(world, request->instance);
    struct fake_container *of = &world->containers[request->pod][request->container];
    const struct fake_stop *stop = &at_once;
    int64_t grace_ns = kp_seconds_ns(request->grace_s);
    int64_t takes_ns;
    struct kp_event event = {.kind = KP_EVENT_EXITED,
                             .pod = request->pod,
                             .container = request->container,
                             .cid = instance->cid};

    if (instance->over)
        return; /* complete at once, without an event */
    of->stops++;
    if (of->behaviour && of->behaviour->stop_count > 0)
        stop = &of->behaviour->stops[entry(of->behaviour->stop_count, of->stops)];
    if (is_given_up(grace_ns)) {
        event.kind = KP_EVENT_KILLFAIL;
        event.message = GIVEN_UP;
        fake_runtime_acknowledge(world, 0, &event);
        return;
    }
    if (world->runtime_down || stop->kind == FAKE_STOP_FAILS) {
        event.kind = KP_EVENT_KILLFAIL;
        event.message = world->runtime_down ? FAKE_RUNTIME_DOWN : stop->message;
        fake_runtime_acknowledge(world, world->runtime_down ? 0 : stop->takes_ns, &event);
        return;
    }
    takes_ns = stop->takes_ns;
    if (stop->stop_heeded_ns > world->now_ns)
        takes_ns += stop->stop_heeded_ns - world->now_ns;
    if (stop->kind == FAKE_STOP_IGNORES || takes_ns > grace_ns) {
        event.u.exit_code = SIGKILLED;
        fake_runtime_acknowledge(world, grace_ns, &event);
        return;
    }
    event.u.exit_code = stop->code;
    fake_runtime_acknowledge(world, takes_ns, &event);
}

static const struct fake_done *sandbox_script(const struct fake_world *world,
                                              const struct fake_request *request, uint32_t k)
{
    static const struct fake_done at_once = {.takes_ns = 0};

    for (size_t i = world->run->script.sandboxes_count; i > 0; i--) {
        const struct fake_sandboxes *script = &world->run->script.sandboxes[i - 1];
        bool creates = request->what == KP_SANDBOX_CREATE;
        size_t count = creates ? script->create_count : script->stop_count;

        if (script->pod == request->pod && count > 0)
            return &(creates ? script->creates : script->stops)[entry(count, k)];
    }
    return &at_once;
}

/* What still runs in the pod dies with its sandbox. */
static void kill_all(struct fake_world *world, uint32_t pod, int64_t takes_ns)
{
    for (size_t i = 0; i < world->instances.count; i++) {
        const struct fake_instance *instance = instance_at(world, i);
        struct kp_event event = {.kind = KP_EVENT_EXITED,
                                 .pod = pod,
                                 .container = instance->container,
                                 .cid = instance->cid};

        if (instance->pod != pod || !instance->running)
            continue;
        event.u.exit_code = SIGKILLED;
        fake_runtime_acknowledge(world, takes_ns, &event);
    }
}

static void serve_sandbox(struct fake_world *world, const struct fake_request *request)
{
    bool stops = request->what == KP_SANDBOX_STOP;
    struct fake_sandbox_counts *counts = &world->sandboxes[request->pod];
    uint32_t k = stops ? ++counts->stops : ++counts->creates;
    const struct fake_done *done = sandbox_script(world, request, k);
    struct kp_event event = {.kind = KP_EVENT_SANDBOX, .pod = request->pod, .container = -1};
    int64_t takes_ns = world->runtime_down ? 0 : done->takes_ns;

    event.u.sandbox.what = request->what;
    event.u.sandbox.attempt = request->sandbox_attempt;
    event.u.sandbox.failed = world->runtime_down || done->fails;
    if (event.u.sandbox.failed)
        event.message = world->runtime_down ? FAKE_RUNTIME_DOWN : done->message;
    else if (stops)
        kill_all(world, request->pod, takes_ns);
    fake_runtime_acknowledge(world, takes_ns, &event);
}

void fake_runtime_serve(struct fake_world *world)
{
    struct fake_request *requests = world->requests.items;

    for (size_t i = 0; i < world->requests.count; i++) {
        struct fake_request *request = &requests[i];

        if (request->kind == KP_EFFECT_PROBE || request->kind == KP_EFFECT_HOOK)
            fake_answers_serve(world, request);
        else if (request->kind == KP_EFFECT_START)
            serve_start(world, request);
        else if (request->kind == KP_EFFECT_KILL)
            serve_kill(world, request);
        else
            serve_sandbox(world, request);
    }
    world->requests.count = 0;
}

/* ---- what is requested ---------------------------------------------------------------------- */

static bool is_request(const struct kp_effect *effect)
{
    return effect->kind == KP_EFFECT_PROBE || effect->kind == KP_EFFECT_HOOK ||
           effect->kind == KP_EFFECT_KILL || effect->kind == KP_EFFECT_START ||
           effect->kind == KP_EFFECT_SANDBOX;
}

/* Copy what the effect says into the request. */
static void take(struct fake_request *request, const struct kp_effect *effect)
{
    request->kind = effect->kind;
    request->pod = effect->pod;
    request->container = effect->container;
    request->attempt = 1;
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        request->n = effect->u.probe.n;
        request->call = (enum fake_call)effect->u.probe.type;
        request->attempt = effect->u.probe.attempt;
        break;
    case KP_EFFECT_HOOK:
        request->n = effect->u.hook.n;
        request->call =
            effect->u.hook.type == KP_PRE_STOP ? FAKE_CALL_PRE_STOP : FAKE_CALL_POST_START;
        break;
    case KP_EFFECT_KILL:
        request->grace_s = effect->u.kill.grace_s;
        break;
    case KP_EFFECT_START:
        request->restart = effect->u.restart;
        break;
    default:
        request->what = effect->u.sandbox.what;
        request->sandbox_attempt = effect->u.sandbox.attempt;
    }
}

void fake_runtime_note(struct fake_world *world, const struct kp_effect *effect)
{
    struct fake_request *request;
    const struct kp_pod *pod;
    size_t instance = 0;

    if (!is_request(effect))
        return;
    if (effect->pod >= world->run->open.pod_count) {
        world->error = "an effect of a pod that does not exist";
        return;
    }
    pod = pod_of(world, effect->pod);
    if (effect->kind != KP_EFFECT_SANDBOX &&
        (effect->container < 0 || effect->container >= (int)kp_pod_container_count(pod))) {
        world->error = "an effect of a container that does not exist";
        return;
    }
    if (effect->kind != KP_EFFECT_SANDBOX && effect->kind != KP_EFFECT_START) {
        instance = find_instance(world, effect->pod, effect->container, effect->cid);
        if (effect->cid.len == 0 || instance == SIZE_MAX) {
            world->error = "an effect of an instance (cid) that does not exist";
            return;
        }
    }
    request = fake_list_add(world, &world->requests, sizeof *request);
    if (!request)
        return;
    take(request, effect);
    request->instance = instance;
}

/* ---- what is sent --------------------------------------------------------------------------- */

static bool send_running(struct fake_world *world, struct kp_event *event, bool has_restarts)
{
    size_t index = SIZE_MAX;

    if (event->cid.len > 0)
        index = find_instance(world, event->pod, event->container, event->cid);
    if (index == SIZE_MAX)
        index = add_instance(world, event->pod, event->container, event->cid);
    if (index == SIZE_MAX)
        return false;
    event->cid = instance_at(world, index)->cid;
    if (!has_restarts)
        event->u.running.restarts = instance_at(world, index)->number - 1;
    begin(world, index);
    return true;
}

static bool send_exited(struct fake_world *world, struct kp_event *event)
{
    size_t index = find_instance(world, event->pod, event->container, event->cid);
    struct fake_instance *instance;

    if (index == SIZE_MAX)
        return false;
    instance = instance_at(world, index);
    if (instance->over)
        return false;
    instance->over = true;
    instance->running = false;
    event->cid = instance->cid;
    if (event->reason.len == 0)
        event->reason = event->u.exit_code == 0 ? KP_TEXT("Completed") : KP_TEXT("Error");
    return true;
}

/* A kill cannot fail any more once its instance is dead. */
static bool is_alive(const struct fake_world *world, const struct kp_event *event)
{
    size_t index = find_instance(world, event->pod, event->container, event->cid);

    return index != SIZE_MAX && !instance_at(world, index)->over;
}

/* As on a node: what dies before it has answered closes the connection (P-118). */
static bool send_answer(const struct fake_world *world, struct kp_event *event)
{
    if (world->run->script.as_on_node && event->u.answer.result == KP_ANSWER_SUCCESS &&
        event->cid.len > 0 && !is_alive(world, event)) {
        event->u.answer.result = KP_ANSWER_FAILURE;
        event->message = KP_TEXT("EOF");
    }
    event->cid = KP_TEXT_NONE;
    return true;
}

/* Attempts and hooks of the old process are never answered. */
static void forget_requests(struct fake_world *world)
{
    struct fake_pending_event *pending = world->pending.items;
    size_t kept = 0;

    for (size_t i = 0; i < world->pending.count; i++)
        if (pending[i].event.kind != KP_EVENT_ANSWER)
            pending[kept++] = pending[i];
    world->pending.count = kept;
}

bool fake_runtime_send(struct fake_world *world, struct kp_event *event, bool has_restarts)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        return send_answer(world, event);
    case KP_EVENT_RUNNING:
        return send_running(world, event, has_restarts);
    case KP_EVENT_EXITED:
        return send_exited(world, event);
    case KP_EVENT_KILLFAIL:
        return is_alive(world, event);
    case KP_EVENT_KUBELET_RESTART:
        forget_requests(world);
        return true;
    case KP_EVENT_RUNTIME_DOWN:
        world->runtime_down = true;
        return true;
    case KP_EVENT_RUNTIME_UP:
        world->runtime_down = false;
        return true;
    default:
        return true;
    }
}
