/* pod_quantity.c: the quantities of the API.  Upstream: apimachinery pkg/api/resource. */
#include "conformance/pod/pod_tree.h"

#include "conformance/pod/wide.h"

#include <string.h>

#define NANOS 1000000000
#define MILLI_NANOS 1000000
#define DIGITS "0123456789"
#define BLANKS " " /* the unmarshaler sees others as JSON escapes them */

enum { STEPS_MAX = 12 /* of thousands in a struct cf_wide */, SUFFIXES = 10 };
enum format { DECIMAL_SI, DECIMAL_EXPONENT, BINARY_SI };

struct quantity {
    bool negative;
    size_t digits;           /* in the text, leading zeros too */
    struct kp_text whole;    /* digits without leading zeros */
    struct kp_text fraction; /* digits behind the point */
    struct kp_text suffix;
    enum format format;
    int64_t exponent; /* of ten or of two */
};

static size_t count_of(struct kp_text text, size_t at, const char *set)
{
    size_t start = at;

    while (at < text.len && text.bytes[at] && strchr(set, text.bytes[at]))
        at++;
    return at - start;
}

/* False: the text has not the shape of a quantity. */
static bool split(struct kp_text text, struct quantity *out)
{
    size_t at = 0;
    size_t len;
    size_t suffix;

    *out = (struct quantity){.negative = text.bytes[0] == '-'};
    at += text.bytes[0] == '-' || text.bytes[0] == '+';
    out->digits = count_of(text, at, DIGITS);
    at += count_of(text, at, "0");
    len = count_of(text, at, DIGITS);
    out->whole = (struct kp_text){text.bytes + at, len};
    at += len;
    if (at < text.len && text.bytes[at] == '.') {
        at++;
        len = count_of(text, at, DIGITS);
        out->fraction = (struct kp_text){text.bytes + at, len};
        out->digits += len;
        at += len;
    }
    suffix = at;
    at += count_of(text, at, "eEinumkKMGTP");
    at += at < text.len && (text.bytes[at] == '-' || text.bytes[at] == '+');
    at += count_of(text, at, DIGITS);
    out->suffix = kp_text_from(text, suffix);
    return at == text.len;
}

/* An int64, of which upstream keeps the low 32 bits (suffix.go quantitySuffixer.interpret). */
static bool read_exponent(struct quantity *quantity)
{
    struct kp_text text = quantity->suffix;
    bool negative = text.bytes[1] == '-';
    size_t at = 1 + count_of(text, 1, "+-");
    uint64_t most = (uint64_t)INT64_MAX + negative;
    uint64_t value;
    int64_t low;

    if (!kp_text_number(kp_text_from(text, at), most, &value))
        return false;
    low = (int64_t)(value & UINT32_MAX);
    if (low > INT32_MAX)
        low -= (int64_t)UINT32_MAX + 1;
    quantity->format = DECIMAL_EXPONENT;
    quantity->exponent = negative && low != INT32_MIN ? -low : low;
    return true;
}

static const char *const decimal_suffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
static const char *const binary_suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

static bool interpret_suffix(struct quantity *quantity)
{
    for (int i = 0; i < SUFFIXES; i++)
        if (kp_text_equal(quantity->suffix, kp_text_of(decimal_suffixes[i]))) {
            quantity->exponent = 3 * (i - 3);
            return true;
        }
    for (int i = 1; i < 7; i++)
        if (kp_text_equal(quantity->suffix, kp_text_of(binary_suffixes[i]))) {
            quantity->format = BINARY_SI;
            quantity->exponent = 10 * i;
            return true;
        }
    return (quantity->suffix.bytes[0] == 'e' || quantity->suffix.bytes[0] == 'E') &&
           read_exponent(quantity);
}

/* In billionths, rounded up; false: it does not fit. */
static bool multiply_out(const struct quantity *quantity, struct cf_wide *nanos)
{
    int64_t shift = 9 - (int64_t)quantity->fraction.len +
                    (quantity->format == BINARY_SI ? 0 : quantity->exponent);
    bool lost = false;

    *nanos = (struct cf_wide){{0}};
    for (size_t i = 0; i < quantity->whole.len + quantity->fraction.len; i++) {
        char digit = i < quantity->whole.len ? quantity->whole.bytes[i]
                                             : quantity->fraction.bytes[i - quantity->whole.len];

        if (!cf_wide_grow(nanos, 10, (uint32_t)(digit - '0')))
            return false;
    }
    for (int64_t i = 0; quantity->format == BINARY_SI && i < quantity->exponent; i++)
        if (!cf_wide_grow(nanos, 2, 0))
            return false;
    for (; shift > 0 && !cf_wide_is_zero(nanos); shift--)
        if (!cf_wide_grow(nanos, 10, 0))
            return false;
    for (; shift < 0 && !cf_wide_is_zero(nanos); shift++)
        lost = cf_wide_divide(nanos, 10) != 0 || lost;
    return cf_wide_grow(nanos, 1, lost);
}

static bool exceeds_int64(struct cf_wide nanos)
{
    cf_wide_divide(&nanos, NANOS);
    return nanos.limbs[3] != 0 || nanos.limbs[2] != 0 || nanos.limbs[1] > INT32_MAX;
}

/* The amount in billionths, rounded up, of Ki and the like at most an int64; false: beyond what is
 * worth it. */
