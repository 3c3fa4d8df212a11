/* why_change.h: what the engine makes of a verdict, in a line each, and what to change. */
#pragma once

#include "conformance/why/why_put.h"

/* Whether a probe can have ended it, by the engine's instants; empty: nothing to say. */
struct kp_text cf_why_of_probe(struct cf_arena *arena, const struct cf_why *why);
/* Lines of at most 68 columns, and YAML to paste behind them; empty: nothing. */
struct kp_text cf_why_change(struct cf_arena *arena, const struct cf_why *why);
