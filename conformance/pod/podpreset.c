#include "conformance/pod/podpreset.h"

#include "conformance/pod/pod_tree.h"

#include <string.h>

#define PREFIX "podpreset.admission.kubernetes.io/"

/* A preset with its parts decoded and defaulted. */
struct preset {
    struct kp_text name;
    struct kp_text resource_version;
    struct cf_node *env; /* lists; NULL: none */
    struct cf_node *env_from;
    struct cf_node *mounts;
    struct cf_node *volumes;
    struct preset *next;
};

struct merger {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct cf_podpreset_outcome *outcome;
    struct preset *presets;
    size_t conflicts;
    struct kp_text conflict_text; /* joined by ", " */
};

/* One of the four lists, and how its items are told apart. */
struct part {
    const char *list;
    enum cf_api_type type;
    const char *key;
    const char *what; /* in a conflict's text */
};

static const struct part env_part = {"env", CF_API_EnvVar, "name", "env"};
static const struct part mount_part = {"volumeMounts", CF_API_VolumeMount, "name", "volume mounts"};
static const struct part path_part = {"volumeMounts", CF_API_VolumeMount, "mountPath",
                                      "volume mounts"};
static const struct part volume_part = {"volumes", CF_API_Volume, "name", "volumes"};

/* ---- what is a preset ---------------------------------------------------------------------------
 */

/* The known fields of an object, defaulted; NULL: fault says why, or there is no memory. */
static struct cf_node *decode(struct cf_arena *arena, const struct kp_profile *profile,
                              const struct cf_node *object, struct cf_fault *fault,
                              struct cf_pod *out)
{
    struct cf_node *tree =
        cf_api_decode(arena, profile, CF_API_PodPreset, KP_TEXT(""), object, out);

    if (tree)
        cf_api_default(arena, profile, CF_API_PodPreset, tree);
    else
        *fault = out->fault;
    return tree;
}

/* What is wrong with an expression of a selector, behind its path; empty: nothing. */
static struct kp_text expression_fault(struct cf_arena *arena, const struct cf_node *expression)
{
    struct kp_text op = cf_node_text(expression, "operator");
    const struct cf_node *values = cf_node_find(expression, "values");
    bool some = values && values->count > 0;
    bool lists = kp_text_equal(op, KP_TEXT("In")) || kp_text_equal(op, KP_TEXT("NotIn"));

    if (lists && !some)
        return KP_TEXT("values: Required value: must be specified when `operator` is 'In' or "
                       "'NotIn'");
    if (lists)
        return KP_TEXT("");
    if (!kp_text_equal(op, KP_TEXT("Exists")) && !kp_text_equal(op, KP_TEXT("DoesNotExist")))
        return cf_arena_format(
            arena, "operator: Invalid value: \"%.*s\": not a valid selector operator", KP_ARG(op));
    return some ? KP_TEXT("values: Forbidden: may not be specified when `operator` is 'Exists' or "
                          "'DoesNotExist'")
                : KP_TEXT("");
}

/* What the API server would refuse, a whole line; empty: nothing. */
static struct kp_text refusal(struct cf_arena *arena, const struct cf_node *tree)
{
    static const char *const lists[] = {"env", "envFrom", "volumeMounts", "volumes"};
    const struct cf_node *spec = cf_node_find(tree, "spec");
    const struct cf_node *expressions =
        cf_node_find(cf_node_find(spec, "selector"), "matchExpressions");
    size_t index = 0;
    bool any = false;

