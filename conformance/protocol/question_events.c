/*
 * question_events.c: layers events and kubectl: what of the kubelet's events the API server keeps,
 * and what kubectl shows of that and of a pod's status.
 */
#include "conformance/pod/describe.h"
#include "conformance/pod/kubectl.h"
#include "core/kubelet/event_correlator.h"
#include "questions.h"
#include "stored_pod.h"

/* ---- events: client-go's correlator ---------------------------------------------------------- */

/* The members that an event has before and after; field_path: its container, or empty. */
static bool read_note(struct cf_reader *reader, const struct cf_node *node,
                      struct kp_event_note *note)
{
    int type;

    if (node->kind != CF_MAP)
        return cf_reader_fail(reader, "an event must be an object");
    if (!cf_member_word(reader, node, "type", &cf_event_type_words, true, &type))
        return false;
    note->type = (enum kp_event_type)type;
    return cf_member_text(reader, node, "pod", &note->object) &&
           cf_member_text(reader, node, "container", &note->field_path) &&
           cf_member_text(reader, node, "reason", &note->reason) &&
           cf_member_text(reader, node, "message", &note->message);
}

static bool record(struct cf_reader *reader, const struct cf_node *list,
                   struct kp_event_correlator *correlator)
{
    int64_t last_ns = 0;

    for (const struct cf_node *node = list ? list->first : NULL; node; node = node->next) {
        struct kp_event_note note = {0};
        int64_t at_ns = 0;

        if (!read_note(reader, node, &note) || !cf_member_ms(reader, node, "at", &at_ns))
            return false;
        if (at_ns < last_ns)
            return cf_reader_fail(reader, "`recorded` must be in order of time");
        last_ns = at_ns;
        if (kp_event_correlator_record(correlator, &note, at_ns, NULL) != KP_OK)
            return cf_reader_fail(reader, "out of memory");
    }
    return true;
}

static void put_object(struct cf_out *ok, const struct kp_event_object *object)
{
    const struct kp_event_note *note = &object->note;

    cf_json_comma(ok);
    cf_out_put_char(ok, '{');
    if (note->object.len > 0)
        cf_json_text(ok, "pod", note->object);
    cf_json_text(ok, "container", note->field_path);
    cf_json_string(ok, "type", cf_word(&cf_event_type_words, note->type));
    cf_json_text(ok, "reason", note->reason);
    cf_json_text(ok, "message", note->message);
    cf_json_int(ok, "count", object->count);
    cf_json_int(ok, "first", object->first_ns / KP_NS_PER_MS);
    cf_json_int(ok, "last", object->last_ns / KP_NS_PER_MS);
    cf_out_put_char(ok, '}');
}

bool cf_question_events(struct cf_reader *reader, const struct kp_profile *profile,
                        const struct cf_node *request, struct cf_out *ok)
{
    struct kp_event_correlator *correlator;
    const struct kp_event_object *object;
    const struct cf_node *list;
    bool answered;

    if (!cf_member_node(reader, request, "recorded", CF_LIST, &list))
        return false;
    if (kp_event_correlator_new(reader->arena->mem, profile, &correlator) != KP_OK)
        return cf_reader_fail(reader, "out of memory");
    answered = record(reader, list, correlator);
    cf_out_put(ok, KP_TEXT("{\"events\":["));
    for (size_t i = 0; (object = kp_event_correlator_get(correlator, i)); i++)
        put_object(ok, object);
    cf_out_put(ok, KP_TEXT("]}"));
    kp_event_correlator_free(correlator);
    return answered;
}

/* ---- kubectl: get pod, describe pod ---------------------------------------------------------- */

/* spec.containers{web}; false: the pod has no such container. */
static bool find_path(struct cf_reader *reader, const struct kp_pod *pod, struct kp_text *path)
{
    int container = kp_pod_find_container(pod, *path);

    if (path->len == 0)
        return true;
    if (container < 0)
        return cf_reader_fail(reader, "`events`: the pod has no container \"%.*s\"", KP_ARG(*path));
    *path = cf_field_path(reader->arena, &pod->containers[container]);
    return true;
}

