#include "conformance/pod/manifest.h"

#include "conformance/pod/manifest_names.h"
#include "conformance/pod/pod_tree.h"
#include "conformance/text/guess.h"
#include "conformance/text/json.h"
#include "conformance/text/yaml.h"
#include "conformance/text/yaml_hint.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct cf_manifest *out;
    struct cf_node *presets;      /* a list */
    const struct cf_node *passed; /* the first object that has no pod, or NULL */
    const struct cf_node **held;  /* those of them that have containers all the same */
    size_t held_count;
    size_t held_room;
    bool yaml;
};

/* What has a pod template, where, and how its pods are called. */
static const struct holder {
    const char *kind;
    const char *path;
    enum { HASHED, ORDINAL, RANDOM, PLAIN } naming;
} holders[] = {
    {"Deployment", "spec.template", HASHED},
    {"ReplicaSet", "spec.template", RANDOM},
    {"ReplicationController", "spec.template", RANDOM},
    {"DaemonSet", "spec.template", RANDOM},
    {"StatefulSet", "spec.template", ORDINAL},
    {"Job", "spec.template", RANDOM},
    {"CronJob", "spec.jobTemplate.spec.template", HASHED},
    {"PodTemplate", "template", PLAIN},
};

/* A custom resource with a pod template where Deployments have it, such as a Rollout. */
static const struct holder custom = {"", "spec.template", RANDOM};

static bool add_fault(struct reader *reader, struct cf_place at, struct kp_text message,
                      bool warning)
{
    struct cf_manifest *out = reader->out;
    struct cf_manifest_fault *faults = cf_arena_grow(reader->arena, out->faults, &out->fault_room,
                                                     out->fault_count, sizeof *faults);

    if (!faults)
        return false;
    out->faults = faults;
    faults[out->fault_count++] = (struct cf_manifest_fault){at, message, warning};
    return true;
}

/* The first fault ends the reading. */
static bool fail(struct reader *reader, struct cf_place at, struct kp_text message)
{
    (void)add_fault(reader, at, message, false);
    return false;
}

static bool fail_with(struct reader *reader, struct cf_place at, const char *message)
{
    return fail(reader, at, kp_text_of(message));
}

/* kubectl's words of each field that it refuses, and what was meant. */
static bool fail_strict(struct reader *reader, const struct cf_pod *decoded)
{
    for (size_t i = 0; i < decoded->warning_count; i++) {
        const struct cf_warning *warning = &decoded->warnings[i];
        struct kp_text text = warning->text;

        if (warning->meant)
            text = cf_arena_format(reader->arena, "%.*s; did you mean %s?", KP_ARG(text),
                                   warning->meant);
        else if (warning->since > 0)
            text = cf_arena_format(reader->arena, "%.*s: it exists from Kubernetes 1.%d on",
                                   KP_ARG(text), warning->since);
        (void)fail(reader, warning->at, text);
    }
    return false;
}

/*
 * What the API server and a controller would have put in; and a new object has no status and is not
 * being deleted, whatever a file says that was written by `kubectl get`.
 * Upstream: rest/create.go BeforeCreate; pod/strategy.go PrepareForCreate.
 */
static void settle(struct reader *reader, struct kp_pod *pod, size_t index)
{
    pod->status = NULL;
    pod->has_deletion = pod->has_deletion_grace = false;
    if (pod->namespace_.len == 0)
        pod->namespace_ = KP_TEXT("default");
    if (pod->uid.len == 0)
        pod->uid = cf_arena_format(reader->arena, "00000000-0000-4000-8000-%012zu", index + 1);
}

static bool add_pod(struct reader *reader, const struct cf_node *object, const char *path,
                    struct cf_pod *decoded)
{
    struct cf_manifest *out = reader->out;
    struct cf_manifest_pod *pods =
        cf_arena_grow(reader->arena, out->pods, &out->pod_room, out->pod_count, sizeof *pods);

    if (!pods || cf_pod_default(reader->arena, reader->profile, decoded) != KP_OK)
        return false;
    out->pods = pods;
    pods[out->pod_count++] = (struct cf_manifest_pod){
        .pod = decoded->pod,
        .tree = decoded->tree,
        .source = decoded->source,
        .holder = object,
        .kind = cf_node_text(object, "kind"),
        .object = cf_node_text(cf_node_find(object, "metadata"), "name"),
        .path = kp_text_of(path),
    };
    return true;
}

