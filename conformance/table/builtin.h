/*
 * builtin.h: the table that the command carries in itself, so that it needs no file beside it.
 *
 * `make` packs the case files into table.def: "NAME BYTES\n" and the file, one after another, as
 * gzip leaves them.
 */
#ifndef CF_BUILTIN_H
#define CF_BUILTIN_H

#include "conformance/text/arena.h"

/* All of it, unpacked in the arena; empty: no memory. */
struct kp_text cf_builtin_table(struct cf_arena *arena);
/* Take the next file off the front.  name: below the folder of cases.  Returns: there was one. */
bool cf_builtin_next(struct kp_text *table, struct kp_text *name, struct kp_text *text);

#endif
