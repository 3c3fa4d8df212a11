/* commands.c: the table of commands; a new one is a declaration in its own header and a row here.
 */
#include "cli.h"

const struct cf_command cf_commands[] = {
    {0},
};
