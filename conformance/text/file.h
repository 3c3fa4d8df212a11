/* file.h: a whole file in memory. */
#pragma once

#include "conformance/text/arena.h"

/*
 * Read a file, or standard input where the name is "-"; what gzip packed is unpacked.
 *
 * bytes_max: more is refused.
 * out:       in the arena; of a file that is larger, its length as far as it was read.
 * Returns:   NULL, or why not: text for people, in the arena.
 */
const char *cf_file_read(struct cf_arena *arena, const char *name, size_t bytes_max,
                         struct kp_text *out);
