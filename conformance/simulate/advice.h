/*
 * advice.h: the smallest change of a pod's probes that ends kills which a world does not deserve:
 * a slow start, slow answers, an outage that passes; and of its hooks and graces (termination.h).
 *
 * Each change is verified before it is printed: the pod with it, and with those before it, is
 * played (budget.h), and nothing is killed in it whatever chance does; one step less does not
 * suffice.
 */
#pragma once

#include "conformance/pod/manifest.h"
#include "conformance/simulate/budget.h"
#include "conformance/simulate/worlds.h"

enum cf_change_kind {
    CF_CHANGE_FIELD,    /* of a probe: failureThreshold, timeoutSeconds ... */
    CF_CHANGE_PROBE,    /* a new one: as liveness, with two fields */
    CF_CHANGE_PRE_STOP, /* a hook that sleeps */
    CF_CHANGE_GRACE     /* of the pod */
};

/* One field that is changed, or a startupProbe that is added. */
struct cf_change {
    enum cf_change_kind kind;
    int container; /* of GRACE: whose hook may be shortened instead */
    enum kp_probe_type type;
    enum cf_world_word word; /* what is tolerated */
    const char *field;
    int32_t value;
    const char *note; /* behind the field, as a comment; NULL: none */
    bool optional;    /* ends no kill: it stays in its Service, or runs again sooner; in no patch */
    int64_t before_ns;                /* what tolerates_ns was */
    int64_t wanted_ns;                /* what has to be tolerated */
    int64_t late_ns;                  /* of an outage: so late a hang is seen with it, at most */
    int64_t late_before_ns;           /* and before */
    const struct kp_handler *hook;    /* of PRE_STOP: the new one, in the arena */
    const struct kp_handler *shorter; /* of GRACE: the hook that would do as well; NULL: none */
    int32_t period_s;                 /* of a probe that is added, as the next */
    int32_t timeout_s;
    int64_t tolerates_ns; /* what is tolerated with it */
    int32_t least_value;  /* of a start, whose value has a quarter to spare: without; 0: none */
    int64_t least_ns;     /* what is tolerated with that */
};

struct cf_advice {
    struct cf_change *changes;
    size_t count;
    const struct kp_pod *pod; /* with the changes of probes, but the optional ones */
    int64_t outlasts_ns; /* the slowest start that outlasts activeDeadlineSeconds; 0: none does */
};

/*
 * Find the changes that a pod needs in its worlds.
 *
 * Returns: KP_OK; KP_ENOMEM; KP_EINPUT: a world stopped, *why says for what reason.
 */
KP_MUST_USE enum kp_err cf_advice_find(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct kp_pod *pod, const struct cf_worlds *worlds,
                                       struct cf_advice *out, const char **why);

/* What is safe without the first change that ends kills: "only a start of up to 49 s is safe", in
 * the arena; empty: there is no such change. */
struct kp_text cf_advice_safe(struct cf_arena *arena, const struct cf_advice *advice);
/* Is there nothing but options in it? */
bool cf_advice_is_empty(const struct cf_advice *advice);

/* A line or two of YAML for each change, and what is tolerated with it. */
void cf_advice_put_text(struct cf_out *out, const struct kp_pod *pod,
                        const struct cf_advice *advice);

/* What a probe or hook does, as YAML: a flow mapping behind its key. */
void cf_advice_put_handler(struct cf_out *out, const struct kp_handler *handler);

/*
 * All changes as a strategic merge patch of the object that holds the pod, the optional ones as
 * comments.
 */
void cf_advice_put_patch(struct cf_out *out, const struct cf_manifest_pod *pod,
                         const struct cf_advice *advice);
