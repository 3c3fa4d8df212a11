/* question_actions.c: layer actions: computePodActions alone (protocol.md, section 5). */
#include "conformance/protocol/questions.h"
#include "conformance/protocol/stored_pod.h"
#include "core/kubelet/pod_actions.h"

/* A cached probe result, as the request lists it. */
struct result_row {
    enum kp_probe_type type;
    struct kp_text cid;
    enum kp_result value;
};

struct question {
    struct cf_reader *reader;
    const struct kp_profile *profile;
    const struct kp_mem *mem;
    const struct kp_pod *pod;
    struct kp_runtime_view runtime;
    struct result_row *results;
    size_t result_count;
};

/* ---- what the runtime holds --------------------------------------------------------------- */

static bool add_sandbox_of(struct question *q, struct kp_text state, int64_t attempt, bool ip,
                           bool other_network)
{
    struct kp_sandbox *sandbox;

    if (q->runtime.sandbox_count == KP_SANDBOXES_MAX)
        return cf_reader_fail(q->reader, "more than %d sandboxes", KP_SANDBOXES_MAX);
    kp_runtime_sandbox_add(&q->runtime, (uint32_t)attempt);
    sandbox = &q->runtime.sandboxes[0];
    sandbox->ready = kp_text_equal(state, KP_TEXT("ready"));
    sandbox->has_network = true;
    sandbox->has_ip = ip;
    sandbox->other_network_mode = other_network;
    return sandbox->ready || kp_text_equal(state, KP_TEXT("notready")) ||
           cf_reader_fail(q->reader, "a sandbox is \"ready\" or \"notready\"");
}

static bool add_sandbox(struct question *q, const struct cf_node *node)
{
    struct kp_text state = KP_TEXT("ready");
    bool ip = true;
    bool other_network = false;
    int64_t attempt = 0;

    if (node->kind == CF_STRING)
        return kp_text_equal(node->text, KP_TEXT("none")) ||
               add_sandbox_of(q, node->text, 0, true, false);
    if (node->kind != CF_MAP)
        return cf_reader_fail(q->reader, "`sandbox` must be an object");
    return cf_member_text(q->reader, node, "state", &state) &&
           cf_member_int(q->reader, node, "attempt", 0, UINT32_MAX, &attempt) &&
           cf_member_bool(q->reader, node, "ip", &ip) &&
           cf_member_bool(q->reader, node, "otherNetwork", &other_network) &&
           add_sandbox_of(q, state, attempt, ip, other_network);
}

/* Lists are newest first; the runtime takes the newest last. */
static const struct cf_node *from_the_end(const struct cf_node *list, size_t index)
{
    return cf_node_at(list, list->count - 1 - index);
}

static bool read_sandboxes(struct question *q, const struct cf_node *runtime)
{
    const struct cf_node *node = cf_node_find(runtime, "sandbox");

    if (node == NULL || node->kind == CF_NULL)
        return true;
    if (node->kind != CF_LIST)
        return add_sandbox(q, node);
    for (size_t i = 0; i < node->count; i++)
        if (!add_sandbox(q, from_the_end(node, i)))
            return false;
    return true;
}

static const char *const states[] = {
    [KP_INSTANCE_CREATED] = "created",
    [KP_INSTANCE_RUNNING] = "running",
    [KP_INSTANCE_EXITED] = "exited",
    [KP_INSTANCE_UNKNOWN] = "unknown",
};
static const struct cf_words state_words = {states, sizeof states / sizeof *states, 0};

static bool find_container(struct question *q, const struct cf_node *node, int *container)
{
    struct kp_text name = KP_TEXT_NONE;

    if (!cf_member_text(q->reader, node, "container", &name))
        return false;
    *container = kp_pod_find_container(q->pod, name);
    return *container >= 0 ||
           cf_reader_fail(q->reader, "`runtime`: the pod has no container \"%.*s\"", (int)name.len,
                          name.len ? name.bytes : "");
}

