#include "conformance/simulate/advice.h"

#include "conformance/simulate/termination.h"
#include "conformance/text/human.h"
#include "core/model/trace.h"

#include <string.h>

#define THRESHOLD_MAX 100000
#define TRIES 16

/* The pod with one probe otherwise. */
struct trial {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    struct kp_pod pod;
    struct kp_container *container;
    struct kp_probe probe;
    int index;
    enum kp_probe_type type;
    struct cf_container_budget budget;
    const char *why;
    enum kp_err err;
};

static enum kp_err trial_init(struct trial *trial, const struct kp_pod *pod, int container,
                              enum kp_probe_type type, const struct kp_probe *from)
{
    size_t count = kp_pod_container_count(pod);
    struct kp_container *containers = cf_arena_array(trial->arena, count, sizeof *containers);

    if (!containers)
        return KP_ENOMEM;
    memcpy(containers, pod->containers, count * sizeof *containers);
    trial->pod = *pod;
    trial->pod.containers = containers;
    trial->container = &containers[container];
    trial->index = container;
    trial->type = type;
    trial->probe = *from;
    trial->container->probes[type] = &trial->probe;
    return KP_OK;
}

/* Play it. */
static bool measure(struct trial *trial)
{
    trial->err = cf_budget_find_one(trial->arena, trial->profile, &trial->pod, trial->index,
                                    CF_BUDGET_START | CF_BUDGET_HANGS | CF_BUDGET_TOLERANCE,
                                    &trial->budget, &trial->why);
    return trial->err == KP_OK;
}

/* ---- what is tolerated -------------------------------------------------------------------- */

/* An outage is over when the attempt that would be one failure too many begins: its failure less
 * its timeout.  Behind that nothing saves what runs, though SIGTERM may come later.  As `hangs`,
 * whatever chance does. */
static int64_t outage_ns(int64_t failed_ns, const struct kp_probe *probe)
{
    return failed_ns == KP_NEVER ? KP_NEVER : failed_ns - kp_seconds_ns(probe->timeout_s);
}

/* How long a start, an outage, or an answer of a container may take, whatever chance does. */
static int64_t tolerated_with(const struct kp_container *container,
                              const struct cf_container_budget *budget, enum kp_probe_type type,
                              enum cf_world_word word)
{
    switch (word) {
    case CF_STARTS_IN:
        return budget->start.earliest_ns;
    case CF_DOWN_FOR:
        return outage_ns(type == KP_READINESS ? budget->hangs.unready.earliest_ns
                                              : budget->hangs.decided.earliest_ns,
                         container->probes[type]);
    default:
        return budget->tolerance[type].slowest_ns;
    }
}

static int64_t tolerated_ns(const struct trial *trial, enum cf_world_word word)
{
    return tolerated_with(trial->container, &trial->budget, trial->type, word);
}

static int32_t *field_of(struct trial *trial, enum cf_world_word word)
{
    return word == CF_ANSWERS_IN ? &trial->probe.timeout_s : &trial->probe.failure_threshold;
}

/*
 * The least value with which so much is tolerated: from what one step more brings, then step by
 * step.
 *
 * Returns: whether there is one that was seen to do.
 */
static bool find_least(struct trial *trial, enum cf_world_word word, int64_t wanted_ns)
{
    int32_t *field = field_of(trial, word);
    int64_t step_ns = word == CF_ANSWERS_IN ? KP_NS_PER_S : trial->probe.period_s * KP_NS_PER_S;

    for (int i = 0; i < TRIES; i++) {
        int64_t missing_ns;

        if (!measure(trial))
            return false;
        missing_ns = wanted_ns - tolerated_ns(trial, word);
        if (tolerated_ns(trial, word) == KP_NEVER || missing_ns <= 0)
            break;
        if (missing_ns / step_ns + *field >= THRESHOLD_MAX)
            return false;
        *field += (int32_t)((missing_ns + step_ns - 1) / step_ns);
    }
    /* One step less must be too little. */
    for (int i = 0; *field > 1 && i < TRIES; i++) {
        --*field;
        if (!measure(trial))
            return false;
        if (tolerated_ns(trial, word) < wanted_ns) {
            ++*field;
            return measure(trial) && tolerated_ns(trial, word) >= wanted_ns;
        }
    }
    return tolerated_ns(trial, word) >= wanted_ns;
}

