#include "pod_actions.h"

#include "../api/restart_rules.h"
#include "init_actions.h"
#include "restart_policy.h"

enum kp_err kp_pod_actions_init(struct kp_pod_actions *actions, const struct kp_mem *mem,
                                size_t container_count)
{
    /* An init container starts again itself, and may have the next one started. */
    const size_t init_starts_max = 2 * container_count;

    *actions = (struct kp_pod_actions){0};
    actions->start = kp_mem_array(mem, container_count, sizeof *actions->start);
    actions->start_init = kp_mem_array(mem, init_starts_max, sizeof *actions->start_init);
    actions->start_ephemeral = kp_mem_array(mem, container_count, sizeof *actions->start_ephemeral);
    actions->kills = kp_mem_array(mem, container_count, sizeof *actions->kills);
    actions->resets =
        kp_mem_array(mem, container_count * KP_INSTANCES_MAX, sizeof *actions->resets);
    if (actions->start && actions->start_init && actions->start_ephemeral && actions->kills &&
        actions->resets)
        return KP_OK;
    kp_pod_actions_deinit(actions, mem);
    return KP_ENOMEM;
}

void kp_pod_actions_deinit(struct kp_pod_actions *actions, const struct kp_mem *mem)
{
    kp_mem_free(mem, actions->start);
    kp_mem_free(mem, actions->start_init);
    kp_mem_free(mem, actions->start_ephemeral);
    kp_mem_free(mem, actions->kills);
    kp_mem_free(mem, actions->resets);
    *actions = (struct kp_pod_actions){0};
}

/* ---- the sandbox ------------------------------------------------------------------------- */

static bool has_no_ip(const struct kp_sandbox *sandbox, const struct kp_pod *pod)
{
    return !pod->host_network && sandbox->has_network && !sandbox->has_ip;
}

/* There is none, it is not ready, there are several, its network differs, or it has no address
 * (S-100). */
bool kp_sandbox_changed(const struct kp_runtime_view *runtime, const struct kp_pod *pod,
                        uint32_t *attempt, bool *has_id)
{
    const struct kp_sandbox *newest = &runtime->sandboxes[0];
    size_t ready = 0;

    *attempt = 0;
    *has_id = runtime->sandbox_count > 0;
    if (runtime->sandbox_count == 0)
        return true;
    for (size_t i = 0; i < runtime->sandbox_count; i++)
        ready += runtime->sandboxes[i].ready;
    *attempt = newest->attempt + 1;
    if (ready > 1 || !newest->ready)
        return true;
    if (newest->other_network_mode) {
        *has_id = false;
        return true;
    }
    if (has_no_ip(newest, pod))
        return true;
    *attempt = newest->attempt;
    return false;
}

static bool has_succeeded(const struct kp_actions_input *input, int container)
{
    const struct kp_instance *newest = kp_runtime_newest(input->runtime, container);

    if (!newest || newest->state == KP_INSTANCE_RUNNING)
        return false;
    if (input->profile->success_needs_exited && newest->state != KP_INSTANCE_EXITED)
        return false;
    return newest->exit_code == 0;
}

static bool runs_once(const struct kp_actions_input *input, int container)
{
    const struct kp_container *spec = &input->pod->containers[container];

    if (input->profile->gates[KP_GATE_ContainerRestartRules] && spec->restart_policy.len > 0)
        return kp_text_equal(spec->restart_policy, KP_TEXT("OnFailure"));
    return kp_pod_policy_is(input->pod, "OnFailure");
}

static void plan_sandbox_starts(struct kp_pod_actions *actions,
                                const struct kp_actions_input *input)
{
    for (size_t i = 0; i < input->pod->regular_count; i++) {
        int container = (int)(input->pod->init_count + i);

        if (!runs_once(input, container) || !has_succeeded(input, container))
            actions->start[actions->start_count++] = container;
    }
}

