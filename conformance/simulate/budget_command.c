#include "conformance/simulate/budget_command.h"

#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/simulate/budget_print.h"
#include "conformance/text/cli.h"
#include "conformance/text/versions.h"

#include <getopt.h>

#define NAME "budget"

struct options {
    const char *version;
    const char *pod;
    bool json;
};

static int put_pod(struct cf_arena *arena, const struct options *options,
                   const struct kp_profile *profile, const struct cf_manifest_pod *of,
                   struct cf_out *out)
{
    const struct kp_pod *pod = of->pod;
    struct cf_budget budget;
    const char *why;
    enum kp_err err = cf_budget_find(arena, profile, pod, &budget, &why);

    if (err == KP_ENOMEM)
        return cf_no_memory(NAME);
    if (err != KP_OK)
        return cf_usage(NAME, "%.*s: %s", (int)pod->name.len, pod->name.bytes, why);
    for (size_t i = 0; i < budget.count; i++) {
        if (options->json) {
            cf_budget_put_json(out, profile, pod, &budget.containers[i]);
            continue;
        }
        if (out->len > 0)
            cf_out_put_char(out, '\n');
        cf_budget_put_text(out, profile, of->object, pod, &budget.containers[i]);
    }
    return CF_EXIT_OK;
}

static int put_file(struct cf_arena *arena, const struct options *options,
                    const struct kp_profile *profile, const char *path, struct cf_out *out)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest;
    int code = cf_manifest_file_open(arena, path, &file);
    size_t count = 0;

    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, profile, &file, &manifest);
    if (code == CF_EXIT_OK && cf_lint_refuse(arena, profile, &manifest) != KP_OK)
        code = CF_EXIT_USAGE;
    for (size_t i = 0; code == CF_EXIT_OK && i < manifest.pod_count; i++) {
        if (!cf_manifest_pod_is_called(&manifest.pods[i], options->pod))
            continue;
        code = put_pod(arena, options, profile, &manifest.pods[i], out);
        count++;
    }
    if (code == CF_EXIT_OK && count == 0)
        return cf_usage(NAME, "%s has no pod '%s'", file.name, options->pod);
    return code;
}

int cf_budget_command(int argc, char **argv)
{
    struct options asked = {.version = "1.36"};
    const struct cf_option options[] = {{"k8s", .word = &asked.version},
                                        {"pod", .word = &asked.pod},
                                        {"json", .flag = &asked.json},
                                        {0}};
    struct kp_profile profile;
    struct cf_out out = {0};
    int code = cf_read_options(NAME, argc, argv, options, &asked);

    if (code >= 0)
        return code;
    if (!cf_version_read(&profile, asked.version))
        return cf_usage(NAME, "no Kubernetes version '%s' from " KP_OLDEST " to " KP_NEWEST,
                        asked.version);
    if (optind == argc)
        return cf_usage(NAME, "wanted a file");
    code = CF_EXIT_OK;
    for (int i = optind; i < argc; i++) {
        struct cf_arena arena;
        int one;

        cf_arena_init(&arena, cf_libc_mem());
        one = put_file(&arena, &asked, &profile, argv[i], &out);
        cf_arena_deinit(&arena);
        code = one > code ? one : code;
    }
    cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    return code;
}
