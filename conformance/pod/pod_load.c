/* pod_load.c: from a document to a pod: kind and version first, then the fields (pod_decode.h). */
#include "conformance/pod/pod_tree.h"

#include "conformance/text/yaml.h"

#include <string.h>

static void set_fault(struct cf_pod *out, struct cf_place at, struct kp_text text)
{
    out->fault = (struct cf_fault){at, text, text};
}

/* What the server reads before it knows what it reads: kind and apiVersion must be strings. */
static bool interpret_member(struct cf_arena *arena, const struct cf_node *member, const char *name,
                             struct cf_pod *out)
{
    if (member->kind == CF_STRING || member->kind == CF_NULL)
        return true;
    set_fault(out, member->at,
              cf_arena_format(arena,
                              "couldn't get version/kind; json parse error: json: cannot unmarshal "
                              "%s into Go struct field .%s of type string",
                              cf_json_kind(member->kind), name));
    return false;
}

/*
 * Go's own JSON reads them, to which small and capital letters are one: of several the last one in
 * the order of keys counts, and null is passed over.
 */
static const struct cf_node *last_text(const struct cf_node *source, const char *name)
{
    const struct cf_node *found = NULL;

    for (const struct cf_node *member = source->first; member; member = member->next)
        if (member->kind == CF_STRING && kp_text_equal_any_case(member->key, name))
            found = member;
    return found;
}

static bool interpret(struct cf_arena *arena, const struct cf_node *source, struct cf_pod *out)
{
    static const char *const names[] = {"apiVersion", "kind"};

    if (source->kind != CF_MAP) {
        set_fault(out, source->at,
                  cf_arena_format(
                      arena,
                      "couldn't get version/kind; json parse error: json: cannot unmarshal %s into "
                      "Go value of type struct { APIVersion string "
                      "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                      "\"json:\\\"kind,omitempty\\\"\" }",
                      cf_json_kind(source->kind)));
        return false;
    }
    for (const struct cf_node *member = source->first; member; member = member->next)
        for (size_t i = 0; i < 2; i++)
            if (kp_text_equal_any_case(member->key, names[i]) &&
                !interpret_member(arena, member, names[i], out))
                return false;
    return true;
}

static struct kp_text text_or(const struct cf_node *node, const char *otherwise)
{
    return node && node->text.len > 0 ? node->text : kp_text_of(otherwise);
}

/* Kinds of the version v1 that are no pods. */
static bool is_core_kind(struct kp_text kind)
{
    static const char *const kinds[] = {
        "Binding",
        "ComponentStatus",
        "ConfigMap",
        "Endpoints",
        "Event",
        "LimitRange",
        "List",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "PodList",
        "PodTemplate",
        "ReplicationController",
        "ResourceQuota",
        "Secret",
        "Service",
        "ServiceAccount",
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kp_text_equal(kind, kp_text_of(kinds[i])))
            return true;
    return false;
}

/* Of scheme.go (V-046). */
static void put_no_kind(struct kp_buf *buf, const struct kp_profile *profile, struct kp_text kind,
                        struct kp_text version)
{
    static const char *const lines[] = {"101", "100", "110", "111"};

    kp_buf_put(buf, KP_TEXT("no kind "));
    kp_buf_put_quoted(buf, kind);
    kp_buf_put(buf, KP_TEXT(" is registered for version "));
    kp_buf_put_quoted(buf, version);
    kp_buf_put(buf, KP_TEXT(" in scheme \"pkg/runtime/scheme.go:"));
    kp_buf_put(buf, kp_text_of(lines[profile->scheme_line]));
    kp_buf_put_char(buf, '"');
}

static struct kp_text no_kind(struct cf_arena *arena, const struct kp_profile *profile,
                              struct kp_text kind, struct kp_text version)
{
    struct kp_buf buf = {0};

    put_no_kind(&buf, profile, kind, version);
    buf = cf_arena_buf(arena, buf.need);
    if (!buf.bytes)
        return KP_TEXT("");
    put_no_kind(&buf, profile, kind, version);
    return kp_buf_text(&buf);
}

