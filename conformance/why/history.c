#include "conformance/why/history.h"

#include "conformance/pod/lint.h"
#include "conformance/pod/pod_tree.h"
#include "conformance/text/json.h"
#include "conformance/text/yaml.h"
#include "conformance/text/yaml_hint.h"

#include <string.h>

#define BLANKS " \t\r\n"

struct reader {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct cf_histories *out;
    struct cf_fault *fault;
    bool yaml;
};

static bool fail(struct reader *reader, struct cf_place at, struct kp_text message)
{
    *reader->fault = (struct cf_fault){.at = at, .message = message};
    return false;
}

/* ---- pods ------------------------------------------------------------------------------------ */

/* Its first error: a pod that the engine could not play. */
static enum kp_err look_for_refusals(struct reader *reader, const struct cf_node *source,
                                     struct cf_history *history)
{
    struct cf_manifest_pod pod = {
        .pod = &history->fresh, .source = source, .kind = KP_TEXT("Pod"), .path = KP_TEXT("")};
    struct cf_lint lint = {0};
    enum kp_err err = cf_lint_pod(reader->arena, reader->profile, &pod, &lint);

    if (err == KP_OK && lint.count > 0)
        history->refused = lint.notes[0].text;
    return err;
}

/* Without what a new object has not; ephemeral containers come later, too. */
static struct kp_pod fresh_of(const struct kp_pod *pod)
{
    struct kp_pod fresh = *pod;

    fresh.status = NULL;
    fresh.has_deletion = fresh.has_deletion_grace = false;
    fresh.ephemeral_count = 0;
    return fresh;
}

static struct cf_history *add_pod(struct reader *reader)
{
    struct cf_histories *out = reader->out;

    struct cf_history *list =
        cf_arena_grow(reader->arena, out->list, &out->room, out->count, sizeof *list);

    if (!list)
        return NULL;
    out->list = list;
    return &out->list[out->count++];
}

static bool read_pod(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node *source = reader->yaml ? cf_node_sorted(reader->arena, object) : object;
    struct cf_history *history;
    struct cf_pod decoded;

    if (!source || cf_pod_decode(reader->arena, reader->profile, source, &decoded) != KP_OK)
        return false;
    if (!decoded.pod)
        return fail(reader, decoded.fault.at, decoded.fault.go_text);
    history = add_pod(reader);
    if (!history || cf_pod_default(reader->arena, reader->profile, &decoded) != KP_OK)
        return false;
    history->object = source;
    history->status = cf_node_find(source, "status");
    history->node = cf_node_text(cf_node_find(source, "spec"), "nodeName");
    history->started_ns = cf_time_ns(cf_node_text(history->status, "startTime"));
    history->deleted_ns =
        cf_time_ns(cf_node_text(cf_node_find(source, "metadata"), "deletionTimestamp"));
    history->pod = decoded.pod;
    history->fresh = fresh_of(decoded.pod);
    return look_for_refusals(reader, source, history) == KP_OK;
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool read_object(struct reader *reader, const struct cf_node *object, int depth);

static bool read_items(struct reader *reader, const struct cf_node *object, int depth)
{
    const struct cf_node *items = cf_node_find(object, "items");

    if (!items || items->kind != CF_LIST)
        return fail(reader, object->at, KP_TEXT("a List must have items, which must be a list"));
    if (depth > 8)
        return fail(reader, object->at, KP_TEXT("Lists in Lists, more than eight deep"));
    reader->out->events_seen |= items->count == 0; /* none is left of what was asked for */
    for (const struct cf_node *item = items->first; item; item = item->next)
        if (!read_object(reader, item, depth + 1))
            return false;
    return true;
}

static bool read_object(struct reader *reader, const struct cf_node *object, int depth)
{
    struct kp_text kind = cf_node_text(object, "kind");

    if (kind.len == 0)
        return fail(reader, object->at,
                    KP_TEXT("not an object of Kubernetes: it has no kind; wanted is what `kubectl "
                            "get pod NAME -o yaml` prints"));
    if (kp_text_ends(kind, "List"))
        return read_items(reader, object, depth);
    if (kp_text_equal(kind, KP_TEXT("Pod")))
        return read_pod(reader, object);
    if (kp_text_equal(kind, KP_TEXT("Event"))) {
        reader->out->events_seen = true;
        cf_node_append(reader->out->events, cf_node_copy(reader->arena, object));
        return !reader->arena->failed;
    }
    if (!reader->out->passed)
        reader->out->passed = cf_node_find(object, "kind");
    return true;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Of a member that each object has once: its name; NULL: of any other. */
static const char *head_of(const struct cf_node *member)
{
    if (kp_text_equal(member->key, KP_TEXT("kind")))
        return "kind";
    return kp_text_equal(member->key, KP_TEXT("apiVersion")) ? "apiVersion" : NULL;
}

/* As `kubectl get pod; kubectl get events` without a --- between them: another object begins. */
static bool begins_object(const struct cf_node *member, const struct cf_node *before)
{
    const char *head = head_of(member);

    return head && cf_node_find(before, head);
}

/* The members of a map from one of them to the first of another object; NULL: no memory. */
static struct cf_node *cut_object(struct reader *reader, const struct cf_node **from)
{
    const struct cf_node *member = *from;
    struct cf_node *object = cf_node_new(reader->arena, CF_MAP, member->key_at);

    do {
        cf_node_append(object, cf_node_copy(reader->arena, member));
        member = member->next;
    } while (member && !begins_object(member, object));
    *from = member;
    return object && !reader->arena->failed && cf_node_mark_duplicates(reader->arena, object)
               ? object
               : NULL;
}

/* One object, or several one behind the other. */
static bool read_document(struct reader *reader, const struct cf_node *document)
{
    const struct cf_node *member = document->kind == CF_MAP ? document->first : NULL;

    while (member && !(member->duplicate && head_of(member)))
        member = member->next;
    if (!member)
        return read_object(reader, document, 0);
    for (member = document->first; member;) {
        const struct cf_node *object = cut_object(reader, &member);

        if (!object || !read_object(reader, object, 0))
            return false;
    }
    return true;
}

/* Where the JSON value at the start of a text ends, strings and brackets taken alone. */
static size_t json_length(struct kp_text text)
{
    bool quoted = false;
    size_t depth = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && --depth == 0)
            return i + 1;
    }
    return text.len;
}

