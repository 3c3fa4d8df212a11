/* wire_events.c: what the runner sends (protocol.md, section 2). */
#include "conformance/protocol/wire_fields.h"

#define RECORD struct kp_event
#define EVENT(kind, word, fields) static const struct cf_field kind##_fields[] = {fields{0}};
#include "conformance/protocol/events.def"
#undef EVENT

static const struct cf_field *const fields_of[CF_EVENT_KINDS] = {
#define EVENT(kind, word, fields) [KP_EVENT_##kind] = kind##_fields,
#include "conformance/protocol/events.def"
#undef EVENT
};

/* Those of the node, and the one whose member `pod` is an object, name none. */
static bool names_a_pod(enum kp_event_kind kind)
{
    return kind != KP_EVENT_UPDATE && kind != KP_EVENT_KUBELET_RESTART && kind != KP_EVENT_CLOCK &&
           kind != KP_EVENT_RUNTIME_DOWN && kind != KP_EVENT_RUNTIME_UP;
}

void cf_put_event(struct cf_out *out, const struct cf_wire_pods *pods, const struct kp_event *event)
{
    const struct kp_pod *pod = pods->list[event->pod];

    cf_out_put_char(out, '{');
    cf_json_string(out, "e", cf_word(&cf_event_words, event->kind));
    if (pods->count > 1 && names_a_pod(event->kind))
        cf_json_text(out, "pod", pod->name);
    cf_put_fields(out, fields_of[event->kind], event, pod);
    cf_out_put_char(out, '}');
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
    return cf_reader_fail(reader, "the case has no pod \"%.*s\"", KP_ARG(event->u.update->name));
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
    kind = cf_find_word(&cf_event_words, word);
    *known = kind != CF_NO_WORD;
    if (!*known)
        return true;
    event->kind = (enum kp_event_kind)kind;
    if (names_a_pod(event->kind) && !cf_read_pod_name(reader, node, pods, &event->pod))
        return false;
    return cf_read_fields(reader, node, fields_of[kind], pods->list[event->pod], updates, event) &&
           (event->kind != KP_EVENT_UPDATE || find_updated(reader, pods, event));
}
