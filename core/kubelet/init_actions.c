#include "init_actions.h"

#include "restart_policy.h"

static bool has_sidecar(const struct kp_pod *pod)
{
    for (size_t i = 0; i < pod->init_count; i++)
        if (kp_container_is_sidecar(&pod->containers[i]))
            return true;
    return false;
}

/* From then on pods without a sidecar are decided as before, and what is only created is started.
 */
static bool is_mended(const struct kp_profile *profile)
{
    return profile->init_with_sidecars_mended;
}

bool kp_init_knows_sidecars(const struct kp_profile *profile, const struct kp_pod *pod)
{
    if (profile->init_with_sidecars == 2)
        return profile->gates[KP_GATE_SidecarContainers] &&
               (!is_mended(profile) || has_sidecar(pod));
    return profile->init_with_sidecars > 0;
}

static bool has_failed(const struct kp_profile *profile, const struct kp_instance *instance)
{
    if (profile->oom_killed_init_failed && kp_text_equal(instance->reason, KP_TEXT("OOMKilled")))
        return true;
    return instance->state == KP_INSTANCE_UNKNOWN ||
           (instance->state == KP_INSTANCE_EXITED && instance->exit_code != 0);
}

/* FindActiveContainerStatusByName: in the sandbox that there is. */
static const struct kp_instance *newest_in_sandbox(const struct kp_actions_input *input,
                                                   size_t container)
{
    const struct kp_runtime_view *runtime = input->runtime;
    const struct kp_instance *newest = kp_runtime_newest(runtime, (int)container);
    bool is_in_it =
        newest && runtime->sandbox_count > 0 && newest->sandbox == runtime->sandboxes[0].attempt;

    return is_in_it ? newest : NULL;
}

static const struct kp_instance *newest_of(const struct kp_actions_input *input, size_t container)
{
    if (input->profile->init_in_sandbox)
        return newest_in_sandbox(input, container);
    return kp_runtime_newest(input->runtime, (int)container);
}

static bool any_regular_runs(const struct kp_actions_input *input, bool created_too)
{
    for (size_t i = 0; i < input->pod->regular_count; i++) {
        const struct kp_instance *newest = newest_of(input, input->pod->init_count + i);

        if (newest && (newest->state == KP_INSTANCE_RUNNING ||
                       (created_too && newest->state == KP_INSTANCE_CREATED)))
            return true;
    }
    return false;
}

/* HasAnyActiveRegularContainerStarted: in whatever state, but in the sandbox that there is. */
static bool any_regular_in_sandbox(const struct kp_actions_input *input)
{
    for (size_t i = 0; i < input->pod->regular_count; i++)
        if (newest_in_sandbox(input, input->pod->init_count + i))
            return true;
    return false;
}

/* Do the regular containers show that initialization was over already? */
static bool is_over_before(const struct kp_actions_input *input)
{
    const struct kp_profile *profile = input->profile;

    return profile->init_in_sandbox       ? any_regular_in_sandbox(input)
           : profile->init_over_by_exited ? kp_any_regular_created(input->pod, input->runtime)
                                          : any_regular_runs(input, true);
}

static void plan_start(struct kp_pod_actions *actions, size_t init)
{
    actions->start_init[actions->start_init_count++] = (int)init;
}

static void plan_unknown_kill(struct kp_pod_actions *actions, size_t init, struct kp_text cid)
{
    struct kp_kill_plan *plan = &actions->kills[actions->kill_count++];

    *plan = (struct kp_kill_plan){.container = (int)init,
                                  .cid = cid,
                                  .reason = KP_KILL_UNKNOWN,
                                  .restart = true,
                                  .rule = KP_RULE_SIDECAR_START};
    kp_message_add(
        &plan->message,
        KP_TEXT("Init container is in \"unknown\" state, try killing it before restart"));
}

static bool give_up(struct kp_pod_actions *actions)
{
    actions->kill_pod = true;
    actions->rule = KP_RULE_INIT_FAILED;
    return false;
}

/* ---- before sidecars --------------------------------------------------------------------- */

#define NONE_NOW (-1)

/* The next init container to run, or NONE_NOW; *done: all are over; else *failed is the last that
 * failed, or NULL. */
