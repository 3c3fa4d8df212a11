/*
 * worst_case.h: how early and how late a pod's containers are killed and started, over all that the
 * kubelet leaves to chance.
 *
 * Every combination of the draws is played: where in a second relists and sync ticks fall, how long
 * a worker waits before its first doProbe, how long requeues are drawn out, which part of a second
 * the wall clock shows.  What the containers do is the script's and the same in all plays.
 */
#pragma once

#include "conformance/simulate/sim_script.h"
#include "conformance/text/out.h"
#include "core/rules/profile.h"

enum { CF_WORST_CASE_KILLS_MAX = 8 }; /* of each container; later ones are not reported */

enum cf_chance {
    CF_CHANCE_PHASE,
    CF_CHANCE_LIVENESS_WAIT,
    CF_CHANCE_STARTUP_WAIT,
    CF_CHANCE_REQUEUE,
    CF_CHANCE_WALL,
    CF_CHANCES
};

/* The n-th kill or start of a container. */
struct cf_worst_case_row {
    int container;
    bool start;
    int n;               /* from 1; starts are counted as restarts, from 1 */
    int64_t earliest_ns; /* KP_NEVER: in no play */
    int64_t usual_ns;    /* as a plain simulation has it; KP_NEVER: not at all */
    int64_t latest_ns;   /* KP_NEVER: in some play not before the end */
};

/* What one chance does by itself, all others as usual. */
struct cf_worst_case_share {
    bool matters;     /* it has more than one value for this pod and version */
    int64_t from_ns;  /* the first kill comes so much earlier (negative) ... */
    int64_t to_ns;    /* ... or later */
    int64_t kills_ns; /* where usually there is none, the first comes then; KP_NEVER */
    bool spares;      /* where usually there is one, there is none */
};

struct cf_worst_case {
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    int64_t end_ns;
    struct cf_worst_case_row *rows;
    size_t row_count;
    struct cf_worst_case_share shares[CF_CHANCES];
    bool kills;               /* in the usual play some container is killed */
    int earliest[CF_CHANCES]; /* the draws of the earliest first kill; kills */
    int latest[CF_CHANCES];
    size_t plays;
};

/*
 * Play them all.
 *
 * worst:    profile, pod and end are set; the rest is filled in here, in the arena.
 * Returns:  KP_OK; KP_ENOMEM; KP_EINPUT: the world stopped, *why says for what reason.
 */
KP_MUST_USE enum kp_err cf_worst_case_play(struct cf_arena *arena, const struct fake_script *script,
                                           struct cf_worst_case *worst, const char **why);

/* The rules that leave it to chance: "S-002 S-020". */
const char *cf_chance_rules(const struct kp_profile *profile, enum cf_chance chance);
/* What a draw is: ms of a second, percent of the period or of the half. */
int cf_chance_value(enum cf_chance chance, int draw);
/* "kill 1", "restart 2" */
void cf_worst_case_row_name(const struct cf_worst_case_row *row, char *bytes, size_t size);

/* Lines of at most so many columns, behind a head. */
void cf_worst_case_put_text(struct cf_out *out, struct kp_text head,
                            const struct cf_worst_case *worst, size_t columns);
void cf_worst_case_put_json(struct cf_out *out, const struct cf_worst_case *worst);
