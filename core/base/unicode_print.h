/* unicode_print.h: which runes Go prints as themselves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* As Go's strconv.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
bool kp_unicode_is_print(uint32_t rune);
