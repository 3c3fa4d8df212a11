/*
 * fix.h: a change that ends what a rule finds: as YAML to paste, which is what a strategic merge
 * patch of the pod's spec holds, and as the pod that comes of it.
 *
 * Handlers are found in the containers' own nodes (kp_container.raw).
 */
#pragma once

#include "conformance/text/arena.h"
#include "conformance/text/out.h"

/* "livenessProbe" */
const char *cf_probe_field(enum kp_probe_type type);

/* Which numbers of a probe are written. */
enum cf_fix_field {
    CF_FIX_DELAY = 1,
    CF_FIX_TIMEOUT = 2,
    CF_FIX_PERIOD = 4,
    CF_FIX_SUCCESS = 8,
    CF_FIX_FAILURE = 16,
    CF_FIX_GRACE = 32
};

struct cf_fix {
    struct {
        unsigned fields;         /* CF_FIX_...; 0: the probe is left as it is */
        int32_t tcp_port;        /* not 0: it opens this port */
        bool added;              /* there was none: its handler is that of ... */
        enum kp_probe_type from; /* ... this one */
        struct kp_probe probe;   /* as it is to be */
    } of[KP_PROBE_TYPES];
    struct kp_tcp_socket_action tcp; /* what tcp_port means */
    int64_t pod_grace_s;             /* terminationGracePeriodSeconds of the pod; 0: left */
    bool restarts;                   /* restartPolicy of the pod: OnFailure */
    bool keeps_out; /* liveness gets more attempts, to be out of its Service first */
};

/* Begin with a probe as it is; write its numbers, then name them in `fields`. */
struct kp_probe *cf_fix_change(struct cf_fix *fix, const struct kp_container *container,
                               enum kp_probe_type type, unsigned fields);
/* Add a probe with another one's handler. */
struct kp_probe *cf_fix_add(struct cf_fix *fix, const struct kp_container *container,
                            enum kp_probe_type type, enum kp_probe_type from);

/* What is written of a probe earns no advice itself: no timeout beyond the period, none of 1 s for
 * a command; after its period is set, and before its threshold is. */
void cf_fix_settle(struct cf_fix *fix, enum kp_probe_type type);

/* Add a readiness probe that opens a port, in a container that has no probe. */
struct kp_probe *cf_fix_add_tcp(struct cf_fix *fix, int32_t port);

/* A fix that lives on its own. */
void cf_fix_copy(struct cf_fix *to, const struct cf_fix *from);
/* One that is made on what another has left, on top of that. */
void cf_fix_put_over(struct cf_fix *fix, const struct cf_fix *over);
/* One of the same container besides: of a field that both have, the more patient threshold and the
 * shorter time. */
void cf_fix_join(struct cf_fix *fix, const struct cf_fix *other);

/* What a container's fields stand below, two columns in. */
void cf_fix_put_container(struct cf_out *out, const struct kp_container *container);
/* In whole lines, in the arena. */
struct kp_text cf_fix_text(struct cf_arena *arena, const struct kp_container *container,
                           const struct cf_fix *fix);

/* The pod with it, in the arena; it borrows all else from the pod, and from the fix.  NULL: no
 * memory. */
const struct kp_pod *cf_fix_apply(struct cf_arena *arena, const struct kp_pod *pod, size_t index,
                                  const struct cf_fix *fix);
