/* list_command.c: the commands list, show and explain. */
#include "conformance/advice/lint_put.h"
#include "conformance/table/divergences.h"
#include "conformance/table/index.h"
#include "conformance/table/list.h"
#include "conformance/table/rule_table.h"
#include "conformance/table/selection.h"
#include "conformance/table/version.h"
#include "conformance/table/word_search.h"
#include "conformance/text/cli.h"
#include "conformance/text/human.h"
#include "conformance/text/print.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the three have in common: the table, and options. */
struct args {
    const char *command;
    struct cf_selection selection;
    const char *cases;
    struct cf_suite suite;
    struct cf_out out;
    const enum kp_rule *under; /* a rule for each that is selected by words; NULL: by a pattern */
};

/* -1: go on; else the exit code. */
static int read_arguments(struct args *args, int argc, char **argv)
{
    const struct cf_option options[] = {{"cases", .word = &args->cases},
                                        {"k8s", .word = &args->selection.k8s},
                                        {"upstream", .word = &args->selection.upstream},
                                        {"bug", .word = &args->selection.bug},
                                        {"not", .word = &args->selection.without},
                                        {"tier", .word = &args->selection.tier},
                                        {"without-bugs", .flag = &args->selection.without_bugs},
                                        {0}};
    const struct cf_option cases[] = {options[0], {0}};
    bool lists = strcmp(args->command, "list") == 0;
    int exit = cf_read_options(args->command, argc, argv, lists ? options : cases, NULL);

    if (exit >= 0)
        return exit;
    args->selection.patterns = argv + optind;
    args->selection.pattern_count = (size_t)(argc - optind);
    return -1;
}

/* ---- list ------------------------------------------------------------------------------------ */

static void put_line(struct cf_out *out, const struct cf_case *item)
{
    struct cf_out versions = {0};

    cf_put_versions(&versions, item);
    cf_out_printf(out, "  %-44.*s %-14.*s %.*s\n", KP_ARG(item->id), KP_ARG(versions),
                  KP_ARG(item->why));
    cf_out_deinit(&versions);
}

/* Its topic, or the rule that it was found under. */
static struct kp_text heading_of(const struct args *args, size_t i)
{
    const struct kp_rule_row *row;

    if (!args->under)
        return args->selection.list[i].item->topic;
    if (args->under[i] == KP_RULE_NONE)
        return KP_TEXT("other rules");
    row = kp_rule_get(args->under[i]);
    return cf_arena_format(args->selection.arena, "%s  %s", row->id, row->sentence);
}

static int list(struct args *args)
{
    const struct cf_selection *selection = &args->selection;
    const struct cf_case *last = NULL;
    struct kp_text above = {0};
    size_t count = 0;

    for (size_t i = 0; i < selection->count; i++) {
        const struct cf_case *item = selection->list[i].item;
        struct kp_text heading = heading_of(args, i);

        if (item == last)
            continue;
        if (!last || !kp_text_equal(above, heading))
            cf_out_printf(&args->out, "%s%.*s\n", last ? "\n" : "", KP_ARG(heading));
        above = heading;
        put_line(&args->out, item);
        last = item;
        count++;
    }
    cf_out_printf(&args->out, count == 1 ? "\n%zu case\n" : "\n%zu cases\n", count);
    return CF_EXIT_OK;
}

/* ---- show, explain --------------------------------------------------------------------------- */

static int show(struct args *args)
{
    const struct cf_selection *selection = &args->selection;
    const struct cf_case *last = NULL;

    for (size_t i = 0; i < selection->count; i++) {
        if (selection->list[i].item == last)
            continue;
        if (last)
            cf_out_put_char(&args->out, '\n');
        last = selection->list[i].item;
        cf_put_case(&args->out, &args->suite.arena, last);
    }
    return CF_EXIT_OK;
}

static bool is_blank(const char *words)
{
    return words[strspn(words, " \t\n")] == '\0';
}

/* A rule, a bug, a rule of lint or a difference; false: the word is none of them. */
static bool explain_word(struct args *args, const char *word)
{
    enum kp_rule rule = cf_rule_typed(word);
    const struct cf_bug_row *bug = cf_bug_find(word);
    enum cf_lint_rule lint = cf_lint_find(kp_text_of(word));

    if (rule != KP_RULE_NONE)
        cf_put_rule(&args->out, &args->suite, rule);
    else if (bug)
        cf_put_bug(&args->out, &args->suite, bug);
    else if (lint < CF_LINT_RULES)
        cf_lint_put_rule(&args->out, lint);
    else
        return cf_put_divergence(&args->out, &args->suite.arena, word);
    return true;
}

/* By field, word or sentence: what it is, the best rule, and what else there is.  false: nothing
 * speaks of it. */
