/* scene.h: bytes as a pod, a version and a world around them: each target's play in virtual time.
 */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

#include "fakes/engine_impl.h"
#include "fakes/world.h"

enum {
    SCENE_CONTAINERS = 3, /* an init container or a sidecar, and two regular ones */
    SCENE_ANSWERS = SCENE_CONTAINERS * KP_PROBE_TYPES + 2,
    SCENE_HAPPENINGS = 24,
    SCENE_ROUNDS = 200 /* at one instant: of 40,000 worlds that came to rest none had more than 8 */
};

/* Bytes to be used up; behind the end there are zeros. */
struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

struct scene {
    struct kp_profile profile;
    struct kp_pod pod;
    const struct kp_pod *pods[1];
    struct kp_container containers[SCENE_CONTAINERS];
    struct kp_probe probes[SCENE_CONTAINERS][KP_PROBE_TYPES];
    struct kp_readiness_gate gate;
    struct fake_answers answers[SCENE_ANSWERS];
    struct fake_step steps[SCENE_ANSWERS][3];
    struct fake_behaviour behaviours[SCENE_CONTAINERS];
    struct fake_done starts[SCENE_CONTAINERS][2];
    struct fake_exit exits[SCENE_CONTAINERS][2];
    struct fake_stop stops[SCENE_CONTAINERS][2];
    struct fake_happening happenings[SCENE_HAPPENINGS];
    struct fake_run run;
};

uint8_t fuzz_byte(struct fuzz_bytes *bytes);
/* From min to max. */
int64_t fuzz_number(struct fuzz_bytes *bytes, int64_t min, int64_t max);

/*
 * Read a scene; run.impl and run.observer are left to the caller.
 *
 * scene:    the caller's storage; points into itself afterwards.
 */
void scene_read(struct scene *scene, struct fuzz_bytes *bytes);

/* Play it on the engine.  profile: another one than the scene's own, or NULL. */
enum fake_end scene_play(struct scene *scene, const struct kp_profile *profile,
                         struct fake_observer observer);

#endif
