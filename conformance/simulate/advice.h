/*
 * advice.h: the smallest change of a pod's probes that ends kills which a world does not deserve:
 * a slow start, slow answers, an outage that passes.
 *
 * Each change is verified before it is told: the pod with it is played (budget.h), and the world is
 * borne in whatever way chance falls; one step less is not.
 */
#ifndef CF_ADVICE_H
#define CF_ADVICE_H

#include "conformance/simulate/budget.h"
#include "conformance/simulate/worlds.h"

/* One field that is changed, or a startupProbe that is added. */
struct cf_change {
    int container;
    enum kp_probe_type type;
    enum cf_world_word word; /* what is borne */
    bool adds;               /* the probe is new: as liveness, with these two fields */
    const char *field;       /* failureThreshold or timeoutSeconds */
    int32_t value;
    int32_t period_s; /* of a probe that is added */
    int64_t bears_ns; /* what is borne with it */
};

struct cf_advice {
    struct cf_change *changes;
    size_t count;
};

/*
 * Find the changes that a pod needs in its worlds.
 *
 * Returns: KP_OK; KP_ENOMEM; KP_EINPUT: a world stopped, *why says for what reason.
 */
KP_MUST_USE enum kp_err cf_advice_find(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct kp_pod *pod, const struct cf_worlds *worlds,
                                       struct cf_advice *out, const char **why);

/* A line or two of YAML for each change, and what it bears. */
void cf_advice_put_text(struct cf_out *out, const struct kp_pod *pod,
                        const struct cf_advice *advice);

/*
 * All changes as a strategic merge patch of the object that holds the pod.
 *
 * path:     of the pod in it: "spec.template", or "" for a Pod itself.
 */
void cf_advice_put_patch(struct cf_out *out, const struct kp_pod *pod, struct kp_text path,
                         const struct cf_advice *advice);

#endif
