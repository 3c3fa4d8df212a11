#include "kill_container.h"

#include "hook_text.h"
#include "sync_state.h"

#define MINIMUM_GRACE_S 2

static const struct kp_probe *probe_of(const struct kp_container *spec, enum kp_kill_reason reason)
{
    if (reason == KP_KILL_STARTUP)
        return spec->probes[KP_STARTUP];
    return reason == KP_KILL_LIVENESS ? spec->probes[KP_LIVENESS] : NULL;
}

/* The deletion's, or 2 s of a pod without one (S-209); else that of the probe that failed, where it
 * has one (S-210; readiness has none, S-212); else the pod's. */
int64_t kp_kill_grace_s(const struct kp_profile *profile, const struct kp_pod *pod, int container,
                        enum kp_kill_reason reason)
{
    const struct kp_probe *probe = probe_of(&pod->containers[container], reason);

    if (pod->has_deletion_grace)
        return pod->deletion_grace_s;
    if (!pod->has_grace)
        return MINIMUM_GRACE_S;
    if (probe && probe->has_grace && profile->probe_grace &&
        (profile->probe_grace > 1 || profile->gates[KP_GATE_ProbeTerminationGracePeriod]))
        return probe->grace_s;
    return pod->grace_s;
}

/* ---- whose turn it is -------------------------------------------------------------------- */

static bool is_still_dying(const struct kp_sync *sync, size_t container)
{
    enum kp_kill_state state = sync->containers[container].kill.state;

    /* A failed kill never says that the container is gone: the others wait in vain (S-216). */
    return state != KP_KILL_IDLE && state != KP_KILL_DONE;
}

static bool must_wait(const struct kp_sync *sync, const struct kp_kill *kill)
{
    const struct kp_pod *pod = sync->pod;
    size_t container = (size_t)kill->container;

    if (!kill->ordered || !kp_container_is_sidecar(&pod->containers[container]))
        return false;
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++)
        if (is_still_dying(sync, i))
            return true;
    for (size_t i = container + 1; i < pod->init_count; i++)
        if (kp_container_is_sidecar(&pod->containers[i]))
            return is_still_dying(sync, i);
    return false;
}

/* ---- the steps --------------------------------------------------------------------------- */

static int64_t whole_seconds_since(const struct kp_pod_run *run, int64_t since_ns)
{
    return (run->node->now_ns - since_ns) / KP_NS_PER_S;
}

/* What is left of the grace, 2 s at least (S-217), goes to StopContainer (S-219). */
static void stop_container(struct kp_pod_run *run, struct kp_kill *kill)
{
    struct kp_effect effect = kp_run_effect(run, KP_EFFECT_KILL, kill->container, kill->rule);
    const struct kp_instance *instance = kp_runtime_find(&run->truth, kill->container, kill->cid);

    if (kill->grace_s < MINIMUM_GRACE_S)
        kill->grace_s = MINIMUM_GRACE_S;
    if (kill->has_override && !run->node->profile.override_before_pre_stop)
        kill->grace_s = kill->override_s;
    effect.cid = kill->cid;
    effect.u.kill.grace_s = kill->grace_s;
    effect.u.kill.reason = kill->reason;
    effect.u.kill.message = kill->message;
    kill->state = KP_KILL_STOPPING;
    kill->request = ++run->requests;
    kill->deadline_ns = KP_NEVER;
    kp_run_emit(run, &effect);
    if (!instance || instance->state == KP_INSTANCE_EXITED)
        kill->state = KP_KILL_DONE;
}

static void take_turn(struct kp_pod_run *run, struct kp_kill *kill)
{
    kill->state = KP_KILL_TURN;
    kill->since_ns = run->node->now_ns;
    kill->deadline_ns = kp_timer_ns(run->node->now_ns, kp_seconds_ns(kill->grace_s));
}

/* Housekeeping kills with what the runtime knows of a container, which is in no spec: no event is
 * about it (FilterEventRecorder). */
static bool is_nameless(const struct kp_sync *sync)
{
    return sync->order->type == KP_WORK_UNWANTED;
}

/* S-225: both times go around by themselves. */
static void run_pre_stop(struct kp_sync *sync, struct kp_kill *kill)
{
    struct kp_pod_run *run = sync->run;
    const struct kp_handler *hook = sync->pod->containers[kill->container].pre_stop;
    int64_t slept_ns;

    kill->state = KP_KILL_PRE_STOP;
    kill->since_ns = run->node->now_ns;
    kill->deadline_ns = kp_timer_ns(run->node->now_ns, kp_seconds_ns(kill->grace_s));
    kill->hook_done = !kp_hook_has_handler(hook);
    kill->hook_answer = KP_ANSWER_ERROR;
    if (kill->hook_done)
        return;
    if (!hook->sleep) {
        kill->hook_n =
            kp_run_hook(run, kill->container, kill->cid, KP_PRE_STOP, KP_RULE_PRE_STOP_TIME);
        return;
    }
    /* The kubelet sleeps by itself; no attempt is seen outside. */
    slept_ns = kp_timer_ns(run->node->now_ns, kp_seconds_ns(hook->sleep->seconds));
    if (slept_ns < kill->deadline_ns)
        kill->deadline_ns = slept_ns;
}

