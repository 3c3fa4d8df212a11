#include "conformance/why/cause.h"

#include "conformance/simulate/sim_script.h"
#include "conformance/text/durations.h"
#include "core/kubelet/active_deadline.h"

#include <string.h>

#define SLACK_NS (5 * KP_NS_PER_S) /* times have whole seconds, and an event lags */
#define SIGTERM_CODE 143

static const struct cf_cause_row rows[] = {
#define CAUSE(name, id, what, change) {id, what, change},
#include "conformance/why/cause.def"
#undef CAUSE
};

const struct cf_cause_row *cf_cause_row(enum cf_cause cause)
{
    return &rows[cause];
}

const char *cf_certainty_name(enum cf_certainty certainty)
{
    static const char *const names[] = {
        [CF_SURE] = "sure", [CF_LIKELY] = "likely", [CF_UNSURE] = "unsure"};

    return names[certainty];
}

bool cf_stated_backoff(const struct kp_state *waiting, int64_t *ns)
{
    const struct kp_text before = KP_TEXT("ack-off "); /* with a capital in 1.15 */
    struct kp_text text = waiting->message;
    size_t at = kp_text_find(text, before);

    if (at == text.len)
        return false;
    (void)kp_text_cut(kp_text_from(text, at + before.len), ' ', &text, &(struct kp_text){0});
    return cf_parse_duration(text, ns);
}

/* One container under judgement. */
struct judging {
    const struct cf_history *history;
    const struct kp_pod *pod;
    struct cf_verdict *verdict;
};

static bool decide(const struct judging *judging, enum cf_cause cause, enum cf_certainty certainty)
{
    judging->verdict->cause = cause;
    judging->verdict->certainty = certainty;
    return true;
}

/* ---- what the status says for certain -------------------------------------------------------- */

struct said {
    const char *reason;
    enum cf_cause cause;
};

/* A list ends with NULL. */
static bool by_word(const struct judging *judging, struct kp_text reason, const struct said *said)
{
    for (; said->reason; said++)
        if (kp_text_equal(reason, kp_text_of(said->reason)))
            return decide(judging, said->cause, CF_SURE);
    return false;
}

static bool by_waiting(const struct judging *judging)
{
    static const struct said reasons[] = {{"ErrImagePull", CF_CAUSE_IMAGE},
                                          {"ImagePullBackOff", CF_CAUSE_IMAGE},
                                          {"InvalidImageName", CF_CAUSE_IMAGE},
                                          {"ErrImageNeverPull", CF_CAUSE_IMAGE},
                                          {"ImageInspectError", CF_CAUSE_IMAGE},
                                          {"RegistryUnavailable", CF_CAUSE_IMAGE},
                                          {"SignatureValidationFailed", CF_CAUSE_IMAGE},
                                          {"CreateContainerConfigError", CF_CAUSE_CONFIG},
                                          {"CreateContainerError", CF_CAUSE_CONFIG},
                                          {"RunContainerError", CF_CAUSE_COMMAND},
                                          {NULL, CF_CAUSES}};
    const struct kp_container_status *status = judging->verdict->status;

    return status && status->state.kind == KP_STATE_WAITING &&
           by_word(judging, status->state.reason, reasons);
}

static bool by_reason(const struct judging *judging)
{
    static const struct said reasons[] = {{"OOMKilled", CF_CAUSE_OOM},
                                          {"StartError", CF_CAUSE_COMMAND},
                                          {"ContainerCannotRun", CF_CAUSE_COMMAND},
                                          {"ContainerStatusUnknown", CF_CAUSE_NODE},
                                          {NULL, CF_CAUSES}};
    const struct kp_state *end = judging->verdict->end;

    /* What containerd says of a task that it does not find again. */
    if (end->exit_code == 255 && kp_text_equal(end->reason, KP_TEXT("Unknown")))
        return decide(judging, CF_CAUSE_NODE, CF_LIKELY);
    return by_word(judging, end->reason, reasons);
}

/* Of a pod past its deadline, what had ended before was not ended by that. */
static bool ended_before_deadline(const struct judging *judging)
{
    const struct kp_pod *pod = judging->pod;
    const struct kp_state *end = judging->verdict->end;
    int64_t left_ns;

    if (!end || end->finished_at_ns == 0)
        return false;
    left_ns = kp_active_deadline_left_ns(pod, pod->status, end->finished_at_ns);
    return left_ns > 0 && left_ns != KP_NEVER;
}