/* A pod that does not decode, or has what strict validation refuses, is a fault. */
static bool take_pod(struct reader *reader, const struct cf_node *object, const char *path,
                     struct cf_pod *decoded)
{
    if (reader->arena->failed)
        return false;
    if ((!decoded->pod || decoded->warning_count > 0) &&
        cf_manifest_passes_over(object, reader->out->only))
        return true;
    if (!decoded->pod)
        return fail(reader, decoded->fault.at, decoded->fault.go_text);
    if (decoded->warning_count > 0)
        return fail_strict(reader, decoded);
    return add_pod(reader, object, path, decoded);
}

static const struct cf_node *as_server_sees(struct reader *reader, const struct cf_node *node)
{
    return reader->yaml ? cf_node_sorted(reader->arena, node) : node;
}

/* Where the strict decoder's own words have no place: the first repeated key of the document. */
static bool check_repeats(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node *repeated = cf_node_first_duplicate(object);

    if (!repeated)
        return true;
    return fail(
        reader, repeated->key_at,
        cf_arena_format(reader->arena, "key \"%.*s\" already set in map", KP_ARG(repeated->key)));
}

static bool read_pod(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node *source = as_server_sees(reader, object);
    struct kp_profile strict = *reader->profile;
    struct cf_pod decoded;

    if (!source)
        return false;
    strict.strict_warnings = true; /* kubectl checks fields whatever the server's version */
    if (cf_pod_decode(reader->arena, &strict, source, &decoded) != KP_OK)
        return false;
    return take_pod(reader, object, "", &decoded);
}

static const struct cf_node *follow(const struct cf_node *node, const char *path)
{
    char part[32];

    while (node && *path) {
        size_t len = strcspn(path, ".");

        snprintf(part, sizeof part, "%.*s", (int)len, path);
        node = cf_node_find(node, part);
        path += path[len] ? len + 1 : len;
    }
    return node;
}

/* As the controllers' SafeEncodeString: letters and digits that make no words. */
static void put_safe(char *out, size_t len, uint64_t value)
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

    for (size_t i = 0; i < len; i++) {
        out[i] = alphabet[value % 27];
        value /= 27;
    }
}

static struct kp_text pod_name(struct reader *reader, const struct holder *holder,
                               const struct cf_node *object, const struct cf_node *template)
{
    struct kp_text owner = cf_node_text(cf_node_find(object, "metadata"), "name");
    struct kp_text json = cf_node_json(reader->arena, template);
    uint64_t hash = kp_text_hash(KP_HASH, json);
    char of_template[10];
    char five[5];

    put_safe(of_template, sizeof of_template, hash);
    put_safe(five, sizeof five, hash >> 17);
    if (owner.len == 0)
        owner = KP_TEXT("pod");
    if (holder->naming == PLAIN)
        return owner;
    if (holder->naming == ORDINAL)
        return cf_arena_format(reader->arena, "%.*s-0", KP_ARG(owner));
    return cf_arena_format(
        reader->arena, "%.*s%s%.*s-%.5s", KP_ARG(owner), holder->naming == HASHED ? "-" : "",
        holder->naming == HASHED ? (int)sizeof of_template : 0, of_template, five);
}

/* The object's own metadata, which names its pods, must decode as well. */
static bool check_metadata(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node *metadata = cf_node_find(object, "metadata");
    struct cf_pod decoded = {0};

    if (!metadata || metadata->kind == CF_NULL)
        return true;
    (void)cf_api_decode(reader->arena, reader->profile, CF_API_ObjectMeta, KP_TEXT("metadata"),
                        metadata, &decoded);
    if (reader->arena->failed)
        return false;
    if (decoded.fault.go_text.len > 0)
        return fail(reader, decoded.fault.at, decoded.fault.go_text);
    return decoded.warning_count == 0 || fail_strict(reader, &decoded);
}

