/*
 * shots.h: judging mutants of core/handlers by shots, which take real time, begin processes and
 * threads: many side by side, each process in a session of its own, and what a mutant leaves
 * running is ended.
 */
#ifndef MUTANT_SHOTS_H
#define MUTANT_SHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Call `plays` for each number below `count`, in `jobs` processes, and keep what each one met.
 *
 * Returns:  for the functions below; NULL: there is no memory.
 */
unsigned char *kp_shots_survey(int jobs, size_t count, bool (*plays)(void *ctx, size_t i),
                               void *ctx);
/* Did it pass, at one of three times? */
bool kp_shots_fine(const unsigned char *survey, size_t i);
/* Its kp_mutant_met. */
const unsigned char *kp_shots_met(const unsigned char *survey, size_t i);

/* Put the rarest of those from `at` on there, up to `end`. */
void kp_shots_prefer(uint16_t *shots, size_t count, const double *rarity, size_t at, size_t end);
/* The same with some from all over. */
void kp_shots_spread(uint16_t *shots, size_t count, size_t at, size_t end);

/* For a process that judges: whatever it signals is its own. */
void kp_shots_keep_apart(void);
/* For their parent: end what the process that ended had begun and nobody waits for. */
void kp_shots_end_orphans(pid_t ended);

#endif