static int find_next(const struct kp_actions_input *input, const struct kp_instance **failed,
                     bool *done)
{
    size_t count = input->pod->init_count;

    *done = count == 0 || (input->profile->init_over_by_running && any_regular_runs(input, false));
    if (*done)
        return NONE_NOW;
    for (size_t i = count; i-- > 0;) {
        *failed = newest_of(input, i);
        if (*failed && has_failed(input->profile, *failed))
            return (int)i;
    }
    *failed = NULL;
    for (size_t i = count; i-- > 0;) {
        const struct kp_instance *newest = newest_of(input, i);

        if (newest && newest->state == KP_INSTANCE_RUNNING)
            return NONE_NOW;
        if (!newest || newest->state != KP_INSTANCE_EXITED)
            continue;
        *done = i == count - 1;
        return *done ? NONE_NOW : (int)i + 1;
    }
    return 0;
}

static bool plain_actions(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    const struct kp_instance *failed = NULL;
    bool done;
    int next = find_next(input, &failed, &done);

    if (done || next == NONE_NOW)
        return done;
    if (failed && kp_pod_policy_is(input->pod, "Never"))
        return give_up(actions);
    if (failed && failed->state == KP_INSTANCE_UNKNOWN)
        plan_unknown_kill(actions, (size_t)next, failed->cid);
    plan_start(actions, (size_t)next);
    return false;
}

/* ---- with sidecars ----------------------------------------------------------------------- */

/* Kill and start again, whatever the restartPolicy; the message does not say so (S-114). */
static void plan_sidecar_kill(struct kp_pod_actions *actions, const struct kp_actions_input *input,
                              size_t init, const char *why, enum kp_kill_reason reason,
                              enum kp_rule rule)
{
    struct kp_kill_plan *plan = &actions->kills[actions->kill_count++];

    *plan = (struct kp_kill_plan){.container = (int)init,
                                  .cid = newest_of(input, init)->cid,
                                  .reason = reason,
                                  .restart = true,
                                  .rule = rule};
    kp_message_add(&plan->message, KP_TEXT("Init container "));
    kp_message_add(&plan->message, input->pod->containers[init].name);
    kp_message_add(&plan->message, kp_text_of(why));
    plan_start(actions, init);
}

static bool definition_changed(const struct kp_actions_input *input, size_t init)
{
    return input->profile->sidecar_definition_watched &&
           newest_of(input, init)->hash !=
               kp_container_hash(input->profile, &input->pod->containers[init]);
}

/* A sidecar that runs (S-111..S-113).  true: the pod is initialized by it, which it is not without
 * a result of its startup probe (S-117). */
static bool running_sidecar(struct kp_pod_actions *actions, const struct kp_actions_input *input,
                            size_t init, bool initialized_before)
{
    const struct kp_container *spec = &input->pod->containers[init];
    struct kp_text cid = newest_of(input, init)->cid;
    bool last = init == input->pod->init_count - 1;
    enum kp_result result;

    if (spec->probes[KP_STARTUP]) {
        if (!input->result(input->ctx, KP_STARTUP, (int)init, cid, &result))
            return false;
        if (result == KP_RESULT_FAILURE)
            plan_sidecar_kill(actions, input, init, " failed startup probe", KP_KILL_STARTUP,
                              KP_RULE_SIDECAR_STARTUP);
        if (result != KP_RESULT_SUCCESS)
            return false;
    }
    if (!last && !initialized_before)
        plan_start(actions, init + 1);
    if (definition_changed(input, init)) {
        plan_sidecar_kill(actions, input, init, " definition changed", KP_KILL_SPEC,
                          KP_RULE_SIDECAR_CHANGED);
        return last;
    }
    if (spec->probes[KP_LIVENESS] &&
        input->result(input->ctx, KP_LIVENESS, (int)init, cid, &result) &&
        result == KP_RESULT_FAILURE)
        plan_sidecar_kill(actions, input, init, " failed liveness probe", KP_KILL_LIVENESS,
                          KP_RULE_SIDECAR_LIVENESS);
    return last;
}