    if (cf_node_text(cf_node_find(tree, "metadata"), "name").len == 0)
        return KP_TEXT("metadata.name: Required value: name or generateName is required");
    for (const struct cf_node *item = expressions ? expressions->first : NULL; item;
         item = item->next, index++) {
        struct kp_text fault = expression_fault(arena, item);

        if (fault.len > 0)
            return cf_arena_format(arena, "spec.selector.matchExpressions[%zu].%.*s", index,
                                   KP_ARG(fault));
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        any = any || cf_node_find(spec, lists[i]);
    return any ? KP_TEXT("")
               : KP_TEXT("spec.volumes.env.envFrom.volumeMounts: Required value: must specify at "
                         "least one");
}

static bool is_refused(const struct cf_node *object, struct kp_text text, struct cf_fault *fault)
{
    struct kp_text path;

    if (text.len == 0)
        return false;
    kp_text_cut(text, ':', &path, &(struct kp_text){0});
    *fault = (struct cf_fault){.at = cf_node_place(object, path), .message = text, .go_text = text};
    return true;
}

bool cf_podpreset_check(struct cf_arena *arena, const struct kp_profile *profile,
                        const struct cf_node *object, struct cf_fault *fault)
{
    struct kp_profile strict = *profile;
    struct kp_text version = cf_node_text(object, "apiVersion");
    struct cf_pod out = {0};
    const struct cf_node *tree;

    if (profile->podpreset_gone || !kp_text_equal(version, KP_TEXT("settings.k8s.io/v1alpha1"))) {
        fault->at = cf_node_place(object, KP_TEXT("apiVersion"));
        fault->go_text = fault->message = cf_arena_format(
            arena, "no matches for kind \"PodPreset\" in version \"%.*s\"", KP_ARG(version));
        return false;
    }
    strict.strict_warnings = true;
    tree = decode(arena, &strict, object, fault, &out);
    if (!tree)
        return false;
    if (out.warning_count > 0) {
        *fault = (struct cf_fault){.at = out.warnings[0].at,
                                   .message = out.warnings[0].text,
                                   .go_text = out.warnings[0].text};
        return false;
    }
    return !is_refused(object, refusal(arena, tree), fault);
}

/* ---- which presets match ------------------------------------------------------------------------
 */

static bool lists_value(const struct cf_node *values, struct kp_text value)
{
    for (const struct cf_node *item = values ? values->first : NULL; item; item = item->next)
        if (kp_text_equal(item->text, value))
            return true;
    return false;
}

static bool expression_matches(struct cf_arena *arena, const struct cf_node *expression,
                               const struct cf_node *labels)
{
    struct kp_text key = cf_arena_text(arena, cf_node_text(expression, "key"));
    struct kp_text op = cf_node_text(expression, "operator");
    const struct cf_node *label = labels ? cf_node_find(labels, key.bytes) : NULL;
    bool listed = label && lists_value(cf_node_find(expression, "values"), label->text);

    if (kp_text_equal(op, KP_TEXT("In")))
        return listed;
    if (kp_text_equal(op, KP_TEXT("NotIn")))
        return !listed;
    if (kp_text_equal(op, KP_TEXT("Exists")))
        return label != NULL;
    return label == NULL; /* DoesNotExist */
}

/* An empty selector matches every pod. */
static bool selector_matches(struct cf_arena *arena, const struct cf_node *selector,
                             const struct cf_node *labels)
{
    const struct cf_node *wanted = cf_node_find(selector, "matchLabels");
    const struct cf_node *expressions = cf_node_find(selector, "matchExpressions");

    for (const struct cf_node *item = wanted ? wanted->first : NULL; item; item = item->next) {
        const struct cf_node *label =
            labels ? cf_node_find(labels, cf_arena_text(arena, item->key).bytes) : NULL;

        if (!label || !kp_text_equal(label->text, item->text))
            return false;
    }
    for (const struct cf_node *item = expressions ? expressions->first : NULL; item;
         item = item->next)
        if (!expression_matches(arena, item, labels))
            return false;
    return true;
}

static void add_preset(struct merger *merger, struct preset ***end, const struct cf_node *tree)
{
    struct preset *preset = cf_arena_alloc(merger->arena, sizeof *preset);
    const struct cf_node *metadata = cf_node_find(tree, "metadata");
    const struct cf_node *spec = cf_node_find(tree, "spec");

    if (!preset)
        return;
    *preset = (struct preset){
        .name = cf_node_text(metadata, "name"),
        .resource_version = cf_node_text(metadata, "resourceVersion"),
        .env = cf_node_find(spec, "env"),
        .env_from = cf_node_find(spec, "envFrom"),
        .mounts = cf_node_find(spec, "volumeMounts"),
        .volumes = cf_node_find(spec, "volumes"),
    };
    **end = preset;
    *end = &preset->next;
    merger->outcome->matched++;
    merger->outcome->names =
        cf_arena_format(merger->arena, "%.*s%s%.*s", KP_ARG(merger->outcome->names),
                        merger->outcome->names.len > 0 ? "," : "", KP_ARG(preset->name));
}

static struct kp_text namespace_or_default(struct kp_text namespace_)
{
    return namespace_.len > 0 ? namespace_ : KP_TEXT("default");
}

/* false: one of them is no preset, and the outcome says why. */
static bool find_presets(struct merger *merger, const struct cf_node *presets,
                         const struct cf_pod *pod)
{
    struct preset **end = &merger->presets;
    const struct cf_node *labels = cf_node_find(cf_node_find(pod->tree, "metadata"), "labels");
    struct kp_text own = namespace_or_default(pod->pod->namespace_);

    for (const struct cf_node *object = presets->first; object; object = object->next) {
        struct cf_pod out = {0};
        const struct cf_node *tree =
            decode(merger->arena, merger->profile, object, &merger->outcome->fault, &out);

        merger->outcome->bad_preset = !tree && !merger->arena->failed;
        if (!tree)
            return false;
        if (kp_text_equal(
                namespace_or_default(cf_node_text(cf_node_find(tree, "metadata"), "namespace")),
                own) &&
            selector_matches(merger->arena, cf_node_find(cf_node_find(tree, "spec"), "selector"),
                             labels))
            add_preset(merger, &end, tree);
    }
    return true;
}

/* ---- merging ------------------------------------------------------------------------------------
 */

static bool same_item(struct merger *merger, enum cf_api_type type, const struct cf_node *a,
                      const struct cf_node *b)
{
    struct cf_arena *arena = merger->arena;
    const struct cf_node *left = cf_api_print(arena, merger->profile, type, a);
    const struct cf_node *right = cf_api_print(arena, merger->profile, type, b);

    return left && right && kp_text_equal(cf_node_json(arena, left), cf_node_json(arena, right));
}

static void add_conflict(struct merger *merger, const struct preset *preset,
                         const struct part *part, struct kp_text key)
{
    bool by_path = part == &path_part;

    merger->conflict_text = cf_arena_format(
        merger->arena, "%.*s%smerging %s for %.*s has a conflict on %s%.*s: ...",
        KP_ARG(merger->conflict_text), merger->conflicts > 0 ? ", " : "", part->what,
        KP_ARG(preset->name), by_path ? "mount path " : "", KP_ARG(key));
    merger->conflicts++;
}

/* The last item of that key, as a Go map keeps it. */
static struct cf_node *find_item(const struct cf_node *list, const char *key, struct kp_text value)
{
    struct cf_node *found = NULL;