/* A pod that failed as a whole says why in its own status. */
static bool by_pod(const struct judging *judging)
{
    static const struct said reasons[] = {{"Evicted", CF_CAUSE_EVICTED},
                                          {"Preempting", CF_CAUSE_EVICTED},
                                          {"Preempted", CF_CAUSE_EVICTED},
                                          {"NodeLost", CF_CAUSE_NODE},
                                          {"NodeShutdown", CF_CAUSE_NODE},
                                          {"Terminated", CF_CAUSE_NODE},
                                          {"Shutdown", CF_CAUSE_NODE},
                                          {"NodeAffinity", CF_CAUSE_NODE},
                                          {NULL, CF_CAUSES}};
    const struct kp_pod_status *status = judging->pod->status;

    if (!status)
        return false;
    if (kp_text_equal(status->reason, KP_TEXT("DeadlineExceeded")))
        return !ended_before_deadline(judging) && decide(judging, CF_CAUSE_DEADLINE, CF_SURE);
    return by_word(judging, status->reason, reasons);
}

/* ---- what events say ------------------------------------------------------------------------- */

/* Does what was reported at an instant belong to the end?  A kill comes a grace before it. */
static bool belongs(const struct judging *judging, const struct cf_pod_event *event)
{
    const struct kp_state *end = judging->verdict->end;
    int64_t grace_s = judging->pod->grace_s;

    if (!event || event->last_ns == 0)
        return false;
    if (grace_s < judging->verdict->kills.grace_s)
        grace_s = judging->verdict->kills.grace_s;
    return event->last_ns <= end->finished_at_ns + SLACK_NS &&
           (end->finished_at_ns - SLACK_NS - event->last_ns) / KP_NS_PER_S <= grace_s;
}

/* The kubelet's own words for a kill. */
static bool by_killing(const struct judging *judging)
{
    static const struct {
        const char *says;
        enum cf_cause cause;
    } words[] = {{"failed liveness probe", CF_CAUSE_LIVENESS},
                 {"failed startup probe", CF_CAUSE_STARTUP},
                 {"FailedPostStartHook", CF_CAUSE_HOOK},
                 {"definition changed", CF_CAUSE_REPLACED}};
    const struct cf_pod_event *killing = judging->verdict->killing;

    if (!killing)
        return false;
    judging->verdict->at_once = belongs(judging, killing);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (kp_text_has(killing->message, words[i].says))
            return judging->verdict->at_once && decide(judging, words[i].cause, CF_SURE);
    return false;
}

static enum cf_cause probe_cause(const struct judging *judging);

/*
 * Where nothing else of the pod runs and nothing is to start again, a probe's failure stops the
 * whole pod, and the event has the words of a deletion (S-137).
 */
static bool by_probe_of_pod(const struct judging *judging)
{
    struct cf_verdict *verdict = judging->verdict;
    enum cf_cause cause = probe_cause(judging);
    enum kp_probe_type type = cause == CF_CAUSE_STARTUP ? KP_STARTUP : KP_LIVENESS;
    const struct cf_pod_event *failed = verdict->unhealthy[type];
    const struct kp_probe *probe = verdict->container->probes[type];
    struct kp_text own = verdict->container->restart_policy;
    struct kp_text policy = own.len > 0 ? own : judging->pod->restart_policy;

    if (!probe || !failed || !verdict->possible || !kp_text_equal(policy, KP_TEXT("Never")) ||
        failed->last_ns > verdict->killing->last_ns + KP_NS_PER_S ||
        failed->last_ns < verdict->killing->last_ns - SLACK_NS)
        return false;
    verdict->by_pod = true;
    return decide(judging, cause, failed->count >= probe->failure_threshold ? CF_SURE : CF_LIKELY);
}

static const struct cf_pod_event *changed_sandbox(const struct judging *judging)
{
    return cf_history_event(judging->history, KP_TEXT_NONE, "SandboxChanged", NULL);
}

/* What is deleted does not start again. */
static bool is_last(const struct cf_verdict *verdict)
{
    return verdict->end == &verdict->status->state;
}

/* Whose sandbox changed is stopped whole, and started anew; what is deleted does not start again.
 */
