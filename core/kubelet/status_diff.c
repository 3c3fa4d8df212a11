#include "status_diff.h"

#include "conditions.h"

/* ---- the same? --------------------------------------------------------------------------- */

static bool looks_same(const struct kp_state *a, const struct kp_state *b)
{
    return a->kind == b->kind && kp_text_equal(a->reason, b->reason) &&
           kp_text_equal(a->message, b->message) && a->exit_code == b->exit_code &&
           a->beside_waiting == b->beside_waiting;
}

static bool same_state(const struct kp_container_status *a, const struct kp_container_status *b)
{
    return looks_same(&a->state, &b->state) && looks_same(&a->last_state, &b->last_state) &&
           a->restart_count == b->restart_count;
}

static bool is_started(const struct kp_container_status *status)
{
    return status->has_started && status->started;
}

/* Which instance it is of, and when: no effect shows it. */
static bool same_instance(const struct kp_state *a, const struct kp_state *b)
{
    return a->started_at_ns == b->started_at_ns && a->finished_at_ns == b->finished_at_ns &&
           kp_text_equal(a->container_id, b->container_id);
}

static bool same_container(const struct kp_container_status *a, const struct kp_container_status *b)
{
    return same_state(a, b) && same_instance(&a->state, &b->state) &&
           same_instance(&a->last_state, &b->last_state) &&
           kp_text_equal(a->container_id, b->container_id) && is_started(a) == is_started(b) &&
           a->ready == b->ready && kp_text_equal(a->image, b->image);
}

bool kp_status_same(const struct kp_status_box *a_box, const struct kp_status_box *b_box)
{
    const struct kp_pod_status *a = &a_box->status;
    const struct kp_pod_status *b = &b_box->status;

    if (a_box->address != b_box->address || a->phase != b->phase ||
        a->status_count != b->status_count || a->condition_count != b->condition_count ||
        !kp_text_equal(a->reason, b->reason))
        return false;
    for (size_t i = 0; i < a->status_count; i++)
        if (!same_container(&a->statuses[i], &b->statuses[i]))
            return false;
    for (size_t i = 0; i < a->condition_count; i++)
        if (!kp_condition_equal(&a->conditions[i], &b->conditions[i]))
            return false;
    return true;
}

/* ---- what has changed -------------------------------------------------------------------- */

static void emit_state(const struct kp_pod_run *run, int container,
                       const struct kp_container_status *is)
{
    static const struct kp_state waiting = {.kind = KP_STATE_WAITING};
    struct kp_effect effect =
        kp_run_effect(run, KP_EFFECT_STATE, container, KP_RULE_STATE_AND_LAST_STATE);

    effect.u.state.state = &is->state;
    effect.u.state.last = is->last_state.beside_waiting ? &waiting : &is->last_state;
    effect.u.state.restarts = is->restart_count;
    kp_run_emit(run, &effect);
}

static void emit_flag(const struct kp_pod_run *run, enum kp_effect_kind kind, enum kp_rule rule,
                      int container, bool value)
{
    struct kp_effect effect = kp_run_effect(run, kind, container, rule);

    effect.u.value = value;
    kp_run_emit(run, &effect);
}

static void emit_container(const struct kp_pod_run *run, int container,
                           const struct kp_container_status *was,
                           const struct kp_container_status *is)
{
    if (!same_state(was, is))
        emit_state(run, container, is);
    if (is_started(was) != is_started(is))
        emit_flag(run, KP_EFFECT_STARTED, KP_RULE_STATUS_STARTED, container, is_started(is));
    if (was->ready != is->ready)
        emit_flag(run, KP_EFFECT_READY, KP_RULE_STATUS_READY, container, is->ready);
}

static void emit_conditions(const struct kp_pod_run *run, const struct kp_pod_status *was,
                            const struct kp_pod_status *is)
{
    for (size_t i = 0; i < is->condition_count; i++) {
        const struct kp_condition *condition = &is->conditions[i];
        const struct kp_condition *old = was ? kp_condition_find(was, condition->type) : NULL;
        struct kp_effect effect;

        if (old && kp_condition_equal(old, condition))
            continue;
        effect = kp_run_effect(run, KP_EFFECT_CONDITION, KP_POD_ITSELF,
                               KP_RULE_CONDITION_CONTAINERS_READY);
        effect.u.condition = condition;
        kp_run_emit(run, &effect);
    }
}

void kp_status_emit(const struct kp_pod_run *run, const struct kp_pod_status *was,
                    const struct kp_pod_status *is)
{
    static const struct kp_container_status nothing;
    struct kp_effect effect;

    /* Ephemeral containers are not emitted. */
    for (size_t i = 0; i < run->api.init_count + run->api.regular_count; i++)
        emit_container(run, (int)i, was ? &was->statuses[i] : &nothing, &is->statuses[i]);
    emit_conditions(run, was, is);
    if (is->phase == (was ? was->phase : KP_PENDING))
        return;
    effect = kp_run_effect(run, KP_EFFECT_PHASE, KP_POD_ITSELF, KP_RULE_PHASE);
    effect.u.phase = is->phase;
    kp_run_emit(run, &effect);
}
