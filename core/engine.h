/*
 * engine.h: a node's kubelet in virtual time, from the probes to what restarts: events in, effects
 * out, and the next instant it wants.
 *
 * It owns neither clock nor world: the caller says what time it is and what the runtime did.  For
 * the probes alone, without the kubelet, use prober/prober_manager.h.
 */
#pragma once

#include "base/mem.h"
#include "model/config.h"

struct kp_engine;

/*
 * Make an engine at virtual time 0, without pods.
 *
 * mem:      where all of its memory comes from; must outlive it.
 * config:   copied, with its profile.  Its sink is called from kp_engine_add_pod, _event and _run,
 * and calls none of these.
 * out:      owned by the caller, who gives it to kp_engine_free; NULL on an error.
 * Returns:  KP_OK or KP_ENOMEM.
 */
KP_MUST_USE enum kp_err kp_engine_new(const struct kp_mem *mem,
                                      const struct kp_engine_config *config,
                                      struct kp_engine **out);
/* Free an engine with its pods; NULL is allowed. */
void kp_engine_free(struct kp_engine *engine);

/*
 * Give the node a pod (HandlePodAdditions).  All memory that the pod's steps will need is taken
 * here.
 *
 * pod:      borrowed until the engine is freed, as it is stored by the API server: defaulted.
 * handle:   out: names the pod in events and effects; 0, 1, 2 ... in order of addition.
 * Returns:  KP_OK, KP_EEXIST (that uid), KP_ENOMEM.
 * Upstream: kubelet.go HandlePodAdditions.
 */
KP_MUST_USE enum kp_err kp_engine_add_pod(struct kp_engine *engine, const struct kp_pod *pod,
                                          uint32_t *handle);

/*
 * Report what happened at the current instant.  Effects that it has at once are emitted before this
 * returns; the rest comes with the next kp_engine_run, which ends at this instant where some were.
 *
 * event:    its texts and pods are borrowed until the engine is freed; the output of an answer to
 * a probe, which is emitted at once, until the call returns.
 * Returns:  KP_OK; KP_ENOMEM (of an update); KP_EINPUT: an unknown pod, container or kind, an
 * acknowledgement of nothing, an update with more than four containers beyond those that
 * kp_engine_add_pod was given.  After an error nothing was changed.
 */
KP_MUST_USE enum kp_err kp_engine_event(struct kp_engine *engine, const struct kp_event *event);

/*
 * Run until `to_ns` or the end of the first instant with effects, whichever is earlier, and say
 * where it stopped.
 *
 * to_ns:    not before the current instant (asserted); equal to it settles the events.
 * Returns:  the instant now reached.  Cannot fail, does not allocate.
 */
int64_t kp_engine_run(struct kp_engine *engine, int64_t to_ns);

/* The next instant at which something is due, or KP_NEVER: the current one where something was
 * reported since the last run. */
int64_t kp_engine_next_ns(const struct kp_engine *engine);

/* The pod's status as last published, borrowed until the next step; NULL: nothing yet. */
const struct kp_pod_status *kp_engine_status(const struct kp_engine *engine, uint32_t pod);
