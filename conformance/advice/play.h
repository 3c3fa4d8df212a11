/*
 * play.h: one container of a pod, played by the engine in a world of few words, and what was seen
 * of it.
 */
#ifndef CF_PLAY_H
#define CF_PLAY_H

#include "conformance/text/arena.h"
#include "core/rules/profile.h"
#include "fakes/world.h"

enum cf_manner {
    CF_PASSES,
    CF_FAILS, /* from the age at_ns on, at once */
    CF_HANGS, /* from the age at_ns on no answer comes: attempts end at their timeout, if they do */
    CF_RISES, /* up to the age at_ns attempts fail at once, then they pass */
    CF_LOSES  /* from the age at_ns on `lost` attempts fail, or all for so long; then they pass */
};

/* Ages are those of each instance; all numbers may stay 0. */
struct cf_play_world {
    enum cf_manner manner;
    int64_t at_ns;
    int64_t lost;                /* LOSES: so many attempts, each at once; 0: all ... */
    int64_t for_ns;              /* ... for so long */
    bool spared[KP_PROBE_TYPES]; /* these pass whatever the manner */
    int64_t takes_ns;            /* each answer that passes; beyond its timeout it is a failure */
    bool ignores_term;           /* it ends with SIGKILL; else on SIGTERM at once */
    bool exits;                  /* by itself, at the age exit_ns */
    int64_t exit_ns;
    int32_t exit_code;
    int64_t deleted_ns;  /* the pod is, at that virtual time; 0: never */
    int64_t pre_stop_ns; /* how long its preStop hook takes */
    int64_t phase_ns;    /* relists fall so long after each whole second */
    int64_t wait_ppb;    /* of its period, what each worker waits before its first turn */
    int64_t end_ns;      /* virtual time */
    bool until_killed;   /* or until that */
};

/* Restarts, one after the other. */
struct cf_loop {
    size_t wanted; /* ends the play; at most the lists' room */
    size_t count;
    int64_t *gap_ns; /* from the k-th end to the next start */
    int64_t *at_ns;  /* of that start */
};

/* Virtual times; KP_NEVER: not seen. */
struct cf_played {
    int64_t runs_ns; /* the first instance */
    int64_t ready_ns;
    int64_t unready_ns; /* after it was ready */
    int64_t ready_again_ns;
    int64_t killed_ns; /* the first kill: SIGTERM is sent */
    int64_t grace_s;   /* of it */
    enum kp_kill_reason reason;
    int64_t again_ns; /* the second instance runs */
};

/*
 * Play one container.
 *
 * loop:     gets its restarts; NULL: nobody counts them.
 * pod:      defaulted and valid, without a status; all others of its containers run and pass.
 * arena:    for the script; a play needs about a kilobyte a container.
 * Returns:  KP_OK; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_play(struct cf_arena *arena, const struct kp_profile *profile,
                                const struct kp_pod *pod, size_t index,
                                const struct cf_play_world *world, struct cf_loop *loop,
                                struct cf_played *played);

/* So many seconds; what is longer than a week is not waited for. */
int64_t cf_play_span_ns(int64_t seconds);

/* An age at which all of its probes have passed for long, shortly behind a tick that is common to
 * most; and how long after it the slowest of them has killed it. */
int64_t cf_play_settled_ns(const struct kp_container *container);
int64_t cf_play_patience_ns(const struct kp_container *container);

#endif
