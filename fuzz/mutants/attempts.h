/*
 * attempts.h: judging mutants of core/handlers by attempts, which take real time, begin processes
 * and threads: many side by side, each process in a session of its own, and what a mutant leaves
 * running is ended.
 */
#pragma once

#include "mutant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What came of an attempt while all mutants slept. */
struct kp_attempt_row {
    bool passed; /* at one of three times */
    int took_ms;
    unsigned char met[KP_MUTANTS_MAX]; /* its kp_mutant_reached */
};

/*
 * Call `plays` for each number below `count`, in `jobs` processes.
 *
 * Returns:  a row for each, never freed; NULL: there is no memory.
 */
const struct kp_attempt_row *kp_attempts_survey(int jobs, size_t count,
                                                bool (*plays)(void *ctx, size_t i), void *ctx);

/* Put the rarest of those from `at` on there, up to `end`. */
void kp_attempts_prefer(uint16_t *attempts, size_t count, const double *rarity, size_t at,
                        size_t end);
/* The same with some from all over. */
void kp_attempts_spread(uint16_t *attempts, size_t count, size_t at, size_t end);
