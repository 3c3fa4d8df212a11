/*
 * thin_kubelet.h: layer `probe`: the prober in a kubelet of which only that is real.
 *
 * The pod sync around it is given container lifecycles instead of making them (protocol.md,
 * section 2.1).  It keeps what kubelet.go would: the runtime's containers, as events say; the
 * status manager's copy; the API's copy, which follows it at once.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/model/config.h"

struct fake_thin;

/* Each as the function of engine.h that is called so; sync_frequency_ns is of no use here. */
KP_MUST_USE enum kp_err fake_thin_new(const struct kp_mem *mem,
                                      const struct kp_engine_config *config,
                                      struct fake_thin **out);
void fake_thin_free(struct fake_thin *layer);
KP_MUST_USE enum kp_err fake_thin_add_pod(struct fake_thin *layer, const struct kp_pod *pod,
                                          uint32_t *handle);
KP_MUST_USE enum kp_err fake_thin_event(struct fake_thin *layer, const struct kp_event *event);
int64_t fake_thin_run(struct fake_thin *layer, int64_t to_ns);
int64_t fake_thin_next_ns(const struct fake_thin *layer);
const struct kp_pod_status *fake_thin_status(const struct fake_thin *layer, uint32_t pod);
