/*
 * history.h: pods as a cluster has them, and their events, read as evidence of what happened.
 */
#pragma once

#include "conformance/pod/manifest.h"

/* An event about one pod, or several that the API has counted as one.  Wall-clock ns since 1970. */
struct cf_pod_event {
    int64_t first_ns; /* 0: not recorded */
    int64_t last_ns;
    int64_t count;
    struct kp_text reason;    /* Killing */
    struct kp_text message;   /* Container web failed liveness probe, will be restarted */
    struct kp_text container; /* of spec.containers{web}; empty: of the pod */
};

struct cf_history {
    const struct kp_pod *pod;     /* with its status and deletion, as they were read */
    struct kp_pod fresh;          /* the same as if it were created now, for the engine */
    struct kp_text refused;       /* not empty: the API server would not take that, in its words */
    const struct cf_node *object; /* as it was read */
    const struct cf_node *status;
    struct kp_text node; /* spec.nodeName; empty: none yet */
    int64_t started_ns;  /* status.startTime; 0: not recorded */
    int64_t deleted_ns;  /* metadata.deletionTimestamp, when its grace is over; 0: not deleted */
    struct cf_pod_event *events;
    size_t event_count;
    size_t event_room;
};

/* What one stream, or several files, hold. */
struct cf_histories {
    struct cf_history *list;
    size_t count;
    size_t room;
    bool events_seen;             /* one of whatever object, or a List with nothing in it */
    struct cf_node *events;       /* a list of them, while reading goes on */
    const struct cf_node *passed; /* the kind of the first object that is neither, or NULL */
};

/*
 * Read the Pods and Events of a file, in whatever order, alone, in Lists or in several documents.
 *
 * bytes:    YAML or JSON, also JSON values one behind the other; borrowed as long as `out` is used.
 * fault:    what is wrong and where; with several objects the first fault ends the reading.
 * Returns:  KP_OK; KP_EINPUT: fault says why; KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_history_read(struct cf_arena *arena, const struct kp_profile *profile,
                                        struct kp_text bytes, struct cf_histories *out,
                                        struct cf_fault *fault);

/* When everything is read: give each event to its pod.  Returns: KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err cf_history_join(struct cf_arena *arena, struct cf_histories *histories);

/* The condition of that type as it was read; NULL: none. */
const struct cf_node *cf_history_condition(const struct cf_history *history, const char *type);

/*
 * The newest event of a reason whose message holds a text (NULL: whatever it says), about one
 * container or the whole pod where `container` is empty; NULL: there is none.
 */
const struct cf_pod_event *cf_history_event(const struct cf_history *history,
                                            struct kp_text container, const char *reason,
                                            const char *says);
