#include "conformance/text/cli.h"

#include "conformance/text/durations.h"
#include "conformance/text/guess.h"
#include "conformance/text/print.h"
#include "conformance/text/versions.h"

#include "core/base/version.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct cf_command *cf_command_find(const char *name)
{
    for (const struct cf_command *command = cf_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* What stands above a command in the list, or NULL. */
static const char *heading_of(const char *name)
{
    static const struct {
        const char *first;
        const char *heading;
    } rows[] = {
        {"budget", "Ask about a pod:"},
        {"explain", "Look up what a kubelet does:"},
        {"run", "Judge another implementation:"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].first, name) == 0)
            return rows[i].heading;
    return NULL;
}

static int print_help(void)
{
    puts("probetest: the executable specification of Kubernetes container probes\n"
         "usage: probetest COMMAND [OPTION]... [ARGUMENT]... | --help | --version\n");
    for (const struct cf_command *command = cf_commands; command->name; command++) {
        if (heading_of(command->name))
            puts(heading_of(command->name));
        cf_print(stdout, "  %-14s %s\n", command->name, command->summary);
    }
    puts("\n"
         "`probetest COMMAND --help` lists the command's options.\n"
         "Exit codes: 0 conformant or done, 1 no: not conformant, refused (lint), not\n"
         "healthy (probe), 2 usage or bad input, 3 the suite is damaged, 4 the adapter is\n"
         "unusable.");
    return CF_EXIT_OK;
}

/* The command's own help on stdout.  Returns: CF_EXIT_OK. */
static int command_help(const char *name)
{
    const struct cf_command *command = cf_command_find(name);

    cf_print(stdout, "%s\n\nusage: probetest %s%s%s\n", command->summary, command->name,
             command->usage[0] ? " " : "", command->usage);
    if (command->help[0])
        puts("");
    fputs(command->help, stdout);
    return CF_EXIT_OK;
}

int cf_usage(const char *command, const char *format, ...)
{
    va_list arguments;

    cf_print(stderr, "probetest %s: ", command);
    va_start(arguments, format);
    cf_vprint(stderr, format, &arguments);
    va_end(arguments);
    cf_print(stderr, "\ntry `probetest %s --help`\n", command);
    return CF_EXIT_USAGE;
}

int cf_usage_version(const char *command, struct kp_text bad)
{
    return cf_usage(command, "--k8s: '%.*s' is no version from " KP_OLDEST " to " KP_NEWEST,
                    KP_ARG(bad));
}

const char *cf_option_meant(const struct cf_option *options, const char *word)
{
    const char *typed = word + strspn(word, "-");
    struct cf_guess guess = cf_guess_begin((struct kp_text){typed, strcspn(typed, "=")});

    for (; options->name; options++) {
        if (strcmp(options->name, "json") == 0 && kp_text_equal(guess.typed, KP_TEXT("format")))
            return options->name;
        cf_guess_try(&guess, options->name);
    }
    return guess.meant;
}

/* Does the command read manifests, as kubectl does with -k? */
static bool is_of_pods(const char *command)
{
    static const char *const names[] = {"budget", "lint", "probe", "simulate"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(command, names[i]) == 0)
            return true;
    return false;
}

/* What getopt_long said of an option that it did not take: '?' or ':'. */
static int usage_option(const char *command, const struct cf_option *options, int answer,
                        int optopt_, const char *word)
{
    const char *meant = cf_option_meant(options, word);

    if (answer == ':')
        return cf_usage(command, "option %s wants a value", word);
    if (optopt_ == 'k' && strncmp(word, "--", 2) != 0 && is_of_pods(command))
        return cf_usage(command,
                        "there is no option -k; pipe: `kubectl kustomize DIR | probetest %s -`",
                        command);
    if (optopt_ > 0 && optopt_ < 256 && strncmp(word, "--", 2) != 0)
        return cf_usage(command, "there is no option -%c", optopt_);
    if (optopt_ != 0)
        return cf_usage(command, "option %s takes no value", word);
    if (meant)
        return cf_usage(command, "there is no option %s; did you mean --%s?", word, meant);
    return cf_usage(command, "there is no option %s", word);
}

enum { LONG_ALONE = 256 }; /* getopt's answer to options[0], where it has no letter */

/* The table as getopt_long wants it; shorts begins with what says how words are treated. */
static void translate(const struct cf_option *options, struct option *longs, char *shorts)
{
    size_t i;

    shorts += strlen(shorts);
    for (i = 0; options[i].name; i++) {
        int wants = options[i].flag || options[i].as ? no_argument : required_argument;

        assert(i < CF_OPTIONS_MAX);
        longs[i] = (struct option){options[i].name, wants, NULL, LONG_ALONE + (int)i};
        if (!options[i].letter)
            continue;
        *shorts++ = options[i].letter;
        if (wants == required_argument)
            *shorts++ = ':';
    }
    longs[i] = (struct option){"help", no_argument, NULL, 'h'};
    longs[i + 1] = (struct option){0};
    memcpy(shorts, "h", 2);
}

static const struct cf_option *answered(const struct cf_option *options, int answer)
{
    if (answer >= LONG_ALONE)
        return &options[answer - LONG_ALONE];
    while (options->letter != answer)
        options++;
    return options;
}

static int take_number(const char *command, const struct cf_option *option, const char *word)
{
    char *end;
    long number = strtol(word, &end, 10);

    *option->number = (int)number;
    return kp_is_digit(word[0]) && *end == '\0' && number >= 1 && number <= option->max
               ? CF_EXIT_OK
               : cf_usage(command, "--%s: '%s' is no number from 1 to %d", option->name, word,
                          option->max);
}

int cf_take_duration(const char *command, const struct cf_option *option, const char *word,
                     int64_t *ns)
{
    if (!cf_parse_duration(kp_text_of(word), ns))
        return cf_usage(command, "--%s: '%s' is no duration such as 2.3s, 90s or 1h, up to 1111h",
                        option->name, word);
    return *ns >= option->min_ns ? CF_EXIT_OK
                                 : cf_usage(command, "--%s: '%s' is too short: the least is %s",
                                            option->name, word, option->min_ns > 0 ? "1ms" : "0s");
}

static int take_choice(const char *command, const struct cf_option *option, const char *word)
{
    struct cf_out list = {0};
    int code;

    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(word, option->choices[i]) == 0) {
            *option->choice = i;
            cf_out_deinit(&list);
            return CF_EXIT_OK;
        }
        cf_out_printf(&list, "%s%s", i > 0 ? ", " : "", option->choices[i]);
    }
    code = cf_usage(command, "--%s: '%s' is none of %.*s", option->name, word, KP_ARG(list));
    cf_out_deinit(&list);
    return code;
}

