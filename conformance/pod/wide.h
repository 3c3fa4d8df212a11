/* wide.h: numbers of 128 bits, of which quantities are made, on machines of 32 bits too. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CF_WIDE_LIMBS = 4 };

struct cf_wide {
    uint32_t limbs[CF_WIDE_LIMBS]; /* the least first */
};

/* number * factor + addend.  Returns: false: it does not fit, and is as it was. */
bool cf_wide_grow(struct cf_wide *number, uint32_t factor, uint32_t addend);
/* number / divisor, which is not 0.  Returns: the remainder. */
uint32_t cf_wide_divide(struct cf_wide *number, uint32_t divisor);
bool cf_wide_is_zero(const struct cf_wide *number);
