#include "conformance/simulate/advice.h"

#include "conformance/pod/manifest.h"
#include "conformance/simulate/drain.h"
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
    struct cf_budget budget;

    trial->err = cf_budget_find(trial->arena, trial->profile, &trial->pod, &budget, &trial->why);
    for (size_t i = 0; trial->err == KP_OK && i < budget.count; i++)
        if (budget.containers[i].container == trial->index) {
            trial->budget = budget.containers[i];
            return true;
        }
    return false;
}

/* ---- what is borne ----------------------------------------------------------------------------
 */

/* How long it may answer nothing and stay Ready. */
static int64_t stays_ready_ns(const struct trial *trial)
{
    int64_t unready_ns = trial->budget.hangs.unready.earliest_ns;

    return unready_ns == KP_NEVER ? KP_NEVER : unready_ns - 1;
}

/* How long a start, a hang, or an answer may take, whatever chance does. */
static int64_t borne_ns(const struct trial *trial, enum cf_world_word word)
{
    switch (word) {
    case CF_STARTS_IN:
        return trial->budget.start.earliest_ns;
    case CF_DOWN_FOR:
        if (trial->type == KP_READINESS)
            return stays_ready_ns(trial);
        return trial->budget.hangs.term.earliest_ns == KP_NEVER
                   ? KP_NEVER
                   : trial->budget.hangs.term.earliest_ns - 1;
    default:
        return trial->budget.bears[trial->type].slowest_ns;
    }
}

static int32_t *field_of(struct trial *trial, enum cf_world_word word)
{
    return word == CF_ANSWERS_IN ? &trial->probe.timeout_s : &trial->probe.failure_threshold;
}

/*
 * The least value with which so much is borne: from what one step more brings, then step by step.
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
        missing_ns = wanted_ns - borne_ns(trial, word);
        if (borne_ns(trial, word) == KP_NEVER || missing_ns <= 0)
            break;
        if (missing_ns / step_ns + *field >= THRESHOLD_MAX)
            return false;
        *field += (int32_t)((missing_ns + step_ns - 1) / step_ns);
    }
    /* One step less must be too little. */
    for (int i = 0; i<TRIES && * field> 1; i++) {
        --*field;
        if (!measure(trial))
            return false;
        if (borne_ns(trial, word) < wanted_ns) {
            ++*field;
            return measure(trial) && borne_ns(trial, word) >= wanted_ns;
        }
    }
    return borne_ns(trial, word) >= wanted_ns;
}

/* ---- which change -----------------------------------------------------------------------------
 */

struct finding {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct kp_pod *pod;
    struct cf_advice *out;
    const char *why;
};

#define USUAL_FAILURES 3 /* as the API server has it by default */

/* Once it has started, liveness is as strict as before: one failure more is borne. */
static enum kp_err bear_one_failure(struct finding *finding, int container)
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
    if (trial.budget.bears[KP_LIVENESS].lost > 0)
        finding->out->changes[finding->out->count++] =
            (struct cf_change){.kind = CF_CHANGE_FIELD,
                               .container = container,
                               .word = CF_STARTS_IN,
                               .type = KP_LIVENESS,
                               .field = "failureThreshold",
                               .value = USUAL_FAILURES,
                               .note = "  # with 1, one failure kills",
                               .bears_ns = finding->out->changes[finding->out->count - 1].bears_ns};
    return KP_OK;
}

/* How long a hang may go unseen. */
static int64_t seen_late_ns(const struct cf_container_budget *budget, enum kp_probe_type type)
{
    return type == KP_READINESS ? budget->hangs.unready.latest_ns : budget->hangs.term.latest_ns;
}

static enum kp_err try_change(struct finding *finding, const struct cf_container_budget *budget,
                              enum kp_probe_type type, enum cf_world_word word, int64_t wanted_ns)
{
    int container = budget->container;
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
                           .period_s = trial.probe.period_s,
                           .bears_ns = borne_ns(&trial, word),
                           .late_ns = seen_late_ns(&trial.budget, type),
                           .late_before_ns = seen_late_ns(budget, type)};
    finding->out->count++;
    return adds && of->probes[KP_LIVENESS]->failure_threshold == 1
               ? bear_one_failure(finding, container)
               : KP_OK;
}

