/*
 * doctor.h: `probetest doctor -- ADAPTER`: looks at an adapter step by step and teaches: what was
 * sent, what came, what the protocol wanted.
 */
#ifndef CF_DOCTOR_H
#define CF_DOCTOR_H

int cf_doctor_command(int argc, char **argv);

#endif