static bool by_changed_sandbox(const struct judging *judging)
{
    const struct cf_pod_event *changed = changed_sandbox(judging);
    const struct cf_verdict *verdict = judging->verdict;
    int64_t killed_ns = verdict->killing->last_ns;

    if (changed && changed->last_ns >= killed_ns - SLACK_NS &&
        changed->first_ns <= killed_ns + SLACK_NS)
        return decide(judging, CF_CAUSE_SANDBOX, CF_SURE);
    return !is_last(verdict) && decide(judging, CF_CAUSE_SANDBOX, CF_LIKELY);
}

/* Have all of the pod's regular containers ended for good by an instant? */
static bool are_over(const struct judging *judging, int64_t by_ns)
{
    const struct kp_pod *pod = judging->pod;
    const struct kp_container *containers = pod->containers + pod->init_count;

    for (size_t i = 0; i < pod->regular_count; i++) {
        const struct kp_container_status *status = kp_status_find(pod->status, containers[i].name);

        if (!status || status->state.kind != KP_STATE_TERMINATED ||
            status->state.finished_at_ns > by_ns)
            return false;
    }
    return !kp_text_equal(pod->restart_policy, KP_TEXT("Always"));
}

/* A sidecar is stopped when the regular containers are over, and is the last to end (S-136). */
static bool by_others(const struct judging *judging, enum cf_certainty certainty)
{
    const struct cf_verdict *verdict = judging->verdict;

    return kp_container_is_sidecar(verdict->container) &&
           are_over(judging, verdict->end->finished_at_ns) &&
           decide(judging, CF_CAUSE_OTHERS, certainty);
}

/* The whole pod is stopped, and the event does not say why. */
static bool by_stopping(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;

    if (!verdict->at_once || !kp_text_has(verdict->killing->message, "Stopping container"))
        return false;
    if (judging->pod->has_deletion && is_last(verdict))
        return decide(judging, CF_CAUSE_DELETED, CF_SURE);
    return by_probe_of_pod(judging) || by_others(judging, CF_SURE) || by_changed_sandbox(judging) ||
           decide(judging, CF_CAUSE_DELETED, CF_LIKELY);
}

static bool by_sandbox(const struct judging *judging)
{
    const struct cf_pod_event *changed = changed_sandbox(judging);
    const struct kp_state *end = judging->verdict->end;

    /* It is reported when the kubelet is back, which may be much later. */
    return changed && end->finished_at_ns > 0 &&
           changed->last_ns >= end->finished_at_ns - SLACK_NS &&
           decide(judging, CF_CAUSE_NODE, CF_LIKELY);
}

static bool by_deletion(const struct judging *judging)
{
    return judging->pod->has_deletion && is_last(judging->verdict) &&
           decide(judging, CF_CAUSE_DELETED, CF_LIKELY);
}

/* ---- what may be ----------------------------------------------------------------------------- */

/* The probe whose failures are the newest, or the one that the engine names. */
static enum cf_cause probe_cause(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;
    const struct cf_pod_event *liveness = verdict->unhealthy[KP_LIVENESS];
    const struct cf_pod_event *startup = verdict->unhealthy[KP_STARTUP];

    if (liveness && (!startup || liveness->last_ns >= startup->last_ns))
        return CF_CAUSE_LIVENESS;
    return startup || verdict->kills.type == KP_STARTUP ? CF_CAUSE_STARTUP : CF_CAUSE_LIVENESS;
}

/*
 * Its next start waits, as long as reported, and it ran for longer.  A probe's kill is measured
 * from the end of the instance before (S-252), and is then followed by a start at once.
 */
static bool is_refused(const struct cf_verdict *verdict)
{
    const struct kp_container_status *status = verdict->status;
    int64_t wait_ns = 0;

    return status && status->state.kind == KP_STATE_WAITING &&
           cf_stated_backoff(&status->state, &wait_ns) && verdict->ran_ns > wait_ns + SLACK_NS;
}

/* A kill needs its time, and SIGKILL the grace besides. */
static bool is_possible(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;
    int64_t left_ns = verdict->ran_ns + KP_NS_PER_S; /* whole seconds */

    if (verdict->kills.soonest_ns == KP_NEVER || verdict->refused)
        return false;
    left_ns -= verdict->kills.soonest_ns;
    return verdict->ran_ns < 0 ||
           (left_ns >= 0 && (verdict->end->exit_code != CF_SIGKILL_CODE ||
                             left_ns / KP_NS_PER_S >= verdict->kills.grace_s));
}

