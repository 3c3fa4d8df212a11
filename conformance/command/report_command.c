/* report_command.c: `probetest report`, `verify-report` and `diff`: what becomes of result files.
 */
#include "conformance/report/report.h"
#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "conformance/text/print.h"

#include <getopt.h>
#include <string.h>

#define RESULT_BYTES_MAX ((size_t)1 << 30)

/* ---- reading result files ----------------------------------------------------------------- */

/* -1: it was read; else the exit code, after one line on stderr. */
static int read_result(struct cf_arena *arena, const char *command, const char *path,
                       struct cf_result *result, int when_damaged)
{
    struct cf_reader reader = {.arena = arena};
    struct kp_text bytes;
    const char *why = cf_file_read(arena, path, RESULT_BYTES_MAX, &bytes);

    if (why) {
        cf_print(stderr, "probetest %s: %s: %s\n", command, path, why);
        return CF_EXIT_USAGE;
    }
    if (cf_result_read(&reader, bytes, result))
        return -1;
    cf_print(stderr, "probetest %s: %s: %.*s\n", command, path, KP_ARG(reader.why));
    return when_damaged;
}

/* ---- report ------------------------------------------------------------------------------- */

struct args {
    int format; /* -1: not said */
    const char *output;
};

static const char *const names[] = {[CF_REPORT_TAP] = "tap",
                                    [CF_REPORT_JUNIT] = "junit",
                                    [CF_REPORT_MARKDOWN] = "markdown",
                                    [CF_REPORT_HTML] = "html",
                                    NULL};

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct args *args)
{
    const struct cf_option options[] = {{"format", 'f', .choice = &args->format, .choices = names},
                                        {"output", 'o', .word = &args->output},
                                        {0}};
    int exit = cf_read_options("report", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (args->format < 0)
        args->format = args->output ? cf_report_format_of_file(args->output) : CF_REPORT_MARKDOWN;
    if (args->format < 0 || args->format == CF_REPORT_JSONL)
        return cf_usage("report", "which format? %s ends in none of .tap .xml .md .html",
                        args->output);
    return -1;
}

int cf_report_command(int argc, char **argv)
{
    struct args args = {.format = -1};
    struct cf_out out = {0};
    struct cf_result *results;
    struct cf_arena arena = {.mem = cf_libc_mem()};
    size_t count;
    int exit = read_options(argc, argv, &args);

    if (exit >= 0)
        return exit;
    count = (size_t)(argc - optind);
    if (count == 0)
        return cf_usage("report", "of which result file?");
    if (count > 1 && args.format != CF_REPORT_MARKDOWN && args.format != CF_REPORT_HTML)
        return cf_usage("report", "%s holds one result file, not %zu", names[args.format], count);
    results = cf_arena_array(&arena, count, sizeof *results);
    for (size_t i = 0; exit < 0 && i < count; i++)
        exit = read_result(&arena, "report", argv[optind + (int)i], &results[i], CF_EXIT_USAGE);
    if (exit < 0) {
        cf_report_put(&out, (enum cf_report_format)args.format, results, count);
        exit = cf_write_out("report", args.output, out.bytes, out.len);
    }
    cf_out_deinit(&out);
    cf_arena_deinit(&arena);
    return exit;
}

/* -1: there is no option, and optind is the first file; else the exit code. */
static int refuse_options(const char *command, int argc, char **argv)
{
    return cf_read_options(command, argc, argv, &(struct cf_option){0}, NULL);
}

/* ---- verify-report ------------------------------------------------------------------------ */

int cf_verify_command(int argc, char **argv)
{
    int worst = refuse_options("verify-report", argc, argv);

    if (worst >= 0)
        return worst;
    if (optind == argc)
        return cf_usage("verify-report", "which result file?");
    worst = CF_EXIT_OK;
    for (int i = optind; i < argc; i++) {
        struct cf_result result;
        struct cf_arena arena = {.mem = cf_libc_mem()};
        int exit;

        exit = read_result(&arena, "verify-report", argv[i], &result, CF_EXIT_FAILED);
        if (exit < 0)
            cf_print(stdout, "%s: whole: %zu case%s, judged %zu%s\n", argv[i], result.case_count,
                     result.case_count == 1 ? "" : "s", cf_result_judged(result.totals),
                     result.interrupted ? ", of an interrupted run" : "");
        else if (exit > worst)
            worst = exit;
        cf_arena_deinit(&arena);
    }
    return worst;
}

/* ---- diff --------------------------------------------------------------------------------- */

int cf_diff_command(int argc, char **argv)
{
    struct cf_result results[2];
    struct cf_out out = {0};
    struct cf_arena arena = {.mem = cf_libc_mem()};
    size_t count = 0;
    int exit = refuse_options("diff", argc, argv);

    if (exit >= 0)
        return exit;
    if (argc - optind != 2)
        return cf_usage("diff", "wants two result files");
    for (int i = 0; exit < 0 && i < 2; i++)
        exit = read_result(&arena, "diff", argv[optind + i], &results[i], CF_EXIT_USAGE);
    if (exit < 0) {
        count = cf_report_diff(&out, &results[0], &results[1]);
        cf_out_printf(&out, count == 1 ? "%zu case differs\n" : "%zu cases differ\n", count);
        exit = cf_write_out("diff", NULL, out.bytes, out.len);
    }
    if (exit == CF_EXIT_OK && count > 0)
        exit = CF_EXIT_FAILED;
    cf_out_deinit(&out);
    cf_arena_deinit(&arena);
    return exit;
}
