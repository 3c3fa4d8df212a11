/* manifest_names.h: which pod of a file a name means, and what tells those of one name apart. */
#pragma once

#include "conformance/pod/manifest.h"

/*
 * Is another pod asked for than an object's: is the name neither that, nor the beginning of what a
 * controller would call its pods?
 *
 * only:     "web", "prod/web"; NULL: none is.
 */
bool cf_manifest_passes_over(const struct cf_node *object, const char *only);

/* Where several objects of a file have one name in several namespaces, put those before it.
 * Returns: false: no memory. */
bool cf_manifest_tell_apart(struct cf_arena *arena, struct cf_manifest *manifest);

/* Is a pod called so, "web" or "prod/web"?  NULL: each is. */
bool cf_pod_is_called(const struct kp_pod *pod, const char *name);
