/* divergences.h: what differed from the real kubelet, and what became of it, by id (O-72, F-50). */
#pragma once

#include "conformance/text/arena.h"
#include "conformance/text/out.h"

/*
 * Put a row of conformance/oracle/divergences.md, which is built in: what was seen, on which
 * minors, and the outcome.
 *
 * id:       in capitals or not.
 * Returns:  false: no row has it, or there is no memory.
 */
bool cf_put_divergence(struct cf_out *out, struct cf_arena *arena, const char *id);
