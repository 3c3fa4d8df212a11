#include "conformance/manifest.h"

#include "conformance/json.h"
#include "conformance/yaml.h"

#include <stdio.h>
#include <string.h>

#define LIST_DEPTH_MAX 8

struct reading {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct cf_manifest *out;
};

/* ---- complaints ------------------------------------------------------------------------------ */

static void *room_for(struct cf_arena *arena, void *items, size_t count, size_t *room, size_t size)
{
    size_t more = *room > 0 ? *room * 2 : 8;
    void *bigger;

    if (count < *room)
        return items;
    bigger = cf_arena_array(arena, more, size);
    if (bigger && count > 0)
        memcpy(bigger, items, count * size);
    *room = bigger ? more : *room;
    return bigger;
}

static void complain(struct reading *reading, struct cf_place at, struct kp_text text, bool warning)
{
    struct cf_manifest *out = reading->out;
    struct cf_manifest_fault *faults =
        room_for(reading->arena, out->faults, out->fault_count, &out->fault_room, sizeof *faults);

    if (!faults)
        return;
    out->faults = faults;
    faults[out->fault_count++] = (struct cf_manifest_fault){at, text, warning};
}

static bool has_faults(const struct cf_manifest *manifest)
{
    for (size_t i = 0; i < manifest->fault_count; i++)
        if (!manifest->faults[i].warning)
            return true;
    return false;
}

void cf_manifest_complain(const struct cf_manifest *manifest)
{
    for (size_t i = 0; i < manifest->fault_count; i++) {
        const struct cf_manifest_fault *fault = &manifest->faults[i];

        fprintf(stderr, "%s:%d:%d: %s%.*s\n", manifest->name, fault->at.line, fault->at.column,
                fault->warning ? "warning: " : "", (int)fault->text.len, fault->text.bytes);
    }
}

/* ---- one pod --------------------------------------------------------------------------------- */

/* What the API server and a controller would have put in. */
static void settle(struct reading *reading, struct kp_pod *pod)
{
    if (pod->namespace_.len == 0)
        pod->namespace_ = KP_TEXT("default");
    if (pod->uid.len == 0)
        pod->uid = cf_arena_format(reading->arena, "00000000-0000-4000-8000-%012zu",
                                   reading->out->pod_count + 1);
}

static void add_pod(struct reading *reading, const struct cf_pod *decoded)
{
    struct cf_manifest *out = reading->out;
    struct cf_manifest_pod *pods =
        room_for(reading->arena, out->pods, out->pod_count, &out->pod_room, sizeof *pods);

    if (!pods)
        return;
    out->pods = pods;
    settle(reading, decoded->pod);
    pods[out->pod_count++] = (struct cf_manifest_pod){decoded->pod, decoded->tree, decoded->source};
}