static bool add_instance(struct question *q, const struct cf_node *node)
{
    struct kp_text cid = KP_TEXT_NONE;
    struct kp_instance *instance;
    bool changed = false;
    int64_t code = 0;
    int64_t sandbox = q->runtime.sandbox_count > 0 ? q->runtime.sandboxes[0].attempt : 0;
    int container;
    int state = 0;

    if (node->kind != CF_MAP)
        return cf_reader_fail(q->reader, "`containers` must be a list of objects");
    if (!find_container(q, node, &container) || !cf_member_text(q->reader, node, "cid", &cid) ||
        !cf_member_word(q->reader, node, "state", &state_words, true, &state) ||
        !cf_member_int(q->reader, node, "code", INT32_MIN, INT32_MAX, &code) ||
        !cf_member_bool(q->reader, node, "changed", &changed) ||
        !cf_member_int(q->reader, node, "sandbox", 0, UINT32_MAX, &sandbox))
        return false;
    if (q->runtime.containers[container].count == KP_INSTANCES_MAX)
        return cf_reader_fail(q->reader, "more than %d instances of a container", KP_INSTANCES_MAX);
    instance = kp_runtime_create(&q->runtime, container, cid);
    instance->state = (enum kp_instance_state)state;
    instance->exit_code = (int32_t)code;
    instance->sandbox = (uint32_t)sandbox;
    instance->hash = kp_container_hash(q->profile, &q->pod->containers[container]) ^ changed;
    return cf_member_text(q->reader, node, "reason", &instance->reason) &&
           cf_member_text(q->reader, node, "message", &instance->message) &&
           cf_member_int(q->reader, node, "restarts", 0, INT32_MAX, &instance->restarts) &&
           cf_member_ms(q->reader, node, "startedAt", &instance->started_wall_ns) &&
           cf_member_ms(q->reader, node, "finishedAt", &instance->finished_wall_ns);
}

static bool read_runtime(struct question *q, const struct cf_node *request)
{
    const struct cf_node *runtime;
    const struct cf_node *list;

    if (!cf_member_node(q->reader, request, "runtime", CF_MAP, &runtime))
        return false;
    if (runtime == NULL)
        return true;
    if (!read_sandboxes(q, runtime) ||
        !cf_member_node(q->reader, runtime, "containers", CF_LIST, &list))
        return false;
    for (size_t i = 0; list && i < list->count; i++)
        if (!add_instance(q, from_the_end(list, i)))
            return false;
    return true;
}

/* ---- what the probes said ----------------------------------------------------------------- */

static bool read_type(struct question *q, const struct cf_node *by_cid)
{
    int type = cf_find_word(&cf_probe_type_words, by_cid->key);

    if (type == CF_NO_WORD || by_cid->kind != CF_MAP)
        return cf_reader_fail(q->reader, "`results` has no member \"%.*s\"", KP_ARG(by_cid->key));
    for (const struct cf_node *node = by_cid->first; node; node = node->next) {
        int value =
            node->kind == CF_STRING ? cf_find_word(&cf_result_words, node->text) : CF_NO_WORD;

        if (value == CF_NO_WORD)
            return cf_reader_fail(q->reader, "a result is success, failure or unknown");
        q->results[q->result_count++] =
            (struct result_row){(enum kp_probe_type)type, node->key, (enum kp_result)value};
    }
    return true;
}

static bool read_results(struct question *q, const struct cf_node *request)
{
    const struct cf_node *map;
    size_t room = 0;

    if (!cf_member_node(q->reader, request, "results", CF_MAP, &map))
        return false;
    for (const struct cf_node *node = map ? map->first : NULL; node; node = node->next)
        room += node->count;
    q->results = cf_arena_array(q->reader->arena, room + 1, sizeof *q->results);
    if (!q->results)
        return false;
    for (const struct cf_node *node = map ? map->first : NULL; node; node = node->next)
        if (!read_type(q, node))
            return false;
    return true;
}

static bool find_result(void *ctx, enum kp_probe_type type, int container, struct kp_text cid,
                        enum kp_result *result)
{
    const struct question *q = ctx;

