/*
 * kubelet.h: layer `pod`: the whole kubelet: sync loop, PLEG, pod workers, status.
 *
 * Upstream: kubelet.go syncLoopIteration, HandlePod*, handleProbeSync; kubelet_pods.go
 * HandlePodCleanups.
 */
#ifndef KP_KUBELET_H
#define KP_KUBELET_H

#include "../model/layer.h"

extern const struct kp_layer_ops kp_layer_pod;

#endif
