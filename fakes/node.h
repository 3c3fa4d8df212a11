/* node.h: a kubelet of either layer, behind the verbs of engine.h. */
#pragma once

#include "fakes/impl.h"

/* Zeroed: none.  Open: one of the two. */
struct fake_node {
    struct kp_engine *engine; /* layer `pod` */
    struct fake_thin *thin;   /* layer `probe` */
};

/* As kp_engine_new; after an error the node is none. */
KP_MUST_USE enum kp_err fake_node_open(struct fake_node *node, enum fake_layer layer,
                                       const struct kp_mem *mem,
                                       const struct kp_engine_config *config);
/* Nothing where it is none. */
void fake_node_close(struct fake_node *node);
bool fake_node_is_open(const struct fake_node *node);

/* As the functions of engine.h; handles come in order: 0, 1, 2 ... */
KP_MUST_USE enum kp_err fake_node_add_pod(struct fake_node *node, const struct kp_pod *pod);
KP_MUST_USE enum kp_err fake_node_event(struct fake_node *node, const struct kp_event *event);
int64_t fake_node_run(struct fake_node *node, int64_t to_ns);
