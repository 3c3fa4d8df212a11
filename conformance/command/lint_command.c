/* lint_command.c: `probetest lint`. */
#include "conformance/pod/lint.h"
#include "conformance/pod/manifest_file.h"
#include "conformance/text/cli.h"
#include "conformance/text/versions.h"

#include <getopt.h>

#define NAME "lint"

static void print(FILE *stream, const char *file, const struct cf_lint *lint)
{
    for (size_t i = 0; i < lint->count; i++) {
        const struct cf_lint_note *note = &lint->notes[i];

        fprintf(stream, "%s:%d:%d: %s%.*s%s%s%s\n", file, note->at.line, note->at.column,
                note->refused ? "" : "advice: ", (int)note->text.len, note->text.bytes,
                note->rule ? " [" : "", note->rule ? note->rule : "", note->rule ? "]" : "");
    }
}

static int lint_file(struct cf_arena *arena, const struct kp_profile *profile, const char *path)
{
    struct cf_manifest_file file;
    struct cf_manifest manifest;
    struct cf_lint lint;
    int code = cf_manifest_file_open(arena, path, &file);

    if (code == CF_EXIT_OK)
        code = cf_manifest_file_read(arena, NAME, profile, &file, &manifest);
    if (code != CF_EXIT_OK)
        return code;
    if (cf_lint_manifest(arena, profile, &manifest, &lint) != KP_OK)
        return cf_no_memory(NAME);
    print(stdout, file.name, &lint);
    return lint.refused_count > 0 ? CF_EXIT_FAILED : CF_EXIT_OK;
}

static int lint_files(const struct kp_profile *profile, char **files, int count)
{
    int worst = CF_EXIT_OK;

    for (int i = 0; i < count; i++) {
        struct cf_arena arena;
        int code;

        cf_arena_init(&arena, cf_libc_mem());
        code = lint_file(&arena, profile, files[i]);
        cf_arena_deinit(&arena);
        if (code > worst)
            worst = code;
    }
    return worst;
}

int cf_lint_command(int argc, char **argv)
{
    const char *version = "1.36";
    const struct cf_option options[] = {{"k8s", .word = &version}, {0}};
    struct kp_profile profile;
    int exit = cf_read_options(NAME, argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (!cf_version_read(&profile, version))
        return cf_usage(NAME, "no Kubernetes version '%s' from " KP_OLDEST " to " KP_NEWEST,
                        version);
    if (optind == argc)
        return cf_usage(NAME, "wanted a file");
    return lint_files(&profile, argv + optind, argc - optind);
}
