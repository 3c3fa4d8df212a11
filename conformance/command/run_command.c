/* run_command.c: `probetest run`: cases of the table against an implementation. */
#include "conformance/judge/table_run.h"
#include "conformance/judge/verdict.h"
#include "conformance/report/report.h"
#include "conformance/text/cli.h"
#include "conformance/text/file.h"
#include "conformance/text/print.h"
#include "core/base/version.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORTS_MAX 8
#define JOBS_MAX 64
#define KNOWN_BYTES_MAX ((size_t)64 << 20)

/* A .jsonl report, which is written as the cases come. */
struct stream {
    const char *name;
    FILE *file;
    int error; /* an errno: it could not be written */
};

/* What the command line asks for, and what is needed while it is done. */
struct args {
    struct cf_selection selection;
    const char *cases;
    uint64_t seed;
    char *const *adapter; /* NULL: the built-in engine */
    int jobs;
    int timeout_ms;
    const char *known;
    bool update_known;
    bool required[CF_LAYERS];
    int required_percent; /* of the selection that must be judged; 0: nothing was said */
    bool quiet;
    bool verbose;
    const char *reports[REPORTS_MAX];
    size_t report_count;
    struct cf_known known_failures;
    /* What follows the id in a command that plays a case again, and what precedes it. */
    struct cf_out rerun;
    struct cf_out behind;
    bool shows_progress;
    size_t reported;
    const struct cf_result_case *printed;   /* the failure that was printed last */
    const struct cf_result_case *same_last; /* the last one that is just so, on another version */
    size_t same;
    struct stream streams[REPORTS_MAX];
    size_t stream_count;
    struct cf_result_writer writer; /* into all of them */
};

/* ---- options ------------------------------------------------------------------------------ */

/* "90%"; false: it is none. */
static bool read_percent(const char *word, size_t len, int *percent)
{
    char *end;
    long number = strtol(word, &end, 10);

    if (len < 2 || word[0] < '0' || word[0] > '9' || end != word + len - 1 || *end != '%' ||
        number < 1 || number > 100)
        return false;
    *percent = (int)number;
    return true;
}

static int read_required(void *ctx, const struct cf_option *option, const char *words)
{
    struct args *args = ctx;

    (void)option;
    while (*words) {
        size_t len = strcspn(words, ",");
        int layer = cf_find_word(&cf_layer_words, (struct kp_text){words, len});

        if (read_percent(words, len, &args->required_percent)) {
            words += len + (words[len] == ',');
            continue;
        }
        if (layer < 0)
            return cf_usage(
                "run", "--require: there is no layer %.*s, and it is no part from 1%% to 100%%",
                (int)len, words);
        args->required[layer] = true;
        words += len + (words[len] == ',');
    }
    return CF_EXIT_OK;
}

static int add_report(void *ctx, const struct cf_option *option, const char *path)
{
    struct args *args = ctx;

    (void)option;
    if (cf_report_format_of_file(path) < 0)
        return cf_usage("run", "--report: '%s' ends in none of .jsonl, .tap, .xml, .md, .html",
                        path);
    if (args->report_count == REPORTS_MAX)
        return cf_usage("run", "at most %d reports", REPORTS_MAX);
    args->reports[args->report_count++] = path;
    return CF_EXIT_OK;
}

static int read_seed(void *ctx, const struct cf_option *option, const char *word)
{
    struct args *args = ctx;
    char *end;

    (void)option;
    errno = 0;
    args->seed = strtoull(word, &end, 10);
    return kp_is_digit(word[0]) && !*end && errno == 0
               ? CF_EXIT_OK
               : cf_usage("run", "--seed: '%s' is no number from 0 to %llu", word,
                          (unsigned long long)UINT64_MAX);
}

/* Everything behind `--` is the adapter. */
static int split_adapter(int argc, char **argv, struct args *args)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            args->adapter = &argv[i + 1];
            return i;
        }
    return argc;
}

