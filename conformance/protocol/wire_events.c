/* wire_events.c: what the runner tells (protocol.md, section 2). */
#include "conformance/protocol/wire.h"

/* ---- writing ------------------------------------------------------------------------------ */

static void put_container(struct cf_out *out, const struct kp_pod *pod, int container)
{
    if (container >= 0)
        cf_json_text(out, "container", pod->containers[container].name);
}

static void put_some_text(struct cf_out *out, const char *name, struct kp_text text)
{
    if (text.len > 0)
        cf_json_text(out, name, text);
}

static void put_answer(struct cf_out *out, const struct kp_event *event)
{
    cf_json_int(out, "n", event->u.answer.n);
    cf_json_string(out, "result", cf_answer_word(event->u.answer.result));
    put_some_text(out, "output", event->message);
    if (event->u.answer.code != 0)
        cf_json_int(out, "code", event->u.answer.code);
}

static void put_running(struct cf_out *out, const struct kp_event *event)
{
    cf_json_int(out, "restarts", event->u.running.restarts);
    if (event->u.running.has_started_at)
        cf_json_int(out, "startedAt", event->u.running.started_at_ns / KP_NS_PER_MS);
}

static void put_sandbox(struct cf_out *out, const struct kp_event *event)
{
    cf_json_string(out, "do", cf_sandbox_word(event->u.sandbox.what));
    cf_json_int(out, "attempt", event->u.sandbox.attempt);
    if (event->u.sandbox.failed)
        cf_json_text(out, "error", event->message.len > 0 ? event->message : KP_TEXT("failed"));
}

static void put_raw(struct cf_out *out, const struct kp_pod *pod)
{
    struct cf_arena arena;

    cf_arena_init(&arena, cf_libc_mem());
    cf_out_put(out, pod->raw ? cf_node_json(&arena, pod->raw) : KP_TEXT("{}"));
    cf_arena_deinit(&arena);
}

void cf_put_pod(struct cf_out *out, const struct kp_pod *pod)
{
    cf_json_key(out, "pod");
    put_raw(out, pod);
}

void cf_put_pods(struct cf_out *out, const struct cf_wire_pods *pods)
{
    if (pods->count == 1) {
        cf_put_pod(out, pods->list[0]);
        return;
    }
    cf_json_key(out, "pods");
    cf_out_put_char(out, '[');
    for (size_t i = 0; i < pods->count; i++) {
        cf_json_comma(out);
        put_raw(out, pods->list[i]);
    }
    cf_out_put_char(out, ']');
}

/* Those of the node, and the one whose member `pod` is an object, name none. */
static bool names_a_pod(enum kp_event_kind kind)
{
    return kind != KP_EVENT_UPDATE && kind != KP_EVENT_KUBELET_RESTART && kind != KP_EVENT_CLOCK &&
           kind != KP_EVENT_RUNTIME_DOWN && kind != KP_EVENT_RUNTIME_UP;
}

static void put_members(struct cf_out *out, const struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        put_answer(out, event);
        break;
    case KP_EVENT_RUNNING:
        put_running(out, event);
        break;
    case KP_EVENT_EXITED:
        cf_json_int(out, "code", event->u.exit_code);
        break;
    case KP_EVENT_SANDBOX:
        put_sandbox(out, event);
        break;
    case KP_EVENT_PHASE:
        cf_json_string(out, "value", cf_phase_word(event->u.phase));
        break;
    case KP_EVENT_DELETE:
        cf_json_int(out, "grace", event->u.grace_s);
        break;
    case KP_EVENT_CLEANUP:
        if (event->u.keep)
            cf_json_bool(out, "keep", true);
        break;
    case KP_EVENT_UPDATE:
        cf_put_pod(out, event->u.update);
        break;
    case KP_EVENT_KUBELET_RESTART:
        cf_json_int(out, "down", event->u.down_ns / KP_NS_PER_MS);
        break;
    case KP_EVENT_CLOCK:
        cf_json_int(out, "by", event->u.by_ns / KP_NS_PER_MS);
        break;
    case KP_EVENT_WAITING:
    case KP_EVENT_STARTFAIL:
    case KP_EVENT_KILLFAIL:
    case KP_EVENT_SYNC:
    case KP_EVENT_NOSTATUS:
    case KP_EVENT_REMOVE:
    case KP_EVENT_RUNTIME_DOWN:
    case KP_EVENT_RUNTIME_UP:
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        break;
    }
}

