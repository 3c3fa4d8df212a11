/* seed.h: draws that a seed decides: the only chance in the project (splitmix64). */
#pragma once

#include <stdint.h>

/* Set .state to the seed; equal seeds draw equal numbers on every machine. */
struct fake_seed {
    uint64_t state;
};

uint64_t fake_seed_next(struct fake_seed *seed);
/* Uniform in [0, bound); 0 where bound is not positive. */
int64_t fake_seed_below(struct fake_seed *seed, int64_t bound);
