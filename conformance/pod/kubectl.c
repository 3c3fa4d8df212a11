#include "conformance/pod/kubectl.h"

#include "conformance/pod/describe.h"

/* What the columns are counted from, container by container. */
struct tally {
    struct kp_buf status;
    int64_t restarts;
    int64_t sidecar_restarts;
    int64_t last_restart_ns; /* newest end of a previous instance; 0: none */
    int64_t last_sidecar_restart_ns;
    int64_t ready;
    int64_t total;
    bool initializing;
    bool running;
    const struct kp_state *failed; /* of the first container that ended otherwise than with 0 */
};

static bool is(struct kp_text text, const char *word)
{
    return kp_text_equal(text, kp_text_of(word));
}

static void restart_status(struct tally *tally)
{
    tally->status.need = 0;
}

/* "prefix" and why the container ended: its reason, else its signal, else its exit code. */
static void put_termination(struct tally *tally, const char *prefix, const struct kp_state *state)
{
    restart_status(tally);
    kp_buf_put(&tally->status, kp_text_of(prefix));
    if (state->reason.len > 0) {
        kp_buf_put(&tally->status, state->reason);
        return;
    }
    kp_buf_put(&tally->status, state->signal != 0 ? KP_TEXT("Signal:") : KP_TEXT("ExitCode:"));
    kp_buf_put_int(&tally->status, state->signal != 0 ? state->signal : state->exit_code);
}

/* A container that waits shows its reason, CrashLoopBackOff say, as the pod's STATUS (S-337). */
static void put_waiting(struct tally *tally, const char *prefix, const struct kp_state *state)
{
    restart_status(tally);
    kp_buf_put(&tally->status, kp_text_of(prefix));
    kp_buf_put(&tally->status, state->reason);
}

static void note_restarts(const struct kp_container_status *status, int64_t *restarts,
                          int64_t *last_ns)
{
    *restarts += status->restart_count;
    if (status->last_state.kind == KP_STATE_TERMINATED &&
        status->last_state.finished_at_ns > *last_ns)
        *last_ns = status->last_state.finished_at_ns;
}

/* One init container; true: it is where initialization stands, and those after it do not matter
 * (S-339). */
static bool tally_init(struct tally *tally, const struct kp_profile *profile,
                       const struct kp_pod *pod, size_t index,
                       const struct kp_container_status *status)
{
    bool sidecar = profile->kubectl_sidecars && kp_container_is_sidecar(&pod->containers[index]);

    note_restarts(status, &tally->restarts, &tally->last_restart_ns);
    if (sidecar)
        note_restarts(status, &tally->sidecar_restarts, &tally->last_sidecar_restart_ns);
    if (status->state.kind == KP_STATE_TERMINATED && status->state.exit_code == 0)
        return false;
    if (sidecar && status->started) {
        tally->ready += status->ready;
        return false;
    }
    tally->initializing = true;
    if (status->state.kind == KP_STATE_TERMINATED) {
        put_termination(tally, "Init:", &status->state);
    } else if (status->state.kind == KP_STATE_WAITING && status->state.reason.len > 0 &&
               !is(status->state.reason, "PodInitializing")) {
        put_waiting(tally, "Init:", &status->state);
    } else {
        restart_status(tally);
        kp_buf_put(&tally->status, KP_TEXT("Init:"));
        kp_buf_put_int(&tally->status, (int64_t)index);
        kp_buf_put_char(&tally->status, '/');
        kp_buf_put_int(&tally->status, (int64_t)pod->init_count);
    }
    return true;
}

static void tally_inits(struct tally *tally, const struct kp_profile *profile,
                        const struct kp_pod *pod, const struct kp_pod_status *status)
{
    for (size_t i = 0; i < pod->init_count; i++) {
        const struct kp_container_status *one = kp_status_find(status, pod->containers[i].name);

        if (one && tally_init(tally, profile, pod, i, one))
            return;
    }
}

/* One that runs counts for READY just if it is ready: Running 0/1 (S-335). */
static void tally_regular(struct tally *tally, const struct kp_container_status *status)
{
    note_restarts(status, &tally->restarts, &tally->last_restart_ns);
    if (status->state.kind == KP_STATE_WAITING && status->state.reason.len > 0) {
        put_waiting(tally, "", &status->state);
    } else if (status->state.kind == KP_STATE_TERMINATED) {
        put_termination(tally, "", &status->state);
        if (status->state.exit_code != 0)
            tally->failed = &status->state;
    } else if (status->state.kind == KP_STATE_RUNNING) {
        tally->running = tally->running || status->ready;
        tally->ready += status->ready;
    }
}

/* Last to first: the first container of the list has the last word (S-340). */
static void tally_regulars(struct tally *tally, const struct kp_profile *profile,
                           const struct kp_pod *pod, const struct kp_pod_status *status)
{
    tally->restarts = tally->sidecar_restarts;
    if (profile->kubectl_sidecars)
        tally->last_restart_ns = tally->last_sidecar_restart_ns;
    for (size_t i = pod->regular_count; i-- > 0;) {
        const struct kp_container *container = &pod->containers[pod->init_count + i];
        const struct kp_container_status *one = kp_status_find(status, container->name);

        if (one)
            tally_regular(tally, one);
    }
}

