#include "conformance/command/lint_command.h"

#include "conformance/advice/advice.h"
#include "conformance/advice/lint_put.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/text/cli.h"
#include "conformance/text/say.h"
#include "conformance/text/versions.h"

#include <getopt.h>
#include <string.h>

#define NAME "lint"

struct options {
    const char *version;
    enum cf_lint_format format;
    bool strict;
    bool rules;
};

static int read_format(void *ctx, const char *word)
{
    static const char *const names[] = {[CF_LINT_TEXT] = "text",
                                        [CF_LINT_JSON] = "json",
                                        [CF_LINT_SARIF] = "sarif",
                                        [CF_LINT_GITHUB] = "github"};
    struct options *options = ctx;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(word, names[i]) != 0)
            continue;
        options->format = (enum cf_lint_format)i;
        return CF_EXIT_OK;
    }
    return cf_usage(NAME, "--format: '%s' is neither text, json, sarif nor github", word);
}

/* What cannot be read is told in the format, too, and on stderr. */
static int lint_file(struct cf_arena *arena, const struct kp_profile *profile, const char *path,
                     struct cf_linted *linted)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest = {0};
    struct cf_ignores ignores;
    int code = cf_manifest_file_open(arena, path, &file);

    linted->file = file.name;
    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, profile, &file, &manifest);
    linted->faults = manifest.faults;
    linted->fault_count = manifest.fault_count;
    if (code != CF_EXIT_OK)
        return code;
    if (cf_ignores_read(arena, file.bytes, &ignores) != KP_OK ||
        cf_advise(arena, profile, &manifest, &ignores, &linted->findings) != KP_OK)
        return cf_no_memory(NAME);
    linted->pod_count = manifest.pod_count;
    if (linted->findings.cut)
        cf_say(stderr, "%s: too many findings: no advice on the last pods; lint it in parts\n",
               file.name);
    cf_manifest_complain(&(struct cf_manifest){
        .name = file.name, .faults = ignores.faults, .fault_count = ignores.fault_count});
    return linted->findings.errors > 0 ? CF_EXIT_FAILED : CF_EXIT_OK;
}

static int lint_files(const struct options *options, const struct kp_profile *profile, char **files,
                      int count)
{
    struct cf_out out = {0};
    struct cf_lint_sheet sheet;
    int worst = CF_EXIT_OK;
    int code;

    cf_lint_begin(&sheet, options->format, &out);
    for (int i = 0; i < count; i++) {
        struct cf_linted linted = {0};
        struct cf_arena arena;

        cf_arena_init(&arena, cf_libc_mem());
        code = lint_file(&arena, profile, files[i], &linted);
        cf_lint_put(&sheet, &linted);
        cf_arena_deinit(&arena);
        if (code == CF_EXIT_OK && options->strict && linted.findings.advice > 0)
            code = CF_EXIT_FAILED;
        worst = code > worst ? code : worst;
    }
    cf_lint_end(&sheet);
    code = cf_write_out(NAME, NULL, out.bytes, out.len);
    cf_out_deinit(&out);
    return code > worst ? code : worst;
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
    struct options asked = {.version = "1.36"};
    const struct cf_option options[] = {{"k8s", .word = &asked.version},
                                        {"format", .letter = 'f', .read = read_format},
                                        {"strict", .flag = &asked.strict},
                                        {"rules", .flag = &asked.rules},
                                        {0}};
    struct kp_profile profile;
    int exit = cf_read_options(NAME, argc, argv, options, &asked);

    if (exit >= 0)
        return exit;
    if (!cf_version_read(&profile, asked.version))
        return cf_usage(NAME, "no Kubernetes version '%s' from " KP_OLDEST " to " KP_NEWEST,
                        asked.version);
    if (asked.rules)
        return optind == argc ? list_rules() : cf_usage(NAME, "--rules takes no file");
    if (optind == argc)
        return cf_usage(NAME, "wanted a file");
    return lint_files(&asked, &profile, argv + optind, argc - optind);
}
