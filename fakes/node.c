#include "fakes/node.h"

#include "fakes/thin_kubelet.h"

enum kp_err fake_node_open(struct fake_node *node, enum fake_layer layer, const struct kp_mem *mem,
                           const struct kp_engine_config *config)
{
    *node = (struct fake_node){0};
    return layer == FAKE_LAYER_POD ? kp_engine_new(mem, config, &node->engine)
                                   : fake_thin_new(mem, config, &node->thin);
}

void fake_node_close(struct fake_node *node)
{
    kp_engine_free(node->engine);
    fake_thin_free(node->thin);
    *node = (struct fake_node){0};
}

bool fake_node_is_open(const struct fake_node *node)
{
    return node->engine || node->thin;
}

enum kp_err fake_node_add_pod(struct fake_node *node, const struct kp_pod *pod)
{
    uint32_t handle;

    return node->engine ? kp_engine_add_pod(node->engine, pod, &handle)
                        : fake_thin_add_pod(node->thin, pod, &handle);
}

enum kp_err fake_node_event(struct fake_node *node, const struct kp_event *event)
{
    return node->engine ? kp_engine_event(node->engine, event) : fake_thin_event(node->thin, event);
}

int64_t fake_node_run(struct fake_node *node, int64_t to_ns)
{
    return node->engine ? kp_engine_run(node->engine, to_ns) : fake_thin_run(node->thin, to_ns);
}