void cf_put_event(struct cf_out *out, const struct cf_wire_pods *pods, const struct kp_event *event)
{
    const struct kp_pod *pod = pods->list[event->pod];
    bool message_is_own = event->kind == KP_EVENT_STARTFAIL || event->kind == KP_EVENT_KILLFAIL;

    cf_out_put_char(out, '{');
    cf_json_string(out, "e", cf_event_word(event->kind));
    if (pods->count > 1 && names_a_pod(event->kind))
        cf_json_text(out, "pod", pod->name);
    put_container(out, pod, event->container);
    put_some_text(out, "cid", event->cid);
    put_members(out, event);
    put_some_text(out, "reason", event->reason);
    if (message_is_own)
        put_some_text(out, "message", event->message);
    cf_out_put_char(out, '}');
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_container(struct cf_reader *reader, const struct cf_node *node,
                           const struct kp_pod *pod, bool required, int *container)
{
    struct kp_text name = KP_TEXT_NONE;

    *container = -1;
    if (!cf_member_text(reader, node, "container", &name))
        return false;
    if (name.bytes == NULL)
        return !required || cf_reader_fail(reader, "`container` is missing");
    *container = kp_pod_find_container(pod, name);
    return *container >= 0 ||
           cf_reader_fail(reader, "the pod has no container \"%.*s\"", (int)name.len, name.bytes);
}

static bool read_cid(struct cf_reader *reader, const struct cf_node *node, bool required,
                     struct kp_event *event)
{
    return cf_member_text(reader, node, "cid", &event->cid) &&
           (!required || event->cid.len > 0 || cf_reader_fail(reader, "`cid` is missing"));
}

static bool read_answer(struct cf_reader *reader, const struct cf_node *node,
                        struct kp_event *event)
{
    int64_t n = -1;
    int64_t code = 0;
    int result = 0;

    if (!cf_member_int(reader, node, "n", 0, UINT32_MAX, &n) ||
        !cf_member_word(reader, node, "result", cf_answer_find, true, &result) ||
        !cf_member_int(reader, node, "code", INT32_MIN, INT32_MAX, &code))
        return false;
    if (n < 0)
        return cf_reader_fail(reader, "`n` is missing");
    event->u.answer.n = (uint32_t)n;
    event->u.answer.result = (enum kp_answer)result;
    event->u.answer.code = (int32_t)code;
    return cf_member_text(reader, node, "output", &event->message);
}

static bool read_running(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_event *event)
{
    int64_t started_at_ns = INT64_MIN;

    if (!read_cid(reader, node, true, event) ||
        !cf_member_int(reader, node, "restarts", 0, INT32_MAX, &event->u.running.restarts) ||
        !cf_member_ms(reader, node, "startedAt", &started_at_ns))
        return false;
    event->u.running.has_started_at = started_at_ns != INT64_MIN;
    event->u.running.started_at_ns = event->u.running.has_started_at ? started_at_ns : 0;
    return true;
}

static bool read_exited(struct cf_reader *reader, const struct cf_node *node,
                        struct kp_event *event)
{
    int64_t code = 0;

    if (!read_cid(reader, node, false, event) ||
        !cf_member_int(reader, node, "code", INT32_MIN, INT32_MAX, &code))
        return false;
    event->u.exit_code = (int32_t)code;
    return cf_member_text(reader, node, "reason", &event->reason);
}

static bool read_sandbox(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_event *event)
{
    int64_t attempt = 0;
    int what = 0;

    if (!cf_member_word(reader, node, "do", cf_sandbox_find, true, &what) ||
        !cf_member_int(reader, node, "attempt", 0, UINT32_MAX, &attempt) ||
        !cf_member_text(reader, node, "error", &event->message))
        return false;
    event->u.sandbox.what = (enum kp_sandbox_do)what;
    event->u.sandbox.attempt = (uint32_t)attempt;
    event->u.sandbox.failed = event->message.len > 0;
    return true;
}

static bool read_phase(struct cf_reader *reader, const struct cf_node *node, struct kp_event *event)
{
    int phase = 0;

    if (!cf_member_word(reader, node, "value", cf_phase_find, true, &phase))
        return false;
    event->u.phase = (enum kp_phase)phase;
    return true;
}

static bool read_restart(struct cf_reader *reader, const struct cf_node *node,
                         struct kp_event *event)
{
    return cf_member_ms(reader, node, "down", &event->u.down_ns) &&
           (event->u.down_ns >= 0 || cf_reader_fail(reader, "`down` must not be negative"));
}

static bool read_update(struct cf_reader *reader, const struct cf_node *node,
                        const struct cf_pod_reader *pods, struct kp_event *event)
{
    const struct cf_node *pod;

    if (!cf_member_node(reader, node, "pod", CF_MAP, &pod))
        return false;
    if (pod == NULL)
        return cf_reader_fail(reader, "`pod` is missing");
    event->u.update = pods->read(pods->ctx, reader, pod);
    return event->u.update != NULL;
}

static bool read_members(struct cf_reader *reader, const struct cf_node *node,
                         const struct cf_pod_reader *pods, struct kp_event *event)
{
    switch (event->kind) {
    case KP_EVENT_ANSWER:
        return read_answer(reader, node, event);
    case KP_EVENT_RUNNING:
        return read_running(reader, node, event);
    case KP_EVENT_EXITED:
        return read_exited(reader, node, event);
    case KP_EVENT_WAITING:
        return cf_member_text(reader, node, "reason", &event->reason);
    case KP_EVENT_STARTFAIL:
        return read_cid(reader, node, false, event) &&
               cf_member_text(reader, node, "reason", &event->reason) &&
               cf_member_text(reader, node, "message", &event->message);
    case KP_EVENT_KILLFAIL:
        return read_cid(reader, node, false, event) &&
               cf_member_text(reader, node, "message", &event->message);
    case KP_EVENT_SANDBOX:
        return read_sandbox(reader, node, event);
    case KP_EVENT_PHASE:
        return read_phase(reader, node, event);
    case KP_EVENT_DELETE:
        return cf_member_int(reader, node, "grace", INT64_MIN, INT64_MAX, &event->u.grace_s);
    case KP_EVENT_CLEANUP:
        return cf_member_bool(reader, node, "keep", &event->u.keep);
    case KP_EVENT_UPDATE:
        return read_update(reader, node, pods, event);
    case KP_EVENT_KUBELET_RESTART:
        return read_restart(reader, node, event);
    case KP_EVENT_CLOCK:
        return cf_member_ms(reader, node, "by", &event->u.by_ns);
    case KP_EVENT_SYNC:
    case KP_EVENT_NOSTATUS:
    case KP_EVENT_REMOVE:
    case KP_EVENT_RUNTIME_DOWN:
    case KP_EVENT_RUNTIME_UP:
    case KP_EVENT_STOP:
    case KP_EVENT_ADDPOD:
        return true;
    }
    return true;
}

static bool names_a_container(enum kp_event_kind kind)
{
    return kind == KP_EVENT_RUNNING || kind == KP_EVENT_EXITED || kind == KP_EVENT_WAITING ||
           kind == KP_EVENT_STARTFAIL || kind == KP_EVENT_KILLFAIL;
}

/* The pod that an update is of: the one of that name. */
static bool find_updated(struct cf_reader *reader, const struct cf_wire_pods *pods,
                         struct kp_event *event)
{
    event->pod = 0;
    if (pods->count == 1)
        return true;
    for (; event->pod < pods->count; event->pod++)
        if (kp_text_equal(pods->list[event->pod]->name, event->u.update->name))
            return true;
    return cf_reader_fail(reader, "the case has no pod \"%.*s\"", (int)event->u.update->name.len,
                          event->u.update->name.bytes);
}

bool cf_read_event(struct cf_reader *reader, const struct cf_node *node,
                   const struct cf_wire_pods *pods, const struct cf_pod_reader *updates,
                   struct kp_event *event, bool *known)
{
    struct kp_text word = KP_TEXT_NONE;
    int kind;

    *event = (struct kp_event){.container = -1};
    if (node->kind != CF_MAP)
        return cf_reader_fail(reader, "an event must be an object");
    if (!cf_member_text(reader, node, "e", &word))
        return false;
    if (word.bytes == NULL)
        return cf_reader_fail(reader, "`e` is missing");
    kind = cf_event_find(word);
    *known = kind != CF_NO_WORD;
    if (!*known)
        return true;
    event->kind = (enum kp_event_kind)kind;
    if (names_a_pod(event->kind) && !cf_read_pod_name(reader, node, pods, &event->pod))
        return false;
    if (names_a_container(event->kind) &&
        !read_container(reader, node, pods->list[event->pod], true, &event->container))
        return false;
    return read_members(reader, node, updates, event) &&
           (event->kind != KP_EVENT_UPDATE || find_updated(reader, pods, event));
}
