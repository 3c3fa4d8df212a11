#include "pod_status.h"

#include "../api/restart_rules.h"
#include "conditions.h"
#include "restart_policy.h"

#define RESTARTING_ALL KP_TEXT("RestartingAllContainers")
#define REMOVED_BY_RESTART KP_TEXT("The container is removed because RestartAllContainers in place")

/* What was said of a container last; of one that nobody has spoken of yet: that it waits. */
static const struct kp_container_status *old_status(const struct kp_pod_status *old,
                                                    struct kp_text name)
{
    static const struct kp_container_status unheard = {.state = {.kind = KP_STATE_WAITING}};
    const struct kp_container_status *status = old ? kp_status_find(old, name) : NULL;

    return status ? status : &unheard;
}

/* ---- the phase, as the containers' statuses have it --------------------------------------- */

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
        was_initialized = kp_any_regular_began(count->pod, statuses);
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

/* ---- one container ----------------------------------------------------------------------- */

struct conversion {
    const struct kp_status_input *in;
    size_t container;
    const struct kp_container_status *old;
    struct kp_container_status *status;
    bool restarting_all;
};

static bool knows_restart_all(const struct conversion *c)
{
    return c->in->profile->gates[KP_GATE_RestartAllContainersOnContainerExits];
}

static struct kp_state terminated(const struct kp_instance *instance)
{
    return (struct kp_state){.kind = KP_STATE_TERMINATED,
                             .reason = instance->reason,
                             .message = instance->message,
                             .started_at_ns = instance->started_wall_ns,
                             .finished_at_ns = instance->finished_wall_ns,
                             .exit_code = instance->exit_code,
                             .container_id = instance->cid};
}

/* Into the last state goes how it is thought to have ended; the waiting of one that was only
 * created is left standing there (case restart-all-beside-a-last-state). */
static void put_lost(struct kp_container_status *status, struct kp_text reason,
                     struct kp_text message)
{
    struct kp_state *last = &status->last_state;

    *last = (struct kp_state){.kind = KP_STATE_TERMINATED,
                              .reason = reason,
                              .message = message,
                              .exit_code = 137,
                              .beside_waiting = last->kind == KP_STATE_WAITING};
}

/* RestartAllContainersOnContainerExits removes containers, so counts and ends live on in the
 * status. */
static void carry_over(const struct conversion *c, struct kp_container_status *status)
{
    const struct kp_container_status *old = c->old;

    if (!knows_restart_all(c))
        return;
    if (old->restart_count > status->restart_count)
        status->restart_count = old->restart_count;
    if (!kp_text_equal(old->container_id, status->container_id) &&
        old->state.kind == KP_STATE_TERMINATED)
        status->last_state = old->state;
    else if (old->last_state.kind == KP_STATE_TERMINATED)
        status->last_state = old->last_state;
    status->last_state.beside_waiting = false;
}

static void convert_running(const struct conversion *c, const struct kp_instance *instance,
                            struct kp_container_status *status)
{
    const struct kp_container_status *old = c->old;

    status->state =
        (struct kp_state){.kind = KP_STATE_RUNNING, .started_at_ns = instance->started_wall_ns};
    if (knows_restart_all(c) && old->state.kind == KP_STATE_TERMINATED &&
        old->restart_count >= instance->restarts)
        status->restart_count = old->restart_count + 1;
    if (kp_profile_keeps_old(c->in->profile)) { /* S-304 */
        status->has_started = old->has_started;
        status->started = old->started;
    }
}

/* Up to 1.22.9 one that was created and never ran shows as ended with code 0 (S-323). */
static bool ends_without_having_run(const struct conversion *c, const struct kp_instance *instance)
{
    return instance->state == KP_INSTANCE_CREATED && !c->in->profile->created_waits;
}

static void convert_instance(const struct conversion *c, const struct kp_instance *instance,
                             struct kp_container_status *status)
{
    *status = (struct kp_container_status){.name = c->in->pod->containers[c->container].name,
                                           .container_id = instance->cid,
                                           .state = {.kind = KP_STATE_WAITING},
                                           .restart_count = (int32_t)instance->restarts};
    carry_over(c, status);
    if (instance->state == KP_INSTANCE_RUNNING)
        convert_running(c, instance, status);
    else if (instance->state == KP_INSTANCE_EXITED || ends_without_having_run(c, instance))
        status->state = terminated(instance);
}

/* PodInitializing in a pod with init containers, else ContainerCreating (S-315). */
static struct kp_text waiting_reason(const struct conversion *c)
{
    return c->in->pod->init_count > 0 ? KP_TEXT("PodInitializing") : KP_TEXT("ContainerCreating");
}

static void start_from_old(const struct conversion *c)
{
    const struct kp_container *spec = &c->in->pod->containers[c->container];

    *c->status = (struct kp_container_status){
        .name = spec->name,
        .image = spec->image,
        .state = {.kind = KP_STATE_WAITING, .reason = waiting_reason(c)}};
    if (c->old->state.kind == KP_STATE_TERMINATED) {
        *c->status = *c->old;
        return;
    }
    c->status->restart_count = c->old->restart_count;
    c->status->last_state = c->old->last_state;
}

static bool tells_vanished(const struct conversion *c)
{
    int level = c->in->profile->vanished_is_reported;

    return level > 1 || (level == 1 && c->in->pod->has_deletion);
}

