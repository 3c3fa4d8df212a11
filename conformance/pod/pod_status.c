/* pod_status.c: the status of a pod as the API has it, in the order of the pod's containers. */
#include "conformance/pod/pod_tree.h"

#include <string.h>

static int64_t time_at(const struct cf_node *map, const char *name)
{
    return cf_time_ns(cf_node_text(map, name));
}

static int32_t number_at(const struct cf_node *map, const char *name)
{
    int64_t value = 0;

    return cf_node_int_value(cf_node_find(map, name), &value) ? (int32_t)value : 0;
}

static bool truth_at(const struct cf_node *map, const char *name)
{
    const struct cf_node *node = cf_node_find(map, name);

    return node && node->truth;
}

/* containerd://abc -> abc */
static struct kp_text without_scheme(struct kp_text id)
{
    size_t scheme = kp_text_find(id, KP_TEXT("://"));

    return scheme < id.len ? kp_text_from(id, scheme + 3) : id;
}

static struct kp_state state_at(const struct cf_node *status, const char *name)
{
    const struct cf_node *state = cf_node_find(status, name);
    const struct cf_node *running = cf_node_find(state, "running");
    const struct cf_node *terminated = cf_node_find(state, "terminated");
    const struct cf_node *waiting = cf_node_find(state, "waiting");
    const struct cf_node *inner = running ? running : terminated ? terminated : waiting;

    if (!inner)
        return (struct kp_state){.kind = KP_STATE_NONE};
    return (struct kp_state){
        .kind = running      ? KP_STATE_RUNNING
                : terminated ? KP_STATE_TERMINATED
                             : KP_STATE_WAITING,
        .reason = cf_node_text(inner, "reason"),
        .message = cf_node_text(inner, "message"),
        .started_at_ns = time_at(inner, "startedAt"),
        .finished_at_ns = time_at(inner, "finishedAt"),
        .exit_code = number_at(inner, "exitCode"),
        .signal = number_at(inner, "signal"),
        .container_id = without_scheme(cf_node_text(inner, "containerID")),
    };
}

static struct kp_container_status status_of(const struct cf_node *node)
{
    return (struct kp_container_status){
        .name = cf_node_text(node, "name"),
        .container_id = without_scheme(cf_node_text(node, "containerID")),
        .state = state_at(node, "state"),
        .last_state = state_at(node, "lastState"),
        .restart_count = number_at(node, "restartCount"),
        .ready = truth_at(node, "ready"),
        .has_started = cf_node_find(node, "started") != NULL,
        .started = truth_at(node, "started"),
    };
}

static const struct cf_node *find_status(const struct cf_node *status, struct kp_text name)
{
    static const char *const lists[] = {"initContainerStatuses", "containerStatuses",
                                        "ephemeralContainerStatuses"};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct cf_node *list = cf_node_find(status, lists[i]);

        for (const struct cf_node *item = list ? list->first : NULL; item; item = item->next)
            if (kp_text_equal(cf_node_text(item, "name"), name))
                return item;
    }
    return NULL;
}

static enum kp_phase phase_of(struct kp_text text)
{
    static const char *const names[] = {
        [KP_PHASE_NONE] = "",         [KP_PENDING] = "Pending", [KP_RUNNING] = "Running",
        [KP_SUCCEEDED] = "Succeeded", [KP_FAILED] = "Failed",
    };

    for (int phase = 0; phase < KP_PHASE_UNKNOWN; phase++)
        if (kp_text_equal(text, kp_text_of(names[phase])))
            return (enum kp_phase)phase;
    return KP_PHASE_UNKNOWN;
}

static void bind_conditions(struct cf_arena *arena, const struct cf_node *list,
                            struct kp_pod_status *status)
{
    if (!list || list->count == 0)
        return;
    status->conditions = cf_arena_array(arena, list->count, sizeof *status->conditions);
    for (const struct cf_node *item = list->first; status->conditions && item; item = item->next) {
        struct kp_text value = cf_node_text(item, "status");

        status->conditions[status->condition_count++] = (struct kp_condition){
            .type = cf_node_text(item, "type"),
            .status = kp_text_equal(value, KP_TEXT("True"))    ? KP_CONDITION_TRUE
                      : kp_text_equal(value, KP_TEXT("False")) ? KP_CONDITION_FALSE
                                                               : KP_CONDITION_UNKNOWN,
            .reason = cf_node_text(item, "reason"),
            .message = cf_node_text(item, "message"),
        };
    }
}

const struct kp_pod_status *cf_pod_bind_status(struct cf_arena *arena, const struct kp_pod *pod,
                                               const struct cf_node *status)
{
    size_t count = kp_pod_container_count(pod);
    struct kp_pod_status *made;

    if (!status || status->kind != CF_MAP)
        return NULL;
    made = cf_arena_alloc(arena, sizeof *made);
    if (!made)
        return NULL;
    made->phase = phase_of(cf_node_text(status, "phase"));
    made->pod_ip = cf_node_text(status, "podIP");
    made->reason = cf_node_text(status, "reason");
    made->start_ns = time_at(status, "startTime");
    made->has_start = made->start_ns != 0;
    made->message = cf_node_text(status, "message");
    bind_conditions(arena, cf_node_find(status, "conditions"), made);
    made->statuses = cf_arena_array(arena, count, sizeof *made->statuses);
    for (size_t i = 0; made->statuses && i < count; i++) {
        const struct cf_node *found = find_status(status, pod->containers[i].name);

        if (found)
            made->statuses[made->status_count++] = status_of(found);
    }
    return made;
}