static bool read_template(struct reader *reader, const struct holder *holder,
                          const struct cf_node *object)
{
    const struct cf_node *template = follow(object, holder->path);
    struct kp_text namespace_ = cf_node_text(cf_node_find(object, "metadata"), "namespace");
    struct kp_profile strict = *reader->profile;
    const struct cf_node *source;
    struct cf_pod decoded;

    if (!template)
        return fail(reader, object->at,
                    cf_arena_format(reader->arena, "%s has no %s", holder->kind, holder->path));
    if (!cf_manifest_passes_over(object, reader->out->only) && !check_metadata(reader, object))
        return false;
    source = as_server_sees(reader, template);
    if (!source)
        return false;
    strict.strict_warnings = true;
    if (cf_pod_decode_template(reader->arena, &strict, source, kp_text_of(holder->path),
                               pod_name(reader, holder, object, template), namespace_,
                               &decoded) != KP_OK)
        return false;
    return take_pod(reader, object, holder->path, &decoded);
}

static bool read_preset(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node *source = as_server_sees(reader, object);
    struct cf_fault fault;

    if (!source)
        return false;
    if (cf_podpreset_check(reader->arena, reader->profile, source, &fault)) {
        cf_node_append(reader->presets, cf_node_copy(reader->arena, source));
        return !reader->arena->failed;
    }
    if (reader->arena->failed)
        return false;
    if (reader->profile->podpreset_gone)
        return add_fault(reader, fault.at, fault.go_text, true);
    return fail(reader, fault.at, fault.go_text);
}

/* Every preset of the file was there before any of its pods. */
static bool apply_presets(struct reader *reader)
{
    for (size_t i = 0; i < reader->out->pod_count; i++) {
        struct cf_manifest_pod *pod = &reader->out->pods[i];
        struct cf_pod stored = {.pod = pod->pod, .tree = pod->tree};

        if (cf_podpreset_apply(reader->arena, reader->profile, reader->presets, &stored,
                               &pod->presets) != KP_OK)
            return false;
        pod->pod = stored.pod;
        settle(reader, pod->pod, i);
    }
    return true;
}

static bool read_object(struct reader *reader, const struct cf_node *object, int depth);

static bool read_items(struct reader *reader, const struct cf_node *object, int depth)
{
    const struct cf_node *items = cf_node_find(object, "items");

    if (!items || items->kind != CF_LIST)
        return fail_with(reader, items ? items->at : object->at,
                         "a List must have items, which must be a list");
    if (depth > 8)
        return fail_with(reader, object->at, "Lists in Lists, more than eight deep");
    for (const struct cf_node *item = items->first; item; item = item->next)
        if (!read_object(reader, item, depth + 1))
            return false;
    return true;
}

/*
 * Not Kubernetes' own: its groups that hold pod templates (apps, batch) have no dot.  Knative's
 * Services are no such: a container needs no name there, and a proxy of its own probes it.
 */
static bool is_custom(const struct cf_node *object)
{
    struct kp_text version = cf_node_text(object, "apiVersion");
    const char *slash = memchr(version.bytes, '/', version.len);

    return slash && memchr(version.bytes, '.', (size_t)(slash - version.bytes)) &&
           !kp_text_begins(version, "serving.knative.dev/");
}

/* Values of a chart, a pipeline of CI: nothing says that it is an object of Kubernetes. */
static bool is_foreign(const struct cf_node *object)
{
    static const char *const members[] = {"apiVersion", "metadata", "spec", "items"};

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (cf_node_find(object, members[i]))
            return false;
    return true;
}

