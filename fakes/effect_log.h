/* effect_log.h: effects as short lines of text, for tests to compare. */
#pragma once

#include "core/model/trace.h"

struct fake_effect_log {
    char text[16384];
    size_t len;
    uint32_t last_n; /* of the newest attempt */
    size_t count;
};

/*
 * A sink that appends a line per effect: "probe app/liveness c1 2", "result app/startup c1
 * unknown", "ready app true", "event app Unhealthy Liveness probe failed: x", each with its rule at
 * the end.
 */
struct kp_sink fake_effect_log_sink(struct fake_effect_log *log);
/* What was emitted since the last call, without the last line's end; "" is nothing. */
struct kp_text fake_effect_log_take(struct fake_effect_log *log);