static int read_arguments(int argc, char **argv, struct args *args)
{
    const struct cf_option options[] = {
        {"k8s", .word = &args->selection.k8s},
        {"cases", .word = &args->cases},
        {"seed", .read = read_seed},
        {"upstream", .word = &args->selection.upstream},
        {"bug", .word = &args->selection.bug},
        {"not", .word = &args->selection.without},
        {"tier", .word = &args->selection.tier},
        {"without-bugs", .flag = &args->selection.without_bugs},
        {"jobs", .number = &args->jobs, .max = JOBS_MAX},
        {"known", .word = &args->known},
        {"update-known", .flag = &args->update_known},
        {"report", .read = add_report},
        {"require", .read = read_required},
        {"timeout", .number = &args->timeout_ms, .max = CF_TIMEOUT_MAX_MS},
        {"quiet", .flag = &args->quiet},
        {"verbose", .flag = &args->verbose},
        {0}};
    int count = split_adapter(argc, argv, args);
    int exit;

    if (args->adapter && !args->adapter[0])
        return cf_usage("run", "no command after --");
    exit = cf_read_options("run", count, argv, options, args);
    if (exit >= 0)
        return exit;
    if (args->update_known && !args->known)
        return cf_usage("run", "--update-known: which file? say --known FILE");
    args->selection.patterns = argv + optind;
    args->selection.pattern_count = (size_t)(count - optind);
    return -1;
}

/* ---- while the cases come ----------------------------------------------------------------- */

static void put_word(struct cf_out *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=:,+@%";

    cf_out_put_char(out, ' ');
    if (word[0] && word[strspn(word, plain)] == '\0') {
        cf_out_put_string(out, word);
        return;
    }
    cf_out_put_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            cf_out_put(out, KP_TEXT("'\\''"));
        else
            cf_out_put_char(out, *word);
    cf_out_put_char(out, '\'');
}

static void format_rerun(struct args *args)
{
    cf_out_put(&args->rerun, KP_TEXT("probetest run"));
    if (args->seed != 1)
        cf_out_printf(&args->rerun, " --seed %llu", (unsigned long long)args->seed);
    cf_out_put_char(&args->rerun, '\0');
    if (args->adapter)
        cf_out_put(&args->behind, KP_TEXT(" --"));
    for (char *const *word = args->adapter; word && *word; word++)
        put_word(&args->behind, *word);
    cf_out_put_char(&args->behind, '\0');
}

static void write_stream(void *ctx, struct kp_text bytes)
{
    struct args *args = ctx;

    for (size_t i = 0; i < args->stream_count; i++) {
        struct stream *stream = &args->streams[i];

        fwrite(bytes.bytes, 1, bytes.len, stream->file);
        if (fflush(stream->file) != 0) /* nothing is lost when this process is */
            stream->error = errno;
    }
}

static void begin(void *ctx, const struct cf_result_header *header)
{
    struct args *args = ctx;

    if (args->stream_count > 0)
        cf_result_begin(&args->writer, header);
}

/* On a terminal only, and gone when the next line comes. */
static void show_progress(struct args *args)
{
    if (!args->shows_progress)
        return;
    args->reported++;
    cf_print(stderr, "\r%zu/%zu\r", args->reported, args->selection.count);
    if (args->reported == args->selection.count)
        fputs("\033[K", stderr);
}

/* What a failure that was printed has in common with those of the versions behind it. */
static bool is_same_failure(const struct cf_result_case *a, const struct cf_result_case *b)
{
    return a && kp_text_equal(a->id, b->id) && a->outcome.verdict == b->outcome.verdict &&
           kp_text_equal(a->outcome.signature, b->outcome.signature);
}

/* How far the failure that was printed last goes on. */
static void end_failure(struct args *args)
{
    if (args->same > 0)
        cf_print(stdout, "    also    on %zu more version%s, up to %.*s\n\n", args->same,
                 args->same > 1 ? "s" : "", KP_ARG(args->same_last->k8s));
    args->same = 0;
}

