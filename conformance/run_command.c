#include "conformance/run_command.h"

#include "conformance/cli.h"
#include "conformance/run.h"
#include "conformance/selection.h"
#include "conformance/verdict.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
struct asked {
    struct cf_selection selection;
    const char *cases;
    uint64_t seed;
    char *const *adapter; /* NULL: the built-in engine */
};

enum { OPT_K8S = 256, OPT_CASES, OPT_SEED, OPT_UPSTREAM, OPT_HELP };

static const struct option options[] = {
    {"k8s", required_argument, NULL, OPT_K8S},
    {"cases", required_argument, NULL, OPT_CASES},
    {"seed", required_argument, NULL, OPT_SEED},
    {"upstream", required_argument, NULL, OPT_UPSTREAM},
    {"help", no_argument, NULL, OPT_HELP},
    {0},
};

/* -1: go on; else the exit code. */
static int read_option(struct asked *asked, int option, char **argv)
{
    char *end;

    switch (option) {
    case OPT_K8S:
        asked->selection.k8s = optarg;
        return -1;
    case OPT_CASES:
        asked->cases = optarg;
        return -1;
    case OPT_UPSTREAM:
        asked->selection.upstream = optarg;
        return -1;
    case OPT_SEED:
        asked->seed = strtoull(optarg, &end, 10);
        return *optarg && !*end ? -1 : cf_usage("run", "--seed %s: wanted a number", optarg);
    case OPT_HELP:
        return cf_command_help("run");
    default:
        return cf_usage_option("run", option, optopt, argv, optind);
    }
}

/* Everything behind `--` is the adapter. */
static int split_adapter(int argc, char **argv, struct asked *asked)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            asked->adapter = &argv[i + 1];
            return i;
        }
    return argc;
}

static int read_arguments(int argc, char **argv, struct asked *asked)
{
    int count = split_adapter(argc, argv, asked);
    int option;

    if (asked->adapter && !asked->adapter[0])
        return cf_usage("run", "nothing stands behind --");
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(count, argv, ":", options, NULL)) != -1) {
        int exit = read_option(asked, option, argv);

        if (exit >= 0)
            return exit;
    }
    asked->selection.patterns = argv + optind;
    asked->selection.pattern_count = (size_t)(count - optind);
    return -1;
}

/* ---- running --------------------------------------------------------------------------------- */

static struct kp_text_list rule_names(struct cf_arena *arena, const struct cf_case *item)
{
    struct kp_text *names = cf_arena_array(arena, item->rule_count + 1, sizeof *names);

    for (size_t i = 0; names && i < item->rule_count; i++)
        names[i] = kp_text_of(kp_rule_get(item->rules[i])->id);
    return (struct kp_text_list){names, names ? item->rule_count : 0};
}

static struct cf_result_case describe(struct cf_arena *arena, const struct cf_selected *selected)
{
    const struct cf_case *item = selected->item;

    return (struct cf_result_case){
        .id = item->id,
        .k8s = kp_text_of(selected->version),
        .topic = item->topic,
        .layer = kp_text_of(cf_layer_name(item->layer)),
        .sentence = item->why,
        .place = cf_arena_format(arena, "%s:%d", item->file, item->at.line),
        .rules = rule_names(arena, item),
        .issues = item->issues,
    };
}

static struct cf_result_case *play_all(const struct cf_selection *selection,
                                       const struct cf_run *run, struct cf_result *result)
{
    struct cf_arena *arena = selection->arena;
    struct cf_result_case *cases = cf_arena_array(arena, selection->count + 1, sizeof *cases);

    for (size_t i = 0; cases && i < selection->count; i++) {
        const struct cf_selected *selected = &selection->list[i];

        cases[i] = describe(arena, selected);
        cf_run_case(run, selected->item, cases[i].k8s, arena, &cases[i].outcome);
        result->totals[cases[i].outcome.verdict]++;
    }
    result->cases = cases;
    result->case_count = selection->count;
    return cases;
}

static void print(const struct cf_result *result)
{
    const struct cf_print how = {cf_colours(stdout), "probetest run", ""};
    struct cf_out out = {0};

    for (size_t i = 0; i < result->case_count; i++)
        if (!cf_verdict_conforms(result->cases[i].outcome.verdict))
            cf_print_failure(&out, &result->cases[i], &how);
    cf_print_summary(&out, result);
    fwrite(out.bytes, 1, out.len, stdout);
    cf_out_deinit(&out);
}

static int play(struct asked *asked)
{
    struct cf_run run = {.mem = cf_libc_mem(), .seed = asked->seed};
    struct cf_result result = {.header = {.selected = asked->selection.count}};
    bool unusable;

    run.subject = asked->adapter ? cf_subject_new_adapter(asked->adapter, NULL)
                                 : cf_subject_new_engine(run.mem);
    if (!run.subject || !play_all(&asked->selection, &run, &result)) {
        cf_subject_free(run.subject);
        fprintf(stderr, "probetest run: no memory\n");
        return CF_EXIT_ADAPTER;
    }
    if (cf_subject_about(run.subject))
        result.header.about = *cf_subject_about(run.subject);
    unusable = cf_subject_fate(run.subject) == CF_FATE_UNUSABLE;
    print(&result);
    cf_subject_free(run.subject);
    return unusable ? CF_EXIT_ADAPTER : cf_result_conforms(&result) ? CF_EXIT_OK : CF_EXIT_FAILED;
}

int cf_run_command(int argc, char **argv)
{
    struct asked asked = {.cases = cf_cases_folder(), .seed = 1};
    struct cf_suite suite;
    const char *complaint;
    int exit = read_arguments(argc, argv, &asked);

    if (exit >= 0)
        return exit;
    cf_suite_init(&suite, cf_libc_mem());
    asked.selection.arena = &suite.arena;
    if (cf_suite_load(&suite, asked.cases) != KP_OK) {
        cf_suite_complain(&suite);
        exit = CF_EXIT_SUITE;
    } else {
        complaint = cf_select(&asked.selection, &suite);
        exit = complaint ? cf_usage("run", "%s", complaint) : play(&asked);
    }
    cf_suite_deinit(&suite);
    return exit;
}
