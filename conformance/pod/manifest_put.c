/* manifest_put.c: what is written of a manifest: its faults, and the head of a change of a pod, as
 * YAML of the object that holds it. */
#include "conformance/pod/manifest.h"

#include "conformance/text/print.h"

#include <string.h>

#define KIND_BYTES_MAX 63

void cf_manifest_put_kind(struct kp_buf *buf, struct kp_text kind)
{
    bool is_cut = kind.len > KIND_BYTES_MAX;

    kp_buf_put_quoted(buf, (struct kp_text){kind.bytes, is_cut ? KIND_BYTES_MAX : kind.len});
    kp_buf_put(buf, is_cut ? KP_TEXT("...") : KP_TEXT(""));
}

void cf_manifest_print_fault(const struct cf_manifest *manifest)
{
    for (size_t i = 0; i < manifest->fault_count; i++) {
        const struct cf_manifest_fault *fault = &manifest->faults[i];

        cf_print(stderr, "%s:%d:%d: %s%.*s\n", manifest->name, fault->at.line, fault->at.column,
                 fault->warning ? "warning: " : "", KP_ARG(fault->text));
    }
}

static bool is_word(struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
            return false;
    return text.len > 0;
}

void cf_manifest_put_fixed(struct cf_out *out, struct kp_text of, const struct cf_node *object)
{
    const struct cf_node *list = cf_node_find(cf_node_find(object, "metadata"), "ownerReferences");
    struct kp_text kind = cf_node_text(list ? list->first : NULL, "kind");
    struct kp_text name = cf_node_text(list ? list->first : NULL, "name");
    const char *more = kp_text_equal(kind, KP_TEXT("ReplicaSet")) ? "Deployment or " : "";
    struct kp_text group = cf_node_text(object, "apiVersion");

    group.len = kp_text_find(group, KP_TEXT("/"));
    if (kp_text_find(group, KP_TEXT(".")) < group.len)
        cf_out_put_string(
            out, "# a custom resource takes no strategic merge patch: edit its YAML instead\n");
    if (!kp_text_equal(of, KP_TEXT("Pod")) && !kp_text_equal(of, KP_TEXT("Job")))
        return;
    if (is_word(kind) && is_word(name))
        cf_out_printf(out, "# change its %s%.*s %.*s instead\n", more, KP_ARG(kind), KP_ARG(name));
    else
        cf_out_printf(out, "# a live %.*s cannot be patched so: kubectl replace --force -f FILE\n",
                      KP_ARG(of));
}

int cf_manifest_put_path(struct cf_out *out, struct kp_text path)
{
    int indent = 0;

    while (path.len > 0) {
        const char *dot = memchr(path.bytes, '.', path.len);
        size_t len = dot ? (size_t)(dot - path.bytes) : path.len;

        cf_out_printf(out, "%*s%.*s:\n", indent, "", (int)len, path.bytes);
        indent += 2;
        len += dot ? 1 : 0;
        path = kp_text_from(path, len);
    }
    cf_out_printf(out, "%*sspec:\n", indent, "");
    return indent + 2;
}
