#include "conformance/text/yaml_scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

struct resolved {
    enum { NOTHING, TRUTH, INTEGER, BIG, REAL, WORD } kind; /* NOTHING: null */
    bool truth;
    int64_t integer;
    uint64_t big; /* beyond int64 */
    double real;
};

/* The words that YAML 1.1 and go-yaml v2 give a meaning; *out is NOTHING at first. */
static bool resolve_word(struct kp_text text, struct resolved *out)
{
    static const char *const yes[] = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                      "True", "TRUE", "on",  "On",  "ON",  NULL};
    static const char *const no[] = {"n",     "N",     "no",  "No",  "NO",  "false",
                                     "False", "FALSE", "off", "Off", "OFF", NULL};
    static const char beginnings[] = "yYtToOnNfF~.+-";
    enum { LONGEST = 5 };
    static const char *const null[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};
    static const char *const inf[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
                                      "+.INF", "-.inf", "-.Inf", "-.INF", NULL};

    if (text.len > LONGEST ||
        (text.len > 0 && !memchr(beginnings, text.bytes[0], sizeof beginnings - 1)))
        return false;
    if (kp_text_is_one_of(text, yes) || kp_text_is_one_of(text, no))
        *out = (struct resolved){.kind = TRUTH, .truth = kp_text_is_one_of(text, yes)};
    else if (kp_text_is_one_of(text, nan))
        *out = (struct resolved){.kind = REAL, .real = (double)NAN};
    else if (kp_text_is_one_of(text, inf))
        *out = (struct resolved){.kind = REAL, .real = text.bytes[0] == '-' ? -HUGE_VAL : HUGE_VAL};
    else
        return kp_text_is_one_of(text, null);
    return true;
}

/* As strconv.ParseUint with base 0 and no underscores; false: no number of 64 bits. */
static bool parse_magnitude(const char *at, uint64_t *magnitude)
{
    int base = 10;

    if (at[0] == '0' && at[1] != 0) {
        char mark = (char)(at[1] | 0x20);

        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        at += mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
    }
    *magnitude = 0;
    if (*at == 0)
        return false;
    for (; *at; at++) {
        uint64_t digit = (uint64_t)kp_hex_value(*at);

        if (digit >= (uint64_t)base || *magnitude > (UINT64_MAX - digit) / (uint64_t)base)
            return false;
        *magnitude = *magnitude * (uint64_t)base + digit;
    }
    return true;
}

static bool parse_integer(const char *text, struct resolved *out)
{
    bool negative = text[0] == '-';
    uint64_t magnitude;

    if (!parse_magnitude(text + (negative || text[0] == '+'), &magnitude))
        return false;
    if (magnitude <= (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        *out = (struct resolved){
            .kind = INTEGER, .integer = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude};
        return true;
    }
    *out = (struct resolved){.kind = BIG, .big = magnitude};
    return text[0] != '-' && text[0] != '+'; /* ParseUint takes no sign */
}

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? and in range. */
static bool parse_real(const char *text, struct resolved *out)
{
    const char *at = text + (text[0] == '-' || text[0] == '+');
    const char *whole = at;

    at = skip_digits(at);
    if (*at == '.') {
        const char *fraction = skip_digits(at + 1);

        if (at == whole && fraction == at + 1)
            return false;
        at = fraction;
    } else if (at == whole) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');

        at = skip_digits(exponent);
        if (at == exponent)
            return false;
    }
    *out = (struct resolved){.kind = REAL, .real = strtod(text, NULL)};
    return *at == 0 && isfinite(out->real);
}

/* Of a number that begins with a dot go-yaml has strconv say what an underscore may stand between.
 */
static bool separates_digits(struct kp_text text, size_t at)
{
    return kp_is_digit(text.bytes[at - 1]) && kp_text_digits(kp_text_from(text, at + 1)) > 0;
}

static bool resolve_number(struct cf_arena *arena, struct kp_text text, struct resolved *out)
{
    char *plain;
    size_t len = 0;

    if (memchr("+-.0123456789", text.bytes[0], 13) == NULL ||
        memchr(text.bytes, 0, text.len) != NULL)
        return false;
    plain = cf_arena_alloc(arena, text.len + 1);
    if (!plain)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.bytes[i] != '_')
            plain[len++] = text.bytes[i];
        else if (text.bytes[0] == '.' && !separates_digits(text, i))
            return false;
    return parse_integer(plain, out) || parse_real(plain, out);
}

