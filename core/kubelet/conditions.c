#include "conditions.h"

#include "../api/restart_rules.h"
#include "pod_actions.h"
#include "restart_policy.h"

#include <assert.h>
#include <string.h>

bool kp_condition_equal(const struct kp_condition *a, const struct kp_condition *b)
{
    return a->status == b->status && kp_text_equal(a->type, b->type) &&
           kp_text_equal(a->reason, b->reason) && kp_text_equal(a->message, b->message);
}

bool kp_condition_is_ours(struct kp_text type)
{
    static const char *const ours[] = {"Ready",        "ContainersReady",
                                       "Initialized",  "PodReadyToStartContainers",
                                       "PodScheduled", "AllContainersRestarting"};

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (kp_text_equal(type, kp_text_of(ours[i])))
            return true;
    return false;
}

void kp_condition_put(struct kp_status_box *box, struct kp_text type,
                      enum kp_condition_status status, struct kp_text reason,
                      struct kp_text message)
{
    struct kp_condition *condition = (struct kp_condition *)kp_condition_find(&box->status, type);

    if (!condition) {
        assert(box->status.condition_count < KP_CONDITIONS_MAX);
        condition = &box->status.conditions[box->status.condition_count++];
    }
    *condition =
        (struct kp_condition){.type = type, .status = status, .reason = reason, .message = message};
}

bool kp_any_regular_began(const struct kp_pod *pod, const struct kp_container_status *statuses)
{
    for (size_t i = pod->init_count; i < pod->init_count + pod->regular_count; i++)
        if (statuses[i].state.kind == KP_STATE_RUNNING ||
            statuses[i].state.kind == KP_STATE_TERMINATED)
            return true;
    return false;
}

/* ---- texts ------------------------------------------------------------------------------- */

static struct kp_buf open_text(const struct kp_status_box *box)
{
    return (struct kp_buf){.bytes = box->text + box->text_used,
                           .cap = box->text_cap - box->text_used};
}

static struct kp_text close_text(struct kp_status_box *box, const struct kp_buf *buf)
{
    struct kp_text text = kp_buf_text(buf);

    assert(buf->need <= buf->cap);
    box->text_used += text.len;
    return text;
}

static void put_name(struct kp_buf *buf, struct kp_text name, size_t *count)
{
    if ((*count)++ > 0)
        kp_buf_put_char(buf, ' ');
    kp_buf_put(buf, name);
}

size_t kp_conditions_text_max(const struct kp_pod *pod)
{
    size_t bytes = 256;

    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        bytes += 2 * (pod->containers[i].name.len + 1);
    for (size_t i = 0; i < pod->readiness_gate_count; i++)
        bytes += 66 + 4 * pod->readiness_gates[i].condition_type.len;
    for (size_t i = 0; pod->status && i < pod->status->condition_count; i++)
        bytes += pod->status->conditions[i].message.len;
    return bytes;
}

/* ---- ContainersReady and Ready ----------------------------------------------------------- */

static bool counts_for_ready(const struct kp_profile *profile, const struct kp_pod *pod,
                             size_t container)
{
    if (container >= pod->init_count)
        return container < pod->init_count + pod->regular_count;
    return profile->sidecar_probes && kp_container_is_sidecar(&pod->containers[container]);
}

struct verdict {
    enum kp_condition_status status;
    struct kp_text reason;
    struct kp_text message;
};

static struct verdict containers_ready(struct kp_status_box *box, const struct kp_profile *profile,
                                       const struct kp_pod *pod)
{
    struct verdict verdict = {.status = KP_CONDITION_FALSE};
    struct kp_buf buf = open_text(box);
    size_t unready = 0;

    if (box->status.phase == KP_SUCCEEDED) {
        verdict.reason = KP_TEXT("PodCompleted");
        return verdict;
    }
    if (box->status.phase == KP_FAILED && profile->failed_has_reason) {
        verdict.reason = KP_TEXT("PodFailed");
        return verdict;
    }
    kp_buf_put(&buf, KP_TEXT("containers with unready status: ["));
    for (size_t i = 0; i < kp_pod_container_count(pod); i++)
        if (counts_for_ready(profile, pod, i) && !box->status.statuses[i].ready)
            put_name(&buf, pod->containers[i].name, &unready);
    kp_buf_put_char(&buf, ']');
    if (unready == 0) {
        verdict.status = KP_CONDITION_TRUE;
        return verdict;
    }
    verdict.reason = KP_TEXT("ContainersNotReady");
    verdict.message = close_text(box, &buf);
    return verdict;
}

