/*
 * budget.h: what a pod's probes promise without any script: how long a start may take, what comes
 * of a hang and when, how slow an answer may be.
 *
 * Every figure is an instant that the engine was seen to reach (or, for `ready`, to come within 5
 * ms of): the worlds in which it is earliest and latest are looked for over all that a node leaves
 * to chance (when relists fall, what part of a second the wall clock shows, how long workers wait
 * first, when in its period trouble comes) and played to the millisecond.
 */
#pragma once

#include "conformance/text/arena.h"
#include "core/model/trace.h"
#include "core/rules/profile.h"

#define CF_BUDGET_MAX_NS (24 * 3600 * KP_NS_PER_S) /* no play is longer */

/* What a node leaves to chance. */
struct cf_draws {
    int64_t relist_ns; /* relists and sync ticks fall so long after each whole second */
    int64_t wall_ns;   /* what the wall clock shows beyond a whole second at time 0 */
    int64_t late_ns;   /* not 0: requeues are drawn out by a half (S-021); else not at all */
    int64_t start_ns;  /* how long the container's start takes */
    int64_t
        wait_ns[KP_PROBE_TYPES]; /* of its workers, before their first doProbe; below the period */
};

/*
 * From the earliest to the latest; KP_NEVER: in no world within CF_BUDGET_MAX_NS, a day.  `rule`:
 * what makes it so, KP_RULE_NONE where it never is.
 */
struct cf_time_range {
    int64_t earliest_ns;
    int64_t latest_ns;
    enum kp_rule rule;
};

/* What follows when a container gets into trouble: counted from then. */
struct cf_trouble {
    struct cf_time_range unready; /* out of the Service: the container is not ready */
    struct cf_time_range decided; /* the failure that ends it, for good: preStop may follow */
    struct cf_time_range term;    /* SIGTERM, after preStop */
    struct cf_time_range kill;    /* SIGKILL, where it ignores SIGTERM */
    struct cf_time_range
        again;       /* a new instance runs: the earliest after SIGTERM, the latest after SIGKILL */
    int64_t grace_s; /* between SIGTERM and SIGKILL; 0 where it is not killed */
    int64_t kill_grace_s; /* before preStop took of it: a longer preStop is cut there */
};

/* What one probe tolerates. */
struct cf_tolerance {
    bool exists;
    bool asks;          /* false: it has no port, and each attempt is an error (E-010) */
    bool off;           /* ... or no handler in this version (P-125) */
    int64_t slowest_ns; /* the slowest answer that counts; KP_NEVER: any */
    int64_t lost;       /* so many answers in a row may fail; -1: any number */
};

struct cf_container_budget {
    int container; /* index into the pod's containers */
    /*
     * By what age it must answer: at `earliest` it is always in time, 1 ms later it is killed where
     * chance has it so; at `latest` it is in time where chance has it so, 1 ms later always killed.
     */
    struct cf_time_range start;
    struct cf_draws start_draws[2]; /* of the earliest and of the latest */
    enum kp_probe_type start_by;    /* whose failures kill; valid where start is not KP_NEVER */
    struct cf_time_range killed; /* from where it runs to the first SIGTERM, if it never answers */
    int64_t killed_grace_s;      /* and from there to SIGKILL */
    int64_t soonest_ns; /* to the first SIGTERM at the earliest, whatever has passed before */
    /* From where it answers to where it is ready: between whole seconds. */
    struct cf_time_range ready;
    bool ready_from_start;          /* behind a delay: from where it runs, if it answers at once */
    struct cf_draws ready_draws[2]; /* within 5 ms of the earliest and of the latest ... */
    int64_t ready_age_ns[2];        /* ... where it answers at this age */
    struct cf_trouble hangs;        /* no answer comes any more */
    struct cf_trouble fails;        /* each answer is a failure, at once */
    struct cf_tolerance tolerance[KP_PROBE_TYPES];
    struct cf_time_range ends; /* from the pod's deletion to SIGTERM, after preStop */
    int64_t ends_grace_s;      /* and from there to SIGKILL */
    /* From where a new kubelet runs to where it is ready again; never: it stays ready. */
    struct cf_time_range restart;
};

struct cf_budget {
    struct cf_container_budget *containers; /* those with a probe */
    size_t count;
    size_t plays;
};

/*
 * Find the figures of a pod.
 *
 * pod:      defaulted and valid, as the API server stores it.
 * out:      in the arena.
 * Returns:  KP_OK; KP_ENOMEM; KP_EINPUT: a world stopped, *why says for what reason.
 */
KP_MUST_USE enum kp_err cf_budget_find(struct cf_arena *arena, const struct kp_profile *profile,
                                       const struct kp_pod *pod, struct cf_budget *out,
                                       const char **why);

/* Which figures are found; `soonest` alone is not among all. */
enum cf_budget_part {
    CF_BUDGET_START = 1, /* and killed */
    CF_BUDGET_READY = 2,
    CF_BUDGET_HANGS = 4,
    CF_BUDGET_FAILS = 8,
    CF_BUDGET_TOLERANCE = 16,
    CF_BUDGET_RESTART = 32,
    CF_BUDGET_ENDS = 64,
    CF_BUDGET_ALL = 127,
    CF_BUDGET_SOONEST = 128 /* and START */
};

/*
 * Find some figures of one container; those that are not wanted are as if it had no probe.
 *
 * container: index into the pod's containers.
 * Returns:   as cf_budget_find.
 */
KP_MUST_USE enum kp_err cf_budget_find_one(struct cf_arena *arena, const struct kp_profile *profile,
                                           const struct kp_pod *pod, int container, unsigned parts,
                                           struct cf_container_budget *out, const char **why);

/* How long plays of a container last at most: until the slowest of its probes has killed it. */
int64_t cf_budget_horizon_ns(const struct kp_pod *pod, int container);
