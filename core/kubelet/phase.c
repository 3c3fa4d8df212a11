/* What phase a pod is in, as its containers' statuses have it. */
#include "pod_status.h"
#include "restart_policy.h"

struct phase_count {
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    size_t pending_sidecars;
    size_t pending_inits;
    size_t final_inits; /* failed and not to be restarted */
    size_t unknown;
    size_t running;
    size_t waiting;
    size_t stopped;
    size_t stopped_for_good;
    size_t succeeded;
};

#define RESTARTING_ALL KP_TEXT("RestartingAllContainers")

/* Do the restart rules bring this end back (S-311)? */
static bool may_restart(const struct phase_count *count, size_t container,
                        const struct kp_state *end)
{
    if (count->profile->gates[KP_GATE_RestartAllContainersOnContainerExits] &&
        kp_text_equal(end->reason, RESTARTING_ALL))
        return true;
    return kp_container_returns(count->profile, count->pod, (int)container, end->exit_code);
}

static void count_failed_init(struct phase_count *count, size_t container,
                              const struct kp_state *end)
{
    count->final_inits += end->exit_code != 0 && !may_restart(count, container, end);
}

/* One that has not succeeded holds the pod Pending, or Failed if it does not return (S-310). */
static void count_init(struct phase_count *count, size_t container,
                       const struct kp_container_status *status)
{
    if (status->state.kind == KP_STATE_TERMINATED)
        count_failed_init(count, container, &status->state);
    else if (status->state.kind == KP_STATE_WAITING &&
             status->last_state.kind == KP_STATE_TERMINATED)
        count_failed_init(count, container, &status->last_state);
    else
        count->pending_inits++;
}

static void count_sidecar(struct phase_count *count, const struct kp_container_status *status)
{
    bool died = status->last_state.kind == KP_STATE_TERMINATED;

    switch (status->state.kind) {
    case KP_STATE_RUNNING:
        count->pending_sidecars += !status->has_started || !status->started;
        count->running++;
        break;
    case KP_STATE_WAITING:
        count->waiting += !died;
        break;
    case KP_STATE_NONE:
        count->unknown++;
        break;
    case KP_STATE_TERMINATED:
        break;
    }
}

/* One that waits after an end, in back-off say, counts as stopped and not as succeeded (S-309). */
static void count_regular(struct phase_count *count, size_t container,
                          const struct kp_container_status *status)
{
    switch (status->state.kind) {
    case KP_STATE_RUNNING:
        count->running++;
        break;
    case KP_STATE_TERMINATED:
        count->stopped++;
        count->stopped_for_good += !may_restart(count, container, &status->state);
        count->succeeded += status->state.exit_code == 0;
        break;
    case KP_STATE_WAITING:
        if (status->last_state.kind != KP_STATE_TERMINATED) {
            count->waiting++;
            break;
        }
        count->stopped++;
        count->stopped_for_good += !may_restart(count, container, &status->last_state);
        break;
    case KP_STATE_NONE:
        count->unknown++;
        break;
    }
}

static void count_all(struct phase_count *count, const struct kp_container_status *statuses)
{
    const struct kp_pod *pod = count->pod;

    for (size_t i = 0; i < pod->init_count; i++) {
        if (count->profile->sidecar_probes && kp_container_is_sidecar(&pod->containers[i]))
            count_sidecar(count, &statuses[i]);
        else
            count_init(count, i, &statuses[i]);
    }
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++)
        count_regular(count, i, &statuses[i]);
}

/* Nothing runs, something has stopped, all is known. */
static enum kp_phase phase_of_stopped(const struct phase_count *count, bool is_terminal)
{
    bool all_succeeded = count->stopped == count->succeeded;
    enum kp_phase end = all_succeeded ? KP_SUCCEEDED : KP_FAILED;

    if (is_terminal && count->profile->phase_knows_terminal)
        return end;
    if (count->profile->gates[KP_GATE_ContainerRestartRules])
        return count->stopped != count->stopped_for_good ? KP_RUNNING : end;
    if (kp_pod_policy_is(count->pod, "Always"))
        return KP_RUNNING;
    if (all_succeeded || kp_pod_policy_is(count->pod, "Never"))
        return end;
    return KP_RUNNING;
}

static bool any_regular_status(const struct kp_pod *pod, const struct kp_container_status *statuses)
{
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++)
        if (statuses[i].state.kind == KP_STATE_RUNNING ||
            statuses[i].state.kind == KP_STATE_TERMINATED)
            return true;
    return false;
}

/* Sidecars that start again do not put a pod back that was through with its initialization: up to
 * 1.32 one that has a regular container running or just stopped. So did init containers up to 1.31.
 */
static bool is_initializing(const struct phase_count *count,
                            const struct kp_container_status *statuses, bool was_initialized)
{
    const struct kp_profile *profile = count->profile;

    if (profile->phase_init_seen_in == 0)
        return count->pending_inits > 0;
    if (profile->phase_init_seen_in == 1)
        was_initialized = any_regular_status(count->pod, statuses);
    if (count->pending_inits > 0 && (profile->phase_init_runs_again || !was_initialized))
        return true;
    return count->pending_sidecars > 0 && !was_initialized;
}

static bool is_terminal(const struct kp_pod_status *status)
{
    return status && kp_phase_is_terminal(status->phase);
}

/* Succeeded and Failed are final (S-312). */
enum kp_phase kp_phase_stays(const struct kp_profile *profile, const struct kp_pod_status *api,
                             const struct kp_pod_status *old, enum kp_phase phase)
{
    if (is_terminal(api))
        return api->phase;
    if (kp_phase_is_terminal(phase) || !is_terminal(old))
        return phase;
    return profile->phase_is_sticky ? old->phase : phase;
}

enum kp_phase kp_phase_of(const struct kp_profile *profile, const struct kp_pod *pod,
                          const struct kp_container_status *statuses, bool is_terminal,
                          bool was_initialized)
{
    struct phase_count count = {.profile = profile, .pod = pod};

    count_all(&count, statuses);
    if (count.final_inits > 0)
        return KP_FAILED;
    if (is_initializing(&count, statuses, was_initialized) || count.waiting > 0)
        return KP_PENDING;
    if (count.running > 0 && count.unknown == 0)
        return KP_RUNNING;
    if (count.stopped > 0 && count.unknown == 0)
        return phase_of_stopped(&count, is_terminal);
    return KP_PENDING;
}
