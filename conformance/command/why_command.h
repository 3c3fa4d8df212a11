/* why_command.h: `probetest why`. */
#ifndef CF_WHY_COMMAND_H
#define CF_WHY_COMMAND_H

int cf_why_command(int argc, char **argv);

#endif
