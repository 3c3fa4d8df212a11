/*
 * yaml_flow.h: what libyaml takes otherwise than go-yaml in flow collections.
 *
 * A plain scalar of go-yaml may end in a colon there (`{name: Host:, value: v}`), which libyaml
 * refuses; such a colon is hidden from it behind a character that the document does not have.  A
 * question mark ends one (`{path: /a?b}` is refused), which libyaml takes.
 */
#pragma once

#include "conformance/text/arena.h"

#define CF_COLONS_BYTES_MAX ((size_t)32 * 1024 * 1024) /* to read of a document, by all tries */

struct cf_colons {
    struct kp_text bytes; /* the document, with what was hidden so far */
    char stand_in[4];     /* the first of U+E000 to U+F8FF that it does not have; "": none yet */
    size_t read_bytes;    /* by all tries so far */
};

/*
 * Hide the colon there.
 *
 * index:    counted in characters, as libyaml does.
 * Returns:  false: no colon stands there, no character is left to stand in for it, or the document
 *           was read so often already that it is refused as it is; or arena->failed.
 */
bool cf_colons_hide(struct cf_colons *colons, struct cf_arena *arena, size_t index);
/* With the colons that were hidden; in the arena where there are any. */
struct kp_text cf_colons_show(const struct cf_colons *colons, struct cf_arena *arena,
                              struct kp_text text);

/* Where a character stands; bytes.len: nowhere. */
size_t cf_flow_offset(struct kp_text bytes, size_t index);
