/* export_command.c: the command export. */
#include "conformance/judge/table_run.h"
#include "conformance/table/export.h"
#include "conformance/text/cli.h"
#include "core/base/version.h"

#include <getopt.h>
#include <string.h>

struct asked {
    struct cf_selection selection;
    const char *cases;
    const char *output;
    const char *format; /* NULL: not said */
    bool rules;
};

static bool is_format(const struct asked *asked, const char *word)
{
    return strcmp(asked->format, word) == 0;
}

/* -1: go on; else the exit code. */
static int check_format(struct asked *asked)
{
    if (!asked->format)
        asked->format = asked->rules ? "json" : "jsonl";
    if (asked->rules ? is_format(asked, "json") || is_format(asked, "markdown")
                     : is_format(asked, "jsonl"))
        return -1;
    return cf_usage("export", "--format is %s, not %s",
                    asked->rules ? "json or markdown with --rules" : "jsonl without --rules",
                    asked->format);
}

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct asked *asked)
{
    const struct cf_option options[] = {
        {"rules", .flag = &asked->rules},        {"format", 'f', .word = &asked->format},
        {"output", 'o', .word = &asked->output}, {"cases", .word = &asked->cases},
        {"k8s", .word = &asked->selection.k8s},  {0}};
    int exit = cf_read_options("export", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    asked->selection.patterns = argv + optind;
    asked->selection.pattern_count = (size_t)(argc - optind);
    if (asked->rules && (optind < argc || asked->selection.k8s))
        return cf_usage("export", "--rules takes no selection");
    return check_format(asked);
}

/* A heading, then a line a case. */
static void export_cases(struct cf_out *out, const struct asked *asked,
                         const struct cf_suite *suite)
{
    const struct cf_selection *selection = &asked->selection;
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

static int export(struct asked *asked, struct cf_suite *suite)
{
    struct cf_out out = {0};
    const char *complaint = NULL;
    int exit;

    asked->selection.arena = &suite->arena;
    if (!asked->rules && (complaint = cf_select(&asked->selection, suite)) != NULL)
        return cf_usage("export", "%s", complaint);
    if (!asked->rules)
        export_cases(&out, asked, suite);
    else if (is_format(asked, "json"))
        cf_export_rules(&out, suite);
    else
        cf_export_rules_markdown(&out, suite);
    exit = cf_write_out("export", asked->output, out.bytes, out.len);
    cf_out_deinit(&out);
    return exit;
}

int cf_export_command(int argc, char **argv)
{
    struct asked asked = {.cases = cf_cases_folder()};
    struct cf_suite suite;
    int exit = read_options(argc, argv, &asked);

    if (exit >= 0)
        return exit;
    exit = cf_suite_open(&suite, asked.cases);
    if (exit == CF_EXIT_OK)
        exit = export(&asked, &suite);
    cf_suite_deinit(&suite);
    return exit;
}
