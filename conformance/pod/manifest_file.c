#include "conformance/pod/manifest_file.h"

#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "conformance/text/print.h"

#include <string.h>

int cf_manifest_file_open(struct cf_arena *arena, const char *path, struct cf_manifest_file *out)
{
    const char *why = cf_file_read(arena, path, (size_t)CF_MANIFEST_BYTES_MAX, &out->bytes);

    out->only = NULL;
    out->among = false;
    out->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (!why)
        return CF_EXIT_OK;
    cf_print(stderr, "%s:%s %s\n", out->name, out->bytes.len > 0 ? "1:1:" : "", why);
    return CF_EXIT_USAGE;
}

int cf_manifest_file_read(struct cf_arena *arena, const char *command,
                          const struct kp_profile *profile, const struct cf_manifest_file *file,
                          struct cf_manifest *out)
{
    enum kp_err err =
        cf_manifest_read_only(arena, profile, file->name, file->bytes, file->only, out);

    if (err == KP_ENOMEM)
        return cf_no_memory(command);
    if (err == KP_EINPUT && out->empty && file->among) {
        for (size_t i = 0; i < out->fault_count; i++)
            out->faults[i].warning = true;
        out->fault_count = out->passed_over ? out->fault_count : 0;
        cf_manifest_print_fault(out);
        return CF_EXIT_OK;
    }
    cf_manifest_print_fault(out);
    return err == KP_OK ? CF_EXIT_OK : CF_EXIT_USAGE;
}

int cf_manifest_print_empty(const char *command, const char *only, size_t empty, size_t files)
{
    if (only && empty == files)
        cf_print(stderr, "probetest %s: none of %zu files has a pod '%s'\n", command, files, only);
    else if (!only && empty > 0)
        cf_print(stderr, "probetest %s: %zu of %zu files have no pod\n", command, empty, files);
    return empty == files ? CF_EXIT_USAGE : CF_EXIT_OK;
}