static void each(void *ctx, const struct cf_result_case *item)
{
    struct args *args = ctx;
    struct cf_colours colours = {0};
    struct cf_print how = {args->rerun.bytes, args->behind.bytes,
                           cf_colours(stdout) ? &colours : NULL};
    struct cf_out out = {0};

    show_progress(args);
    if (args->stream_count > 0)
        cf_result_add(&args->writer, item);
    if (args->quiet || cf_verdict_conforms(item->outcome.verdict) ||
        item->outcome.verdict == CF_NOISY || item->outcome.verdict == CF_NOT_RUN)
        return;
    if (is_same_failure(args->printed, item)) {
        args->same++;
        args->same_last = item;
        return;
    }
    end_failure(args);
    args->printed = item;
    cf_print_failure(&out, item, &how);
    cf_print_coloured(stdout, cf_out_text(&out), &colours);
    fflush(stdout);
    cf_out_deinit(&out);
}

/* ---- before and behind -------------------------------------------------------------------- */

static int read_known(struct args *args, struct cf_arena *arena)
{
    struct cf_reader reader = {.arena = arena};
    struct kp_text bytes;
    const char *why;

    if (!args->known || (args->update_known && access(args->known, F_OK) != 0))
        return CF_EXIT_OK;
    why = cf_file_read(arena, args->known, KNOWN_BYTES_MAX, &bytes);
    if (why == NULL && cf_known_read(&reader, bytes, &args->known_failures))
        return CF_EXIT_OK;
    if (why)
        cf_print(stderr, "%s: %s\n", args->known, why);
    else
        cf_print(stderr, "%s:%.*s\n", args->known, KP_ARG(reader.why));
    return CF_EXIT_USAGE;
}

static int open_streams(struct args *args)
{
    for (size_t i = 0; i < args->report_count; i++) {
        FILE *file = fopen(args->reports[i], "wb");

        if (file == NULL) {
            cf_print(stderr, "probetest run: %s: %s\n", args->reports[i], strerror(errno));
            return CF_EXIT_USAGE;
        }
        if (cf_report_format_of_file(args->reports[i]) == CF_REPORT_JSONL)
            args->streams[args->stream_count++] = (struct stream){args->reports[i], file, 0};
        else
            fclose(file);
    }
    args->writer = (struct cf_result_writer){.write = write_stream, .ctx = args};
    return CF_EXIT_OK;
}

static bool write_file(const char *path, const struct cf_out *out)
{
    FILE *file = fopen(path, "wb");
    bool fine = file && fwrite(out->bytes, 1, out->len, file) == out->len;

    if (file)
        fine = fclose(file) == 0 && fine;
    if (!fine)
        cf_print(stderr, "probetest run: %s: %s\n", path, strerror(errno));
    return fine;
}

static bool end_streams(struct args *args, const struct cf_table_run_end *end)
{
    bool fine = true;

    if (args->stream_count > 0) {
        memcpy(args->writer.unobserved, end->unobserved, sizeof end->unobserved);
        cf_result_end(&args->writer, end->result.interrupted);
    }
    for (size_t i = 0; i < args->stream_count; i++) {
        struct stream *stream = &args->streams[i];

        if (fclose(stream->file) != 0)
            stream->error = errno;
        if (stream->error == 0)
            continue;
        fine = false;
        cf_print(stderr, "probetest run: %s: %s\n", stream->name, strerror(stream->error));
    }
    return fine;
}

static bool write_reports(struct args *args, const struct cf_table_run_end *end)
{
    bool fine = end_streams(args, end);

    for (size_t i = 0; i < args->report_count; i++) {
        int format = cf_report_format_of_file(args->reports[i]);
        struct cf_out out = {0};

        if (format == CF_REPORT_JSONL)
            continue;
        cf_report_put(&out, (enum cf_report_format)format, &end->result, 1);
        fine = write_file(args->reports[i], &out) && fine;
        cf_out_deinit(&out);
    }
    return fine;
}

/* Every entry of the file must be of a case that exists. */
static bool check_known_ids(const struct args *args, const struct cf_suite *suite)
{
    bool fine = true;

    for (size_t i = 0; i < args->known_failures.count; i++) {
        const struct cf_known_entry *entry = &args->known_failures.entries[i];

        if (args->update_known || cf_suite_find(suite, entry->id))
            continue;
        fine = false;
        cf_print(stderr, "%s:%zu:1: there is no case %.*s\n", args->known, entry->line,
                 KP_ARG(entry->id));
    }
    return fine;
}

