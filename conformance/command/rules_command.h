/* rules_command.h: `probetest rules`: each rule, its cases, its places in the code; and the holes.
 */
#ifndef CF_RULES_COMMAND_H
#define CF_RULES_COMMAND_H

int cf_rules_command(int argc, char **argv);

#endif
