/*
 * worlds.h: the common worlds in plain words: a slow start, a hang, slow answers, an outage, a
 * deletion.
 */
#pragma once

#include "conformance/simulate/sim_script.h"
#include "conformance/text/out.h"

enum cf_world_word {
    CF_STARTS_IN,   /* of each instance: refuses until so old */
    CF_HANGS_AT,    /* from then on the instance answers nothing, and ignores SIGTERM */
    CF_ANSWERS_IN,  /* each answer takes so long */
    CF_DOWN_FOR,    /* once, for so long: with CF_HANGS_AT that hang lasts, and SIGTERM is heeded
                       behind it; else no instance answers from CF_DOWN_AT_NS on */
    CF_STOPS_IN,    /* from SIGTERM to its end */
    CF_TRAFFIC_FOR, /* so long after the pod's deletion requests still come */
    CF_DELETED_AT,  /* the pod is; said of all containers */
    CF_WORLD_WORDS
};

#define CF_DOWN_AT_NS (300 * KP_NS_PER_S)

#define CF_NONE_HANGS (-1) /* none ran by then */

/* One container's world: KP_NEVER where nothing was said. */
struct cf_container_world {
    int64_t ns[CF_WORLD_WORDS];
    int64_t hangs;    /* of a hang: the number of the instance that does; 0: not known */
    int ignored_kill; /* which of its kills finds it hanging, from 1; 0: none */
};

struct cf_worlds {
    struct cf_container_world *containers; /* of each of the pod's containers */
    size_t count;
    bool any;
    bool unseen;        /* something was said of probes, and no container has one */
    int64_t deleted_ns; /* as said, or CF_DOWN_AT_NS where no other word ends a container */
};

/* "90s" or "api=90s", as the option `word` has it. */
struct cf_world_said {
    enum cf_world_word word;
    struct kp_text container; /* empty: each of which the word can be said */
    int64_t ns;
};

/*
 * What was said of a pod's containers.
 *
 * Returns: KP_OK; KP_ENOMEM; KP_EINPUT: *unknown is a container that the pod has not, or that has
 * no probe (words of probes), or is one that ends by itself (words of a deletion).
 */
KP_MUST_USE enum kp_err cf_worlds_make(struct cf_arena *arena, const struct kp_pod *pod,
                                       const struct cf_world_said *said, size_t said_count,
                                       struct cf_worlds *out, struct kp_text *unknown);

/* Apply them to a script. */
KP_MUST_USE enum kp_err cf_worlds_apply(struct cf_arena *arena, const struct kp_profile *profile,
                                        const struct kp_pod *pod, const struct cf_worlds *worlds,
                                        struct fake_script *script);

/* Does something of it begin when a play that ends then is over?  *option: what was said. */
bool cf_worlds_is_late(const struct cf_worlds *worlds, int64_t end_ns, const char **option);

/* Is the word of what comes after SIGTERM or a deletion? */
bool cf_world_word_ends(enum cf_world_word word);

/*
 * ": api starts in 35 s; db hangs at 10 min", without a name where there is one container; nothing
 * where nothing was said.
 *
 * columns:  what does not fit behind the line that was begun stands on one of its own.
 */
void cf_worlds_put(struct cf_out *out, const struct kp_pod *pod, const struct cf_worlds *worlds,
                   size_t columns);
