/*
 * print.h: the one place where text that others wrote is written to a person: what a terminal would
 * obey is shown instead.
 *
 * Shown are control characters (ESC as \u001b, as JSON writes it, so that JSON stays what it is),
 * those that turn the direction of writing, and bytes that are no UTF-8 (\xff).
 */
#pragma once

#include "conformance/text/out.h"

#include <stdarg.h>
#include <stdio.h>

/* A line's worth of it: a line end and a tab are shown, too, as \n and \t. */
void cf_out_put_shown(struct cf_out *out, struct kp_text text);

/*
 * printf, in which each %s and %.*s is shown so and the format stands as it is.
 *
 * format:  of conversions s (flag -, width, .*) and c, d, x, zu, lld, llx.
 */
void cf_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cf_vprint(FILE *to, const char *format, va_list *arguments);

/* What a terminal shall obey, from us alone: a colour from here on ("31"; "0": none); NULL:
 * nothing. */
void cf_print_colour(FILE *to, const char *colour);

/* Whole lines: line ends and tabs stand as they are.  Returns: false: not written in full. */
bool cf_print_text(FILE *to, struct kp_text text);