    (void)container;
    for (size_t i = 0; i < q->result_count; i++)
        if (q->results[i].type == type && kp_text_equal(q->results[i].cid, cid)) {
            *result = q->results[i].value;
            return true;
        }
    return false;
}

/* ---- the answer --------------------------------------------------------------------------- */

static void put_names(struct cf_out *out, const char *name, const struct kp_pod *pod,
                      const int *containers, size_t count)
{
    cf_json_open(out, name, '[');
    for (size_t i = 0; i < count; i++) {
        cf_json_comma(out);
        cf_out_put_json(out, pod->containers[containers[i]].name);
    }
    cf_out_put_char(out, ']');
}

static void put_kill(struct cf_out *out, const struct kp_pod *pod, const struct kp_kill_plan *kill)
{
    cf_json_comma(out);
    cf_out_put_char(out, '{');
    cf_json_text(out, "container", pod->containers[kill->container].name);
    cf_json_text(out, "cid", kill->cid);
    cf_json_message(out, "message", &kill->message);
    cf_json_string(out, "reason", cf_word(&cf_kill_reason_words, kill->reason));
    cf_json_bool(out, "restart", kill->restart);
    cf_out_put_char(out, '}');
}

static void put_actions(struct cf_out *out, const struct kp_pod *pod,
                        const struct kp_pod_actions *actions)
{
    cf_out_put_char(out, '{');
    cf_json_bool(out, "killPod", actions->kill_pod);
    cf_json_bool(out, "createSandbox", actions->create_sandbox);
    cf_json_int(out, "sandboxAttempt", actions->attempt);
    put_names(out, "start", pod, actions->start, actions->start_count);
    put_names(out, "startInit", pod, actions->start_init, actions->start_init_count);
    put_names(out, "startEphemeral", pod, actions->start_ephemeral, actions->start_ephemeral_count);
    cf_json_open(out, "kill", '[');
    for (size_t i = 0; i < actions->kill_count; i++)
        put_kill(out, pod, &actions->kills[i]);
    cf_out_put(out, KP_TEXT("]}"));
}

/* Condition AllContainersRestarting of the pod's own status (S-139). */
static bool restarts_all(const struct kp_pod *pod)
{
    for (size_t i = 0; pod->status && i < pod->status->condition_count; i++)
        if (kp_text_equal(pod->status->conditions[i].type, KP_TEXT("AllContainersRestarting")))
            return pod->status->conditions[i].status == KP_CONDITION_TRUE;
    return false;
}

static bool compute(struct question *q, struct cf_out *ok)
{
    const struct kp_actions_input input = {
        .profile = q->profile,
        .pod = q->pod,
        .runtime = &q->runtime,
        .result = find_result,
        .ctx = q,
        .restart_all = restarts_all(q->pod),
    };
    struct kp_pod_actions actions;

    if (kp_pod_actions_init(&actions, q->mem, kp_pod_container_count(q->pod)) != KP_OK)
        return cf_reader_fail(q->reader, "out of memory");
    kp_pod_actions_compute(&actions, &input);
    put_actions(ok, q->pod, &actions);
    kp_pod_actions_deinit(&actions, q->mem);
    return true;
}

bool cf_question_actions(struct cf_reader *reader, const struct kp_profile *profile,
                         const struct cf_node *request, struct cf_out *ok)
{
    struct question q = {.reader = reader, .profile = profile, .mem = cf_libc_mem()};
    const struct cf_node *node;
    bool answered;

    if (!cf_member_node(reader, request, "pod", CF_MAP, &node))
        return false;
    if (node == NULL)
        return cf_reader_fail(reader, "`pod` is missing");
    q.pod = cf_stored_pod(reader, profile, reader->arena, node);
    if (q.pod == NULL)
        return false;
    if (kp_runtime_view_init(&q.runtime, q.mem, kp_pod_container_count(q.pod)) != KP_OK)
        return cf_reader_fail(reader, "out of memory");
    answered = read_runtime(&q, request) && read_results(&q, request) && compute(&q, ok);
    kp_runtime_view_deinit(&q.runtime, q.mem);
    return answered;
}
