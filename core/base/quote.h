/* quote.h: Go's quoting, for texts that come in parts. */
#pragma once

#include "text.h"

/* What stands between the quotation marks of strconv.Quote; parts may be split anywhere but inside
 * a rune. */
void kp_buf_put_escaped(struct kp_buf *buf, struct kp_text text);

/* The last `digits` hexadecimal digits of a value, in small letters. */
void kp_buf_put_hex(struct kp_buf *buf, uint32_t value, int digits);

/* The rune that a non-empty text begins with.  Returns its length in bytes; 0: it is not UTF-8. */
size_t kp_utf8_decode(struct kp_text text, uint32_t *rune);
