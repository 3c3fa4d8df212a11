#include "fakes/seed.h"

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators": public domain constants.
 */
uint64_t fake_seed_next(struct fake_seed *seed)
{
    uint64_t z = seed->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t fake_seed_below(struct fake_seed *seed, int64_t bound)
{
    uint64_t range = (uint64_t)bound;
    uint64_t limit;
    uint64_t draw;

    if (bound <= 0)
        return 0;
    limit = UINT64_MAX - UINT64_MAX % range; /* draws above it would favour small numbers */
    do
        draw = fake_seed_next(seed);
    while (draw >= limit);
    return (int64_t)(draw % range);
}
