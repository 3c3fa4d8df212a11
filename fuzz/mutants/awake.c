/* awake.c: wakes the mutant whose number is in $KP_MUTANT, for programs that know of none. */
#include "fuzz/mutants/mutant.h"

#include <malloc.h>
#include <stdlib.h>

int kp_mutant;
unsigned char kp_mutant_met[KP_MUTANTS_MAX];
unsigned long kp_mutant_path;

__attribute__((constructor)) static void wake(void)
{
    const char *number = getenv("KP_MUTANT");

    kp_mutant = number ? atoi(number) : 0;
    mallopt(M_PERTURB, 0x5a); /* nothing is zero by luck */
}