static int take_option(const char *command, const struct cf_option *option, const char *word,
                       void *ctx)
{
    if (option->as)
        word = option->as;
    if (option->word)
        *option->word = word;
    else if (option->flag)
        *option->flag = true;
    else if (option->number)
        return take_number(command, option, word);
    else if (option->ns)
        return cf_take_duration(command, option, word, option->ns);
    else if (option->choice)
        return take_choice(command, option, word);
    else if (option->profile)
        return cf_version_read(option->profile, word) ? CF_EXIT_OK
                                                      : cf_usage_version(command, kp_text_of(word));
    else
        return option->read(ctx, option, word);
    return CF_EXIT_OK;
}

static int read_options(const char *command, int argc, char **argv, const struct cf_option *options,
                        const char *order, void *ctx)
{
    struct option longs[CF_OPTIONS_MAX + 2];
    char shorts[2 * CF_OPTIONS_MAX + 4];
    int answer;

    for (const struct cf_option *option = options; option->name; option++)
        if (option->profile)
            (void)cf_version_read(option->profile, KP_DEFAULT);
    strcpy(shorts, order);
    translate(options, longs, shorts);
    opterr = 0;
    optind = 0;
    while ((answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        int code;

        if (answer == 'h')
            return command_help(command);
        if (answer == '?' || answer == ':')
            return usage_option(command, options, answer, optopt, argv[optind - 1]);
        code = take_option(command, answered(options, answer), optarg, ctx);
        if (code != CF_EXIT_OK)
            return code;
    }
    return -1;
}

int cf_read_options(const char *command, int argc, char **argv, const struct cf_option *options,
                    void *ctx)
{
    return read_options(command, argc, argv, options, ":", ctx);
}

int cf_read_options_before(const char *command, int argc, char **argv,
                           const struct cf_option *options, void *ctx)
{
    return read_options(command, argc, argv, options, "+:", ctx);
}

int cf_no_memory(const char *command)
{
    fputs("probetest ", stderr);
    fputs(command, stderr);
    fputs(": out of memory\n", stderr);
    return CF_EXIT_USAGE;
}

int cf_write_out(const char *command, const char *path, const void *bytes, size_t len)
{
    FILE *file = path ? fopen(path, "wb") : NULL;
    bool fine = file && fwrite(bytes, 1, len, file) == len;

    if (!path) {
        cf_print_text(stdout, (struct kp_text){bytes, len});
        return CF_EXIT_OK;
    }
    if (file)
        fine = fclose(file) == 0 && fine;
    if (!fine)
        cf_print(stderr, "probetest %s: %s: %s\n", command, path, strerror(errno));
    return fine ? CF_EXIT_OK : CF_EXIT_USAGE;
}

bool cf_colours(FILE *stream)
{
    const char *no = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(fileno(stream)) && !(no && no[0]) && !(terminal && !strcmp(terminal, "dumb"));
}

/* What was printed has to have arrived: no space, or nobody there, is no success. */
static int end_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cf_print(stderr, "probetest: stdout: %s\n", errno ? strerror(errno) : "not written in full");
    return code == CF_EXIT_OK || code == CF_EXIT_FAILED ? CF_EXIT_USAGE : code;
}

