/*
 * layer_probe.h: layer `probe`: the prober in a kubelet of which only that is real.
 *
 * The pod sync around it is told of container lifecycles instead of making them (protocol.md,
 * section 2.1).  It keeps what kubelet.go would: the runtime's containers, as events say; the
 * status manager's copy; the API's copy, which follows it at once.
 */
#ifndef KP_LAYER_PROBE_H
#define KP_LAYER_PROBE_H

#include "../base/err.h"
#include "../base/mem.h"
#include "../model/config.h"

struct kp_thin_layer;

/* Each as the function of engine.h that is called so; sync_frequency_ns is of no use here. */
KP_MUST_USE enum kp_err kp_thin_new(const struct kp_mem *mem, const struct kp_engine_config *config,
                                    struct kp_thin_layer **out);
void kp_thin_free(struct kp_thin_layer *layer);
KP_MUST_USE enum kp_err kp_thin_add_pod(struct kp_thin_layer *layer, const struct kp_pod *pod,
                                        uint32_t *handle);
KP_MUST_USE enum kp_err kp_thin_event(struct kp_thin_layer *layer, const struct kp_event *event);
int64_t kp_thin_run(struct kp_thin_layer *layer, int64_t to_ns);
int64_t kp_thin_next_ns(const struct kp_thin_layer *layer);
const struct kp_pod_status *kp_thin_status(const struct kp_thin_layer *layer, uint32_t pod);

#endif
