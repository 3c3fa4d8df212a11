/*
 * rig_clock.h: the clock that tests of handlers give to the set and to libcurl, so that no busy
 * machine is taken for a late one; core/handlers/clock_test.c interposes it on the system's.
 */
#pragma once

#include "core/handlers/handler.h"

#include <stddef.h>
#include <stdint.h>

/* Real time; or it stands, but for waits that nothing ended and a microsecond for each look; or
 * such waits last no real time, and naps pass on it, too. */
enum rig_clock_mode { RIG_CLOCK_RUNS, RIG_CLOCK_STANDS, RIG_CLOCK_LEAPS };

/* What ends by itself ends long before this, however busy the machine is. */
#define RIG_PATIENCE_NS (300 * KP_NS_PER_S)

/* It goes on from what it shows; RIG_CLOCK_RUNS is the system's own again. */
void rig_clock_set(enum rig_clock_mode mode);

/* So much later it is at once. */
void rig_clock_pass(int64_t ns);

/* How often the set has looked for something to do, and the longest wait that nothing ended, since
 * it was set. */
size_t rig_clock_turns(void);
int64_t rig_clock_longest_wait_ns(void);
