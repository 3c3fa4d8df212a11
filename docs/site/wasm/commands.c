/* commands.c: the commands of the playground. */
#include "conformance/text/cli.h"

const struct cf_command cf_commands[] = {
    {"budget", "", "", "", cf_budget_command},
    {"lint", "", "", "", cf_lint_command},
    {"simulate", "", "", "", cf_simulate_command},
    {"why", "", "", "", cf_why_command},
    {0},
};
