#include "conformance/pod/wide.h"

#include "fakes/unit.h"

#include <string.h>

/* Read as decimal digits, and printed again. */
static bool holds(const char *digits)
{
    struct cf_wide number = {{0}};
    char printed[48];
    size_t at = sizeof printed - 1;
    bool fits = true;

    for (const char *digit = digits; *digit; digit++)
        fits = fits && cf_wide_grow(&number, 10, (uint32_t)(*digit - '0'));
    printed[at] = '\0';
    do
        printed[--at] = (char)('0' + (int)cf_wide_divide(&number, 10));
    while (!cf_wide_is_zero(&number));
    return fits && strcmp(printed + at, digits) == 0;
}

static void numbers_have_128_bits(void)
{
    CHECK(holds("0"));
    CHECK(holds("4294967296"));
    CHECK(holds("18446744073709551616"));
    CHECK(holds("79228162514264337593543950336"));
    CHECK(holds("340282366920938463463374607431768211455"));
    CHECK(!holds("340282366920938463463374607431768211456"));
    CHECK(!holds("1000000000000000000000000000000000000000"));
}

static void what_does_not_fit_is_as_it_was(void)
{
    struct cf_wide number = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};

    CHECK(!cf_wide_grow(&number, 1, 1));
    CHECK(!cf_wide_grow(&number, 2, 0));
    CHECK(cf_wide_grow(&number, 1, 0));
    CHECK_INT(cf_wide_divide(&number, 1000000000), 768211455);
    CHECK_INT(cf_wide_divide(&number, UINT32_MAX), 0x8c687b0e);
    CHECK(!cf_wide_is_zero(&number));
    CHECK(!cf_wide_is_zero(&(struct cf_wide){{0, 0, 0, 1}}));
}

static void each_bit_counts(void)
{
    for (int bit = 0; bit < 32 * CF_WIDE_LIMBS; bit++) {
        struct cf_wide number = {{0}};

        number.limbs[bit / 32] = UINT32_C(1) << bit % 32;
        CHECK(!cf_wide_is_zero(&number));
    }
}

const struct unit_test wide_test[] = {
    {"each bit counts", each_bit_counts},
    {"numbers have 128 bits", numbers_have_128_bits},
    {"what does not fit is as it was", what_does_not_fit_is_as_it_was},
    {0},
};