/* A start that is slower by a quarter is tolerated, too, where that can be; the least is kept
 * aside. */
static void find_roomy(struct trial *trial, enum cf_world_word word, int64_t wanted_ns,
                       struct cf_change *change)
{
    struct cf_container_budget budget = trial->budget;
    int64_t roomy_ns = wanted_ns / 4 * 5;

    if (word != CF_STARTS_IN || roomy_ns <= change->tolerates_ns)
        return;
    if (find_least(trial, word, roomy_ns)) {
        change->least_value = change->value;
        change->least_ns = change->tolerates_ns;
        change->value = *field_of(trial, word);
        change->tolerates_ns = tolerated_ns(trial, word);
    } else {
        *field_of(trial, word) = change->value;
        trial->budget = budget;
    }
}

/* ---- which change -----------------------------------------------------------------------------
 */

struct finding {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;          /* with the changes so far, but the optional ones */
    struct cf_container_budget budget; /* of the container in hand, in that pod */
    struct cf_advice *out;
    const char *why;
};

/* What was tried is kept: what is tried next is tried on top of it. */
static enum kp_err keep(struct finding *finding, const struct trial *trial)
{
    struct kp_pod *pod = cf_arena_array(finding->arena, 1, sizeof *pod);
    struct kp_probe *probe = cf_arena_array(finding->arena, 1, sizeof *probe);

    if (!pod || !probe)
        return KP_ENOMEM;
    *pod = trial->pod;
    *probe = trial->probe;
    trial->container->probes[trial->type] = probe;
    finding->pod = pod;
    finding->budget = trial->budget;
    return KP_OK;
}

/* How long a hang may go unseen. */
static int64_t seen_late_ns(const struct cf_container_budget *budget, enum kp_probe_type type)
{
    return type == KP_READINESS ? budget->hangs.unready.latest_ns : budget->hangs.term.latest_ns;
}

#define USUAL_FAILURES 3 /* as the API server has it by default */

/* Once it has started, liveness is as strict as before: one failure more is tolerated. */
static enum kp_err tolerate_one_failure(struct finding *finding, int container)
{
    const struct kp_probe *liveness = finding->pod->containers[container].probes[KP_LIVENESS];
    struct trial trial = {.arena = finding->arena, .profile = finding->profile};

    if (trial_init(&trial, finding->pod, container, KP_LIVENESS, liveness) != KP_OK)
        return KP_ENOMEM;
    trial.probe.failure_threshold = USUAL_FAILURES;
    if (!measure(&trial)) {
        finding->why = trial.why;
        return trial.err;
    }
    if (trial.budget.tolerance[KP_LIVENESS].lost == 0)
        return KP_OK;
    finding->out->changes[finding->out->count++] = (struct cf_change){
        .kind = CF_CHANGE_FIELD,
        .container = container,
        .word = CF_STARTS_IN,
        .type = KP_LIVENESS,
        .field = "failureThreshold",
        .value = USUAL_FAILURES,
        .note = "with 1, one failure kills",
        .late_ns = seen_late_ns(&trial.budget, KP_LIVENESS),
        .late_before_ns = seen_late_ns(&finding->budget, KP_LIVENESS),
        .tolerates_ns = finding->out->changes[finding->out->count - 1].tolerates_ns};
    return keep(finding, &trial);
}

