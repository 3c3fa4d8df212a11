/*
 * describe.h: what `kubectl describe pod` says of probes and events.
 *
 * Upstream: kubectl pkg/describe/describe.go; apimachinery util/duration.
 */
#pragma once

#include "conformance/text/arena.h"
#include "conformance/text/out.h"
#include "core/kubelet/event_correlator.h"
#include "core/rules/profile.h"

/* "2m5s": an age as kubectl rounds it (duration.HumanDuration). */
void cf_put_human_duration(struct kp_buf *buf, int64_t duration_ns);

/* "spec.containers{web}": what an event about a container points at. */
struct kp_text cf_field_path(struct cf_arena *arena, const struct kp_container *container);

/* "13m (x9 over 16m)": the Age column of an event (S-271). */
void cf_put_event_age(struct kp_buf *buf, const struct kp_event_object *event, int64_t now_ns);

/* Events in describe's order. */
struct cf_described {
    const struct kp_event_object **list;
    size_t count;
};

/* Order events by when each was last seen; those of one instant stay as they are. */
void cf_describe_sort(const struct cf_described *events);
/* The API's events, ordered; they are the correlator's still.  Empty: none, or no memory. */
struct cf_described cf_describe_events(struct cf_arena *arena,
                                       const struct kp_event_correlator *correlator);

/* The Message column: without space at its ends, and from 1.35 with the field path in front. */
void cf_put_event_message(struct cf_out *out, const struct kp_profile *profile,
                          const struct kp_event_note *note);

/* "exec [cat /tmp/healthy] delay=5s timeout=1s period=5s #success=1 #failure=3" (S-273). */
void cf_put_probe(struct cf_out *out, const struct kp_profile *profile,
                  const struct kp_probe *probe);
