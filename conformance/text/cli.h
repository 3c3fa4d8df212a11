/*
 * cli.h: the commands of `probetest`, one row each, and what all of them do alike: options, usage,
 * errors and exit codes.
 */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>

/* What the command's exit codes mean, everywhere.  Never a count. */
enum cf_exit {
    CF_EXIT_OK = 0,     /* conformant; done */
    CF_EXIT_FAILED = 1, /* not conformant, or interrupted */
    CF_EXIT_USAGE = 2,  /* bad usage or input, unknown id, empty selection */
    CF_EXIT_SUITE = 3,  /* the suite itself is damaged */
    CF_EXIT_ADAPTER = 4 /* the adapter is unusable, or the machine too busy to judge it */
};

struct kp_profile;

struct cf_command {
    const char *name;
    const char *usage;   /* what follows the name on a usage line */
    const char *summary; /* a line of `probetest --help`, under 60 columns */
    const char *help;    /* the options, a line each; ends with a newline; or "" */
    /* argv[0] is the command's name, so that getopt_long can be used as it is. */
    int (*run)(int argc, char **argv);
};

/* Ended by a zero row, in the order of --help. */
extern const struct cf_command cf_commands[];

int cf_budget_command(int argc, char **argv);
int cf_contract_command(int argc, char **argv);
int cf_diff_command(int argc, char **argv);
int cf_doctor_command(int argc, char **argv);
int cf_explain_command(int argc, char **argv);
int cf_export_command(int argc, char **argv);
int cf_lint_command(int argc, char **argv);
int cf_list_command(int argc, char **argv);
int cf_probe_command(int argc, char **argv);
int cf_report_command(int argc, char **argv);
int cf_rules_command(int argc, char **argv);
int cf_run_command(int argc, char **argv);
int cf_serve_command(int argc, char **argv);
int cf_show_command(int argc, char **argv);
int cf_simulate_command(int argc, char **argv);
int cf_verify_command(int argc, char **argv);
int cf_why_command(int argc, char **argv);

/* The whole command line.  Returns: the exit code. */
int cf_cli_main(int argc, char **argv);

/* NULL: there is none of that name. */
const struct cf_command *cf_command_find(const char *name);
/* Is the word a file, or a program along PATH? */
bool cf_is_program(const char *word);
/* `probetest NAME: message`, and where to look for help, on stderr.  Returns: CF_EXIT_USAGE. */
int cf_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of a word of --k8s that is no version.  Returns: CF_EXIT_USAGE. */
int cf_usage_version(const char *command, struct kp_text bad);

/* An option of a command: the first pointer that is set says what becomes of its value. */
struct cf_option {
    const char *name;  /* without its dashes */
    char letter;       /* -o for --output; 0: none */
    const char **word; /* gets its value */
    bool *flag;        /* becomes true: it takes no value */
    int *number;       /* gets a whole number from 1 to max */
    int max;
    int64_t *ns;    /* gets a duration of at least min_ns */
    int64_t min_ns; /* 0, or 1: a millisecond, the least that a duration says */
    int *choice;    /* gets the index of its value in choices, which NULL ends */
    const char *const *choices;
    struct kp_profile *profile; /* gets that of a version; of KP_DEFAULT where none is named */
    /* Reads its value; returns CF_EXIT_OK: go on, else an exit code to end with, after what there
     * was to say. */
    int (*read)(void *ctx, const struct cf_option *option, const char *word);
    int kind;       /* for read */
    const char *as; /* takes no value, and is read as if it had this one; NULL: takes one */
};
/* Read a duration for such an option; one shorter than its min_ns, or none, is an error.
 * Returns: CF_EXIT_OK, CF_EXIT_USAGE. */
int cf_take_duration(const char *command, const struct cf_option *option, const char *word,
                     int64_t *ns);

enum { CF_OPTIONS_MAX = 24 };

/*
 * What a word that is none of the options was meant to be: the name that the fewest letters make of
 * it, at most two added, left out or exchanged; of --format, where there is none, --json.
 *
 * word:     as typed: "--start-in=3s".
 * Returns:  the option's name without its dashes; NULL: none is that near.
 */
const char *cf_option_meant(const struct cf_option *options, const char *word);

/*
 * A command's options, by getopt_long; --help, -h and what the table does not have are answered
 * here.
 *
 * argv:     from the command's name on; afterwards optind is the first word that is no option.
 * options:  ended by a zero row, at most CF_OPTIONS_MAX.
 * ctx:      handed to each read.
 * Returns:  -1: go on; else the command's exit code.
 */
int cf_read_options(const char *command, int argc, char **argv, const struct cf_option *options,
                    void *ctx);
/* The same, but the first word that is no option ends them: what follows is another's command. */
int cf_read_options_before(const char *command, int argc, char **argv,
                           const struct cf_option *options, void *ctx);

/* `probetest NAME: out of memory` on stderr.  Returns: CF_EXIT_USAGE. */
int cf_no_memory(const char *command);
/*
 * Write a whole file, or stdout where the path is NULL, as cf_print_text: cf_cli_main reports what
 * went wrong there.
 *
 * Returns: CF_EXIT_OK; CF_EXIT_USAGE, after a line on stderr.
 */
int cf_write_out(const char *command, const char *path, const void *bytes, size_t len);
/* Colours may be used on that stream: a terminal that is not dumb, and NO_COLOR is not set. */
bool cf_colours(FILE *stream);
