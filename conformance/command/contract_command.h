/* contract_command.h: `probetest contract`: what the documentation promises, with its cases. */
#ifndef CF_CONTRACT_COMMAND_H
#define CF_CONTRACT_COMMAND_H

int cf_contract_command(int argc, char **argv);

#endif