static const char *status_word(enum kp_condition_status status)
{
    static const char *const words[] = {[KP_CONDITION_TRUE] = "True",
                                        [KP_CONDITION_FALSE] = "False",
                                        [KP_CONDITION_UNKNOWN] = "Unknown"};

    return words[status];
}

static void put_gate(struct kp_buf *buf, struct kp_text type, const struct kp_condition *condition)
{
    if (!condition) {
        kp_buf_put(buf, KP_TEXT("corresponding condition of pod readiness gate "));
        kp_buf_put_quoted(buf, type);
        kp_buf_put(buf, KP_TEXT(" does not exist."));
        return;
    }
    kp_buf_put(buf, KP_TEXT("the status of pod readiness gate "));
    kp_buf_put_quoted(buf, type);
    kp_buf_put(buf, KP_TEXT(" is not \"True\", but "));
    kp_buf_put(buf, kp_text_of(status_word(condition->status)));
}

static const struct kp_condition *gate_condition(const struct kp_status_box *box,
                                                 struct kp_text type)
{
    static const struct kp_condition scheduled = {.status = KP_CONDITION_TRUE};

    if (box->scheduled && kp_text_equal(type, KP_TEXT("PodScheduled")))
        return &scheduled;
    if (kp_condition_is_ours(type))
        return kp_condition_find(&box->status, type);
    return box->others ? kp_condition_find(box->others, type) : NULL;
}

/* Every readiness gate is True; else the message names those that are not (S-314). */
static struct verdict gates_ready(struct kp_status_box *box, const struct kp_pod *pod)
{
    struct verdict verdict = {.status = KP_CONDITION_TRUE};
    struct kp_buf buf = open_text(box);
    size_t unready = 0;

    for (size_t i = 0; i < pod->readiness_gate_count; i++) {
        struct kp_text type = pod->readiness_gates[i].condition_type;
        const struct kp_condition *condition = gate_condition(box, type);

        if (condition && condition->status == KP_CONDITION_TRUE)
            continue;
        if (unready++ > 0)
            kp_buf_put(&buf, KP_TEXT(", "));
        put_gate(&buf, type, condition);
    }
    if (unready == 0)
        return verdict;
    verdict.status = KP_CONDITION_FALSE;
    verdict.reason = KP_TEXT("ReadinessGatesNotReady");
    verdict.message = close_text(box, &buf);
    return verdict;
}

void kp_conditions_update_ready(struct kp_status_box *box, const struct kp_profile *profile,
                                const struct kp_pod *pod)
{
    struct verdict containers = containers_ready(box, profile, pod);
    struct verdict ready =
        containers.status == KP_CONDITION_TRUE ? gates_ready(box, pod) : containers;

    kp_condition_put(box, KP_TEXT("Ready"), ready.status, ready.reason, ready.message);
    kp_condition_put(box, KP_TEXT("ContainersReady"), containers.status, containers.reason,
                     containers.message);
}

/* ---- Initialized ------------------------------------------------------------------------- */

static bool is_initialized(const struct kp_profile *profile, const struct kp_container *container,
                           const struct kp_container_status *status)
{
    if (profile->sidecar_probes && kp_container_is_sidecar(container))
        return status->has_started && status->started;
    return status->ready;
}

static bool stays_initialized(const struct kp_status_input *in)
{
    return in->profile->gates[KP_GATE_RestartAllContainersOnContainerExits] && in->old &&
           kp_status_is_true(in->old, "Initialized");
}

static struct verdict initialized(struct kp_status_box *box, const struct kp_status_input *in)
{
    const struct kp_pod *pod = in->pod;
    const struct kp_container_status *statuses = box->status.statuses;
    struct verdict verdict = {.status = KP_CONDITION_TRUE};
    struct kp_buf buf = open_text(box);
    size_t incomplete = 0;