/* Who names a file and no command wants the first one. */
static int usage_command(const char *name)
{
    struct cf_guess guess = cf_guess_begin(kp_text_of(name));

    for (const struct cf_command *command = cf_commands; command->name; command++)
        cf_guess_try(&guess, command->name);
    cf_print(stderr, "probetest: there is no command `%s`; ", name);
    if (guess.meant)
        cf_print(stderr, "did you mean `probetest %s`?\n", guess.meant);
    else if (access(name, F_OK) == 0)
        cf_print(stderr, "did you mean `probetest %s %s`?\n", cf_commands->name, name);
    else
        cf_print(stderr, "try `probetest --help`\n");
    return CF_EXIT_USAGE;
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_command(int argc, char **argv)
{
    const struct cf_command *command;
    bool helped;

    if (argc < 2) {
        fputs("probetest: which command? try `probetest --help`\n", stderr);
        return CF_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        cf_print(stdout, "probetest %s\nadapter protocol %d\ntable %s\n", PROBETEST_VERSION,
                 PROBETEST_PROTOCOL, PROBETEST_TABLE);
        return CF_EXIT_OK;
    }
    helped = strcmp(argv[1], "help") == 0;
    if (asks_help(argv[1]) ||
        (helped && (argc == 2 || asks_help(argv[2]) || strcmp(argv[2], "help") == 0)))
        return print_help();
    command = cf_command_find(argv[1 + helped]);
    if (command == NULL)
        return usage_command(argv[1 + helped]);
    if (helped)
        return command_help(command->name);
    if (argc > 2 && asks_help(argv[2]))
        return command_help(command->name);
    return command->run(argc - 1, argv + 1);
}

int cf_cli_main(int argc, char **argv)
{
    signal(SIGCHLD, SIG_DFL); /* who starts us may ignore it, and exit codes would be lost */
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is reported, as a full disk is */
    return end_output(run_command(argc, argv));
}

bool cf_is_program(const char *word)
{
    const char *path = strchr(word, '/') ? NULL : getenv("PATH");
    char file[PATH_MAX];

    if (access(word, F_OK) == 0)
        return true;
    for (; path && *path; path += *path == ':') {
        int len = (int)strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", len, path, word);
        if (access(file, X_OK) == 0)
            return true;
        path += len;
    }
    return false;
}