/* An outage that takes it out of its Service and does not kill it: it may be meant so. */
static enum kp_err keep_ready(struct finding *finding, const struct cf_container_budget *budget,
                              int64_t down_ns)
{
    size_t before = finding->out->count;
    int64_t unready_ns = budget->hangs.unready.earliest_ns;
    enum kp_err err;

    if (down_ns == KP_NEVER || unready_ns == KP_NEVER || unready_ns > down_ns ||
        budget->hangs.term.earliest_ns <= down_ns)
        return KP_OK;
    err = try_change(finding, budget, KP_READINESS, CF_DOWN_FOR, down_ns);
    if (finding->out->count > before)
        finding->out->changes[before].optional = true;
    return err;
}

#define LONG_GRACE_S 60 /* a grace that was chosen for draining */
#define HANG_GRACE_S 30

/* What hangs is waited for as long as what drains: a grace of the probe's own ends that. */
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
                               .bears_ns = trial.budget.hangs.again.latest_ns,
                               .before_ns = budget->hangs.again.latest_ns};
    return KP_OK;
}

static enum kp_err change_container(struct finding *finding,
                                    const struct cf_container_budget *budget,
                                    const struct cf_container_world *world)
{
    const struct kp_container *container = &finding->pod->containers[budget->container];
    enum kp_err err = KP_OK;
    int64_t starts_ns = world->ns[CF_STARTS_IN];
    int64_t down_ns = world->ns[CF_DOWN_FOR];

    if (starts_ns != KP_NEVER && budget->start.earliest_ns < starts_ns)
        err = try_change(finding, budget,
                         finding->profile->startup_probe_exists ? KP_STARTUP : KP_LIVENESS,
                         CF_STARTS_IN, starts_ns);
    for (int type = 0; err == KP_OK && type < KP_PROBE_TYPES; type++)
        if (container->probes[type] && world->ns[CF_ANSWERS_IN] != KP_NEVER &&
            budget->bears[type].slowest_ns < world->ns[CF_ANSWERS_IN])
            err = try_change(finding, budget, (enum kp_probe_type)type, CF_ANSWERS_IN,
                             world->ns[CF_ANSWERS_IN]);
    if (err == KP_OK && down_ns != KP_NEVER && container->probes[KP_LIVENESS] &&
        budget->hangs.term.earliest_ns != KP_NEVER && budget->hangs.term.earliest_ns <= down_ns)
        err = try_change(finding, budget, KP_LIVENESS, CF_DOWN_FOR, down_ns);
    if (err == KP_OK)
        err = keep_ready(finding, budget, down_ns);
    if (err == KP_OK && world->ns[CF_HANGS_AT] != KP_NEVER && down_ns == KP_NEVER)
        err = shorten_hang(finding, budget);
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
    return err == KP_OK ? cf_drain_find(arena, profile, pod, worlds, out->changes, &out->count, why)
                        : err;
}

bool cf_advice_is_empty(const struct cf_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++)
        if (!advice->changes[i].optional)
            return false;
    return true;
}

/* ---- as YAML ----------------------------------------------------------------------------------
 */

static const char *const fields[] = {"livenessProbe", "readinessProbe", "startupProbe"};

static void put_quoted(struct cf_out *out, struct kp_text text)
{
    cf_out_put_json(out, text);
}

static void put_port(struct cf_out *out, const struct kp_int_or_string *port)
{
    if (port->kind == KP_INTSTR_STRING)
        put_quoted(out, port->string);
    else
        cf_out_put_int(out, port->number);
}

