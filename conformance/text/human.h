/* human.h: spans of time, cut lines and colours, as people read them. */
#pragma once

#include "conformance/text/out.h"

#include <stdio.h>

/*
 * "0.5 s", "41 s", "5 min 30 s", "2 h 5 min": in tenths of a second below ten minutes where there
 * are some, in seconds below an hour.
 *
 * up:       rounded up; else down.
 */
void cf_put_duration(struct cf_out *out, int64_t ns, bool up);
/* The same of whole seconds, as many as the API takes; those beyond int64's nanoseconds, and
 * negative ones, as they are: "9223372037 s". */
void cf_put_seconds(struct cf_out *out, int64_t seconds);
/* The same with seconds from an hour on, too: "1 h 21 s". */
void cf_put_exact(struct cf_out *out, int64_t ns, bool up);
/* "11 to 16 s", "105 to 126 s", "1 min 45 s to 12 min": the first rounded down, the second up; only
 * one where they are the same. */
void cf_put_duration_range(struct cf_out *out, int64_t from_ns, int64_t to_ns);

/* As wide as a line is that a person reads, where no terminal says otherwise. */
enum { CF_COLUMNS = 80 };

/* Columns that a text takes: its characters. */
size_t cf_columns_of(struct kp_text text);
/* Cuts each line, from `from` to the end of what was written, to so many columns, … as the last. */
void cf_cut_lines(struct cf_out *out, size_t from, size_t columns);

/* The same, but what has no room goes on in a line of its own, two columns further in; a longer
 * word stays whole. */
void cf_fold_lines(struct cf_out *out, size_t from, size_t columns);

/* Words in lines of at most 79 columns; the first begins so many columns in, the others `indent`.
 */
void cf_put_wrapped(struct cf_out *out, size_t first, size_t indent, struct kp_text text);

/* The same, in lines of so many columns. */
void cf_put_prose(struct cf_out *out, size_t columns, struct kp_text text);
/* "  name      text" and an end of line, folded: the text's lines begin in one column. */
void cf_put_named(struct cf_out *out, const char *name, struct kp_text text);

/* What --color says; auto: where stdout is a terminal and NO_COLOR is not set. */
enum cf_colour { CF_COLOUR_AUTO, CF_COLOUR_ALWAYS, CF_COLOUR_NEVER };
/*
 * Write an answer to stdout: kills in red, back-off in yellow, titles in bold, where colours are
 * used.
 *
 * Returns: as cf_write_out.
 */
int cf_write_answer(const char *command, enum cf_colour colour, struct kp_text text);

/* Where a text has rules' ids in brackets, the line that explains those it shows first, to be
 * pasted: "rules: probetest explain S-130 S-301", of at most 80 columns. */
void cf_put_legend(struct cf_out *out);

/* How wide a stream's terminal is; 80 where it is none. */
size_t cf_terminal_columns(FILE *stream);

/* A cell of so many columns, cut or filled up, and a space. */
void cf_put_cell(struct cf_out *out, struct kp_text text, size_t columns);
