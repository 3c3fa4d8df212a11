/* scenario.h: bytes as a pod, a version and a world around them: each target's play in virtual
 * time.
 */
#pragma once

#include "fakes/engine_impl.h"
#include "fakes/world.h"

enum {
    SCENARIO_CONTAINERS = 3, /* an init container or a sidecar, and two regular ones */
    SCENARIO_ANSWERS = SCENARIO_CONTAINERS * KP_PROBE_TYPES + 2,
    SCENARIO_SCRIPT_EVENTS = 24,
    SCENARIO_ROUNDS =
        200 /* at one instant: of 40,000 worlds that came to rest none had more than 8 */
};

/* Bytes to be used up; behind the end there are zeros. */
struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

struct scenario {
    struct kp_profile profile;
    struct kp_pod pod;
    const struct kp_pod *pods[1];
    struct kp_container containers[SCENARIO_CONTAINERS];
    struct kp_probe probes[SCENARIO_CONTAINERS][KP_PROBE_TYPES];
    struct kp_sleep_action sleeps[SCENARIO_CONTAINERS];
    struct kp_handler sleepers[SCENARIO_CONTAINERS];
    struct kp_readiness_gate gate;
    struct fake_answers answers[SCENARIO_ANSWERS];
    struct fake_step steps[SCENARIO_ANSWERS][3];
    struct fake_behaviour behaviours[SCENARIO_CONTAINERS];
    struct fake_done starts[SCENARIO_CONTAINERS][2];
    struct fake_exit exits[SCENARIO_CONTAINERS][2];
    struct fake_stop stops[SCENARIO_CONTAINERS][2];
    struct fake_script_event script_events[SCENARIO_SCRIPT_EVENTS];
    struct fake_run run;
};

uint8_t fuzz_byte(struct fuzz_bytes *bytes);
/* From min to max. */
int64_t fuzz_number(struct fuzz_bytes *bytes, int64_t min, int64_t max);

/*
 * An integer of the API: as people write it, from least to usual; one in sixteen from all that it
 * may be, up to most: borders, powers of two and their neighbours, seconds whose nanoseconds leave
 * int64.
 */
int64_t fuzz_api_int(struct fuzz_bytes *bytes, int64_t least, int64_t usual, int64_t most);

/*
 * Read a scenario; run.impl and run.observer are left to the caller.
 *
 * scenario:    the caller's storage; points into itself afterwards.
 */
void scenario_read(struct scenario *scenario, struct fuzz_bytes *bytes);

/* Play it on the engine.  profile: another one than the scenario's own, or NULL. */
enum fake_end scenario_play(struct scenario *scenario, const struct kp_profile *profile,
                            struct fake_observer observer);
