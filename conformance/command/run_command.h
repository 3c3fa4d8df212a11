/* run_command.h: `probetest run`: cases of the table against an implementation. */
#ifndef CF_RUN_COMMAND_H
#define CF_RUN_COMMAND_H

int cf_run_command(int argc, char **argv);

#endif