    if (box->status.phase == KP_SUCCEEDED) {
        verdict.reason = KP_TEXT("PodCompleted");
        return verdict;
    }
    if (in->profile->regular_means_initialized && kp_any_regular_began(pod, statuses))
        return verdict;
    kp_buf_put(&buf, KP_TEXT("containers with incomplete status: ["));
    for (size_t i = 0; i < pod->init_count; i++)
        if (!is_initialized(in->profile, &pod->containers[i], &statuses[i]))
            put_name(&buf, pod->containers[i].name, &incomplete);
    kp_buf_put_char(&buf, ']');
    if (incomplete == 0 || stays_initialized(in))
        return verdict;
    verdict.status = KP_CONDITION_FALSE;
    verdict.reason = KP_TEXT("ContainersNotInitialized");
    verdict.message = close_text(box, &buf);
    return verdict;
}

/* ---- the others -------------------------------------------------------------------------- */

/* In this world a sandbox has an address and the pod's network, and one at most is ready. */
static struct kp_text why_no_sandbox(const struct kp_runtime_view *view)
{
    if (view->sandbox_count == 0)
        return KP_TEXT("no pod sandbox exists");
    assert(!view->sandboxes[0].ready);
    return KP_TEXT("pod sandbox is not ready");
}

static void put_sandbox_condition(struct kp_status_box *box, const struct kp_status_input *in)
{
    struct kp_text type = KP_TEXT("PodReadyToStartContainers");
    uint32_t attempt;
    bool has_id;

    if (!in->profile->sandbox_condition)
        return;
    if (!kp_sandbox_changed(in->view, in->pod, &attempt, &has_id))
        kp_condition_put(box, type, KP_CONDITION_TRUE, KP_TEXT_NONE, KP_TEXT_NONE);
    else if (in->profile->sandbox_condition > 1)
        kp_condition_put(box, type, KP_CONDITION_FALSE, KP_TEXT("PodSandboxNotReady"),
                         why_no_sandbox(in->view));
    else
        kp_condition_put(box, type, KP_CONDITION_FALSE, KP_TEXT_NONE, KP_TEXT_NONE);
}

static bool is_cleaned_up(const struct kp_pod *pod, const struct kp_runtime_view *view)
{
    for (size_t i = 0; i < pod->init_count + pod->regular_count; i++)
        if (view->containers[i].count > 0)
            return false;
    return true;
}

static void put_restarting_condition(struct kp_status_box *box, const struct kp_status_input *in)
{
    struct kp_text type = KP_TEXT("AllContainersRestarting");

    if (!in->profile->gates[KP_GATE_RestartAllContainersOnContainerExits] ||
        !kp_all_containers_could_restart(in->pod))
        return;
    if (kp_phase_is_terminal(box->status.phase))
        kp_condition_put(box, type, KP_CONDITION_FALSE,
                         box->status.phase == KP_FAILED ? KP_TEXT("PodFailed")
                                                        : KP_TEXT("PodCompleted"),
                         KP_TEXT_NONE);
    else if (!kp_should_restart_all(in->profile, in->pod, in->view, in->old) ||
             is_cleaned_up(in->pod, in->view))
        kp_condition_put(box, type, KP_CONDITION_FALSE, KP_TEXT_NONE, KP_TEXT_NONE);
    else
        kp_condition_put(box, type, KP_CONDITION_TRUE, KP_TEXT("RestartAllContainersStarted"),
                         KP_TEXT("container exited with restart policy rule"));
}

void kp_conditions_generate(struct kp_status_box *box, const struct kp_status_input *in)
{
    struct verdict verdict;

    put_sandbox_condition(box, in);
    verdict = initialized(box, in);
    kp_condition_put(box, KP_TEXT("Initialized"), verdict.status, verdict.reason, verdict.message);
    kp_conditions_update_ready(box, in->profile, in->pod);
    put_restarting_condition(box, in);
    box->scheduled = true; /* the last one: the gates above do not find it */
}
