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

const struct unit_test cli_test[] = {
    {"every command says what it does in one line", every_command_says_what_it_does_in_one_line},
    {"the list of commands fits a screen", the_list_of_commands_fits_a_screen},
    {0},
};
