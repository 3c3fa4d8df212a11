/*
 * event_correlator.h: what becomes of the kubelet's events on their way to the API: aggregated,
 * counted, rate-limited.
 *
 * Not a part of an engine step: it reads the engine's event effects and answers what `kubectl
 * describe` will show. Upstream: client-go tools/record/events_cache.go (EventCorrelator).
 */
#pragma once

#include "../base/mem.h"
#include "../model/trace.h"
#include "../rules/profile.h"

/* One event as the recorder makes it. */
struct kp_event_note {
    struct kp_text object;     /* the pod: its uid */
    struct kp_text field_path; /* spec.containers{app}; empty for the pod itself */
    enum kp_event_type type;
    struct kp_text reason;
    struct kp_text message;
};

/* One Event object of the API. */
struct kp_event_object {
    struct kp_event_note note; /* with the message that was sent last */
    int64_t first_ns;
    int64_t last_ns;
    uint32_t count;
};

struct kp_event_correlator;

/* mem must outlive the correlator.  KP_OK or KP_ENOMEM. */
KP_MUST_USE enum kp_err kp_event_correlator_new(const struct kp_mem *mem,
                                                const struct kp_profile *profile,
                                                struct kp_event_correlator **out);
void kp_event_correlator_free(struct kp_event_correlator *correlator);

/*
 * Record one event (S-267 aggregation, S-268 counting, S-269 spam filter, in that order).
 *
 * now_ns:   not before the last call's.
 * sent:     out, may be NULL: did it reach the API?
 * Returns:  KP_OK or KP_ENOMEM (nothing was recorded).
 */
KP_MUST_USE enum kp_err kp_event_correlator_record(struct kp_event_correlator *correlator,
                                                   const struct kp_event_note *note, int64_t now_ns,
                                                   bool *sent);

/* The API's Event objects, in order of creation; borrowed until the next record.  NULL past the
 * end. */
const struct kp_event_object *kp_event_correlator_get(const struct kp_event_correlator *correlator,
                                                      size_t index);