    for (struct cf_node *item = list->first; item; item = item->next)
        if (kp_text_equal(cf_node_text(item, key), value))
            found = item;
    return found;
}

/* Is the item new by that key?  If not, it must be the same. */
static bool is_new(struct merger *merger, const struct preset *preset, const struct part *part,
                   const struct cf_node *list, const struct cf_node *item)
{
    struct kp_text key = cf_node_text(item, part->key);
    const struct cf_node *found = find_item(list, part->key, key);

    if (found && !same_item(merger, part->type, found, item))
        add_conflict(merger, preset, part, key);
    return !found;
}

/*
 * Append what a preset has and the list has not.  `seen` also holds mounts that were not appended:
 * a path counts as taken by the first mount that names it.
 */
static void merge_list(struct merger *merger, const struct preset *preset, const struct part *part,
                       const struct cf_node *from, struct cf_node *into, struct cf_node *seen)
{
    for (const struct cf_node *item = from ? from->first : NULL; item; item = item->next) {
        bool append = is_new(merger, preset, part, into, item);

        if (part == &mount_part && is_new(merger, preset, &path_part, seen, item))
            cf_node_append(seen, cf_node_copy(merger->arena, item));
        if (append)
            cf_node_append(into, cf_node_copy(merger->arena, item));
    }
}

/* What tells sources of variables apart: prefix and names. */
static bool same_source(const struct cf_node *a, const struct cf_node *b)
{
    static const char *const refs[] = {"configMapRef", "secretRef"};

    for (size_t i = 0; i < 2; i++)
        if (!kp_text_equal(cf_node_text(cf_node_find(a, refs[i]), "name"),
                           cf_node_text(cf_node_find(b, refs[i]), "name")))
            return false;
    return kp_text_equal(cf_node_text(a, "prefix"), cf_node_text(b, "prefix"));
}

/*
 * envFrom is merged without a check before: a source like one that the container has is left out,
 * and one that differs from it in the rest makes the merge fail unseen, which leaves the container
 * without any.  False: that happened.
 */
static bool merge_sources(struct merger *merger, const struct preset *preset,
                          const struct cf_node *own, struct cf_node *into)
{
    for (const struct cf_node *item = preset->env_from ? preset->env_from->first : NULL; item;
         item = item->next) {
        const struct cf_node *found = NULL;

        for (const struct cf_node *source = own ? own->first : NULL; source; source = source->next)
            if (same_source(source, item))
                found = source;
        if (!found)
            cf_node_append(into, cf_node_copy(merger->arena, item));
        else if (!same_item(merger, CF_API_EnvFromSource, found, item))
            return false;
    }
    return true;
}

static struct cf_node *list_copy(struct merger *merger, const struct cf_node *map, const char *name)
{
    const struct cf_node *list = cf_node_find(map, name);

