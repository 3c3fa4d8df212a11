/* rules_command.c: `probetest rules`: each rule, its cases, its places in the code; and the holes.
 */
#include "conformance/table/index.h"
#include "conformance/table/list.h"
#include "conformance/table/rule_table.h"
#include "conformance/table/selection.h"
#include "conformance/table/standing.h"
#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <getopt.h>

struct args {
    const char *cases;
    bool holes; /* these alone */
};

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct args *args)
{
    const struct cf_option options[] = {
        {"cases", .word = &args->cases}, {"holes", .flag = &args->holes}, {0}};
    int exit = cf_read_options("rules", argc, argv, options, NULL);

    if (exit >= 0)
        return exit;
    if (optind < argc)
        return cf_usage("rules", "'%s': one rule is what `probetest explain` tells", argv[optind]);
    return -1;
}

/* "  12 cases  readiness-threshold.one-success" */
static void put_cases(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    const struct cf_case *first = cf_rule_case_next(suite, rule, NULL);
    size_t count = 0;

    for (const struct cf_case *item = first; item; item = cf_rule_case_next(suite, rule, item))
        count++;
    cf_out_printf(out, "%4zu %s  ", count, count == 1 ? "case " : "cases");
    if (first)
        cf_out_printf(out, "%-52.*s", KP_ARG(first->id));
    else
        cf_out_printf(out, "%-52s", "-");
}

static void put_row(struct cf_out *out, const struct cf_suite *suite, enum kp_rule rule)
{
    const struct cf_rule_place *place = cf_rule_place_next(rule, NULL);
    const struct kp_rule_row *row = kp_rule_get(rule);

    cf_out_printf(out, "%s ", row->id);
    put_cases(out, suite, rule);
    if (kp_rule_silent(rule))
        cf_out_printf(out, " silent: %s\n", kp_rule_silent(rule));
    else if (place)
        cf_out_printf(out, " %s:%d %s\n", place->file, place->line, place->name);
    else
        cf_out_put_string(out, " -\n");
}

static int put_table(struct cf_suite *suite, const struct args *args)
{
    struct cf_out out = {0};
    struct cf_out holes = {0};
    size_t hole_count = 0;
    size_t silent_count = 0;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        hole_count += cf_rule_put_holes(&holes, suite, (enum kp_rule)rule);
        silent_count += kp_rule_silent((enum kp_rule)rule) != NULL;
        if (!args->holes)
            put_row(&out, suite, (enum kp_rule)rule);
    }
    hole_count += cf_index_put_holes(&holes, suite, cf_upstream_rows(&suite->arena));
    hole_count += cf_contract_put_holes(&holes, suite);
    cf_out_put(&out, cf_out_text(&holes));
    cf_out_printf(&out, "%d rules, %zu of them silent, %zu cases, %zu holes\n", KP_RULES - 1,
                  silent_count, suite->case_count, hole_count);
    cf_print_text(stdout, cf_out_text(&out));
    cf_out_deinit(&holes);
    cf_out_deinit(&out);
    return hole_count > 0 ? CF_EXIT_SUITE : CF_EXIT_OK;
}

int cf_rules_command(int argc, char **argv)
{
    struct args args = {.cases = cf_cases_folder()};
    struct cf_suite suite;
    int exit = read_options(argc, argv, &args);

    if (exit >= 0)
        return exit;
    exit = cf_suite_open(&suite, args.cases);
    if (exit == CF_EXIT_OK)
        exit = put_table(&suite, &args);
    cf_suite_deinit(&suite);
    return exit;
}