static bool read_object(struct cf_reader *reader, const struct kp_pod *pod,
                        const struct cf_node *node, struct kp_event_object *object)
{
    int64_t count = 1;

    if (!read_note(reader, node, &object->note) ||
        !find_path(reader, pod, &object->note.field_path) ||
        !cf_member_int(reader, node, "count", 1, UINT32_MAX, &count) ||
        !cf_member_ms(reader, node, "first", &object->first_ns) ||
        !cf_member_ms(reader, node, "last", &object->last_ns))
        return false;
    object->count = (uint32_t)count;
    return true;
}

static bool read_objects(struct cf_reader *reader, const struct kp_pod *pod,
                         const struct cf_node *request, struct cf_described *events)
{
    struct kp_event_object *objects;
    const struct cf_node *list;

    if (!cf_member_node(reader, request, "events", CF_LIST, &list))
        return false;
    if (!list)
        return true;
    objects = cf_arena_array(reader->arena, list->count, sizeof *objects);
    events->list = cf_arena_array(reader->arena, list->count, sizeof *events->list);
    if (!objects || !events->list)
        return cf_reader_fail(reader, "out of memory");
    for (const struct cf_node *node = list->first; node; node = node->next) {
        if (!read_object(reader, pod, node, &objects[events->count]))
            return false;
        events->list[events->count] = &objects[events->count];
        events->count++;
    }
    cf_describe_sort(events);
    return true;
}

static void put_line(struct cf_out *ok, struct cf_out *line)
{
    cf_json_comma(ok);
    cf_out_put_json(ok, cf_out_text(line));
    cf_out_clear(line);
}

static void put_probes(struct cf_out *ok, struct cf_out *line, const struct kp_profile *profile,
                       const struct kp_pod *pod)
{
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        for (int type = 0; type < KP_PROBE_TYPES; type++) {
            if (!pod->containers[i].probes[type])
                continue;
            cf_out_put(line, pod->containers[i].name);
            cf_out_put_char(line, ' ');
            cf_out_put(line, kp_probe_type_name((enum kp_probe_type)type));
            cf_out_put_string(line, ": ");
            cf_put_probe(line, profile, pod->containers[i].probes[type]);
            put_line(ok, line);
        }
}

static void put_event(struct cf_out *ok, struct cf_out *line, const struct kp_profile *profile,
                      const struct kp_event_object *event, int64_t now_ns)
{
    char bytes[64];
    struct kp_buf age = {bytes, sizeof bytes, 0};

    cf_put_event_age(&age, event, now_ns);
    cf_out_put_string(line, cf_word(&cf_event_type_words, event->note.type));
    cf_out_put_char(line, ' ');
    cf_out_put(line, event->note.reason);
    cf_out_put_char(line, ' ');
    cf_out_put(line, kp_buf_text(&age));
    cf_out_put_char(line, ' ');
    cf_put_event_message(line, profile, &event->note);
    put_line(ok, line);
}

static void put_columns(struct cf_out *ok, const struct cf_columns *columns)
{
    cf_json_open(ok, "columns", '{');
    cf_json_string(ok, "READY", columns->ready);
    cf_json_string(ok, "STATUS", columns->status);
    cf_json_string(ok, "RESTARTS", columns->restarts);
    cf_out_put_char(ok, '}');
}

bool cf_question_kubectl(struct cf_reader *reader, const struct kp_profile *profile,
                         const struct cf_node *request, struct cf_out *ok)
{
    const struct cf_node *node;
    const struct kp_pod *pod;
    struct cf_described events = {NULL, 0};
    struct cf_columns columns;
    struct cf_out line = {0};
    int64_t now_ns = 0;

    if (!cf_member_node(reader, request, "pod", CF_MAP, &node) ||
        !cf_member_ms(reader, request, "now", &now_ns))
        return false;
    if (node == NULL)
        return cf_reader_fail(reader, "`pod` is missing");
    pod = cf_stored_pod(reader, profile, reader->arena, node);
    if (pod == NULL || !read_objects(reader, pod, request, &events))
        return false;
    cf_kubectl_columns(profile, pod, pod->status, CF_EPOCH_NS + now_ns, &columns);
    cf_out_put_char(ok, '{');
    put_columns(ok, &columns);
    cf_json_open(ok, "describe", '[');
    put_probes(ok, &line, profile, pod);
    for (size_t i = 0; i < events.count; i++)
        put_event(ok, &line, profile, events.list[i], now_ns);
    cf_out_put(ok, KP_TEXT("]}"));
    cf_out_deinit(&line);
    return true;
}