/* optional: it is printed, and not kept. */
static enum kp_err try_change(struct finding *finding, const struct cf_container_budget *before,
                              enum kp_probe_type type, enum cf_world_word word, int64_t wanted_ns,
                              bool optional)
{
    int container = before->container;
    const struct kp_container *of = &finding->pod->containers[container];
    bool adds = !of->probes[type];
    struct trial trial = {.arena = finding->arena, .profile = finding->profile};
    struct cf_change *change = &finding->out->changes[finding->out->count];

    if (trial_init(&trial, finding->pod, container, type,
                   adds ? of->probes[KP_LIVENESS] : of->probes[type]) != KP_OK)
        return KP_ENOMEM;
    if (adds) {
        trial.probe.initial_delay_s = 0;
        trial.probe.success_threshold = 1;
        trial.probe.failure_threshold = 1;
        trial.probe.has_grace = false;
    }
    if (!find_least(&trial, word, wanted_ns)) {
        finding->why = trial.why;
        return trial.err;
    }
    *change =
        (struct cf_change){.kind = adds ? CF_CHANGE_PROBE : CF_CHANGE_FIELD,
                           .container = container,
                           .word = word,
                           .type = type,
                           .field = word == CF_ANSWERS_IN ? "timeoutSeconds" : "failureThreshold",
                           .value = *field_of(&trial, word),
                           .optional = optional,
                           .period_s = trial.probe.period_s,
                           .timeout_s = trial.probe.timeout_s,
                           .tolerates_ns = tolerated_ns(&trial, word),
                           .wanted_ns = wanted_ns,
                           .before_ns = tolerated_with(of, before, type, word),
                           .late_ns = seen_late_ns(&trial.budget, type),
                           .late_before_ns = seen_late_ns(before, type)};
    finding->out->count++;
    if (optional)
        return KP_OK;
    find_roomy(&trial, word, wanted_ns, change);
    if (trial.err != KP_OK) {
        finding->why = trial.why;
        return trial.err;
    }
    if (keep(finding, &trial) != KP_OK)
        return KP_ENOMEM;
    return adds && of->probes[KP_LIVENESS]->failure_threshold == 1
               ? tolerate_one_failure(finding, container)
               : KP_OK;
}

static bool is_killed(const struct kp_container *container,
                      const struct cf_container_budget *budget, int64_t down_ns)
{
    return container->probes[KP_LIVENESS] &&
           tolerated_with(container, budget, KP_LIVENESS, CF_DOWN_FOR) < down_ns;
}

/* An outage that takes it out of its Service and does not kill it: it may be meant so. */
static enum kp_err keep_ready(struct finding *finding, const struct cf_container_budget *budget,
                              int64_t down_ns)
{
    const struct kp_container *container = &finding->pod->containers[budget->container];

    if (down_ns == KP_NEVER || !container->probes[KP_READINESS] ||
        tolerated_with(container, budget, KP_READINESS, CF_DOWN_FOR) >= down_ns ||
        is_killed(container, budget, down_ns))
        return KP_OK;
    return try_change(finding, budget, KP_READINESS, CF_DOWN_FOR, down_ns, true);
}

#define LONG_GRACE_S 60 /* a grace that was chosen for a long preStop */
#define HANG_GRACE_S 30

/* A grace of the probe's own is not that of a deletion. */
static const char *deletion_keeps(const struct finding *finding)
{
    struct cf_out words = {0};
    const char *note;

    cf_put_seconds(&words, finding->pod->grace_s);
    note = cf_arena_format(finding->arena, "a deletion still gets the pod's %.*s", KP_ARG(words))
               .bytes;
    cf_out_deinit(&words);
    return note;
}

/* What hangs is waited for as long as what ends in order: a grace of the probe's own ends that. */
static enum kp_err shorten_hang(struct finding *finding, const struct cf_container_budget *budget)
{
    const struct kp_probe *liveness =
        finding->pod->containers[budget->container].probes[KP_LIVENESS];
    struct trial trial = {.arena = finding->arena, .profile = finding->profile};

    if (!liveness || liveness->has_grace || finding->pod->grace_s <= LONG_GRACE_S ||
        budget->hangs.again.latest_ns == KP_NEVER ||
        !finding->profile->gates[KP_GATE_ProbeTerminationGracePeriod])
        return KP_OK;
    if (trial_init(&trial, finding->pod, budget->container, KP_LIVENESS, liveness) != KP_OK)
        return KP_ENOMEM;
    trial.probe.has_grace = true;
    trial.probe.grace_s = HANG_GRACE_S;
    if (!measure(&trial)) {
        finding->why = trial.why;
        return trial.err;
    }
    if (trial.budget.hangs.again.latest_ns < budget->hangs.again.latest_ns)
        finding->out->changes[finding->out->count++] =
            (struct cf_change){.kind = CF_CHANGE_FIELD,
                               .container = budget->container,
                               .type = KP_LIVENESS,
                               .word = CF_HANGS_AT,
                               .optional = true,
                               .field = "terminationGracePeriodSeconds",
                               .value = HANG_GRACE_S,
                               .note = deletion_keeps(finding),
                               .tolerates_ns = trial.budget.hangs.again.latest_ns,
                               .before_ns = budget->hangs.again.latest_ns};
    return KP_OK;
}

