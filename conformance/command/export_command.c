/* export_command.c: the command export. */
#include "conformance/judge/table_run.h"
#include "conformance/table/export.h"
#include "conformance/text/cli.h"
#include "core/base/version.h"

#include <getopt.h>
#include <string.h>

struct args {
    struct cf_selection selection;
    const char *cases;
    const char *output;
    const char *format; /* NULL: not said */
    bool rules;
};

static bool is_format(const struct args *args, const char *word)
{
    return strcmp(args->format, word) == 0;
}

/* -1: go on; else the exit code. */
static int check_format(struct args *args)
{
    if (!args->format)
        args->format = args->rules ? "json" : "jsonl";
    if (args->rules ? is_format(args, "json") || is_format(args, "markdown")
                    : is_format(args, "jsonl"))
        return -1;
    return cf_usage("export", "--format is %s, not %s",
                    args->rules ? "json or markdown with --rules" : "jsonl without --rules",
                    args->format);
}

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct args *args)
{
    const struct cf_option options[] = {
        {"rules", .flag = &args->rules},        {"format", 'f', .word = &args->format},
        {"output", 'o', .word = &args->output}, {"cases", .word = &args->cases},
        {"k8s", .word = &args->selection.k8s},  {0}};
    int exit = cf_read_options("export", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    args->selection.patterns = argv + optind;
    args->selection.pattern_count = (size_t)(argc - optind);
    if (args->rules && (optind < argc || args->selection.k8s))
        return cf_usage("export", "--rules takes no selection");
    return check_format(args);
}

/* A heading, then a line a case. */
static void export_cases(struct cf_out *out, const struct args *args, const struct cf_suite *suite)
{
    const struct cf_selection *selection = &args->selection;
    char hash[CF_SHA256_HEX + 1];
    size_t count = 0;

    for (size_t i = 0; i < selection->count; i++)
        count += i == 0 || selection->list[i].item != selection->list[i - 1].item;
    cf_suite_hash(suite, hash);
    cf_out_printf(out, "{\"export\":1,\"probetest\":\"%s\",\"suite\":\"%s\",\"cases\":%zu}\n",
                  PROBETEST_VERSION, hash, count);
    for (size_t i = 0; i < selection->count; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        if (i > 0 && selection->list[i].item == selection->list[i - 1].item)
            continue;
        cf_export_case(out, &arena, selection->list[i].item);
        cf_arena_deinit(&arena);
    }
}

static int export(struct args *args, struct cf_suite *suite)
{
    struct cf_out out = {0};
    const char *error = NULL;
    int exit;

    args->selection.arena = &suite->arena;
    if (!args->rules && (error = cf_select(&args->selection, suite)) != NULL)
        return cf_usage("export", "%s", error);
    if (!args->rules)
        export_cases(&out, args, suite);
    else if (is_format(args, "json"))
        cf_export_rules(&out, suite, cf_upstream_rows(&suite->arena));
    else
        cf_export_rules_markdown(&out, suite);
    exit = cf_write_out("export", args->output, out.bytes, out.len);
    cf_out_deinit(&out);
    return exit;
}

int cf_export_command(int argc, char **argv)
{
    struct args args = {.cases = cf_cases_folder()};
    struct cf_suite suite;
    int exit = read_options(argc, argv, &args);

    if (exit >= 0)
        return exit;
    exit = cf_suite_open(&suite, args.cases);
    if (exit == CF_EXIT_OK)
        exit = export(&args, &suite);
    cf_suite_deinit(&suite);
    return exit;
}