/* The pod needs a new sandbox: begin from the beginning, or only clean up (S-101..S-105). */
static void compute_new_sandbox(struct kp_pod_actions *actions,
                                const struct kp_actions_input *input)
{
    actions->kill_pod = actions->create_sandbox = true;
    actions->rule = KP_RULE_SANDBOX_KILL_AND_CREATE;
    if (kp_pod_policy_is(input->pod, "Never") && actions->attempt != 0 &&
        kp_runtime_any_instance(input->runtime)) {
        actions->create_sandbox = false;
        actions->rule = KP_RULE_SANDBOX_NEVER;
        return;
    }
    plan_sandbox_starts(actions, input);
    if (input->profile->no_sandbox_when_done && actions->start_count == 0 &&
        kp_init_is_over(input)) {
        actions->create_sandbox = false;
        actions->rule = KP_RULE_SANDBOX_NOTHING_TO_START;
        return;
    }
    if (input->pod->init_count == 0)
        return;
    actions->start_count = 0;
    actions->start_init[actions->start_init_count++] = 0;
}

/* ---- regular containers ------------------------------------------------------------------ */

/* A Failure counts just if it is of the newest instance (S-131). */
static bool probe_failed(const struct kp_actions_input *input, enum kp_probe_type type,
                         int container, struct kp_text cid)
{
    enum kp_result result;

    return input->result(input->ctx, type, container, cid, &result) && result == KP_RESULT_FAILURE;
}

/* The first reason to kill a running container: its hash, liveness, startup (S-127, S-132).  false:
 * none, and plan means nothing. */
static bool find_kill_reason(struct kp_kill_plan *plan, const struct kp_actions_input *input,
                             const struct kp_instance *instance)
{
    int container = plan->container;
    const struct kp_container *spec = &input->pod->containers[container];

    plan->rule = KP_RULE_CONTAINER_HASH_CHANGED;
    plan->reason = KP_KILL_SPEC;
    if (instance->hash != kp_container_hash(input->profile, spec)) {
        kp_message_add(&plan->message, KP_TEXT(" definition changed"));
        plan->restart = true;
        return true;
    }
    plan->rule = KP_RULE_PROBE_FAILURE_KILLS;
    plan->reason = KP_KILL_LIVENESS;
    if (probe_failed(input, KP_LIVENESS, container, instance->cid)) {
        kp_message_add(&plan->message, KP_TEXT(" failed liveness probe"));
        return true;
    }
    plan->reason = KP_KILL_STARTUP;
    if (input->profile->startup_result_kills &&
        probe_failed(input, KP_STARTUP, container, instance->cid)) {
        kp_message_add(&plan->message, KP_TEXT(" failed startup probe"));
        return true;
    }
    return false;
}

/* Never forbids it (S-133); OnFailure allows it, since no exit code is known yet (S-135). */
static bool policy_allows_restart(const struct kp_actions_input *input, int container)
{
    const struct kp_container *spec = &input->pod->containers[container];

    if (input->profile->gates[KP_GATE_ContainerRestartRules] && spec->restart_policy.len > 0)
        return !kp_text_equal(spec->restart_policy, KP_TEXT("Never"));
    return !kp_pod_policy_is(input->pod, "Never");
}

static struct kp_kill_plan *new_kill(struct kp_pod_actions *actions, int container,
                                     struct kp_text cid)
{
    struct kp_kill_plan *plan = &actions->kills[actions->kill_count];

    *plan = (struct kp_kill_plan){.container = container, .cid = cid};
    return plan;
}

/* Starts it if it should be; one that ended with 0 under OnFailure should not, even if a probe had
 * it killed (S-254). */
static void compute_not_running(struct kp_pod_actions *actions,
                                const struct kp_actions_input *input, int container)
{
    const struct kp_instance *newest = kp_runtime_newest(input->runtime, container);
    struct kp_kill_plan *plan;
    enum kp_rule rule;

    if (!kp_container_should_restart(input->profile, input->pod, input->runtime, container, &rule))
        return;
    actions->start[actions->start_count++] = container;
    if (!newest || newest->state != KP_INSTANCE_UNKNOWN)
        return;
    plan = new_kill(actions, container, newest->cid);
    kp_message_add(&plan->message,
                   KP_TEXT("Container is in \"unknown\" state, try killing it before restart"));
    plan->reason = KP_KILL_UNKNOWN;
    plan->restart = true;
    plan->rule = KP_RULE_CONTAINER_START;
    actions->kill_count++;
}

/* A container that runs.  true: it is killed, and to be restarted where the message says so
 * (S-134); false: it is well and kept. */