/* A start that takes longer needs more than a change of the probes. */
static int64_t active_ns(const struct kp_pod *pod)
{
    return pod->has_deadline ? kp_seconds_ns(pod->deadline_s) : KP_NEVER;
}

/* Answers first: how long a start may take depends on how they are waited for. */
static enum kp_err change_container(struct finding *finding,
                                    const struct cf_container_budget *budget,
                                    const struct cf_container_world *world)
{
    const struct kp_container *container = &finding->pod->containers[budget->container];
    enum kp_err err = KP_OK;
    int64_t starts_ns = world->ns[CF_STARTS_IN];
    int64_t down_ns = world->ns[CF_DOWN_FOR];

    if (starts_ns != KP_NEVER && starts_ns >= active_ns(finding->pod) &&
        starts_ns > finding->out->outlasts_ns)
        finding->out->outlasts_ns = starts_ns;
    finding->budget = *budget;
    for (int type = 0; err == KP_OK && type < KP_PROBE_TYPES; type++)
        if (container->probes[type] && world->ns[CF_ANSWERS_IN] != KP_NEVER &&
            budget->tolerance[type].slowest_ns < world->ns[CF_ANSWERS_IN])
            err = try_change(finding, budget, (enum kp_probe_type)type, CF_ANSWERS_IN,
                             world->ns[CF_ANSWERS_IN], false);
    if (err == KP_OK && starts_ns != KP_NEVER && finding->budget.start.earliest_ns < starts_ns)
        err = try_change(finding, budget,
                         finding->profile->startup_probe_exists ? KP_STARTUP : KP_LIVENESS,
                         CF_STARTS_IN, starts_ns, false);
    if (err == KP_OK && down_ns != KP_NEVER && is_killed(container, &finding->budget, down_ns))
        err = try_change(finding, budget, KP_LIVENESS, CF_DOWN_FOR, down_ns, false);
    if (err == KP_OK)
        err = keep_ready(finding, &finding->budget, down_ns);
    if (err == KP_OK && world->ns[CF_HANGS_AT] != KP_NEVER && down_ns == KP_NEVER)
        err = shorten_hang(finding, &finding->budget);
    return err;
}

enum kp_err cf_advice_find(struct cf_arena *arena, const struct kp_profile *profile,
                           const struct kp_pod *pod, const struct cf_worlds *worlds,
                           struct cf_advice *out, const char **why)
{
    struct finding finding = {.arena = arena, .profile = profile, .pod = pod, .out = out};
    struct cf_budget budget;
    enum kp_err err = cf_budget_find(arena, profile, pod, &budget, why);

    *out = (struct cf_advice){0};
    out->changes = cf_arena_array(arena, kp_pod_container_count(pod) * 8 + 1, sizeof *out->changes);
    if (!out->changes)
        return KP_ENOMEM;
    for (size_t i = 0; err == KP_OK && i < budget.count; i++) {
        err = change_container(&finding, &budget.containers[i],
                               &worlds->containers[budget.containers[i].container]);
        *why = finding.why;
    }
    out->pod = finding.pod;
    return err == KP_OK
               ? cf_termination_find(arena, profile, pod, worlds, out->changes, &out->count, why)
               : err;
}

struct kp_text cf_advice_safe(struct cf_arena *arena, const struct cf_advice *advice)
{
    static const char *const befores[CF_WORLD_WORDS] = {[CF_STARTS_IN] = "only a start of up to",
                                                        [CF_ANSWERS_IN] = "only an answer in under",
                                                        [CF_DOWN_FOR] = "only silence of up to"};
    struct cf_out words = {0};
    struct kp_text safe;

    for (size_t i = 0; i < advice->count && words.len == 0; i++) {
        const struct cf_change *change = &advice->changes[i];

        if (change->optional || change->type == KP_READINESS || !befores[change->word])
            continue;
        cf_out_printf(&words, "%s ", befores[change->word]);
        cf_put_duration(&words, change->before_ns, change->word == CF_ANSWERS_IN);
        cf_out_put_string(&words, " is safe");
    }
    safe = cf_arena_text(arena, cf_out_text(&words));
    cf_out_deinit(&words);
    return safe;
}

bool cf_advice_is_empty(const struct cf_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++)
        if (!advice->changes[i].optional)
            return false;
    return true;
}
