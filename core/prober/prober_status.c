/* prober_status.c: what the probes make of a status.  Upstream: prober_manager.go UpdatePodStatus.
 */
#include "prober_state.h"

struct update {
    struct kp_prober_manager *m;
    uint32_t pod;
    const struct kp_pod *spec;
    int64_t now_ns;
};

static bool has_worker(const struct update *u, int container, enum kp_probe_type type)
{
    const struct kp_worker *w = kp_prober_find_slot(u->m, u->pod, container, type);

    return w && w->activity != KP_ABSENT;
}

/* P-161. P-170, S-300.  Without the gate there is no worker whose result could be looked at. */
static bool is_started(const struct update *u, int container, const struct kp_container_status *c)
{
    const struct kp_profile *profile = &u->m->env.profile;
    enum kp_result result;

    if (c->state.kind != KP_STATE_RUNNING)
        return false;
    if (kp_results_get(u->m, KP_STARTUP, u->pod, container, c->container_id, &result))
        return result == KP_RESULT_SUCCESS;
    if (kp_profile_keeps_old(profile) && c->started)
        return true;
    return !has_worker(u, container, KP_STARTUP);
}

/* P-165: a container from before the kubelet's start is as ready as its pod was. */
static bool keep_old_ready(const struct update *u, int container,
                           const struct kp_container_status *c, bool ready)
{
    enum kp_result result;

    if (!kp_profile_keeps_old(&u->m->env.profile) ||
        !kp_prober_is_old(&u->m->env, c->state.started_at_ns))
        return ready;
    if (!ready && !kp_results_get(u->m, KP_READINESS, u->pod, container, c->container_id, &result))
        ready = true;
    if (u->spec->containers[container].probes[KP_READINESS] &&
        !kp_status_is_true(u->spec->status, "Ready"))
        return false;
    return ready;
}

/* Ready is what readiness says; without a Success of it a running container is ready only where
 * there is no worker to ask (P-163, P-169, S-301).  A worker that has not said so is triggered
 * (P-164). */
static bool is_ready(const struct update *u, int container, const struct kp_container_status *c)
{
    const struct kp_profile *profile = &u->m->env.profile;
    enum kp_result result;
    bool known;

    if (c->state.kind != KP_STATE_RUNNING)
        return false;
    known = kp_results_get(u->m, KP_READINESS, u->pod, container, c->container_id, &result);
    if (known && (result == KP_RESULT_SUCCESS || profile->readiness_trigger < 2))
        return result == KP_RESULT_SUCCESS;
    if (profile->readiness_trigger > 0 && has_worker(u, container, KP_READINESS))
        kp_prober_trigger_worker(u->m, kp_prober_find_slot(u->m, u->pod, container, KP_READINESS),
                                 u->now_ns);
    return keep_old_ready(u, container, c, !has_worker(u, container, KP_READINESS));
}

/* Regular containers and, from 1.28, sidecars.  In 1.16 and 1.17 ready did not wait for started
 * (S-302). */
static void update_probed(const struct update *u, int container, struct kp_container_status *c)
{
    const struct kp_profile *profile = &u->m->env.profile;

    c->started = is_started(u, container, c);
    c->has_started = profile->startup_probe_exists;
    if (c->started || !profile->ready_needs_started)
        c->ready = is_ready(u, container, c);
}

/* A sidecar as a regular container (P-167), any other by its exit code (P-166); found by name and
 * position (P-168).  Ephemeral containers have neither field (S-305). */
static void update_init(const struct update *u, int container, struct kp_container_status *c)
{
    bool done = c->state.kind == KP_STATE_TERMINATED && c->state.exit_code == 0;

    if (!u->m->env.profile.sidecar_probes) {
        c->ready = done;
        return;
    }
    if (kp_container_is_sidecar(&u->spec->containers[container])) {
        update_probed(u, container, c);
        return;
    }
    c->started = is_started(u, container, c);
    c->has_started = true;
    if (done)
        c->ready = true;
}

void kp_prober_manager_update_pod_status(struct kp_prober_manager *m, uint32_t pod,
                                         const struct kp_pod *spec, struct kp_pod_status *status,
                                         int64_t now_ns)
{
    struct update u = {m, pod, spec, now_ns};

    for (size_t i = 0; i < status->status_count; i++) {
        struct kp_container_status *c = &status->statuses[i];
        int container = kp_pod_find_container(spec, c->name);

        if (container < 0)
            continue;
        if (spec->containers[container].kind == KP_REGULAR)
            update_probed(&u, container, c);
        if (spec->containers[container].kind == KP_INIT)
            update_init(&u, container, c);
    }
}
