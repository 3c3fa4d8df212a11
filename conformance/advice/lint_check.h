/* lint_check.h: what all checks of a pod have in common; for advice.c and its neighbours. */
#pragma once

#include "conformance/advice/advice.h"
#include "conformance/advice/fix.h"
#include "conformance/simulate/simulation.h"

/* What a world came to, with the container as it is and with a change. */
struct cf_trial {
    struct cf_seen before;
    struct cf_seen after;
};

/* What a container's budget says of it, as it is and with a change. */
struct cf_promise {
    struct cf_time_range start; /* as in cf_container_budget */
    struct cf_time_range term;  /* from a hang to SIGTERM */
};

struct cf_promises {
    struct cf_promise before;
    struct cf_promise after;
};

/* Trials that were made: many containers of a file have the same numbers. */
struct cf_trials {
    struct cf_trial_slot {
        uint64_t key; /* 0: free */
        struct cf_trial trial;
    } * slots;
    size_t count;
    int64_t played_ns; /* virtual time */
    struct cf_promise_slot {
        uint64_t key;
        struct cf_promises promises;
    } * promises;
    size_t promise_count;
};

/* The check of one pod. */
struct cf_pod_check {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    const struct cf_ignores *ignores;
    struct cf_findings *out;
    struct cf_trials *trials;
};

/* One container of it. */
struct cf_container_check {
    struct cf_pod_check *pod_check;
    const struct kp_container *container;
    size_t index;
    struct kp_text path; /* spec.containers[0] */
};

/*
 * Put a finding.
 *
 * field:    of the container; "": itself; with a dot in front: of the pod, ".spec.restartPolicy".
 * evidence: in the arena, or static.
 */
void cf_advise_of(const struct cf_container_check *check, enum cf_lint_rule rule,
                  struct kp_text field, struct kp_text evidence, struct kp_text fix);
/* The same, with a change that was played. */
void cf_advise_fix(const struct cf_container_check *check, enum cf_lint_rule rule,
                   struct kp_text field, struct kp_text evidence, const struct cf_fix *fix);
/* "livenessProbe.timeoutSeconds" */
struct kp_text cf_field_of(const struct cf_container_check *check, enum kp_probe_type type,
                           const char *field);
/* "31 s": rounded up. */
struct kp_text cf_seconds(struct cf_arena *arena, int64_t ns);
/* "about 31 s": of one play, which chance makes a little shorter or longer. */
struct kp_text cf_about(struct cf_arena *arena, int64_t ns);

/*
 * Play a world without and with a change; of a regular container alone, without the rest of its
 * pod.
 *
 * Returns:  false: no memory (arena->failed), or it never ran.
 */
bool cf_try(const struct cf_container_check *check, const struct cf_world *world,
            const struct cf_fix *fix, struct cf_trial *trial);

/*
 * What `probetest budget` says without and with a change: over all that is left to chance.
 *
 * parts:    CF_BUDGET_START, CF_BUDGET_HANGS.
 * Returns:  false: no memory (arena->failed), it never ran, or a file has more different ones than
 *           there is time for.
 */
bool cf_promise(const struct cf_container_check *check, const struct cf_fix *fix, unsigned parts,
                struct cf_promises *promises);

/* So many seconds; what is longer than a week is not waited for. */
int64_t cf_span_ns(int64_t seconds);
/* An instant at which all of its probes have passed for long, shortly behind a tick that is common
 * to most. */
int64_t cf_settled_ns(const struct kp_container *container);
/* A world in which something happens then (CF_STARTS_SLOWLY: at that age), is looked at from then
 * on, and lasts until every probe has noticed. */
struct cf_world cf_world_at(const struct cf_container_check *check, enum cf_health health,
                            int64_t at_ns);
/* How long after that something was seen; not for CF_STARTS_SLOWLY. */
int64_t cf_after(const struct cf_seen *seen, const struct cf_world *world,
                 enum cf_observation observation);
/* How long after its start. */
int64_t cf_age(const struct cf_seen *seen, enum cf_observation observation);
bool cf_saw(const struct cf_seen *seen, enum cf_observation observation);
/* Where a change would have what hangs killed while it is in its Service, liveness gets more
 * attempts besides. */
void cf_keep_out_first(const struct cf_container_check *check, struct cf_fix *fix);
bool cf_has_gate(const struct cf_container_check *check, enum kp_gate gate);

/* Look at what needs no play, and at what does: starts, answers and thresholds; ends. */
void cf_check_spec(const struct cf_container_check *check);
void cf_check_time(const struct cf_container_check *check);
void cf_check_ends(const struct cf_container_check *check);

/* "Deployment/web" */
struct kp_text cf_object_of(const struct cf_pod_check *pod_check);
/* A change of the pod's spec as one of the object that holds it. */
struct kp_text cf_rooted(const struct cf_pod_check *pod_check, struct kp_text fix);
/*
 * Give the findings of one container, from `from` on, one change for all of them, where there are
 * several: each is made on what the one before has left, until `checks` find nothing any more.
 */
typedef void (*cf_container_checks)(const struct cf_container_check *check);
void cf_put_together(const struct cf_container_check *check, size_t from,
                     cf_container_checks checks);