/* A place in what stands behind `before`, as a place in both. */
static struct cf_place behind(struct kp_text before, struct cf_place at)
{
    size_t lines = 0;
    size_t line_start = 0;

    for (size_t i = 0; i < before.len; i++)
        if (before.bytes[i] == '\n') {
            lines++;
            line_start = i + 1;
        }
    if (at.line == 1)
        at.column += (int)(before.len - line_start);
    at.line += (int)lines;
    return at;
}

static enum kp_err read_value(struct reader *reader, struct kp_text value)
{
    struct cf_node *node;
    enum kp_err err = cf_json_parse(reader->arena, value, &node, reader->fault);

    if (err == KP_EINPUT)
        cf_yaml_hint(reader->arena, value, reader->fault);
    if (err == KP_OK && !read_object(reader, node, 0))
        err = reader->arena->failed ? KP_ENOMEM : KP_EINPUT;
    return err;
}

static enum kp_err read_json(struct reader *reader, struct kp_text bytes)
{
    struct kp_text rest = kp_text_trim(bytes, BLANKS);
    enum kp_err err = KP_OK;

    while (err == KP_OK && rest.len > 0) {
        struct kp_text value = {rest.bytes, json_length(rest)};

        err = read_value(reader, value);
        if (err == KP_EINPUT)
            reader->fault->at =
                behind((struct kp_text){bytes.bytes, (size_t)(value.bytes - bytes.bytes)},
                       reader->fault->at);
        rest = kp_text_trim(kp_text_from(rest, value.len), BLANKS);
    }
    return err;
}

static enum kp_err read_yaml(struct reader *reader, struct kp_text bytes)
{
    struct cf_node *documents;
    enum kp_err err =
        cf_yaml_parse(reader->arena, bytes, (struct cf_yaml_options){0}, &documents, reader->fault);

    reader->yaml = true;
    if (err == KP_EINPUT)
        cf_yaml_hint(reader->arena, bytes, reader->fault);
    for (const struct cf_node *node = err == KP_OK ? documents->first : NULL; node;
         node = node->next)
        if (node->kind != CF_NULL && !read_document(reader, node))
            return reader->arena->failed ? KP_ENOMEM : KP_EINPUT;
    return err;
}

enum kp_err cf_history_read(struct cf_arena *arena, const struct kp_profile *profile,
                            struct kp_text bytes, struct cf_histories *out, struct cf_fault *fault)
{
    struct reader reader = {.arena = arena, .profile = profile, .out = out, .fault = fault};

    if (!out->events)
        out->events = cf_node_new(arena, CF_LIST, (struct cf_place){0});
    if (!out->events)
        return KP_ENOMEM;
    return kp_text_begins(kp_text_trim(bytes, BLANKS), "{") ? read_json(&reader, bytes)
                                                            : read_yaml(&reader, bytes);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* spec.containers{web} */
static struct kp_text container_in(struct kp_text path)
{
    const char *open = path.len > 0 ? memchr(path.bytes, '{', path.len) : NULL;
    size_t from;

