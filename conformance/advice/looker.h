/* looker.h: what looks at a pod's probes have in common; for advice.c and its neighbours. */
#ifndef CF_LOOKER_H
#define CF_LOOKER_H

#include "conformance/advice/advice.h"
#include "conformance/advice/fix.h"
#include "conformance/advice/play.h"

/* What a world came to, with the container as it is and with a change. */
struct cf_trial {
    struct cf_played before;
    struct cf_played after;
};

/* Trials that were made: many containers of a file have the same numbers. */
struct cf_trials {
    struct cf_trial_slot {
        uint64_t key; /* 0: free */
        struct cf_trial trial;
    } * slots;
    size_t count;
    int64_t played_ns; /* virtual time */
};

/* One pod being looked at. */
struct cf_looker {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    const struct cf_ignores *ignores;
    struct cf_findings *out;
    struct cf_trials *trials;
};

/* One container of it. */
struct cf_looked {
    struct cf_looker *looker;
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
void cf_advise_of(const struct cf_looked *looked, enum cf_lint_rule rule, struct kp_text field,
                  struct kp_text evidence, struct kp_text fix);
/* "livenessProbe.timeoutSeconds" */
struct kp_text cf_field_of(const struct cf_looked *looked, enum kp_probe_type type,
                           const char *field);
/* "31 s": rounded up. */
struct kp_text cf_seconds(struct cf_arena *arena, int64_t ns);

/*
 * Play a world without and with a change; of a regular container alone, without the rest of its
 * pod.
 *
 * Returns:  false: no memory (arena->failed), or it never ran.
 */
bool cf_try(const struct cf_looked *looked, const struct cf_play_world *world,
            const struct cf_fix *fix, struct cf_trial *trial);

/* A world in which something happens at an age, and that lasts until every probe has noticed. */
struct cf_play_world cf_world_at(const struct cf_looked *looked, enum cf_manner manner,
                                 int64_t at_ns);
/* How long after that an instant of its first instance is. */
int64_t cf_after(const struct cf_played *played, const struct cf_play_world *world, int64_t at_ns);
struct kp_text cf_fixed(const struct cf_looked *looked, const struct cf_fix *fix);
bool cf_has_gate(const struct cf_looked *looked, enum kp_gate gate);

/* Look at what needs no play, and at what does: starts, answers and thresholds; ends. */
void cf_look_at_spec(const struct cf_looked *looked);
void cf_look_at_time(const struct cf_looked *looked);
void cf_look_at_ends(const struct cf_looked *looked);

#endif
