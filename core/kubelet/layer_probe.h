/*
 * layer_probe.h: the probing half of a kubelet alone: workers, thresholds, results, and a pod sync
 * that is told of container lifecycles (protocol.md, section 2.1).
 *
 * Around the prober manager it keeps what kubelet.go would: the runtime's containers, as events
 * say; the status manager's copy; the API's copy, which follows it at once.
 */
#ifndef KP_LAYER_PROBE_H
#define KP_LAYER_PROBE_H

#include "../model/layer.h"

extern const struct kp_layer_ops kp_layer_probe;

#endif