/* Was so much of the selection judged? */
static bool check_percent(const struct args *args, const struct cf_result *result)
{
    size_t judged = cf_result_judged(result->totals);

    if (judged * 100 >= result->case_count * (size_t)args->required_percent)
        return true;
    cf_print(stderr, "probetest run: %d%% are required, but %zu of %zu cases were judged\n",
             args->required_percent, judged, result->case_count);
    return false;
}

/* Was every required layer claimed, and judged? */
static bool check_required(const struct args *args, const struct cf_result *result)
{
    bool fine = true;

    for (int layer = 0; layer < CF_LAYERS; layer++) {
        const char *name = cf_layer_name((enum cf_layer)layer);
        size_t totals[CF_VERDICTS] = {0};

        if (!args->required[layer])
            continue;
        for (size_t i = 0; i < result->case_count; i++)
            if (kp_text_equal(result->cases[i].layer, kp_text_of(name)))
                totals[result->cases[i].outcome.verdict]++;
        if (result->header.about.layers[layer] && cf_result_judged(totals) > 0)
            continue;
        fine = false;
        cf_print(stderr, "probetest run: layer %s is required, but %s\n", name,
                 result->header.about.layers[layer] ? "none of its cases was judged"
                                                    : "it is not claimed");
    }
    return fine;
}

static void print_log(struct kp_text log)
{
    cf_print(stderr, "its stderr ends:\n");
    cf_print_text(stderr, log);
    if (log.bytes[log.len - 1] != '\n')
        fputs("\n", stderr);
}

static void print_unusable(const struct args *args, const struct cf_table_run_end *end)
{
    cf_print(stderr, "probetest run: the adapter is unusable: %.*s\n", KP_ARG(end->unusable));
    if (end->log.len > 0)
        print_log(end->log);
    cf_print(stderr, "`probetest doctor --%s` looks at it step by step\n", args->behind.bytes + 3);
}

/* Nothing failed; but of some cases the machine was too busy to tell. */
static bool is_only_noisy(const struct cf_result *result)
{
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        if (verdict != CF_NOISY && result->totals[verdict] > 0 &&
            !cf_verdict_conforms((enum cf_verdict)verdict))
            return false;
    return result->totals[CF_NOISY] > 0;
}

static int conclude(struct args *args, const struct cf_suite *suite,
                    const struct cf_table_run_end *end)
{
    struct cf_out out = {0};
    bool fine = write_reports(args, end);
    bool conforms = cf_result_conforms(&end->result);

    end_failure(args);
    cf_print_summary(&out, &end->result);
    if (cf_interrupted())
        cf_print(stderr, "probetest run: interrupted: %zu of %zu cases were not run\n",
                 end->result.totals[CF_NOT_RUN], end->result.case_count);
    else if (cf_result_judged(end->result.totals) == 0)
        fputs("probetest run: nothing was judged\n", stderr);
    conforms = check_known_ids(args, suite) && conforms;
    conforms = check_required(args, &end->result) && conforms;
    conforms = check_percent(args, &end->result) && conforms;
    fflush(stderr);
    cf_print_text(stdout, cf_out_text(&out));
    cf_out_clear(&out);
    if (args->update_known) {
        cf_known_update(&args->known_failures, &end->result, &out);
        fine = write_file(args->known, &out) && fine;
    }
    cf_out_deinit(&out);
    return !fine                         ? CF_EXIT_USAGE
           : conforms                    ? CF_EXIT_OK
           : is_only_noisy(&end->result) ? CF_EXIT_ADAPTER
                                         : CF_EXIT_FAILED;
}

/* The patterns as they were said; "all" where there are none. */
static struct kp_text format_selection(const struct args *args, struct cf_arena *arena)
{
    struct cf_out out = {0};
    struct kp_text text;

