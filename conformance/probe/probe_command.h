/* probe_command.h: `probetest probe`: does this pod pass its probes, as the kubelet would see it?
 */
#ifndef CF_PROBE_COMMAND_H
#define CF_PROBE_COMMAND_H

/* The command; see cli.h. */
int cf_probe_command(int argc, char **argv);

#endif