/* Failures of a probe that kills are reported, and they do not end long before the end. */
static bool was_failing(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;

    return belongs(judging, verdict->unhealthy[KP_LIVENESS]) ||
           belongs(judging, verdict->unhealthy[KP_STARTUP]);
}

/* By a signal that the kubelet sends, too. */
static bool by_signal(const struct judging *judging, enum cf_cause otherwise)
{
    const struct cf_verdict *verdict = judging->verdict;

    bool told = was_failing(judging) || verdict->killing;

    if (verdict->possible && (told || judging->history->event_count == 0))
        return decide(judging, probe_cause(judging), told ? CF_LIKELY : CF_UNSURE);
    return decide(judging, otherwise, CF_UNSURE);
}

static void by_code(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;
    int32_t code = verdict->end->exit_code;
    /* A program that handles SIGTERM ends with a code of its own. */
    enum cf_certainty certainty = verdict->possible ? CF_LIKELY : CF_SURE;

    if (code == SIGTERM_CODE)
        by_signal(judging, CF_CAUSE_TERM);
    else if (code == CF_SIGKILL_CODE)
        by_signal(judging, CF_CAUSE_KILL);
    else if (verdict->possible && was_failing(judging) && verdict->killing)
        decide(judging, probe_cause(judging), CF_LIKELY);
    else if (code == 0)
        decide(judging, CF_CAUSE_COMPLETED, certainty);
    else if (code > 128 && code < 160)
        decide(judging, CF_CAUSE_SIGNALLED, CF_SURE);
    else
        decide(judging, CF_CAUSE_EXITED, certainty);
}

/* ---- what has not ended ---------------------------------------------------------------------- */