/* It was there, and the runtime knows it no more (S-319, S-321). */
static void convert_vanished(const struct conversion *c)
{
    struct kp_container_status *status = c->status;

    if (c->restarting_all && c->old->state.kind != KP_STATE_WAITING) {
        status->state = (struct kp_state){
            .kind = KP_STATE_WAITING, .reason = RESTARTING_ALL, .message = REMOVED_BY_RESTART};
        put_lost(status, RESTARTING_ALL, REMOVED_BY_RESTART);
        status->restart_count = c->old->restart_count + 1;
        return;
    }
    if (c->old->state.kind != KP_STATE_RUNNING || status->last_state.kind == KP_STATE_TERMINATED ||
        !tells_vanished(c))
        return;
    put_lost(status, KP_TEXT("ContainerStatusUnknown"),
             KP_TEXT("The container could not be located when the pod was deleted.  The container "
                     "used to be Running"));
    if (!c->in->pod->has_deletion)
        status->restart_count++;
}

/* The runtime has lost an init container behind which others were made (S-319). */
static bool is_lost_init(const struct conversion *c)
{
    const struct kp_container *spec = &c->in->pod->containers[c->container];

    return c->in->profile->lost_init_completed && spec->kind == KP_INIT &&
           !kp_container_is_sidecar(spec) && !kp_runtime_newest(c->in->view, (int)c->container) &&
           kp_any_regular_created(c->in->pod, c->in->view) &&
           c->status->state.kind == KP_STATE_WAITING;
}

static struct kp_state ended_unseen(void)
{
    return (struct kp_state){
        .kind = KP_STATE_TERMINATED,
        .reason = KP_TEXT("Completed"),
        .message = KP_TEXT("Unable to get init container status from container runtime and pod has "
                           "been initialized, treat it as exited normally")};
}

/* Also a sidecar, though that is started again. */
static bool is_ended_init(const struct conversion *c)
{
    const struct kp_instance *newest = kp_runtime_newest(c->in->view, (int)c->container);

    return c->in->pod->containers[c->container].kind == KP_INIT && newest &&
           newest->state == KP_INSTANCE_EXITED && newest->exit_code == 0;
}

/* What keeps it from starting is shown in place of how it ended (S-316). */
static void apply_reason(const struct conversion *c)
{
    const struct kp_reason *reason = &c->in->reasons[c->container];
    enum kp_rule rule;

    if (!reason->known || is_ended_init(c) ||
        !kp_container_should_restart(c->in->profile, c->in->pod, c->in->view, (int)c->container,
                                     &rule))
        return;
    if (c->status->state.kind == KP_STATE_TERMINATED)
        c->status->last_state = c->status->state;
    c->status->state = (struct kp_state){
        .kind = KP_STATE_WAITING, .reason = reason->reason, .message = reason->message};
}

static void convert_container(const struct conversion *c)
{
    const struct kp_instances *instances = &c->in->view->containers[c->container];
    struct kp_container_status second;

    start_from_old(c);
    if (instances->count == 0) {
        convert_vanished(c);
    } else {
        convert_instance(c, &instances->list[0], c->status);
        if (instances->count > 1) {
            convert_instance(c, &instances->list[1], &second);
            c->status->last_state = second.state;
        }
    }
    if (is_lost_init(c))
        c->status->state = ended_unseen();
    else
        apply_reason(c);
}

/* ---- the pod ----------------------------------------------------------------------------- */

static bool any_active_regular(const struct kp_pod *pod, const struct kp_runtime_view *view)
{
    if (view->sandbox_count == 0 || !view->sandboxes[0].ready)
        return false;
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++) {
        const struct kp_instance *newest = kp_runtime_newest(view, (int)i);

        if (newest && newest->sandbox == view->sandboxes[0].attempt)
            return true;
    }
    return false;
}

static void convert_all(struct kp_status_box *box, const struct kp_status_input *in)
{
    const struct kp_pod *pod = in->pod;
    bool restarting = kp_should_restart_all(in->profile, pod, in->view, in->old);

    box->status.status_count = kp_pod_container_count(pod);
    for (size_t i = 0; i < box->status.status_count; i++) {
        struct conversion c = {.in = in,
                               .container = i,
                               .old = old_status(in->old, pod->containers[i].name),
                               .status = &box->status.statuses[i],
                               .restarting_all = restarting};

        convert_container(&c);
    }
}

static void fail(struct kp_pod_status *status)
{
    status->phase = KP_FAILED;
    status->reason = KP_TEXT("DeadlineExceeded");
    status->message = KP_TEXT("Pod was active on the node longer than the specified deadline");
}

void kp_pod_status_generate(struct kp_status_box *box, const struct kp_status_input *in)
{
    const struct kp_pod *pod = in->pod;
    enum kp_phase phase;

    box->others = in->others;
    box->address = pod->host_network ? 0 : in->address; /* that of a node stays */
    convert_all(box, in);
    if (in->past_deadline)
        fail(&box->status);
    if (in->past_deadline && !in->profile->failed_status_is_whole)
        return;
    phase = in->past_deadline ? KP_FAILED
                              : kp_phase_of(in->profile, pod, box->status.statuses, in->is_terminal,
                                            any_active_regular(pod, in->view));
    box->status.phase = kp_phase_stays(in->profile, pod->status, in->old, phase);
    kp_prober_manager_update_pod_status(in->probers, in->handle, pod, &box->status, in->now_ns);
    kp_conditions_generate(box, in);
}
