/* why_restarts.h: whether the restarts and waits that a pod shows are those of the engine. */
#pragma once

#include "conformance/why/why_put.h"

/* "1m40s": whole seconds. */
struct kp_text cf_why_span(struct cf_arena *arena, int64_t span_ns);

/* Whether the wait for the next start agrees with the engine's; empty: nothing to compare. */
struct kp_text cf_why_of_restarts(struct cf_arena *arena, const struct cf_why *why);
/* Whether so many restarts fit into the time that there was; empty: nothing to compare. */
struct kp_text cf_why_of_count(struct cf_arena *arena, const struct cf_why *why);