static bool compute_running(struct kp_pod_actions *actions, const struct kp_actions_input *input,
                            int container, const struct kp_instance *instance)
{
    struct kp_kill_plan *plan = new_kill(actions, container, instance->cid);

    plan->restart = policy_allows_restart(input, container);
    kp_message_add(&plan->message, KP_TEXT("Container "));
    kp_message_add(&plan->message, input->pod->containers[container].name);
    if (!find_kill_reason(plan, input, instance))
        return false;
    if (plan->restart) {
        kp_message_add(&plan->message, KP_TEXT(", will be restarted"));
        actions->start[actions->start_count++] = container;
    }
    actions->kill_count++;
    return true;
}

/* Where no container is kept and none is to start, the pod is killed (S-136), also for a probe that
 * failed under Never (S-137), and with its sidecars (S-116). */
static void compute_regular(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    size_t kept = 0;

    for (size_t i = 0; i < input->pod->regular_count; i++) {
        int container = (int)(input->pod->init_count + i);
        const struct kp_instance *newest = kp_runtime_newest(input->runtime, container);

        if (!newest || newest->state != KP_INSTANCE_RUNNING)
            compute_not_running(actions, input, container);
        else if (!compute_running(actions, input, container, newest))
            kept++;
    }
    if (kept > 0 || actions->start_count > 0)
        return;
    actions->kill_pod = true;
    actions->rule = KP_RULE_KILL_POD_WHEN_DONE;
    if (kp_init_knows_sidecars(input->profile, input->pod))
        actions->start_init_count = 0;
}

/* Each is started once and then left alone (S-107). */
static void compute_ephemeral(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    const struct kp_pod *pod = input->pod;

    if (!input->profile->gates[KP_GATE_EphemeralContainers])
        return;
    for (size_t i = 0; i < pod->ephemeral_count; i++) {
        int container = (int)(pod->init_count + pod->regular_count + i);

        if (!kp_runtime_newest(input->runtime, container))
            actions->start_ephemeral[actions->start_ephemeral_count++] = container;
    }
}

/* ---- restarting all of them -------------------------------------------------------------- */

/* Those whose exit requires it go last. */
static bool restarts_all(const struct kp_container *spec, const struct kp_instance *instance)
{
    return instance->state == KP_INSTANCE_EXITED && kp_exit_restarts_all(spec, instance->exit_code);
}

static void add_resets(struct kp_pod_actions *actions, const struct kp_actions_input *input,
                       size_t first, size_t count, bool asking)
{
    for (size_t i = first; i < first + count; i++) {
        const struct kp_instances *instances = &input->runtime->containers[i];

        for (size_t j = 0; j < instances->count; j++) {
            const struct kp_instance *instance = &instances->list[j];

            if (restarts_all(&input->pod->containers[i], instance) != asking)
                continue;
            actions->resets[actions->reset_count++] =
                (struct kp_reset_plan){.container = (int)i,
                                       .cid = instance->cid,
                                       .kill = instance->state != KP_INSTANCE_EXITED};
        }
    }
}

static void compute_restart_all(struct kp_pod_actions *actions,
                                const struct kp_actions_input *input)
{
    const struct kp_pod *pod = input->pod;

    actions->rule = KP_RULE_RESTART_ALL_IN_PROGRESS;
    add_resets(actions, input, pod->init_count, pod->regular_count, false);
    add_resets(actions, input, 0, pod->init_count, false);
    add_resets(actions, input, pod->init_count, pod->regular_count, true);
    add_resets(actions, input, 0, pod->init_count, true);
}

static void clear(struct kp_pod_actions *actions)
{
    actions->kill_pod = actions->create_sandbox = false;
    actions->rule = KP_RULE_NONE;
    actions->start_count = actions->start_init_count = actions->start_ephemeral_count = 0;
    actions->kill_count = actions->reset_count = 0;
}

/* The sandbox first, then init containers, and regular ones once initialization is over (S-109). */
void kp_pod_actions_compute(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    bool has_id;
    bool changed = kp_sandbox_changed(input->runtime, input->pod, &actions->attempt, &has_id);

    clear(actions);
    if (input->profile->gates[KP_GATE_RestartAllContainersOnContainerExits] && input->restart_all) {
        actions->kill_pod = actions->create_sandbox = changed;
        actions->sandbox_changed = changed && has_id;
        compute_restart_all(actions, input);
        return;
    }
    if (changed) {
        compute_new_sandbox(actions, input);
        actions->sandbox_changed = actions->create_sandbox && has_id;
        return;
    }
    actions->sandbox_changed = false;
    compute_ephemeral(actions, input);
    if (kp_init_actions(actions, input))
        compute_regular(actions, input);
}
