/* quote.c: strconv.Quote, over parts. */
#include "quote.h"
#include "text.h"

#include "unicode_print.h"

static const char hex_digits[] = "0123456789abcdef";

void kp_buf_put_hex(struct kp_buf *buf, uint32_t value, int digits)
{
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        kp_buf_put_char(buf, hex_digits[value >> shift & 0xf]);
}

size_t kp_utf8_decode(struct kp_text text, uint32_t *rune)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text.bytes;
    size_t len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    if (len == 0 || len > text.len || at[0] > 0xf4)
        return 0;
    *rune = len == 1 ? at[0] : at[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *rune = *rune << 6 | (at[i] & 0x3fu);
    }
    return *rune < least[len] || *rune > 0x10ffff || (*rune >= 0xd800 && *rune < 0xe000) ? 0 : len;
}

/* A rune that Go does not print as itself: \a \b \f \n \r \t \v, else by its number. */
static void put_unprintable(struct kp_buf *buf, uint32_t rune)
{
    static const char named[] = "abtnvfr"; /* 7 to 13 */

    kp_buf_put_char(buf, '\\');
    if (rune >= 7 && rune <= 13) {
        kp_buf_put_char(buf, named[rune - 7]);
    } else if (rune <= 0x7f) {
        kp_buf_put_char(buf, 'x');
        kp_buf_put_hex(buf, rune, 2);
    } else {
        bool wide = rune > 0xffff;

        kp_buf_put_char(buf, wide ? 'U' : 'u');
        kp_buf_put_hex(buf, rune, wide ? 8 : 4);
    }
}

void kp_buf_put_escaped(struct kp_buf *buf, struct kp_text text)
{
    while (text.len > 0) {
        uint32_t rune = 0;
        size_t len = kp_utf8_decode(text, &rune);

        if (len == 0) {
            kp_buf_put(buf, KP_TEXT("\\x"));
            kp_buf_put_hex(buf, (unsigned char)text.bytes[0], 2);
            len = 1;
        } else if (rune == '"' || rune == '\\') {
            kp_buf_put_char(buf, '\\');
            kp_buf_put_char(buf, (char)rune);
        } else if (kp_unicode_is_print(rune)) {
            kp_buf_put(buf, (struct kp_text){text.bytes, len});
        } else {
            put_unprintable(buf, rune);
        }
        text.bytes += len;
        text.len -= len;
    }
}

void kp_buf_put_quoted(struct kp_buf *buf, struct kp_text text)
{
    kp_buf_put_char(buf, '"');
    kp_buf_put_escaped(buf, text);
    kp_buf_put_char(buf, '"');
}