/* Decoded or not: what is to be said of it is said, and a good pod is taken. */
static void take_pod(struct reading *reading, enum kp_err err, struct cf_pod *decoded)
{
    if (err != KP_OK)
        return; /* the arena knows that there is no memory */
    for (size_t i = 0; i < decoded->warning_count; i++)
        complain(reading, decoded->warnings[i].at, decoded->warnings[i].text, true);
    if (!decoded->pod) {
        complain(reading, decoded->fault.at, decoded->fault.message, false);
        return;
    }
    if (cf_pod_default(reading->arena, reading->profile, decoded) == KP_OK)
        add_pod(reading, decoded);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Where each kind keeps its template. */
static const struct template_row {
    const char *kind;
    const char *path;
} template_rows[] = {
    {"Deployment", "spec.template"},
    {"StatefulSet", "spec.template"},
    {"DaemonSet", "spec.template"},
    {"ReplicaSet", "spec.template"},
    {"ReplicationController", "spec.template"},
    {"Job", "spec.template"},
    {"CronJob", "spec.jobTemplate.spec.template"},
    {"PodTemplate", "template"},
};

enum { TEMPLATE_ROWS = sizeof template_rows / sizeof template_rows[0] };

/* The member at a dotted path of keys, or NULL. */
static const struct cf_node *walk(const struct cf_node *node, const char *path)
{
    char key[32];

    while (node && *path) {
        size_t len = strcspn(path, ".");

        memcpy(key, path, len);
        key[len] = '\0';
        node = cf_node_find(node, key);
        path += len + (path[len] == '.');
    }
    return node;
}

static struct kp_text string_or(const struct cf_node *node, struct kp_text otherwise)
{
    return node && node->kind == CF_STRING && node->text.len > 0 ? node->text : otherwise;
}

static void read_template(struct reading *reading, const struct cf_node *object,
                          const struct template_row *row)
{
    const struct cf_node *metadata = cf_node_find(object, "metadata");
    struct kp_text name = string_or(cf_node_find(metadata, "name"), KP_TEXT("unnamed"));
    struct kp_text namespace_ = string_or(cf_node_find(metadata, "namespace"), KP_TEXT("default"));
    const struct cf_node *template = walk(object, row->path);
    struct cf_pod decoded = {0};

    if (!template || template->kind != CF_MAP) {
        complain(reading, template ? template->at : object->at,
                 cf_arena_format(reading->arena, "%s without a pod template", row->kind), false);
        return;
    }
    take_pod(reading,
             cf_pod_decode_template(reading->arena, reading->profile, template,
                                    kp_text_of(row->path), name, namespace_, &decoded),
             &decoded);
}

static bool is_list(struct kp_text kind)
{
    return kind.len >= 4 && memcmp(kind.bytes + kind.len - 4, "List", 4) == 0;
}

static void read_object(struct reading *reading, const struct cf_node *object, int depth);

static void read_items(struct reading *reading, const struct cf_node *list, int depth)
{
    const struct cf_node *items = cf_node_find(list, "items");

    if (depth == LIST_DEPTH_MAX) {
        complain(reading, list->at, KP_TEXT("a list in a list in a list ... is too deep"), false);
        return;
    }
    if (!items || items->kind == CF_NULL)
        return;
    if (items->kind != CF_LIST) {
        complain(reading, items->at, KP_TEXT("items: wanted a list"), false);
        return;
    }
    for (const struct cf_node *item = items->first; item; item = item->next)
        read_object(reading, item, depth + 1);
}

static void read_object(struct reading *reading, const struct cf_node *object, int depth)
{
    struct kp_text kind = string_or(cf_node_find(object, "kind"), KP_TEXT_NONE);
    struct cf_pod decoded = {0};

    if (object->kind == CF_NULL)
        return;
    if (object->kind != CF_MAP || kind.len == 0) {
        complain(reading, object->at,
                 object->kind == CF_MAP
                     ? KP_TEXT("an object without a kind")
                     : cf_arena_format(reading->arena, "wanted an object, found %s",
                                       cf_node_kind_name(object->kind)),
                 false);
        return;
    }
    if (is_list(kind)) {
        read_items(reading, object, depth);
        return;
    }
    for (size_t i = 0; i < TEMPLATE_ROWS; i++) {
        if (kp_text_equal(kind, kp_text_of(template_rows[i].kind))) {
            read_template(reading, object, &template_rows[i]);
            return;
        }
    }
    if (kp_text_equal(kind, KP_TEXT("Pod")))
        take_pod(reading, cf_pod_decode(reading->arena, reading->profile, object, &decoded),
                 &decoded);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool looks_like_json(struct kp_text bytes)
{
    size_t i = 0;

    while (i < bytes.len && strchr(" \t\r\n", bytes.bytes[i]) && bytes.bytes[i] != '\0')
        i++;
    return i < bytes.len && bytes.bytes[i] == '{';
}

static void read_json(struct reading *reading, struct kp_text bytes)
{
    struct cf_node *root = NULL;
    struct cf_fault fault = {0};

    if (cf_json_parse(reading->arena, bytes, &root, &fault) == KP_OK)
        read_object(reading, root, 0);
    else
        complain(reading, fault.at, fault.message, false);
}

static void read_yaml(struct reading *reading, struct kp_text bytes)
{
    const struct cf_yaml_options options = {0};
    struct cf_node *stream = NULL;
    struct cf_fault fault = {0};

    if (cf_yaml_parse(reading->arena, bytes, options, &stream, &fault) != KP_OK) {
        complain(reading, fault.at, fault.message, false);
        return;
    }
    for (const struct cf_node *document = stream->first; document; document = document->next)
        read_object(reading, document, 0);
}

enum kp_err cf_manifest_read(struct cf_arena *arena, const struct kp_profile *profile,
                             const char *name, struct kp_text bytes, struct cf_manifest *out)
{
    struct reading reading = {arena, profile, out};

    *out = (struct cf_manifest){.name = name};
    if (looks_like_json(bytes))
        read_json(&reading, bytes);
    else
        read_yaml(&reading, bytes);
    if (arena->failed)
        return KP_ENOMEM;
    if (out->pod_count == 0 && !has_faults(out))
        complain(&reading, (struct cf_place){1, 1}, KP_TEXT("no pod in the file"), false);
    return has_faults(out) ? KP_EINPUT : KP_OK;
}
