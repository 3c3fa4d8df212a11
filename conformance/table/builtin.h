/*
 * builtin.h: the table that the command carries in itself, so that it needs no file beside it,
 * what differed from the real kubelet (divergences.h), and upstream's tests (index.h).
 *
 * `make` packs these files into table.def: "NAME BYTES\n" and the file, one after another, as gzip
 * leaves them; lines of YAML that are comments are empty.
 */
#pragma once

#include "conformance/text/arena.h"

/* All of it, unpacked in the arena; empty: no memory. */
struct kp_text cf_builtin_table(struct cf_arena *arena);
/* Take the next file off the front.  name: cases/FILE.yaml, table/upstream.tsv.  Returns: there
 * was one. */
bool cf_builtin_next(struct kp_text *table, struct kp_text *name, struct kp_text *text);
/* One file, in the arena; empty: no memory, or there is none of that name. */
struct kp_text cf_builtin_file(struct cf_arena *arena, const char *name);