static struct kp_text short_tag(struct cf_arena *arena, struct kp_text tag)
{
    if (!kp_text_begins(tag, TAG_PREFIX))
        return tag;
    tag = kp_text_from(tag, sizeof TAG_PREFIX - 1);
    return cf_arena_format(arena, "!!%.*s", KP_ARG(tag));
}

static const char *tag_of(const struct resolved *value)
{
    static const char *const tags[] = {
        [NOTHING] = "!!null", [TRUTH] = "!!bool", [INTEGER] = "!!int",
        [BIG] = "!!int",      [REAL] = "!!float", [WORD] = "!!str",
    };

    return tags[value->kind];
}

static void set_fault(struct cf_arena *arena, struct cf_fault *fault, struct cf_place at,
                      const char *prefix, struct kp_text message)
{
    fault->at = at;
    fault->message = message;
    fault->go_text = cf_arena_format(arena, "%s%.*s", prefix, KP_ARG(message));
}

static struct cf_node *string_node(struct cf_arena *arena, const struct cf_scalar *scalar)
{
    struct cf_node *node = cf_node_new(arena, CF_STRING, scalar->at);

    if (node)
        node->text = scalar->value;
    return node;
}

/* As a key .inf is a word; as a value it fails later on, unless something overwrites it. */
static struct cf_node *real_node(struct cf_arena *arena, const struct cf_scalar *scalar,
                                 double real)
{
    struct cf_node *node = cf_node_new(arena, CF_NUMBER, scalar->at);

    if (!node)
        return NULL;
    node->source = scalar->value;
    node->is_float = true;
    node->text = isnan(real)   ? KP_TEXT(".nan")
                 : isinf(real) ? (real > 0 ? KP_TEXT(".inf") : KP_TEXT("-.inf"))
                               : cf_go_float(arena, real);
    return node;
}

static struct cf_node *value_node(struct cf_arena *arena, const struct cf_scalar *scalar,
                                  const struct resolved *value)
{
    struct cf_node *node;

    if (value->kind == WORD)
        return string_node(arena, scalar);
    if (value->kind == REAL)
        return real_node(arena, scalar, value->real);
    node = cf_node_new(arena,
                       value->kind == NOTHING ? CF_NULL
                       : value->kind == TRUTH ? CF_BOOL
                                              : CF_NUMBER,
                       scalar->at);
    if (!node)
        return NULL;
    node->source = scalar->value;
    node->truth = value->truth;
    if (value->kind == TRUTH)
        node->text = value->truth ? KP_TEXT("true") : KP_TEXT("false");
    else if (value->kind == INTEGER)
        node->text = cf_arena_format(arena, "%lld", (long long)value->integer);
    else if (value->kind == BIG)
        node->text = cf_arena_format(arena, "%llu", (unsigned long long)value->big);
    return node;
}

/* Standard base64 with padding; line breaks are skipped. */
static struct cf_node *binary_node(struct cf_arena *arena, const struct cf_scalar *scalar,
                                   struct cf_fault *fault)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct cf_scalar decoded = *scalar;
    char *bytes = cf_arena_alloc(arena, scalar->value.len + 1);
    uint32_t bits = 0;
    size_t digits = 0;
    size_t padding = 0;
    size_t len = 0;
    bool good = bytes != NULL;

    for (size_t i = 0; good && i < scalar->value.len; i++) {
        char c = scalar->value.bytes[i];
        const char *digit = c ? strchr(alphabet, c) : NULL;

        if (c == '\n' || c == '\r')
            continue;
        padding += c == '=';
        good = c == '=' || (digit && padding == 0);
        bits = bits << 6 | (digit ? (uint32_t)(digit - alphabet) : 0);
        if (++digits % 4 == 0)
            for (int shift = 16; shift >= 0; shift -= 8)
                bytes[len++] = (char)(bits >> shift & 0xff);
    }
    if (!good || padding > 2 || digits % 4 != 0) {
        set_fault(arena, fault, scalar->at,
                  "yaml: ", KP_TEXT("!!binary value contains invalid base64 data"));
        return NULL;
    }
    decoded.value = (struct kp_text){bytes, len - padding};
    return string_node(arena, &decoded);
}

