#include "runtime_state.h"

#include "pod_run.h"

#define RELIST_NS KP_NS_PER_S
#define STATUS_NS (5 * KP_NS_PER_S)
#define PATIENCE_NS (30 * KP_NS_PER_S) /* maxWaitForContainerRuntime */
#define NAP_MIN_NS (100 * KP_NS_PER_MS)
#define NAP_MAX_NS (5 * KP_NS_PER_S)
#define NOT_YET (INT64_MIN / 2)

void kp_runtime_state_init(struct kp_node *node, bool down)
{
    node->runtime = (struct kp_runtime_state){.down = down,
                                              .relist_from_ns = NOT_YET,
                                              .status_from_ns = NOT_YET,
                                              .relist_ok_ns = NOT_YET,
                                              .status_ok_ns = NOT_YET};
}

/* Has the tick that is the first since the runtime is back come? */
static bool has_answered(const struct kp_node *node, int64_t from_ns)
{
    return !node->runtime.down && node->now_ns >= from_ns;
}

int64_t kp_runtime_last_relist_ns(const struct kp_node *node)
{
    return has_answered(node, node->runtime.relist_from_ns) ? kp_node_last_tick(node, RELIST_NS)
                                                            : node->runtime.relist_ok_ns;
}

static int64_t last_status_ns(const struct kp_node *node)
{
    return has_answered(node, node->runtime.status_from_ns) ? kp_node_last_tick(node, STATUS_NS)
                                                            : node->runtime.status_ok_ns;
}

void kp_runtime_state_set(struct kp_node *node, bool down)
{
    struct kp_runtime_state *runtime = &node->runtime;

    if (down) {
        runtime->relist_ok_ns = kp_runtime_last_relist_ns(node);
        runtime->status_ok_ns = last_status_ns(node);
    } else if (runtime->down) { /* what was requested at this instant has failed already */
        runtime->relist_from_ns = kp_node_last_tick(node, RELIST_NS) + RELIST_NS;
        runtime->status_from_ns = kp_node_last_tick(node, STATUS_NS) + STATUS_NS;
    }
    runtime->down = down;
}

/* runtimeErrors (S-003): what has answered did so less than a period ago. */
static bool has_errors(const struct kp_node *node)
{
    return !has_answered(node, node->runtime.status_from_ns) &&
           node->now_ns - node->runtime.status_ok_ns >= PATIENCE_NS;
}

static void nap(struct kp_node *node, int64_t nap_ns)
{
    node->runtime.nap_ns = nap_ns < NAP_MAX_NS ? nap_ns : NAP_MAX_NS;
    node->runtime.until_ns = node->now_ns + node->runtime.nap_ns;
}

/* While the runtime errs the loop naps, each nap twice the last one, up to 5 s (S-003). */
void kp_sync_loop_begin(struct kp_node *node)
{
    struct kp_runtime_state *runtime = &node->runtime;

    runtime->woke = false;
    if (!runtime->asleep || node->now_ns < runtime->until_ns)
        return;
    if (has_errors(node)) {
        nap(node, 2 * runtime->nap_ns);
        return;
    }
    runtime->asleep = false;
    runtime->woke = true;
}

void kp_sync_loop_end(struct kp_node *node)
{
    if (node->runtime.asleep || !has_errors(node))
        return;
    node->runtime.asleep = true;
    node->runtime.since_ns = node->now_ns;
    nap(node, NAP_MIN_NS);
}

bool kp_sync_loop_ticks(const struct kp_node *node, int64_t period_ns)
{
    int64_t tick_ns = kp_node_last_tick(node, period_ns);

    if (node->runtime.asleep)
        return false;
    return tick_ns == node->now_ns || (node->runtime.woke && tick_ns > node->runtime.since_ns);
}

int64_t kp_sync_loop_next_ns(const struct kp_node *node)
{
    if (node->runtime.asleep)
        return node->runtime.until_ns;
    return has_answered(node, node->runtime.status_from_ns)
               ? KP_NEVER
               : node->runtime.status_ok_ns + PATIENCE_NS;
}