/* What is asked, as the pod's liveness probe asks it: a flow mapping. */
static void put_handler(struct cf_out *out, const struct kp_handler *handler)
{
    if (handler->exec) {
        cf_out_put_string(out, "exec: {command: [");
        for (size_t i = 0; i < handler->exec->command.count; i++) {
            cf_out_put_string(out, i > 0 ? ", " : "");
            put_quoted(out, handler->exec->command.items[i]);
        }
        cf_out_put_string(out, "]}");
    } else if (handler->sleep) {
        cf_out_printf(out, "sleep: {seconds: %lld}", (long long)handler->sleep->seconds);
    } else if (handler->http_get) {
        const struct kp_http_get_action *get = handler->http_get;

        cf_out_put_string(out, "httpGet: {path: ");
        put_quoted(out, get->path);
        cf_out_put_string(out, ", port: ");
        put_port(out, &get->port);
        if (get->host.len > 0) {
            cf_out_put_string(out, ", host: ");
            put_quoted(out, get->host);
        }
        if (!kp_text_equal(get->scheme, KP_TEXT("HTTP"))) {
            cf_out_put_string(out, ", scheme: ");
            cf_out_put(out, get->scheme);
        }
        for (size_t i = 0; i < get->header_count; i++) {
            cf_out_put_string(out, i == 0 ? ", httpHeaders: [{name: " : ", {name: ");
            put_quoted(out, get->headers[i].name);
            cf_out_put_string(out, ", value: ");
            put_quoted(out, get->headers[i].value);
            cf_out_put_string(out, i + 1 == get->header_count ? "}]" : "}");
        }
        cf_out_put_char(out, '}');
    } else if (handler->tcp_socket) {
        cf_out_put_string(out, "tcpSocket: {port: ");
        put_port(out, &handler->tcp_socket->port);
        if (handler->tcp_socket->host.len > 0) {
            cf_out_put_string(out, ", host: ");
            put_quoted(out, handler->tcp_socket->host);
        }
        cf_out_put_char(out, '}');
    } else if (handler->grpc) {
        cf_out_printf(out, "grpc: {port: %d", (int)handler->grpc->port);
        if (handler->grpc->has_service && handler->grpc->service.len > 0) {
            cf_out_put_string(out, ", service: ");
            put_quoted(out, handler->grpc->service);
        }
        cf_out_put_char(out, '}');
    }
}

/* In the place of the hook that there is: of a union only one member may stand. */
static void put_hook(struct cf_out *out, const struct kp_handler *before,
                     const struct kp_handler *hook)
{
    cf_out_put_string(out, "lifecycle: {preStop: {");
    if (before && before->exec && !hook->exec)
        cf_out_put_string(out, "exec: null, ");
    if (before && before->sleep && !hook->sleep)
        cf_out_put_string(out, "sleep: null, ");
    put_handler(out, hook);
    cf_out_put_string(out, "}}");
}

/* The probe's lines, or the hook's, from a column on. */
static void put_change(struct cf_out *out, const struct kp_pod *pod, const struct cf_change *change,
                       int indent)
{
    const struct kp_probe *liveness = pod->containers[change->container].probes[KP_LIVENESS];

    if (change->kind == CF_CHANGE_PRE_STOP) {
        cf_out_printf(out, "%*s", indent, "");
        put_hook(out, pod->containers[change->container].pre_stop, change->hook);
        return;
    }
    if (change->kind == CF_CHANGE_GRACE) {
        cf_out_printf(out, "%*s%s: %d", indent, "", change->field, (int)change->value);
        return;
    }
    cf_out_printf(out, "%*s%s:", indent, "", fields[change->type]);
    if (change->kind == CF_CHANGE_FIELD) {
        cf_out_printf(out, " {%s: %d}%s", change->field, (int)change->value,
                      change->note ? change->note : "");
        return;
    }
    cf_out_printf(out, "\n%*s", indent + 2, "");
    put_handler(out, &liveness->handler);
    cf_out_printf(out, "\n%*speriodSeconds: %d\n", indent + 2, "", (int)change->period_s);
    if (liveness->timeout_s != 1)
        cf_out_printf(out, "%*stimeoutSeconds: %d\n", indent + 2, "", (int)liveness->timeout_s);
    cf_out_printf(out, "%*s%s: %d", indent + 2, "", change->field, (int)change->value);
}

/* What an outage that is borne costs: a hang looks like one. */
static void put_cost(struct cf_out *out, const struct cf_change *change)
{
    if (change->word != CF_DOWN_FOR || change->late_ns == KP_NEVER)
        return;
    cf_out_printf(out, "\n        but what hangs %s up to ",
                  change->type == KP_READINESS ? "stays in its Service for" : "is killed after");
    cf_put_lapse(out, change->late_ns, true);
    cf_out_put_string(out, ", not ");
    cf_put_lapse(out, change->late_before_ns, true);
}

