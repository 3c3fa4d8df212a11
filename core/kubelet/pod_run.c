#include "pod_run.h"

struct kp_effect kp_run_effect(const struct kp_pod_run *run, enum kp_effect_kind kind,
                               int container, enum kp_rule rule)
{
    return (struct kp_effect){
        .kind = kind, .rule = rule, .pod = run->handle, .spec = &run->api, .container = container};
}

void kp_run_emit(const struct kp_pod_run *run, const struct kp_effect *effect)
{
    run->node->sink.effect(run->node->sink.ctx, effect);
}

/* An event of a container, or of the pod itself; a container's has its field path (S-261). */
void kp_run_record(const struct kp_pod_run *run, int container, enum kp_event_type type,
                   struct kp_text reason, const struct kp_message *message, enum kp_rule rule)
{
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_EVENT, container, rule);

    effect.u.event.type = type;
    effect.u.event.reason = reason;
    effect.u.event.message = *message;
    kp_run_emit(run, &effect);
}

void kp_run_record_text(const struct kp_pod_run *run, int container, enum kp_event_type type,
                        struct kp_text reason, struct kp_text text, enum kp_rule rule)
{
    struct kp_message message = {.count = 0};

    kp_message_add(&message, text);
    kp_run_record(run, container, type, reason, &message, rule);
}

uint32_t kp_run_hook(struct kp_pod_run *run, int container, struct kp_text cid,
                     enum kp_hook_type type, enum kp_rule rule)
{
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_HOOK, container, rule);

    effect.cid = cid;
    effect.u.hook.n = ++run->node->last_n;
    effect.u.hook.type = type;
    kp_run_emit(run, &effect);
    return effect.u.hook.n;
}
