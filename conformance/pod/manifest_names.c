#include "conformance/pod/manifest_names.h"

#include <string.h>

static struct kp_text name_of(const struct cf_node *object)
{
    return cf_node_text(cf_node_find(object, "metadata"), "name");
}

/* What a namespace is called that is not said. */
static struct kp_text or_default(struct kp_text space)
{
    return space.len > 0 ? space : KP_TEXT("default");
}

/* Cut "prod/" off where that is the namespace; false: it is another one. */
static bool cut_namespace(struct kp_text space, struct kp_text *name)
{
    struct kp_text first;
    struct kp_text rest;

    if (!kp_text_cut(*name, '/', &first, &rest))
        return true;
    *name = rest;
    return kp_text_equal(first, or_default(space));
}

bool cf_manifest_passes_over(const struct cf_node *object, const char *only)
{
    struct kp_text name = name_of(object);
    struct kp_text asked = only ? kp_text_of(only) : KP_TEXT_NONE;

    if (!only)
        return false;
    return !cut_namespace(cf_node_text(cf_node_find(object, "metadata"), "namespace"), &asked) ||
           asked.len < name.len || !kp_text_equal((struct kp_text){asked.bytes, name.len}, name) ||
           (asked.len > name.len && asked.bytes[name.len] != '-');
}

bool cf_pod_is_called(const struct kp_pod *pod, const char *name)
{
    struct kp_text asked = name ? kp_text_of(name) : KP_TEXT_NONE;

    return !name || (cut_namespace(pod->namespace_, &asked) && kp_text_equal(asked, pod->name));
}

bool cf_manifest_pod_is_called(const struct cf_manifest_pod *pod, const char *name)
{
    struct kp_text asked = name ? kp_text_of(name) : KP_TEXT_NONE;

    return cf_pod_is_called(pod->pod, name) || (cut_namespace(pod->pod->namespace_, &asked) &&
                                                kp_text_equal(asked, name_of(pod->holder)));
}

size_t cf_manifest_count(const struct cf_manifest *manifest, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < manifest->pod_count; i++)
        count += cf_manifest_pod_is_called(&manifest->pods[i], name);
    return count;
}

/* Is there one of that name in another namespace? */
static bool has_namesake(const struct cf_manifest *manifest, const struct kp_text *names, size_t at)
{
    struct kp_text space = manifest->pods[at].pod->namespace_;

    for (size_t i = 0; i < manifest->pod_count; i++)
        if (kp_text_equal(names[i], names[at]) &&
            !kp_text_equal(manifest->pods[i].pod->namespace_, space))
            return true;
    return false;
}

bool cf_manifest_tell_apart(struct cf_arena *arena, struct cf_manifest *manifest)
{
    struct kp_text *names = cf_arena_array(arena, manifest->pod_count, sizeof *names);

    for (size_t i = 0; names && i < manifest->pod_count; i++)
        names[i] = manifest->pods[i].object;
    for (size_t i = 0; names && i < manifest->pod_count; i++) {
        struct cf_manifest_pod *pod = &manifest->pods[i];

        if (names[i].len > 0 && has_namesake(manifest, names, i))
            pod->object =
                cf_arena_format(arena, "%.*s/%.*s", KP_ARG(pod->pod->namespace_), KP_ARG(names[i]));
    }
    return !arena->failed;
}
