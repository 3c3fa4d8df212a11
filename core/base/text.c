#include "text.h"

#include <string.h>

uint64_t kp_text_hash(uint64_t hash, struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

bool kp_text_begins(struct kp_text text, const char *prefix)
{
    size_t len = strlen(prefix);

    return text.len >= len && (len == 0 || memcmp(text.bytes, prefix, len) == 0);
}

bool kp_text_ends(struct kp_text text, const char *suffix)
{
    size_t len = strlen(suffix);

    return text.len >= len && kp_text_equal(kp_text_from(text, text.len - len), kp_text_of(suffix));
}

size_t kp_text_find(struct kp_text text, struct kp_text part)
{
    for (size_t i = 0; part.len > 0 && i + part.len <= text.len; i++)
        if (memcmp(text.bytes + i, part.bytes, part.len) == 0)
            return i;
    return text.len;
}

struct kp_text kp_text_trim(struct kp_text text, const char *blanks)
{
    size_t count = strlen(blanks);

    while (text.len > 0 && memchr(blanks, text.bytes[text.len - 1], count))
        text.len--;
    while (text.len > 0 && memchr(blanks, text.bytes[0], count))
        text = kp_text_from(text, 1);
    return text;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool kp_text_equal_any_case(struct kp_text text, const char *word)
{
    if (text.len != strlen(word))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (lower(text.bytes[i]) != lower(word[i]))
            return false;
    return true;
}

bool kp_text_is_one_of(struct kp_text text, const char *const *words)
{
    for (; *words; words++)
        if (kp_text_equal(text, kp_text_of(*words)))
            return true;
    return false;
}

bool kp_text_cut(struct kp_text text, char c, struct kp_text *head, struct kp_text *tail)
{
    const char *at = text.len > 0 ? memchr(text.bytes, c, text.len) : NULL;

    *head = text;
    *tail = KP_TEXT("");
    if (!at)
        return false;
    head->len = (size_t)(at - text.bytes);
    *tail = (struct kp_text){at + 1, text.len - head->len - 1};
    return true;
}

bool kp_text_next_line(struct kp_text *left, struct kp_text *line)
{
    const char *end;

    if (left->len == 0)
        return false;
    end = memchr(left->bytes, '\n', left->len);
    *line = (struct kp_text){left->bytes, end ? (size_t)(end - left->bytes) : left->len};
    left->bytes += line->len + (end != NULL);
    left->len -= line->len + (end != NULL);
    return true;
}

size_t kp_text_count_lines(struct kp_text text)
{
    size_t count = 1;

    for (size_t i = 0; i < text.len; i++)
        count += text.bytes[i] == '\n';
    return count;
}

size_t kp_text_digits(struct kp_text text)
{
    size_t count = 0;

    while (count < text.len && kp_is_digit(text.bytes[count]))
        count++;
    return count;
}

bool kp_text_number(struct kp_text text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;

    if (text.len == 0 || kp_text_digits(text) < text.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)(text.bytes[i] - '0');

        if (value > most / 10 || digit > most - 10 * value)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

int kp_hex_value(char c)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = memchr(digits, c, sizeof digits - 1);
    int value = at ? (int)(at - digits) : -1;

    return value < 16 ? value : value - 6;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void kp_buf_put(struct kp_buf *buf, struct kp_text text)
{
    size_t fits = least(text.len, buf->cap - least(buf->need, buf->cap));

    if (fits > 0)
        memcpy(buf->bytes + buf->need, text.bytes, fits);
    buf->need += text.len;
}

void kp_buf_put_char(struct kp_buf *buf, char c)
{
    if (buf->need < buf->cap)
        buf->bytes[buf->need] = c;
    buf->need++;
}

void kp_buf_put_int(struct kp_buf *buf, int64_t number)
{
    char digits[sizeof "18446744073709551615"];
    size_t at = sizeof digits;
    bool negative = number < 0;
    uint64_t rest = negative ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (negative)
        kp_buf_put_char(buf, '-');
    kp_buf_put(buf, (struct kp_text){digits + at, sizeof digits - at});
}

/* The fraction of a unit, without trailing zeros: 1500 of 1000 gives "1.5". */
static void put_fraction(struct kp_buf *buf, uint64_t value, uint64_t unit)
{
    uint64_t rest = value % unit;

    kp_buf_put_int(buf, (int64_t)(value / unit));
    if (rest == 0)
        return;
    kp_buf_put_char(buf, '.');
    while (rest > 0) {
        unit /= 10;
        kp_buf_put_char(buf, (char)('0' + rest / unit));
        rest %= unit;
    }
}

static void put_below_second(struct kp_buf *buf, uint64_t ns)
{
    if (ns == 0) {
        kp_buf_put(buf, KP_TEXT("0s"));
    } else if (ns < 1000) {
        put_fraction(buf, ns, 1);
        kp_buf_put(buf, KP_TEXT("ns"));
    } else if (ns < 1000000) {
        put_fraction(buf, ns, 1000);
        kp_buf_put(buf, KP_TEXT("\302\265s"));
    } else {
        put_fraction(buf, ns, 1000000);
        kp_buf_put(buf, KP_TEXT("ms"));
    }
}

void kp_buf_put_duration(struct kp_buf *buf, int64_t duration_ns)
{
    const uint64_t second = 1000000000;
    bool negative = duration_ns < 0;
    uint64_t ns = negative ? 0 - (uint64_t)duration_ns : (uint64_t)duration_ns;
    uint64_t minutes = ns / (60 * second);

    if (negative)
        kp_buf_put_char(buf, '-');
    if (ns < second) {
        put_below_second(buf, ns);
        return;
    }
    if (minutes >= 60) {
        kp_buf_put_int(buf, (int64_t)(minutes / 60));
        kp_buf_put_char(buf, 'h');
    }
    if (minutes > 0) {
        kp_buf_put_int(buf, (int64_t)(minutes % 60));
        kp_buf_put_char(buf, 'm');
    }
    put_fraction(buf, ns % (60 * second), second);
    kp_buf_put_char(buf, 's');
}

struct kp_text kp_buf_text(const struct kp_buf *buf)
{
    return (struct kp_text){buf->bytes, least(buf->need, buf->cap)};
}
