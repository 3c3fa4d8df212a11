/*
 * worlds.h: the common worlds in plain words: a slow start, a hang, slow answers, an outage.
 */
#ifndef CF_WORLDS_H
#define CF_WORLDS_H

#include "conformance/simulate/sim_script.h"
#include "conformance/text/out.h"

enum cf_world_word {
    CF_STARTS_IN,  /* of each instance: refuses until so old */
    CF_HANGS_AT,   /* from then on the instance answers nothing, and ignores SIGTERM */
    CF_ANSWERS_IN, /* each answer takes so long */
    CF_DOWN_FOR,   /* once, from CF_HANGS_AT or CF_DOWN_AT_NS on, it answers nothing for so long */
    CF_WORLD_WORDS
};

#define CF_DOWN_AT_NS (300 * KP_NS_PER_S)

/* One container's world: KP_NEVER where nothing was said. */
struct cf_container_world {
    int64_t ns[CF_WORLD_WORDS];
    int64_t
        hangs; /* of a hang without an end: the number of the instance that does; 0: not known */
};

struct cf_worlds {
    struct cf_container_world *containers; /* of each of the pod's containers */
    size_t count;
    bool any;
};

/* "90s" or "api=90s", as the option `word` has it. */
struct cf_world_said {
    enum cf_world_word word;
    struct kp_text container; /* empty: each that has a probe */
    int64_t ns;
};

/*
 * What was said of a pod's containers.
 *
 * Returns: KP_OK; KP_ENOMEM; KP_EINPUT: *unknown is a container that the pod has not, or that has
 * no probe.
 */
KP_MUST_USE enum kp_err cf_worlds_make(struct cf_arena *arena, const struct kp_pod *pod,
                                       const struct cf_world_said *said, size_t said_count,
                                       struct cf_worlds *out, struct kp_text *unknown);

/* Lay them over a script. */
KP_MUST_USE enum kp_err cf_worlds_play(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct kp_pod *pod, const struct cf_worlds *worlds,
                                       struct fake_script *script);

/* "api answers 90 s after its start", a sentence without its end; nothing where nothing was said.
 */
void cf_world_put(struct cf_out *out, struct kp_text container,
                  const struct cf_container_world *world);

#endif