/* A missing kind or version is taken for a pod's. */
static bool is_pod(struct cf_arena *arena, const struct kp_profile *profile,
                   const struct cf_node *source, struct cf_pod *out)
{
    struct kp_text kind = text_or(last_text(source, "kind"), "Pod");
    struct kp_text version = text_or(last_text(source, "apiVersion"), "v1");

    if (kp_text_equal(kind, KP_TEXT("Pod")) && kp_text_equal(version, KP_TEXT("v1")))
        return true;
    set_fault(out, source->at,
              kp_text_equal(version, KP_TEXT("v1")) && is_core_kind(kind)
                  ? cf_arena_format(arena, "converting (v1.%.*s) to (core.Pod): unknown conversion",
                                    KP_ARG(kind))
                  : no_kind(arena, profile, kind, version));
    return false;
}

static enum kp_err finish(struct cf_arena *arena, const struct kp_profile *profile,
                          struct cf_pod *out)
{
    if (arena->failed)
        return KP_ENOMEM;
    if (!out->tree)
        return KP_OK;
    cf_api_drop_gated(profile, CF_API_Pod, out->tree);
    out->pod = cf_pod_bind(arena, out->tree);
    return out->pod ? KP_OK : KP_ENOMEM;
}

static struct cf_node *empty_map(struct cf_arena *arena)
{
    return cf_node_new(arena, CF_MAP, (struct cf_place){0});
}

enum kp_err cf_pod_decode(struct cf_arena *arena, const struct kp_profile *profile,
                          const struct cf_node *source, struct cf_pod *out)
{
    *out = (struct cf_pod){.source = source};
    if (source->kind == CF_NULL)
        source = empty_map(arena);
    if (!source)
        return KP_ENOMEM;
    if (!interpret(arena, source, out) || !is_pod(arena, profile, source, out))
        return arena->failed ? KP_ENOMEM : KP_OK;
    out->tree = cf_api_decode(arena, profile, CF_API_Pod, KP_TEXT(""), source, out);
    return finish(arena, profile, out);
}

enum kp_err cf_pod_decode_template(struct cf_arena *arena, const struct kp_profile *profile,
                                   const struct cf_node *source, struct kp_text path,
                                   struct kp_text name, struct kp_text namespace_,
                                   struct cf_pod *out)
{
    struct cf_node *metadata;

    *out = (struct cf_pod){.source = source};
    out->tree = cf_api_decode(arena, profile, CF_API_PodTemplateSpec, path, source, out);
    if (out->tree) {
        metadata = cf_node_find(out->tree, "metadata");
        if (!metadata) {
            metadata = empty_map(arena);
            cf_node_put(out->tree, KP_TEXT("metadata"), metadata);
        }
        if (metadata) {
            cf_node_set(metadata, KP_TEXT("name"), cf_node_string(arena, name));
            cf_node_set(metadata, KP_TEXT("namespace"), cf_node_string(arena, namespace_));
        }
    }
    return finish(arena, profile, out);
}

static void add_yaml_warning(struct cf_arena *arena, const struct kp_profile *profile,
                             const struct cf_node *document, struct cf_pod *out)
{
    struct kp_text text = cf_yaml_strict_text(arena, document);
    struct cf_warning *warning;

    if (text.len == 0 || !profile->strict_warnings)
        return;
    warning = cf_arena_array(arena, out->warning_count + 1, sizeof *warning);
    if (!warning)
        return;
    warning[0] = (struct cf_warning){text, NULL, 0, cf_node_first_duplicate(document)->key_at};
    for (size_t i = 0; i < out->warning_count; i++)
        warning[i + 1] = out->warnings[i];
    out->warnings = warning;
    out->warning_count++;
}

enum kp_err cf_pod_decode_yaml(struct cf_arena *arena, const struct kp_profile *profile,
                               struct kp_text bytes, struct cf_pod *out)
{
    struct cf_yaml_options options = {.first_only = true};
    struct cf_node *documents;
    struct cf_node *document;
    enum kp_err err;

    *out = (struct cf_pod){0};
    err = cf_yaml_parse(arena, bytes, options, &documents, &out->fault);
    if (err != KP_OK)
        return err == KP_EINPUT ? KP_OK : err;
    document =
        documents->first ? documents->first : cf_node_new(arena, CF_NULL, (struct cf_place){1, 1});
    if (!document)
        return KP_ENOMEM;
    document = cf_node_sorted(arena, document);
    if (!document)
        return KP_ENOMEM;
    err = cf_pod_decode(arena, profile, document, out);
    if (err == KP_OK && documents->first)
        add_yaml_warning(arena, profile, documents->first, out);
    return arena->failed ? KP_ENOMEM : err;
}