static bool explain_words(struct args *args, struct kp_text words)
{
    const struct cf_word_row *word = cf_word_find(words);
    enum kp_rule rules[CF_FOUND_RULES_MAX];
    size_t count = 0;

    if (!word || word->best != KP_RULE_NONE)
        count = cf_search_rules(&args->suite, words, rules);
    if (!word && count == 0)
        return false;
    cf_put_word(&args->out, &args->suite, word, rules, count);
    return true;
}

/* Rules and bugs by their ids, a case by its own, all else by its words. */
static int explain(struct args *args)
{
    for (size_t i = 0; i < args->selection.pattern_count; i++) {
        const char *word = args->selection.patterns[i];
        const struct cf_case *item = cf_suite_find(&args->suite, kp_text_of(word));

        if (is_blank(word))
            return cf_usage("explain", "'%s' is no word: `probetest rules` lists all rules", word);
        if (i > 0)
            cf_out_put_char(&args->out, '\n');
        if (explain_word(args, word))
            continue;
        if (item)
            cf_put_case(&args->out, &args->suite.arena, item);
        else if (!explain_words(args, kp_text_of(word)))
            return cf_usage("explain",
                            "'%s' is neither a rule, of the kubelet or of lint, nor a bug, "
                            "a difference or a case, and no rule speaks of it; what ended a pod "
                            "says `probetest why`, how long a start may take `budget`, what will "
                            "happen `simulate`",
                            word);
    }
    return CF_EXIT_OK;
}

/* The cases that say the words, each at its newest version; those that have them in their data
 * alone where no sentence has.  false: none does. */
static bool find_words(struct args *args, struct kp_text words)
{
    struct cf_selection all = args->selection;
    struct cf_selected *list;
    size_t kept = 0;

    all.pattern_count = 0;
    if (cf_select(&all, &args->suite) != NULL)
        return false;
    list = cf_arena_array(&args->suite.arena, all.count, sizeof *list);
    for (int rank = 0; rank < CF_SAID_IN_DATA + (kept == 0); rank++)
        for (size_t i = 0; i < all.count; i++)
            if (cf_case_says(&args->suite.arena, all.list[i].item, words) == rank)
                list[kept++] = all.list[i];
    args->selection.list = list;
    args->selection.count = kept;
    return kept > 0;
}

/* Under the best rule that each shows, and the best rule first. */
static void sort_by_rules(struct args *args, struct kp_text words)
{
    struct cf_selection *selection = &args->selection;
    struct cf_selected *found = selection->list;
    enum kp_rule *under = cf_arena_array(selection->arena, selection->count, sizeof *under);
    enum kp_rule rules[CF_FOUND_RULES_MAX + 1];
    size_t rule_count = cf_search_rules(&args->suite, words, rules);
    size_t kept = 0;

    selection->list = cf_arena_array(selection->arena, selection->count, sizeof *found);
    if (!selection->list || !under)
        return;
    rules[rule_count] = KP_RULE_NONE; /* has the others */
    for (size_t k = 0; k <= rule_count; k++)
        for (size_t i = 0; i < selection->count; i++) {
            if (!found[i].item || (k < rule_count && !cf_case_shows(found[i].item, rules[k])))
                continue;
            under[kept] = rules[k];
            selection->list[kept++] = found[i];
            found[i].item = NULL;
        }
    args->under = under;
}

/* What no pattern selects may be words. */
static bool select_by_words(struct args *args)
{
    struct kp_text words;

    if (args->selection.pattern_count != 1 || is_blank(args->selection.patterns[0]))
        return false;
    words = kp_text_of(args->selection.patterns[0]);
    if (!find_words(args, words))
        return false;
    sort_by_rules(args, words);
    return true;
}

static int run(int argc, char **argv, int (*answer)(struct args *args), bool selects)
{
    struct args args = {.command = argv[0], .cases = cf_cases_folder()};
    const char *error = NULL;
    int exit = read_arguments(&args, argc, argv);

    if (exit >= 0)
        return exit;
    if (answer != list && args.selection.pattern_count == 0)
        return cf_usage(argv[0], "say what");
    exit = cf_suite_open(&args.suite, args.cases);
    args.selection.arena = &args.suite.arena;
    if (exit == CF_EXIT_OK && selects &&
        (error = cf_select(&args.selection, &args.suite)) != NULL &&
        (answer != list || !select_by_words(&args)))
        exit = cf_usage(argv[0], "%s", error);
    if (exit == CF_EXIT_OK) {
        exit = answer(&args);
        if (isatty(STDOUT_FILENO) && answer == list)
            cf_cut_lines(&args.out, 0, cf_terminal_columns(stdout));
        cf_print_text(stdout, cf_out_text(&args.out));
    }
    cf_out_deinit(&args.out);
    cf_suite_deinit(&args.suite);
    return exit;
}

int cf_list_command(int argc, char **argv)
{
    return run(argc, argv, list, true);
}

int cf_show_command(int argc, char **argv)
{
    return run(argc, argv, show, true);
}

int cf_explain_command(int argc, char **argv)
{
    return run(argc, argv, explain, false);
}
