#include "conformance/text/cli.h"

#include "fakes/unit.h"

#include <string.h>

static void every_command_says_what_it_does_in_one_line(void)
{
    for (const struct cf_command *command = cf_commands; command->name; command++) {
        CHECK(command->run != NULL);
        CHECK(strlen(command->name) <= 14);
        CHECK(strlen(command->summary) > 0 && strlen(command->summary) <= 62);
        CHECK(command->help[0] == '\0' || command->help[strlen(command->help) - 1] == '\n');
        CHECK(cf_command_find(command->name) == command);
    }
    CHECK(cf_command_find("dance") == NULL);
}

static void the_list_of_commands_fits_a_screen(void)
{
    int rows = 0;

    while (cf_commands[rows].name)
        rows++;
    CHECK(rows <= 17); /* ten more lines stand around it */
}

static void a_misspelt_option_is_guessed(void)
{
    static const struct cf_option options[] = {
        {.name = "starts-in"}, {.name = "answers-in"}, {.name = "for"}, {.name = "format"}, {0}};
    static const struct {
        const char *word;
        const char *meant; /* NULL: no guess */
    } rows[] = {{"--start-in", "starts-in"},
                {"--start-in=35s", "starts-in"},
                {"--stars-in", "starts-in"},
                {"--asnwers-in", "answers-in"},
                {"--formt", "format"},
                {"--fromat", "format"},
                {"--dance", NULL},
                {"--f", NULL},
                {"--xor", NULL},
                {"--", NULL},
                {"--=", NULL},
                {"--starts-in-the-very-distant-future-of-mankind", NULL}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *meant = cf_option_meant(options, rows[i].word);

        CHECK((meant == NULL) == (rows[i].meant == NULL));
        CHECK(!meant || !rows[i].meant || strcmp(meant, rows[i].meant) == 0);
    }
}

const struct unit_test cli_test[] = {
    {"every command says what it does in one line", every_command_says_what_it_does_in_one_line},
    {"the list of commands fits a screen", the_list_of_commands_fits_a_screen},
    {"a misspelt option is guessed", a_misspelt_option_is_guessed},
    {0},
};
