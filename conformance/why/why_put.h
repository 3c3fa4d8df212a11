/* why_put.h: a verdict in about ten lines, and what to change; or as JSON. */
#pragma once

#include "conformance/text/out.h"
#include "conformance/why/why_play.h"

/* What is printed of one container. */
struct cf_why {
    const struct cf_histories *all;
    const struct cf_history *history;
    struct cf_verdict verdict;
    struct cf_loop loop; /* as the engine restarts a container that always ends so; or none */
};

void cf_why_put_text(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why);
/* One object, a line. */
void cf_why_put_json(struct cf_arena *arena, struct cf_out *out, const struct cf_why *why);
