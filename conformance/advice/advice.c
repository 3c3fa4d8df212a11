#include "conformance/advice/advice.h"

#include "conformance/advice/fix.h"
#include "conformance/pod/lint.h"

/* One pod being looked at. */
struct looker {
    struct cf_arena *arena;
    const struct kp_profile *profile;
    const struct cf_manifest_pod *pod;
    const struct cf_ignores *ignores;
    struct cf_findings *out;
};

/* One probe of it. */
struct subject {
    struct looker *looker;
    const struct kp_container *container;
    struct kp_text path; /* spec.containers[0].livenessProbe */
    enum kp_probe_type type;
    const struct kp_probe *probe;
};

/* ---- how a finding is made ------------------------------------------------------------------- */

static struct kp_text object_of(struct looker *looker)
{
    const struct cf_manifest_pod *pod = looker->pod;
    struct kp_text name = pod->object.len > 0 ? pod->object : pod->pod->name;

    return cf_arena_format(looker->arena, "%.*s/%.*s", (int)pod->kind.len, pod->kind.bytes,
                           (int)name.len, name.bytes);
}

static bool is_ignored(const struct subject *subject, struct cf_place at, enum cf_lint_rule rule)
{
    const struct looker *looker = subject->looker;
    struct cf_place probe = cf_node_place(looker->pod->source, subject->path);

    return cf_ignores_has(looker->ignores, at.line, rule) ||
           cf_ignores_has(looker->ignores, probe.line, rule);
}

/* field: of the probe; "": the probe itself. */
static void advise(const struct subject *subject, enum cf_lint_rule rule, const char *field,
                   struct kp_text evidence, struct kp_text fix)
{
    struct looker *looker = subject->looker;
    struct kp_text path = cf_arena_format(looker->arena, "%.*s%s%s", (int)subject->path.len,
                                          subject->path.bytes, field[0] ? "." : "", field);
    struct cf_place at = cf_node_place(looker->pod->source, path);
    const char *dot = looker->pod->path.len > 0 ? "." : "";

    cf_findings_add(looker->arena, looker->out,
                    (struct cf_finding){
                        .rule = rule,
                        .at = at,
                        .ignored = is_ignored(subject, at, rule),
                        .pod = object_of(looker),
                        .container = subject->container->name,
                        .field = cf_arena_format(looker->arena, "%s%s%.*s", looker->pod->path.bytes,
                                                 dot, (int)path.len, path.bytes),
                        .evidence = evidence,
                        .fix = fix,
                    });
}

/* The commonest: one number of the probe is another. */
static void advise_number(const struct subject *subject, enum cf_lint_rule rule, const char *field,
                          struct kp_text evidence, int64_t number)
{
    advise(subject, rule, field, evidence,
           cf_fix_one(subject->looker->arena, subject->container, subject->type, field, number));
}

/* ---- what is looked at ----------------------------------------------------------------------- */

static const struct kp_int_or_string *port_of(const struct kp_handler *handler, const char **field)
{
    *field = handler->http_get ? "httpGet.port" : "tcpSocket.port";
    if (handler->http_get)
        return &handler->http_get->port;
    return handler->tcp_socket ? &handler->tcp_socket->port : NULL;
}

static void look_at_port(const struct subject *subject)
{
    const char *field;
    const struct kp_int_or_string *port = port_of(&subject->probe->handler, &field);
    const struct kp_container *container = subject->container;

    if (!port || port->kind != KP_INTSTR_STRING)
        return;
    for (size_t i = 0; i < container->port_count; i++)
        if (kp_text_equal(container->ports[i].name, port->string))
            return;
    advise(subject, CF_LINT_PORT_NAME, field,
           cf_arena_format(subject->looker->arena,
                           "no port of this container is called \"%.*s\": every attempt is an "
                           "error that is discarded, so the probe never succeeds and never fails",
                           (int)port->string.len, port->string.bytes),
           KP_TEXT_NONE);
}

static void look_at_host(const struct subject *subject)
{
    const struct kp_http_get_action *get = subject->probe->handler.http_get;
    const struct kp_tcp_socket_action *tcp = subject->probe->handler.tcp_socket;

    if (get && get->host.len > 0)
        advise(subject, CF_LINT_HOST, "httpGet.host",
               KP_TEXT("a virtual host belongs into the Host header"), KP_TEXT_NONE);
    else if (tcp && tcp->host.len > 0)
        advise(subject, CF_LINT_HOST, "tcpSocket.host",
               KP_TEXT("the pod may be dead and its probe succeed"), KP_TEXT_NONE);
}

static void look_at_timeout(const struct subject *subject)
{
    struct cf_arena *arena = subject->looker->arena;
    const struct kp_probe *probe = subject->probe;

    if (probe->timeout_s > probe->period_s)
        advise_number(subject, CF_LINT_TIMEOUT_LONG, "timeoutSeconds",
                      cf_arena_format(arena,
                                      "an attempt may take %d s, longer than the period of %d s: "
                                      "the next ones follow at once or are lost",
                                      (int)probe->timeout_s, (int)probe->period_s),
                      probe->period_s);
    if (probe->handler.exec && probe->timeout_s == 1 &&
        subject->looker->profile->gates[KP_GATE_ExecProbeTimeout])
        advise_number(subject, CF_LINT_EXEC_TIMEOUT, "timeoutSeconds",
                      KP_TEXT("on a busy node the start of a process alone may take that long"), 5);
}