/* Go looks at the rest of it as well. */
static bool is_date(struct kp_text text)
{
    return kp_text_digits(text) == 4 && kp_text_begins(kp_text_from(text, 4), "-");
}

/* A plain scalar has the type that YAML 1.1 gives it, as a port's number has (E-002). */
struct cf_node *cf_scalar_resolve(struct cf_arena *arena, const struct cf_scalar *scalar,
                                  struct cf_fault *fault)
{
    struct kp_text tag = short_tag(arena, scalar->tag);
    struct resolved value = {0};
    static const char *const known[] = {"!!bool", "!!int",       "!!float",
                                        "!!null", "!!timestamp", NULL};

    if (kp_text_equal(tag, KP_TEXT("!!binary")))
        return binary_node(arena, scalar, fault);
    if (!scalar->plain && !kp_text_is_one_of(tag, known))
        return string_node(arena, scalar);
    if (!resolve_word(scalar->value, &value) && !resolve_number(arena, scalar->value, &value))
        value.kind = WORD;
    if (kp_text_equal(tag, KP_TEXT("!!float")) && value.kind == INTEGER)
        value = (struct resolved){.kind = REAL, .real = (double)value.integer};
    if (scalar->plain || kp_text_equal(tag, kp_text_of(tag_of(&value))) ||
        (kp_text_equal(tag, KP_TEXT("!!timestamp")) && is_date(scalar->value)))
        return value_node(arena, scalar, &value);
    set_fault(arena, fault, scalar->at, "yaml: ",
              cf_arena_format(arena, "cannot decode %s `%.*s` as a %.*s", tag_of(&value),
                              KP_ARG(scalar->value), KP_ARG(tag)));
    return NULL;
}

/* The fewest digits that read back as the same number, as d.ddde+xx. */
static void shortest(double number, char *out, size_t cap)
{
    for (int digits = 0; digits <= 16; digits++) {
        snprintf(out, cap, "%.*e", digits, number);
        if (strtod(out, NULL) == number) /* NOLINT: exact by design */
            return;
    }
}

/* "-1.25e+03" -> whole digits and as many zeros as are missing: 1250. */
static struct kp_text plain_digits(struct cf_arena *arena, const char *scientific, long zeros)
{
    char digits[24];
    size_t len = 0;

    for (; *scientific && *scientific != 'e' && len < sizeof digits - 1; scientific++)
        if (*scientific != '.')
            digits[len++] = *scientific;
    return cf_arena_format(arena, "%.*s%.*s", (int)len, digits, (int)zeros,
                           "0000000000000000000000");
}

struct kp_text cf_go_float(struct cf_arena *arena, double number)
{
    char digits[40];
    char *e;
    long exponent;
    long decimals;
    double size = fabs(number);

    shortest(number, digits, sizeof digits);
    e = strchr(digits, 'e');
    exponent = strtol(e + 1, NULL, 10);
    decimals = (strchr(digits, '.') ? (long)(e - strchr(digits, '.')) - 1 : 0) - exponent;
    if (size != 0 && (size < 1e-6 || size >= 1e21)) {
        *e = 0; /* encoding/json writes e-9, not e-09 */
        return cf_arena_format(arena, "%se%+ld", digits, exponent);
    }
    if (decimals >= 0)
        return cf_arena_format(arena, "%.*f", (int)decimals, number);
    return plain_digits(arena, digits, -decimals);
}

struct kp_text cf_go_float_key(struct cf_arena *arena, double number)
{
    float single = (float)number;
    char text[24];
    int digits = 0;
    int exponent;

    do
        snprintf(text, sizeof text, "%.*e", digits++, (double)single);
    while (strtof(text, NULL) != single); /* NOLINT: exact by design; nine digits are always */
    if (isinf(single))
        return text[0] == '-' ? KP_TEXT("-.inf") : KP_TEXT(".inf");
    exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 6)
        return cf_arena_text(arena, kp_text_of(text));
    digits -= exponent + 1;
    return cf_arena_format(arena, "%.*f", digits > 0 ? digits : 0, (double)single);
}
