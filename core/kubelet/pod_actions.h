/*
 * pod_actions.h: what one pod sync has to do, given what the runtime and the probes say.
 *
 * Usable alone (op `actions` of the adapter protocol); sync_pod.c carries it out.
 * Upstream: kuberuntime_manager.go computePodActions, kuberuntime_container.go
 * computeInitContainerActions, container/helpers.go ShouldContainerBeRestarted.
 */
#pragma once

#include "../model/trace.h"
#include "runtime.h"

/* What the decision looks at.  All of it is borrowed for the call. */
struct kp_actions_input {
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    const struct kp_runtime_view *runtime;
    /* Cached probe result of a container id; false: there is none (S-131). */
    bool (*result)(void *ctx, enum kp_probe_type type, int container, struct kp_text cid,
                   enum kp_result *result);
    void *ctx;
    bool restart_all; /* condition AllContainersRestarting is True (S-139) */
};

struct kp_kill_plan {
    int container;
    struct kp_text cid;
    struct kp_message message;
    enum kp_kill_reason reason;
    bool restart;
    enum kp_rule rule;
};

/* A container that a restart of all removes, after killing it where it lives (S-139). */
struct kp_reset_plan {
    int container;
    struct kp_text cid;
    bool kill;
};

struct kp_pod_actions {
    bool kill_pod;
    bool create_sandbox;
    bool sandbox_changed; /* there was one before: event SandboxChanged */
    uint32_t attempt;
    /* Indices into pod->containers, in the order acted upon; storage of kp_pod_actions_init. */
    int *start;
    size_t start_count;
    int *start_init;
    size_t start_init_count;
    int *start_ephemeral;
    size_t start_ephemeral_count;
    struct kp_kill_plan *kills; /* init containers first, then in spec order */
    size_t kill_count;
    struct kp_reset_plan *resets;
    size_t reset_count;
    enum kp_rule rule; /* that decided kill_pod and create_sandbox */
};

KP_MUST_USE enum kp_err kp_pod_actions_init(struct kp_pod_actions *actions,
                                            const struct kp_mem *mem, size_t container_count);
void kp_pod_actions_deinit(struct kp_pod_actions *actions, const struct kp_mem *mem);

/* Decide.  Cannot fail, does not allocate: `actions` was initialised for that pod. */
void kp_pod_actions_compute(struct kp_pod_actions *actions, const struct kp_actions_input *input);

/* PodSandboxChanged (S-100): does the pod need another sandbox, and which attempt would it be? */
bool kp_sandbox_changed(const struct kp_runtime_view *runtime, const struct kp_pod *pod,
                        uint32_t *attempt, bool *has_id);