static void put_borne(struct cf_out *out, const struct cf_change *change)
{
    static const char *const befores[CF_WORLD_WORDS] = {[CF_STARTS_IN] = "a start is in time up to",
                                                        [CF_ANSWERS_IN] = "an answer in",
                                                        [CF_DOWN_FOR] = "up to",
                                                        [CF_STOPS_IN] = "a stop of",
                                                        [CF_TRAFFIC_FOR] =
                                                            "SIGTERM comes after requests of"};
    static const char *const afters[CF_WORLD_WORDS] = {[CF_STARTS_IN] = ": allow more",
                                                       [CF_ANSWERS_IN] = " passes",
                                                       [CF_DOWN_FOR] =
                                                           " without an answer kill nothing",
                                                       [CF_STOPS_IN] = " is in time",
                                                       [CF_TRAFFIC_FOR] = ""};

    if (change->word == CF_HANGS_AT) {
        cf_out_put_string(out, "then it runs again within ");
        cf_put_lapse(out, change->bears_ns, true);
        cf_out_put_string(out, " of a hang, not ");
        cf_put_lapse(out, change->before_ns, true);
        return;
    }
    cf_out_printf(out, "then %s ", befores[change->word]);
    if (change->bears_ns == KP_NEVER)
        cf_out_put_string(out, "any length");
    else
        cf_put_lapse(out, change->bears_ns, false);
    cf_out_put_string(out, change->optional ? " without an answer leave it Ready"
                                            : afters[change->word]);
    put_cost(out, change);
}

/* Changes of one container that bear the same are told as one. */
static bool goes_on(const struct cf_advice *advice, size_t i)
{
    return i > 0 && advice->changes[i - 1].kind != CF_CHANGE_GRACE &&
           advice->changes[i].container == advice->changes[i - 1].container &&
           advice->changes[i].word == advice->changes[i - 1].word;
}

void cf_advice_put_text(struct cf_out *out, const struct kp_pod *pod,
                        const struct cf_advice *advice)
{
    for (size_t i = 0; i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        struct kp_text name = pod->containers[change->container < 0 ? 0 : change->container].name;

        if (change->kind == CF_CHANGE_GRACE) {
            cf_out_put_string(out, "change  pod: then hooks and stops fit into its grace\n");
        } else if (!goes_on(advice, i)) {
            cf_out_printf(out, "%s  %.*s: ", change->optional ? "option" : "change", (int)name.len,
                          name.bytes);
            put_borne(out, change);
            cf_out_put_char(out, '\n');
        }
        put_change(out, pod, change, 8);
        cf_out_put_char(out, '\n');
        if (change->shorter) {
            const struct kp_container *of = &pod->containers[change->container];

            cf_out_printf(out, "    or  %.*s: ", (int)of->name.len, of->name.bytes);
            put_hook(out, of->pre_stop, change->shorter);
            cf_out_put_char(out, '\n');
        }
    }
}

/* Containers are merged by their names, init containers too. */
static void put_containers(struct cf_out *out, const struct kp_pod *pod,
                           const struct cf_advice *advice, bool init, int indent)
{
    bool begun = false;
    int last = -1;

    for (size_t i = 0; i < advice->count; i++) {
        const struct cf_change *change = &advice->changes[i];
        const struct kp_container *container =
            &pod->containers[change->container < 0 ? 0 : change->container];

        if (change->optional || change->kind == CF_CHANGE_GRACE ||
            (container->kind == KP_INIT) != init)
            continue;
        if (!begun)
            cf_out_printf(out, "%*s%s:\n", indent, "", init ? "initContainers" : "containers");
        begun = true;
        if (change->container != last) {
            cf_out_printf(out, "%*s- name: ", indent, "");
            put_quoted(out, container->name);
            cf_out_put_char(out, '\n');
        }
        last = change->container;
        put_change(out, pod, change, indent + 2);
        cf_out_put_char(out, '\n');
    }
}

void cf_advice_put_patch(struct cf_out *out, const struct kp_pod *pod, struct kp_text path,
                         const struct cf_advice *advice)
{
    int indent = cf_manifest_put_path(out, path);

    for (size_t i = 0; i < advice->count; i++) {
        if (advice->changes[i].kind != CF_CHANGE_GRACE)
            continue;
        put_change(out, pod, &advice->changes[i], indent);
        cf_out_put_char(out, '\n');
    }
    put_containers(out, pod, advice, true, indent);
    put_containers(out, pod, advice, false, indent);
}