static bool failed_init_restarts(const struct kp_actions_input *input, size_t init)
{
    const struct kp_container *spec = &input->pod->containers[init];
    enum kp_rule rule;

    if (!input->profile->gates[KP_GATE_ContainerRestartRules])
        return !kp_pod_policy_is(input->pod, "Never");
    if (newest_of(input, init)->state == KP_INSTANCE_EXITED)
        return kp_container_should_restart(input->profile, input->pod, input->runtime, (int)init,
                                           &rule);
    if (spec->restart_policy.len > 0)
        return !kp_text_equal(spec->restart_policy, KP_TEXT("Never"));
    return !kp_pod_policy_is(input->pod, "Never");
}

struct init_walk {
    struct kp_pod_actions *actions;
    const struct kp_actions_input *input;
    bool initialized;        /* regular containers may be looked at */
    bool initialized_before; /* something later than this init container is there */
};

/* An ordinary init container that is dead or lost.  false: the pod has failed. */
static bool dead_init(struct init_walk *walk, size_t init)
{
    const struct kp_instance *newest = newest_of(walk->input, init);

    if (newest->state == KP_INSTANCE_EXITED && !has_failed(walk->input->profile, newest)) {
        if (init == walk->input->pod->init_count - 1)
            walk->initialized = true;
        else
            plan_start(walk->actions, init + 1);
        return true;
    }
    if (!failed_init_restarts(walk->input, init))
        return give_up(walk->actions);
    if (newest->state == KP_INSTANCE_UNKNOWN)
        plan_unknown_kill(walk->actions, init, newest->cid);
    plan_start(walk->actions, init);
    return true;
}

static bool walk_instance(struct init_walk *walk, size_t init)
{
    const struct kp_instance *newest = newest_of(walk->input, init);
    bool sidecar = kp_container_is_sidecar(&walk->input->pod->containers[init]);

    if (newest->state == KP_INSTANCE_RUNNING) {
        if (sidecar && running_sidecar(walk->actions, walk->input, init, walk->initialized_before))
            walk->initialized = true;
        return true;
    }
    if (newest->state == KP_INSTANCE_CREATED) {
        if (is_mended(walk->input->profile))
            plan_start(walk->actions, init);
        return true;
    }
    if (!sidecar)
        return dead_init(walk, init);
    if (newest->state == KP_INSTANCE_UNKNOWN)
        plan_unknown_kill(walk->actions, init, newest->cid);
    plan_start(walk->actions, init);
    return true;
}

static bool walk_one(struct init_walk *walk, size_t init)
{
    bool sidecar = kp_container_is_sidecar(&walk->input->pod->containers[init]);

    if (!newest_of(walk->input, init)) {
        if (walk->initialized_before && sidecar)
            plan_start(walk->actions, init);
        return true;
    }
    if (walk->initialized_before && !sidecar)
        return true;
    if (!walk_instance(walk, init))
        return false;
    walk->initialized_before = true;
    return true;
}

static void reverse(int *list, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        int kept = list[i];

        list[i] = list[count - 1 - i];
        list[count - 1 - i] = kept;
    }
}

/* Kills go in spec order, init containers first (the kubelet's map order is random). */
static void reverse_kills(struct kp_kill_plan *list, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct kp_kill_plan kept = list[i];

        list[i] = list[count - 1 - i];
        list[count - 1 - i] = kept;
    }
}

static bool sidecar_actions(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    struct init_walk walk = {.actions = actions, .input = input};

    if (input->pod->init_count == 0)
        return true;
    walk.initialized_before = is_over_before(input);
    walk.initialized = walk.initialized_before;
    for (size_t i = input->pod->init_count; i-- > 0;)
        if (!walk_one(&walk, i))
            return false;
    if (!walk.initialized_before)
        plan_start(actions, 0);
    reverse(actions->start_init, actions->start_init_count);
    reverse_kills(actions->kills, actions->kill_count);
    return walk.initialized;
}

/* ---- either way -------------------------------------------------------------------------- */

bool kp_init_actions(struct kp_pod_actions *actions, const struct kp_actions_input *input)
{
    if (kp_init_knows_sidecars(input->profile, input->pod))
        return sidecar_actions(actions, input);
    return plain_actions(actions, input);
}

bool kp_init_is_over(const struct kp_actions_input *input)
{
    const struct kp_instance *failed = NULL;
    bool done;

    if (kp_init_knows_sidecars(input->profile, input->pod))
        return kp_any_regular_created(input->pod, input->runtime);
    (void)find_next(input, &failed, &done);
    return done;
}
