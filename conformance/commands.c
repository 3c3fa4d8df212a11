/* commands.c: the table of commands; a new one is one declaration in its own header and one row. */
#include "cli.h"
#include "serve.h"

const struct cf_command cf_commands[] = {
    {"serve", "", "speak the adapter protocol on stdin and stdout",
     "The built-in engine answers requests as conformance/protocol.md says, a line each,\n"
     "until its input ends.\n",
     cf_serve_command},
    {0},
};
