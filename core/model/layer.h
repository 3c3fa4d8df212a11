/*
 * layer.h: what engine.c asks of a layer: the thin sync of layer `probe` (layer_probe.c) or the
 * whole kubelet of layer `pod` (kubelet.c).
 *
 * engine.c owns the current instant and counts effects; a layer is told the instant with every
 * call and owns all else. Effects go to config->sink, which engine.c has put itself into.
 */
#ifndef KP_LAYER_H
#define KP_LAYER_H

#include "../base/mem.h"
#include "config.h"

struct kp_layer_ops {
    /* As kp_engine_new; *out is what the other functions get as `layer`. */
    enum kp_err (*new)(const struct kp_mem *mem, const struct kp_engine_config *config, void **out);
    void (*free)(void *layer);
    /* As kp_engine_add_pod: all memory for the pod is taken here. */
    enum kp_err (*add_pod)(void *layer, const struct kp_pod *pod, uint32_t *handle, int64_t now_ns);
    /* As kp_engine_event: take note; the consequences belong to the next settle. */
    enum kp_err (*event)(void *layer, const struct kp_event *event, int64_t now_ns);
    /* Do everything that is due at now_ns, until the instant is quiet.  Called where an event or a
     * pod came, and at the instants of next_ns: at no other. */
    void (*settle)(void *layer, int64_t now_ns);
    /* The next instant at which something is due without any event, or KP_NEVER.  Not later than
     * the last settle where that has left something to do. */
    int64_t (*next_ns)(const void *layer);
    const struct kp_pod_status *(*status)(const void *layer, uint32_t pod);
};

#endif
