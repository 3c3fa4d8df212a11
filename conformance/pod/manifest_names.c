#include "conformance/pod/manifest_names.h"

#include <stdlib.h>
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

static int compare_texts(struct kp_text a, struct kp_text b)
{
    int by_bytes =
        a.len > 0 && b.len > 0 ? memcmp(a.bytes, b.bytes, a.len < b.len ? a.len : b.len) : 0;

    return by_bytes != 0 ? by_bytes : (a.len > b.len) - (a.len < b.len);
}

/* By name, then by namespace. */
static int compare_pods(const void *left, const void *right)
{
    const struct cf_manifest_pod *a = *(struct cf_manifest_pod *const *)left;
    const struct cf_manifest_pod *b = *(struct cf_manifest_pod *const *)right;
    int by_name = compare_texts(a->object, b->object);

    return by_name != 0 ? by_name : compare_texts(a->pod->namespace_, b->pod->namespace_);
}

bool cf_manifest_tell_apart(struct cf_arena *arena, struct cf_manifest *manifest)
{
    size_t count = manifest->pod_count;
    struct cf_manifest_pod **sorted =
        cf_arena_array(arena, count, sizeof(struct cf_manifest_pod *));

    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &manifest->pods[i];
    qsort(sorted, count, sizeof(struct cf_manifest_pod *), compare_pods);
    for (size_t i = 0, end; i < count; i = end) {
        struct kp_text name = sorted[i]->object;

        for (end = i + 1; end < count && kp_text_equal(sorted[end]->object, name);)
            end++;
        if (name.len == 0 ||
            kp_text_equal(sorted[i]->pod->namespace_, sorted[end - 1]->pod->namespace_))
            continue;
        for (size_t k = i; k < end; k++)
            sorted[k]->object = cf_arena_format(arena, "%.*s/%.*s",
                                                KP_ARG(sorted[k]->pod->namespace_), KP_ARG(name));
    }
    return !arena->failed;
}
