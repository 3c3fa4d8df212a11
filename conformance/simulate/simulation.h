/*
 * simulation.h: one container of a pod, played again and again until something is seen.
 *
 * Its probes pass until an instant or an age, and from then on they hang or fail; how it takes
 * SIGTERM, and all that a node leaves to chance, is prescribed.
 */
#pragma once

#include "conformance/simulate/budget.h"
#include "conformance/simulate/sim_script.h"

#define CF_KUBELET_DOWN_NS KP_NS_PER_S
enum { CF_ASKED_MAX = 48 };

enum cf_health {
    CF_PASSES,
    CF_HANGS,          /* from at_ns on no answer comes */
    CF_FAILS,          /* from at_ns on, at once */
    CF_REFUSES,        /* from at_ns on as a port refuses that nobody listens on */
    CF_STARTS_SLOWLY,  /* refuses so until the age at_ns of each instance, passes from then on */
    CF_ANSWERS_SLOWLY, /* from at_ns on each answer passes and takes takes_ns */
    CF_FAILS_A_WHILE   /* from at_ns on `lost` answers fail, or 0: all for for_ns; then it passes */
};

/* What is looked for; what is seen first of it, from from_ns on, ends a play. */
enum cf_observation {
    CF_SEEN_PROBE, /* the first attempt of `type` on the running instance */
    CF_SEEN_STARTED,
    CF_SEEN_READY,
    CF_SEEN_READY_LAST, /* the last of them until the end of the play */
    CF_SEEN_UNREADY,
    CF_SEEN_RESULT, /* liveness, or startup, has failed often enough */
    CF_SEEN_KILLED,
    CF_SEEN_AGAIN,   /* a new instance is started */
    CF_SEEN_RUNNING, /* its status says that it runs: from then on its workers probe */
    CF_OBSERVATIONS
};

/* Restarts, one after the other. */
struct cf_loop {
    size_t wanted; /* ends the play; at most the lists' room */
    size_t count;
    int64_t *gap_ns;    /* from the k-th end to the next start */
    int64_t *window_ns; /* the back-off between the k-th end and the next start; 0: none */
    int64_t *or_ns;     /* the other one that chance may make of it; KP_NEVER: none */
    int64_t *at_ns;     /* of that start */
};

struct cf_world {
    struct cf_draws draws;
    enum cf_health health;
    int64_t at_ns;
    bool at_age; /* at_ns counts from where each instance runs */
    int64_t lost;
    int64_t for_ns;
    bool spared[KP_PROBE_TYPES]; /* these pass whatever its health */
    int64_t takes_ns;
    bool ignores_term; /* it ends with SIGKILL; else stops_ns after SIGTERM */
    int64_t stops_ns;
    const int32_t *stop_code; /* NULL: 143 */
    bool exits;               /* by itself, at the age exit_ns */
    int64_t exit_ns;
    int32_t exit_code;
    struct cf_loop *loop;      /* gets its restarts; NULL: nobody counts them */
    int64_t restarts_ns;       /* the kubelet is restarted then; 0: never */
    int64_t touched_ns;        /* the pod's object is changed then, which is a sync; 0: never */
    int64_t deleted_ns;        /* the pod is; 0: never */
    int64_t from_ns;           /* observations before are not looked at */
    enum cf_observation until; /* not CF_OBSERVATIONS: ends the play */
    enum kp_probe_type type;   /* of CF_SEEN_PROBE */
    int64_t end_ns;
};

struct cf_seen {
    int64_t runs_ns;                /* the first instance */
    int64_t at_ns[CF_OBSERVATIONS]; /* first from from_ns on; KP_NEVER */
    enum kp_rule rule[CF_OBSERVATIONS];
    int64_t first_probe_ns[KP_PROBE_TYPES]; /* first of the first instance */
    int64_t last_ns[KP_PROBE_TYPES];        /* before the kill, or the end */
    int64_t answers; /* to attempts of `type` from from_ns on, until `until` is seen */
    int64_t grace_s; /* of the kill */
    enum kp_kill_reason reason;
    int32_t exit_code;                                 /* of the first instance; -1: it runs */
    int64_t attempts_ns[KP_PROBE_TYPES][CF_ASKED_MAX]; /* attempts from from_ns on */
    int attempt_count[KP_PROBE_TYPES];
};

/* Memory of one play after another: given back all at once, when the next begins. */
struct cf_scratch {
    struct kp_mem mem;
    const struct kp_mem *below;
    char *block;
    size_t used;
    void **more; /* what did not fit, each with a link to the one before */
};

/* What its plays have in common. */
struct cf_simulation {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    int container;
    struct fake_script script; /* what goes for all plays */
    struct fake_answers *answers;
    struct fake_behaviour *behaviours;
    struct kp_pod probed;  /* the pod, without activeDeadlineSeconds: what its probes do */
    struct kp_pod touched; /* the same, of another object */
    struct cf_scratch scratch;
    size_t plays;
    const char *why; /* of KP_EINPUT */
};

/*
 * Begin one; simulation->container says whose, and may be changed between plays.
 *
 * arena:    holds what all plays have in common.
 * Returns:  KP_OK or KP_ENOMEM; in both cases cf_simulation_deinit gives the plays' memory back.
 */
KP_MUST_USE enum kp_err cf_simulation_init(struct cf_simulation *simulation, struct cf_arena *arena,
                                           const struct kp_profile *profile,
                                           const struct kp_pod *pod);

void cf_simulation_deinit(struct cf_simulation *simulation);

/*
 * Is the probe ever sent?  Without its port (E-010), or over gRPC in a version that has it off
 * (P-125), each attempt is an error.
 */
bool cf_simulation_asks(const struct cf_simulation *simulation, enum kp_probe_type type);

/*
 * Play.
 *
 * Returns:  KP_OK; KP_ENOMEM; KP_EINPUT: the world stopped, simulation->why says for what reason.
 */
KP_MUST_USE enum kp_err cf_simulation_play(struct cf_simulation *simulation,
                                           const struct cf_world *world, struct cf_seen *seen);
