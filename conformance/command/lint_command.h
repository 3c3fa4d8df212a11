/* lint_command.h: `probetest lint`. */
#ifndef CF_LINT_COMMAND_H
#define CF_LINT_COMMAND_H

int cf_lint_command(int argc, char **argv);

#endif
