/* budget_command.c: `probetest budget`. */
#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/simulate/budget_print.h"
#include "conformance/text/cli.h"
#include "conformance/text/human.h"
#include "conformance/text/inputs.h"
#include "conformance/text/versions.h"

#include <getopt.h>

#define NAME "budget"

enum { BLOCKS_MAX = 8 }; /* of more containers a table is printed alone, unless all is wanted */

struct options {
    const char *pod;
    bool json;
    bool all;
};

/* What is printed of all files. */
struct sheet {
    struct cf_out blocks; /* or JSON */
    struct cf_out table;
    size_t workloads;
    size_t containers;
    size_t empty; /* files without a pod that is wanted, among others */
};

static int put_pod(struct cf_arena *arena, const struct options *options,
                   const struct kp_profile *profile, const struct cf_manifest_pod *of,
                   struct sheet *sheet)
{
    const struct kp_pod *pod = of->pod;
    struct cf_budget budget;
    const char *why;
    enum kp_err err = cf_budget_find(arena, profile, pod, &budget, &why);

    if (err == KP_ENOMEM)
        return cf_no_memory(NAME);
    if (err != KP_OK)
        return cf_usage(NAME, "%.*s: %s", KP_ARG(pod->name), why);
    sheet->workloads++;
    sheet->containers += budget.count;
    if (budget.count == 0 && !options->json) {
        cf_out_printf(&sheet->blocks, "%s%.*s: no probe, so nothing is promised\n",
                      sheet->blocks.len > 0 ? "\n" : "", KP_ARG(of->object));
        cf_budget_put_row(&sheet->table, of->object, pod, NULL);
    }
    for (size_t i = 0; i < budget.count; i++) {
        if (options->json) {
            cf_budget_put_json(&sheet->blocks, profile, of->object, pod, &budget.containers[i]);
            continue;
        }
        if (sheet->blocks.len > 0)
            cf_out_put_char(&sheet->blocks, '\n');
        cf_budget_put_text(&sheet->blocks, profile, of->object, pod, &budget.containers[i]);
        cf_budget_put_row(&sheet->table, of->object, pod, &budget.containers[i]);
    }
    return CF_EXIT_OK;
}

static int put_file(struct cf_arena *arena, const struct options *options,
                    const struct kp_profile *profile, const char *path, bool among,
                    struct sheet *sheet)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest;
    int code = cf_manifest_file_open(arena, path, &file);
    size_t count;

    file.only = options->pod;
    file.among = among;
    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, profile, &file, &manifest);
    if (code == CF_EXIT_OK && cf_lint_refuse(arena, profile, &manifest) != KP_OK)
        code = CF_EXIT_USAGE;
    for (size_t i = 0; code == CF_EXIT_OK && i < manifest.pod_count; i++) {
        if (!cf_manifest_pod_is_called(&manifest.pods[i], options->pod))
            continue;
        code = put_pod(arena, options, profile, &manifest.pods[i], sheet);
    }
    count = code == CF_EXIT_OK ? cf_manifest_count(&manifest, options->pod) : 0;
    if (code == CF_EXIT_OK && count == 0 && !among)
        return cf_usage(NAME, "%s has no pod '%s'", file.name, options->pod);
    sheet->empty += code == CF_EXIT_OK && count == 0;
    return code;
}

/* Few are printed one by one; of many a table stands before them, or alone. */
static int print(const struct options *options, struct sheet *sheet)
{
    struct cf_out out = {0};
    bool many = sheet->containers > BLOCKS_MAX && !options->json;
    int code;

    if (many) {
        cf_budget_put_heading(&out);
        cf_out_put(&out, cf_out_text(&sheet->table));
        cf_out_printf(&out, "\n%zu workloads, %zu containers with probes%s\n", sheet->workloads,
                      sheet->containers, options->all ? "\n" : "; --all tells each in six lines");
    }
    if (!many || options->all)
        cf_out_put(&out, cf_out_text(&sheet->blocks));
    if (!options->json)
        cf_put_legend(&out);
    code = cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    return code;
}

/* What is wrong with one file does not keep the others from being answered. */
static int put_files(const struct options *options, const struct kp_profile *profile,
                     const struct cf_inputs *inputs)
{
    struct sheet sheet = {0};
    int code = CF_EXIT_OK;
    int written;

    for (size_t i = 0; i < inputs->count; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        int one;

        one = put_file(&arena, options, profile, inputs->paths[i], inputs->count > 1, &sheet);
        cf_arena_deinit(&arena);
        code = one > code ? one : code;
    }
    if (inputs->count > 1 &&
        cf_manifest_print_empty(NAME, options->pod, sheet.empty, inputs->count) != CF_EXIT_OK)
        code = CF_EXIT_USAGE;
    written = print(options, &sheet);
    cf_out_deinit(&sheet.blocks);
    cf_out_deinit(&sheet.table);
    return written > code ? written : code;
}

int cf_budget_command(int argc, char **argv)
{
    struct kp_profile profile;
    struct options args = {0};
    const struct cf_option options[] = {{"k8s", .profile = &profile},
                                        {"pod", .word = &args.pod},
                                        {"json", .flag = &args.json},
                                        {"all", .flag = &args.all},
                                        {0}};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_inputs inputs;
    int code = cf_read_options(NAME, argc, argv, options, NULL);

    if (code >= 0)
        return code;
    if (optind == argc)
        return cf_usage(NAME, "wanted a file");
    code = cf_inputs_find(&arena, NAME, argv + optind, argc - optind, &inputs);
    if (code == CF_EXIT_OK)
        code = put_files(&args, &profile, &inputs);
    cf_arena_deinit(&arena);
    return code;
}
