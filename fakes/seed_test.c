#include "fakes/seed.h"

#include "fakes/unit.h"

/* The first three numbers of seed 1234567 are the published ones of splitmix64. */
static void the_numbers_are_splitmix64(void)
{
    struct fake_seed seed = {1234567};

    CHECK(fake_seed_next(&seed) == UINT64_C(6457827717110365317));
    CHECK(fake_seed_next(&seed) == UINT64_C(3203168211198807973));
    CHECK(fake_seed_next(&seed) == UINT64_C(9817491932198370423));
}

static void draws_stay_below_their_bound(void)
{
    struct fake_seed seed = {1};
    int seen[7] = {0};

    for (int i = 0; i < 7000; i++) {
        int64_t draw = fake_seed_below(&seed, 7);

        if (CHECK(draw >= 0 && draw < 7))
            seen[draw]++;
    }
    for (int i = 0; i < 7; i++)
        CHECK(seen[i] > 800 && seen[i] < 1200);
    CHECK_INT(fake_seed_below(&seed, 0), 0);
    CHECK_INT(fake_seed_below(&seed, -3), 0);
}

const struct unit_test seed_test[] = {
    {"the numbers are splitmix64's", the_numbers_are_splitmix64},
    {"draws stay below their bound", draws_stay_below_their_bound},
    {0},
};