    for (size_t i = 0; i < args->selection.pattern_count; i++)
        put_word(&out, args->selection.patterns[i]);
    if (args->selection.upstream)
        cf_out_printf(&out, " upstream %s", args->selection.upstream);
    if (args->selection.bug)
        cf_out_printf(&out, " bug %s", args->selection.bug);
    if (args->selection.tier)
        cf_out_printf(&out, " tier %s", args->selection.tier);
    if (args->selection.without_bugs)
        cf_out_put(&out, KP_TEXT(" without bugs"));
    if (args->selection.without) {
        cf_out_put(&out, KP_TEXT(" not"));
        put_word(&out, args->selection.without);
    }
    text = out.len > 0 ? cf_arena_text(arena, kp_text_from(cf_out_text(&out), 1)) : KP_TEXT("all");
    cf_out_deinit(&out);
    return text;
}

/* Some reports are made of the whole result; JSON lines are written case by case. */
static enum cf_keep keep_for_reports(const struct args *args)
{
    for (size_t i = 0; i < args->report_count; i++)
        if (cf_report_format_of_file(args->reports[i]) != CF_REPORT_JSONL)
            return CF_KEEP_TO_THE_END;
    return args->report_count > 0 ? CF_KEEP_UNTIL_TOLD : CF_KEEP_NOT;
}

static int play(struct args *args, const struct cf_suite *suite, struct cf_arena *arena)
{
    const struct cf_adapter_limits limits = {.reply_ms = args->timeout_ms,
                                             .hello_ms = 2 * args->timeout_ms,
                                             .shows_messages = args->verbose};
    const struct cf_table_run table_run = {.selection = &args->selection,
                                           .of_tier = !args->selection.tier &&
                                                      args->selection.pattern_count == 0,
                                           .adapter = args->adapter,
                                           .limits = &limits,
                                           .seed = args->seed,
                                           .jobs = args->jobs,
                                           .known = args->known ? &args->known_failures : NULL,
                                           .keeps_passes = keep_for_reports(args),
                                           .begin = begin,
                                           .each = each,
                                           .ctx = args};
    struct cf_result_header header = {.tool = KP_TEXT(PROBETEST_VERSION)};
    char hash[CF_SHA256_HEX + 1];
    struct cf_table_run_end end;

    if (args->report_count > 0) {
        cf_suite_hash(suite, hash);
        header.suite = kp_text_of(hash);
    }
    header.selection = format_selection(args, arena);
    format_rerun(args);
    args->shows_progress = isatty(STDERR_FILENO) != 0;
    cf_table_run_play(&table_run, &header, arena, &end);
    cf_process_sweep();
    if (end.unusable.len == 0)
        return conclude(args, suite, &end);
    print_unusable(args, &end);
    return CF_EXIT_ADAPTER;
}

/* What cannot be selected may be an adapter that lacks its `--`. */
static int refuse(const struct args *args, const char *error)
{
    bool lacks = false;

    for (size_t i = 0; i < args->selection.pattern_count && !args->adapter; i++)
        lacks = lacks || (strstr(error, args->selection.patterns[i]) &&
                          cf_is_program(args->selection.patterns[i]));
    return cf_usage("run", "%s%s", error, lacks ? "; an adapter stands behind --" : "");
}

int cf_run_command(int argc, char **argv)
{
    struct args args = {.cases = cf_cases_folder(), .seed = 1};
    struct cf_suite suite;
    const char *error;
    int exit = read_arguments(argc, argv, &args);

    if (exit >= 0)
        return exit;
    cf_process_setup(); /* from here on an interrupt leaves a report */
    exit = cf_suite_open(&suite, args.cases);
    args.selection.arena = &suite.arena;
    if (exit == CF_EXIT_OK && (error = cf_select(&args.selection, &suite)) != NULL)
        exit = refuse(&args, error);
    if (exit == CF_EXIT_OK)
        exit = read_known(&args, &suite.arena);
    if (exit == CF_EXIT_OK)
        exit = open_streams(&args);
    if (exit == CF_EXIT_OK)
        exit = play(&args, &suite, &suite.arena);
    cf_out_deinit(&args.rerun);
    cf_out_deinit(&args.behind);
    cf_suite_deinit(&suite);
    return exit;
}
