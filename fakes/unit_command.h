/* unit_command.h: a command run within a unit test, with what it reads and what it prints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a command came to. */
struct unit_said {
    int code;
    char *out; /* all of stdout, ended by a NUL; NULL: it could not be caught */
    char *err; /* of stderr */
};

/*
 * Run one.
 *
 * line:     its words, from its name on, with spaces between; '...' is one word.
 * in:       what stands on its standard input; NULL: nothing.
 * Returns:  what unit_said_free gives back.
 */
struct unit_said unit_command(int (*command)(int argc, char **argv), const char *line,
                              const char *in);
void unit_said_free(struct unit_said *said);