static void look_at_thresholds(const struct subject *subject)
{
    const struct kp_probe *probe = subject->probe;

    if (probe->failure_threshold == 1 && subject->type == KP_LIVENESS)
        advise_number(subject, CF_LINT_ONE_KILLS, "failureThreshold", KP_TEXT_NONE, 3);
    if (probe->success_threshold > 1)
        advise_number(subject, CF_LINT_SUCCESS_RUN, "successThreshold",
                      KP_TEXT("its run of successes goes on over a restart, so one success makes "
                              "it ready"),
                      1);
}

static void look_at_delay(const struct subject *subject)
{
    const struct kp_probe *probe = subject->probe;

    if (subject->type != KP_LIVENESS || probe->initial_delay_s < 30 ||
        !subject->looker->profile->gates[KP_GATE_StartupProbe] ||
        subject->container->probes[KP_STARTUP])
        return;
    advise(subject, CF_LINT_DELAY_GUARDS, "initialDelaySeconds",
           cf_arena_format(subject->looker->arena,
                           "every restart waits %d to %d s before it is watched; a startupProbe "
                           "ends the wait as soon as the container has started",
                           (int)probe->initial_delay_s,
                           (int)(probe->initial_delay_s + probe->period_s)),
           KP_TEXT_NONE);
}

static void look_at_restart(const struct subject *subject)
{
    const struct kp_pod *pod = subject->looker->pod->pod;

    if (subject->type == KP_LIVENESS && subject->container->kind == KP_REGULAR &&
        kp_text_equal(pod->restart_policy, KP_TEXT("Never")) &&
        !subject->container->restart_policy.bytes)
        advise(subject, CF_LINT_NO_RESTART, "", KP_TEXT_NONE, KP_TEXT_NONE);
}

static void look_at_container(struct looker *looker, size_t index)
{
    static const enum kp_probe_type order[] = {KP_LIVENESS, KP_READINESS, KP_STARTUP};
    const struct kp_pod *pod = looker->pod->pod;
    bool init = index < pod->init_count;

    for (size_t i = 0; i < 3; i++) {
        struct subject subject = {
            .looker = looker,
            .container = &pod->containers[index],
            .type = order[i],
            .probe = pod->containers[index].probes[order[i]],
        };

        if (!subject.probe)
            continue;
        subject.path = cf_arena_format(
            looker->arena, "spec.%s[%zu].%s", init ? "initContainers" : "containers",
            init ? index : index - pod->init_count, cf_probe_field(order[i]));
        look_at_port(&subject);
        look_at_host(&subject);
        look_at_timeout(&subject);
        look_at_thresholds(&subject);
        look_at_delay(&subject);
        look_at_restart(&subject);
    }
}

/* What only the API server's log would tell. */
static void tell_conflict(struct looker *looker)
{
    const struct cf_podpreset_outcome *presets = &looker->pod->presets;

    if (presets->log.len > 0)
        cf_findings_add(looker->arena, looker->out,
                        (struct cf_finding){.rule = CF_LINT_PRESET_CONFLICT,
                                            .at = looker->pod->source->at,
                                            .pod = object_of(looker),
                                            .evidence = presets->log});
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Appends to `lint`, which knows how many are told. */
static enum kp_err take_refusals(struct looker *looker, struct cf_lint *lint)
{
    size_t known = lint->count;
    enum kp_err err = cf_lint_pod(looker->arena, looker->profile, looker->pod, lint);

    for (size_t i = known; err == KP_OK && i < lint->count; i++)
        cf_findings_add(looker->arena, looker->out,
                        (struct cf_finding){.rule = CF_LINT_REFUSED,
                                            .at = lint->notes[i].at,
                                            .pod = object_of(looker),
                                            .evidence = lint->notes[i].text});
    return err;
}

enum kp_err cf_advise(struct cf_arena *arena, const struct kp_profile *profile,
                      const struct cf_manifest *manifest, const struct cf_ignores *ignores,
                      struct cf_findings *out)
{
    struct cf_lint lint = {0};

    *out = (struct cf_findings){0};
    for (size_t i = 0; i < manifest->pod_count; i++) {
        struct looker looker = {arena, profile, &manifest->pods[i], ignores, out};
        size_t refused = lint.refused_count;

        if (take_refusals(&looker, &lint) != KP_OK)
            return KP_ENOMEM;
        tell_conflict(&looker);
        /* What is refused never runs: no advice on it. */
        for (size_t k = 0; refused == lint.refused_count &&
                           k < looker.pod->pod->init_count + looker.pod->pod->regular_count;
             k++)
            look_at_container(&looker, k);
    }
    out->errors = lint.refused_count;
    return arena->failed ? KP_ENOMEM : KP_OK;
}
