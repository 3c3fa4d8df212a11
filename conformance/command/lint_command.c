/* lint_command.c: `probetest lint`. */
#include "conformance/advice/advice.h"
#include "conformance/advice/lint_put.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/text/cli.h"
#include "conformance/text/inputs.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <string.h>

#define NAME "lint"

struct options {
    int format; /* enum cf_lint_format */
    bool strict;
    bool all;
    bool rules;
};

/* What all files have in common. */
struct linting {
    const struct options *options;
    const struct kp_profile *profile;
    const struct cf_inputs *inputs;
    struct cf_lint_sheet sheet;
    size_t empty; /* files without a pod, among others */
};

/* What cannot be read is reported in the format, too, and on stderr. */
static int lint_file(struct linting *linting, struct cf_arena *arena, const char *path,
                     struct cf_linted *linted)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest = {0};
    struct cf_ignores ignores;
    int code = cf_manifest_file_open(arena, path, &file);

    linted->file = file.name;
    file.among = linting->inputs->count > 1;
    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, linting->profile, &file, &manifest);
    linting->empty += code == CF_EXIT_OK && manifest.empty;
    linted->faults = manifest.faults;
    linted->fault_count = manifest.fault_count;
    if (code != CF_EXIT_OK)
        return code;
    if (cf_ignores_read(arena, file.bytes, &ignores) != KP_OK ||
        cf_advise(arena, linting->profile, &manifest, &ignores, &linted->findings) != KP_OK)
        return cf_no_memory(NAME);
    linted->pod_count = manifest.pod_count;
    if (linted->findings.cut)
        cf_print(stderr, "%s: too many findings: no advice on the last pods; lint it in parts\n",
                 file.name);
    cf_manifest_print_fault(&(struct cf_manifest){
        .name = file.name, .faults = ignores.faults, .fault_count = ignores.fault_count});
    return linted->findings.errors > 0 ? CF_EXIT_FAILED : CF_EXIT_OK;
}

static int lint_one(struct linting *linting, const char *path)
{
    struct cf_linted linted = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    int code;

    code = lint_file(linting, &arena, path, &linted);
    linting->sheet.unread += code == CF_EXIT_USAGE;
    linting->sheet.failed |= code == CF_EXIT_USAGE;
    cf_lint_put(&linting->sheet, &linted);
    cf_arena_deinit(&arena);
    if (code == CF_EXIT_OK && linting->options->strict && linted.findings.advice > 0)
        return CF_EXIT_FAILED;
    return code;
}

static int lint_files(struct linting *linting)
{
    struct cf_out out = {0};
    int worst = CF_EXIT_OK;
    int code;

    cf_lint_begin(&linting->sheet, (enum cf_lint_format)linting->options->format,
                  linting->options->all, &out);
    for (size_t i = 0; i < linting->inputs->count; i++) {
        code = lint_one(linting, linting->inputs->paths[i]);
        worst = code > worst ? code : worst;
    }
    code = cf_manifest_print_empty(NAME, NULL, linting->empty, linting->inputs->count);
    worst = code > worst ? code : worst;
    cf_lint_end(&linting->sheet);
    code = cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    return code > worst ? code : worst;
}

static int lint_inputs(const struct options *options, const struct kp_profile *profile,
                       char **words, int count)
{
    struct cf_inputs inputs;
    struct linting linting = {.options = options, .profile = profile, .inputs = &inputs};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    int code;

    code = cf_inputs_find(&arena, NAME, words, count, &inputs);
    if (code == CF_EXIT_OK)
        code = lint_files(&linting);
    cf_arena_deinit(&arena);
    return code;
}

static int list_rules(void)
{
    struct cf_out out = {0};
    int code;

    cf_lint_put_rules(&out);
    code = cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    return code;
}

int cf_lint_command(int argc, char **argv)
{
    static const char *const formats[] = {[CF_LINT_TEXT] = "text",
                                          [CF_LINT_JSON] = "json",
                                          [CF_LINT_SARIF] = "sarif",
                                          [CF_LINT_GITHUB] = "github",
                                          NULL};
    struct kp_profile profile;
    struct options args = {0};
    const struct cf_option options[] = {
        {"k8s", .profile = &profile},
        {"format", 'f', .choice = &args.format, .choices = formats},
        {"json", .choice = &args.format, .choices = formats, .as = "json"},
        {"strict", .flag = &args.strict},
        {"all", .flag = &args.all},
        {"rules", .flag = &args.rules},
        {0}};
    int exit = cf_read_options(NAME, argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (args.rules)
        return optind == argc ? list_rules() : cf_usage(NAME, "--rules takes no file");
    if (optind == argc)
        return cf_usage(NAME, "wanted a file");
    return lint_inputs(&args, &profile, argv + optind, argc - optind);
}