/* Files that are often given in the place of a pod, by the members that only they have. */
static const char *what_else(const struct cf_node *object)
{
    static const struct {
        const char *member;
        const char *is;
    } files[] = {
        {"answers", "kind is not set: this is a script; `probetest simulate --script` takes it, "
                    "beside the pod's file"},
        {"world", "kind is not set: this is a script; `probetest simulate --script` takes it, "
                  "beside the pod's file"},
        {"resources", "kind is not set: this is a kustomization; pipe "
                      "`kubectl kustomize DIR | probetest COMMAND -`"},
        {"appVersion", "kind is not set: this is of a Helm chart; pipe "
                       "`helm template DIR | probetest COMMAND -`"},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (cf_node_find(object, files[i].member))
            return files[i].is;
    return "kind is not set";
}

/* Has it containers somewhere?  Then who gave it may wonder why nothing is said of them. */
static bool has_containers(const struct cf_node *node)
{
    for (const struct cf_node *child = node->first; child; child = child->next)
        if ((child->kind == CF_LIST && kp_text_equal(child->key, KP_TEXT("containers")) &&
             child->first && child->first->kind == CF_MAP) ||
            has_containers(child))
            return true;
    return false;
}

/* No pod that is known is in it: a Service. */
static bool pass_over(struct reader *reader, const struct cf_node *object)
{
    const struct cf_node **held;

    reader->passed = reader->passed ? reader->passed : object;
    if (!has_containers(object) || cf_manifest_passes_over(object, reader->out->only))
        return true;
    held = cf_arena_grow(reader->arena, reader->held, &reader->held_room, reader->held_count,
                         sizeof(struct cf_node *));
    if (!held)
        return false;
    reader->held = held;
    held[reader->held_count++] = object;
    return true;
}

static bool read_object(struct reader *reader, const struct cf_node *object, int depth)
{
    const struct cf_node *kind = cf_node_find(object, "kind");

    if (object->kind != CF_MAP)
        return fail(reader, object->at,
                    cf_arena_format(reader->arena,
                                    "an object must be a map with apiVersion and kind, not %s",
                                    cf_node_kind_name(object->kind)));
    if (!kind) {
        reader->out->empty = reader->out->pod_count == 0 && is_foreign(object);
        return fail_with(reader, object->at, what_else(object));
    }
    if (kind->kind != CF_STRING || kind->text.len == 0)
        return fail_with(reader, kind->at, "kind must be a string");
    if (!cf_node_find(object, "apiVersion"))
        return fail_with(reader, object->at, "apiVersion is not set");
    if (kp_text_ends(kind->text, "List"))
        return read_items(reader, object, depth);
    if (!check_repeats(reader, object))
        return false;
    if (kp_text_equal(kind->text, KP_TEXT("Pod")))
        return read_pod(reader, object);
    if (kp_text_equal(kind->text, KP_TEXT("PodPreset")))
        return read_preset(reader, object);
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++)
        if (kp_text_equal(kind->text, kp_text_of(holders[i].kind)))
            return read_template(reader, &holders[i], object);
    if (is_custom(object) && follow(object, "spec.template.spec.containers"))
        return read_template(reader, &custom, object);
    return pass_over(reader, object);
}

/* What is meant to be JSON begins with a brace and has quotes; {a: b} is YAML. */
static bool is_like_json(struct kp_text text)
{
    size_t at = 0;

    while (at < text.len && memchr(" \t\r\n", text.bytes[at], 4))
        at++;
    return at < text.len && text.bytes[at] == '{' && memchr(text.bytes, '"', text.len);
}

static enum kp_err parse_document(struct reader *reader, struct kp_text bytes,
                                  struct cf_node **documents)
{
    struct cf_node *json;
    struct cf_fault json_fault;
    struct cf_fault fault;
    enum kp_err err = cf_json_parse(reader->arena, bytes, &json, &json_fault);

    reader->yaml = err != KP_OK;
    if (err == KP_ENOMEM)
        return err;
    if (err == KP_OK) {
        *documents = cf_node_new(reader->arena, CF_LIST, (struct cf_place){0});
        cf_node_append(*documents, json);
        return reader->arena->failed ? KP_ENOMEM : KP_OK;
    }
    err = cf_yaml_parse(reader->arena, bytes, (struct cf_yaml_options){0}, documents, &fault);
    if (err == KP_EINPUT && is_like_json(bytes))
        fault = json_fault;
    if (err == KP_EINPUT)
        cf_yaml_hint(reader->arena, bytes, &fault);
    if (err == KP_EINPUT)
        fail(reader, fault.at, fault.message);
    return reader->arena->failed ? KP_ENOMEM : err;
}

/* A kind with a pod that is written otherwise: "pod", "Deploymnet". */
static void put_kind_meant(struct kp_buf *text, struct kp_text kind)
{
    struct cf_guess guess = cf_guess_begin(kind);

    if (kp_text_equal(kind, KP_TEXT("pod")))
        guess.meant = "Pod";
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        cf_guess_try(&guess, holders[i].kind);
    if (!guess.meant)
        return;
    kp_buf_put(text, KP_TEXT("; did you mean "));
    kp_buf_put(text, kp_text_of(guess.meant));
    kp_buf_put(text, KP_TEXT("?"));
}