    return list ? cf_node_copy(merger->arena, list)
                : cf_node_new(merger->arena, CF_LIST, (struct cf_place){0});
}

static void merge_container(struct merger *merger, struct cf_node *container, bool write)
{
    struct cf_node *env = list_copy(merger, container, "env");
    struct cf_node *mounts = list_copy(merger, container, "volumeMounts");
    struct cf_node *seen = list_copy(merger, container, "volumeMounts");
    struct cf_node *sources = list_copy(merger, container, "envFrom");
    const struct cf_node *own = cf_node_find(container, "envFrom");
    bool merged = true;

    if (merger->arena->failed)
        return;
    for (const struct preset *preset = merger->presets; preset; preset = preset->next) {
        merge_list(merger, preset, &env_part, preset->env, env, env);
        merge_list(merger, preset, &mount_part, preset->mounts, mounts, seen);
        merged = merge_sources(merger, preset, own, sources) && merged;
    }
    if (!write)
        return;
    cf_node_set(container, KP_TEXT("env"), env);
    cf_node_set(container, KP_TEXT("volumeMounts"), mounts);
    if (merged)
        cf_node_set(container, KP_TEXT("envFrom"), sources);
    else
        cf_node_remove(container, KP_TEXT("envFrom"));
}

/* Once to see whether it is safe, once to do it. */
static void merge_pod(struct merger *merger, struct cf_node *tree, bool write)
{
    static const char *const lists[] = {"containers", "initContainers"};
    struct cf_node *spec = cf_node_find(tree, "spec");
    struct cf_node *volumes = list_copy(merger, spec, "volumes");

    if (merger->arena->failed)
        return;
    for (const struct preset *preset = merger->presets; preset; preset = preset->next)
        merge_list(merger, preset, &volume_part, preset->volumes, volumes, volumes);
    if (write)
        cf_node_set(spec, KP_TEXT("volumes"), volumes);
    for (size_t i = 0; i < 2; i++) {
        struct cf_node *list = cf_node_find(spec, lists[i]);

        for (struct cf_node *item = list ? list->first : NULL; item; item = item->next)
            merge_container(merger, item, write);
    }
}

static void annotate(struct merger *merger, struct cf_node *tree)
{
    struct cf_node *metadata = cf_node_find(tree, "metadata");
    struct cf_node *annotations = cf_node_find(metadata, "annotations");

    if (!metadata) {
        metadata = cf_node_new(merger->arena, CF_MAP, (struct cf_place){0});
        cf_node_put(tree, KP_TEXT("metadata"), metadata);
    }
    if (!annotations && metadata) {
        annotations = cf_node_new(merger->arena, CF_MAP, (struct cf_place){0});
        cf_node_put(metadata, KP_TEXT("annotations"), annotations);
    }
    for (const struct preset *preset = merger->presets; annotations && preset;
         preset = preset->next)
        cf_node_set(annotations,
                    cf_arena_format(merger->arena, PREFIX "podpreset-%.*s", KP_ARG(preset->name)),
                    cf_node_string(merger->arena, preset->resource_version));
}

/* Mirror pods and those that exclude themselves are left as they are. */
static bool is_left_alone(const struct cf_node *tree)
{
    const struct cf_node *annotations = cf_node_find(cf_node_find(tree, "metadata"), "annotations");
    const struct cf_node *exclude = cf_node_find(annotations, PREFIX "exclude");

    return cf_node_find(annotations, "kubernetes.io/config.mirror") ||
           (exclude && kp_text_equal(exclude->text, KP_TEXT("true")));
}

static struct kp_text log_line(const struct merger *merger, const struct cf_pod *pod)
{
    struct kp_text names = merger->outcome->names;
    struct kp_text generate = cf_node_text(cf_node_find(pod->tree, "metadata"), "generateName");
    bool several = merger->conflicts > 1;

    return cf_arena_format(
        merger->arena,
        "conflict occurred while applying podpresets: %.*s on pod: %.*s err: %s%.*s%s",
        KP_ARG(names), KP_ARG(generate), several ? "[" : "", KP_ARG(merger->conflict_text),
        several ? "]" : "");
}

enum kp_err cf_podpreset_apply(struct cf_arena *arena, const struct kp_profile *profile,
                               const struct cf_node *presets, struct cf_pod *pod,
                               struct cf_podpreset_outcome *outcome)
{
    struct merger merger = {.arena = arena, .profile = profile, .outcome = outcome};

    *outcome = (struct cf_podpreset_outcome){.names = KP_TEXT("")};
    if (profile->podpreset_gone || is_left_alone(pod->tree))
        return KP_OK;
    if (!find_presets(&merger, presets, pod))
        return arena->failed ? KP_ENOMEM : KP_OK;
    if (outcome->matched == 0)
        return arena->failed ? KP_ENOMEM : KP_OK;
    merge_pod(&merger, pod->tree, false);
    if (merger.conflicts > 0) {
        outcome->log = log_line(&merger, pod);
        return arena->failed ? KP_ENOMEM : KP_OK;
    }
    merge_pod(&merger, pod->tree, true);
    annotate(&merger, pod->tree);
    outcome->applied = true;
    pod->pod = arena->failed ? NULL : cf_pod_bind(arena, pod->tree);
    return pod->pod ? KP_OK : KP_ENOMEM;
}
