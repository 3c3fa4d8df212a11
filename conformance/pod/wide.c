#include "conformance/pod/wide.h"

bool cf_wide_grow(struct cf_wide *number, uint32_t factor, uint32_t addend)
{
    struct cf_wide grown;
    uint64_t carry = addend;

    for (int i = 0; i < CF_WIDE_LIMBS; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        grown.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry == 0)
        *number = grown;
    return carry == 0;
}

uint32_t cf_wide_divide(struct cf_wide *number, uint32_t divisor)
{
    uint64_t rest = 0;

    for (int i = CF_WIDE_LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | number->limbs[i];
        number->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return (uint32_t)rest;
}

bool cf_wide_is_zero(const struct cf_wide *number)
{
    uint32_t all = 0;

    for (int i = 0; i < CF_WIDE_LIMBS; i++)
        all |= number->limbs[i];
    return all == 0;
}