    if (!open || path.bytes[path.len - 1] != '}')
        return KP_TEXT_NONE;
    from = (size_t)(open - path.bytes) + 1;
    return (struct kp_text){path.bytes + from, path.len - from - 1};
}

static int64_t time_at(const struct cf_node *map, const char *name)
{
    return cf_time_ns(cf_node_text(map, name));
}

static int64_t number_at(const struct cf_node *map, const char *name)
{
    int64_t number;

    return cf_node_int_value(cf_node_find(map, name), &number) ? number : 0;
}

/* What client-go puts before the message of events that it counts as one. */
static struct kp_text uncombined(struct kp_text message)
{
    static const char before[] = "(combined from similar events): ";

    return kp_text_begins(message, before) ? kp_text_from(message, sizeof before - 1) : message;
}

/* Of core/v1 and of events.k8s.io/v1, whose old names begin with deprecated. */
static struct cf_pod_event event_of(const struct cf_node *node, const struct cf_node *object)
{
    const struct cf_node *series = cf_node_find(node, "series");
    struct cf_pod_event event = {
        .first_ns = time_at(node, "firstTimestamp"),
        .last_ns = time_at(node, "lastTimestamp"),
        .count = number_at(node, "count"),
        .reason = cf_node_text(node, "reason"),
        .message = cf_node_text(node, "message"),
        .container = container_in(cf_node_text(object, "fieldPath")),
    };

    if (event.message.len == 0)
        event.message = cf_node_text(node, "note");
    event.message = uncombined(event.message);
    if (event.first_ns == 0)
        event.first_ns = time_at(node, "deprecatedFirstTimestamp");
    if (event.last_ns == 0)
        event.last_ns = time_at(node, "deprecatedLastTimestamp");
    if (event.count == 0)
        event.count = number_at(node, "deprecatedCount");
    if (event.first_ns == 0)
        event.first_ns = time_at(node, "eventTime");
    if (series) {
        event.last_ns = time_at(series, "lastObservedTime");
        event.count = number_at(series, "count");
    }
    event.last_ns = event.last_ns == 0 ? event.first_ns : event.last_ns;
    event.count = event.count > 0 ? event.count : 1;
    return event;
}

/* Two that are not recorded count as equal. */
static bool agrees(struct kp_text a, struct kp_text b)
{
    return a.len == 0 || b.len == 0 || kp_text_equal(a, b);
}

static bool is_about(const struct cf_node *object, const struct kp_pod *pod)
{
    return kp_text_equal(cf_node_text(object, "kind"), KP_TEXT("Pod")) &&
           kp_text_equal(cf_node_text(object, "name"), pod->name) &&
           agrees(cf_node_text(object, "namespace"), pod->namespace_) &&
           agrees(cf_node_text(object, "uid"), pod->uid);
}

static bool add_event(struct cf_arena *arena, struct cf_history *history, struct cf_pod_event event)
{
    struct cf_pod_event *events = cf_arena_grow(arena, history->events, &history->event_room,
                                                history->event_count, sizeof *events);

    if (!events)
        return false;
    history->events = events;
    history->events[history->event_count++] = event;
    return true;
}

enum kp_err cf_history_join(struct cf_arena *arena, struct cf_histories *histories)
{
    for (const struct cf_node *node = histories->events ? histories->events->first : NULL; node;
         node = node->next) {
        const struct cf_node *object = cf_node_find(node, "involvedObject");

        object = object ? object : cf_node_find(node, "regarding");
        for (size_t i = 0; object && i < histories->count; i++)
            if (is_about(object, histories->list[i].pod) &&
                !add_event(arena, &histories->list[i], event_of(node, object)))
                return KP_ENOMEM;
    }
    return KP_OK;
}

const struct cf_node *cf_history_condition(const struct cf_history *history, const char *type)
{
    const struct cf_node *list = cf_node_find(history->status, "conditions");

    for (const struct cf_node *item = list ? list->first : NULL; item; item = item->next)
        if (kp_text_equal(cf_node_text(item, "type"), kp_text_of(type)))
            return item;
    return NULL;
}

const struct cf_pod_event *cf_history_event(const struct cf_history *history,
                                            struct kp_text container, const char *reason,
                                            const char *says)
{
    const struct cf_pod_event *newest = NULL;

    for (size_t i = 0; i < history->event_count; i++) {
        const struct cf_pod_event *event = &history->events[i];

        if (kp_text_equal(event->container, container) &&
            kp_text_equal(event->reason, kp_text_of(reason)) &&
            (!says || kp_text_has(event->message, says)) &&
            (!newest || event->last_ns >= newest->last_ns))
            newest = event;
    }
    return newest;
}
