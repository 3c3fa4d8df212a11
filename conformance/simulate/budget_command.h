/* budget_command.h: `probetest budget`. */
#ifndef CF_BUDGET_COMMAND_H
#define CF_BUDGET_COMMAND_H

int cf_budget_command(int argc, char **argv);

#endif
