/*
 * cli.h: the commands of `probetest`, one row each, and what all of them do alike: options, usage,
 * complaints and exit codes.
 */
#ifndef CF_CLI_H
#define CF_CLI_H

#include <stdbool.h>
#include <stdio.h>

/* What the command's exit codes mean, everywhere.  Never a count. */
enum cf_exit {
    CF_EXIT_OK = 0,     /* conformant; done */
    CF_EXIT_FAILED = 1, /* not conformant, or interrupted */
    CF_EXIT_USAGE = 2,  /* bad usage or input, unknown id, empty selection */
    CF_EXIT_SUITE = 3,  /* the suite itself is damaged */
    CF_EXIT_ADAPTER = 4 /* the adapter is unusable */
};

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

/* The whole command line.  Returns: the exit code. */
int cf_cli_main(int argc, char **argv);

/* NULL: there is none of that name. */
const struct cf_command *cf_command_find(const char *name);
/* `probetest NAME: message`, and where to look for help, on stderr.  Returns: CF_EXIT_USAGE. */
int cf_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The command's own help on stdout.  Returns: CF_EXIT_OK. */
int cf_command_help(const char *command);

struct option;                 /* getopt.h */
enum { CF_OPTION_HELP = 'h' }; /* the val of --help in every table */

/*
 * A command's options, by getopt_long: told one by one; --help and what the table does not have are
 * answered here.
 *
 * argv:     from the command's name on; afterwards optind is the first word that is no option.
 * shorts:   getopt's short options, beginning with ":" or "+:".
 * take:     its val from the table, and optarg; returns CF_EXIT_OK: go on, else an exit code to end
 *           with, after what there was to say.
 * Returns:  -1: go on; else the command's exit code.
 */
int cf_read_options(const char *command, int argc, char **argv, const char *shorts,
                    const struct option *table, int (*take)(void *ctx, int option), void *ctx);

/* `probetest NAME: out of memory` on stderr.  Returns: CF_EXIT_USAGE. */
int cf_no_memory(const char *command);
/*
 * Write a whole file, or stdout where the path is NULL: cf_cli_main tells what went wrong there.
 *
 * Returns: CF_EXIT_OK; CF_EXIT_USAGE, after a line on stderr.
 */
int cf_write_out(const char *command, const char *path, const void *bytes, size_t len);
/* Colours may be used on that stream: a terminal, and NO_COLOR is not set. */
bool cf_colours(FILE *stream);

#endif
