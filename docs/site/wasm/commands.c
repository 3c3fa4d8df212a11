/* commands.c: the commands of the playground. */
#include "conformance/command/lint_command.h"
#include "conformance/command/why_command.h"
#include "conformance/simulate/budget_command.h"
#include "conformance/simulate/simulate.h"
#include "conformance/text/cli.h"

const struct cf_command cf_commands[] = {
    {"budget", "", "", "", cf_budget_command},
    {"lint", "", "", "", cf_lint_command},
    {"simulate", "", "", "", cf_simulate_command},
    {"why", "", "", "", cf_why_command},
    {0},
};
