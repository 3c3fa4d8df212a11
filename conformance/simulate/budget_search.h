/*
 * budget_search.h: in which draws of chance something comes earliest and latest, for one container.
 */
#pragma once

#include "conformance/simulate/simulation.h"

#define CF_RESYNC_NS (95 * KP_NS_PER_S) /* a sync comes by itself after 60 to 90 s (S-021) */
#define CF_USUAL_RELIST_NS (500 * KP_NS_PER_MS)

/* Draws, and what they come to. */
struct cf_extreme {
    struct cf_draws draws;
    int64_t ns;
    int64_t age_ns; /* as in cf_sought */
};

struct cf_extremes {
    struct cf_extreme low;
    struct cf_extreme high;
};

/* One container's search. */
struct cf_search {
    struct cf_simulation *simulation;
    const struct kp_container *container;
    struct cf_container_budget *out;
    struct cf_draws usual;
    int64_t horizon_ns;
    int64_t runs_ns;          /* with the usual draws */
    int64_t late_ns;          /* from there to where its status says so, and its workers begin */
    int64_t begins_ns[1000];  /* where its start does, by the relists' millisecond; 0: not known */
    int64_t settled_ns;       /* what passes is ready by then */
    struct cf_extremes *seen; /* of all that is played for one figure; NULL: not wanted */
    enum kp_err err;
};

#define CF_RANGE_UNSEEN ((struct cf_time_range){KP_NEVER, -1, KP_RULE_NONE})
#define CF_RANGE_NEVER ((struct cf_time_range){KP_NEVER, KP_NEVER, KP_RULE_NONE})
/* KP_RULE_NONE: its rule stays. */
void cf_range_widen(struct cf_time_range *range, int64_t ns, enum kp_rule rule);

enum cf_draw {
    CF_DRAW_RELIST,
    CF_DRAW_WALL,
    CF_DRAW_START,
    CF_DRAW_LATE,
    CF_DRAW_WAIT
}; /* CF_DRAW_WAIT and a probe type: of its worker */

/* What is waited for, from where the container runs, or from where a new kubelet does. */
struct cf_sought {
    enum cf_observation observation;
    enum kp_probe_type type; /* of CF_SEEN_PROBE */
    int64_t restarts_ns;     /* 0: there is no new kubelet */
    enum cf_health health;   /* of all but the startup probe, which passes ... */
    bool never_starts;       /* ... or not */
    int64_t age_ns;          /* it answers from this age on, and what is sought counts from there */
};

/* A world with those draws in which all passes. */
struct cf_world cf_search_world(const struct cf_search *search, const struct cf_draws *draws,
                                enum cf_observation until);
/* Play it; what goes wrong stays in search->err, and nothing is seen from then on. */
void cf_search_play(struct cf_search *search, const struct cf_world *world, struct cf_seen *seen);

/* How long it takes to be seen; KP_NEVER: it is not; where the kubelet restarts and it stays ready,
 * 0. */
int64_t cf_search_lag_ns(struct cf_search *search, const struct cf_draws *draws,
                         const struct cf_sought *sought);

struct cf_extremes cf_extremes_none(const struct cf_search *search);
/* Where that is earlier or later than what is known, it is the new extreme. */
void cf_extremes_keep(struct cf_extremes *extremes, const struct cf_draws *draws, int64_t ns);
/*
 * Draw one chance otherwise.  The later the ticks or relists fall, the later comes what is waited
 * for, up to where an earlier one sees it: that is where it is earliest, and 1 ms before latest.
 */
void cf_search_vary(struct cf_search *search, struct cf_draws draws, int chance,
                    const struct cf_sought *sought, struct cf_extremes *extremes);
/* Draw one chance a little earlier or later, as long as that makes it earlier (way -1) or later
 * (1). */
void cf_search_climb(struct cf_search *search, int chance, int way, const struct cf_sought *sought,
                     struct cf_extreme *best);
/* The same with each chance, of both extremes. */
void cf_search_climb_all(struct cf_search *search, const struct cf_sought *sought,
                         struct cf_extremes *extremes);
/*
 * When the container's start begins.  Behind init containers that is with a relist, behind a
 * sidecar with an answer to its startup probe, and behind the postStart hooks of its neighbours.
 */
int64_t cf_search_begins_ns(struct cf_search *search, int64_t relist_ns);

/* Find how long a start may take, and how long one lives that never answers. */
void cf_search_start(struct cf_search *search);