static const struct kp_condition *find_condition(const struct kp_pod_status *status,
                                                 const char *type)
{
    for (size_t i = 0; i < status->condition_count; i++)
        if (is(status->conditions[i].type, type))
            return &status->conditions[i];
    return NULL;
}

static bool condition_holds(const struct kp_pod_status *status, const char *type)
{
    const struct kp_condition *condition = find_condition(status, type);

    return condition && condition->status == KP_CONDITION_TRUE;
}

/* "Completed" of one container is not the word for a pod whose others run (S-333). */
static void correct_completed(struct tally *tally, const struct kp_profile *profile,
                              const struct kp_pod_status *status)
{
    const char *word = "NotReady";

    if (!is(kp_buf_text(&tally->status), "Completed"))
        return;
    if (tally->running && condition_holds(status, "Ready")) {
        word = "Running";
    } else if (profile->kubectl_not_ready == 2 && tally->failed) {
        put_termination(tally, "", tally->failed);
        return;
    } else if (!tally->running) {
        return;
    }
    if (profile->kubectl_not_ready == 0)
        word = "Running";
    restart_status(tally);
    kp_buf_put(&tally->status, kp_text_of(word));
}

static const char *phase_word(enum kp_phase phase)
{
    static const char *const words[] = {
        [KP_PHASE_NONE] = "Pending",  [KP_PENDING] = "Pending", [KP_RUNNING] = "Running",
        [KP_SUCCEEDED] = "Succeeded", [KP_FAILED] = "Failed",   [KP_PHASE_UNKNOWN] = "Unknown",
    };

    return words[phase];
}

static void put_phase(struct tally *tally, const struct kp_profile *profile,
                      const struct kp_pod_status *status)
{
    const struct kp_condition *scheduled = find_condition(status, "PodScheduled");

    if (profile->kubectl_scheduling_gated && scheduled && is(scheduled->reason, "SchedulingGated"))
        kp_buf_put(&tally->status, scheduled->reason);
    else if (status->reason.len > 0)
        kp_buf_put(&tally->status, status->reason);
    else
        kp_buf_put(&tally->status, kp_text_of(phase_word(status->phase)));
}

static void put_deletion(struct tally *tally, const struct kp_profile *profile,
                         const struct kp_pod *pod, const struct kp_pod_status *status)
{
    bool terminal = status->phase == KP_SUCCEEDED || status->phase == KP_FAILED;
    bool lost = is(status->reason, "NodeLost");

    if (!pod->has_deletion || (profile->kubectl_terminal_stays && terminal && !lost))
        return;
    restart_status(tally);
    kp_buf_put(&tally->status, lost ? KP_TEXT("Unknown") : KP_TEXT("Terminating"));
}

static size_t sidecar_count(const struct kp_pod *pod)
{
    size_t count = 0;

    for (size_t i = 0; i < pod->init_count; i++)
        count += kp_container_is_sidecar(&pod->containers[i]);
    return count;
}

static void put_restarts(struct kp_buf *buf, const struct kp_profile *profile,
                         const struct tally *tally, int64_t now_ns)
{
    bool always = !profile->kubectl_sidecars;

    kp_buf_put_int(buf, tally->restarts);
    if (!profile->kubectl_restart_age || tally->last_restart_ns == 0 ||
        (tally->restarts == 0 && !always))
        return;
    kp_buf_put(buf, KP_TEXT(" ("));
    cf_put_human_duration(buf, kp_elapsed_ns(tally->last_restart_ns, now_ns));
    kp_buf_put(buf, KP_TEXT(" ago)"));
}

static struct kp_buf column(char *bytes, size_t size)
{
    return (struct kp_buf){bytes, size - 1, 0};
}

static void end_column(const struct kp_buf *buf)
{
    buf->bytes[kp_buf_text(buf).len] = '\0';
}

void cf_kubectl_columns(const struct kp_profile *profile, const struct kp_pod *pod,
                        const struct kp_pod_status *status, int64_t now_ns,
                        struct cf_columns *columns)
{
    static const struct kp_pod_status nothing = {.phase = KP_PENDING};
    struct tally tally = {.status = column(columns->status, sizeof columns->status)};
    struct kp_buf ready = column(columns->ready, sizeof columns->ready);
    struct kp_buf restarts = column(columns->restarts, sizeof columns->restarts);

    if (!status)
        status = &nothing;
    tally.total =
        (int64_t)(pod->regular_count + (profile->kubectl_sidecars ? sidecar_count(pod) : 0));
    put_phase(&tally, profile, status);
    tally_inits(&tally, profile, pod, status);
    if (!tally.initializing ||
        (profile->kubectl_sidecars && condition_holds(status, "Initialized"))) {
        tally_regulars(&tally, profile, pod, status);
        correct_completed(&tally, profile, status);
    }
    put_deletion(&tally, profile, pod, status);
    kp_buf_put_int(&ready, tally.ready);
    kp_buf_put_char(&ready, '/');
    kp_buf_put_int(&ready, tally.total);
    put_restarts(&restarts, profile, &tally, now_ns);
    end_column(&tally.status);
    end_column(&ready);
    end_column(&restarts);
}