static void put_passed(struct kp_buf *buf, const struct cf_node *object)
{
    const struct cf_node *kind = cf_node_find(object, "kind");
    size_t begun;

    kp_buf_put(buf, KP_TEXT("kind "));
    cf_manifest_put_kind(buf, kind->text);
    begun = buf->need;
    if (kp_text_equal(kind->text, KP_TEXT("Kustomization")))
        kp_buf_put(buf, KP_TEXT("; pipe `kubectl kustomize DIR | probetest COMMAND -`"));
    if (kp_text_equal(kind->text, KP_TEXT("Service")) && follow(object, "spec.template"))
        kp_buf_put(buf, KP_TEXT(" of Knative, whose proxy does the probing; ask about a pod "
                                "of it: `kubectl get pod NAME -o yaml`"));
    put_kind_meant(buf, kind->text);
    if (buf->need == begun && has_containers(object))
        kp_buf_put(buf, KP_TEXT(" has containers, but no pod template that is known"));
}

/* As the fault that there is no pod, or as a warning beside pods. */
static void put_why(struct kp_buf *buf, const struct cf_node *passed, bool warning)
{
    if (warning) {
        struct kp_text name = cf_node_text(cf_node_find(passed, "metadata"), "name");

        if (name.len > 0)
            cf_manifest_put_kind(buf, name);
        kp_buf_put(buf, name.len > 0 ? KP_TEXT(" is passed over: ") : KP_TEXT("passed over: "));
    } else {
        kp_buf_put(buf, KP_TEXT("no pod and no pod template in it"));
        kp_buf_put(buf, passed ? KP_TEXT(", but ") : KP_TEXT(""));
    }
    if (passed)
        put_passed(buf, passed);
}

static bool report_passed(struct reader *reader, const struct cf_node *passed, bool warning)
{
    const struct cf_node *kind = passed ? cf_node_find(passed, "kind") : NULL;
    struct kp_buf buf = {0};

    put_why(&buf, passed, warning);
    buf = cf_arena_buf(reader->arena, buf.need);
    put_why(&buf, passed, warning);
    return add_fault(reader, kind ? kind->at : (struct cf_place){1, 1}, kp_buf_text(&buf), warning);
}

/* Each object whose containers are not looked at; and where there is nothing to play, that. */
static bool report_all_passed(struct reader *reader)
{
    bool empty = reader->out->pod_count == 0;
    bool fine = true;

    reader->out->empty = empty;
    reader->out->passed_over = reader->held != NULL;
    if (empty)
        fine = report_passed(reader, reader->held ? reader->held[0] : reader->passed, false);
    for (size_t i = empty ? 1 : 0; fine && i < reader->held_count; i++)
        fine = report_passed(reader, reader->held[i], true);
    return fine;
}

enum kp_err cf_manifest_read(struct cf_arena *arena, const struct kp_profile *profile,
                             const char *name, struct kp_text bytes, struct cf_manifest *out)
{
    return cf_manifest_read_only(arena, profile, name, bytes, NULL, out);
}

enum kp_err cf_manifest_read_only(struct cf_arena *arena, const struct kp_profile *profile,
                                  const char *name, struct kp_text bytes, const char *only,
                                  struct cf_manifest *out)
{
    struct reader reader = {
        .arena = arena,
        .profile = profile,
        .out = out,
        .presets = cf_node_new(arena, CF_LIST, (struct cf_place){0}),
    };
    struct cf_node *documents;
    enum kp_err err;

    *out = (struct cf_manifest){.name = name, .only = only};
    if (bytes.len > CF_MANIFEST_BYTES_MAX) {
        fail_with(&reader, (struct cf_place){1, 1}, "larger than 4194304 bytes");
        return arena->failed ? KP_ENOMEM : KP_EINPUT;
    }
    err = parse_document(&reader, bytes, &documents);
    if (err == KP_OK && cf_node_count(documents) - 1 > CF_MANIFEST_NODES_MAX) {
        fail_with(&reader, (struct cf_place){1, 1}, "more than 300000 values");
        err = arena->failed ? KP_ENOMEM : KP_EINPUT;
    }
    if (err != KP_OK || !reader.presets)
        return err != KP_OK ? err : KP_ENOMEM;
    for (const struct cf_node *document = documents->first; document; document = document->next)
        if (document->kind != CF_NULL && !read_object(&reader, document, 0))
            return arena->failed ? KP_ENOMEM : KP_EINPUT;
    if (!report_all_passed(&reader) || arena->failed)
        return KP_ENOMEM;
    if (out->pod_count == 0)
        return KP_EINPUT;
    return apply_presets(&reader) && cf_manifest_tell_apart(arena, out) ? KP_OK : KP_ENOMEM;
}