void kp_kill_begin(struct kp_sync *sync, struct kp_kill *kill)
{
    struct kp_pod_run *run = sync->run;
    const struct kp_pod *pod = sync->pod;
    const struct kp_container *spec = &pod->containers[kill->container];

    kill->grace_s = kp_kill_grace_s(&run->node->profile, pod, kill->container, kill->reason);
    if (!is_nameless(sync)) {
        if (kill->message.count == 0) {
            kp_message_add(&kill->message, KP_TEXT("Stopping container "));
            kp_message_add(&kill->message, spec->name);
        }
        kp_run_record(run, kill->container, KP_NORMAL, KP_TEXT("Killing"), &kill->message,
                      KP_RULE_KILLING_EVENT_FIRST);
    }
    if (kill->has_override && run->node->profile.override_before_pre_stop)
        kill->grace_s = kill->override_s;
    if (spec->pre_stop && kill->grace_s > 0)
        run_pre_stop(sync, kill);
    else
        take_turn(run, kill);
}

static void record_pre_stop(struct kp_sync *sync, int container, enum kp_answer answer,
                            int32_t code, struct kp_text output)
{
    struct kp_pod_run *run = sync->run;
    struct kp_text text = KP_TEXT("PreStopHook failed");

    if (answer == KP_ANSWER_SUCCESS || is_nameless(sync))
        return;
    if (!run->node->profile.hook_texts_fixed)
        text = kp_hook_text(sync, container, sync->pod->containers[container].pre_stop, answer,
                            code, output);
    kp_run_record_text(run, container, KP_WARNING, KP_TEXT("FailedPreStopHook"), text,
                       KP_RULE_HOOK_FAILED_TEXT);
}

static void end_pre_stop(struct kp_sync *sync, const struct kp_kill *kill)
{
    struct kp_container_run *own = &sync->containers[kill->container];

    if (kill->hook_done)
        record_pre_stop(sync, kill->container, kill->hook_answer, kill->hook_code,
                        kill->hook_output);
    else
        own->late_hooks[own->late_count++ % KP_LATE_HOOKS] =
            (struct kp_late_hook){.n = kill->hook_n};
}

void kp_kill_emit_late(struct kp_sync *sync, int container)
{
    for (size_t i = 0; i < KP_LATE_HOOKS; i++) {
        struct kp_late_hook *late = &sync->containers[container].late_hooks[i];

        record_pre_stop(sync, container, late->answer, late->code, late->output);
        late->answer = KP_ANSWER_SUCCESS;
    }
}

static bool is_late(const struct kp_pod_run *run, const struct kp_kill *kill)
{
    return run->node->now_ns >= kill->deadline_ns;
}

void kp_kill_step(struct kp_sync *sync, struct kp_kill *kill)
{
    struct kp_pod_run *run = sync->run;

    if (kill->state == KP_KILL_PRE_STOP && (kill->hook_done || is_late(run, kill))) {
        end_pre_stop(sync, kill);
        kill->grace_s -= whole_seconds_since(run, kill->since_ns);
        take_turn(run, kill);
    }
    if (kill->state == KP_KILL_TURN && (is_late(run, kill) || !must_wait(sync, kill))) {
        kill->grace_s -= whole_seconds_since(run, kill->since_ns);
        stop_container(run, kill);
    }
}

bool kp_kill_hook_answered(struct kp_kill *kill, const struct kp_event *event)
{
    if (kill->hook_n != event->u.answer.n)
        return false;
    kill->hook_done = true;
    kill->hook_answer = event->u.answer.result;
    kill->hook_code = event->u.answer.code;
    kill->hook_output = event->message;
    return true;
}

void kp_kill_acknowledge(struct kp_kill *kill, struct kp_text error, bool failed, unsigned place)
{
    kill->state = failed ? KP_KILL_FAILED : KP_KILL_DONE;
    kill->error = error;
    kill->place = place;
}

bool kp_kill_is_over(const struct kp_kill *kill)
{
    return kill->state == KP_KILL_DONE || kill->state == KP_KILL_FAILED ||
           kill->state == KP_KILL_IDLE;
}
