/* simulate.h: `probetest simulate`: what the kubelet will do with this pod, when, and by which
 * rule. */
#ifndef CF_SIMULATE_H
#define CF_SIMULATE_H

/* The command; see cli.h. */
int cf_simulate_command(int argc, char **argv);

#endif