static bool to_nanos(const struct quantity *quantity, struct cf_wide *nanos)
{
    bool fits = multiply_out(quantity, nanos);

    if (quantity->format != BINARY_SI || (fits && !exceeds_int64(*nanos)))
        return fits;
    *nanos = (struct cf_wide){{UINT32_MAX, INT32_MAX}};
    return cf_wide_grow(nanos, NANOS, 0);
}

static struct kp_text print(struct cf_arena *arena, const struct quantity *quantity,
                            struct cf_wide value, const char *suffix)
{
    char digits[48];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + (int)cf_wide_divide(&value, 10));
    while (!cf_wide_is_zero(&value));
    return cf_arena_format(arena, "%s%.*s%s", quantity->negative ? "-" : "",
                           (int)(sizeof digits - at), digits + at, suffix);
}

/* Divides as long as nothing is lost.  Returns: how often, at most `steps_max`. */
static int divide_evenly(struct cf_wide *value, uint32_t divisor, int steps_max)
{
    for (int step = 0; step < steps_max; step++) {
        struct cf_wide divided = *value;

        if (cf_wide_divide(&divided, divisor) != 0)
            return step;
        *value = divided;
    }
    return steps_max;
}

static struct kp_text print_decimal(struct cf_arena *arena, const struct quantity *quantity,
                                    struct cf_wide nanos)
{
    int step = divide_evenly(&nanos, 1000, STEPS_MAX);

    if (quantity->format != DECIMAL_EXPONENT || step == 3) /* upstream has no word for 1000E */
        return print(arena, quantity, nanos, step < SUFFIXES ? decimal_suffixes[step] : "");
    return print(arena, quantity, nanos, cf_arena_format(arena, "e%d", 3 * (step - 3)).bytes);
}

static struct kp_text print_binary(struct cf_arena *arena, const struct quantity *quantity,
                                   struct cf_wide value)
{
    int step = divide_evenly(&value, 1024, 6);

    return print(arena, quantity, value, binary_suffixes[step]);
}

/* Upstream keeps the text of what is canonical already, sign and all. */
static bool is_canonical(const struct quantity *quantity)
{
    size_t digits = quantity->whole.len + quantity->fraction.len;
    struct kp_text last = quantity->fraction.len > 0 ? quantity->fraction : quantity->whole;
    int64_t scale = quantity->exponent - (int64_t)quantity->fraction.len;
    unsigned value = 0;

    if (digits == 0 || digits > 18)
        return false;
    if (quantity->format == BINARY_SI) {
        for (size_t i = 0; i < quantity->whole.len; i++)
            value = (value * 10 + (unsigned)(quantity->whole.bytes[i] - '0')) % 8;
        return quantity->fraction.len == 0 && digits + (size_t)quantity->exponent * 3 / 10 < 15 &&
               value != 0;
    }
    return scale % 3 == 0 && scale >= -9 && quantity->whole.len > 0 && !kp_text_ends(last, "000");
}

static bool is_1024_or_more(struct cf_wide value)
{
    cf_wide_divide(&value, 1024);
    return !cf_wide_is_zero(&value);
}

/* What is no whole number keeps its parts in tens. */
static struct kp_text format(struct cf_arena *arena, const struct quantity *quantity,
                             struct cf_wide nanos)
{
    struct cf_wide whole = nanos;
    bool is_whole = cf_wide_divide(&whole, NANOS) == 0;

    if (cf_wide_is_zero(&nanos))
        return KP_TEXT("0");
    return quantity->format == BINARY_SI && is_whole && is_1024_or_more(whole)
               ? print_binary(arena, quantity, whole)
               : print_decimal(arena, quantity, nanos);
}

struct kp_text cf_quantity_in_milli(struct cf_arena *arena, struct kp_text text)
{
    struct quantity quantity;
    struct cf_wide nanos;

    (void)split(text, &quantity);
    (void)interpret_suffix(&quantity);
    if (!to_nanos(&quantity, &nanos) || cf_wide_divide(&nanos, MILLI_NANOS) == 0)
        return text;
    (void)cf_wide_grow(&nanos, 1, 1); /* it fits: it was divided */
    (void)cf_wide_grow(&nanos, MILLI_NANOS, 0);
    return format(arena, &quantity, nanos);
}

/* Upstream takes no digits for zero where an int64 holds what the suffix leaves room for, else its
 * decimals refuse them (quantity.go ParseQuantity). */
static bool lacks_digits(const struct quantity *quantity)
{
    return quantity->digits == 0 &&
           (quantity->format == BINARY_SI ? quantity->exponent > 40 : quantity->exponent < -9);
}

bool cf_quantity_canonical(struct cf_arena *arena, struct kp_text text, struct kp_text *out)
{
    static const char shape[] = "quantities must match the regular expression "
                                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    struct quantity quantity;
    struct cf_wide nanos;

    text = kp_text_trim(text, BLANKS);
    if (text.len == 0 || !split(text, &quantity)) {
        *out = kp_text_of(shape);
        return false;
    }
    if (!interpret_suffix(&quantity)) {
        *out = KP_TEXT("unable to parse quantity's suffix");
        return false;
    }
    if (lacks_digits(&quantity)) {
        *out = KP_TEXT("unable to parse numeric part of quantity");
        return false;
    }
    *out = text;
    if (is_canonical(&quantity) || !to_nanos(&quantity, &nanos))
        return true;
    *out = format(arena, &quantity, nanos);
    return true;
}