static void by_life(const struct judging *judging)
{
    const struct cf_verdict *verdict = judging->verdict;
    const struct kp_container_status *status = verdict->status;

    if (!judging->history->status)
        decide(judging, CF_CAUSE_NO_STATUS, CF_SURE);
    else if (!status || status->state.kind == KP_STATE_NONE ||
             status->state.kind == KP_STATE_WAITING)
        decide(judging, CF_CAUSE_PENDING, CF_SURE);
    else if (judging->pod->has_deletion)
        decide(judging, CF_CAUSE_STOPPING, CF_SURE);
    else if (status->restart_count > 0)
        decide(judging, CF_CAUSE_UNTOLD, CF_UNSURE);
    else if (verdict->container->probes[KP_STARTUP] && status->has_started && !status->started)
        decide(judging, CF_CAUSE_STARTING, CF_SURE);
    else
        decide(judging,
               verdict->container->kind == KP_REGULAR && !status->ready ? CF_CAUSE_UNREADY
                                                                        : CF_CAUSE_NOTHING,
               CF_SURE);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const struct kp_state *newest_end(const struct kp_container_status *status)
{
    if (!status)
        return NULL;
    if (status->state.kind == KP_STATE_TERMINATED)
        return &status->state;
    return status->last_state.kind == KP_STATE_TERMINATED ? &status->last_state : NULL;
}

static void gather(const struct judging *judging)
{
    static const char *const says[KP_PROBE_TYPES] = {[KP_LIVENESS] = "Liveness probe",
                                                     [KP_READINESS] = "Readiness probe",
                                                     [KP_STARTUP] = "Startup probe"};
    struct cf_verdict *verdict = judging->verdict;
    struct kp_text name = verdict->container->name;
    const struct kp_state *end = verdict->end;

    verdict->killing = cf_history_event(judging->history, name, "Killing", NULL);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        verdict->unhealthy[type] =
            cf_history_event(judging->history, name, "Unhealthy", says[type]);
    if (end && end->started_at_ns > 0 && end->finished_at_ns >= end->started_at_ns)
        verdict->ran_ns = end->finished_at_ns - end->started_at_ns;
    verdict->refused = end && is_refused(verdict);
    verdict->possible = end && is_possible(judging);
}

struct cf_verdict cf_judge(const struct cf_history *history, size_t index, struct cf_kill_age kills)
{
    const struct kp_pod *pod = history->pod;
    struct cf_verdict verdict = {
        .container = &pod->containers[index], .ran_ns = -1, .kills = kills};
    struct judging judging = {history, pod, &verdict};

    verdict.status = pod->status ? kp_status_find(pod->status, verdict.container->name) : NULL;
    verdict.end = newest_end(verdict.status);
    gather(&judging);
    if (by_waiting(&judging) || (verdict.end && by_reason(&judging)) || by_pod(&judging))
        return verdict;
    if (!verdict.end)
        by_life(&judging);
    else if (!by_killing(&judging) && !by_stopping(&judging) && !by_sandbox(&judging) &&
             !by_deletion(&judging) && !by_others(&judging, CF_LIKELY))
        by_code(&judging);
    return verdict;
}

/* ---- what a probe's kill shows --------------------------------------------------------------- */

bool cf_is_by_probe(const struct cf_verdict *verdict)
{
    return verdict->cause == CF_CAUSE_LIVENESS || verdict->cause == CF_CAUSE_STARTUP;
}

int64_t cf_kill_grace_ns(const struct cf_verdict *verdict)
{
    int64_t most_s = KP_NEVER / KP_NS_PER_S;
    int64_t grace_s = verdict->kills.grace_s;

    return (grace_s < most_s ? grace_s : most_s) * KP_NS_PER_S;
}

int64_t cf_hook_ns(const struct kp_container *container)
{
    int64_t hook_s = cf_hook_s(container->pre_stop);

    return (hook_s < 0 ? 0 : hook_s < 3600 ? hook_s : 3600) * KP_NS_PER_S;
}

int64_t cf_killed_age_ns(const struct cf_verdict *verdict)
{
    int64_t age_ns = verdict->ran_ns;

    if (verdict->at_once && verdict->end->started_at_ns > 0)
        age_ns = verdict->killing->last_ns - verdict->end->started_at_ns +
                 cf_hook_ns(verdict->container);
    else if (verdict->end->exit_code == CF_SIGKILL_CODE)
        age_ns -= cf_kill_grace_ns(verdict);
    return age_ns < verdict->ran_ns || verdict->ran_ns < 0 ? age_ns : verdict->ran_ns;
}

/* The grace of the kill that ended it, its hook's time included. */
static int64_t whole_grace_s(const struct cf_history *history, const struct cf_verdict *verdict)
{
    enum kp_probe_type type = verdict->cause == CF_CAUSE_STARTUP ? KP_STARTUP : KP_LIVENESS;
    const struct kp_probe *probe = verdict->container->probes[type];

    return cf_is_by_probe(verdict) && probe && probe->has_grace ? probe->grace_s
                                                                : history->pod->grace_s;
}

enum cf_hook_end cf_hook_end(const struct cf_history *history, const struct cf_verdict *verdict)
{
    const struct cf_pod_event *failed =
        cf_history_event(history, verdict->container->name, "FailedPreStopHook", NULL);
    const struct kp_state *end = verdict->end;
    int64_t hook_s = cf_hook_s(verdict->container->pre_stop);
    bool killed = end && end->exit_code == CF_SIGKILL_CODE;

    if (killed && hook_s > 0 && hook_s >= whole_grace_s(history, verdict))
        return CF_HOOK_CUT_OFF;
    if (!failed || !end || failed->last_ns > end->finished_at_ns + SLACK_NS ||
        (verdict->at_once && failed->last_ns < verdict->killing->last_ns - SLACK_NS))
        return CF_HOOK_ENDED;
    if (verdict->at_once && failed->last_ns - verdict->killing->last_ns < SLACK_NS)
        return CF_HOOK_FAILED;
    return killed && end->finished_at_ns - failed->last_ns <= SLACK_NS ? CF_HOOK_CUT_OFF
                                                                       : CF_HOOK_FAILED;
}

bool cf_is_error(const struct cf_pod_event *unhealthy)
{
    return unhealthy && kp_text_has(unhealthy->message, " probe errored");
}

bool cf_was_slow(const struct cf_pod_event *unhealthy)
{
    static const char *const words[] = {"deadline exceeded", "Timeout exceeded", "timed out",
                                        "i/o timeout", "timeout:"};

    for (size_t i = 0; unhealthy && i < sizeof words / sizeof words[0]; i++)
        if (kp_text_has(unhealthy->message, words[i]))
            return true;
    return false;
}
