/*
 * cause.h: what ended a container, judged by its status and its events; what is not certain says
 * so.
 */
#pragma once

#include "conformance/simulate/budget.h"
#include "conformance/why/history.h"
#include "core/model/trace.h"

enum cf_cause {
#define CAUSE(name, id, what, change) CF_CAUSE_##name,
#include "conformance/why/cause.def"
#undef CAUSE
    CF_CAUSES
};

struct cf_cause_row {
    const char *id;     /* "liveness" */
    const char *what;   /* a clause */
    const char *change; /* sentences; "": it depends */
};

const struct cf_cause_row *cf_cause_row(enum cf_cause cause);

#define CF_SIGKILL_CODE 137 /* the exit code of what SIGKILL ended */

enum cf_certainty {
    CF_SURE,   /* the status or an event of that instant says so */
    CF_LIKELY, /* what there is agrees, and nothing else does */
    CF_UNSURE  /* it may be */
};

const char *cf_certainty_name(enum cf_certainty certainty);

/* When a probe of it kills: what the engine says. */
struct cf_kill_age {
    int64_t earliest_ns; /* since it runs, if it fails from the start; KP_NEVER: none kills, or the
                            pod cannot be played */
    int64_t latest_ns;
    int64_t soonest_ns;         /* whatever has passed before */
    struct cf_time_range start; /* how long a start may take (budget.h) */
    enum kp_probe_type type;    /* of earliest */
    int64_t grace_s;            /* to SIGKILL */
};

struct cf_verdict {
    enum cf_cause cause;
    enum cf_certainty certainty;
    const struct kp_container *container;
    const struct kp_container_status *status; /* NULL: none yet */
    const struct kp_state *end;               /* the newest there is; NULL: none */
    int64_t ran_ns;                           /* the instance that ended; -1: not recorded */
    const struct cf_pod_event *killing;       /* of that container, newest; NULL */
    const struct cf_pod_event *unhealthy[KP_PROBE_TYPES];
    bool at_once; /* the killing event belongs to the end that is reported */
    struct cf_kill_age kills;
    bool possible; /* a probe can have ended it: age, exit code and back-off */
    bool refused;  /* its next start waits, which it would not after a probe's kill (S-252) */
    bool by_pod;   /* a probe's kill that stopped the whole pod: the event names no probe */
};

/* Its liveness or its startup probe. */
bool cf_is_by_probe(const struct cf_verdict *verdict);

/* How long its preStop hook takes, as far as that is known: at most an hour. */
int64_t cf_hook_ns(const struct kp_container *container);

/* The age at which what a probe ended got SIGTERM, as far as that is recorded: behind its hook. */
int64_t cf_killed_age_ns(const struct cf_verdict *verdict);

/* Is a probe's newest failure an error: it could not be sent, or run? */
bool cf_is_error(const struct cf_pod_event *unhealthy);

/* What of a grace a preStop hook has had. */
enum cf_hook_end {
    CF_HOOK_ENDED, /* as far as is known */
    CF_HOOK_FAILED,
    CF_HOOK_CUT_OFF /* it used up the grace, and two seconds were left (S-217) */
};

enum cf_hook_end cf_hook_end(const struct cf_history *history, const struct cf_verdict *verdict);

/* The grace of its probe's kills, and that is 292 years at most. */
int64_t cf_kill_grace_ns(const struct cf_verdict *verdict);

/* Did its answer come too late, or not at all? */
bool cf_was_slow(const struct cf_pod_event *unhealthy);

/* The wait that a CrashLoopBackOff names: "back-off 5m0s restarting failed container". */
bool cf_stated_backoff(const struct kp_state *waiting, int64_t *ns);

/*
 * Judge one container.
 *
 * index:    into the pod's containers.
 * kills:    what the engine says of its probes.
 */
struct cf_verdict cf_judge(const struct cf_history *history, size_t index,
                           struct cf_kill_age kills);
