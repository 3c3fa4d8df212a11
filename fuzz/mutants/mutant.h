/* mutant.h: what a copy of the core with sleeping mutants in it needs: which is awake, and which
 * were come by. */
#ifndef MUTANT_H
#define MUTANT_H

#define KP_MUTANTS_MAX 16384

extern int kp_mutant; /* 0: all sleep */
extern unsigned char
    kp_mutant_met[KP_MUTANTS_MAX]; /* 1: its place was run, since the last clearing */

#define KP_AWAKE(number) (kp_mutant_met[number] = 1, kp_mutant == (number))

#endif
